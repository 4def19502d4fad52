"""Breaches of how units are held: claims that are too early, too late, too small, and units that come back wrongly."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    AT_FINISH,
    AT_REQUEST,
    AT_START,
    CANCELLATION,
    CLAIMS_BEFORE_FINISH,
    INPUTS,
    PROGRESS,
    RETURNS_CLAIMED,
    RETURNS_SOMETHING,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.turn import Cell


@inversion(
    step=5,
    breach="a claim does not take the units away from their source: others can use them, and claim them again",
    breaks=(("claims-keep-their-source", 0),),
    needs=(INPUTS,),
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
    needs=(CANCELLATION, CLAIMS_BEFORE_FINISH, RETURNS_SOMETHING),
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
    needs=(INPUTS,),
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


@inversion(
    step=5,
    breach="a request-time claim is made only when the run starts",
    breaks=(("request-time-claim-is-atomic", 0),),
    needs=(AT_REQUEST,),
)
class RequestClaimWaitsForTheStart(Handlers):
    """Waiting runs hold nothing."""

    def _wait(self, cell: Cell, reasons: tuple[str, ...]) -> None:
        claim, self.claim_up_to = self.claim_up_to, lambda cell, target: None  # type: ignore[method-assign]  # one call
        super()._wait(cell, reasons)
        self.claim_up_to = claim  # type: ignore[method-assign]  # as it was


@inversion(
    step=7,
    breach="a start claims only the first of its inputs",
    breaks=(("start-time-claim-is-atomic", 0),),
    needs=(AT_START,),
    faults=("F11",),
)
class StartClaimsOneInput(Handlers):
    """The others are thought of at the finish."""

    def start_share(self, cell: Cell) -> list[int]:
        """The first need alone."""
        whole = super().start_share(cell)
        return [amount if at == 0 else 0 for at, amount in enumerate(whole)] if len(whole) > 1 else [0] * len(whole)


@inversion(
    step=7,
    breach="units are claimed after the start was reported",
    breaks=(("start-time-claim-is-atomic", 0), ("progress-claim-starts-with-rounded-share", 1)),
    needs=(CLAIMS_BEFORE_FINISH,),
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
    breach="inputs that belong to the finish are claimed at the start",
    breaks=(("finish-time-inputs-stay-at-source", 0),),
    needs=(AT_FINISH,),
)
class FinishInputsTakenAtStart(Handlers):
    """Nobody else can use them while the job works."""

    def start_share(self, cell: Cell) -> list[int]:
        """The whole, where it is there."""
        whole = self.whole_requirement(cell)
        return whole if self.available(cell, self.missing(cell, whole)) else super().start_share(cell)


@inversion(
    step=9,
    breach="work goes on while the share it needs is missing, and is banked",
    breaks=(("progress-rounding-rule-pairs-with-progress", 1),),
    needs=(PROGRESS, WORK),
    faults=("F19",),
)
class WorkIsBankedWithoutInputs(Handlers):
    """A tick never stops for want of units."""

    def advance(self, cell: Cell) -> None:
        """Claim what is there, record the work all the same."""
        point = min(cell.work + cell.per_tick, cell.required)
        target = self.share_for_tick(cell, point)
        if self.available(cell, self.missing(cell, target)):
            super().advance(cell)
            return
        self.begin_settle()
        before, cell.work = cell.work, point
        self.record_work(cell, before, "advance")
        if cell.work >= cell.required:
            self.reach_finish_gate(cell)


@inversion(
    step=17,
    breach="a canceled run's units are spent, whatever the answer says",
    breaks=(("declared-cancellation-settles-one-job", 0),),
    needs=(CANCELLATION, CLAIMS_BEFORE_FINISH, RETURNS_SOMETHING),
    faults=("F01",),
)
class CancelKeepsTheInputs(Handlers):
    """Nothing comes back from a cancellation."""

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """Spend all."""
        self.move(cell, "spend", list(cell.held))


@inversion(
    step=17,
    breach="a cancellation pays back more than was claimed",
    breaks=(("declared-cancellation-settles-one-job", 1),),
    needs=(CANCELLATION, CLAIMS_BEFORE_FINISH, RETURNS_CLAIMED),
    faults=("F04", "F05"),
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
