"""Breaches of delivery to full destinations: silent refusals, retries by themselves, routes in another order."""

from __future__ import annotations

from harness.models.inversions.conditions import HOLD_OUTPUT, REFUSED_DELIVERIES, STARTS
from harness.models.inversions.pool_conditions import (
    ENDLESS_ROUTE,
    FALLBACKS,
    HELD_OUTPUT,
    NORMAL_REFUSES,
    REDELIVERY,
    RETRIED_ROUTE,
    SEVERAL_FALLBACKS,
    TICKS_PASS,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.config import NamedEvent
from harness.models.lifecycle.deliveries import HELD
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import FINISHED
from harness.models.lifecycle.turn import Cell

# -- held outputs --------------------------------------------------------------------------------------------------


@inversion(
    step=15,
    breach="a held output is tried again at every tick, without any event that was declared for it",
    breaks=(
        ("held-output-retries-only-on-event", 0),
        ("redelivery-event-pairs-with-retry-answer", 1),
        ("ordered-route-keeps-one-output", 2),
    ),
    needs=(HELD_OUTPUT, STARTS, TICKS_PASS),
)
class HeldOutputIsPolled(Handlers):
    """Somebody looks again and again."""

    def tick(self) -> None:
        """Every held output, before the tick's own work."""
        for run in list(self.finished):
            if self.cells[run].output == HELD:
                self.deliver(self.cells[run])
        super().tick()


@inversion(
    step=15,
    breach="the declared event that should try a held output again does nothing",
    breaks=(
        ("held-output-retries-only-on-event", 1),
        ("redelivery-event-pairs-with-retry-answer", 1),
        ("ordered-route-keeps-one-output", 2),
    ),
    needs=(HELD_OUTPUT, REDELIVERY, STARTS),
)
class RedeliveryIsLost(Handlers):
    """The event is heard, and the output stays."""

    def _redeliver_all(self, row: NamedEvent) -> str | None:
        return None


@inversion(
    step=15,
    breach="a destination that refuses an output does so without a report",
    breaks=(
        ("held-output-retries-only-on-event", 1),
        ("fallback-destination-keeps-written-order", 0),
        ("ordered-route-keeps-one-output", 0),
    ),
    needs=(REFUSED_DELIVERIES, STARTS),
)
class RefusalIsSilent(Handlers):
    """The next thing is tried at once."""

    def _refuse(self, cell: Cell) -> None:
        """Nobody is told."""


@inversion(
    step=15,
    breach="only the first refusal of an output is reported, those of later tries are not",
    breaks=(("held-output-retries-only-on-event", 1),),
    needs=(HELD_OUTPUT, REDELIVERY, STARTS),
)
class RepeatedRefusalIsSilent(Handlers):
    """It was said once."""

    def _refuse(self, cell: Cell) -> None:
        """Only where the output is not held yet."""
        if cell.output != HELD:
            super()._refuse(cell)


@inversion(
    step=15,
    breach="each retry of a delivery makes the output anew",
    breaks=(
        ("held-output-retries-only-on-event", 1),
        ("redelivery-event-pairs-with-retry-answer", 1),
        ("ordered-route-keeps-one-output", 2),
    ),
    needs=(HELD_OUTPUT, REDELIVERY, STARTS),
)
class RetryMakesAnotherOutput(Handlers):
    """The retry is a repetition of the finish."""

    def _redeliver_all(self, row: NamedEvent) -> str | None:
        for run in self.finished:
            if self.cells[run].output == HELD:
                self.begin_settle()
                self.record_output(self.cells[run], "established")
        return super()._redeliver_all(row)


@inversion(
    step=15,
    breach="a retry that succeeds is reported twice",
    breaks=(("held-output-retries-only-on-event", 2),),
    needs=(HELD_OUTPUT, REDELIVERY, STARTS),
)
class RetriedDeliveryIsReportedTwice(Handlers):
    """Once for the delivery, once for the end of the wait."""

    def _redeliver_all(self, row: NamedEvent) -> str | None:
        held = [run for run in self.finished if self.cells[run].output == HELD]
        reason = super()._redeliver_all(row)
        for run in held:
            if run not in self.finished:
                self.begin_settle()
                self.report(self.cells[run], "job-delivered", ("accepted",), FINISHED, self.cells[run].work)
        return reason


@inversion(
    step=15,
    breach="an output that nobody took lies about where everybody can take it",
    breaks=(("held-output-retries-only-on-event", 0),),
    needs=(HOLD_OUTPUT, HELD_OUTPUT, STARTS),
)
class HeldOutputIsAccessible(Handlers):
    """It is held by name only."""

    def _locate(self, cell: Cell, location: str | None, accessible: bool, change: str) -> None:
        super()._locate(cell, location, accessible or change == "held", change)


@inversion(
    step=13,
    breach="a run whose destination is full waits at its finish gate, although its output could be held",
    breaks=(("redelivery-event-pairs-with-retry-answer", 0),),
    needs=(NORMAL_REFUSES, STARTS),
)
class FullDestinationIsAwaited(Handlers):
    """The output is not even made."""

    def gate_tests_room(self, cell: Cell) -> bool:
        """Room is a condition of the finish where a refusal should be tried again."""
        retried = self.config.output_full in ("hold-undelivered", "try-destinations")
        return (retried and self.rule(cell).destination is not None) or super().gate_tests_room(cell)


# -- routes --------------------------------------------------------------------------------------------------------


@inversion(
    step=15,
    breach="the fallbacks of a route are tried from the last written to the first",
    breaks=(("fallback-destination-keeps-written-order", 1), ("ordered-route-keeps-one-output", 0)),
    needs=(SEVERAL_FALLBACKS, STARTS),
)
class FallbacksAreTriedBackwards(Handlers):
    """The normal destination comes first all the same."""

    def route(self, cell: Cell) -> tuple[str, ...]:
        """The rest in the other order."""
        normal, *others = super().route(cell)
        return (normal, *reversed(others))


@inversion(
    step=15,
    breach="a route goes on to its other destinations after one has accepted the output",
    breaks=(("fallback-destination-keeps-written-order", 1), ("ordered-route-keeps-one-output", 1)),
    needs=(FALLBACKS, STARTS),
)
class RouteGoesOnAfterAcceptance(Handlers):
    """Every destination is asked."""

    def _accept(self, cell: Cell, destination: str) -> None:
        """The later ones are asked first, and nothing comes of it."""
        route = self.route(cell)
        for position in range(route.index(destination) + 1, len(route)):
            self.attempt(cell, "delivery", route[position], position)
        super()._accept(cell, destination)


@inversion(
    step=15,
    breach="a retry begins where the route ended, not at the normal destination",
    breaks=(("ordered-route-keeps-one-output", 2),),
    needs=(RETRIED_ROUTE, STARTS),
)
class RetryBeginsAtTheEndOfTheRoute(Handlers):
    """What refused once is not asked again."""

    def route(self, cell: Cell) -> tuple[str, ...]:
        """Only the last destination, where the output is held."""
        route = super().route(cell)
        return route[-1:] if cell.output == HELD else route

    def attempt(self, cell: Cell, kind: str, destination: str, position: int = 0, settled: bool = True) -> bool:
        """The place on the whole route, as it is written."""
        if kind == "delivery":
            position = super().route(cell).index(destination)
        return super().attempt(cell, kind, destination, position, settled)


@inversion(
    step=15,
    breach="a destination without a limit refuses what a route brings there",
    breaks=(("ordered-route-keeps-one-output", 3),),
    needs=(ENDLESS_ROUTE, STARTS),
)
class EndlessDestinationRefuses(Handlers):
    """There is always room, and it is not given."""

    def has_room(self, cell: Cell, destination: str) -> bool:
        """Only where a limit says how much."""
        endless = self.config.output_full == "try-destinations" and destination not in self.free
        return super().has_room(cell, destination) and not endless
