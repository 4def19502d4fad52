"""A system that leaves values out is judged: no row with a null makes a judgment crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import pytest

from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.kits.jobs_bound import BoundJobs
from harness.run.plan import Plan
from harness.run.recording import Draft, WorldDrafts
from harness.run.sending import send_world
from harness.run.system import SYSTEM_LOGS
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
SPARSE = 30


class Left(NamedTuple):
    """What is left out: a column of a log, in every row or only in the last one of each event."""

    log: str
    column: str
    is_everywhere: bool


class Planned(NamedTuple):
    """A scenario with its plan, what the sound model answers in each of its worlds, and the logs with rows in it."""

    scenario: Scenario
    plan: Plan
    worlds: tuple[WorldDrafts, ...]
    logs: frozenset[str]


def without(worlds: tuple[WorldDrafts, ...], left: Left) -> tuple[WorldDrafts, ...]:
    """What the sound model answers, as a driver shows it that leaves a value out."""
    return tuple(
        world._replace(sent=tuple(each._replace(drafts=emptied(each.drafts, left)) for each in world.sent))
        for world in worlds
    )


def emptied(drafts: Sequence[Draft], left: Left) -> tuple[Draft, ...]:
    """The rows of one event with the value left out of them."""
    of_log = [at for at, each in enumerate(drafts) if each.log == left.log]
    chosen = set(of_log if left.is_everywhere else of_log[-1:])
    return tuple(empty(each, left.column) if at in chosen else each for at, each in enumerate(drafts))


def empty(draft: Draft, column: str) -> Draft:
    """The row without the value."""
    common = {name: getattr(draft, name) for name in COMMON}
    data = dict(draft.data)
    if column in common:
        common[column] = None
    elif column in data:
        data[column] = [] if isinstance(data[column], list | tuple) else None  # as a driver's rows are filled
    return Draft(draft.log, common["run"], data, common["batch"], common["settle"], draft.moment)


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
def planned(name: str) -> tuple[Planned, ...]:
    """Each scenario, sent into the sound model once."""
    found = []
    for scenario in runner(name).scenarios(Selection()):
        plan = bound(name).plan(scenario)
        worlds = tuple(send_world(scenario.id, each, bound(name).system()) for each in plan.worlds)
        logs = frozenset(each.log for world in worlds for sent in world.sent for each in sent.drafts)
        found.append(Planned(scenario, plan, worlds, logs))
    return tuple(found)


def columns(log: str) -> tuple[str, ...]:
    """Everything that a row of the log can leave out."""
    return (*COMMON, *runner(ADOPTIONS[0]).logs[log].own_columns)


def shown(log: str, each: Planned) -> Iterator[tuple[Left, tuple[WorldDrafts, ...]]]:
    """Every column of a log left out, in every row and in single ones; what comes out as it was before, once."""
    for column in columns(log):
        before = [each.worlds]
        for is_everywhere in (True, False):
            left = Left(log, column, is_everywhere)
            worlds = without(each.worlds, left)
            if worlds not in before:
                before.append(worlds)
                yield left, worlds


def judged(log: str, sparse: int) -> Iterator[tuple[Left, Judged]]:
    """Scenarios that have rows of the log, every `sparse`-th for each value left out, judged."""
    turn = 0
    for name in ADOPTIONS:
        observes = bound(name).system().observes
        for each in planned(name):
            for left, worlds in shown(log, each) if log in each.logs else ():
                turn += 1
                if turn % sparse == 0:
                    recording = bound(name).recorded(each.scenario.id, worlds, observes)
                    yield left, bound(name).judge(each.scenario, each.plan, recording)


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
    assert refuse_errors(log, SPARSE) or not any(log in each.logs for name in ADOPTIONS for each in planned(name))


@pytest.mark.deep
@pytest.mark.parametrize("log", sorted(SYSTEM_LOGS))
def test_no_null_makes_any_judgment_crash(log: str) -> None:
    """All scenarios of the adoptions, each log and each column."""
    assert refuse_errors(log, 1) or not any(log in each.logs for name in ADOPTIONS for each in planned(name))


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
    each = next(each for each in planned("bakery-oven") if "claim-ledger" in each.logs)
    worlds = each.worlds if left is None else without(each.worlds, left)
    recording = bound("bakery-oven").recorded(each.scenario.id, worlds, bound("bakery-oven").system().observes)
    clause = bound("bakery-oven").judge(each.scenario, each.plan, recording).clauses[0]
    assert clause.verdict is verdict
    if verdict is Verdict.VIOLATED:
        (row,) = clause.evidence
        first = next(each for each in recording.rows if each.log == "claim-ledger" and each["amount"] is None)
        assert row == first
        assert "amount" in str(clause.reason)
