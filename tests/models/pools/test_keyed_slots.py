"""Working slots as one keyed pool for all places: behind the port they are a plain count at each place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.pools.keyed.state import Operating
from harness.models.pools.keyed_slots import KeyedSlots, KeyedSlotState
from harness.models.pools.members import Busy, phase_of
from harness.models.pools.slots import PlainSlots, SlotState
from harness.models.pools.values import Admitted

KEYED, PLAIN = KeyedSlots(), PlainSlots()
PLACES = ("north slip", "south slip", "pier")
MOVES = st.lists(
    st.tuples(st.sampled_from(("take", "take", "give", "stop", "ready")), st.sampled_from(range(3))), max_size=25
)

Row = tuple[KeyedSlotState, ...]


def put(row: Row, place: int, changed: KeyedSlotState) -> Row:
    """The row after one of its places has changed."""
    return tuple(changed if at == place else KEYED.beside(each, changed) for at, each in enumerate(row))


def pool(row: Row) -> Operating:
    """The one pool behind all places."""
    (found,) = {each.pool for each in row}
    return found


def test_places_are_roles_and_keys_of_one_pool() -> None:
    """Each place is bound to the role of its own name, there are as many bindings as places, and all workers idle."""
    row = KEYED.opened(1, PLACES)
    table = pool(row).table.kept
    assert {each.key: each.role for each in table} == {place: place for place in PLACES}
    assert len({each.generation for each in table}) == len(PLACES)
    assert [phase_of(each.member) for each in pool(row).cells] == ["idle"] * 3
    assert [KEYED.free(each) for each in row] == [1, 1, 1]


def test_job_is_assigned_to_the_role_of_its_place_under_its_binding() -> None:
    """A run at a place is busy at that role alone, admitted through the binding of that place."""
    row = KEYED.opened(1, PLACES)
    taken, index = KEYED.take(row[1], "A")
    row = put(row, 1, taken)
    assert (index, [phase_of(each.member) for each in pool(row).cells]) == (0, ["idle", "busy-delivered", "idle"])
    busy = pool(row).cells[1].member
    bound = next(each for each in pool(row).table.kept if each.key == PLACES[1])
    assert isinstance(busy, Busy)
    assert busy.job.obligation.admitted == Admitted(bound.generation, bound.role)
    assert [KEYED.used(each) for each in row] == [0, 1, 0]


@pytest.mark.parametrize(("limit", "places"), [(1, ()), (2, PLACES), (0, PLACES)])
def test_row_that_is_not_one_slot_at_each_place_is_refused(limit: int, places: tuple[str, ...]) -> None:
    """Roles have one worker each, and there is no role without a place."""
    with pytest.raises(ValueError, match="one slot each"):
        KEYED.opened(limit, places)


def test_place_without_a_free_slot_has_nothing_to_take() -> None:
    """A slot that is held, or whose worker is away, cannot be taken, whatever is free elsewhere; none is numbered 1."""
    row = KEYED.opened(1, PLACES)
    held, _ = KEYED.take(row[0], "A")
    for state in (held, KEYED.worker_stopped(row[0], 0)):
        with pytest.raises(ValueError, match="no slot is free"):
            KEYED.take(state, "B")
    with pytest.raises(IndexError):
        KEYED.holder(held, 1)


def test_rows_that_are_alike_are_equal() -> None:
    """Numbers that were used up on the way do not tell two rows apart; only which worker is the older does."""
    start = row = KEYED.opened(1, PLACES)
    for place in range(len(PLACES)):
        taken, _ = KEYED.take(row[place], "A")
        row = put(row, place, taken)
        row = put(row, place, KEYED.give_back(row[place], "A"))
        row = put(row, place, KEYED.worker_ready(KEYED.worker_stopped(row[place], 0), 0))
    assert row == start


def test_worker_that_is_back_waits_for_the_run_that_kept_its_slot() -> None:
    """A slot that a run holds is nobody else's, also when its worker has been away meanwhile."""
    row = KEYED.opened(1, PLACES)
    state, _ = KEYED.take(row[0], "A")
    state = KEYED.worker_ready(KEYED.worker_stopped(state, 0), 0)
    assert (KEYED.is_ready(state, 0), KEYED.holder(state, 0), KEYED.free(state)) == (True, "A", 0)
    state = KEYED.give_back(state, "A")
    assert (KEYED.holder(state, 0), KEYED.free(state)) == (None, 1)


@given(MOVES)
@settings(max_examples=80, deadline=None)
def test_keyed_slots_answer_as_a_plain_count_at_each_place(moves: list[tuple[str, int]]) -> None:
    """After any moves at any places both say the same of every place, so no place knows of another."""
    row, counts = KEYED.opened(1, PLACES), list(PLAIN.opened(1, PLACES))
    for number, (move, place) in enumerate(moves):
        changed, counts[place] = moved(row[place], counts[place], move, f"run-{number}")
        row = put(row, place, changed)
        for keyed, plain in zip(row, counts, strict=True):
            assert (KEYED.free(keyed), KEYED.used(keyed)) == (PLAIN.free(plain), PLAIN.used(plain))
            assert KEYED.holder(keyed, 0) == PLAIN.holder(plain, 0)
            assert KEYED.is_ready(keyed, 0) == PLAIN.is_ready(plain, 0)


def moved(keyed: KeyedSlotState, plain: SlotState, move: str, run: str) -> tuple[KeyedSlotState, SlotState]:
    """One move at one place on both."""
    if move == "take":
        if not PLAIN.free(plain):
            return keyed, plain
        (keyed, mine), (plain, theirs) = KEYED.take(keyed, run), PLAIN.take(plain, run)
        assert mine == theirs
        return keyed, plain
    if move == "give":
        holder = PLAIN.holder(plain, 0) or "nobody"
        return KEYED.give_back(keyed, holder), PLAIN.give_back(plain, holder)
    if move == "stop":
        return KEYED.worker_stopped(keyed, 0), PLAIN.worker_stopped(plain, 0)
    return KEYED.worker_ready(keyed, 0), PLAIN.worker_ready(plain, 0)
