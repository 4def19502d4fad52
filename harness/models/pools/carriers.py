"""What carries the working slots of a whole system, by the word of `--model`, and which rows can't be carried so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from harness.models.pools.fifo_slots import FifoSlots
from harness.models.pools.keyed_slots import PER_PLACE, KeyedSlots
from harness.models.pools.port import Slots
from harness.models.pools.slots import PlainSlots
from harness.models.pools.supervised_slots import SupervisedSlots


class Carried(NamedTuple):
    """The state of one place: the number of its carrier among those of `RowSlots`, and the carrier's own state."""

    carrier: int
    slots: Any


class RowSlots:
    """Carriers that are chosen row by row, from the limit and the places of each."""

    def __init__(self, *carriers: Slots[Any], choose: Callable[[int, tuple[str, ...]], int]) -> None:
        """`choose` gives the number of a row's carrier."""
        self._carriers = carriers
        self._choose = choose

    def opened(self, limit: int, places: tuple[str, ...]) -> tuple[Carried, ...]:
        """Each place with the row's carrier."""
        number = self._choose(limit, places)
        return tuple(Carried(number, each) for each in self._carriers[number].opened(limit, places))

    def beside(self, slots: Carried, changed: Carried) -> Carried:
        """Places of one row have one carrier."""
        return slots._replace(slots=self._of(slots).beside(slots.slots, changed.slots))

    def free(self, slots: Carried) -> int:
        """How many slots could be taken now."""
        return self._of(slots).free(slots.slots)

    def used(self, slots: Carried) -> int:
        """How many slots a run holds."""
        return self._of(slots).used(slots.slots)

    def take(self, slots: Carried, run: str) -> tuple[Carried, int]:
        """The carrier finds the slot."""
        after, index = self._of(slots).take(slots.slots, run)
        return slots._replace(slots=after), index

    def give_back(self, slots: Carried, run: str) -> Carried:
        """The slot that `run` holds becomes idle."""
        return slots._replace(slots=self._of(slots).give_back(slots.slots, run))

    def holder(self, slots: Carried, index: int) -> str | None:
        """The run on a slot, None where it is idle. IndexError where there is no such slot."""
        return self._of(slots).holder(slots.slots, index)

    def worker_stopped(self, slots: Carried, index: int) -> Carried:
        """The slot's worker is gone."""
        return slots._replace(slots=self._of(slots).worker_stopped(slots.slots, index))

    def worker_ready(self, slots: Carried, index: int) -> Carried:
        """The slot's worker is back."""
        return slots._replace(slots=self._of(slots).worker_ready(slots.slots, index))

    def is_ready(self, slots: Carried, index: int) -> bool:
        """Whether the slot's worker is there."""
        return self._of(slots).is_ready(slots.slots, index)

    def shown(self, slots: Carried) -> dict[str, Any] | None:
        """The carrier's view."""
        return self._of(slots).shown(slots.slots)

    def _of(self, slots: Carried) -> Slots[Any]:
        return self._carriers[slots.carrier]


def _keyed() -> Slots[Any]:
    return RowSlots(PlainSlots(), KeyedSlots(shows=True), choose=lambda limit, _: int(limit > 0))


def _auto() -> Slots[Any]:
    def choose(limit: int, places: tuple[str, ...]) -> int:
        return 0 if limit == 0 else 1 if places and limit == PER_PLACE else 2

    return RowSlots(PlainSlots(), KeyedSlots(), FifoSlots(), choose=choose)


def _fifo() -> Slots[Any]:
    return FifoSlots(shows=True)


CARRIERS: Mapping[str, Callable[[], Slots[Any]]] = {
    "slots": PlainSlots,
    "fifo": _fifo,
    "keyed": _keyed,
    "supervised-fifo": lambda: SupervisedSlots(_fifo()),
    "supervised-keyed": lambda: SupervisedSlots(_keyed()),
    "auto": _auto,
}
"""What carries working slots, by the word of `--model`; a row with a limit of 0 has no worker and is a plain count.

Who names a pool's law wants to see it: its rows have the column `internal`, rows of `auto` are those of `slots`. The
supervised ones have a fixed supervisor that brings workers back, and show its roles as well.
"""
KEYED = frozenset({"keyed", "supervised-keyed"})
"""The words that not every adoption can be run on (`unfit`)."""


def unfit(rows: Iterable[tuple[str, int, tuple[str, ...]]]) -> str | None:
    """Why keyed pools can't carry these rows (id, limit, places), about the first that they can't; None for all."""
    for row, limit, places in rows:
        if limit and not places:
            return f"the work-limits row {row} is shared, and a keyed pool needs places"
        if limit > PER_PLACE:
            return f"the work-limits row {row} has {limit} working slots at each place, and a keyed pool has one"
    return None
