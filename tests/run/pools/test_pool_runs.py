"""Pools as systems under test: planning, sending, recording."""

from __future__ import annotations

import pytest

from harness.run.plan import Plan, PlannedWorld
from harness.run.pools.binding import definition_of
from harness.run.pools.events import event_of
from harness.run.pools.fifo import FifoRuns
from harness.run.pools.piloting import REPEATS, NotReachedError, Pilot
from harness.run.recording import ACCEPTED, REFUSED
from tests.verdict.pools.pool_runs import POOLS, Pool, pool

MATRIX = "matrix-of-modes-and-members"


@pytest.mark.parametrize("name", POOLS)
def test_every_template_has_runs(name: str) -> None:
    """Each template plans runs for each shipped pool, none twice, all of which begin the pool; nothing is unreached."""
    for template in pool(name).scenarios:
        plan = pool(name).plan(template)
        assert plan.worlds
        assert plan.unreached == ()
        keys = [repr((each.world, each.events)) for each in plan.worlds]
        assert len(set(keys)) == len(keys)
        assert all(each.shapes and each.events[0] == {"kind": "initialize"} for each in plan.worlds)


def test_plans_and_recordings_are_the_same_each_time() -> None:
    """Two harnesses that know nothing of each other plan and record the same, row by row."""
    first, second = Pool("lone-kiosk"), Pool("lone-kiosk")
    for template in first.scenarios:
        plan = first.plan(template)
        assert plan == second.plan(template)
        assert first.record(template, plan) == second.record(template, plan)


def test_a_system_answers_anew_as_it_did_before() -> None:
    """A world that is sent again, and after others, leaves the same rows."""
    kiosk = Pool("lone-kiosk")
    system = kiosk.bound.system()
    plan = kiosk.plan(MATRIX)
    once = kiosk.bound.record("x", plan, system)
    assert kiosk.bound.record("x", plan, system) == once
    assert kiosk.bound.record("x", plan, kiosk.bound.system()) == once


def test_the_walk_says_how_far_it_went() -> None:
    """A plan with tours tells what was walked; the tours show phases that no named shape needs."""
    plan = pool("ticket-desk").plan(MATRIX)
    assert plan.walked is not None
    assert "every letter at each of the" in plan.walked
    assert len(plan.worlds) > 20


def test_a_pool_takes_nothing_in_before_its_beginning_or_after_its_end() -> None:
    """Events outside of a pool's life are refused and leave no row."""
    kiosk = pool("lone-kiosk")
    events = tuple(map(event_of, ("submit", "initialize", "shutdown", "refuse keeper", "submit", "shutdown")))
    recording = kiosk.record(MATRIX, Plan((PlannedWorld({}, events),)))
    sent = recording.worlds[0].sent
    assert [each.outcome for each in sent] == [REFUSED, ACCEPTED, ACCEPTED, ACCEPTED, REFUSED, REFUSED]
    assert [bool(each.rows) for each in sent] == [False, True, True, True, False, False]
    assert {each.reason for each in sent if each.outcome == REFUSED} == {"not-admitted"}


def test_a_world_can_use_numbers_up() -> None:
    """With one dispatch number the second job is refused for it, and with none limited it runs."""
    events = [event_of(each) for each in ("initialize", *("advance keeper",) * 4, "submit", "advance keeper")]
    events += [event_of(each) for each in ("complete keeper", "submit")]
    reasons = []
    for world in ({}, {"numbers": {"dispatch": 1}}):
        recording = pool("lone-kiosk").record(MATRIX, Plan((PlannedWorld(world, tuple(events)),)))
        reasons.append([row["reason"] for row in recording.rows if row.log == "admission-outcomes"])
    assert reasons == [[None, None], [None, "dispatch-correlation-unavailable"]]


def test_rows_of_one_event_stand_in_their_order() -> None:
    """The fact comes first, then what leaves, then the new state, with the counts last; all share a settle."""
    recording = pool("ticket-desk").record(MATRIX, pool("ticket-desk").plan(MATRIX))
    state = ("state-trace", "ownership-ledger", "queue-trace")
    for world in recording.worlds:
        for sent in world.sent:
            logs = [row.log for row in sent.rows]
            if not logs:
                continue
            assert logs[0] == "input-log"
            assert logs[-1] == "count-trace"
            assert logs.count("input-log") == logs.count("count-trace") == 1
            last_out = max((place for place, log in enumerate(logs) if log == "action-lanes"), default=0)
            assert all(place > last_out for place, log in enumerate(logs) if log in state)
            assert len({row.settle for row in sent.rows}) == 1


def test_a_goal_that_never_comes_is_said() -> None:
    """A pilot gives up after so many letters and says what it did not meet."""
    pilot = Pilot(FifoRuns(definition_of(pool("lone-kiosk").bound.adoption)), {})
    pilot.begin()
    with pytest.raises(NotReachedError, match="keeper recovering was not met"):
        pilot.advance("keeper", "recovering")
    assert len(pilot.letters) == 1 + REPEATS
