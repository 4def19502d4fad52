"""Breaches of how units are held: claims that are too early, too late, too small, and units that come back wrongly."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    AT_FINISH,
    AT_REQUEST,
    AT_START,
    CAN_WAIT,
    CANCELLATION,
    CLAIMS_BEFORE_FINISH,
    HELD_WITHOUT_A_SLOT,
    HOLDS_CLAIMS,
    PROGRESS,
    RELEASES_UNITS,
    RETURNS_UNITS,
    SEVERAL_INPUTS,
    SHARE_GROWS,
    START_CLAIMS,
    START_GATE_CLAIMS,
    STARTS,
    TAKES_UNITS,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.config import Number
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import INPUTS_AT_FINISH, INPUTS_UNAVAILABLE
from harness.models.lifecycle.turn import Cell

# -- claimed units, and what becomes of them ----------------------------------------------------------------------


@inversion(
    step=5,
    breach="a claim does not take the units away from their source: others can use them, and claim them again",
    breaks=(("claims-keep-their-source", 0),),
    needs=(HOLDS_CLAIMS, STARTS),
)
class ClaimedUnitsStayUsable(Handlers):
    """Held and usable at once."""

    def _move_one(self, cell: Cell, change: str, held: list[int], at: int, amount: int) -> None:
        super()._move_one(cell, change, held, at, amount)
        if change == "claim":
            self.stock[self.index[self.sources(cell)[at]]] += amount


@inversion(
    step=17,
    breach="released units arrive at a place they did not come from",
    breaks=(("claims-keep-their-source", 1),),
    needs=(HOLDS_CLAIMS, RELEASES_UNITS, STARTS),
)
class ReleaseForgetsTheSource(Handlers):
    """The claim remembers the item, not where it was."""

    def _move_one(self, cell: Cell, change: str, held: list[int], at: int, amount: int) -> None:
        super()._move_one(cell, change, held, at, amount)
        if change == "release":
            self.rows[-1].data["source"] = "lost-and-found"


@inversion(
    step=14,
    breach="spent units are back at their source afterwards",
    breaks=(("claims-keep-their-source", 2),),
    needs=(TAKES_UNITS, STARTS),
)
class SpentUnitsComeBack(Handlers):
    """Removed and released."""

    def finish(self, cell: Cell) -> None:
        """Release after the spend what the spend removed."""
        spent = list(cell.held) if not self.tables.at_finish else self.whole_requirement(cell)
        super().finish(cell)
        held = [0] * len(spent)
        for at, amount in enumerate(spent):
            if amount:
                held[at] = amount
                self._move_one(cell, "release", held, at, amount)


# -- claims of a start --------------------------------------------------------------------------------------------


@inversion(
    step=7,
    breach="a start claims its inputs but for the last of them",
    breaks=(("start-time-claim-is-atomic", 0),),
    needs=(AT_START, START_CLAIMS, STARTS),
)
class StartForgetsOneInput(Handlers):
    """It is thought of at the finish."""

    def start_share(self, cell: Cell) -> list[int]:
        """All amounts up to the last."""
        whole = super().start_share(cell)
        last = max((at for at, amount in enumerate(whole) if amount), default=0)
        return [0 if at == last and self.tables.whole_at_start else amount for at, amount in enumerate(whole)]


@inversion(
    step=7,
    breach="units are claimed after the start was reported",
    breaks=(
        ("start-time-claim-is-atomic", 0),
        ("progress-claim-starts-with-rounded-share", 1),
        ("request-time-claim-is-atomic", 1),
    ),
    needs=(CLAIMS_BEFORE_FINISH, START_CLAIMS, STARTS),
)
class ClaimFollowsTheStart(Handlers):
    """First the report, then the units."""

    def start(self, cell: Cell) -> None:
        """Cross the boundary empty-handed."""
        target = self.start_share(cell)
        self._late = (cell.id, target)
        super().start(cell)

    _late: tuple[str, list[int]] | None = None

    def start_share(self, cell: Cell) -> list[int]:
        """Nothing, while the boundary is crossed."""
        if self._late is not None and self._late[0] == cell.id:
            return [0] * len(cell.held)
        return super().start_share(cell)

    def go_on(self, cell: Cell) -> None:
        """What the start owed is claimed now."""
        late, self._late = self._late, None
        if late is not None and self.available(cell, self.missing(cell, late[1])):
            self.claim_up_to(cell, late[1])
        super().go_on(cell)


@inversion(
    step=7,
    breach="a start that finds one of its inputs gone takes the others all the same, and waits",
    breaks=(("start-time-claim-is-atomic", 0),),
    needs=(AT_START, START_CLAIMS, CAN_WAIT, SEVERAL_INPUTS),
    faults=("F11",),
)
class ShortStartTakesWhatIsThere(Handlers):
    """One component has vanished; the string is used up."""

    def take_waiting(self, cell: Cell) -> None:
        """With its place in the queue the run takes every unit that is left for it."""
        super().take_waiting(cell)
        wanted = self.missing(cell, self.start_share(cell))
        if self.tables.whole_at_start and not self.available(cell, wanted):
            there = [self.usable(*key) for key in self.sources(cell)]
            self.move(cell, "claim", [min(pair) for pair in zip(wanted, there, strict=True)])


@inversion(
    step=7,
    breach="the start gate does not ask whether the units are there: a run starts without them",
    breaks=(("start-time-claim-is-atomic", 1), ("progress-claim-starts-with-rounded-share", 1)),
    needs=(START_GATE_CLAIMS, STARTS),
)
class StartGateStandsOpen(Handlers):
    """It makes do with what is left."""

    def start_gate_open(self, cell: Cell) -> bool:
        """Always."""
        return True

    def claim_up_to(self, cell: Cell, target: list[int]) -> None:
        """As much as there is."""
        there = [self.usable(*key) for key in self.sources(cell)]
        wanted = self.missing(cell, target)
        self.move(cell, "claim", [min(pair) for pair in zip(wanted, there, strict=True)])


@inversion(
    step=7,
    breach="a request whose units are gone at its start gate is rejected, although it could wait for them",
    breaks=(("start-time-claim-is-atomic", 1), ("progress-claim-starts-with-rounded-share", 1)),
    needs=(START_GATE_CLAIMS, STARTS),
)
class ShortStartIsRejected(Handlers):
    """Short now is short for ever."""

    def admit(self, cell: Cell) -> None:
        """Nobody waits for inputs."""
        reasons = self.current_reasons(cell)
        if INPUTS_UNAVAILABLE in reasons:
            self._trace(cell, "admission", "refused", reasons)
            self.reject(cell, "missing-inputs")
        else:
            super().admit(cell)


@inversion(
    step=6,
    breach="a waiting run takes its units while it waits, although its answer takes them at the start",
    breaks=(("waiting-records-every-current-reason", 1),),
    needs=(START_GATE_CLAIMS, CAN_WAIT),
)
class WaitingRunsHoardUnits(Handlers):
    """What is needed later is better taken now."""

    def take_waiting(self, cell: Cell) -> None:
        """The start's share, where it is there."""
        super().take_waiting(cell)
        wanted = self.missing(cell, self.start_share(cell))
        if not self.tables.whole_at_request and self.available(cell, wanted):
            self.move(cell, "claim", wanted)


# -- claims of the other timings ----------------------------------------------------------------------------------


@inversion(
    step=5,
    breach="a request-time claim of a waiting run is made only when it starts",
    breaks=(("request-time-claim-is-atomic", 0),),
    needs=(AT_REQUEST, START_CLAIMS, CAN_WAIT),
)
class RequestClaimWaitsForTheStart(Handlers):
    """Waiting runs hold nothing."""

    def _wait(self, cell: Cell, reasons: tuple[str, ...]) -> None:
        claim, self.claim_up_to = self.claim_up_to, lambda cell, target: None  # type: ignore[method-assign]  # one call
        super()._wait(cell, reasons)
        self.claim_up_to = claim  # type: ignore[method-assign]  # as it was


@inversion(
    step=5,
    breach="a request-time claim is made in two parts, the second when the work begins",
    breaks=(("request-time-claim-is-atomic", 0), ("request-time-claim-is-atomic", 2)),
    needs=(AT_REQUEST, START_CLAIMS, STARTS),
)
class RequestClaimInTwoParts(Handlers):
    """Half now, half later."""

    _rest: str | None = None

    def start(self, cell: Cell) -> None:
        """A run that starts at once has half of it yet to claim."""
        if self.tables.whole_at_request and not any(cell.held):
            self._rest = cell.id
        super().start(cell)

    def start_share(self, cell: Cell) -> list[int]:
        """Half, rounded down, for the run that starts at once."""
        whole = super().start_share(cell)
        return [amount // 2 for amount in whole] if self._rest == cell.id else whole

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """The rest is claimed in the settle after job-started."""
        if name != "job-started" and self._rest == cell.id:
            self._rest = None
            self.claim_up_to(cell, self.whole_requirement(cell))
        super().report(cell, name, causes, old, before)


@inversion(
    step=7,
    breach="inputs that belong to the finish are claimed at the start",
    breaks=(("finish-time-inputs-stay-at-source", 0),),
    needs=(AT_FINISH, TAKES_UNITS, STARTS),
)
class FinishInputsTakenAtStart(Handlers):
    """Nobody else can use them while the job works."""

    def start_share(self, cell: Cell) -> list[int]:
        """The whole, where it is there."""
        whole = self.whole_requirement(cell)
        early = self.tables.at_finish and self.available(cell, self.missing(cell, whole))
        return whole if early else super().start_share(cell)


@inversion(
    step=13,
    breach="a job whose inputs others took before its finish gate makes its output without them",
    breaks=(("finish-time-inputs-stay-at-source", 0), ("finish-claim-wait-is-slot-retaining", 0)),
    needs=(AT_FINISH, TAKES_UNITS, STARTS),
    faults=("F12",),
)
class FinishMakesDoWithoutInputs(Handlers):
    """The materials are taken out while it works, and the item is free."""

    def failing_gate_causes(self, cell: Cell) -> tuple[str, ...]:
        """Inputs are no condition."""
        return tuple(cause for cause in super().failing_gate_causes(cell) if cause != INPUTS_AT_FINISH)

    def claim_up_to(self, cell: Cell, target: list[int]) -> None:
        """As much as there is."""
        there = [self.usable(*key) for key in self.sources(cell)]
        wanted = self.missing(cell, target)
        self.move(cell, "claim", [min(pair) for pair in zip(wanted, there, strict=True)])


@inversion(
    step=9,
    breach="work goes on while the share it needs is missing, and is banked",
    breaks=(("progress-claim-starts-with-rounded-share", 1),),
    needs=(PROGRESS, WORK, SHARE_GROWS, STARTS),
    faults=("F19",),
)
class WorkIsBankedWithoutInputs(Handlers):
    """A tick never stops for want of units."""

    def advance(self, cell: Cell) -> None:
        """Claim what is there, record the work all the same."""
        point = min(cell.work + cell.per_tick, cell.required)
        target = self.share_for_tick(cell, point)
        if not self.tables.progress or self.available(cell, self.missing(cell, target)):
            super().advance(cell)
            return
        self.begin_settle()
        before, cell.work = cell.work, point
        self.record_work(cell, before, "advance")
        if cell.work >= cell.required:
            self.reach_finish_gate(cell)


@inversion(
    step=2,
    breach="the availability check and the start gate ask for the full requirement, not for the first share",
    breaks=(("progress-claim-starts-with-rounded-share", 0),),
    needs=(PROGRESS, WORK, SHARE_GROWS, STARTS),
)
class ProgressChecksTheWhole(Handlers):
    """Nobody begins what could not be ended."""

    def tested_share(self, cell: Cell) -> list[int]:
        """The whole."""
        return self.whole_requirement(cell)


# -- claims of canceled runs --------------------------------------------------------------------------------------


@inversion(
    step=17,
    breach="a canceled run's units are spent, whatever the answer says",
    breaks=(("declared-cancellation-settles-one-job", 0), ("claims-keep-their-source", 1)),
    needs=(CANCELLATION, HOLDS_CLAIMS, RETURNS_UNITS, STARTS),
    faults=("F01",),
)
class CancelKeepsTheInputs(Handlers):
    """Nothing comes back from a cancellation."""

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """Spend all."""
        self.move(cell, "spend", list(cell.held))


@inversion(
    step=17,
    breach="only a run that has a working slot gets its units back when it is canceled; the others lose them",
    breaks=(("declared-cancellation-settles-one-job", 0),),
    needs=(CANCELLATION, HELD_WITHOUT_A_SLOT, RETURNS_UNITS, STARTS),
    faults=("F02",),
)
class CancelPaysTheHeadOnly(Handlers):
    """The tail of the queue is forgotten."""

    _at_work = False

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: tuple[tuple[str, str], ...] = ()) -> None:
        """Look at the slot before it is freed."""
        self._at_work = cell.working_slot is not None
        super().cancel_one(cell, row, cause, lost)

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """Spend what the tail holds."""
        if self._at_work:
            super().settle_canceled_claim(cell, row)
        else:
            self.move(cell, "spend", list(cell.held))


@inversion(
    step=17,
    breach="a cancellation pays back more than was claimed",
    breaks=(("declared-cancellation-settles-one-job", 1), ("claims-keep-their-source", 1)),
    needs=(CANCELLATION, HOLDS_CLAIMS, STARTS),
    faults=("F04",),
)
class CancelReturnsTodaysPrice(Handlers):
    """The refund is worked out anew, one unit of each too many."""

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """Release what is held, then one more."""
        held = list(cell.held)
        super().settle_canceled_claim(cell, row)
        extra = [1 if amount else 0 for amount in held]
        for at, amount in enumerate(list(extra)):
            if amount:
                self._move_one(cell, "release", extra, at, amount)
