"""Step 18: tests and offers, one walk in the pools' orders, repeated until nothing changes."""

from __future__ import annotations

from harness.models.lifecycle.resumes import Resumes
from harness.models.lifecycle.state import (
    DEPENDENCY_UNMET,
    EARLIER_FIRST,
    INPUTS_UNAVAILABLE,
    NO_FREE_SLOT,
    OFFERABLE_REASONS,
    STOPPED,
    WAITING,
    WORLD_CAUSES,
)
from harness.models.lifecycle.turn import Cell, Place


class Offers(Resumes):
    """Who gets a free working slot."""

    def settle_offers(self) -> None:
        """Walk until nothing changes; a slot that was freed and found nobody is written down."""
        if not self.restless:
            return
        while self._walk():
            pass
        if self.full:
            self._record_idle_slots()
        self.restless = self.stirred = False
        self.freed.clear()
        self.passed.clear()

    def _walk(self) -> bool:
        changed = False
        for where in self.wheres():
            changed |= self._walk_line(where)
        return changed

    def _walk_line(self, where: Place) -> bool:
        """Look at the runs of one place in order; a slot that comes free meanwhile is offered from the first on."""
        changed = False
        pending = self.order(where)
        while pending:
            before = self.slots_freed
            changed |= self._look_at(self.cells[pending.pop(0)])
            if self.slots_freed != before:
                pending = self.order(where)
        return changed

    def wheres(self) -> tuple[Place, ...]:
        """Opened pools in written order, their places in list order, then the runs without a pool."""
        opened = tuple(
            (pool.id, place)
            for pool in self.config.pools
            for place in (pool.places or (None,))
            if (pool.id, place) in self.pools
        )
        return (*opened, (None, None))

    def _look_at(self, cell: Cell) -> bool:
        changed = False
        if cell.state == STOPPED:
            if self.stirred and not WORLD_CAUSES.isdisjoint(cell.causes):
                changed = self.test_world_causes(cell)
            return self.try_resume(cell) or changed
        if cell.state == WAITING:
            self.refresh_reasons(cell)
            if not cell.reasons or OFFERABLE_REASONS.issuperset(cell.reasons):
                return self._offer(cell)
        return False

    def _offer(self, cell: Cell) -> bool:
        if cell.pool is not None and self.free_slots(cell.where) < 1:
            return False
        if not self.start_gate_open(cell):
            self.pass_over(cell, "claim-unavailable")
            return False
        # The offer stands in the settle of the start that it brings.
        self._offered = cell.id
        self.start(cell)
        return True

    _offered: str | None = None

    def begin_settle(self, in_batch: bool = True) -> None:
        """A settle that an offer brings begins with the row of that offer."""
        super().begin_settle(in_batch)
        if self._offered is not None:
            run, self._offered = self._offered, None
            self.record_offer(self.cells[run], "started")

    # -- reasons --------------------------------------------------------------------------------------------------

    def current_reasons(self, cell: Cell) -> tuple[str, ...]:
        """Every reason why the run must wait now (step 4)."""
        reasons = []
        if cell.pool is not None:
            if self.free_slots(cell.where) < 1:
                reasons.append(NO_FREE_SLOT)
            if self._is_behind(cell):
                reasons.append(EARLIER_FIRST)
        if not self.start_gate_open(cell):
            reasons.append(INPUTS_UNAVAILABLE)
        if not self.needs_met(cell):
            reasons.append(DEPENDENCY_UNMET)
        return tuple(reasons)

    def _is_behind(self, cell: Cell) -> bool:
        """Whether a waiting run, or a stopped run without causes, stands before it in the pool's order."""
        known = cell.id in self.line
        if not known:
            self.line.append(cell.id)
        order = self.order(cell.where)
        if not known:
            self.line.pop()
        earlier = (self.cells[run] for run in order[: order.index(cell.id)])
        return any(each.state == WAITING or (each.state == STOPPED and not each.causes) for each in earlier)

    def refresh_reasons(self, cell: Cell) -> None:
        """Reasons of a waiting run change without a report; the admission trace has them."""
        reasons = self.current_reasons(cell)
        if reasons == cell.reasons:
            return
        if not set(cell.reasons) <= set(reasons):
            self.wake(cell.where)
        cell.reasons = reasons
        self.remark("admission-trace", cell.id, step="reasons", outcome="changed", reasons=list(reasons), tested=[])

    # -- rows -----------------------------------------------------------------------------------------------------

    def eligible(self, run: str) -> bool:
        """Whether a run of the line could use a slot now."""
        cell = self.cells[run]
        if cell.state == STOPPED:
            return self.resume_eligible(cell)
        return OFFERABLE_REASONS.issuperset(self.current_reasons(cell))

    def _offer_row(self, where: Place, offer: str, why: str | None) -> dict[str, object]:
        order = self.order(where)
        return {
            "pool": where[0],
            "place": where[1],
            "offer": offer,
            "why": why,
            "free": None if where[0] is None else self.free_slots(where),
            "order": order,
            "eligible": [run for run in order if self.eligible(run)],
            **({} if where[0] is None else self.inside(where)),
        }

    def record_offer(self, cell: Cell, offer: str, why: str | None = None) -> None:
        """The offer that a run took, with the order in which it stood."""
        if self.full:
            self.write("pool-offer-log", cell.id, self._offer_row(cell.where, offer, why))

    def pass_over(self, cell: Cell, why: str) -> None:
        """An offer whose claim failed, written down once for all the walks after one event."""
        if self.full and cell.id not in self.passed:
            self.passed.add(cell.id)
            self.remark("pool-offer-log", cell.id, **self._offer_row(cell.where, "passed-over", why))

    def _record_idle_slots(self) -> None:
        """A freed slot that nobody took was offered all the same."""
        for where in self.freed:
            if where in self.pools and self.free_slots(where) > 0:
                self.remark("pool-offer-log", None, **self._offer_row(where, "nobody", None))
