"""Step 19: scans of the standing orders."""

from __future__ import annotations

from harness.models.lifecycle.config import StandingOrder
from harness.models.lifecycle.events import Request
from harness.models.lifecycle.failures import Failures
from harness.models.lifecycle.state import REQUESTED, WAITING
from harness.models.lifecycle.turn import Cell, Place

Eligible = dict[tuple[str, str | None], bool]


class Scans(Failures):
    """Standing orders request their jobs while they are eligible and a slot is free."""

    def eligibilities(self) -> Eligible:
        """Whether each standing order of an opened pool is eligible now, by row and place."""
        return {
            (row.id, place): self.is_eligible(row, place)
            for row in self.config.standing_orders
            for place in self._places_of(row)
        }

    def _places_of(self, row: StandingOrder) -> tuple[str | None, ...]:
        pool = self.tables.pools.get(row.pool)
        places: tuple[str | None, ...] = (pool.places or (None,)) if pool is not None else ()
        return tuple(place for place in places if (row.pool, place) in self.pools)

    def is_eligible(self, row: StandingOrder, place: str | None) -> bool:
        """Every condition of the row's cited rule, at this place."""
        rule = row.eligible
        if rule.conditions and (row.id, place) not in self.conditions:
            return False
        if any(self._usable_anywhere(item) >= amount for item, amount in rule.below):
            return False
        if any(self._usable_at(row, place, item) < amount for item, amount in rule.usable):
            return False
        return not (rule.no_open_run and self._has_open_run(row.job, place))

    def _usable_anywhere(self, item: str) -> int:
        return sum(amount for (name, _), amount in zip(self.keys, self.stock, strict=True) if name == item)

    def _usable_at(self, row: StandingOrder, place: str | None, item: str) -> int:
        """Usable units where the job would take them from; anywhere, for an item that it does not take."""
        for name, source in self.tables.sources(row.job, place):
            if name == item:
                return self.usable(name, source)
        return self._usable_anywhere(item)

    def _has_open_run(self, job: str, place: str | None) -> bool:
        return any(cell.is_open and cell.job == job and cell.place == place for cell in self.cells.values())

    # -- when to scan ---------------------------------------------------------------------------------------------

    def scan_where_due(self, eligible_before: Eligible) -> None:
        """After the offers of a batch: each pool and place with a reason to scan is scanned once.

        Which ones is settled before the first scan, so that nothing that a scan brings about starts a further one.
        """
        eligible_now = self.eligibilities()
        turned = {key for key, value in eligible_now.items() if value and not eligible_before.get(key, False)}
        due = [(where, self.why_scan(where, turned)) for where in self.wheres() if where[0] is not None]
        for where, why in due:
            if why is not None:
                self.scan(where, why)

    def why_scan(self, where: Place, turned: set[tuple[str, str | None]]) -> str | None:
        """The reason to scan a pool and place, None where there is none; `turned` became eligible in this batch."""
        rows = [row for row in self.config.standing_orders if row.pool == where[0]]
        if not rows:
            return None
        if where in self.opened:
            return "pool-opened"
        if any((row.id, where[1]) in turned for row in rows):
            return "eligible"
        if (self.offers_due_everywhere or where in self.offers_due) and self.free_slots(where) > 0:
            return "slot-free"
        return "refusal" if where in self.refused_in else None

    # -- one scan -------------------------------------------------------------------------------------------------

    def scan(self, where: Place, why: str) -> None:
        """Rows in written order; at most as many requests take a slot as were free when the scan began."""
        left = self.free_slots(where)
        for row in self.config.standing_orders:
            if row.pool == where[0]:
                left = self._scan_row(row, where, why, left)

    def _scan_row(self, row: StandingOrder, where: Place, why: str, left: int) -> int:
        while True:
            eligible = self.is_eligible(row, where[1])
            if not eligible or left < 1 or self.free_slots(where) < 1:
                self._record_scan(row, where, why, eligible, None, "no-slot" if eligible else "not-eligible")
                return left
            cell = self._request_again(row, where, why)
            if cell is None or self._outcome(cell) != "took-slot":
                return left
            left -= 1

    def _request_again(self, row: StandingOrder, where: Place, why: str) -> Cell | None:
        free, at = self.free_slots(where), len(self.rows)
        name = self._next_name()
        refusal = self.request(Request(name, row.job, place=where[1], fields=self.fields_for(row)), row.id)
        if refusal is not None:
            self._record_scan(row, where, why, True, None, "blocked")
            return None
        self.made += 1
        self.settle_offers()
        cell = self.cells[name]
        # The scan comes before what it brings about, and is written down when that is known.
        after, self.rows[at:] = self.rows[at:], []
        self._record_scan(row, where, why, True, name, self._outcome(cell), free)
        self.rows.extend(after)
        return cell

    def fields_for(self, row: StandingOrder) -> tuple[tuple[str, int | str], ...]:
        """The fields of a standing order's request: those its own pool's coverage asks for."""
        pool = self.tables.pools[row.pool]
        return pool.covers.fields if not (pool.covers.everything or row.job in pool.covers.jobs) else ()

    def _next_name(self) -> str:
        number = self.made + 1
        while f"S{number}" in self.cells:
            number += 1
        return f"S{number}"

    def _outcome(self, cell: Cell) -> str:
        if cell.ended:
            return "refused"
        if cell.state == REQUESTED:
            return "blocked"
        return "waiting" if cell.state == WAITING else "took-slot"

    def _record_scan(
        self,
        row: StandingOrder,
        where: Place,
        why: str,
        eligible: bool,
        requested: str | None,
        outcome: str,
        free: int | None = None,
    ) -> None:
        self.remark(
            "standing-order-scan-log",
            requested,
            row=row.id,
            pool=where[0],
            place=where[1],
            why=why,
            eligible=eligible,
            free=self.free_slots(where) if free is None else free,
            requested=requested,
            outcome=outcome,
        )
