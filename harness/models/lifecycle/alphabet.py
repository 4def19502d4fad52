"""Which events could enter now: the inputs of a walk, in a fixed order.

The alphabet is finite although events are not: amounts are what one job needs or what is there, free room is none,
one output's or all there could be, order fields are 0, 1 or 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Fields, Pool
from harness.models.lifecycle.handlers import WORKER_STOPPED
from harness.models.lifecycle.requests import BLOCKED, PAUSED
from harness.models.lifecycle.state import FINISHED, RECOVERY, REQUESTED, STOPPED, WAITING, WORKING, Run, State, is_open
from harness.models.lifecycle.turn import Tables

SLOTS_TRIED = 2


class Form(NamedTuple):
    """One way to request a job: the pool that will cover it (None: no pool), a place of it, fields and a phase."""

    job: str
    pool: str | None
    place: str | None
    fields: Fields
    phase: str | None


class Alphabet:
    """The events a walk tries. `forms` are the requests it makes, `runs_max` how many runs it may make."""

    def __init__(self, config: Config, forms: tuple[Form, ...], runs_max: int) -> None:
        self.config = config
        self.tables = Tables(config)
        self.forms = forms
        self.runs_max = runs_max
        self._makers: dict[str, Callable[[State], Iterator[e.Event]]] = {
            "request": self._requests,
            "pause": self._paused_requests,
            "admit": self._admits,
            "tick": self._ticks,
            "clear": self._clears,
            "instruct": self._instructs,
            "readmit": self._readmits,
            "redeliver": self._redelivers,
            "collect": self._collects,
            "supply": self._supplies,
            "room": self._rooms,
            "cancel": self._cancels,
            "fail": self._fails,
            "use": self._uses,
            "eligible": self._eligibles,
            "open-pool": self._open_pools,
            "set-fields": self._set_fields,
            "worker-stop": self._worker_stops,
            "worker-ready": self._worker_readies,
        }

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of input in the order in which a walk tries them (`pause` is a paused request)."""
        return tuple(self._makers)

    def enabled(self, state: State, kinds: tuple[str, ...]) -> Iterator[e.Event]:
        """The events of these kinds that may be legal now; a few are refused all the same."""
        for kind in kinds:
            yield from self._makers[kind](state)

    def next_name(self, state: State) -> str:
        """The name of the next run that is asked for: A to Z, then R27 and so on."""
        asked = sum(1 for run in state.runs if run.by == "requester") + 1
        return chr(ord("A") + asked - 1) if asked <= 26 else f"R{asked}"

    # -- requests -------------------------------------------------------------------------------------------------

    def _requests(self, state: State) -> Iterator[e.Event]:
        yield from self._request_forms(state, pause=False)

    def _paused_requests(self, state: State) -> Iterator[e.Event]:
        yield from self._request_forms(state, pause=True)

    def _request_forms(self, state: State, pause: bool) -> Iterator[e.Event]:
        if len(state.runs) >= self.runs_max:
            return
        name = self.next_name(state)
        for form in self.forms:
            for fields in self.orders(form):
                yield e.Request(name, form.job, form.place, form.phase, fields, pause)

    def orders(self, form: Form) -> Iterator[Fields]:
        """The form's fields, and where its pool sorts by a field, that field as 0, 1 and 2."""
        pool = self.tables.pools.get(form.pool or "")
        field = self.order_field(pool) if pool is not None else None
        if field is None or field in dict(form.fields):
            yield form.fields
            return
        for value in (0, 1, 2):
            yield tuple(sorted((*form.fields, (field, value))))

    def order_field(self, pool: Pool) -> str | None:
        """The first request field that a pool sorts by."""
        return next((key.field for key in pool.order if key.field != "admission"), None)

    def _admits(self, state: State) -> Iterator[e.Event]:
        yield from (e.Admit(run.id) for run in state.runs if run.pending == PAUSED)

    # -- runs -----------------------------------------------------------------------------------------------------

    def _ticks(self, state: State) -> Iterator[e.Event]:
        yield e.Tick()

    def _instructs(self, state: State) -> Iterator[e.Event]:
        for run in self._in(state, WORKING, STOPPED):
            for row in self.config.interruptions:
                if row.id not in run.causes:
                    yield e.Instruct(run.id, row.instructions[0])

    def _clears(self, state: State) -> Iterator[e.Event]:
        declared = {row.id for row in self.config.interruptions} | {RECOVERY}
        for run in self._in(state, STOPPED):
            yield from (e.Clear(run.id, cause) for cause in run.causes if cause in declared)

    def _cancels(self, state: State) -> Iterator[e.Event]:
        for run in self._in(state, REQUESTED, WAITING, WORKING, STOPPED):
            yield from (e.Cancel(run.id, row) for row in self.config.cancellations)

    def _fails(self, state: State) -> Iterator[e.Event]:
        for run in state.runs:
            yield from (
                e.Fail(run.id, row.id) for row in self.config.failures if is_open(run) and row.from_state == run.state
            )

    def _set_fields(self, state: State) -> Iterator[e.Event]:
        for run in self._in(state, WAITING, STOPPED):
            pool = self.tables.pools.get(run.pool or "")
            field = self.order_field(pool) if pool is not None else None
            if field is not None:
                now = dict(run.fields).get(field, 0)
                yield from (e.SetFields(run.id, ((field, value),)) for value in (0, 1, 2) if value != now)

    def _in(self, state: State, *states: str) -> Iterator[Run]:
        return (run for run in state.runs if run.state in states and is_open(run))

    # -- the world ------------------------------------------------------------------------------------------------

    def _supplies(self, state: State) -> Iterator[e.Event]:
        for item, source in state.keys:
            yield e.Supply(item, self.most_needed(item), source)

    def most_needed(self, item: str) -> int:
        """The most units of an item that one job needs."""
        amounts = [need.amount for job in self.config.jobs for need in job.needs if need.item == item]
        return max(1, *amounts) if amounts else 1

    def _uses(self, state: State) -> Iterator[e.Event]:
        for (item, source), amount in zip(state.keys, state.stock, strict=True):
            if amount > 0:
                yield e.Use(item, amount, source)

    def _rooms(self, state: State) -> Iterator[e.Event]:
        sizes = sorted({job.size for job in self.config.jobs})
        for name, free in zip(state.room_names, state.free, strict=True):
            capacity = self.tables.capacities[name] or 0
            for value in dict.fromkeys((0, *sizes, capacity)):
                if value != free and value <= capacity:
                    yield e.Room(name, value)

    def _readmits(self, state: State) -> Iterator[e.Event]:
        if any(run.pending == BLOCKED for run in state.runs):
            yield from (e.Readmit(row.id) for row in self.config.readmissions if not row.polled)

    def _redelivers(self, state: State) -> Iterator[e.Event]:
        if any(run.state == FINISHED for run in state.runs):
            yield from (e.Redeliver(row.id) for row in self.config.redeliveries if not row.polled)

    def _collects(self, state: State) -> Iterator[e.Event]:
        for run in state.accepted:
            yield from (e.Collect(row.id, run) for row in self.config.collections if not row.polled)

    def _eligibles(self, state: State) -> Iterator[e.Event]:
        for row in self.config.standing_orders:
            if row.eligible.conditions:
                for place in self._places(row.pool):
                    yield e.Eligible(row.id, (row.id, place) not in state.conditions, place)

    def _places(self, pool_id: str) -> tuple[str | None, ...]:
        pool = self.tables.pools.get(pool_id)
        return pool.places or (None,) if pool is not None else ()

    def _open_pools(self, state: State) -> Iterator[e.Event]:
        opened = {pool for pool, _, _ in state.pools}
        yield from (e.OpenPool(pool.id) for pool in self.config.pools if pool.id not in opened)

    def _worker_slots(self) -> Iterator[tuple[Pool, str | None, int]]:
        for pool in self.config.pools:
            for place in pool.places or (None,):
                for slot in range(1, min(pool.working, SLOTS_TRIED) + 1):
                    yield pool, place, slot

    def _worker_stops(self, state: State) -> Iterator[e.Event]:
        away = {(each.pool, each.place, each.slot) for each in state.outages}
        if any(WORKER_STOPPED in row.instructions for row in self.config.interruptions):
            for pool, place, slot in self._worker_slots():
                if (pool.id, place, slot) not in away:
                    yield e.WorkerStop(pool.id, slot, place)

    def _worker_readies(self, state: State) -> Iterator[e.Event]:
        yield from (e.WorkerReady(each.pool, each.slot, each.place) for each in state.outages)
