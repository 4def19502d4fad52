"""Working slots as a FIFO pool: behind the port they are told apart from a plain count by nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.pools.fifo_slots import FifoSlots, FifoSlotState
from harness.models.pools.slots import PlainSlots, SlotState

FIFO, PLAIN = FifoSlots(), PlainSlots()
MOVES = st.lists(st.tuples(st.sampled_from(("take", "take", "give", "stop", "ready")), st.integers(0, 2)), max_size=25)


def test_pool_without_slots_has_nobody_to_take() -> None:
    """A limit of 0 has no worker, and nothing is free."""
    empty = FIFO.initial(0)
    assert (FIFO.free(empty), FIFO.used(empty)) == (0, 0)
    with pytest.raises(ValueError, match="no slot is free"):
        FIFO.take(empty, "A")
    with pytest.raises(IndexError):
        FIFO.holder(empty, 0)


def test_slots_that_are_alike_are_equal() -> None:
    """Numbers that were used up on the way do not tell two pools apart, so that walks over runs can close."""
    start = FIFO.initial(1)
    state = start
    for _ in range(3):
        state, _ = FIFO.take(state, "A")
        state = FIFO.give_back(state, "A")
        state = FIFO.worker_ready(FIFO.worker_stopped(state, 0), 0)
    again, _ = FIFO.take(state, "A")
    first, _ = FIFO.take(FIFO.worker_ready(FIFO.worker_stopped(start, 0), 0), "A")
    assert again == first


def test_worker_that_is_back_waits_for_the_run_that_kept_its_slot() -> None:
    """A slot that a run holds is nobody else's, also when its worker has been away meanwhile."""
    state, index = FIFO.take(FIFO.initial(2), "A")
    state = FIFO.worker_ready(FIFO.worker_stopped(state, index), index)
    assert (FIFO.is_ready(state, index), FIFO.holder(state, index), FIFO.free(state)) == (True, "A", 1)
    state, other = FIFO.take(state, "B")
    assert other != index
    assert FIFO.free(FIFO.give_back(state, "A")) == 1


@given(MOVES)
@settings(max_examples=80, deadline=None)
def test_fifo_slots_answer_as_plain_ones(moves: list[tuple[str, int]]) -> None:
    """After any moves both say the same of every slot, and give the same one next."""
    fifo, plain = FIFO.initial(3), PLAIN.initial(3)
    for number, (move, index) in enumerate(moves):
        fifo, plain = moved(fifo, plain, move, index, f"run-{number}")
        assert (FIFO.free(fifo), FIFO.used(fifo)) == (PLAIN.free(plain), PLAIN.used(plain))
        for each in range(3):
            assert FIFO.holder(fifo, each) == PLAIN.holder(plain, each)
            assert FIFO.is_ready(fifo, each) == PLAIN.is_ready(plain, each)


def moved(fifo: FifoSlotState, plain: SlotState, move: str, index: int, run: str) -> tuple[FifoSlotState, SlotState]:
    """One move on both; taking gives the same slot."""
    if move == "take":
        if not PLAIN.free(plain):
            return fifo, plain
        (fifo, mine), (plain, theirs) = FIFO.take(fifo, run), PLAIN.take(plain, run)
        assert mine == theirs
        return fifo, plain
    if move == "give":
        holder = PLAIN.holder(plain, index) or "nobody"
        return FIFO.give_back(fifo, holder), PLAIN.give_back(plain, holder)
    if move == "stop":
        return FIFO.worker_stopped(fifo, index), PLAIN.worker_stopped(plain, index)
    return FIFO.worker_ready(fifo, index), PLAIN.worker_ready(plain, index)
