"""Slots with supervised workers: whichever carrier has the slots, the supervisor says when a worker is there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Interruption
from harness.models.lifecycle.handlers import WORKER_STOPPED
from harness.models.lifecycle.model import Lifecycle, World
from harness.models.lifecycle.turn import Draft
from harness.models.pools.carriers import CARRIERS
from harness.models.pools.port import Slots
from harness.models.pools.slots import PlainSlots, SlotState
from harness.models.pools.supervised_slots import SupervisedSlots, SupervisedState
from harness.models.pools.supervisor.members import phase_of
from harness.models.pools.supervisor.state import all_members
from tests.models.lifecycle._configs import config, pool

PLAIN = PlainSlots()
STOCK = (("flour", 999, "larder"), ("water", 999, "tap"))
PLACES = ("left", "right")
MOVES = st.lists(
    st.tuples(st.sampled_from(("take", "take", "give", "stop", "ready")), st.sampled_from(range(2))), max_size=25
)


def phases(slots: SupervisedState) -> list[str]:
    """What the supervisor's roles are at."""
    assert slots.watch is not None
    return [phase_of(each) for each in all_members(slots.watch.supervisor)]


def test_slot_is_unavailable_until_the_supervisor_has_its_worker_back() -> None:
    """The role is being replaced meanwhile, and the slot is passed by; then it is online and free again."""
    slots = SupervisedSlots(PLAIN)
    (state,) = slots.opened(2, ())
    away = slots.worker_stopped(state, 0)
    assert phases(away) == ["recovery-needs-receipt", "online"]
    assert (slots.free(away), slots.is_ready(away, 0), slots.take(away, "A")[1]) == (1, False, 1)
    back = slots.worker_ready(away, 0)
    assert (phases(back), slots.free(back)) == (["online", "online"], 2)


def test_supervisor_is_seen_beside_the_members_of_the_pool() -> None:
    """A view into the slots has the supervisor's roles too; where the carrier shows nothing, nothing is added."""
    slots = CARRIERS["supervised-fifo"]()
    (state,) = slots.opened(2, ())
    shown = slots.shown(slots.worker_stopped(slots.take(state, "A")[0], 0))
    assert shown is not None
    assert shown["members"] == {"slot-1": "recovering", "slot-2": "idle"}
    assert shown["supervisor"] == {"slot-1": "recovery-needs-receipt", "slot-2": "online"}
    (plain,) = SupervisedSlots(PLAIN).opened(2, ())
    assert SupervisedSlots(PLAIN).shown(plain) is None


def test_place_without_a_slot_has_no_supervisor() -> None:
    """Nobody works there, and nobody is watched."""
    (state,) = SupervisedSlots(PLAIN).opened(0, ())
    assert (state.watch, SupervisedSlots(PLAIN).free(state)) == (None, 0)


@given(st.sampled_from(("slots", "fifo", "auto")), MOVES)
@settings(max_examples=60, deadline=None)
def test_supervised_slots_answer_as_plain_ones(word: str, moves: list[tuple[str, int]]) -> None:
    """After any moves both say the same of every slot of a shared row."""
    carrier = SupervisedSlots(CARRIERS[word]())
    (state,), plain = carrier.opened(2, ()), PLAIN.initial(2)
    for number, (move, index) in enumerate(moves):
        state, plain = moved(carrier, state, plain, (move, index, f"run-{number}"))
        assert (carrier.free(state), carrier.used(state)) == (PLAIN.free(plain), PLAIN.used(plain))
        for each in range(2):
            assert carrier.holder(state, each) == PLAIN.holder(plain, each)
            assert carrier.is_ready(state, each) == PLAIN.is_ready(plain, each)


def moved(carrier: Slots[Any], state: Any, plain: SlotState, move: tuple[str, int, str]) -> tuple[Any, SlotState]:
    """One move on both; taking gives the same slot."""
    word, index, run = move
    if word == "take":
        if not PLAIN.free(plain):
            return state, plain
        (state, mine), (plain, theirs) = carrier.take(state, run), PLAIN.take(plain, run)
        assert mine == theirs
        return state, plain
    if word == "give":
        holder = PLAIN.holder(plain, index) or "nobody"
        return carrier.give_back(state, holder), PLAIN.give_back(plain, holder)
    if word == "stop":
        return carrier.worker_stopped(state, index), PLAIN.worker_stopped(plain, index)
    return carrier.worker_ready(state, index), PLAIN.worker_ready(plain, index)


def rows(carrier: Slots[Any], events: tuple[e.Event, ...]) -> list[tuple[str | None, tuple[Draft, ...]]]:
    """What a lifecycle with one slot at each of two places says to each event; rows are without the pool's view."""
    pools = (pool(working=1, places=PLACES, assignment="requested"),)
    model = Lifecycle(config(pools=pools, interruptions=(Interruption(WORKER_STOPPED, (WORKER_STOPPED,)),)), carrier)
    state, said = model.initial(World(STOCK)), []
    for event in events:
        done = model.step(state, event)
        state = done.state
        said.append((done.refused, tuple(map(without_machinery, done.rows))))
    return said


def without_machinery(draft: Draft) -> Draft:
    """The row but for its view of the pool's own members."""
    return draft._replace(data={name: value for name, value in draft.data.items() if name != "internal"})


@pytest.mark.parametrize("word", ["supervised-fifo", "supervised-keyed"])
def test_worker_stop_interrupts_the_run_on_its_slot(word: str) -> None:
    """The run stops for the declared cause, the next one is not started in its place, and it goes on with the worker.

    The other place works on meanwhile. Every row is as on a plain count.
    """
    stop, ready = e.WorkerStop("ovens", 1, "left"), e.WorkerReady("ovens", 1, "left")
    events = (
        e.OpenPool("ovens"),
        e.Request("A", "bake", place="left"),
        e.Request("B", "bake", place="right"),
        e.Request("C", "bake", place="left"),
        *(stop, stop, e.Tick(), ready, ready, e.Tick(), e.Tick()),
    )
    said = rows(CARRIERS[word](), events)
    assert said == rows(PlainSlots(), events)
    states = [(each.run, each.data["to"]) for _, moved_ in said[4:5] for each in moved_ if each.log == "state-trace"]
    assert states == [("A", "stopped")]
    assert [refused is None for refused, _ in said[4:9]] == [True, False, True, True, False]
