"""Breaches of the one output: made twice, split, thrown away, or made without its inputs being spent."""

from __future__ import annotations

from harness.models.inversions.conditions import BLOCKED_REQUESTS, DESTINATION, RESERVE, STARTS
from harness.models.inversions.pool_conditions import HOLDS_AT_THE_FINISH, IN_PLACE, NEVER_FULL, OUTPUT_MAY_NOT_FIT
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.deliveries import ACCEPTED, HELD
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.turn import Cell


@inversion(
    step=14,
    breach="a finish makes the output and leaves one of its inputs claimed",
    breaks=(("finish-spends-and-establishes-one-output", 0),),
    needs=(STARTS, HOLDS_AT_THE_FINISH),
)
class FinishForgetsToSpend(Handlers):
    """The first input stays marked for a run that is over."""

    _finishing = False

    def finish(self, cell: Cell) -> None:
        """The finish, with a short spending."""
        self._finishing = True
        super().finish(cell)
        self._finishing = False

    def move(self, cell: Cell, change: str, amounts: list[int]) -> None:
        """What a finish spends is short of its first input."""
        if change == "spend" and self._finishing:
            first = next((at for at, amount in enumerate(amounts) if amount), 0)
            amounts = [0 if at == first else amount for at, amount in enumerate(amounts)]
        super().move(cell, change, amounts)


@inversion(
    step=14,
    breach="one finish makes two outputs",
    breaks=(("finish-spends-and-establishes-one-output", 0),),
    needs=(STARTS,),
)
class OneFinishMakesTwo(Handlers):
    """The second has an id of its own."""

    def record_output(self, cell: Cell, change: str) -> None:
        """Each establishing is one of two."""
        super().record_output(cell, change)
        if change == "established":
            super().record_output(cell, change)
            self.rows[-1].data["output"] += "-2" if self.full else ""


@inversion(
    step=14,
    breach="a delivered output is smaller than the one that was made",
    breaks=(("finish-spends-and-establishes-one-output", 1),),
    needs=(STARTS,),
)
class DeliveryLosesAPart(Handlers):
    """What arrives is a part of the whole."""

    def record_output(self, cell: Cell, change: str) -> None:
        """The delivered thing has another size and fewer parts."""
        super().record_output(cell, change)
        if self.full and change == "delivered":
            data = self.rows[-1].data
            data["size"], data["parts"] = data["size"] - 1, data["parts"][1:]


@inversion(
    step=15,
    breach="an in-place job's change is carried to a destination whose room is tested",
    breaks=(("finish-spends-and-establishes-one-output", 2), ("normal-destination-never-blocks", 0)),
    needs=(STARTS, IN_PLACE),
)
class InPlaceChangeIsCarriedAway(Handlers):
    """The site is treated as a shelf."""

    def deliver(self, cell: Cell) -> None:
        """A capacity decision before the delivery."""
        if self.rule(cell).destination is None:
            self.begin_settle()
            self.attempt(cell, "delivery", self.site(cell) or "")
        super().deliver(cell)


@inversion(
    step=14,
    breach="a state change at a site is reported under the name of another site",
    breaks=(("finish-spends-and-establishes-one-output", 2),),
    needs=(STARTS, IN_PLACE),
)
class ChangeHappensElsewhere(Handlers):
    """The wrong wall is painted."""

    def site(self, cell: Cell) -> str | None:
        """Next door."""
        site = super().site(cell)
        return None if site is None else f"{site}-next-door"


@inversion(
    step=15,
    breach="a second output is not taken by a destination that is never full: it is held",
    breaks=(("normal-destination-never-blocks", 0),),
    needs=(STARTS, NEVER_FULL, DESTINATION),
)
class NeverFullDestinationRefuses(Handlers):
    """One output at a time fits where everything should."""

    def has_room(self, cell: Cell, destination: str) -> bool:
        """Only for the first run that was requested."""
        never = self.config.output_full == "never-full"
        return not (never and next(iter(self.cells)) != cell.id) and super().has_room(cell, destination)


@inversion(
    step=15,
    breach="an output that finds no room is thrown away, and its run is over",
    breaks=(("delivery-case-invokes-selected-answer", 0),),
    needs=(STARTS, OUTPUT_MAY_NOT_FIT),
)
class OutputWithoutRoomIsThrownAway(Handlers):
    """Nobody holds it, nobody reports it; it counts as delivered."""

    def gate_tests_room(self, cell: Cell) -> bool:
        """No gate asks for room."""
        return False

    def _hold(self, cell: Cell) -> None:
        """Refused everywhere: destroyed."""
        if cell.output != HELD:
            cell.output = ACCEPTED
            self._locate(cell, None, False, "destroyed")


# -- reserved room -------------------------------------------------------------------------------------------------


@inversion(
    step=3,
    breach="a request that finds no room to reserve goes on to its admission without",
    breaks=(
        ("pre-start-reservation-blocks-admission", 0),
        ("readmission-event-pairs-with-reservation", 0),
        ("delivery-case-invokes-selected-answer", 0),
    ),
    needs=(BLOCKED_REQUESTS,),
)
class UnreservedRequestIsAdmitted(Handlers):
    """Room will turn up."""

    def reserve(self, cell: Cell) -> bool:
        """Whatever it finds, the request goes on."""
        super().reserve(cell)
        return True


@inversion(
    step=3,
    breach="a reservation takes one unit of room, whatever the size of the output",
    breaks=(("pre-start-reservation-blocks-admission", 1),),
    needs=(RESERVE,),
)
class ReservationIsOneShort(Handlers):
    """The ledger shows less than the whole output."""

    def _record_reservation(self, cell: Cell, change: str) -> None:
        super()._record_reservation(cell, change)
        if self.full:
            self.rows[-1].data["amount"] -= 1


@inversion(
    step=15,
    breach="reserved room is given back at the finish, before the output lies in it",
    breaks=(("pre-start-reservation-blocks-admission", 1),),
    needs=(RESERVE, STARTS),
)
class ReservationEndsAtTheFinish(Handlers):
    """The run is done, so its reservation is."""

    def meet_needs(self, finished: Cell) -> None:
        """Directly after the finish."""
        self.release_reservation(finished)
        super().meet_needs(finished)
