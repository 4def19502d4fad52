"""Breaches of recorded work: kept, reset and reversed work, and work that reaches another run."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    CANCELLATION,
    INTERRUPTION,
    KEEP_WORK,
    PROGRESS,
    RESERVE_TWO,
    RESET_WORK,
    REVERSE_WORK,
    STARTS,
    TAKES_TICKS,
    WAITING_SLOTS,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.inversions.stop_conditions import IN_A_POOL, REVERSES, ROUNDING_DECIDES
from harness.models.lifecycle.claims import share
from harness.models.lifecycle.config import Number, Reversal, exact
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import CANCELED, ORDINARY, STOPPED, WAITING, WORKING
from harness.models.lifecycle.turn import Cell

# -- kept work ----------------------------------------------------------------------------------------------------


@inversion(
    step=10,
    breach="an interrupted run loses its work, although work is kept",
    breaks=(("kept-work-stays-with-the-job", 0),),
    needs=(KEEP_WORK, INTERRUPTION, WORK, TAKES_TICKS, STARTS),
    faults=("F17",),
)
class NightfallTakesTheWork(Handlers):
    """Nine hours of crafting begin from nothing."""

    def apply_partial_work(self, cell: Cell) -> None:
        """Nothing is kept."""
        if self.config.partial_work == "keep-with-job":
            cell.work = 0
        else:
            super().apply_partial_work(cell)


@inversion(
    step=12,
    breach="a run resumes from none of its kept work",
    breaks=(("kept-work-stays-with-the-job", 0), ("resume-waits-for-every-cause", 3)),
    needs=(KEEP_WORK, INTERRUPTION, WORK, TAKES_TICKS, STARTS),
)
class ResumedWorkStartsOver(Handlers):
    """The stop was harmless, the resume is not."""

    def resume(self, cell: Cell) -> None:
        """The work of an ordinary stop is none from here on."""
        if cell.stop == ORDINARY and self.config.partial_work == "keep-with-job":
            cell.work = 0
        super().resume(cell)


@inversion(
    step=10,
    breach="the next run that starts goes on from the work of a stopped one",
    breaks=(("kept-work-stays-with-the-job", 1),),
    needs=(KEEP_WORK, INTERRUPTION, WORK, TAKES_TICKS, STARTS),
    faults=("F18",),
)
class WorkPassesToTheNextRun(Handlers):
    """The item was swapped half way, and the meter stays where it is."""

    def start(self, cell: Cell) -> None:
        """Take what a stopped or canceled run of the same place has left."""
        left = [each for each in self.cells.values() if self._has_left(each, cell)]
        if left and cell.work == 0:
            cell.work, left[-1].work = min(left[-1].work, cell.required), 0
        super().start(cell)

    def _has_left(self, other: Cell, cell: Cell) -> bool:
        gone = other.state == CANCELED or (other.state == STOPPED and other.stop == ORDINARY)
        return gone and other.where == cell.where and other.work > 0


@inversion(
    step=17,
    breach="the cancellation of a waiting run takes the work of the one that is working",
    breaks=(("declared-cancellation-settles-one-job", 0),),
    needs=(CANCELLATION, WAITING_SLOTS, IN_A_POOL, RESERVE_TWO, WORK, TAKES_TICKS, STARTS),
    faults=("F09",),
)
class CancelResetsTheOneAtWork(Handlers):
    """The last entry of the queue is taken out, and the meter of the first is empty."""

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: tuple[tuple[str, str], ...] = ()) -> None:
        """Every working run of the same pool and place is at none again."""
        waited = cell.state == WAITING
        super().cancel_one(cell, row, cause, lost)
        for other in self.cells.values():
            if waited and other.state == WORKING and other.where == cell.where:
                other.work = 0


# -- reset work ---------------------------------------------------------------------------------------------------


@inversion(
    step=10,
    breach="an ordinary stop keeps the work, although work is reset",
    breaks=(("reset-work-clears-on-ordinary-stop", 0),),
    needs=(RESET_WORK, INTERRUPTION, WORK, TAKES_TICKS, STARTS),
)
class ResetWorkIsKept(Handlers):
    """It is a pity about it."""

    def apply_partial_work(self, cell: Cell) -> None:
        """Leave it."""


@inversion(
    step=17,
    breach="a canceled run keeps its work, although work is reset",
    breaks=(("reset-work-clears-on-ordinary-stop", 1),),
    needs=(RESET_WORK, CANCELLATION, WORK, TAKES_TICKS, STARTS),
)
class CanceledWorkRemains(Handlers):
    """It ended as it was."""

    def record_work(self, cell: Cell, before: object, why: str) -> None:
        """A row that says so."""
        if why == "cancel" and isinstance(before, Number):
            cell.work = before
        super().record_work(cell, before, why)


@inversion(
    step=17,
    breach="the work of a canceled run is reset before the snapshot is taken",
    breaks=(("reset-work-clears-on-ordinary-stop", 1), ("declared-cancellation-settles-one-job", 0)),
    needs=(RESET_WORK, CANCELLATION, WORK, TAKES_TICKS, STARTS),
)
class SnapshotComesAfterTheReset(Handlers):
    """The picture shows an empty bench."""

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: tuple[tuple[str, str], ...] = ()) -> None:
        """None already."""
        if self.config.partial_work == "reset-at-stop":
            cell.work = 0
        super().cancel_one(cell, row, cause, lost)


# -- reversing work -----------------------------------------------------------------------------------------------


@inversion(
    step=10,
    breach="the work of a stopped run stands still, although work reverses",
    breaks=(
        ("reversal-rule-pairs-with-reversing-work", 0),
        ("reversal-rule-pairs-with-reversing-work", 1),
        ("reversal-rule-pairs-with-reversing-work", 2),
    ),
    needs=(REVERSE_WORK, REVERSES, STARTS),
)
class StoppedWorkStandsStill(Handlers):
    """Nothing decays."""

    def reverse(self, cell: Cell) -> None:
        """Not at all."""


@inversion(
    step=10,
    breach="stopped work falls by twice what its rule says",
    breaks=(("reversal-rule-pairs-with-reversing-work", 1),),
    needs=(REVERSE_WORK, REVERSES, STARTS),
)
class WorkFallsTwiceAsFast(Handlers):
    """Down is easier than up."""

    def reversal(self, cell: Cell) -> Reversal | None:
        """Another step than the rule's."""
        rule = super().reversal(cell)
        return rule._replace(per_tick=2 * rule.per_tick) if rule is not None else None


@inversion(
    step=10,
    breach="stopped work begins to fall one tick before its rule says",
    breaks=(("reversal-rule-pairs-with-reversing-work", 1),),
    needs=(REVERSE_WORK, REVERSES, STARTS),
)
class WorkFallsTooSoon(Handlers):
    """The tick of the stop counts, too."""

    def ordinary_stop(self, cell: Cell, cause: str) -> None:
        """One tick has passed already."""
        super().ordinary_stop(cell, cause)
        cell.stopped_for = 1


@inversion(
    step=10,
    breach="stopped work goes on falling below none",
    breaks=(("reversal-rule-pairs-with-reversing-work", 2),),
    needs=(REVERSE_WORK, REVERSES, STARTS),
)
class WorkFallsBelowNone(Handlers):
    """A debt of work."""

    def is_reversing(self, cell: Cell) -> bool:
        """Also where nothing is left."""
        return cell.stop == ORDINARY and self.reversal(cell) is not None

    def record_work(self, cell: Cell, before: object, why: str) -> None:
        """What the rule says, without its floor."""
        rule = self.reversal(cell)
        if why == "reversal" and rule is not None and isinstance(before, Number):
            cell.work = exact(before - rule.per_tick)
        super().record_work(cell, before, why)


# -- shares of work -----------------------------------------------------------------------------------------------


@inversion(
    step=9,
    breach="shares are rounded the other way than the rounding rule says",
    breaks=(("progress-rounding-rule-pairs-with-progress", 1),),
    needs=(PROGRESS, WORK, ROUNDING_DECIDES, STARTS),
)
class SharesAreRoundedTheOtherWay(Handlers):
    """Up for down, and down for up."""

    def share_at(self, cell: Cell, work: Number) -> list[int]:
        """The other mode."""
        rule = self.rounding(cell)
        if cell.phase is None or rule is None:
            return super().share_at(cell, work)
        mode = "up" if rule.mode == "down" else "down"
        return [share(need.amount, work, cell.required, mode) for need in self.rule(cell).needs]
