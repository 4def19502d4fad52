"""Steps 1 to 6: a request is made, checked, given room, and admitted, refused or left waiting."""

from __future__ import annotations

from harness.models.lifecycle.config import Fields, Number, Phase, Pool, exact
from harness.models.lifecycle.decisions import refusal
from harness.models.lifecycle.events import Request
from harness.models.lifecycle.offers import Offers
from harness.models.lifecycle.state import REQUESTED, WAITING, Run
from harness.models.lifecycle.turn import Cell, Place

REQUESTER = "requester"
PAUSED = "paused"
BLOCKED = "blocked"


class Requests(Offers):
    """From an event `request` to an admitted, refused or pending run."""

    # -- step 1 ---------------------------------------------------------------------------------------------------

    def request(self, event: Request, by: str = REQUESTER) -> str | None:
        """Make the run and take it as far as it goes; a reason where the request cannot be taken at all."""
        known = self.cells.get(event.run)
        if known is not None:
            return refusal("request", known.state, known.ended)
        rule = self.tables.jobs.get(event.job)
        if rule is None:
            return f"no rule declares the job {event.job}"
        phase = self._phase(event.phase or rule.phase)
        if isinstance(phase, str):
            return phase
        required, per_tick = self._duration(phase, event.fields)
        if phase is not None and (required < 1 or per_tick <= 0):
            return "the required work would be below 1, or the work per tick not above 0"
        where = self._assign(event, by)
        if isinstance(where, str):
            return where
        cell = self._new_cell(event, by, where, phase, (required, per_tick))
        self._report_request(cell, rule.address)
        self._check_inputs(cell, event.pause)
        return None

    def _phase(self, name: str | None) -> Phase | str | None:
        if name is not None:
            return self.tables.phases.get(name) or f"there is no work phase {name}"
        return self.config.phases[0] if self.config.phases else None

    def _duration(self, phase: Phase | None, fields: Fields) -> tuple[Number, Number]:
        if phase is None:
            return 0, 1
        given = dict(fields)

        def number(value: Number | str) -> Number:
            if not isinstance(value, str):
                return value
            named = given.get(value, 0)
            return 0 if isinstance(named, str) else named

        return exact(number(phase.work)), exact(number(phase.per_tick))

    def _assign(self, event: Request, by: str) -> Place | str:
        """Exactly one pool, the first that covers the request, and exactly one of its places."""
        pool = self.config.covering_pool(event.job, event.fields)
        if pool is None:
            return "the request names a place, and no pool covers it" if event.place else (None, None)
        if not pool.places:
            if event.place is not None:
                return f"the pool {pool.id} has no places"
            return (pool.id, None) if (pool.id, None) in self.pools else f"the pool {pool.id} is not open"
        if (pool.id, pool.places[0]) not in self.pools:
            return f"the pool {pool.id} is not open"
        place = event.place if by != REQUESTER else self._place(pool, event.place)
        if place not in pool.places:
            return f"{place} is no place of the pool {pool.id}" if place else "the request names no place"
        return pool.id, place

    def _place(self, pool: Pool, named: str | None) -> str | None:
        """The place that the pool's assignment rule names; ties and none free go by list order."""
        places = pool.places
        if named is not None and named not in places:
            return named
        if pool.assignment == "first-free":
            return next((each for each in places if self.free_slots((pool.id, each)) > 0), places[0])
        if pool.assignment == "fewest-waiting":
            return min(places, key=lambda each: self.waiting_in((pool.id, each)))
        if pool.assignment == "round-robin":
            return places[self.requests_seen.get(pool.id, 0) % len(places)]
        return named

    def _new_cell(
        self, event: Request, by: str, where: Place, phase: Phase | None, duration: tuple[Number, Number]
    ) -> Cell:
        run = Run(
            id=event.run,
            job=event.job,
            by=by,
            state=REQUESTED,
            ended=False,
            pending="",
            pool=where[0],
            place=where[1],
            phase=phase.id if phase is not None else None,
            fields=event.fields,
            required=duration[0],
            per_tick=duration[1],
            work=0,
            held=(0,) * len(self.tables.jobs[event.job].needs),
            working_slot=None,
            waiting_slot=False,
            reserved=False,
            reasons=(),
            causes=(),
            stop="",
            point="",
            stopped_for=0,
            needs=self.bind_needs(event.job),
            destination=None,
            output="",
        )
        cell = self.cells[event.run] = Cell(run)
        pool = self.tables.pools.get(where[0] or "")
        if pool is not None and pool.assignment == "round-robin":
            self.requests_seen[pool.id] = (self.requests_seen.get(pool.id, 0) + 1) % len(pool.places)
        return cell

    def _report_request(self, cell: Cell, address: str) -> None:
        self.begin_settle(in_batch=False)
        self.note("job-rule-read-log", cell.id, job=cell.job, address=address)
        self.record_needs(cell, "bound", cell.needs)
        self.report(cell, "job-requested", (cell.by,), None, cell.work)

    # -- steps 2 and 3 --------------------------------------------------------------------------------------------

    def _check_inputs(self, cell: Cell, pause: bool) -> None:
        if self.config.timing is None:
            self._trace(cell, "input-check", "skipped")
        else:
            tested = self.tested_share(cell)
            short = not self.available(cell, tested)
            self._trace(cell, "input-check", "short" if short else "passed", tested=tested)
            if short:
                self.reject(cell, "missing-inputs")
                return
        if pause:
            cell.pending = PAUSED
            self._trace(cell, "input-check", "paused")
        else:
            self.go_on_from_reservation(cell)

    def go_on_from_reservation(self, cell: Cell) -> None:
        """Step 3, where the answer reserves, then admission; also where a readmission or an `admit` goes on."""
        cell.pending = ""
        reserves = self.config.output_full == "wait-before-start" and self.rule(cell).destination is not None
        if reserves and not cell.reserved:
            if not self.reserve(cell):
                cell.pending = BLOCKED
                self._trace(cell, "reservation", "blocked")
                return
            self._trace(cell, "reservation", "reserved")
        self.admit(cell)

    # -- steps 4 to 6 ---------------------------------------------------------------------------------------------

    def admit(self, cell: Cell) -> None:
        """Start, wait or refuse."""
        reasons = self.current_reasons(cell)
        if reasons and self._waiting_is_full(cell):
            self._trace(cell, "admission", "refused", reasons)
            self.reject(cell, "job-limit-full")
        elif self.tables.whole_at_request and not self.available(cell, self.whole_requirement(cell)):
            self._trace(cell, "claim", "refused", reasons, self.whole_requirement(cell))
            self.reject(cell, "missing-inputs")
        elif reasons:
            self._trace(cell, "admission", "waiting", reasons)
            self._wait(cell, reasons)
        else:
            self._trace(cell, "admission", "immediate")
            self.start(cell)

    def _waiting_is_full(self, cell: Cell) -> bool:
        pool = self.tables.pools.get(cell.pool or "")
        return pool is not None and pool.waiting is not None and self.waiting_in(cell.where) >= pool.waiting

    def _wait(self, cell: Cell, reasons: tuple[str, ...]) -> None:
        self.begin_settle()
        if self.tables.whole_at_request:
            self.claim_up_to(cell, self.whole_requirement(cell))
        self.take_waiting(cell)
        cell.reasons = reasons
        self.admitted.append(cell.id)
        self.enter(cell, WAITING)
        self.join_line(cell)
        self.wake(cell.where)
        self.report(cell, "job-waiting", reasons, REQUESTED, cell.work)

    def reject(self, cell: Cell, cause: str) -> None:
        """The refusal ends the run; it stays in the state requested."""
        self.begin_settle()
        self.release_reservation(cell)
        cell.ended = True
        self.end_displacements(cell.id, as_displacer=True)
        if cell.by == REQUESTER:
            self.refused_in[cell.where] = None
        self.report(cell, "job-rejected", (cause,), REQUESTED, cell.work)

    def _trace(
        self, cell: Cell, step: str, outcome: str, reasons: tuple[str, ...] = (), tested: list[int] | None = None
    ) -> None:
        if self.full:
            units = self.tested_units(cell, tested) if tested is not None else []
            self.remark("admission-trace", cell.id, step=step, outcome=outcome, reasons=list(reasons), tested=units)
