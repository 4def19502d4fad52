"""Breaches of what reports tell: of the run, its job, pool and place, its cause, its units and its states."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    CAN_BE_REFUSED,
    CAN_WAIT,
    CANCELLATION,
    DESTINATION,
    NAMED_PLACES,
    POOLS_OVERLAP,
    REFUSED_DELIVERIES,
    SECOND_JOB,
    STARTS,
    TAKES_UNITS,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Number, Pool
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.requests import REQUESTER
from harness.models.lifecycle.state import CANCELED, REQUESTED, STOPPED
from harness.models.lifecycle.turn import Cell, Place

# -- the request --------------------------------------------------------------------------------------------------


@inversion(
    step=1,
    breach="the job rule is read a second time when the run starts",
    breaks=(("reports-identify-the-run", 0),),
    needs=(STARTS,),
)
class RuleIsReadAgainAtTheStart(Handlers):
    """Whatever was changed since the request takes effect."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """A second read beside job-started."""
        if name == "job-started":
            self.note("job-rule-read-log", cell.id, job=cell.job, address=self.rule(cell).address)
        super().report(cell, name, causes, old, before)


@inversion(
    step=1,
    breach="a request is assigned to the last pool that covers it, not to the first",
    breaks=(("reports-identify-the-run", 0),),
    needs=(POOLS_OVERLAP,),
)
class LastPoolTakesTheRequest(Handlers):
    """Later rows overrule earlier ones."""

    def _assign(self, event: e.Request, by: str) -> Place | str:
        """Look through the pools from the last to the first."""
        kept, self.config = self.config, self.config._replace(pools=self.config.pools[::-1])
        pool = self.config.covering_pool(event.job, event.fields)
        where = super()._assign(event if pool is not None and pool.places else event._replace(place=None), by)
        self.config = kept
        return where


@inversion(
    step=1,
    breach="a request is put at the first place of its pool, whatever place it names",
    breaks=(("reports-identify-the-run", 0), ("each-place-pool-assigns-one-place", 0)),
    needs=(NAMED_PLACES,),
)
class FirstPlaceTakesTheRequest(Handlers):
    """All queue at the same door."""

    def _place(self, pool: Pool, named: str | None) -> str | None:
        """The first."""
        chosen = super()._place(pool, named)
        return pool.places[0] if pool.assignment == "requested" and chosen in pool.places else chosen


# -- what a report carries ----------------------------------------------------------------------------------------


class _Reports(Handlers):
    """A place to change a report after it was written."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Write the report, then `change` what it tells."""
        super().report(cell, name, causes, old, before)
        self.change(name, self.rows[-1].data)

    def change(self, name: str, told: dict[str, object]) -> None:
        """Nothing."""


@inversion(
    step=1,
    breach="reports of every job but the first name the main job",
    breaks=(("reports-identify-the-run", 1),),
    needs=(SECOND_JOB,),
)
class ReportsNameTheMainJob(_Reports):
    """There is one job, and all the others are the same."""

    def change(self, name: str, told: dict[str, object]) -> None:
        """All but job-requested."""
        if name != "job-requested":
            told["job"] = self.config.job


@inversion(
    step=15,
    breach="no report carries the destination of the output",
    breaks=(("reports-identify-the-run", 1),),
    needs=(DESTINATION, STARTS),
)
class ReportsForgetTheDestination(_Reports):
    """Somewhere it will be."""

    def change(self, name: str, told: dict[str, object]) -> None:
        """None."""
        told["destination"] = None


@inversion(
    step=14,
    breach="job-finished names as newly claimed what the run claimed long before",
    breaks=(("reports-identify-the-run", 1),),
    needs=(TAKES_UNITS, STARTS),
)
class FinishRepeatsTheClaims(_Reports):
    """A summary instead of the news."""

    def change(self, name: str, told: dict[str, object]) -> None:
        """What is spent was claimed."""
        if name == "job-finished":
            told["claimed"] = told["spent"]


@inversion(
    step=17,
    breach="job-canceled does not say which cancellation it was",
    breaks=(("reports-identify-the-run", 1),),
    needs=(CANCELLATION,),
)
class CancelNamesTheRequester(_Reports):
    """Somebody asked."""

    def change(self, name: str, told: dict[str, object]) -> None:
        """The cause of every request."""
        if name == "job-canceled":
            told["causes"] = [REQUESTER]


# -- states -------------------------------------------------------------------------------------------------------


@inversion(
    step=8,
    breach="job-started tells of a request although the run had been waiting",
    breaks=(("reports-identify-the-run", 2),),
    needs=(CAN_WAIT, STARTS),
)
class StartForgetsTheWait(_Reports):
    """As if it had never queued."""

    def change(self, name: str, told: dict[str, object]) -> None:
        """Requested, always."""
        if name == "job-started":
            told["old"] = REQUESTED


@inversion(
    step=1,
    breach="job-requested stands in the batch of what follows it",
    breaks=(("reports-identify-the-run", 2),),
)
class RequestOpensTheBatch(Handlers):
    """Asked and answered in one go."""

    def begin_settle(self, in_batch: bool = True) -> None:
        """Every settle belongs to a batch."""
        super().begin_settle(True)


@inversion(
    step=4,
    breach="a rejected request enters the state canceled",
    breaks=(("reports-identify-the-run", 3),),
    needs=(CAN_BE_REFUSED,),
)
class RejectionIsAState(Handlers):
    """Gone is gone."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Move the run first."""
        if name == "job-rejected":
            self.enter(cell, CANCELED)
        super().report(cell, name, causes, old, before)


@inversion(
    step=15,
    breach="destination-refused tells that the run is stopped",
    breaks=(("reports-identify-the-run", 3),),
    needs=(REFUSED_DELIVERIES, STARTS),
)
class RefusedDeliveryLooksStopped(_Reports):
    """Something is in the way."""

    def change(self, name: str, told: dict[str, object]) -> None:
        """The new state."""
        if name == "destination-refused":
            told["new"] = STOPPED
