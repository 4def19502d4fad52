"""Steps 5, 7 and 11: what is tested, claimed, reduced and kept of the inputs; and the progress share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from harness.models.lifecycle.config import Number, Rounding
from harness.models.lifecycle.orders import Orders
from harness.models.lifecycle.turn import Cell


def rounded(value: Number, mode: str) -> int:
    """A fraction as a whole number: `up`, `down` or `nearest` (half up)."""
    exact = Fraction(value)
    if mode == "up":
        return -((-exact.numerator) // exact.denominator)
    if mode == "down":
        return exact.numerator // exact.denominator
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def share(amount: int, work: Number, required: Number, mode: str) -> int:
    """`share(w)` of a required amount: 0 at no work, the whole at the required work, rounded between."""
    if work >= required:
        return amount
    if work <= 0:
        return 0
    return rounded(Fraction(amount) * Fraction(work) / Fraction(required), mode)


class Claims(Orders):
    """What a run must hold at each gate and point, and the settles of its claim."""

    # -- targets: amounts aligned with the run's needs ------------------------------------------------------------

    def rounding(self, cell: Cell) -> Rounding | None:
        """The first rounding rule that is for the run's job."""
        return next((each for each in self.config.roundings if each.jobs is None or cell.job in each.jobs), None)

    def whole_requirement(self, cell: Cell) -> list[int]:
        """The full requirement."""
        return [need.amount for need in self.rule(cell).needs]

    def share_at(self, cell: Cell, work: Number) -> list[int]:
        """The progress share of each need at a work point; the whole where the job has no work phase."""
        rule = self.rounding(cell)
        if cell.phase is None or rule is None:
            return self.whole_requirement(cell)
        return [share(need.amount, work, cell.required, rule.mode) for need in self.rule(cell).needs]

    def initial_share(self, cell: Cell) -> list[int]:
        """The share that a start claims: that of the rule's initial work, or of one tick's work."""
        rule = self.rounding(cell)
        named = rule.initial_work if rule is not None else None
        return self.share_at(cell, cell.per_tick if named is None else named)

    def tested_share(self, cell: Cell) -> list[int]:
        """What the availability check and the start gate test (steps 2 and 7)."""
        if not self.tables.progress:
            return self.whole_requirement(cell)
        stricter = dict(self.rule(cell).offer_check)
        needs = self.rule(cell).needs
        return [
            max(initial, stricter.get(need.item, 0))
            for need, initial in zip(needs, self.initial_share(cell), strict=True)
        ]

    def share_for_tick(self, cell: Cell, point: Number) -> list[int]:
        """What must be held before this work point is recorded (step 9)."""
        rule = self.rounding(cell)
        if rule is not None and rule.point == "current" and point < cell.required:
            return self.share_at(cell, max(0, point - cell.per_tick))
        return self.share_at(cell, point)

    def resume_share(self, cell: Cell) -> list[int]:
        """What a resume must hold (step 12), besides what the finish gate claims."""
        if self.config.timing is None or self.tables.at_finish:
            return [0] * len(cell.held)
        if not self.tables.progress:
            return self.whole_requirement(cell)
        pairs = zip(self.share_at(cell, cell.work), self.initial_share(cell), strict=True)
        return [max(recorded, initial) for recorded, initial in pairs]

    def start_share(self, cell: Cell) -> list[int]:
        """What a run holds once it has started (steps 5 and 7)."""
        if self.config.timing is None or self.tables.at_finish:
            return [0] * len(cell.held)
        return self.initial_share(cell) if self.tables.progress else self.whole_requirement(cell)

    # -- tests and changes ----------------------------------------------------------------------------------------

    def missing(self, cell: Cell, target: list[int]) -> list[int]:
        """What the run lacks of a target."""
        return [max(0, wanted - held) for wanted, held in zip(target, cell.held, strict=True)]

    def available(self, cell: Cell, amounts: list[int]) -> bool:
        """Whether these amounts are usable at the run's sources."""
        for amount, key in zip(amounts, self.sources(cell), strict=True):
            if amount and amount > self.stock[self.index[key]]:
                return False
        return True

    def start_gate_open(self, cell: Cell) -> bool:
        """Whether step 7 would pass: the tested share beyond what is held, where the gate claims anything."""
        if self.config.timing is None or self.tables.at_finish or self.tables.whole_at_request:
            return True
        return self.available(cell, self.missing(cell, self.tested_share(cell)))

    def claim_up_to(self, cell: Cell, target: list[int]) -> None:
        """Claim what is missing of a target; the caller has tested that it is usable."""
        self.move(cell, "claim", self.missing(cell, target))

    def release_down_to(self, cell: Cell, target: list[int]) -> None:
        """Release what is held beyond a target."""
        self.move(cell, "release", [max(0, held - kept) for held, kept in zip(cell.held, target, strict=True)])

    def reduce_to_work(self, cell: Cell) -> None:
        """A progress claim falls to the share of the recorded work (step 10)."""
        if self.tables.progress:
            self.release_down_to(cell, self.share_at(cell, cell.work))

    def settle_stopped_claim(self, cell: Cell) -> None:
        """Step 11: the claim of a stopped run stays, or goes back to its sources."""
        if self.config.release_stopped_claims:
            self.release_down_to(cell, [0] * len(cell.held))

    def tested_units(self, cell: Cell, amounts: list[int]) -> list[dict[str, Any]]:
        """Tested amounts as data, with what was usable."""
        return [
            {"item": item, "amount": amount, "source": source, "usable": self.usable(item, source)}
            for amount, (item, source) in zip(amounts, self.sources(cell), strict=True)
        ]
