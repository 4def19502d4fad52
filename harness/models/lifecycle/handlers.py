"""One method for each kind of event: what is refused, and which step the event enters at."""

from __future__ import annotations

from collections.abc import Callable

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import NamedEvent
from harness.models.lifecycle.decisions import refusal
from harness.models.lifecycle.deliveries import HELD
from harness.models.lifecycle.requests import BLOCKED, PAUSED
from harness.models.lifecycle.scans import Scans
from harness.models.lifecycle.state import RECOVERY, STOPPED, WORKING, Outage
from harness.models.lifecycle.turn import Cell, Place

WORKER_STOPPED = "worker-stopped"


class Handlers(Scans):
    """From an event to the settles of its batch; each method returns a refusal, or None once it has settled."""

    def settle_event(self, event: e.Event) -> str | None:
        """Take one event, then offers, then scans; polled rows fire after a tick, each as a batch of its own."""
        eligible_before = self.eligibilities() if self.config.standing_orders else {}
        handler: Callable[[e.Event], str | None] = getattr(self, "on_" + event.kind.replace("-", "_"))
        reason = handler(event)
        if reason is not None:
            return reason
        self.close_batch(eligible_before)
        if isinstance(event, e.Tick) and self.tables.polled:
            self._poll()
        return None

    def close_batch(self, eligible_before: dict[tuple[str, str | None], bool]) -> None:
        """Offers, then scans; what this batch did is forgotten."""
        self.settle_offers()
        if self.config.standing_orders:
            self.scan_where_due(eligible_before)
        self.offers_due_everywhere = False
        self.offers_due, self.refused_in, self.opened = {}, {}, {}

    def _poll(self) -> None:
        for rows, fire in (
            (self.config.readmissions, self._readmit_all),
            (self.config.redeliveries, self._redeliver_all),
            (self.config.collections, self._collect_first),
        ):
            for row in rows:
                if row.polled:
                    self.begin_batch()
                    before = self.eligibilities()
                    fire(row)
                    self.close_batch(before)

    def _named(self, kind: str, run: str) -> Cell | str:
        """The run an event names, or why it cannot act on it."""
        cell = self.cells.get(run)
        if cell is None:
            return f"there is no run {run}"
        return refusal(kind, cell.state, cell.ended) or cell

    # -- requests and runs ----------------------------------------------------------------------------------------

    def on_open_pool(self, event: e.OpenPool) -> str | None:
        """The pool exists from now on."""
        pool = self.tables.pools.get(event.row)
        if pool is None:
            return f"there is no pool {event.row}"
        places: tuple[str | None, ...] = pool.places or (None,)
        if (pool.id, places[0]) in self.pools:
            return f"the pool {pool.id} is open already"
        for place, slots in zip(places, self.slots.opened(pool.working, pool.places), strict=True):
            self.pools[pool.id, place] = slots
            self.opened[pool.id, place] = None
        return None

    def on_request(self, event: e.Request) -> str | None:
        """Steps 1 to 8."""
        return self.request(event)

    def on_admit(self, event: e.Admit) -> str | None:
        """A paused request goes on from step 3."""
        cell = self._named("admit", event.run)
        if isinstance(cell, str):
            return cell
        if cell.pending != PAUSED:
            return f"the request {event.run} is not paused"
        self.go_on_from_reservation(cell)
        return None

    def on_tick(self, event: e.Tick) -> str | None:
        """Time passes; where it only adds work, nobody becomes eligible by it."""
        self.restless = False
        self.tick()
        return None

    def on_instruct(self, event: e.Instruct) -> str | None:
        """A declared instruction is an ordinary cause; an undeclared one changes nothing."""
        cell = self.cells.get(event.run)
        if cell is None:
            return f"there is no run {event.run}"
        cause = self.cause_of(event.instruction)
        if cause is None:
            return None
        reason = refusal("instruct", cell.state, cell.ended)
        if reason is not None:
            return reason
        displacer = event.displaced_by
        if displacer is not None:
            if displacer == event.run:
                return "a run cannot displace itself"
            if displacer not in self.cells or not self.cells[displacer].is_open:
                return f"there is no open run {displacer}"
        if displacer is not None:
            # Before the stop, so that the run takes its place in the order behind its displacer.
            self.displace(event.run, displacer)
        self.add_cause(cell, cause)
        return None

    def cause_of(self, instruction: str) -> str | None:
        """The interruptions row that an instruction belongs to, None where no row declares it."""
        return next((row.id for row in self.config.interruptions if instruction in row.instructions), None)

    def on_clear(self, event: e.Clear) -> str | None:
        """`clear` acts on interruptions and on recovery; world causes clear by themselves."""
        cell = self._named("clear", event.run)
        if isinstance(cell, str):
            return cell
        declared = event.cause == RECOVERY or any(row.id == event.cause for row in self.config.interruptions)
        if not declared:
            return f"{event.cause} is no cause that can be cleared"
        if event.cause not in cell.causes:
            return f"{event.cause} is not active"
        self.clear_cause(cell, event.cause)
        return None

    def on_cancel(self, event: e.Cancel) -> str | None:
        """Step 17."""
        if event.row not in self.config.cancellations:
            return f"there is no cancellation {event.row}"
        cell = self._named("cancel", event.run)
        if isinstance(cell, str):
            return cell
        self.cancel(cell, event.row)
        return None

    def on_fail(self, event: e.Fail) -> str | None:
        """Step 16."""
        row = next((each for each in self.config.failures if each.id == event.row), None)
        if row is None:
            return f"there is no failure {event.row}"
        cell = self._named("fail", event.run)
        if isinstance(cell, str):
            return cell
        reason = self.refuse_failure(cell, row)
        if reason is None:
            self.fail(cell, row)
        return reason

    def on_set_fields(self, event: e.SetFields) -> str | None:
        """What an order sorts by changes."""
        cell = self._named("set-fields", event.run)
        if isinstance(cell, str):
            return cell
        cell.fields = tuple(sorted({**dict(cell.fields), **dict(event.fields)}.items()))
        self.wake(cell.where)
        return None

    # -- the world ------------------------------------------------------------------------------------------------

    def on_supply(self, event: e.Supply) -> str | None:
        """Units arrive."""
        key = (event.item, event.source)
        if key not in self.index:
            if event.item not in self.tables.counted:
                return f"no rule takes {event.item} from {event.source}"
            self.add_key(*key)
        self.stock[self.index[key]] += event.amount
        self.stir()
        return None

    def on_use(self, event: e.Use) -> str | None:
        """Another rule takes usable units, never claimed ones."""
        at = self.index.get((event.item, event.source))
        if at is None:
            return f"no rule takes {event.item} from {event.source}"
        if self.stock[at] < event.amount:
            return f"only {self.stock[at]} of {event.item} at {event.source} are usable"
        self.stock[at] -= event.amount
        return None

    def on_room(self, event: e.Room) -> str | None:
        """The free room of a finite destination is set."""
        name = event.destination
        if name not in self.tables.capacities:
            return f"there is no destination {name}"
        capacity = self.tables.capacities[name]
        if capacity is None:
            return f"{name} is unlimited"
        taken = self.occupied_at(name) + self.reserved_at(name)
        if event.free + taken > capacity:
            return f"{name} holds {capacity}, of which {taken} are occupied or reserved"
        self.free[name] = event.free
        self.stir()
        return None

    def on_eligible(self, event: e.Eligible) -> str | None:
        """The named condition of a standing order is set."""
        row = next((each for each in self.config.standing_orders if each.id == event.row), None)
        if row is None:
            return f"there is no standing order {event.row}"
        if not row.eligible.conditions:
            return f"{event.row} names no condition"
        pool = self.tables.pools.get(row.pool)
        places: tuple[str | None, ...] = (pool.places or (None,)) if pool is not None else (None,)
        if event.place not in places:
            return f"{event.row} has no place {event.place}"
        (self.conditions.add if event.value else self.conditions.discard)((event.row, event.place))
        return None

    # -- readmission, redelivery, collection ----------------------------------------------------------------------

    def on_readmit(self, event: e.Readmit) -> str | None:
        """All blocked requests in request order, each followed by its offers."""
        row = self._sendable(self.config.readmissions, event.row)
        return row if isinstance(row, str) else self._readmit_all(row)

    def on_redeliver(self, event: e.Redeliver) -> str | None:
        """All held outputs in finish order."""
        row = self._sendable(self.config.redeliveries, event.row)
        return row if isinstance(row, str) else self._redeliver_all(row)

    def on_collect(self, event: e.Collect) -> str | None:
        """The named accepted output, or the one accepted first."""
        row = self._sendable(self.config.collections, event.row)
        if isinstance(row, str):
            return row
        if event.run is None:
            return self._collect_first(row)
        cell = self._named("collect", event.run)
        if isinstance(cell, str):
            return cell
        if cell.id not in self.accepted:
            return f"the run {cell.id} has no accepted output"
        self.collect(cell, row.id)
        return None

    def _sendable(self, rows: tuple[NamedEvent, ...], row_id: str) -> NamedEvent | str:
        row = next((each for each in rows if each.id == row_id), None)
        if row is None:
            return f"there is no row {row_id}"
        return f"{row_id} is polled: it fires by itself in every tick" if row.polled else row

    def _readmit_all(self, row: NamedEvent) -> str | None:
        if self.config.output_full != "wait-before-start":
            return "no request is ever blocked under this answer"
        for cell in list(self.cells.values()):
            if cell.pending == BLOCKED:
                self.go_on_from_reservation(cell)
                self.settle_offers()
        return None

    def _redeliver_all(self, row: NamedEvent) -> str | None:
        if self.config.output_full not in ("hold-undelivered", "try-destinations"):
            return "no output is ever held under this answer"
        for run in list(self.finished):
            if self.cells[run].output == HELD:
                self.deliver(self.cells[run])
        return None

    def _collect_first(self, row: NamedEvent) -> str | None:
        if not self.accepted:
            return "no accepted output is there"
        self.collect(self.cells[self.accepted[0]], row.id)
        return None

    # -- workers --------------------------------------------------------------------------------------------------

    def on_worker_stop(self, event: e.WorkerStop) -> str | None:
        """The slot's worker goes; a run on it is given the declared cause."""
        found = self._slot(event.pool, event.place, event.slot)
        if isinstance(found, str):
            return found
        where, index = found
        if not self.slots.is_ready(self.pools[where], index):
            return "the slot's worker is away already"
        holder = self.slots.holder(self.pools[where], index)
        cell = self.cells[holder] if holder is not None else None
        cause = self.cause_of(WORKER_STOPPED)
        if cell is not None and (cause is None or cell.state not in (WORKING, STOPPED)):
            return "the run on the slot cannot be stopped that way"
        self.put_slots(where, self.slots.worker_stopped(self.pools[where], index))
        given = cell is not None and cause is not None and cause not in cell.causes
        self.outages.append(
            Outage(event.pool, event.place, event.slot, cell.id if cell and given else None, cause if given else None)
        )
        if cell is not None and cause is not None:
            self.add_cause(cell, cause)
        return None

    def on_worker_ready(self, event: e.WorkerReady) -> str | None:
        """The slot's worker is back; only the cause that this outage gave clears."""
        found = self._slot(event.pool, event.place, event.slot)
        if isinstance(found, str):
            return found
        where, index = found
        outage = self.outage(event.pool, event.place, event.slot)
        if outage is None:
            return "the slot's worker is there"
        self.outages.remove(outage)
        self.put_slots(where, self.slots.worker_ready(self.pools[where], index))
        self.slot_freed(where)
        cell = self.cells.get(outage.run or "")
        if cell is not None and cell.state == STOPPED and outage.cause in cell.causes:
            self.clear_cause(cell, outage.cause or "")
        return None

    def _slot(self, pool: str, place: str | None, slot: int) -> tuple[Place, int] | str:
        where = (pool, place)
        if where not in self.pools:
            return f"there is no open pool {pool}" + (f" at {place}" if place else "")
        if not 1 <= slot <= self.tables.pools[pool].working:
            return f"the pool {pool} has no slot {slot}"
        return where, slot - 1
