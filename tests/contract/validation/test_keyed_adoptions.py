"""What validation says of adoptions of the keyed-pool contract, with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import workspace
from harness.base.finding import Finding, Severity
from harness.intake import validate_files
from harness.kits.pools import KEYED_KIT
from harness.run.pools.keyed_binding import keyed_of

FILES = workspace.adoption_files(KEYED_KIT.contract)
HALL = next(each for each in FILES if each.name.startswith("parcel-hall"))


def findings(folder: Path, *changes: tuple[str, str]) -> tuple[Finding, ...]:
    """The findings of the parcel hall with texts replaced by others."""
    text = HALL.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "pool.adoption.yaml"
    path.write_text(text, encoding="utf-8")
    return validate_files([str(path)])[0].findings


def where(finding: Finding) -> tuple[str, str, int, int]:
    return (finding.rule, finding.pointer, finding.position.line or 0, finding.position.column or 0)


def test_shipped_pools_are_valid() -> None:
    """Every shipped pool validates without a finding, and its selector names declared roles or none."""
    assert len(FILES) == 3
    for path in FILES:
        (validated,) = validate_files([str(path)])
        assert validated.findings == ()
        assert validated.adoption is not None
        definition, keys = keyed_of(validated.adoption)
        assert definition.selector is not None
        assert {definition.selector(key) for key in keys} - {"-"} == set(definition.roles)
        assert definition.binding_capacity >= 1


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("role: north}", "role: nowhere}", ("selector-role-unknown", "/collections/keys/0/role", 20, 30)),
        ("{id: north}", "{id: '-'}", ("reserved-role-name", "/collections/roles/0/id", 17, 12)),
        ("{id: south}", "{id: deadline}", ("reserved-role-name", "/collections/roles/1/id", 18, 12)),
        ("id: oak-street", "id: elm-street", ("duplicate-row-id", "/collections/keys/1/id", 21, 12)),
        ("  binding-capacity: 2 ", "  ", ("missing-key", "/pool", 26, 3)),
        ("binding-capacity: 2", "binding-capacity: 0", ("out-of-range", "/pool/binding-capacity", 28, 21)),
        ("  restarts: 2\n", "", ("number-missing", "/pool", 25, 1)),
    ],
)
def test_a_fault_is_told_where_it_stands(tmp_path: Path, old: str, new: str, found: tuple[str, str, int, int]) -> None:
    """What is wrong is an error at its place, with what to do."""
    told = findings(tmp_path, (old, new))
    assert found in map(where, told)
    assert {each.severity for each in told} == {Severity.ERROR}
    assert all(each.hint or each.rule == "out-of-range" for each in told)


def test_a_number_that_is_not_read_is_a_warning(tmp_path: Path) -> None:
    """The adoption stays valid."""
    (finding,) = findings(tmp_path, ("  window: 100", "  window: 100\n  delay: 5"))
    assert (finding.rule, finding.pointer, finding.severity) == ("number-not-read", "/pool/delay", Severity.WARNING)
