"""Breaches of the life of a run as a whole: runs that come back, batches that are torn, reports before their claims."""

from __future__ import annotations

from harness.models.inversions.conditions import STARTS
from harness.models.inversions.pool_conditions import MOVES_UNITS, REFUSAL_CLEARS
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.config import Number
from harness.models.lifecycle.events import Request
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.requests import REQUESTER
from harness.models.lifecycle.scans import Eligible
from harness.models.lifecycle.turn import Cell


class _Retrying(Handlers):
    """A refused request is tried again as soon as what refused it is gone."""

    def close_batch(self, eligible_before: Eligible) -> None:
        """First those that were refused before this event, where nothing refuses them now."""
        known = {run.id for run in self.before.runs}
        for cell in [each for each in self.cells.values() if each.ended and each.id in known]:
            fits = self.config.timing is None or self.available(cell, self.tested_share(cell))
            if fits and not (self.current_reasons(cell) and self._waiting_is_full(cell)):
                self.retry(cell)
        super().close_batch(eligible_before)

    def retry(self, cell: Cell) -> None:
        """How it is tried again."""


@inversion(
    step=20,
    breach="a refused request goes on as the same run once what refused it is gone",
    breaks=(("rejection-ends-the-requested-run", 0),),
    needs=(REFUSAL_CLEARS,),
)
class RefusedRunComesBack(_Retrying):
    """A refusal is a delay."""

    def retry(self, cell: Cell) -> None:
        """The run is open again, and is admitted."""
        cell.ended = False
        self.go_on_from_reservation(cell)


@inversion(
    step=20,
    breach="the lifecycle makes a new run of its own for a refused request once what refused it is gone",
    breaks=(("rejection-ends-the-requested-run", 1), ("rejection-ends-the-requested-run", 2)),
    needs=(REFUSAL_CLEARS,),
)
class RefusedRequestIsRepeated(_Retrying):
    """Somebody keeps a list of what was refused."""

    def retry(self, cell: Cell) -> None:
        """A new run in the requester's name, once for each refused one."""
        again = f"{cell.id}-again"
        if again not in self.cells and not cell.id.endswith("-again"):
            place = cell.place if cell.place is None or cell.by == REQUESTER else None
            self.request(Request(again, cell.job, place=place, phase=cell.phase, fields=cell.fields))


@inversion(
    step=14,
    breach="the delivery that follows a finish at once is a batch of its own",
    breaks=(("lifecycle-holds", 0),),
    needs=(STARTS,),
)
class DeliveryIsABatchOfItsOwn(Handlers):
    """One thing after another."""

    def deliver(self, cell: Cell) -> None:
        """A new batch, then the delivery."""
        self.begin_batch()
        super().deliver(cell)


@inversion(
    step=14,
    breach="a transition is reported before its claims settle",
    breaks=(("lifecycle-holds", 0),),
    needs=(MOVES_UNITS, STARTS),
)
class ReportPrecedesItsClaims(Handlers):
    """First the news, then the deed."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """The claim changes of the settle stand behind its report."""
        super().report(cell, name, causes, old, before)
        mine = [each for each in self.rows if each.settle == self.settle_number and each.log == "claim-ledger"]
        self.rows = [each for each in self.rows if each not in mine] + mine


@inversion(
    step=14,
    breach="a finished run is started once more before it is delivered",
    breaks=(("lifecycle-holds", 0),),
    needs=(STARTS,),
)
class FinishedRunStartsAgain(Handlers):
    """The state goes back one step and forward again."""

    def deliver(self, cell: Cell) -> None:
        """Back to started and to finished, without a report."""
        if cell.output == "":
            self.begin_settle()
            self.write("state-trace", cell.id, {"from": "finished", "to": "started"})
            self.begin_settle()
            self.write("state-trace", cell.id, {"from": "started", "to": "finished"})
        super().deliver(cell)
