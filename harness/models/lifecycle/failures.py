"""Step 16: a declared failure, with a recoverable or a ruined result."""

from __future__ import annotations

from fractions import Fraction

from harness.models.lifecycle.cancels import Cancels
from harness.models.lifecycle.config import Failure, Number, exact
from harness.models.lifecycle.state import (
    FAILED,
    FAILURE_STOP,
    FINISHED,
    RECOVERY,
    START_GATE,
    STOPPED,
    WAITING,
    WORK_POINT,
)
from harness.models.lifecycle.turn import Cell


class Failures(Cancels):
    """What a failure takes, and where it leaves the run."""

    def refuse_failure(self, cell: Cell, row: Failure) -> str | None:
        """Why the trigger cannot fire now, None where it can."""
        if cell.state != row.from_state or cell.ended:
            return f"{row.id} fires only from {row.from_state}"
        if row.ruined:
            return None
        if cell.state == FINISHED:
            return "a failure from finished can only ruin the job"
        return None if self._is_strict_subset(cell, row) else "a named loss is no strict subset of the current claim"

    def _is_strict_subset(self, cell: Cell, row: Failure) -> bool:
        if row.loses_all:
            return False
        lost = dict(row.loses)
        held = {need.item: amount for need, amount in zip(self.rule(cell).needs, cell.held, strict=True)}
        if any(amount > held.get(item, 0) for item, amount in lost.items()):
            return False
        total = sum(lost.values())
        return total == 0 or total < sum(held.values())

    def fail(self, cell: Cell, row: Failure) -> None:
        """The resolved result, in one settle."""
        self.begin_settle()
        if row.ruined:
            self._ruin(cell, row)
        else:
            self._recover(cell, row)
        self.stir()

    def _lose(self, cell: Cell, row: Failure) -> None:
        named = dict(row.loses)
        wanted = [
            held if row.loses_all else min(held, named.get(need.item, 0))
            for need, held in zip(self.rule(cell).needs, cell.held, strict=True)
        ]
        self.move(cell, "lose", wanted)

    def _lost_work(self, cell: Cell, row: Failure) -> Number:
        lost = row.loses_work + Fraction(row.loses_work_share) * cell.work
        return exact(max(Fraction(0), Fraction(cell.work) - lost))

    # -- recoverable ----------------------------------------------------------------------------------------------

    def _recover(self, cell: Cell, row: Failure) -> None:
        old, before = cell.state, cell.work
        self._lose(cell, row)
        cell.work = self._lost_work(cell, row)
        supports = self.tables.progress and not self.config.release_stopped_claims
        if supports:
            cell.work = self.supported_work(cell)
        self.record_work(cell, before, "loss")
        if supports:
            self.release_down_to(cell, self.share_at(cell, cell.work))
        self.settle_stopped_claim(cell)
        self.free_working(cell)
        self.free_waiting(cell)
        self._record_recovery(cell, old)
        self.report(cell, "job-failed", (row.id,), old, before)

    def _record_recovery(self, cell: Cell, old: str) -> None:
        fresh = RECOVERY not in cell.causes
        if old != STOPPED:
            cell.stop, cell.stopped_for, cell.reasons = FAILURE_STOP, 0, ()
            cell.point = START_GATE if old == WAITING else WORK_POINT
        if fresh:
            cell.causes = (*cell.causes, RECOVERY)
        self.enter_stopped(cell, old)
        if fresh:
            self.record_causes(cell, "join" if old == STOPPED else "add", (RECOVERY,))
        self.record_point(cell, "recorded")

    def enter_stopped(self, cell: Cell, old: str) -> None:
        """A new stop takes its place in the line; a run that was stopped keeps the one it has."""
        if old != STOPPED:
            self.enter(cell, STOPPED)
            self.join_line(cell)

    def supported_work(self, cell: Cell) -> Number:
        """The highest work point, not above the recorded one, whose share the remaining claim holds."""
        point: Number = cell.work
        while point > 0 and not self._supports(cell, point):
            steps = Fraction(point) / Fraction(cell.per_tick)
            below = steps.numerator // steps.denominator - (1 if steps.denominator == 1 else 0)
            point = exact(Fraction(cell.per_tick) * below)
        return max(0, point)

    def _supports(self, cell: Cell, point: Number) -> bool:
        return all(amount == 0 for amount in self.missing(cell, self.share_for_tick(cell, point)))

    # -- ruined ---------------------------------------------------------------------------------------------------

    def _ruin(self, cell: Cell, row: Failure) -> None:
        old, before = cell.state, cell.work
        self._lose(cell, row)
        named = dict(row.releases)
        needs = self.rule(cell).needs
        self.move(
            cell,
            "release",
            [min(held, named.get(need.item, 0)) for need, held in zip(needs, cell.held, strict=True)],
        )
        if old == FINISHED:
            self.destroy_output(cell)
        elif self.config.in_place:
            self.record_output(cell, "target-remains")
        cell.reasons = ()
        self.forget_stop(cell)
        self.enter(cell, FAILED)
        self.free_working(cell)
        self.free_waiting(cell)
        self.release_reservation(cell)
        self.leave_line(cell)
        self.end_displacements(cell.id, as_displacer=True)
        self.report(cell, "job-failed", (row.id,), old, before)
