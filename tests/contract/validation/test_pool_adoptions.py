"""What validation says of adoptions of the fifo-pool contract, with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import workspace
from harness.base.finding import Finding, Severity
from harness.intake import validate_files
from harness.kits.pools import FIFO_KIT
from harness.run.pools.binding import definition_of

ROOT = Path(__file__).resolve().parents[3]
TICKETS = ROOT / "adoptions" / "pools" / "ticket-desk.adoption.yaml"


def findings(folder: Path, *changes: tuple[str, str]) -> tuple[Finding, ...]:
    """The findings of the ticket desk with texts replaced by others."""
    text = TICKETS.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "pool.adoption.yaml"
    path.write_text(text, encoding="utf-8")
    return validate_files([str(path)])[0].findings


def where(finding: Finding) -> tuple[str, str, int, int]:
    return (finding.rule, finding.pointer, finding.position.line or 0, finding.position.column or 0)


def test_shipped_pools_are_valid() -> None:
    """Every shipped pool validates without a finding and can be bound."""
    for path in workspace.adoption_files(FIFO_KIT.contract):
        (validated,) = validate_files([str(path)])
        assert validated.findings == ()
        assert validated.adoption is not None
        assert definition_of(validated.adoption).roles
        assert validated.contract is not None
        assert validated.contract.id == FIFO_KIT.contract


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("  restarts: 2\n", "", ("number-missing", "/pool", 20, 1)),
        ("  window: 100\n", "", ("number-missing", "/pool", 20, 1)),
        ("  diagnostics-route: operator\n", "", ("number-missing", "/pool", 20, 1)),
        ("restart-timing: immediate", "restart-timing: delayed", ("number-missing", "/pool", 20, 1)),
        ("  restart-timing: immediate\n", "", ("question-unanswered", "/answers", 7, 1)),
        ("{id: left}", "{id: deadline}", ("reserved-role-name", "/collections/roles/0/id", 17, 12)),
        ("{id: right}", "{id: left}", ("duplicate-row-id", "/collections/roles/1/id", 18, 12)),
        ("activation-limit: 1", "activation-limit: 0", ("out-of-range", "/pool/activation-limit", 21, 21)),
        ("backlog: 2", "backlog: -1", ("out-of-range", "/pool/backlog", 22, 12)),
        ("interruption: retry", "interruption: ignore", ("unknown-value", "/answers/interruption", 8, 17)),
    ],
)
def test_a_fault_is_told_where_it_stands(tmp_path: Path, old: str, new: str, found: tuple[str, str, int, int]) -> None:
    """One thing that is wrong gives one error, at its place, with what to do."""
    (finding,) = findings(tmp_path, (old, new))
    assert where(finding) == found
    assert finding.severity is Severity.ERROR
    assert finding.hint


@pytest.mark.parametrize(
    ("new", "rule", "pointer"),
    [
        ("  window: 100\n  delay: 5", "number-not-read", "/pool/delay"),
        ("  window: 100\n  deadline: 5", "number-not-read", "/pool/deadline"),
    ],
)
def test_a_number_that_is_not_read_is_a_warning(tmp_path: Path, new: str, rule: str, pointer: str) -> None:
    """The adoption stays valid."""
    (finding,) = findings(tmp_path, ("  window: 100", new))
    assert (finding.rule, finding.pointer, finding.severity) == (rule, pointer, Severity.WARNING)


def test_an_answer_that_is_not_asked_is_a_warning(tmp_path: Path) -> None:
    """Temporary workers are not replaced, so nothing about replacements is read."""
    found = findings(tmp_path, ("restart: permanent", "restart: temporary"))
    assert [(each.rule, each.pointer) for each in found] == [
        ("answer-not-asked", "/answers/restart-timing"),
        ("number-not-read", "/pool/restarts"),
        ("number-not-read", "/pool/window"),
    ]
    assert {each.severity for each in found} == {Severity.WARNING}


def test_a_pool_without_an_answer_cannot_be_bound(tmp_path: Path) -> None:
    """Binding says what the adoption leaves open."""
    (validated,) = validate_files([str(TICKETS)])
    assert validated.adoption is not None
    pool = {name: each for name, each in validated.adoption.document["pool"].items() if name != "window"}  # type: ignore[attr-defined]  # a mapping, by its schema
    object.__setattr__(validated.adoption, "document", {**validated.adoption.document, "pool": pool})
    with pytest.raises(ValueError, match="does not say window"):
        definition_of(validated.adoption)
