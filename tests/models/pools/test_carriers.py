"""Which pool carries which row of limits, by the word of `--model`."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Covers
from harness.models.lifecycle.model import Lifecycle, World
from harness.models.pools.carriers import CARRIERS, Carried, unfit
from harness.models.pools.fifo_slots import FifoSlotState
from harness.models.pools.keyed_slots import KeyedSlotState
from harness.models.pools.slots import SlotState
from tests.models.lifecycle._configs import config, pool

PLACES = ("left", "right")


@pytest.mark.parametrize(
    ("word", "limit", "places", "carried"),
    [
        ("auto", 2, (), FifoSlotState),
        ("auto", 1, (), FifoSlotState),
        ("auto", 2, PLACES, FifoSlotState),
        ("auto", 1, PLACES, KeyedSlotState),
        ("auto", 0, PLACES, SlotState),
        ("auto", 0, (), SlotState),
        ("keyed", 1, PLACES, KeyedSlotState),
        ("keyed", 0, PLACES, SlotState),
        ("keyed", 0, (), SlotState),
    ],
)
def test_row_is_carried_by_what_fits_it(word: str, limit: int, places: tuple[str, ...], carried: type) -> None:
    """Shared rows are FIFO pools, places with one slot one keyed pool, and where nobody works slots are counted."""
    opened = CARRIERS[word]().opened(limit, places)
    assert len(opened) == max(1, len(places))
    assert all(isinstance(each, Carried) and isinstance(each.slots, carried) for each in opened)


def test_rows_of_one_system_have_carriers_of_their_own() -> None:
    """A lifecycle with a shared row and a row with places runs each on its own pool, and takes a slot of each."""
    rules = config(
        pools=(pool("one", covers=Covers(jobs=("mix",))), pool("two", working=1, places=PLACES, assignment="requested"))
    )
    model = Lifecycle(rules, CARRIERS["auto"]())
    state = model.initial(World())
    for row in ("one", "two"):
        state = model.step(state, e.OpenPool(row)).state
    kinds = {(row, place): type(getattr(slots, "slots", None)) for row, place, slots in state.pools}
    assert kinds == {
        ("one", None): FifoSlotState,
        ("two", "left"): KeyedSlotState,
        ("two", "right"): KeyedSlotState,
    }


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("slip", 1, PLACES), ("oven", 1, ())], "row oven is shared"),
        ([("slip", 2, PLACES)], "row slip has 2 working slots at each place"),
        ([("oven", 0, ()), ("slip", 1, PLACES), ("pier", 0, PLACES)], None),
        ([], None),
    ],
)
def test_row_that_keyed_pools_cannot_carry_is_named(rows: list[tuple[str, int, tuple[str, ...]]], told: str) -> None:
    """The first of them, with the reason; rows where nobody works need no pool."""
    found = unfit(rows)
    assert found is None if told is None else found is not None and told in found
