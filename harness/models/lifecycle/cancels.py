"""Step 17: cancellation, its return of the claim, and the dependents it ends."""

from __future__ import annotations

from harness.models.lifecycle.claims import rounded
from harness.models.lifecycle.config import CancelReturn, Dependents
from harness.models.lifecycle.needs import Needs
from harness.models.lifecycle.requests import Requests
from harness.models.lifecycle.state import CANCELED, WAITING
from harness.models.lifecycle.turn import Cell


class Cancels(Requests):
    """A run ends because someone asked."""

    def cancel(self, cell: Cell, row: str) -> None:
        """One run, then the dependents that its cancellation's rows name."""
        self.cancel_one(cell, row, row)
        for dependents in self.config.dependents:
            if dependents.cancellation == row:
                self.settle_dependents(cell.job, dependents)

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: Needs = ()) -> None:
        """Snapshot, slots, claim, work, state, report: one settle. `lost` are the needs that end a dependent."""
        self.begin_settle()
        self.record_needs(cell, "ended", lost)
        old, before = cell.state, cell.work
        self.note("claim-snapshot", cell.id, cancellation=row, claim=self.units(cell), work=str(cell.work))
        self.free_working(cell)
        self.free_waiting(cell)
        self.release_reservation(cell)
        self.settle_canceled_claim(cell, row)
        if self.config.partial_work == "reset-at-stop":
            cell.work = 0
        self.record_work(cell, before, "cancel")
        cell.pending, cell.reasons = "", ()
        self.forget_stop(cell)
        self.enter(cell, CANCELED)
        self.leave_line(cell)
        self.end_displacements(cell.id, as_displacer=True)
        self.stir()
        self.report(cell, "job-canceled", (cause,), old, before)

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """The cancel-return answer, out of the current claim."""
        answer = self.config.cancel_return
        if answer == "return-claimed":
            self.move(cell, "release", list(cell.held))
        elif answer == "return-by-rule":
            rule = self.cancel_return_rule(row)
            returned = self.returned_by_rule(cell, rule) if rule is not None else [0] * len(cell.held)
            self.move(cell, "release", returned)
            self.move(cell, "spend", list(cell.held))
        else:
            self.move(cell, "spend", list(cell.held))

    def cancel_return_rule(self, row: str) -> CancelReturn | None:
        """The first return rule that is for this cancellation."""
        rules = self.config.cancel_returns
        return next((each for each in rules if each.cancellations is None or row in each.cancellations), None)

    def returned_by_rule(self, cell: Cell, rule: CancelReturn) -> list[int]:
        """What the rule names of each held amount, never more than is held."""
        amounts = dict(rule.amounts)
        per_item = {item: (fraction, mode) for item, fraction, mode in rule.per_item}
        returned = []
        for need, held in zip(self.rule(cell).needs, cell.held, strict=True):
            named = per_item.get(need.item, rule.default)
            wanted = rounded(held * named[0], named[1]) if named is not None else amounts.get(need.item, 0)
            returned.append(max(0, min(held, wanted)))
        return returned

    # -- dependents -----------------------------------------------------------------------------------------------

    def settle_dependents(self, job: str, row: Dependents) -> None:
        """Waiting runs whose need can no longer be met and whose chain of needs reaches the canceled run's job."""
        for cell, lost in self._dependents_of(job, row):
            if self.config.end_dependents:
                self.cancel_one(cell, row.cancellation, "dependency-ended", lost)
            else:
                self.record_needs(cell, "unmet", lost)

    def _dependents_of(self, job: str, row: Dependents) -> list[tuple[Cell, Needs]]:
        """The dependents in waiting order, over all pools and places, each with the needs that it lost."""
        reached = self._jobs_reaching(job, row)
        line = (self.cells[run] for where in self.wheres() for run in self.order(where))
        waiting = [cell for cell in line if cell.state == WAITING and cell.job in reached]
        gone: frozenset[str] = frozenset()
        while True:
            found = [(cell, self._lost_needs(cell, gone)) for cell in waiting]
            ended = frozenset(cell.id for cell, lost in found if lost)
            if ended == gone:
                return [(cell, lost) for cell, lost in found if lost]
            gone = ended

    def _lost_needs(self, cell: Cell, gone: frozenset[str]) -> Needs:
        return tuple(need for need in cell.needs if self.is_unmeetable(*need, gone))

    def _jobs_reaching(self, job: str, row: Dependents) -> set[str]:
        """Jobs whose chain of needs, by this row's links, reaches `job`."""
        reached: set[str] = set()
        pending = [job]
        while pending:
            wanted = pending.pop()
            for link in row.links:
                if wanted in link.needs and link.job not in reached:
                    reached.add(link.job)
                    pending.append(link.job)
        return reached
