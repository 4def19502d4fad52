"""Keyed pools as systems under test: letters, views, logs of their own, and the runs that shapes make."""

from __future__ import annotations

from typing import Any

import pytest

from harness.run.plan import Plan, PlannedWorld
from harness.run.pools.events import event_of
from harness.run.pools.keyed_binding import NOBODY, keyed_of
from harness.run.pools.piloting import NotConstructibleError
from harness.run.pools.shapes.keys import KeyedPilot
from harness.run.recording import ACCEPTED, REFUSED, Recording
from tests.verdict.pools.keyed_doctorings import HALL
from tests.verdict.pools.pool_runs import KEYED_POOLS, Pool, pool

MATRIX = "matrix-of-modes-and-members"
READY = ("initialize", *("advance north",) * 4, *("advance south",) * 4)


def recorded(*letters: str, world: dict[str, Any] | None = None, name: str = HALL) -> Recording:
    """What a shipped pool leaves when it is sent these letters."""
    return pool(name).record(MATRIX, Plan((PlannedWorld(world or {}, tuple(map(event_of, letters))),)))


def rows(recording: Recording, log: str, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of a log's rows."""
    return [tuple(row[each] for each in columns) for row in recording.rows if row.log == log]


@pytest.mark.parametrize("name", KEYED_POOLS)
def test_every_template_has_runs(name: str) -> None:
    """Each template plans runs for each shipped pool, none twice, and nothing is unreached."""
    for template in pool(name).scenarios:
        plan = pool(name).plan(template)
        assert plan.worlds
        assert plan.unreached == ()
        keys = [repr((each.world, each.events)) for each in plan.worlds]
        assert len(set(keys)) == len(keys)


def test_plans_and_recordings_are_the_same_each_time() -> None:
    """Two harnesses that know nothing of each other plan and record the same, row by row."""
    first, second = Pool("one-kiln"), Pool("one-kiln")
    for template in first.scenarios:
        plan = first.plan(template)
        assert plan == second.plan(template)
        assert first.record(template, plan) == second.record(template, plan)


def test_a_key_is_bound_moved_and_unbound() -> None:
    """The ledger tells each binding that is made and ended; answers tell what was and what is."""
    found = recorded(*READY, "submit elm-street", "rebalance elm-street south", "unbind elm-street")
    assert rows(found, "binding-ledger", "key", "change", "role", "generation") == [
        ("elm-street", "bound", "north", 1),
        ("elm-street", "dropped", "north", 1),
        ("elm-street", "bound", "south", 2),
        ("elm-street", "dropped", "south", 2),
    ]
    told = ("outcome", "key", "role", "generation", "prior-role", "prior-generation")
    assert rows(found, "management-outcomes", *told) == [
        ("rebalanced", None, "south", 2, "north", 1),
        ("unbound", "elm-street", None, None, "south", 2),
    ]
    assert rows(found, "admission-outcomes", "role", "generation", "key") == [("north", 1, None)]


def test_a_command_that_expects_something_else_goes_back() -> None:
    """A stale command is told whole, with the generation that there is."""
    found = recorded(*READY, "submit elm-street", "late elm-street south")
    told = ("outcome", "reason", "key", "expected", "target", "actual")
    assert rows(found, "management-outcomes", *told) == [
        ("rejected", "stale-expectation", "elm-street", 0, "south", 1),
    ]


def test_the_selector_is_asked_for_keys_that_are_not_bound() -> None:
    """One question for a key, no more once it is bound; a key that nobody knows is refused."""
    found = recorded(*READY, "submit elm-street", "submit elm-street", "submit unknown-street")
    assert rows(found, "selector-calls", "key", "role") == [("elm-street", "north"), ("unknown-street", NOBODY)]
    assert rows(found, "admission-outcomes", "reason") == [(None,), (None,), ("unknown-selected-role",)]


def test_a_queue_stands_with_its_role() -> None:
    """Each role's queue has rows of its own, and a job that comes back names the role that had it."""
    letters = ("submit elm-street", "submit elm-street", "advance north", "stop north")
    found = recorded(*READY, "submit oak-street", *letters)
    assert rows(found, "queue-trace", "role", "jobs", "priors") == [
        ("north", [3], [None]),
        ("north", [2, 3], ["north", None]),
    ]


def test_jobs_and_commands_are_taken_before_the_beginning() -> None:
    """Before it begins, a pool binds keys and lets jobs wait; what is about a worker is told as rejected."""
    found = recorded("submit elm-street", "rebalance oak-street south", "advance north", "initialize")
    assert [each.outcome for each in found.worlds[0].sent] == [ACCEPTED] * 4
    assert rows(found, "queue-trace", "role", "jobs") == [("north", [1])]
    assert rows(found, "diagnostics", "diagnostic") == [("rejected-input",)]
    assert rows(found, "count-trace", "mode") == [("constructed",)] * 3 + [("operating",)]


def test_a_pool_that_is_over_takes_nothing_in() -> None:
    """A pool that is told to end before it begins is over at once."""
    found = recorded("submit elm-street", "shutdown", "submit elm-street", "unbind elm-street")
    assert [each.outcome for each in found.worlds[0].sent] == [ACCEPTED, ACCEPTED, REFUSED, REFUSED]
    assert rows(found, "terminal-outcomes", "outcome", "role", "reason") == [
        ("returned-queued", "north", "pool-shutdown"),
    ]
    facts = [{"input": "binding", "role": "north", "key": "elm-street", "generation": 1}]
    assert rows(found, "diagnostics", "diagnostic", "reason", "facts") == [
        ("binding-removed", "pool-shutdown", facts),
    ]


def test_a_world_can_use_generations_up() -> None:
    """With one generation the second binding is refused for it."""
    letters = (*READY, "submit elm-street", "unbind elm-street", "submit elm-street", "rebalance elm-street south")
    found = recorded(*letters, world={"numbers": {"generation": 1}})
    assert rows(found, "admission-outcomes", "reason") == [(None,), ("binding-generation-unavailable",)]
    assert rows(found, "management-outcomes", "reason") == [(None,), ("generation-reservation-rejected",)]


def test_a_pilot_submits_for_each_role_in_turn() -> None:
    """A plain submission has the first key of the next role; where there is no such key, the shape can't be."""
    bound: Any = pool(HALL).bound
    pilot = KeyedPilot(bound.pool(bound.law.rules), {})
    pilot.send("submit", "submit", "submit")
    assert pilot.letters == ["submit elm-street", "submit oak-street", "submit elm-street"]
    kiln: Any = pool("one-kiln").bound
    short = KeyedPilot(kiln.pool(kiln.law.rules), {})
    short.send("rebalance ben kiln")
    with pytest.raises(NotConstructibleError, match="binding capacity is 1"):
        short.send("submit")


def test_an_adoption_without_a_capacity_describes_no_pool() -> None:
    """Binding says what the adoption leaves open."""
    adoption = Pool("one-kiln").bound.adoption
    numbers = {name: each for name, each in adoption.document["pool"].items() if name != "binding-capacity"}  # type: ignore[attr-defined]  # a mapping, by its schema
    object.__setattr__(adoption, "document", {**adoption.document, "pool": numbers})
    with pytest.raises(ValueError, match="does not say binding-capacity"):
        keyed_of(adoption)
