"""Step 15 and the room of destinations: reservations, attempts, refusals, acceptance, collection, delivery."""

from __future__ import annotations

from harness.models.lifecycle.claims import Claims
from harness.models.lifecycle.config import at_place
from harness.models.lifecycle.state import DELIVERED, FINISHED
from harness.models.lifecycle.turn import Cell

HELD = "held"
ACCEPTED = "accepted"


class Deliveries(Claims):
    """What happens to the one output of a run."""

    def normal_destination(self, cell: Cell) -> str:
        """The run's normal destination."""
        return at_place(self.rule(cell).destination or "", cell.place)

    def site(self, cell: Cell) -> str | None:
        """Where an in-place job changes something; None for a job that makes a new thing."""
        site = self.rule(cell).site
        return at_place(site, cell.place) if site is not None else None

    def route(self, cell: Cell) -> tuple[str, ...]:
        """The destinations a delivery tries, in order."""
        fallbacks = self.config.fallbacks if self.config.output_full == "try-destinations" else ()
        return (self.normal_destination(cell), *(at_place(each, cell.place) for each in fallbacks))

    def has_room(self, cell: Cell, destination: str) -> bool:
        """Whether the whole output fits now; an own reservation always does."""
        if cell.reserved and cell.destination == destination:
            return True
        free = self.free.get(destination)
        return free is None or self.rule(cell).size <= free

    def attempt(self, cell: Cell, kind: str, destination: str, position: int = 0, settled: bool = True) -> bool:
        """One capacity decision, written down: a reservation, a finish-gate test or a delivery.

        `settled` is False for one that changes nothing: it stands outside every settle.
        """
        accepted = self.has_room(cell, destination)
        write = self.note if settled else self.remark
        write(
            "delivery-attempts",
            cell.id,
            attempt=kind,
            destination=destination,
            size=self.rule(cell).size,
            free=self.free.get(destination),
            outcome="accepted" if accepted else "refused",
            position=position,
        )
        return accepted

    # -- reservations (step 3) ------------------------------------------------------------------------------------

    def reserve(self, cell: Cell) -> bool:
        """Reserve room for the whole output, or write the refusal down."""
        destination, size = self.normal_destination(cell), self.rule(cell).size
        if not self.has_room(cell, destination):
            self._remark_refused_reservation(cell, destination, size)
            return False
        self.begin_settle()
        self.attempt(cell, "reservation", destination)
        cell.destination, cell.reserved = destination, True
        if destination in self.free:
            self.free[destination] -= size
        self._record_reservation(cell, "reserve")
        return True

    def _remark_refused_reservation(self, cell: Cell, destination: str, size: int) -> None:
        self.attempt(cell, "reservation", destination, settled=False)
        self.remark(
            "reservation-ledger",
            cell.id,
            change="refused",
            destination=destination,
            amount=size,
            reserved_after=self.reserved_at(destination),
            free_after=self.free.get(destination),
        )

    def release_reservation(self, cell: Cell) -> None:
        """Give reserved room back, where the run holds some."""
        if not cell.reserved:
            return
        destination = cell.destination or ""
        cell.reserved = False
        if destination in self.free and cell.output != ACCEPTED:
            self.free[destination] += self.rule(cell).size
            self.stir()
        self._record_reservation(cell, "release")

    def _record_reservation(self, cell: Cell, change: str) -> None:
        destination = cell.destination or ""
        self.note(
            "reservation-ledger",
            cell.id,
            change=change,
            destination=destination,
            amount=self.rule(cell).size,
            reserved_after=self.reserved_at(destination),
            free_after=self.free.get(destination),
        )

    def reserved_at(self, destination: str) -> int:
        """Room at a destination that reservations hold."""
        holders = (cell for cell in self.cells.values() if cell.reserved and cell.destination == destination)
        return sum(self.rule(cell).size for cell in holders)

    def occupied_at(self, destination: str) -> int:
        """Room that accepted, uncollected outputs lie in, beside reserved room."""
        lying = (self.cells[run] for run in self.accepted)
        return sum(self.rule(cell).size for cell in lying if cell.destination == destination and not cell.reserved)

    # -- delivery -------------------------------------------------------------------------------------------------

    def deliver(self, cell: Cell) -> None:
        """The output goes along its route; each refusal of a route that reports it is a settle of its own."""
        if self.rule(cell).destination is None:
            self.begin_settle()
            self._delivered(cell, "accepted")
            return
        for position, destination in enumerate(self.route(cell)):
            self.begin_settle()
            if not cell.reserved:
                cell.destination = destination
            if self.attempt(cell, "delivery", destination, position):
                self._accept(cell, destination)
                return
            self._refuse(cell)
        self._hold(cell)

    def _refuse(self, cell: Cell) -> None:
        if self.config.output_full in ("hold-undelivered", "try-destinations"):
            self.report(cell, "destination-refused", ("no-room",), FINISHED, cell.work)

    def _hold(self, cell: Cell) -> None:
        if cell.output != HELD:
            cell.output = HELD
            self._locate(cell, None, False, "held")

    def _accept(self, cell: Cell, destination: str) -> None:
        self.restless = True
        if destination in self.free and not cell.reserved:
            self.free[destination] -= self.rule(cell).size
        cell.output = ACCEPTED
        if not self.config.on_collection:
            self._delivered(cell, "accepted")
            return
        self.accepted.append(cell.id)
        self._locate(cell, destination, True, "accepted")

    def collect(self, cell: Cell, row: str) -> None:
        """A collection event takes the accepted output: it is delivered, and its room is free again."""
        self.begin_settle()
        destination = cell.destination or ""
        if destination in self.free:
            self.free[destination] += self.rule(cell).size
        self.stir()
        self.accepted.remove(cell.id)
        self._locate(cell, destination, True, "collected")
        self._delivered(cell, row)

    def _delivered(self, cell: Cell, cause: str) -> None:
        cell.output = ACCEPTED
        if cell.reserved:
            cell.reserved = False
            self._record_reservation(cell, "use")
        if not self.config.on_collection:
            self._locate(cell, cell.destination or self.site(cell), True, "delivered")
        self.record_output(cell, "delivered")
        self.finished.remove(cell.id)
        self.enter(cell, DELIVERED)
        self.report(cell, "job-delivered", (cause,), FINISHED, cell.work)
        self.free_working(cell)
        self.end_displacements(cell.id, as_displacer=True)

    def _locate(self, cell: Cell, location: str | None, accessible: bool, change: str) -> None:
        self.note(
            "output-location",
            cell.id,
            output=self.output_id(cell),
            location=location,
            accessible=accessible,
            change=change,
        )

    def destroy_output(self, cell: Cell) -> None:
        """A ruined run's undelivered new thing goes, and the room it lay in is free again (step 16)."""
        if cell.id in self.accepted:
            self.accepted.remove(cell.id)
            if cell.destination in self.free and not cell.reserved:
                self.free[cell.destination] += self.rule(cell).size
        self.finished.remove(cell.id)
        cell.output = ""
        self.record_output(cell, "destroyed")
        self._locate(cell, None, False, "destroyed")

    # -- identity -------------------------------------------------------------------------------------------------

    def output_id(self, cell: Cell) -> str:
        """The output's id: a run makes one at the most."""
        return f"{cell.id}-output"

    def record_output(self, cell: Cell, change: str) -> None:
        """A row of the output's life."""
        rule = self.rule(cell)
        self.note(
            "output-identity",
            cell.id,
            output=self.output_id(cell),
            item=rule.output,
            size=rule.size,
            parts=list(rule.parts),
            site=self.site(cell),
            change=change,
        )
