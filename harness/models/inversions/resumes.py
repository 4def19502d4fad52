"""Breaches of resumes: causes that are forgotten, gates that are not asked again, and runs that were called off."""

from __future__ import annotations

from harness.models.inversions.conditions import CANCELLATION, INTERRUPTION, RELEASE, SLOTS, STARTS, TAKES_TICKS, WORK
from harness.models.inversions.registry import inversion
from harness.models.inversions.stop_conditions import (
    KEPT_CLAIM,
    OTHER_GATE_CAUSE,
    RECOVERY_FROM_WAITING,
    TWO_INTERRUPTIONS,
)
from harness.models.lifecycle import events as e
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import FAILURE_STOP, START_GATE, STOPPED, WORK_POINT, WORKING
from harness.models.lifecycle.turn import Cell

# -- causes -------------------------------------------------------------------------------------------------------


@inversion(
    step=12,
    breach="one cause that clears takes the others with it: the run resumes while they remain",
    breaks=(("resume-waits-for-every-cause", 0),),
    needs=(TWO_INTERRUPTIONS, WORK, STARTS),
)
class OneClearedCauseIsEnough(Handlers):
    """The first good news is enough."""

    def clear_cause(self, cell: Cell, cause: str) -> None:
        """Forget what else there is, without a row."""
        super().clear_cause(cell, cause)
        cell.causes = ()


@inversion(
    step=12,
    breach="an interrupted run stays stopped after its last cause has cleared",
    breaks=(("resume-waits-for-every-cause", 1),),
    needs=(INTERRUPTION, WORK, STARTS),
)
class ClearedRunStaysStopped(Handlers):
    """Nobody wakes it."""

    def resume_eligible(self, cell: Cell) -> bool:
        """Never, at a work point."""
        return cell.point != WORK_POINT and super().resume_eligible(cell)


@inversion(
    step=12,
    breach="a resume is a new request of the job",
    breaks=(("resume-waits-for-every-cause", 1),),
    needs=(INTERRUPTION, WORK, STARTS),
)
class ResumeIsARequest(Handlers):
    """It asks for its turn from the beginning."""

    def resume(self, cell: Cell) -> None:
        """Request, then resume."""
        self.begin_settle()
        self.report(cell, "job-requested", (cell.by,), None, cell.work)
        super().resume(cell)


@inversion(
    step=12,
    breach="a run resumes without taking a working slot",
    breaks=(("resume-waits-for-every-cause", 1),),
    needs=(SLOTS, INTERRUPTION, WORK, STARTS),
)
class ResumeTakesNoSlot(Handlers):
    """It was counted once."""

    def resume(self, cell: Cell) -> None:
        """Back to work, uncounted."""
        self._resuming = True
        super().resume(cell)
        self._resuming = False

    _resuming = False

    def take_working(self, cell: Cell) -> None:
        """Not for a run that resumes."""
        if not self._resuming:
            super().take_working(cell)


# -- gates and claims ---------------------------------------------------------------------------------------------


@inversion(
    step=12,
    breach="a run that resumes at its finish gate does not ask its conditions again",
    breaks=(("resume-waits-for-every-cause", 2),),
    needs=(OTHER_GATE_CAUSE, STARTS),
)
class FinishGateIsNotAskedAgain(Handlers):
    """It was open when the last cause of its own had cleared."""

    def try_resume(self, cell: Cell) -> bool:
        """Resume as soon as no cause and no missing slot is in the way."""
        taken = cell.pool is not None and cell.working_slot is None and self.free_slots(cell.where) < 1
        if taken or not self.finish_gate_ahead(cell) or not self.resume_eligible(cell):
            return super().try_resume(cell)
        self.resume(cell)
        return True

    def claim_up_to(self, cell: Cell, target: list[int]) -> None:
        """As much as there is."""
        there = [self.usable(*key) for key in self.sources(cell)]
        wanted = self.missing(cell, target)
        self.move(cell, "claim", [min(pair) for pair in zip(wanted, there, strict=True)])


@inversion(
    step=12,
    breach="a stopped run that cannot have its units back takes the working slot and waits on it",
    breaks=(("resume-waits-for-every-cause", 2), ("stopped-job-releases-and-reclaims", 3)),
    needs=(RELEASE, KEPT_CLAIM, SLOTS, INTERRUPTION, WORK, STARTS),
)
class LackingRunSitsOnTheSlot(Handlers):
    """First the place, then the rest."""

    def _give_kept_slot_up(self, cell: Cell) -> bool:
        if cell.working_slot is None and cell.pool is not None:
            self.begin_settle()
            self.take_working(cell)
        return False


# -- where it resumes ---------------------------------------------------------------------------------------------


@inversion(
    step=16,
    breach="a run that failed while it waited resumes as if it had been at work",
    breaks=(("resume-waits-for-every-cause", 3), ("failure-row-result-recoverable", 2)),
    needs=(RECOVERY_FROM_WAITING,),
)
class RecoveryLeadsStraightToWork(Handlers):
    """It has waited long enough."""

    def record_point(self, cell: Cell, change: str) -> None:
        """The work point, for every stop that a failure began."""
        if change == "recorded" and cell.stop == FAILURE_STOP and cell.point == START_GATE:
            cell.point = WORK_POINT
        super().record_point(cell, change)


# -- runs that were called off ------------------------------------------------------------------------------------


@inversion(
    step=17,
    breach="a stopped run that is canceled goes back to work, because its causes went with it",
    breaks=(("declared-cancellation-settles-one-job", 0), ("lifecycle-holds", 0)),
    needs=(CANCELLATION, INTERRUPTION, WORK, STARTS),
    faults=("F07",),
)
class CanceledPauseIsLifted(Handlers):
    """It has left the list, and it is built all the same."""

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: tuple[tuple[str, str], ...] = ()) -> None:
        """Reported as canceled, and then as good as stopped without a cause."""
        was, stop, point = cell.state, cell.stop, cell.point
        super().cancel_one(cell, row, cause, lost)
        if was == STOPPED:
            cell.state, cell.stop, cell.point = STOPPED, stop, point
            self.line.append(cell.id)


@inversion(
    step=17,
    breach="a working run that is canceled works on after its report, and finishes",
    breaks=(("declared-cancellation-settles-one-job", 0), ("lifecycle-holds", 0)),
    needs=(CANCELLATION, WORK, TAKES_TICKS, STARTS),
    faults=("F08",),
)
class CanceledWorkGoesOn(Handlers):
    """The cancellation was decided on an old picture of the run."""

    def on_cancel(self, event: e.Cancel) -> str | None:
        """All of the cancellation, and the state that it found."""
        cell = self.cells.get(event.run)
        was = cell.state if cell is not None else ""
        reason = super().on_cancel(event)
        if cell is not None and reason is None and was == WORKING:
            cell.state = WORKING
        return reason
