"""The working copy of a state while one event settles, and the rows that the settling leaves.

A `Turn` is made for one event and thrown away. It knows no step of the lifecycle: it holds the runs, the stock, the
room and the pools, and writes each change down as a row in the order in which it settles. The steps are subclasses
in modules of their own, so that each can be replaced alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.lifecycle.config import Config, JobRule, Number, Phase, Pool, at_place
from harness.models.lifecycle.state import Outage, Run, State, is_open
from harness.models.pools.port import Slots

Place = tuple[str | None, str | None]
Units = list[dict[str, Any]]


class Draft(NamedTuple):
    """A log row before it is numbered: `batch` and `settle` count from 1 within the event, None outside a settle."""

    log: str
    run: str | None
    batch: int | None
    settle: int | None
    data: dict[str, Any]


class Cell:
    """A run that may change while an event settles (fields of `Run`)."""

    __slots__ = Run._fields

    def __init__(self, run: Run) -> None:
        for name, value in zip(Run._fields, run, strict=True):
            setattr(self, name, value)

    id: str
    job: str
    by: str
    state: str
    ended: bool
    pending: str
    pool: str | None
    place: str | None
    phase: str | None
    fields: tuple[tuple[str, int | str], ...]
    required: Number
    per_tick: Number
    work: Number
    held: tuple[int, ...]
    working_slot: int | None
    waiting_slot: bool
    reserved: bool
    reasons: tuple[str, ...]
    causes: tuple[str, ...]
    stop: str
    point: str
    stopped_for: int
    needs: tuple[tuple[str, str], ...]
    destination: str | None
    output: str

    def freeze(self) -> Run:
        """The run as a value."""
        return Run(*[getattr(self, name) for name in Run._fields])

    @property
    def where(self) -> Place:
        """The pool and place it belongs to."""
        return self.pool, self.place

    @property
    def is_open(self) -> bool:
        """Whether it can still move."""
        return is_open(self)  # type: ignore[arg-type]  # a cell has the fields of a run


class Tables:
    """Look-ups that are worked out once for a configuration."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.jobs: dict[str, JobRule] = {each.id: each for each in config.jobs}
        self.phases: dict[str, Phase] = {each.id: each for each in config.phases}
        self.pools: dict[str, Pool] = {each.id: each for each in config.pools}
        self.capacities: dict[str, int | None] = {each.name: each.capacity for each in config.destinations}
        self.whole_at_start = config.timing == "taken-at-start"
        self.whole_at_request = config.timing == "taken-at-request"
        self.at_finish = config.timing == "taken-at-finish"
        self.progress = config.timing == "with-progress"
        self.polled = any(each.polled for each in (*config.readmissions, *config.redeliveries, *config.collections))
        self._sources: dict[tuple[str, str | None], tuple[tuple[str, str], ...]] = {}

    def sources(self, job: str, place: str | None) -> tuple[tuple[str, str], ...]:
        """(item, source) of each need of a job, `{place}` filled in; aligned with `Run.held`."""
        found = self._sources.get((job, place))
        if found is None:
            found = tuple((need.item, at_place(need.source, place)) for need in self.jobs[job].needs)
            self._sources[job, place] = found
        return found

    def places(self) -> tuple[str, ...]:
        """Every place of every pool, in written order, each once."""
        return tuple(dict.fromkeys(place for pool in self.config.pools for place in pool.places))

    def stock_keys(self) -> tuple[tuple[str, str], ...]:
        """Every (item, source) that some run could need, sorted."""
        places: tuple[str | None, ...] = (*self.places(), None)
        return tuple(sorted({key for job in self.jobs for place in places for key in self.sources(job, place)}))


class Turn:
    """One event settling. `full` False leaves out every row but reports and states, for searches."""

    def __init__(self, tables: Tables, slots: Slots[Any], state: State, full: bool = True) -> None:
        self.tables = tables
        self.config = tables.config
        self.slots = slots
        self.before = state
        self.full = full
        self.index = {key: at for at, key in enumerate(state.keys)}
        self.stock = list(state.stock)
        self.free = dict(zip(state.room_names, state.free, strict=True))
        self.cells = {run.id: Cell(run) for run in state.runs}
        self.line = list(state.line)
        self.admitted = list(state.admitted)
        self.finished = list(state.finished)
        self.accepted = list(state.accepted)
        self.pools: dict[Place, Any] = {(pool, place): value for pool, place, value in state.pools}
        self.conditions = set(state.conditions)
        self.displaced = list(state.displaced)
        self.outages = list(state.outages)
        self.requests_seen = dict(state.requests_seen)
        self.made = state.made
        self.rows: list[Draft] = []
        self.settle_number = 0
        self.batch_number = 0
        self._batch_open = False
        self._in_batch = False
        self._moved: dict[str, Units] = {"claim": [], "release": [], "spend": [], "lose": []}
        # What this event did that steps 12, 18 and 19 react to.
        self.stirred = False
        self.freed: dict[Place, None] = {}
        self.refused_in: dict[Place, None] = {}
        self.opened: dict[Place, None] = {}
        self.scanning = False

    # -- settles and rows ---------------------------------------------------------------------------------------

    def begin_batch(self) -> None:
        """What settles from here on is a batch of its own."""
        self._batch_open = False

    def begin_settle(self, in_batch: bool = True) -> None:
        """One transition begins; the first of a batch opens it."""
        self.settle_number += 1
        self._in_batch = in_batch
        for units in self._moved.values():
            units.clear()
        if in_batch and not self._batch_open:
            self._batch_open = True
            self.batch_number += 1

    def write(self, log: str, run: str | None, data: dict[str, Any]) -> None:
        """A row inside the current settle."""
        batch = self.batch_number if self._in_batch else None
        self.rows.append(Draft(log, run, batch, self.settle_number, data))

    def note(self, log: str, run: str | None, **data: Any) -> None:
        """A row inside the current settle of a log that searches don't need; `_` in names stands for `-`."""
        if self.full:
            self.write(log, run, {name.replace("_", "-"): value for name, value in data.items()})

    def remark(self, log: str, run: str | None, **data: Any) -> None:
        """A row outside any settle."""
        if self.full:
            named = {name.replace("_", "-"): value for name, value in data.items()}
            self.rows.append(Draft(log, run, None, None, named))

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """The report of the current settle, with every claim change made in it."""
        moved = self._moved
        data = {
            "job": cell.job,
            "report": name,
            "causes": list(causes),
            "old": old,
            "new": cell.state,
            "work-before": str(before),
            "work-after": str(cell.work),
            "claimed": list(moved["claim"]),
            "released": list(moved["release"]),
            "spent": list(moved["spend"]),
            "lost": list(moved["lose"]),
            "destination": cell.destination,
            "pool": cell.pool,
            "place": cell.place,
        }
        self.write("report-log", cell.id, data)

    def enter(self, cell: Cell, state: str) -> None:
        """The state change of the current settle."""
        self.write("state-trace", cell.id, {"from": cell.state, "to": state})
        cell.state = state

    # -- units ----------------------------------------------------------------------------------------------------

    def rule(self, cell: Cell) -> JobRule:
        """The run's job rule."""
        return self.tables.jobs[cell.job]

    def sources(self, cell: Cell) -> tuple[tuple[str, str], ...]:
        """(item, source) of each of the run's needs."""
        return self.tables.sources(cell.job, cell.place)

    def usable(self, item: str, source: str) -> int:
        """Units at a source that no claim holds."""
        at = self.index.get((item, source))
        return 0 if at is None else self.stock[at]

    def move(self, cell: Cell, change: str, amounts: list[int]) -> None:
        """Claim, release, spend or lose these amounts, aligned with the run's needs; zeros leave no row."""
        held = list(cell.held)
        for at, amount in enumerate(amounts):
            if amount:
                self._move_one(cell, change, held, at, amount)
        cell.held = tuple(held)

    def _move_one(self, cell: Cell, change: str, held: list[int], at: int, amount: int) -> None:
        item, source = self.sources(cell)[at]
        held[at] += amount if change == "claim" else -amount
        if change == "claim":
            self.stock[self.index[item, source]] -= amount
        elif change == "release":
            self.stock[self.index[item, source]] += amount
            self.stirred = True
        unit = {"item": item, "amount": amount, "source": source}
        self._moved[change].append(unit)
        self.note("claim-ledger", cell.id, change=change, **unit, held_after=held[at])

    def units(self, cell: Cell) -> Units:
        """The run's current claim as data."""
        return [
            {"item": item, "amount": amount, "source": source}
            for (item, source), amount in zip(self.sources(cell), cell.held, strict=True)
            if amount
        ]

    # -- slots ----------------------------------------------------------------------------------------------------

    def free_slots(self, where: Place) -> int:
        """Working slots that could be taken now at an opened pool and place."""
        return self.slots.free(self.pools[where])

    def waiting_in(self, where: Place) -> int:
        """Waiting slots that runs hold at a pool and place."""
        return sum(1 for cell in self.cells.values() if cell.waiting_slot and cell.where == where)

    def take_working(self, cell: Cell) -> None:
        """The first free slot at or after the cursor."""
        where = cell.where
        self.pools[where], cell.working_slot = self.slots.take(self.pools[where], cell.id)
        self._count(cell, "working", "take")

    def free_working(self, cell: Cell) -> None:
        """Give the working slot back, where the run holds one."""
        if cell.working_slot is None:
            return
        self.pools[cell.where] = self.slots.give_back(self.pools[cell.where], cell.id)
        cell.working_slot = None
        self.freed[cell.where] = None
        self._count(cell, "working", "free")

    def take_waiting(self, cell: Cell) -> None:
        """One waiting slot, where the run has a pool."""
        if cell.pool is not None:
            cell.waiting_slot = True
            self._count(cell, "waiting", "take")

    def free_waiting(self, cell: Cell) -> None:
        """Give the waiting slot back, where the run holds one."""
        if cell.waiting_slot:
            cell.waiting_slot = False
            self._count(cell, "waiting", "free")

    def _count(self, cell: Cell, slot: str, change: str) -> None:
        pool = self.tables.pools[cell.pool or ""]
        working = slot == "working"
        used = self.slots.used(self.pools[cell.where]) if working else self.waiting_in(cell.where)
        limit = pool.working if working else pool.waiting
        data = {"pool": cell.pool, "place": cell.place, "slot": slot, "change": change, "used": used, "limit": limit}
        self.note("count-trace", cell.id, **data)

    # -- the line -------------------------------------------------------------------------------------------------

    def join_line(self, cell: Cell) -> None:
        """The run's place in settlement order is now: it was admitted into waiting, or stopped."""
        change = "move" if cell.id in self.line else "enter"
        if cell.id in self.line:
            self.line.remove(cell.id)
        self.line.append(cell.id)
        self._record_order(cell, change)

    def leave_line(self, cell: Cell) -> None:
        """The run waits or is stopped no longer."""
        if cell.id in self.line:
            self.line.remove(cell.id)
            self._record_order(cell, "leave")

    def _record_order(self, cell: Cell, change: str) -> None:
        if self.full:
            order = self.order(cell.where)
            self.note("waiting-order-record", cell.id, pool=cell.pool, place=cell.place, change=change, order=order)

    def order(self, where: Place) -> list[str]:
        """Waiting and stopped runs of a pool and place in the pool's order (step 18); without a pool, the line's."""
        mine = [run for run in self.line if self.cells[run].where == where]
        pool = self.tables.pools.get(where[0] or "")
        if pool is not None:
            for key in reversed(pool.order):
                # A stable sort from the last field to the first; ties keep the order of the line.
                mine.sort(key=lambda run: self._order_value(run, key.field), reverse=key.descending)
        return self._after_displacers(mine)

    def _order_value(self, run: str, field: str) -> tuple[int, int | str]:
        if field == "admission":
            return 0, self.line.index(run)
        value = dict(self.cells[run].fields).get(field, 0)
        # Numbers stand before text.
        return (1, value) if isinstance(value, str) else (0, value)

    def _after_displacers(self, mine: list[str]) -> list[str]:
        if not self.displaced:
            return mine
        remaining, ordered = list(mine), []
        while remaining:
            behind = {run for run, displacer in self.displaced if displacer in remaining}
            chosen = next(run for run in remaining if run not in behind)
            remaining.remove(chosen)
            ordered.append(chosen)
        return ordered

    def end_displacements(self, run: str, as_displacer: bool) -> None:
        """A displacement ends when the displaced run resumes, or either run ends."""
        self.displaced = [pair for pair in self.displaced if pair[0] != run and not (as_displacer and pair[1] == run)]

    # -- the result -----------------------------------------------------------------------------------------------

    def state(self) -> State:
        """The state after this event."""
        before = self.before
        runs = tuple(cell.freeze() for cell in self.cells.values())
        return State(
            before.keys,
            tuple(self.stock),
            before.room_names,
            tuple(self.free[name] for name in before.room_names),
            runs,
            tuple(self.line),
            tuple(self.admitted),
            tuple(self.finished),
            tuple(self.accepted),
            tuple((pool or "", place, value) for (pool, place), value in self.pools.items()),
            tuple(sorted(self.conditions, key=str)),
            tuple(self.displaced),
            tuple(self.outages),
            tuple(sorted(self.requests_seen.items())),
            self.made,
        )

    def outage(self, pool: str, place: str | None, slot: int) -> Outage | None:
        """The recorded outage of a slot, None while its worker is there."""
        return next((each for each in self.outages if each[:3] == (pool, place, slot)), None)
