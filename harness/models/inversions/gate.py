"""Breaches of the finish gate: the stop at it, the slot it keeps, and the way back to it."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    AT_FINISH,
    AUTOMATIC,
    DESTINATION,
    HOLD,
    RESET_WORK,
    STARTS,
    TAKES_UNITS,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.inversions.stop_conditions import (
    CLAIM_AT_THE_GATE,
    FULL_STOPS,
    GATE_STOPS,
    GATE_STOPS_IN_POOLS,
    OTHER_GATE_CAUSE_IN_POOLS,
)
from harness.models.lifecycle.config import exact
from harness.models.lifecycle.deliveries import ACCEPTED
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import FINISH_GATE, OUTPUT_FULL, STOPPED
from harness.models.lifecycle.turn import Cell

# -- the stop at the gate -----------------------------------------------------------------------------------------


@inversion(
    step=13,
    breach="a full destination does not stop a run at its finish gate: it makes its output, which has no place",
    breaks=(("finish-gate-wait-retains-completed-work", 0), ("finish-gate-wait-retains-completed-work", 1)),
    needs=(FULL_STOPS, STARTS),
    faults=("F13",),
)
class FullDestinationStopsNobody(Handlers):
    """What does not fit is gone, and so are its inputs."""

    def failing_gate_causes(self, cell: Cell) -> tuple[str, ...]:
        """Room is no condition."""
        return tuple(cause for cause in super().failing_gate_causes(cell) if cause != OUTPUT_FULL)


@inversion(
    step=13,
    breach="a run that stops at its finish gate frees its working slot",
    breaks=(("finish-gate-wait-retains-completed-work", 0), ("finish-claim-wait-is-slot-retaining", 0)),
    needs=(GATE_STOPS_IN_POOLS, STARTS),
)
class GateStopFreesTheSlot(Handlers):
    """It is done, so somebody else may begin."""

    def finish_gate_stop(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """The slot goes first."""
        self.free_working(cell)
        super().finish_gate_stop(cell, causes)


@inversion(
    step=13,
    breach="a stop at the finish gate resets the completed work",
    breaks=(("finish-gate-wait-retains-completed-work", 0), ("finish-claim-wait-is-slot-retaining", 0)),
    needs=(RESET_WORK, GATE_STOPS, WORK, STARTS),
)
class GateStopResetsTheWork(Handlers):
    """A stop is a stop."""

    def finish_gate_stop(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """The answer for ordinary stops comes first."""
        self.apply_partial_work(cell)
        super().finish_gate_stop(cell, causes)


@inversion(
    step=13,
    breach="a run that waits at its finish gate works on with every tick, beyond the required work",
    breaks=(("finish-gate-wait-retains-completed-work", 0), ("finish-claim-wait-is-slot-retaining", 0)),
    needs=(GATE_STOPS, WORK, STARTS),
    faults=("F15",),
)
class BlockedGateCountsOn(Handlers):
    """The fuel burns, and the meter climbs above a hundred."""

    def tick(self) -> None:
        """One more unit of work for each that waited at its gate before."""
        blocked = [each for each in self.cells.values() if each.state == STOPPED and each.stop == FINISH_GATE]
        super().tick()
        for cell in blocked:
            self.begin_settle()
            before, cell.work = cell.work, exact(cell.work + cell.per_tick)
            self.record_work(cell, before, "advance")


@inversion(
    step=10,
    breach="a cause that joins a stop at the finish gate leaves it its working slot",
    breaks=(("finish-gate-wait-retains-completed-work", 1), ("finish-claim-wait-is-slot-retaining", 1)),
    needs=(OTHER_GATE_CAUSE_IN_POOLS, STARTS),
)
class OtherCauseLeavesTheSlot(Handlers):
    """It had a slot, and nobody takes it away."""

    def add_causes(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Join, and free nothing."""
        self._joining = True
        super().add_causes(cell, causes)
        self._joining = False

    _joining = False

    def free_working(self, cell: Cell) -> None:
        """Not while a cause joins."""
        if not self._joining:
            super().free_working(cell)


# -- the claim ----------------------------------------------------------------------------------------------------


@inversion(
    step=13,
    breach="a stop at the finish gate gives the claim back, although it is held",
    breaks=(("finish-gate-wait-retains-completed-work", 2), ("unasked-stopped-claim-answer-holds", 0)),
    needs=(HOLD, FULL_STOPS, CLAIM_AT_THE_GATE, STARTS),
)
class GateStopGivesTheClaimBack(Handlers):
    """As long as there is no room nothing is needed."""

    def finish_gate_stop(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Release all of it."""
        self.release_down_to(cell, [0] * len(cell.held))
        super().finish_gate_stop(cell, causes)


@inversion(
    step=13,
    breach="units are marked for a run at its start, which binds nobody, and a stop at its finish gate drops the marks",
    breaks=(("finish-claim-wait-is-slot-retaining", 2),),
    needs=(HOLD, AT_FINISH, TAKES_UNITS, STARTS),
)
class MarkedUnitsAreDroppedAtTheGate(Handlers):
    """The bench was laid too soon; whoever came by took from it."""

    def start_share(self, cell: Cell) -> list[int]:
        """The whole, where it is there."""
        whole = self.whole_requirement(cell)
        early = self.tables.at_finish and self.available(cell, whole)
        return whole if early else super().start_share(cell)

    def start(self, cell: Cell) -> None:
        """The claim of the start leaves the units usable."""
        stock = list(self.stock)
        super().start(cell)
        if self.tables.at_finish and cell.phase is not None:
            self.stock = stock

    def failing_gate_causes(self, cell: Cell) -> tuple[str, ...]:
        """Marks count for nothing."""
        held, cell.held = cell.held, (0,) * len(cell.held)
        failing = super().failing_gate_causes(cell)
        cell.held = held
        return failing

    def finish_gate_stop(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Drop them."""
        stock = list(self.stock)
        self.release_down_to(cell, [0] * len(cell.held))
        self.stock = stock
        super().finish_gate_stop(cell, causes)


# -- back to the gate ---------------------------------------------------------------------------------------------


@inversion(
    step=12,
    breach="a run that resumes at its finish gate has its last tick of work to do again",
    breaks=(("finish-gate-wait-retains-completed-work", 3), ("finish-claim-wait-is-slot-retaining", 3)),
    needs=(GATE_STOPS, WORK, STARTS),
)
class GateResumeRepeatsWork(Handlers):
    """A last look at it."""

    def resume(self, cell: Cell) -> None:
        """One tick's work is taken off first."""
        if cell.stop == FINISH_GATE and cell.phase is not None and self.finish_gate_ahead(cell):
            cell.work = exact(max(0, cell.work - cell.per_tick))
        super().resume(cell)


@inversion(
    step=12,
    breach="a run that resumes at its finish gate claims its inputs only after the report",
    breaks=(("finish-claim-wait-is-slot-retaining", 3),),
    needs=(AT_FINISH, TAKES_UNITS, STARTS),
)
class FinishClaimFollowsTheResume(Handlers):
    """The units are taken when they are spent."""

    def resume_claim(self, cell: Cell) -> list[int]:
        """Tested as it should be; taken by nobody yet."""
        return [0] * len(cell.held) if self.tables.at_finish else super().resume_claim(cell)


# -- the output ---------------------------------------------------------------------------------------------------


@inversion(
    step=14,
    breach="a finished output takes the place of the one that lies at its destination, which is no more",
    breaks=(("finish-spends-and-establishes-one-output", 0),),
    needs=(AUTOMATIC, DESTINATION, STARTS),
    faults=("F14",),
)
class NewOutputReplacesTheOld(Handlers):
    """All that lies there has become the new kind."""

    def record_output(self, cell: Cell, change: str) -> None:
        """Before the new one is established, the older ones of the destination are destroyed."""
        if change == "established":
            for other in list(self.cells.values()):
                if other.id != cell.id and other.output == ACCEPTED and other.job == cell.job:
                    super().record_output(other, "destroyed")
        super().record_output(cell, change)
