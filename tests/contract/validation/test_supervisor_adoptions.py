"""What validation says of adoptions of the fixed-supervisor contract, with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import workspace
from harness.base.finding import Finding, Severity
from harness.intake import validate_files
from harness.kits.supervisor import SUPERVISOR_KIT
from harness.run.pools.supervisor.binding import definition_of

ROOT = Path(__file__).resolve().parents[3]
WATCH = ROOT / "adoptions" / "pools" / "harbour-watch.adoption.yaml"


def findings(folder: Path, *changes: tuple[str, str]) -> tuple[Finding, ...]:
    """The findings of the harbour watch with texts replaced by others."""
    text = WATCH.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "watch.adoption.yaml"
    path.write_text(text, encoding="utf-8")
    return validate_files([str(path)])[0].findings


def test_shipped_supervisors_are_valid() -> None:
    """Every shipped supervisor validates without a finding and can be bound."""
    files = workspace.adoption_files(SUPERVISOR_KIT.contract)
    assert len(files) == 3
    for path in files:
        (validated,) = validate_files([str(path)])
        assert validated.findings == ()
        assert validated.adoption is not None
        assert definition_of(validated.adoption).roles


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("  restarts: 3\n", "", ("number-missing", "/supervisor", 21, 1)),
        ("  delay: 5\n", "", ("number-missing", "/supervisor", 21, 1)),
        ("  deadline: 50\n", "", ("number-missing", "/supervisor", 21, 1)),
        ("  lifecycle-route: log-book\n", "", ("number-missing", "/supervisor", 21, 1)),
        ("  restart-timing: linear\n", "", ("question-unanswered", "/answers", 7, 1)),
        ("  strategy: rest-for-one", "  # strategy", ("question-unanswered", "/answers", 7, 1)),
        ("{id: lamp}", "{id: deadline}", ("reserved-role-name", "/collections/roles/1/id", 19, 12)),
        ("{id: lamp}", "{id: recovery}", ("reserved-role-name", "/collections/roles/1/id", 19, 12)),
        ("{id: lamp}", "{id: lookout}", ("duplicate-row-id", "/collections/roles/1/id", 19, 12)),
        ("activation-limit: 1", "activation-limit: 0", ("out-of-range", "/supervisor/activation-limit", 22, 21)),
        ("lifecycle: publish", "lifecycle: whisper", ("unknown-value", "/answers/lifecycle", 14, 14)),
    ],
)
def test_a_fault_is_told_where_it_stands(tmp_path: Path, old: str, new: str, found: tuple[str, str, int, int]) -> None:
    """One thing that is wrong gives one error, at its place, with what to do."""
    errors = [each for each in findings(tmp_path, (old, new)) if each.severity is Severity.ERROR]
    (finding,) = errors
    position = finding.position
    assert (finding.rule, finding.pointer, position.line or 0, position.column or 0) == found
    assert finding.message


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ([("drain: retire-after-deadline", "drain: wait-for-proxies")], ["number-not-read"]),
        ([("lifecycle: publish", "lifecycle: omit")], ["number-not-read"]),
        ([("restart-timing: linear", "restart-timing: immediate")], ["number-not-read"]),
        (
            [("restart: transient ", "restart: temporary ")],
            ["answer-not-asked", "answer-not-asked", "number-not-read", "number-not-read"],
        ),
    ],
)
def test_what_is_not_read_is_a_warning(tmp_path: Path, changes: list[tuple[str, str]], rules: list[str]) -> None:
    """The adoption stays valid, and each line that nothing reads is told."""
    found = findings(tmp_path, *changes)
    assert [each.rule for each in found] == rules
    assert {each.severity for each in found} == {Severity.WARNING}


def test_a_supervisor_without_a_number_cannot_be_bound() -> None:
    """Binding says what the adoption leaves open."""
    (validated,) = validate_files([str(WATCH)])
    assert validated.adoption is not None
    numbers = {name: each for name, each in validated.adoption.document["supervisor"].items() if name != "window"}  # type: ignore[attr-defined]  # a mapping, by its schema
    object.__setattr__(validated.adoption, "document", {**validated.adoption.document, "supervisor": numbers})
    with pytest.raises(ValueError, match="does not say window"):
        definition_of(validated.adoption)
