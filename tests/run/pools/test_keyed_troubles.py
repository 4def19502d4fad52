"""Keyed pools with clocks that go too far or back and numbers that cannot be had: shown by runs, and judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.base.verdict import Verdict
from harness.models.pools.keyed import binding
from harness.run.plan import PlannedWorld
from harness.run.pools.keyed_plans import SHOWN
from tests.run.pools import test_pool_troubles as of_any
from tests.verdict.pools.keyed_doctorings import HALL
from tests.verdict.pools.pool_runs import KEYED_POOLS, pool

NUMBERS, FRESH, LOSS = "claim-02-fresh-workers", "claim-12-fresh-generation", "claim-13-retirement-is-one-step"
GAUGES = "tide-gauges"
WINDOW_ENDS = "a stop at the last tick of the window of all restarts"
OF_NUMBERS = (of_any.takes_taken, of_any.has_no_end, of_any.ends_one_early, of_any.tries_again)


def shown(name: str, shape: str) -> PlannedWorld:
    """The run of a pool that shows this."""
    world = of_any.shown(name, shape, SHOWN)
    assert world is not None
    return world


# -- what runs show ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [HALL, GAUGES])
@pytest.mark.parametrize(
    ("shape", "made"),
    [
        ("a stop after the window of all restarts", True),
        (WINDOW_ENDS, False),
        ("more stops than the restart budget has", False),
        ("a stop that is told with a time before the last restart", False),
        ("worker numbers that run out", False),
        ("recovery numbers that run out", False),
    ],
)
def test_a_replacement_is_made_or_not(name: str, shape: str, made: bool) -> None:
    """The last source that answers in these runs has its replacement made or scheduled, or role or pool are over."""
    assert of_any.last_source_makes(name, shown(name, shape)) == made


@pytest.mark.parametrize("name", [HALL, GAUGES])
def test_the_window_has_its_last_tick(name: str) -> None:
    """The restarts were all at 0, and the stop for which there is none left is told with the window's length."""
    stops = [
        row["at"]
        for row in of_any.rows_of(name, shown(name, WINDOW_ENDS), "input-log")
        if row["input"] == "worker-stopped"
    ]
    budget = pool(name).bound.declared.restarts  # type: ignore[attr-defined]  # what any pool is bound with
    assert stops == [*(0,) * budget, 101, 100]


@pytest.mark.parametrize("name", KEYED_POOLS)
@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ("job numbers that run out", "job-correlation-unavailable"),
        ("a job number that is taken", "job-correlation-unavailable"),
        ("dispatch numbers that run out", "assignment-correlation-unavailable"),
        ("a dispatch number that is taken", "assignment-correlation-unavailable"),
    ],
)
def test_submissions_are_refused_for_want_of_a_number(name: str, shape: str, reason: str) -> None:
    """Every pool refuses one for it; where the number is only taken, the next submission is accepted."""
    answers = [row["reason"] for row in of_any.rows_of(name, shown(name, shape), "admission-outcomes")]
    assert answers == [None, reason, None] if "taken" in shape else answers == [None, reason]


def test_waiting_jobs_go_back_for_want_of_a_dispatch() -> None:
    """A job that has waited comes back as queued, one that has run before as assigned."""
    told = [
        [(row["outcome"], row["reason"]) for row in of_any.rows_of(HALL, shown(HALL, shape), "terminal-outcomes")]
        for shape in (
            "dispatch numbers that run out for jobs that wait",
            "dispatch numbers that run out for a retried job",
        )
    ]
    assert ("returned-queued", "dispatch-correlation-unavailable") in told[0]
    assert told[1] == [("returned-assigned", "retry-preparation-rejected")]


# -- what is judged ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "template", "index", "fault"),
    [
        *((HALL, LOSS, 6, fault) for fault in of_any.OF_THE_BUDGET),
        # With a budget of one a clock that runs back makes no difference: the one restart is used up all the same.
        *(
            (GAUGES, LOSS, 6, fault)
            for fault in (*of_any.OF_THE_BUDGET, *of_any.OF_THE_DELAY)
            if fault is not of_any.runs_back
        ),
        (HALL, LOSS, 6, of_any.tries_again),
        *((name, NUMBERS, 3, fault) for name in (HALL, "one-kiln") for fault in OF_NUMBERS),
        *((name, FRESH, 4, fault) for name in (HALL, "one-kiln") for fault in OF_NUMBERS),
    ],
)
def test_a_fault_in_times_and_numbers_is_a_violation(
    name: str, template: str, index: int, fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clause holds on the sound pool and is violated on one with that fault."""
    place = (binding, "reserve") if template == FRESH else of_any.place_of(fault)
    of_any.check_fault(name, template, index, place, fault, monkeypatch)


def test_a_pool_without_replacements_has_no_window_to_show() -> None:
    """What such a pool can't have is impossible for that reason, never silently missing, and its clause says so."""
    plan = pool("one-kiln").plan(LOSS)
    assert plan.unreached == ()
    assert of_any.TEMPORARY in {each.reason for each in plan.impossible}
    clause = pool("one-kiln").judge(LOSS, pool("one-kiln").record(LOSS, plan), plan)[6]
    assert clause.verdict is Verdict.NOTHING_TO_CHECK
