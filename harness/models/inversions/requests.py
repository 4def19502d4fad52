"""Breaches of how a request is checked, given room, admitted, refused or left waiting (steps 1 to 6)."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    AT_START,
    BLOCKED_REQUESTS,
    CAN_WAIT,
    FULL_QUEUE_REACHED,
    HOLDS_CLAIMS,
    LINES_UP,
    NO_INPUTS,
    NO_WAITING_LIMIT,
    NOT_AT_REQUEST,
    RESERVE,
    RESERVE_TWO,
    SHORT_LEAVES_SOME,
    SLOTS,
    START_CLAIMS,
    STARTS,
    TESTS_UNITS,
    TWO_COMPETE,
    TWO_REASONS,
    WAITING_LIMIT,
    WAITING_SLOTS,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import NamedEvent, Number
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.requests import BLOCKED, PAUSED
from harness.models.lifecycle.state import OFFERABLE_REASONS, REQUESTED
from harness.models.lifecycle.turn import Cell, Place

# -- the availability check ---------------------------------------------------------------------------------------


@inversion(
    step=2,
    breach="a request that is short of its inputs passes the availability check",
    breaks=(("exact-inputs-required", 0),),
    needs=(TESTS_UNITS, NOT_AT_REQUEST),
)
class ShortRequestPasses(Handlers):
    """The inputs will surely come."""

    def _check_inputs(self, cell: Cell, pause: bool) -> None:
        """Every request goes on as one without inputs does."""
        if pause or self.available(cell, self.tested_share(cell)):
            super()._check_inputs(cell, pause)
        else:
            self._trace(cell, "input-check", "passed", tested=self.tested_share(cell))
            self.go_on_from_reservation(cell)


@inversion(
    step=2,
    breach="a refused request keeps the inputs that were there",
    breaks=(("exact-inputs-required", 1),),
    needs=(TESTS_UNITS, SHORT_LEAVES_SOME),
)
class RefusedRequestKeepsUnits(Handlers):
    """Two of three are better than none."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Claim in the settle of the refusal what is usable of the full requirement."""
        if name == "job-rejected" and "missing-inputs" in causes:
            there = [self.usable(*key) for key in self.sources(cell)]
            self.move(cell, "claim", [min(pair) for pair in zip(self.whole_requirement(cell), there, strict=True)])
        super().report(cell, name, causes, old, before)


@inversion(
    step=2,
    breach="the refusal of one request gives another run's claim back, and that run goes on",
    breaks=(("exact-inputs-required", 1),),
    needs=(TESTS_UNITS, HOLDS_CLAIMS, STARTS),
    faults=("F03",),
)
class RefusalRefundsAnother(Handlers):
    """The parts of the first come back when the second cannot be afforded."""

    def reject(self, cell: Cell, cause: str) -> None:
        """Release, in the settle of the refusal, what the first run with a claim holds."""
        super().reject(cell, cause)
        other = next((each for each in self.cells.values() if each.is_open and any(each.held)), None)
        if cause == "missing-inputs" and other is not None:
            self.move(other, "release", list(other.held))


@inversion(
    step=2,
    breach="a request that is short of its inputs is told that the queue is full",
    breaks=(("exact-inputs-required", 0),),
    needs=(TESTS_UNITS,),
)
class ShortRequestBlamesTheQueue(Handlers):
    """One word for every refusal."""

    def reject(self, cell: Cell, cause: str) -> None:
        """Always the same cause."""
        super().reject(cell, "job-limit-full")


@inversion(
    step=2,
    breach="the input check is made for a job that needs no input",
    breaks=(("no-input-check-is-empty", 0),),
    needs=(NO_INPUTS,),
)
class EmptyCheckIsMade(Handlers):
    """It passes, of course."""

    def _trace(
        self, cell: Cell, step: str, outcome: str, reasons: tuple[str, ...] = (), tested: list[int] | None = None
    ) -> None:
        super()._trace(cell, step, "passed" if outcome == "skipped" else outcome, reasons, tested)


# -- reservation and readmission ----------------------------------------------------------------------------------


@inversion(
    step=3,
    breach="a readmission event is heard and no blocked request is tried again",
    breaks=(("readmission-event-pairs-with-reservation", 1),),
    needs=(BLOCKED_REQUESTS,),
)
class ReadmissionIsLost(Handlers):
    """They stay blocked."""

    def _readmit_all(self, row: NamedEvent) -> str | None:
        return None


@inversion(
    step=3,
    breach="a blocked request tries its reservation again whenever room changes, not at the declared event",
    breaks=(("readmission-event-pairs-with-reservation", 1),),
    needs=(BLOCKED_REQUESTS,),
)
class RoomReadmitsByItself(Handlers):
    """Nobody has to ask."""

    def on_room(self, event: e.Room) -> str | None:
        """Set the room, then readmit."""
        refused = super().on_room(event)
        if refused is None:
            for cell in list(self.cells.values()):
                if cell.pending == BLOCKED:
                    self.go_on_from_reservation(cell)
        return refused


@inversion(
    step=4,
    breach="a request that a full queue refuses keeps the room that it reserved",
    breaks=(("start-time-claim-is-atomic", 1),),
    needs=(AT_START, START_CLAIMS, RESERVE, FULL_QUEUE_REACHED),
)
class RefusedRequestKeepsItsRoom(Handlers):
    """The place stays laid for a guest who was sent away."""

    def reject(self, cell: Cell, cause: str) -> None:
        """Refuse, and forget the reservation."""
        self._refusing = True
        super().reject(cell, cause)
        self._refusing = False

    _refusing = False

    def release_reservation(self, cell: Cell) -> None:
        """Not at a refusal."""
        if not self._refusing:
            super().release_reservation(cell)


# -- admission ----------------------------------------------------------------------------------------------------


@inversion(
    step=4,
    breach="the waiting limit lets one run more into the queue than it declares",
    breaks=(("waiting-admission-uses-pool-capacity", 1),),
    needs=(WAITING_LIMIT,),
    faults=("F27",),
)
class QueueHoldsOneMore(Handlers):
    """Full is one more than the limit."""

    def _waiting_is_full(self, cell: Cell) -> bool:
        pool = self.tables.pools.get(cell.pool or "")
        return pool is not None and pool.waiting is not None and self.waiting_in(cell.where) > pool.waiting


@inversion(
    step=4,
    breach="a queue without a limit is full as soon as as many wait as can work",
    breaks=(("waiting-admission-uses-pool-capacity", 2),),
    needs=(NO_WAITING_LIMIT,),
)
class OpenQueueIsLimited(Handlers):
    """No number is taken for a small number."""

    def _waiting_is_full(self, cell: Cell) -> bool:
        pool = self.tables.pools.get(cell.pool or "")
        if pool is not None and pool.waiting is None:
            return self.waiting_in(cell.where) >= pool.working - 1
        return super()._waiting_is_full(cell)


@inversion(
    step=4,
    breach="a job without inputs never waits: where it cannot start at once it is refused",
    breaks=(("no-input-check-is-empty", 1),),
    needs=(NO_INPUTS, CAN_WAIT),
)
class FreeJobsNeverWait(Handlers):
    """What costs nothing can be asked for again."""

    def _waiting_is_full(self, cell: Cell) -> bool:
        return self.config.timing is None or super()._waiting_is_full(cell)


class _Overrun(Handlers):
    """Runs may start where no working slot is free: then the count alone goes up."""

    def take_working(self, cell: Cell) -> None:
        """A slot, or none."""
        if self.slots.free(self.pools[cell.where]) > 0:
            super().take_working(cell)
            return
        pool = self.tables.pools[cell.pool or ""]
        used = self.slots.used(self.pools[cell.where]) + 1
        data = {"pool": cell.pool, "place": cell.place, "slot": "working", "change": "take"}
        self.note("count-trace", cell.id, **data, used=used, limit=pool.working)


@inversion(
    step=4,
    breach="the limit is checked at the request and no more at the admission, which may come later",
    breaks=(("waiting-admission-uses-pool-capacity", 0), ("waiting-admission-uses-pool-capacity", 1)),
    needs=(SLOTS, RESERVE_TWO),
    faults=("F28",),
)
class LimitIsCheckedAtTheRequest(_Overrun):
    """All of them pass the test while none has started, and then all of them start."""

    def _check_inputs(self, cell: Cell, pause: bool) -> None:
        """A paused request keeps the reasons that it had."""
        super()._check_inputs(cell, pause)
        if cell.pending == PAUSED:
            cell.reasons = self.current_reasons(cell)

    def on_admit(self, event: e.Admit) -> str | None:
        """Go on with the reasons of the request."""
        self._checked = event.run
        return super().on_admit(event)

    _checked = ""

    def current_reasons(self, cell: Cell) -> tuple[str, ...]:
        """In the admission itself the pool's are those of the request."""
        reasons = super().current_reasons(cell)
        if cell.id != self._checked:
            return reasons
        self._checked = ""
        return tuple(each for each in reasons if each not in OFFERABLE_REASONS or each in cell.reasons)


@inversion(
    step=18,
    breach="free working slots are counted once, and then offered to everybody who waits",
    breaks=(
        ("request-order-pool-offers-in-admission-order", 0),
        ("game-rule-pool-offers-in-cited-order", 0),
    ),
    needs=(SLOTS, TWO_COMPETE, WORK),
)
class FreeSlotIsOfferedTwice(_Overrun):
    """Each of them passes the test, for none has started yet."""

    def _walk(self) -> bool:
        """Count, then offer."""
        self._counted = {where: self.slots.free(value) for where, value in self.pools.items()}
        changed = super()._walk()
        self._counted = {}
        return changed

    _counted: dict[Place, int] = {}  # noqa: RUF012  # replaced, never changed

    def free_slots(self, where: Place) -> int:
        """What was free when the walk began."""
        return self._counted.get(where, super().free_slots(where))


# -- waiting ------------------------------------------------------------------------------------------------------


@inversion(
    step=6,
    breach="a run that is left waiting takes no waiting slot",
    breaks=(("waiting-admission-uses-pool-capacity", 0),),
    needs=(WAITING_SLOTS,),
)
class WaitingTakesNoSlot(Handlers):
    """It stands beside the queue."""

    def take_waiting(self, cell: Cell) -> None:
        """Nothing."""


@inversion(
    step=6,
    breach="a run that starts at once goes through a waiting slot",
    breaks=(("waiting-admission-uses-pool-capacity", 0),),
    needs=(SLOTS,),
)
class ImmediateStartQueuesFirst(Handlers):
    """Everybody takes a number."""

    def start(self, cell: Cell) -> None:
        """Take a waiting slot in the settle that frees it."""
        self._fresh = cell.state == REQUESTED
        super().start(cell)

    _fresh = False

    def free_waiting(self, cell: Cell) -> None:
        """Take it first, where none is held yet."""
        if self._fresh:
            self._fresh = False
            self.take_waiting(cell)
        super().free_waiting(cell)


@inversion(
    step=6,
    breach="job-waiting reports the first reason only",
    breaks=(("waiting-records-every-current-reason", 0),),
    needs=(TWO_REASONS,),
)
class FirstReasonHidesTheOthers(Handlers):
    """One reason is enough to wait."""

    def current_reasons(self, cell: Cell) -> tuple[str, ...]:
        """The first."""
        return super().current_reasons(cell)[:1]


@inversion(
    step=4,
    breach="a run overtakes those that wait before it as soon as a slot is free",
    breaks=(("waiting-records-every-current-reason", 0),),
    needs=(LINES_UP,),
)
class NewcomersPassTheQueue(Handlers):
    """First come, first served from the counter."""

    def _is_behind(self, cell: Cell) -> bool:
        return False


@inversion(
    step=6,
    breach="time that a run waits is counted as work",
    breaks=(("waiting-records-every-current-reason", 1),),
    needs=(CAN_WAIT, WORK),
)
class WaitingCountsAsWork(Handlers):
    """It was there all the time."""

    def take_waiting(self, cell: Cell) -> None:
        """A tick's work at the entry."""
        super().take_waiting(cell)
        cell.work = min(cell.work + cell.per_tick, cell.required)
