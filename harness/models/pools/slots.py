"""Working slots as a plain count: which run holds which slot, which workers are gone, and a circular cursor."""

from __future__ import annotations

from typing import NamedTuple


class SlotState(NamedTuple):
    """`held` are (slot, run) pairs by slot, `gone` the slots without a worker, `cursor` where to look next.

    Only what differs from an idle slot is stored, so that a pool of ten thousand costs what its few busy slots cost.
    """

    limit: int
    held: tuple[tuple[int, str], ...]
    gone: tuple[int, ...]
    cursor: int


class PlainSlots:
    """The plain count behind the port (pools: `--model slots`)."""

    def initial(self, limit: int) -> SlotState:
        """`limit` idle slots, every worker there."""
        return SlotState(limit, (), (), 0)

    def opened(self, limit: int, places: tuple[str, ...]) -> tuple[SlotState, ...]:
        """A count for each place, one for a row without places."""
        return (self.initial(limit),) * max(1, len(places))

    def beside(self, slots: SlotState, changed: SlotState) -> SlotState:
        """The same: every place counts for itself."""
        return slots

    def free(self, slots: SlotState) -> int:
        """How many slots are idle with their worker there."""
        limit, held, gone, _ = slots
        if not gone:
            return limit - len(held)
        return limit - len({index for index, _ in held} | set(gone))

    def used(self, slots: SlotState) -> int:
        """How many slots a run holds."""
        return len(slots.held)

    def take(self, slots: SlotState, run: str) -> tuple[SlotState, int]:
        """The first free slot at or after the cursor; the cursor moves past it."""
        limit, held, gone, cursor = slots
        blocked = {index for index, _ in held} | set(gone)
        for step in range(limit):
            index = (cursor + step) % limit
            if index not in blocked:
                return SlotState(limit, tuple(sorted((*held, (index, run)))), gone, (index + 1) % limit), index
        raise ValueError("no slot is free")

    def give_back(self, slots: SlotState, run: str) -> SlotState:
        """Every slot of the run becomes idle."""
        limit, held, gone, cursor = slots
        return SlotState(limit, tuple(each for each in held if each[1] != run), gone, cursor)

    def holder(self, slots: SlotState, index: int) -> str | None:
        """The run on the slot, None where it is idle; IndexError where there is no such slot."""
        if not 0 <= index < slots.limit:
            raise IndexError(index)
        return next((run for held, run in slots.held if held == index), None)

    def worker_stopped(self, slots: SlotState, index: int) -> SlotState:
        """Mark the slot's worker as gone."""
        limit, held, gone, cursor = slots
        return SlotState(limit, held, tuple(sorted({*gone, index})), cursor)

    def worker_ready(self, slots: SlotState, index: int) -> SlotState:
        """Mark the slot's worker as there."""
        limit, held, gone, cursor = slots
        return SlotState(limit, held, tuple(each for each in gone if each != index), cursor)

    def is_ready(self, slots: SlotState, index: int) -> bool:
        """Whether the slot's worker is there."""
        return index not in slots.gone

    def shown(self, slots: SlotState) -> None:
        """A count has no workers to look at."""
