"""The flow over several adoptions: order, early ends, bounds, and what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.base.position import Position
from harness.base.verdict import Status
from harness.expansion.selection import Selection
from harness.intake import Intake, validate_files
from harness.pipeline import RunOptions, prepare, run_adoptions, run_prepared
from harness.run.pilot import Limits
from harness.runner import AdoptionRunner
from harness.verdict.expected import Expectations, ExpectedFailure
from harness.writers.run_files import ScenarioResult
from tests.run_builders import BAKERY, MURAL, give_verdicts

QUICK = Selection(keyword="lifecycle-holds or reports or automatic-delivery")


@pytest.fixture(scope="module")
def intakes() -> tuple[Intake, ...]:
    """Two adoptions, and a file that cannot be read between them."""
    return validate_files([str(BAKERY), "missing.yaml", str(MURAL)])


def run(intakes: Sequence[Intake], **options: object) -> tuple[list[ScenarioResult], list[list[str]], bool]:
    """The results as they were kept, the statuses by adoption, and whether the run was interrupted."""
    kept: list[ScenarioResult] = []
    outcome = run_adoptions(intakes, replace(RunOptions(selection=QUICK), **options), kept.append)  # type: ignore[arg-type]  # as given
    return kept, [[each.status for each in run.results] for run in outcome.adoptions], outcome.interrupted


def test_results_are_kept_in_order_and_grouped_by_adoption(
    intakes: tuple[Intake, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scenarios come in file order, template order, row order; an unreadable file is in the outcome without any."""
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    kept, statuses, interrupted = run(intakes)
    expected = [task.scenario.id for task in prepare(intakes, RunOptions(selection=QUICK)).tasks]
    assert [each.id for each in kept] == expected
    assert [len(each) for each in statuses] == [3, 0, 3]
    assert not interrupted


@pytest.mark.parametrize(("word", "kept_count"), [("violated", 2), ("error", 2), ("unreached", 6), ("holds", 6)])
def test_run_stops_after_enough_failures(
    word: str, kept_count: int, intakes: tuple[Intake, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed and broken scenarios count towards the limit, undecided ones don't; the last one counted is kept."""
    give_verdicts(monkeypatch, lambda scenario, index: word)
    kept, _, _ = run(intakes, max_fail=2)
    assert len(kept) == kept_count


def test_known_failure_does_not_stop_the_run(intakes: tuple[Intake, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """An expected failure makes its scenario known, in its entry too, and counts as no failure."""
    give_verdicts(monkeypatch, lambda scenario, index: "violated" if index == 0 else "holds")
    ids = [task.scenario.id for task in prepare(intakes, RunOptions(selection=QUICK)).tasks]
    place = Position("known.yaml")
    known = Expectations(tuple(ExpectedFailure(each, 0, "old", None, place) for each in ids[:2]))
    kept, _, _ = run(intakes, max_fail=1, expectations=known)
    assert [each.status for each in kept] == [Status.KNOWN, Status.KNOWN, Status.FAIL]
    assert [each.entry["status"] for each in kept] == ["known", "known", "fail"]


def test_interrupt_keeps_what_is_finished(intakes: tuple[Intake, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt in the third scenario leaves an outcome with two."""
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    judge, calls = AdoptionRunner.judge, iter(range(10))

    def judge_or_stop(self: AdoptionRunner, scenario: object) -> object:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return judge(self, scenario)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(AdoptionRunner, "judge", judge_or_stop)
    kept, statuses, interrupted = run(intakes)
    assert interrupted
    assert len(kept) == 2
    assert [len(each) for each in statuses] == [2, 0, 0]


@pytest.mark.parametrize("workers", [1, 2])
def test_time_limit_of_zero_reaches_nothing(workers: int, intakes: tuple[Intake, ...]) -> None:
    """A scenario that the time left no room for is unreached, with the limit in its reason, and is still told."""
    kept, _, _ = run(intakes, timeout_s=0.0, workers=workers)
    assert {each.status for each in kept} == {"unreached"}
    assert kept[0].entry["clauses"][0]["reason"] == "the call's time limit of 0 s was met before this scenario ran"


def test_fault_in_a_judgment_is_an_error_not_a_crash(
    intakes: tuple[Intake, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the harness fails with makes the clauses errors that name it, and the run goes on."""

    def fail(self: AdoptionRunner, scenario: object) -> object:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(AdoptionRunner, "plan", fail)
    kept, _, _ = run(intakes)
    assert len(kept) == 6
    reasons = {clause["reason"] for each in kept for clause in each.entry["clauses"]}
    assert reasons == {"the harness failed: ZeroDivisionError: by zero"}


def test_bounds_reach_the_searches(intakes: tuple[Intake, ...]) -> None:
    """The runner of an adoption has the bounds of the options."""
    prepared = prepare(intakes, RunOptions(limits=Limits(1, 2, 3)))
    assert [each.limits for each in prepared.runners if each is not None] == [Limits(1, 2, 3)] * 2


def test_earlier_results_are_taken_in_their_place(intakes: tuple[Intake, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier run has is not run again, and stands where it would have stood."""
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    prepared = prepare(intakes, RunOptions(selection=QUICK))
    taken = prepared.tasks[1].scenario.id

    class One:
        def has(self, runner: AdoptionRunner, scenario: object) -> bool:
            return getattr(scenario, "id", None) == taken

        def take(self, scenario: object) -> ScenarioResult:
            return ScenarioResult(taken, "pass", {"clauses": [], "taken": True}, {})

    kept: list[ScenarioResult] = []
    run_prepared(prepared, RunOptions(selection=QUICK), kept.append, One())
    assert [each.id for each in kept] == [task.scenario.id for task in prepared.tasks]
    assert [bool(each.entry.get("taken")) for each in kept] == [False, True, False, False, False, False]
