"""Every judgment agrees with histories written by hand: it accepts the good ones and rejects the bad ones."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from harness.run.derive import DERIVED
from harness.run.logs import check_row
from harness.verdict.clauses import JOBS
from tests.histories._load import History, evidence_of, history_files, load_histories, logs, never_rejected
from tests.histories._verdicts import disagreement

_HISTORIES = [each for path in history_files() for each in load_histories(path)]
_CASES = [(each, clause) for each in _HISTORIES for clause in each.clauses]


@pytest.mark.parametrize(("history", "clause"), _CASES, ids=[f"{each.id}-{clause}" for each, clause in _CASES])
def test_history_gets_its_verdict(history: History, clause: int) -> None:
    """A clause gives the verdict that the history asks for, with the reason and at the row that it names."""
    evidence, plan = evidence_of(history)
    assert disagreement(history, JOBS.judge(evidence, history.template, clause, plan)) == ""


@pytest.mark.parametrize("history", [each for each in _HISTORIES if each.kind == "accepted"], ids=lambda each: each.id)
def test_accepted_history_is_well_formed(history: History) -> None:
    """The rows of an accepted history fit the schemas of their logs."""
    evidence, _ = evidence_of(history)
    assert [each for row in evidence.recording.rows for each in check_row(logs(), row)] == []


@pytest.mark.parametrize(("template", "clause"), JOBS.registered(), ids=lambda each: str(each))
def test_judgment_has_histories_of_both_kinds(template: str, clause: int) -> None:
    """Each judgment is held to at least one accepted and one rejected history."""
    own = [each for each in _HISTORIES if each.template == template and clause in each.clauses]
    spared: Mapping[int, str] = next((never_rejected(path) for path in history_files() if path.stem == template), {})
    assert any(each.kind == "accepted" for each in own)
    assert clause in spared or any(each.kind == "rejected" for each in own)


def test_derived_logs_of_the_catalogue_are_the_derived_ones() -> None:
    """The catalogue marks exactly those logs as derived that the harness derives."""
    assert {name for name, spec in logs().items() if spec.kind == "derived"} == set(DERIVED)
