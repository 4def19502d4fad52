"""Breaches of the start boundary, of the entry into work and its points, and of jobs without a work phase."""

from __future__ import annotations

from fractions import Fraction

from harness.models.inversions.conditions import (
    AUTOMATIC,
    CLAIMS_BEFORE_FINISH,
    INSTANT,
    NO_ROOM_TEST,
    RESERVE,
    SLOTS,
    STARTS,
    TAKES_TICKS,
    TAKES_UNITS,
    TENTHS_DIFFER,
    WAITING_SLOTS,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.config import Number, exact
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import OUTPUT_FULL, STARTED
from harness.models.lifecycle.turn import Cell

# -- the boundary -------------------------------------------------------------------------------------------------


@inversion(
    step=8,
    breach="the working slot is taken after job-started",
    breaks=(("start-counts-settle-before-report", 0),),
    needs=(SLOTS,),
)
class SlotIsTakenAfterTheReport(Handlers):
    """First the news, then the count."""

    _late: str | None = None

    def start(self, cell: Cell) -> None:
        """Remember who starts."""
        self._late = cell.id if cell.working_slot is None else None
        super().start(cell)

    def take_working(self, cell: Cell) -> None:
        """Not yet, for a run that starts."""
        if self._late != cell.id:
            super().take_working(cell)

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Now."""
        super().report(cell, name, causes, old, before)
        if self._late == cell.id:
            self._late = None
            if cell.pool is not None:
                self.take_working(cell)


@inversion(
    step=8,
    breach="a run that starts out of the queue keeps its waiting slot until it works",
    breaks=(("start-counts-settle-before-report", 0),),
    needs=(SLOTS, WAITING_SLOTS),
)
class WaitingSlotOutlivesTheStart(Handlers):
    """The queue is swept later."""

    _starting = False

    def start(self, cell: Cell) -> None:
        """Hold on to the waiting slot."""
        self._starting = True
        super().start(cell)

    def free_waiting(self, cell: Cell) -> None:
        """Not while a run starts."""
        if not self._starting:
            super().free_waiting(cell)

    def go_on(self, cell: Cell) -> None:
        """Give it back in the last settle of what follows."""
        self._starting = False
        super().go_on(cell)
        self.free_waiting(cell)


@inversion(
    step=8,
    breach="the reservation of the output ends when the run starts",
    breaks=(("start-counts-settle-before-report", 1),),
    needs=(RESERVE, STARTS),
)
class ReservationEndsAtTheStart(Handlers):
    """The place was kept for the start."""

    def enter(self, cell: Cell, state: str) -> None:
        """Give the room back in the settle of the start."""
        super().enter(cell, state)
        if state == STARTED:
            self.release_reservation(cell)


@inversion(
    step=9,
    breach="a started run stays in started until time passes",
    breaks=(
        ("start-counts-settle-before-report", 2),
        ("work-phase-enters-working", 0),
        ("instant-start-settles-finish-in-one-batch", 0),
    ),
    needs=(STARTS,),
)
class StartedRunsWaitForTheTick(Handlers):
    """The work begins with the next round."""

    def go_on(self, cell: Cell) -> None:
        """Not yet."""

    def tick(self) -> None:
        """Now."""
        super().tick()
        for cell in list(self.cells.values()):
            if cell.state == STARTED:
                super().go_on(cell)


# -- work ---------------------------------------------------------------------------------------------------------


@inversion(
    step=9,
    breach="a run enters working without a report",
    breaks=(("work-phase-enters-working", 0),),
    needs=(WORK, STARTS),
)
class EntryIntoWorkIsSilent(Handlers):
    """Anyone can see that it works."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Everything else."""
        if name != "job-working":
            super().report(cell, name, causes, old, before)


@inversion(
    step=9,
    breach="work is kept as the display shows it, in whole tenths",
    breaks=(("work-phase-enters-working", 1),),
    needs=(WORK, TENTHS_DIFFER, STARTS),
)
class WorkIsKeptInTenths(Handlers):
    """What the meter does not show is not there."""

    def record_work(self, cell: Cell, before: object, why: str) -> None:
        """Round down what a tick reached, short of the end."""
        if why == "advance" and cell.work < cell.required:
            tenths = Fraction(cell.work) * 10 / Fraction(cell.required)
            cell.work = exact(Fraction(tenths.numerator // tenths.denominator) * Fraction(cell.required) / 10)
        super().record_work(cell, before, why)


@inversion(
    step=9,
    breach="the tick that completes the work spends the inputs, before the finish gate",
    breaks=(("work-phase-enters-working", 2), ("finish-spends-and-establishes-one-output", 0)),
    needs=(WORK, TAKES_UNITS, CLAIMS_BEFORE_FINISH, STARTS),
)
class LastTickSpendsTheInputs(Handlers):
    """Worked up is used up."""

    def record_work(self, cell: Cell, before: object, why: str) -> None:
        """Spend beside the last work point."""
        super().record_work(cell, before, why)
        if why == "advance" and cell.work >= cell.required:
            self.move(cell, "spend", list(cell.held))


@inversion(
    step=9,
    breach="a part of the output is there with the first tick of work, and stays when the run is canceled",
    breaks=(
        ("work-phase-enters-working", 2),
        ("finish-spends-and-establishes-one-output", 0),
        ("declared-cancellation-settles-one-job", 2),
    ),
    needs=(WORK, TAKES_TICKS, STARTS),
    faults=("F05",),
)
class OutputAppearsInParts(Handlers):
    """The first of the batch is out while the others are made."""

    def record_work(self, cell: Cell, before: object, why: str) -> None:
        """An output beside the first work point."""
        super().record_work(cell, before, why)
        if why == "advance" and before == 0 and cell.work < cell.required:
            self.record_output(cell, "established")


# -- jobs without work --------------------------------------------------------------------------------------------


@inversion(
    step=13,
    breach="a job without work finishes in a batch of its own after its start",
    breaks=(("instant-start-settles-finish-in-one-batch", 0),),
    needs=(INSTANT, STARTS),
)
class InstantFinishIsABatchOfItsOwn(Handlers):
    """Started now, finished in a moment."""

    def go_on(self, cell: Cell) -> None:
        """Another batch for the finish gate."""
        if cell.phase is None:
            self.begin_batch()
        super().go_on(cell)


@inversion(
    step=15,
    breach="a job without work stays finished although nothing holds its output back",
    breaks=(("instant-start-settles-finish-in-one-batch", 1),),
    needs=(INSTANT, AUTOMATIC, STARTS),
)
class InstantOutputIsLeftLying(Handlers):
    """Someone will take it."""

    def deliver(self, cell: Cell) -> None:
        """Not for these."""
        if cell.phase is not None:
            super().deliver(cell)


@inversion(
    step=9,
    breach="a job without work records some work when it starts",
    breaks=(("no-stop-before-the-finish-gate", 0),),
    needs=(INSTANT, STARTS),
)
class InstantStartRecordsWork(Handlers):
    """Half done is well begun."""

    def enter(self, cell: Cell, state: str) -> None:
        """A row of work in the settle of the start."""
        super().enter(cell, state)
        if state == STARTED and cell.phase is None:
            before, cell.work = cell.work, Fraction(1, 2)
            self.record_work(cell, before, "enter")


@inversion(
    step=13,
    breach="a job without work stops for room that its answer does not ask for",
    breaks=(("no-stop-before-the-finish-gate", 1), ("instant-start-settles-finish-in-one-batch", 1)),
    needs=(INSTANT, NO_ROOM_TEST, STARTS),
)
class InstantJobStopsForRoom(Handlers):
    """It waits for a place that it never needs."""

    def go_on(self, cell: Cell) -> None:
        """Stop where it should finish."""
        if cell.phase is not None:
            super().go_on(cell)
            return
        self.begin_settle()
        self.finish_gate_stop(cell, (OUTPUT_FULL,))
