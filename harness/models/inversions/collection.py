"""Breaches of how an accepted output is handed over: twice, too early, not at all, or where nobody can reach it."""

from __future__ import annotations

from harness.models.inversions.conditions import AUTOMATIC, STARTS
from harness.models.inversions.pool_conditions import COLLECTION_ROW
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.deliveries import ACCEPTED
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import DELIVERED, FINISHED, WORKING
from harness.models.lifecycle.turn import Cell


@inversion(
    step=15,
    breach="a delivery is reported twice",
    breaks=(("automatic-delivery-reports-once", 0), ("collection-delivery-waits-for-event", 1)),
    needs=(STARTS,),
)
class DeliveryIsReportedTwice(Handlers):
    """Nobody asks whether it was reported before."""

    def _delivered(self, cell: Cell, cause: str) -> None:
        """Once more, in a settle of its own."""
        super()._delivered(cell, cause)
        self.begin_settle()
        self.report(cell, "job-delivered", (cause,), FINISHED, cell.work)


@inversion(
    step=14,
    breach="a run that was taken for lost is made twice, and both makings are accepted",
    breaks=(("finish-spends-and-establishes-one-output", 0),),
    needs=(STARTS,),
    faults=("F29",),
)
class StalledRunFinishesTwice(Handlers):
    """The second worker finishes what the first one finished already."""

    def meet_needs(self, finished: Cell) -> None:
        """Directly after the first finish."""
        self.begin_settle()
        self.record_output(finished, "established")
        self.report(finished, "job-finished", ("finish-gate-passed",), WORKING, finished.work)
        super().meet_needs(finished)


@inversion(
    step=15,
    breach="an output that its destination accepted stays in finished until time passes",
    breaks=(("automatic-delivery-reports-once", 0),),
    needs=(STARTS, AUTOMATIC),
)
class AcceptedOutputWaitsForTheTick(Handlers):
    """Delivery is somebody's next round."""

    def _delivered(self, cell: Cell, cause: str) -> None:
        """Not yet, where the delivery is automatic."""
        cell.output = ACCEPTED
        if self.config.on_collection or self._late:
            super()._delivered(cell, cause)

    _late = False

    def tick(self) -> None:
        """What waits is delivered before the tick's own work."""
        self._late = True
        for run in list(self.finished) if not self.config.on_collection else ():
            if self.cells[run].output == ACCEPTED:
                self.begin_settle()
                self._delivered(self.cells[run], "accepted")
        self._late = False
        super().tick()


@inversion(
    step=15,
    breach="an output that is to be collected is delivered as soon as it is accepted",
    breaks=(("collection-event-pairs-with-collection-delivery", 0), ("collection-delivery-waits-for-event", 0)),
    needs=(COLLECTION_ROW, STARTS),
)
class AcceptanceDelivers(Handlers):
    """Every delivery is read as an automatic one."""

    def _accept(self, cell: Cell, destination: str) -> None:
        """Accepted, and handed over at once."""
        super()._accept(cell, destination)
        if self.config.on_collection:
            self.begin_settle()
            self.accepted.remove(cell.id)
            self._delivered(cell, "accepted")


@inversion(
    step=15,
    breach="an accepted output lies where nobody can reach it before its collection",
    breaks=(("collection-delivery-waits-for-event", 0),),
    needs=(COLLECTION_ROW, STARTS),
)
class AcceptedOutputIsLockedAway(Handlers):
    """It is there, and it is not accessible."""

    def _locate(self, cell: Cell, location: str | None, accessible: bool, change: str) -> None:
        super()._locate(cell, location, accessible and change != "accepted", change)


@inversion(
    step=15,
    breach="a collection takes the output and delivers nothing: the run stays in finished",
    breaks=(("collection-event-pairs-with-collection-delivery", 1), ("collection-delivery-waits-for-event", 1)),
    needs=(COLLECTION_ROW, STARTS),
)
class CollectionDeliversNothing(Handlers):
    """The event is heard, and the run is forgotten."""

    def _delivered(self, cell: Cell, cause: str) -> None:
        """Nothing, where a collection brought it."""
        if not self.config.on_collection:
            super()._delivered(cell, cause)


@inversion(
    step=15,
    breach="a delivered run whose output was collected is there to be collected again",
    breaks=(("collection-delivery-waits-for-event", 1),),
    needs=(COLLECTION_ROW, STARTS),
)
class CollectedOutputIsCollectedAgain(Handlers):
    """The same event takes every accepted output twice."""

    def collect(self, cell: Cell, row: str) -> None:
        """Taken twice by one event."""
        super().collect(cell, row)
        self.begin_settle()
        self._locate(cell, cell.destination, True, "collected")
        self.report(cell, "job-delivered", (row,), DELIVERED, cell.work)
