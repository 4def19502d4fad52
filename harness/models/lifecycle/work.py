"""Step 9 and the reversing part of step 10: what a tick does to recorded work."""

from __future__ import annotations

from harness.models.lifecycle.config import Reversal, exact
from harness.models.lifecycle.state import ORDINARY, STOPPED, UNABLE, WORKING
from harness.models.lifecycle.stops import Stops
from harness.models.lifecycle.turn import Cell


class Work(Stops):
    """Time passes for the runs that work or reverse."""

    def tick(self) -> None:
        """One settle for each run that works or reverses when the tick enters, in admission order."""
        moving = [self.cells[run] for run in self.admitted if self._moves(self.cells[run])]
        for cell in moving:
            if cell.state == WORKING:
                self.advance(cell)
            else:
                self.reverse(cell)

    def _moves(self, cell: Cell) -> bool:
        return cell.state == WORKING or (cell.state == STOPPED and self.is_reversing(cell))

    def advance(self, cell: Cell) -> None:
        """One tick's work, claimed for first under progress claiming."""
        before = cell.work
        point = exact(min(cell.work + cell.per_tick, cell.required))
        if self.tables.progress:
            target = self.share_for_tick(cell, point)
            if not self.available(cell, self.missing(cell, target)):
                self.ordinary_stop(cell, UNABLE)
                return
            self.begin_settle()
            self.claim_up_to(cell, target)
        else:
            self.begin_settle()
        cell.work = point
        self.record_work(cell, before, "advance")
        if cell.work >= cell.required:
            self.reach_finish_gate(cell)

    def can_advance(self, cell: Cell) -> bool:
        """Whether the share of the next work point is there (the condition of `unable-to-advance`)."""
        point = min(cell.work + cell.per_tick, cell.required)
        return self.available(cell, self.missing(cell, self.share_for_tick(cell, point)))

    # -- reversing work -------------------------------------------------------------------------------------------

    def reversal(self, cell: Cell) -> Reversal | None:
        """The first reversal rule that is for the run's job, where the answer asks for one."""
        if self.config.partial_work != "reverse-while-stopped":
            return None
        return next((each for each in self.config.reversals if each.jobs is None or cell.job in each.jobs), None)

    def is_reversing(self, cell: Cell) -> bool:
        """Only a stop that began as an ordinary one reverses, while some work is left."""
        return cell.stop == ORDINARY and cell.work > 0 and self.reversal(cell) is not None

    def reverse(self, cell: Cell) -> None:
        """One tick of a stopped run: once the rule's delay has passed its work falls, never below none."""
        rule = self.reversal(cell)
        if rule is None:
            return
        cell.stopped_for += 1
        if cell.stopped_for <= rule.after:
            return
        self.begin_settle()
        before = cell.work
        cell.work = exact(max(0, cell.work - rule.per_tick))
        self.stir()
        self.reduce_to_work(cell)
        self.record_work(cell, before, "reversal")
        self.note(
            "reversal-log",
            cell.id,
            row=rule.id,
            before=str(before),
            after=str(cell.work),
            per_tick=str(rule.per_tick),
            stopped_for=cell.stopped_for,
        )
