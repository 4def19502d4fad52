"""Breaches of where a pool counts: places that share, runs that wander, orders that each slot reads apart."""

from __future__ import annotations

from harness.models.inversions.pool_conditions import (
    CITED_ORDER,
    ORDER_WITH_SLOTS,
    SEVERAL_PLACES,
    SHARED_POOL_LINE,
    WANDERS,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import WAITING
from harness.models.lifecycle.turn import Cell, Place


@inversion(
    step=18,
    breach="a run that waits at one place is started on the slot of another",
    breaks=(("each-place-pool-assigns-one-place", 0),),
    needs=(WANDERS,),
)
class IdlePlaceTakesTheRun(Handlers):
    """A free slot is a free slot."""

    def _look_at(self, cell: Cell) -> bool:
        """Where the own place is full, the first other place with a free slot takes the run."""
        if cell.state == WAITING and cell.place is not None and not any(cell.held) and self.free_slots(cell.where) < 1:
            places = self.tables.pools[cell.pool or ""].places
            cell.place = next((each for each in places if self.free_slots((cell.pool, each)) > 0), cell.place)
        return super()._look_at(cell)


@inversion(
    step=8,
    breach="a slot that is taken at one place is taken at every place of the pool",
    breaks=(("each-place-pool-assigns-one-place", 1),),
    needs=(SEVERAL_PLACES,),
)
class PlacesShareOneLimit(Handlers):
    """One count stands for all places."""

    def free_slots(self, where: Place) -> int:
        """What is free of one limit over all places."""
        free, pool = super().free_slots(where), self.tables.pools[where[0] or ""]
        used = sum(self.slots.used(self.pools[pool.id, place]) for place in pool.places)
        return max(0, min(free, pool.working - used)) if pool.places else free


@inversion(
    step=18,
    breach="a worker fetches the next run ahead, past the shared limit, while the one before it is at work",
    breaks=(("shared-pool-uses-one-count", 0),),
    needs=(SHARED_POOL_LINE,),
    faults=("F31",),
)
class PrefetchPassesTheLimit(Handlers):
    """A pool whose slots are full has one more for whoever waits first."""

    def free_slots(self, where: Place) -> int:
        """One more than the limit, while somebody works."""
        free, shared = super().free_slots(where), not self.tables.pools[where[0] or ""].places
        return free + self._spare(where) if shared and free == 0 else free

    def _spare(self, where: Place) -> int:
        over = sum(1 for cell in self.cells.values() if cell.where == where and cell.working_slot == -1)
        return 0 if over or not any(self.cells[run].state == WAITING for run in self.order(where)) else 1

    def take_working(self, cell: Cell) -> None:
        """The slot that is none has the number -1."""
        if self.slots.free(self.pools[cell.where]) > 0:
            super().take_working(cell)
            return
        cell.working_slot = -1
        self._count(cell, "working", "take")

    def free_working(self, cell: Cell) -> None:
        """It is no slot of the pool's."""
        if cell.working_slot != -1:
            super().free_working(cell)
            return
        cell.working_slot = None
        self.slot_freed(cell.where)
        self._count(cell, "working", "free")

    def _count(self, cell: Cell, slot: str, change: str) -> None:
        super()._count(cell, slot, change)
        over = sum(1 for each in self.cells.values() if each.where == cell.where and each.working_slot == -1)
        if self.full and slot == "working" and over:
            self.rows[-1].data["used"] += over


@inversion(
    step=18,
    breach="a cited order is read from its other end",
    breaks=(("game-rule-pool-offers-in-cited-order", 0),),
    needs=(CITED_ORDER,),
)
class CitedOrderIsReadBackwards(Handlers):
    """Ascending is descending."""

    def _walk_line(self, where: Place) -> bool:
        """The cited order from its tail; an order by admission as it is."""
        pool = self.tables.pools.get(where[0] or "")
        if pool is None or not pool.order:
            return super()._walk_line(where)
        changed = False
        for run in reversed(self.order(where)):
            changed |= self._look_at(self.cells[run])
        return changed


@inversion(
    step=18,
    breach="the slots of a pool read different orders: only the last of them follows the cited one",
    breaks=(("game-rule-pool-offers-in-cited-order", 0),),
    needs=(ORDER_WITH_SLOTS,),
    faults=("F32",),
)
class EachSlotReadsItsOwnOrder(Handlers):
    """The others are offered in the order of admission."""

    def _walk_line(self, where: Place) -> bool:
        """By admission, where the slot that would be taken next is not the last."""
        pool = self.tables.pools.get(where[0] or "")
        if pool is None or not pool.order or not self.slots.free(self.pools[where]):
            return super()._walk_line(where)
        _, slot = self.slots.take(self.pools[where], "")
        if slot == pool.working - 1:
            return super()._walk_line(where)
        changed = False
        for run in [each for each in self.line if self.cells[each].where == where]:
            changed |= self._look_at(self.cells[run])
        return changed
