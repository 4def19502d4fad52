"""A system that leaves values out is judged: no row with a null makes a judgment crash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import pytest

from harness.base.verdict import Verdict
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.kits.jobs_bound import BoundJobs
from harness.run.plan import Plan
from harness.run.recording import Draft
from harness.run.system import SYSTEM_LOGS, Answer, System
from harness.runner import AdoptionRunner
from harness.verdict.clauses import JOBS, Judgment
from harness.verdict.evidence import Evidence
from harness.verdict.judging import Judged
from harness.verdict.parts import Part, holds, nothing
from tests.run_builders import ROOT

# Between them these judge most clauses, and have a row in almost every log that a system writes.
ADOPTIONS = ("bakery-oven", "ingnomia-workshop")
COMMON = ("run", "batch", "settle")
#: Of the scenarios with rows of a log, every so manieth has a column emptied by default; all of them with -m deep.
SPARSE = 60


class Left(NamedTuple):
    """What is left out: a column of a log, in every row or only in the last one of each event."""

    log: str
    column: str
    is_everywhere: bool


class Leaving:
    """The sound model, as a driver shows it that leaves values out."""

    memory = None

    def __init__(self, system: System, left: Left) -> None:
        self._system = system
        self._left = left
        self.observes = system.observes
        self.altered = 0

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """The system's world."""
        self._system.begin(scenario, world)

    def send(self, event: Mapping[str, Any]) -> Answer:
        """The system's answer with the value left out of its rows."""
        answer = self._system.send(event)
        of_log = [at for at, each in enumerate(answer.drafts) if each.log == self._left.log]
        chosen = set(of_log if self._left.is_everywhere else of_log[-1:])
        drafts = [self._without(each) if at in chosen else each for at, each in enumerate(answer.drafts)]
        return answer._replace(drafts=tuple(drafts))

    def _without(self, draft: Draft) -> Draft:
        column = self._left.column
        common = {name: getattr(draft, name) for name in COMMON}
        data = dict(draft.data)
        if column in common:
            common[column] = None
        elif column in data:
            data[column] = [] if isinstance(data[column], list | tuple) else None  # as a driver's rows are filled
        self.altered += 1
        return Draft(draft.log, common["run"], data, common["batch"], common["settle"], draft.moment)

    def end(self) -> None:
        """The end of the system's world."""
        self._system.end()


@cache
def bound(name: str) -> BoundJobs:
    """A shipped adoption with the model and the judgments."""
    found = runner(name).bound
    assert isinstance(found, BoundJobs)
    return found


@cache
def runner(name: str) -> AdoptionRunner:
    """A shipped adoption, ready to run."""
    return AdoptionRunner(validate_files([str(ROOT / "adoptions" / name / f"{name}.adoption.yaml")])[0])


@cache
def planned(name: str) -> tuple[tuple[Any, Plan, frozenset[str]], ...]:
    """Each scenario with its plan and the logs that its runs have rows in."""
    found = []
    for scenario in runner(name).scenarios(Selection()):
        plan = bound(name).plan(scenario)
        rows = bound(name).record(scenario.id, plan, bound(name).system()).rows
        found.append((scenario, plan, frozenset(each.log for each in rows)))
    return tuple(found)


def leavings(log: str) -> Iterator[Left]:
    """Every column of a log left out, in every row and in single ones."""
    for column in (*COMMON, *runner(ADOPTIONS[0]).logs[log].own_columns):
        for is_everywhere in (True, False):
            yield Left(log, column, is_everywhere)


def judged(log: str, sparse: int) -> Iterator[tuple[Left, Judged]]:
    """Scenarios that have rows of the log, every `sparse`-th for each value left out, judged."""
    turn = 0
    for name in ADOPTIONS:
        for left in leavings(log):
            for scenario, plan, logs in planned(name):
                if log in logs:
                    turn += 1
                    if turn % sparse == 0:
                        system = Leaving(bound(name).system(), left)
                        recording = bound(name).record(scenario.id, plan, system)
                        assert system.altered
                        yield left, bound(name).judge(scenario, plan, recording)


def refuse_errors(log: str, sparse: int) -> int:
    """Fails for a clause that could not be judged; the number of those that could."""
    found = 0
    for left, each in judged(log, sparse):
        crashed = [clause for clause in each.clauses if clause.verdict is Verdict.ERROR]
        assert not crashed, f"{left} in {each.scenario.id}: {[(clause.index, clause.reason) for clause in crashed]}"
        found += len(each.clauses)
    return found


@pytest.mark.parametrize("log", sorted(SYSTEM_LOGS))
def test_no_null_makes_a_judgment_crash(log: str) -> None:
    """A sample of the scenarios, each log and each column."""
    assert refuse_errors(log, SPARSE) or not any(log in logs for name in ADOPTIONS for _, _, logs in planned(name))


@pytest.mark.deep
@pytest.mark.parametrize("log", sorted(SYSTEM_LOGS))
def test_no_null_makes_any_judgment_crash(log: str) -> None:
    """All scenarios of the adoptions, each log and each column."""
    assert refuse_errors(log, 1) or not any(log in logs for name in ADOPTIONS for _, _, logs in planned(name))


def doubled(evidence: Evidence) -> Iterator[Part]:
    """A judgment that cannot do without amounts."""
    for row in evidence.rows("claim-ledger"):
        yield holds(row) if row["amount"] + row["amount"] else nothing("no amount")


def broken(evidence: Evidence) -> Iterator[Part]:
    """A judgment that cannot judge anything."""
    yield holds(evidence.rows("claim-ledger")[-1 - len(evidence.rows("claim-ledger"))])


@pytest.mark.parametrize(
    ("judgment", "left", "verdict"),
    [
        (doubled, Left("claim-ledger", "amount", True), Verdict.VIOLATED),
        (doubled, Left("claim-ledger", "amount", False), Verdict.VIOLATED),
        (broken, Left("claim-ledger", "amount", True), Verdict.VIOLATED),
        (broken, None, Verdict.ERROR),
        (doubled, None, Verdict.HOLDS),
    ],
)
def test_row_that_a_judgment_cannot_work_with_is_its_evidence(
    judgment: Judgment, left: Left | None, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash over rows without amounts is told by the first such row; one over sound rows is the harness's fault."""
    monkeypatch.setattr(JOBS, "judgment_for", lambda template, index: judgment)
    scenario, plan, _ = next(each for each in planned("bakery-oven") if "claim-ledger" in each[2])
    sound = bound("bakery-oven").system()
    recording = bound("bakery-oven").record(scenario.id, plan, sound if left is None else Leaving(sound, left))
    clause = bound("bakery-oven").judge(scenario, plan, recording).clauses[0]
    assert clause.verdict is verdict
    if verdict is Verdict.VIOLATED:
        (row,) = clause.evidence
        first = next(each for each in recording.rows if each.log == "claim-ledger" and each["amount"] is None)
        assert row == first
        assert "amount" in str(clause.reason)
