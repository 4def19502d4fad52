"""Breaches of recoverable failures: what they take, the cause and the place they leave, and progress claims."""

from __future__ import annotations

from fractions import Fraction

from harness.models.inversions.conditions import HOLD, LINES_UP, PROGRESS, RELEASE, RESET_WORK, STARTS, WAITING_SLOTS
from harness.models.inversions.registry import inversion
from harness.models.inversions.stop_conditions import (
    BREAKS_SUPPORT,
    IN_A_POOL,
    LOSS_LEAVES_WORK,
    RECOVERABLE,
    RECOVERY_FROM_WAITING,
    RECOVERY_FROM_WORKING,
    RECOVERY_LOSES,
)
from harness.models.lifecycle.config import Failure, Number, exact
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import (
    FAILURE_STOP,
    RECOVERY,
    START_GATE,
    WORK_POINT,
)
from harness.models.lifecycle.turn import Cell, Place

# -- what it takes -------------------------------------------------------------------------------------------------


@inversion(
    step=16,
    breach="a recoverable failure takes the whole claim, not the units that its rule names",
    breaks=(("failure-row-result-recoverable", 0), ("failure-row-fires-from-its-state", 2)),
    needs=(RECOVERY_LOSES, STARTS),
)
class RecoveryLosesTheWholeClaim(Handlers):
    """All or nothing."""

    def _recover(self, cell: Cell, row: Failure) -> None:
        super()._recover(cell, row._replace(loses_all=True))


@inversion(
    step=16,
    breach="a recoverable failure makes an output of what there is",
    breaks=(("failure-row-result-recoverable", 0), ("failure-row-fires-from-its-state", 2)),
    needs=(RECOVERABLE, STARTS),
)
class BotchedWorkIsAnOutput(Handlers):
    """A poor one is better than none."""

    def _recover(self, cell: Cell, row: Failure) -> None:
        self.record_output(cell, "established")
        super()._recover(cell, row)


@inversion(
    step=16,
    breach="a recoverable failure resets the work, as an ordinary stop does",
    breaks=(("failure-row-result-recoverable", 0),),
    needs=(RESET_WORK, LOSS_LEAVES_WORK, STARTS),
)
class RecoveryResetsTheWork(Handlers):
    """Stopped is stopped."""

    def _lost_work(self, cell: Cell, row: Failure) -> Number:
        return 0 if self.config.partial_work == "reset-at-stop" else super()._lost_work(cell, row)


@inversion(
    step=16,
    breach="a recoverable failure stops the run without a cause of its own",
    breaks=(("failure-row-result-recoverable", 1), ("failure-row-fires-from-its-state", 2)),
    needs=(RECOVERABLE, STARTS),
)
class RecoveryHasNoCause(Handlers):
    """There is nothing to clear."""

    def record_causes(self, cell: Cell, change: str, causes: tuple[str, ...]) -> None:
        """Not this one."""
        if causes == (RECOVERY,) and change != "clear":
            cell.causes = tuple(cause for cause in cell.causes if cause != RECOVERY)
        else:
            super().record_causes(cell, change, causes)


@inversion(
    step=16,
    breach="a run that fails while it waits keeps its waiting slot while it recovers",
    breaks=(("failure-row-result-recoverable", 1),),
    needs=(RECOVERY_FROM_WAITING, WAITING_SLOTS),
)
class RecoveryKeepsItsPlaceInTheQueue(Handlers):
    """It will be back in a moment."""

    def _recover(self, cell: Cell, row: Failure) -> None:
        self._recovering = True
        super()._recover(cell, row)
        self._recovering = False

    _recovering = False

    def free_waiting(self, cell: Cell) -> None:
        """Not in a recovery."""
        if not self._recovering:
            super().free_waiting(cell)


@inversion(
    step=16,
    breach="a recoverable failure from work records the start gate as the resume point",
    breaks=(("failure-row-result-recoverable", 2), ("failure-row-fires-from-its-state", 2)),
    needs=(RECOVERY_FROM_WORKING, STARTS),
)
class RecoveryGoesBackToTheStart(Handlers):
    """Once more from the beginning."""

    def record_point(self, cell: Cell, change: str) -> None:
        """Another point for stops that a failure began."""
        if change == "recorded" and cell.stop == FAILURE_STOP and cell.point == WORK_POINT:
            cell.point = START_GATE
        super().record_point(cell, change)


@inversion(
    step=18,
    breach="a run that failed and recovers stands behind everybody who waits, whatever the pool's order says",
    breaks=(
        ("game-rule-pool-offers-in-cited-order", 0),
        ("request-order-pool-offers-in-admission-order", 0),
    ),
    needs=(RECOVERY_FROM_WORKING, LINES_UP, IN_A_POOL, STARTS),
    faults=("F26",),
)
class RetryStandsBehindTheQueue(Handlers):
    """It is put back into the queue without its priority."""

    def order(self, where: Place) -> list[str]:
        """The order, with those that a failure stopped at its end."""
        return sorted(super().order(where), key=lambda run: self.cells[run].stop == FAILURE_STOP)


# -- progress claims ----------------------------------------------------------------------------------------------


@inversion(
    step=16,
    breach="the excess of a progress claim is released first, and the loss is taken out of the rest",
    breaks=(("progress-failure-adjusts-claim-after-loss", 0),),
    needs=(PROGRESS, RECOVERY_LOSES, STARTS),
)
class LossesSettleLast(Handlers):
    """What can be saved is saved first."""

    def _recover(self, cell: Cell, row: Failure) -> None:
        start = len(self.rows)
        super()._recover(cell, row)
        mine = [at for at in range(start, len(self.rows)) if self.rows[at].log == "claim-ledger"]
        moved = [self.rows[at] for at in mine]
        moved.sort(key=lambda each: each.data["change"] == "lose")
        held = {(each.data["item"], each.data["source"]): 0 for each in moved}
        for key, amount in zip(self.sources(cell), cell.held, strict=True):
            held[key] = amount
        for each in reversed(moved):
            key = (each.data["item"], each.data["source"])
            each.data["held-after"] = held[key]
            held[key] += each.data["amount"]
        for at, each in zip(mine, moved, strict=True):
            self.rows[at] = each


@inversion(
    step=16,
    breach="after a loss the work stays above what the remaining claim supports",
    breaks=(("progress-failure-adjusts-claim-after-loss", 1),),
    needs=(HOLD, PROGRESS, BREAKS_SUPPORT, STARTS),
)
class WorkOutrunsItsClaim(Handlers):
    """The work is there, whatever it was made of."""

    def supported_work(self, cell: Cell) -> Number:
        """What is recorded."""
        return cell.work


@inversion(
    step=16,
    breach="after a loss the work falls to what the lost units leave, although the claim is released",
    breaks=(("progress-failure-adjusts-claim-after-loss", 2),),
    needs=(RELEASE, PROGRESS, BREAKS_SUPPORT, STARTS),
)
class ReleasedWorkFallsWithItsClaim(Handlers):
    """What was lost was worked in."""

    def _lost_work(self, cell: Cell, row: Failure) -> Number:
        left = super()._lost_work(cell, row)
        if not (self.tables.progress and self.config.release_stopped_claims):
            return left
        recorded, cell.work = cell.work, left
        supported = self.supported_work(cell)
        cell.work = recorded
        return exact(Fraction(supported))
