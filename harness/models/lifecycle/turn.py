"""The working copy of a state while one event settles, and the rows that the settling leaves.

A `Turn` is made for one event and thrown away. It knows no step of the lifecycle: it holds the runs, the stock, the
room and the pools, and writes each change down as a row in the order in which it settles. The steps are subclasses
in modules of their own, so that each can be replaced alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.lifecycle.cells import Cell, Place
from harness.models.lifecycle.config import Config, JobRule, Number, Phase, Pool, at_place
from harness.models.lifecycle.state import Outage, State
from harness.models.pools.port import Slots

Units = list[dict[str, Any]]

__all__ = ["Cell", "Draft", "Place", "Tables", "Turn", "Units"]


class Draft(NamedTuple):
    """A log row before it is numbered: `batch` and `settle` count from 1 within the event, None outside a settle."""

    log: str
    run: str | None
    batch: int | None
    settle: int | None
    data: dict[str, Any]


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
        # Items that standing orders count; units of them may arrive although no job takes them.
        self.counted = {
            item for row in config.standing_orders for item, _ in (*row.eligible.below, *row.eligible.usable)
        }
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
        self.keys = state.keys
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
        # Whether anything changed that a reason, a condition or an offer rests on (recorded work alone does not).
        self.restless = True
        # Whether something happened since the last offers that can make a stopped run's own condition hold (step 12).
        self.stirred = False
        # Where working slots were freed since the last offers.
        self.freed: dict[Place, None] = {}
        self.slots_freed = 0
        # Runs whose passed-over offer was written down since then.
        self.passed: set[str] = set()
        # What this batch did that step 19 reacts to: offers that were due, refusals, pools that opened.
        self.offers_due_everywhere = False
        self.offers_due: dict[Place, None] = {}
        self.refused_in: dict[Place, None] = {}
        self.opened: dict[Place, None] = {}

    # -- settles and rows ---------------------------------------------------------------------------------------

    def begin_batch(self) -> None:
        """What settles from here on is a batch of its own."""
        self._batch_open = False

    def stir(self) -> None:
        """Something happened that can make any run eligible: conditions are tested, and offers are due everywhere."""
        self.restless = self.stirred = self.offers_due_everywhere = True

    def wake(self, where: Place) -> None:
        """An offer is due at this pool and place (step 18)."""
        self.restless = True
        self.offers_due[where] = None

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
        self.restless = True
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

    def add_key(self, item: str, source: str) -> None:
        """A source that held none of the item so far."""
        amounts = {**dict(zip(self.keys, self.stock, strict=True)), (item, source): 0}
        self.keys = tuple(sorted(amounts))
        self.index = {key: at for at, key in enumerate(self.keys)}
        self.stock = [amounts[key] for key in self.keys]

    def move(self, cell: Cell, change: str, amounts: list[int]) -> None:
        """Claim, release, spend or lose these amounts, aligned with the run's needs; zeros leave no row."""
        if not any(amounts):
            return
        self.restless = True
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
            self.stir()
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

    def put_slots(self, where: Place, slots: Any) -> None:
        """The working slots of a place are this from now on; the row's other places may share the pool behind them."""
        self.pools[where] = slots
        pool, place = where
        for other in self.tables.pools[pool or ""].places:
            if other != place:
                self.pools[pool, other] = self.slots.beside(self.pools[pool, other], slots)

    def waiting_in(self, where: Place) -> int:
        """Waiting slots that runs hold at a pool and place."""
        return sum(1 for cell in self.cells.values() if cell.waiting_slot and cell.where == where)

    def take_working(self, cell: Cell) -> None:
        """The first free slot at or after the cursor."""
        where = cell.where
        slots, cell.working_slot = self.slots.take(self.pools[where], cell.id)
        self.put_slots(where, slots)
        self._count(cell, "working", "take")

    def free_working(self, cell: Cell) -> None:
        """Give the working slot back, where the run holds one."""
        if cell.working_slot is None:
            return
        self.put_slots(cell.where, self.slots.give_back(self.pools[cell.where], cell.id))
        cell.working_slot = None
        self.slot_freed(cell.where)
        self._count(cell, "working", "free")

    def slot_freed(self, where: Place) -> None:
        """A working slot came free here: it is to be offered."""
        self.slots_freed += 1
        self.freed[where] = None
        self.wake(where)

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
        if not self.full:
            return
        pool = self.tables.pools[cell.pool or ""]
        working = slot == "working"
        used = self.slots.used(self.pools[cell.where]) if working else self.waiting_in(cell.where)
        limit = pool.working if working else pool.waiting
        data = {"pool": cell.pool, "place": cell.place, "slot": slot, "change": change, "used": used, "limit": limit}
        self.note("count-trace", cell.id, **data, **(self.inside(cell.where) if working else {}))

    def inside(self, where: Place) -> dict[str, Any]:
        """The column `internal` of a row about working slots, where there is a pool to look into."""
        shown = self.slots.shown(self.pools[where])
        return {} if shown is None else {"internal": shown}

    # -- the result -----------------------------------------------------------------------------------------------

    def state(self) -> State:
        """The state after this event."""
        before = self.before
        runs = tuple(cell.freeze() for cell in self.cells.values())
        return State(
            self.keys,
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
