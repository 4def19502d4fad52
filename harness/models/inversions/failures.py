"""Breaches of declared failures: when one fires, and what a ruinous one does."""

from __future__ import annotations

from harness.models.inversions.conditions import STARTS
from harness.models.inversions.registry import inversion
from harness.models.inversions.stop_conditions import (
    FAILURE,
    FIRES_ELSEWHERE,
    RUIN,
    RUIN_FROM_FINISHED,
    RUIN_FROM_SLOT,
    RUIN_KEEPS_CLAIM,
    RUIN_LOSES,
)
from harness.models.lifecycle.config import Failure, Number
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import (
    FAILURE_STOP,
    FINISHED,
    START_GATE,
    STOPPED,
)
from harness.models.lifecycle.turn import Cell

# -- when it fires ------------------------------------------------------------------------------------------------


@inversion(
    step=16,
    breach="a failure fires from any state, not from its own alone",
    breaks=(("failure-row-fires-from-its-state", 0),),
    needs=(FIRES_ELSEWHERE, STARTS),
)
class FailureFiresAnywhere(Handlers):
    """Trouble does not ask."""

    def refuse_failure(self, cell: Cell, row: Failure) -> str | None:
        """Only what no failure fires from."""
        return super().refuse_failure(cell, row._replace(from_state=cell.state))


@inversion(
    step=16,
    breach="a failure settles and is reported twice",
    breaks=(("failure-row-fires-from-its-state", 0),),
    needs=(FAILURE, STARTS),
)
class FailureIsReportedTwice(Handlers):
    """Once by the run, once by its watcher."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Again."""
        super().report(cell, name, causes, old, before)
        if name == "job-failed":
            super().report(cell, name, causes, old, before)


@inversion(
    step=16,
    breach="a declared failure is taken note of and nothing follows: no state, no report, nobody answers for the run",
    breaks=(("failure-row-fires-from-its-state", 0),),
    needs=(FAILURE, STARTS),
    faults=("F22",),
)
class FailureGoesUnanswered(Handlers):
    """The child is replaced, its task is not."""

    def fail(self, cell: Cell, row: Failure) -> None:
        """Nothing at all."""


@inversion(
    step=16,
    breach="a run that fails is gone: its slots are free, and no state or report tells what became of it",
    breaks=(("failure-row-fires-from-its-state", 0), ("lifecycle-holds", 0)),
    needs=(FAILURE, STARTS),
    faults=("F30",),
)
class FailedRunDisappears(Handlers):
    """It was in progress when the power went, and nobody pushed it back."""

    def fail(self, cell: Cell, row: Failure) -> None:
        """Free what it had, and forget it."""
        self.begin_settle()
        self.free_working(cell)
        self.free_waiting(cell)
        self.release_reservation(cell)
        self.leave_line(cell)
        cell.ended = True


@inversion(
    step=16,
    breach="a ruined run is put back to the start and tried again, without end",
    breaks=(("failure-row-fires-from-its-state", 0), ("failure-row-result-ruined", 3)),
    needs=(RUIN, STARTS),
    faults=("F34",),
)
class RuinedRunIsTriedAgain(Handlers):
    """Attempts are counted for errors that are handled; this one was not."""

    def fail(self, cell: Cell, row: Failure) -> None:
        """Reported as ruined, and then as good as stopped at the start gate."""
        super().fail(cell, row)
        if row.ruined and row.from_state != FINISHED:
            cell.state, cell.stop, cell.point, cell.work = STOPPED, FAILURE_STOP, START_GATE, 0
            self.line.append(cell.id)


# -- ruined -------------------------------------------------------------------------------------------------------


@inversion(
    step=16,
    breach="a ruined run keeps its slots",
    breaks=(("failure-row-result-ruined", 0), ("work-limit-offers-room-and-releases-counts", 2)),
    needs=(RUIN_FROM_SLOT, STARTS),
    faults=("F20",),
)
class SlotLeaksOnRuin(Handlers):
    """The marker is taken away on success only."""

    def _ruin(self, cell: Cell, row: Failure) -> None:
        self._ruining = True
        super()._ruin(cell, row)
        self._ruining = False

    _ruining = False

    def free_working(self, cell: Cell) -> None:
        """Not in a ruin."""
        if not self._ruining:
            super().free_working(cell)


@inversion(
    step=16,
    breach="a ruin is reported before its slots are free",
    breaks=(("failure-row-result-ruined", 0),),
    needs=(RUIN_FROM_SLOT, STARTS),
)
class RuinIsReportedFirst(Handlers):
    """Bad news travels fast."""

    def _ruin(self, cell: Cell, row: Failure) -> None:
        self._ruining = True
        super()._ruin(cell, row)
        self._ruining = False
        self.free_working(cell)

    _ruining = False

    def free_working(self, cell: Cell) -> None:
        """After the report."""
        if not self._ruining:
            super().free_working(cell)


@inversion(
    step=16,
    breach="a ruin gives back what is left of the claim, although its rule names no such return",
    breaks=(("failure-row-result-ruined", 1), ("failure-row-fires-from-its-state", 2)),
    needs=(RUIN_KEEPS_CLAIM, STARTS),
)
class RuinReturnsTheClaim(Handlers):
    """Who fails is paid back."""

    def enter(self, cell: Cell, state: str) -> None:
        """With the entry into failed, release the rest."""
        if state == "failed":
            self.move(cell, "release", list(cell.held))
        super().enter(cell, state)


@inversion(
    step=16,
    breach="a ruin takes one unit less of the claim than its rule names",
    breaks=(("failure-row-result-ruined", 1), ("failure-row-fires-from-its-state", 2)),
    needs=(RUIN_LOSES, STARTS),
)
class LossesAreOneShort(Handlers):
    """Something is always left."""

    def _lose(self, cell: Cell, row: Failure) -> None:
        held = list(cell.held)
        super()._lose(cell, row)
        at = next((at for at, now in enumerate(cell.held) if now < held[at]), None)
        if at is not None:
            self._put_back(cell, at)

    def _put_back(self, cell: Cell, at: int) -> None:
        """The last row of the ledger for that input is one unit smaller."""
        item, source = self.sources(cell)[at]
        cell.held = tuple(amount + (each == at) for each, amount in enumerate(cell.held))
        unit = next(each for each in self._moved["lose"] if (each["item"], each["source"]) == (item, source))
        unit["amount"] -= 1
        for row in reversed(self.rows):
            if row.log == "claim-ledger" and (row.data["item"], row.data["source"]) == (item, source):
                row.data["amount"] -= 1
                row.data["held-after"] += 1
                return


@inversion(
    step=16,
    breach="a ruin from finished leaves the undelivered output where it is",
    breaks=(("failure-row-result-ruined", 2),),
    needs=(RUIN_FROM_FINISHED, STARTS),
)
class RuinedOutputSurvives(Handlers):
    """The carrier is gone, its freight is not."""

    def destroy_output(self, cell: Cell) -> None:
        """Forget it without a row."""
        self.finished.remove(cell.id)
        if cell.id in self.accepted:
            self.accepted.remove(cell.id)


@inversion(
    step=16,
    breach="an output that is lost with its carrier is not answered for: it is destroyed, and its run stays finished",
    breaks=(("failure-row-result-ruined", 2), ("failure-row-fires-from-its-state", 0)),
    needs=(RUIN_FROM_FINISHED, STARTS),
    faults=("F16",),
)
class LostFreightIsNobodysLoss(Handlers):
    """Paid, on its way, and lost without a word."""

    def _ruin(self, cell: Cell, row: Failure) -> None:
        if cell.state == FINISHED:
            self.record_output(cell, "destroyed")
        else:
            super()._ruin(cell, row)


@inversion(
    step=16,
    breach="a failure from finished is recoverable: the run stops, and could go on",
    breaks=(("failure-row-fires-from-its-state", 3),),
    needs=(RUIN_FROM_FINISHED, STARTS),
)
class FinishedRunRecovers(Handlers):
    """It is sent back for repair."""

    def fail(self, cell: Cell, row: Failure) -> None:
        """Every failure from finished stops the run."""
        if cell.state == FINISHED:
            self.finished.remove(cell.id)
            row = row._replace(ruined=False, loses_all=False, loses=())
        super().fail(cell, row)
