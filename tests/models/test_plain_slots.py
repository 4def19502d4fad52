"""Working slots as a plain count, behind the port."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.pools.slots import PlainSlots, SlotState

SLOTS = PlainSlots()


def test_cursor_goes_round() -> None:
    """A run takes the first free slot at or after the cursor, which then moves past it."""
    state = SLOTS.initial(3)
    taken = []
    for run in ("A", "B"):
        state, index = SLOTS.take(state, run)
        taken.append(index)
    state = SLOTS.give_back(state, "A")
    for run in ("C", "D"):
        state, index = SLOTS.take(state, run)
        taken.append(index)
    assert taken == [0, 1, 2, 0]
    assert [SLOTS.holder(state, index) for index in range(3)] == ["D", "B", "C"]


def test_full_and_empty_pools_have_no_slot_to_take() -> None:
    """Where nothing is free, taking is an error of the caller."""
    with pytest.raises(ValueError, match="no slot is free"):
        SLOTS.take(SLOTS.initial(0), "A")
    full, _ = SLOTS.take(SLOTS.initial(1), "A")
    with pytest.raises(ValueError, match="no slot is free"):
        SLOTS.take(full, "B")


def test_slot_without_a_worker_is_not_free() -> None:
    """An idle slot whose worker is away is passed by; a busy one is not free after its run gives it back."""
    state = SLOTS.worker_stopped(SLOTS.initial(2), 0)
    assert (SLOTS.free(state), SLOTS.is_ready(state, 0)) == (1, False)
    state, index = SLOTS.take(state, "A")
    assert (index, SLOTS.free(state)) == (1, 0)
    state = SLOTS.worker_stopped(state, 1)
    assert SLOTS.used(state) == 1
    state = SLOTS.give_back(state, "A")
    assert SLOTS.free(state) == 0
    assert SLOTS.free(SLOTS.worker_ready(state, 1)) == 1


def test_holder_of_no_slot_is_an_error() -> None:
    """A slot that is not there has no holder."""
    with pytest.raises(IndexError):
        SLOTS.holder(SLOTS.initial(1), 1)
    with pytest.raises(IndexError):
        SLOTS.holder(SLOTS.initial(1), -1)


@given(st.lists(st.tuples(st.sampled_from(("take", "give", "stop", "ready")), st.integers(0, 3)), max_size=30))
@settings(max_examples=60, deadline=None)
def test_slots_are_held_free_or_without_a_worker(moves: list[tuple[str, int]]) -> None:
    """Whatever happens, no slot is held twice, and held, free and workerless idle slots make up the limit."""
    state: SlotState = SLOTS.initial(4)
    for move, index in moves:
        if move == "take" and SLOTS.free(state) and SLOTS.used(state) < 4:
            state, _ = SLOTS.take(state, f"run-{len(state.held)}-{state.cursor}")
        elif move == "give" and (holder := SLOTS.holder(state, index)) is not None:
            state = SLOTS.give_back(state, holder)
        elif move == "stop":
            state = SLOTS.worker_stopped(state, index)
        elif move == "ready":
            state = SLOTS.worker_ready(state, index)
        idle_away = [each for each in state.gone if SLOTS.holder(state, each) is None]
        assert SLOTS.used(state) + SLOTS.free(state) + len(idle_away) == 4
        assert len({index for index, _ in state.held}) == len(state.held)
