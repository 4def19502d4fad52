"""Supervisors as systems under test: planning, sending, recording."""

from __future__ import annotations

import pytest

from harness.kits.supervisor import SUPERVISOR_KIT
from harness.models.pools.supervisor.definition import Definition, Recovery
from harness.run.plan import Plan, PlannedWorld
from harness.run.pools.events import event_of
from harness.run.pools.piloting import NotConstructibleError, NotReachedError
from harness.run.pools.supervisor.piloting import SupervisorPilot, need_deadline
from harness.run.pools.supervisor.plans import SHOWN
from harness.run.pools.supervisor.runs import BROKEN, SupervisorRuns
from harness.run.recording import ACCEPTED, REFUSED, Recording
from tests.verdict.pools.pool_runs import SUPERVISORS, Pool, pool

MATRIX = "matrix-of-modes-and-members"
BEACON, WATCH = "lone-beacon", "harbour-watch"


def sent(name: str, *letters: str, invert: str | None = None, numbers: dict[str, int] | None = None) -> Recording:
    """What a shipped supervisor leaves when it is sent these letters."""
    world = {"numbers": numbers} if numbers else {}
    return pool(name).record(MATRIX, Plan((PlannedWorld(world, tuple(map(event_of, letters))),)), invert)


@pytest.mark.parametrize("name", SUPERVISORS)
def test_every_template_has_runs(name: str) -> None:
    """Each template plans runs, none twice, all of which begin the supervisor; nothing is unreached."""
    assert set(pool(name).scenarios) == set(SHOWN)
    for template in pool(name).scenarios:
        plan = pool(name).plan(template)
        assert plan.worlds or (name == BEACON and plan.impossible)
        assert plan.unreached == ()
        keys = [repr((each.world, each.events)) for each in plan.worlds]
        assert len(set(keys)) == len(keys)
        assert all(each.shapes and each.events[0] == {"kind": "initialize"} for each in plan.worlds)


def test_plans_and_recordings_are_the_same_each_time() -> None:
    """Two harnesses that know nothing of each other plan and record the same, row by row."""
    first, second = Pool(BEACON), Pool(BEACON)
    for template in first.scenarios:
        plan = first.plan(template)
        assert plan == second.plan(template)
        assert first.record(template, plan) == second.record(template, plan)


def test_a_supervisor_takes_nothing_in_before_its_beginning_or_after_its_end() -> None:
    """Events outside of its life are refused and leave no row."""
    letters = ("status", "initialize", "shutdown", "refuse keeper", "status", "shutdown")
    found = sent(BEACON, *letters).worlds[0].sent
    assert [each.outcome for each in found] == [REFUSED, ACCEPTED, ACCEPTED, ACCEPTED, REFUSED, REFUSED]
    assert [bool(each.rows) for each in found] == [False, True, True, True, False, False]
    assert {each.reason for each in found if each.outcome == REFUSED} == {"not-admitted"}


def test_a_world_can_use_numbers_up() -> None:
    """With no recovery number a prepared recovery is denied for it, and with no limit it is admitted."""
    warm = ("initialize", *("advance lookout",) * 3, *("advance lamp",) * 3)
    told = []
    for numbers in (None, {"recovery": 0}, {"timer": 0}):
        found = sent(WATCH, *warm, "stop lookout", "advance recovery", numbers=numbers)
        told.append([row["reason"] for row in found.rows if row.log == "diagnostics"])
    assert told == [[], ["recovery-tickets-exhausted"], ["restart-timers-exhausted"]]


def test_rows_of_one_event_stand_in_their_order() -> None:
    """The fact comes first, then what leaves, then the new state, with the counts last."""
    found = sent(WATCH, "initialize", *("advance lookout",) * 3).worlds[0].sent[-1].rows
    logs = [row.log for row in found]
    assert logs == ["input-log", "action-lanes", "lifecycle-events", "state-trace", "count-trace"]
    assert {row.settle for row in found} == {4}


def test_a_stop_under_an_open_recovery_is_kept_and_told() -> None:
    """The logs tell of a recovery from its question to its end, and of the stop that it was for."""
    warm = ("initialize", *("advance lookout",) * 3, *("advance lamp",) * 3)
    way = (*warm, "stop lamp", *("advance recovery",) * 3, *("advance lamp",) * 2)
    rows = sent(WATCH, *way).rows
    assert [row["change"] for row in rows if row.log == "recovery-trace"] == [
        *("asked", "ended", "admitted", "changed", "changed", "ended")
    ]
    assert [row["event"] for row in rows if row.log == "lifecycle-events"][-2:] == ["worker-stopped", "restarted"]
    assert [row["replacements"] for row in rows if row.log == "budget-trace"][-1] == [1]


def test_a_breach_that_cannot_go_on_takes_nothing_in() -> None:
    """A roster that lost a role answers no further fact about it, without a crash."""
    letters = ("initialize", *("advance lookout",) * 3, "exit lookout", "exit lookout")
    found = sent(WATCH, *letters, invert="retired-role-leaves").worlds[0].sent
    assert [row["to"] for row in found[-2].rows if row.log == "state-trace"] == ["absent"]
    assert (found[-1].outcome, found[-1].reason) == (REFUSED, BROKEN)


def test_walks_of_the_law_leave_the_same_logs() -> None:
    """A way that a walk found is recorded with the logs of the contract."""
    found = SUPERVISOR_KIT.walked("fixed-supervisor", "x", ("initialize", "advance a", "status"))
    assert {row.log for row in found.rows} >= {"input-log", "state-trace", "management-replies", "count-trace"}


def test_a_pilot_says_what_cannot_be() -> None:
    """What a definition rules out is not constructible, what nothing is asked for is not reached."""
    pilot = SupervisorPilot(SupervisorRuns(Definition(("a",), 1, Recovery("temporary", None))), {})
    with pytest.raises(NotConstructibleError, match="no deadline"):
        need_deadline(pilot)
    pilot.warm()
    with pytest.raises(NotReachedError, match="a is online and was to be empty"):
        pilot.grow("a", "empty")
