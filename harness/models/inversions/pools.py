"""Breaches of pools: slots that leak or come back twice, offers that are missing, too early or in the wrong order."""

from __future__ import annotations

from harness.models.inversions.conditions import SLOTS, STARTS, TWO_COMPETE
from harness.models.inversions.pool_conditions import (
    ADMISSION_WAITS,
    CANCELS_ON_A_SLOT,
    DISPLACES,
    ENDS_WITHOUT_A_SLOT,
    FILLER_WAITS,
    NO_POOL,
    RELEASES_AT_DELIVERED,
    RELEASES_AT_FINISHED,
    STANDS_BEFORE,
    STOPPED_AND_WAITING,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.scans import Eligible
from harness.models.lifecycle.state import DELIVERED, FINISHED, NO_FREE_SLOT, OFFERABLE_REASONS, ORDINARY, STOPPED
from harness.models.lifecycle.turn import Cell, Place

# -- slots that come free ------------------------------------------------------------------------------------------


@inversion(
    step=18,
    breach="a canceled run keeps its working slot for ever",
    breaks=(("work-limit-offers-room-and-releases-counts", 2), ("declared-cancellation-settles-one-job", 0)),
    needs=(CANCELS_ON_A_SLOT,),
)
class SlotLeaksOnCancel(Handlers):
    """The marker of a canceled run is never removed."""

    _canceling = False

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: tuple[tuple[str, str], ...] = ()) -> None:
        """Cancel, and hold on to the slot."""
        self._canceling = True
        super().cancel_one(cell, row, cause, lost)
        self._canceling = False

    def free_working(self, cell: Cell) -> None:
        """Not in a cancellation."""
        if not self._canceling:
            super().free_working(cell)


@inversion(
    step=18,
    breach="a run that has given its working slot back, or has none, releases one all the same: another run's is free",
    breaks=(("work-limit-offers-room-and-releases-counts", 2),),
    needs=(ENDS_WITHOUT_A_SLOT,),
    faults=("F21",),
)
class SlotIsReleasedTwice(Handlers):
    """The slot was released when its worker was taken for dead, and is released again when the run really ends."""

    def free_working(self, cell: Cell) -> None:
        """Where the run has no slot, one of the pool's comes free all the same."""
        holders = (each for each in self.cells.values() if each.where == cell.where and each.working_slot is not None)
        other = next(holders, None)
        if cell.working_slot is not None or other is None:
            super().free_working(cell)
            return
        self.put_slots(cell.where, self.slots.give_back(self.pools[cell.where], other.id))
        other.working_slot = None
        self.slot_freed(cell.where)
        self._count(cell, "working", "free")


class _Late(Handlers):
    """Where something happened in the batch, nobody is offered anything before the next event."""

    def settle_offers(self) -> None:
        """Nothing, where it happened."""
        if self.forgets_offers():
            self.restless = self.stirred = False
            self.freed.clear()
            return
        super().settle_offers()

    def forgets_offers(self) -> bool:
        """Whether it happened."""
        return False


@inversion(
    step=18,
    breach="a freed slot is offered to nobody before the next event",
    breaks=(("work-limit-offers-room-and-releases-counts", 0),),
    needs=(SLOTS, STARTS),
)
class FreedSlotWaitsForTheNextEvent(_Late):
    """The slot is free, and those who wait are not told."""

    def forgets_offers(self) -> bool:
        """Where a slot came free."""
        return bool(self.freed)


@inversion(
    step=18,
    breach="after a success nobody is offered the slot that it freed, and no standing order is scanned",
    breaks=(
        ("work-limit-offers-room-and-releases-counts", 3),
        ("pool-releases-at-finished", 1),
        ("pool-releases-at-delivered", 1),
    ),
    needs=(SLOTS, STARTS),
)
class SuccessWakesNobody(_Late):
    """A finished run is put away, and its pool sleeps on."""

    def forgets_offers(self) -> bool:
        """Where a run finished or was delivered."""
        before = {run.id: run.state for run in self.before.runs}
        return any(
            cell.state in (FINISHED, DELIVERED) and before.get(cell.id) != cell.state for cell in self.cells.values()
        )

    def scan_where_due(self, eligible_before: Eligible) -> None:
        """Not after a success."""
        if not self.forgets_offers():
            super().scan_where_due(eligible_before)


@inversion(
    step=18,
    breach="a reason that a run waited for is never looked at again: the run waits on",
    breaks=(("work-limit-offers-room-and-releases-counts", 0),),
    needs=(ADMISSION_WAITS,),
)
class WaitingReasonNeverClears(Handlers):
    """What was written down at the admission stands for ever."""

    def refresh_reasons(self, cell: Cell) -> None:
        """Reasons that no slot can answer stay."""
        if OFFERABLE_REASONS.issuperset(cell.reasons):
            super().refresh_reasons(cell)


# -- when a success frees the slot ---------------------------------------------------------------------------------


@inversion(
    step=18,
    breach="the slot of a run that is about to finish is free, and offered, before its finish is reported",
    breaks=(
        ("pool-releases-at-finished", 0),
        ("pool-releases-at-finished", 1),
        ("work-limit-offers-room-and-releases-counts", 3),
    ),
    needs=(RELEASES_AT_FINISHED,),
)
class SlotIsFreeBeforeTheFinish(Handlers):
    """The work is done, so the slot goes; the report follows."""

    def reach_finish_gate(self, cell: Cell) -> None:
        """Free and offer first, where the gate will pass."""
        pool = self.tables.pools.get(cell.pool or "")
        if pool is not None and pool.releases_at == "finished" and not self.failing_gate_causes(cell):
            self.begin_settle()
            self.free_working(cell)
            self.settle_offers()
        super().reach_finish_gate(cell)


@inversion(
    step=18,
    breach="a slot that should be free at the finish is kept until the delivery",
    breaks=(("pool-releases-at-finished", 0), ("work-limit-offers-room-and-releases-counts", 3)),
    needs=(RELEASES_AT_FINISHED,),
)
class SlotIsKeptUntilDelivery(Handlers):
    """Every pool is read as one that frees at the delivery."""

    _finishing = ""

    def finish(self, cell: Cell) -> None:
        """The finish frees nothing."""
        self._finishing = cell.id
        super().finish(cell)
        self._finishing = ""

    def deliver(self, cell: Cell) -> None:
        """Here the finish is over."""
        self._finishing = ""
        super().deliver(cell)

    def free_working(self, cell: Cell) -> None:
        """Not in the finish."""
        if cell.id != self._finishing:
            super().free_working(cell)


@inversion(
    step=18,
    breach="a slot that should be kept until the delivery is free at the finish",
    breaks=(("pool-releases-at-delivered", 0), ("work-limit-offers-room-and-releases-counts", 3)),
    needs=(RELEASES_AT_DELIVERED,),
)
class SlotIsFreeAtTheFinish(Handlers):
    """Every pool is read as one that frees at the finish."""

    def meet_needs(self, finished: Cell) -> None:
        """Directly after the finish was reported."""
        self.free_working(finished)
        super().meet_needs(finished)


@inversion(
    step=18,
    breach="the slot of a run that will be delivered is free, and offered, before its delivery is reported",
    breaks=(("pool-releases-at-delivered", 0), ("pool-releases-at-delivered", 1)),
    needs=(RELEASES_AT_DELIVERED,),
)
class SlotIsOfferedBeforeTheDelivery(Handlers):
    """The output is on its way, so the slot goes."""

    def _delivered(self, cell: Cell, cause: str) -> None:
        """Free and offer in settles of their own, then report."""
        if cell.working_slot is not None:
            self.free_working(cell)
            self.settle_offers()
            self.begin_settle()
        super()._delivered(cell, cause)


# -- the order of offers -------------------------------------------------------------------------------------------


@inversion(
    step=18,
    breach="a run that an instruction stopped stands before all others, not where its stop puts it",
    breaks=(("work-limit-offers-room-and-releases-counts", 1),),
    needs=(STOPPED_AND_WAITING,),
)
class StoppedRunGoesToTheHead(Handlers):
    """It was here first."""

    def join_line(self, cell: Cell) -> None:
        """To the head of the line, where the stop is an ordinary one."""
        super().join_line(cell)
        if cell.state == STOPPED and cell.stop == ORDINARY:
            self.line.remove(cell.id)
            self.line.insert(0, cell.id)


@inversion(
    step=18,
    breach="nobody remembers who displaced whom: a displaced run may stand before its displacer",
    breaks=(("work-limit-offers-room-and-releases-counts", 1), ("game-rule-pool-offers-in-cited-order", 0)),
    needs=(DISPLACES,),
)
class DisplacementIsForgotten(Handlers):
    """The stop is recorded, its author is not."""

    def displace(self, run: str, displacer: str) -> None:
        """Nothing is written down."""


@inversion(
    step=18,
    breach="free slots go to waiting runs first, whatever stands stopped before them in the order",
    breaks=(("work-limit-offers-room-and-releases-counts", 0), ("game-rule-pool-offers-in-cited-order", 0)),
    needs=(FILLER_WAITS,),
    faults=("F24",),
)
class FillerPassesTheStoppedRun(Handlers):
    """Somebody else fills what a stopped run needs to go on."""

    def _walk_line(self, where: Place) -> bool:
        """The waiting runs of the order, then the stopped ones."""
        changed = False
        for run in sorted(self.order(where), key=lambda each: self.cells[each].state == STOPPED):
            changed |= self._look_at(self.cells[run])
        return changed


@inversion(
    step=18,
    breach="of those who wait in request order the newest is offered a slot first",
    breaks=(("request-order-pool-offers-in-admission-order", 0),),
    needs=(TWO_COMPETE,),
    faults=("F25",),
)
class NewestIsOfferedFirst(Handlers):
    """The queue is a stack."""

    def _walk_line(self, where: Place) -> bool:
        """From the tail."""
        changed = False
        for run in reversed(self.order(where)):
            changed |= self._look_at(self.cells[run])
        return changed


@inversion(
    step=4,
    breach="a request takes a free slot although the pool's order places an admitted run before it",
    breaks=(
        ("request-order-pool-offers-in-admission-order", 1),
        ("game-rule-pool-offers-in-cited-order", 1),
    ),
    needs=(STANDS_BEFORE,),
)
class FreeSlotMakesThePool(Handlers):
    """Only the slot is asked for, not who stands before it."""

    def _is_behind(self, cell: Cell) -> bool:
        """Nobody is ever behind."""
        return False


# -- places, and no pool at all ------------------------------------------------------------------------------------


@inversion(
    step=4,
    breach="a system without pools admits runs one by one through a queue of its own",
    breaks=(("no-pool-means-every-ready-job-starts", 1),),
    needs=(NO_POOL,),
)
class PoollessRunsQueue(Handlers):
    """Everybody waits for a slot first, though there is none."""

    def current_reasons(self, cell: Cell) -> tuple[str, ...]:
        """No slot is free where no slot is."""
        reasons = super().current_reasons(cell)
        return reasons if self.config.pools else (NO_FREE_SLOT, *reasons)


@inversion(
    step=18,
    breach="a ready run without a pool is never started: it waits for an offer that no pool makes",
    breaks=(("no-pool-means-every-ready-job-starts", 0),),
    needs=(NO_POOL,),
)
class PoollessRunsNeverStart(PoollessRunsQueue):
    """A start is an offer, and an offer is a pool's."""

    def _offer(self, cell: Cell) -> bool:
        """Only where there is a pool."""
        return cell.pool is not None and super()._offer(cell)
