"""What must hold after every step of every walk, whatever the configuration; told in words where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config
from harness.models.lifecycle.model import Lifecycle, Transition
from harness.models.lifecycle.state import FINISH_GATE_CAUSES, TERMINAL, Run, State, is_open
from harness.models.lifecycle.turn import Draft, Tables

# The one new state of each report, or its one pair of states.
MOVES: dict[str, set[tuple[str | None, str | None]]] = {
    "job-requested": {(None, "requested")},
    "job-rejected": {("requested", "requested")},
    "job-waiting": {("requested", "waiting")},
    "job-started": {("requested", "started"), ("waiting", "started")},
    "job-working": {("started", "working")},
    "job-stopped": {("working", "stopped"), ("started", "stopped"), ("stopped", "stopped")},
    "job-resumed": {("stopped", "waiting"), ("stopped", "working"), ("stopped", "started")},
    "job-finished": {("working", "finished"), ("started", "finished")},
    "destination-refused": {("finished", "finished")},
    "job-delivered": {("finished", "delivered")},
    "job-failed": {
        *((old, "stopped") for old in ("waiting", "working", "stopped")),
        *((old, "failed") for old in ("waiting", "working", "stopped", "finished")),
    },
    "job-canceled": {(old, "canceled") for old in ("requested", "waiting", "working", "stopped")},
}
UNIT_LISTS = {"claim": "claimed", "release": "released", "spend": "spent", "lose": "lost"}
SILENT = frozenset({"tick"})


class Audit:
    """Watches one world from its beginning; each `step` returns what is wrong with it."""

    def __init__(self, model: Lifecycle, state: State) -> None:
        self.model = model
        self.config: Config = model.config
        self.tables: Tables = model.tables
        self.before = state
        self.gone: Counter[tuple[str, str]] = Counter()
        self.there = self._total(state)
        self.lives: dict[str | None, str] = {}

    def step(self, event: e.Event, transition: Transition) -> list[str]:
        """Everything that this step breaks."""
        before, after = self.before, transition.state
        if transition.refused is not None:
            return [] if after is before and transition.rows == () else ["a refused event changes something"]
        self._account(event, transition.rows)
        found = [*self._state(before, after), *self._rows(transition.rows, after)]
        self.before = after
        return found

    # -- states ---------------------------------------------------------------------------------------------------

    def _state(self, before: State, after: State) -> Iterator[str]:
        yield from self._units_are_conserved(after)
        yield from self._slots(after)
        yield from self._room(after)
        yield from self._orders(after)
        for run in after.runs:
            yield from self._run(run, after)
        yield from _the_past_stays(before, after)

    def _total(self, state: State) -> Counter[tuple[str, str]]:
        total: Counter[tuple[str, str]] = Counter(dict(zip(state.keys, state.stock, strict=True)))
        for run in state.runs:
            for key, amount in zip(self.tables.sources(run.job, run.place), run.held, strict=True):
                total[key] += amount
        return +total

    def _account(self, event: e.Event, rows: tuple[Draft, ...]) -> None:
        """Units that came from outside or left for good."""
        if isinstance(event, e.Supply):
            self.there[event.item, event.source] += event.amount
        elif isinstance(event, e.Use):
            self.gone[event.item, event.source] += event.amount
        for row in rows:
            if row.log == "claim-ledger" and row.data["change"] in ("spend", "lose"):
                self.gone[row.data["item"], row.data["source"]] += row.data["amount"]

    def _units_are_conserved(self, after: State) -> Iterator[str]:
        if self._total(after) + self.gone != +self.there:
            yield f"units appear or vanish: {self._total(after)} and {self.gone} of {self.there}"
        if min(after.stock, default=0) < 0:
            yield "a source holds less than nothing"

    def _slots(self, after: State) -> Iterator[str]:
        for pool_id, place, slots in after.pools:
            pool = self.tables.pools[pool_id]
            here = [run for run in after.runs if (run.pool, run.place) == (pool_id, place)]
            holders = [run for run in here if run.working_slot is not None]
            if self.model.slots.used(slots) != len(holders) or len(holders) > pool.working:
                yield f"{pool_id}: {len(holders)} runs hold working slots, {self.model.slots.used(slots)} are used"
            for run in holders:
                if self.model.slots.holder(slots, run.working_slot or 0) != run.id:
                    yield f"{run.id} does not hold the slot it says"
            waiting = sum(run.waiting_slot for run in here)
            if pool.waiting is not None and waiting > pool.waiting:
                yield f"{pool_id}: {waiting} waiting slots are taken, of {pool.waiting}"

    def _room(self, after: State) -> Iterator[str]:
        for name, free in zip(after.room_names, after.free, strict=True):
            mine = [run for run in after.runs if run.destination == name]
            lying = [run for run in mine if run.reserved or run.id in after.accepted]
            taken = sum(self.tables.jobs[run.job].size for run in lying)
            capacity = self.tables.capacities[name] or 0
            if not 0 <= free <= capacity - taken:
                yield f"{name}: {free} of {capacity} are free although {taken} are taken"

    def _orders(self, after: State) -> Iterator[str]:
        known = [run.id for run in after.runs if run.state in ("waiting", "stopped")]
        if sorted(after.line) != sorted(known):
            yield f"the line {after.line} is not {known}"
        finished = [run.id for run in after.runs if run.state == "finished"]
        if sorted(after.finished) != sorted(finished):
            yield f"finished are {finished}, not {after.finished}"
        accepted = [run.id for run in after.runs if run.state == "finished" and run.output == "accepted"]
        if sorted(after.accepted) != sorted(accepted):
            yield f"accepted are {accepted}, not {after.accepted}"
        ended = {run.id for run in after.runs if not is_open(run)}
        if ended & {run for pair in after.displaced for run in pair}:
            yield f"an ended run displaces or is displaced: {after.displaced}"

    def _run(self, run: Run, after: State) -> Iterator[str]:
        if run.state == "started":
            yield f"{run.id} stays in started"
        if not 0 <= run.work <= run.required and run.phase is not None:
            yield f"{run.id} has recorded {run.work} of {run.required}"
        if any(amount < 0 for amount in run.held):
            yield f"{run.id} holds less than nothing"
        for amount, need in zip(run.held, self.tables.jobs[run.job].needs, strict=True):
            if amount > need.amount:
                yield f"{run.id} holds {amount} of {need.item}, and needs {need.amount}"
        yield from self._slots_of(run)
        yield from self._claims_of(run)

    def _slots_of(self, run: Run) -> Iterator[str]:
        if run.waiting_slot and (run.state != "waiting" or run.pool is None):
            yield f"{run.id} has a waiting slot in {run.state}"
        if run.state == "waiting" and run.pool is not None and not run.waiting_slot:
            yield f"{run.id} waits without a waiting slot"
        if run.state == "working" and run.pool is not None and run.working_slot is None:
            yield f"{run.id} works without a slot"
        if not is_open(run) and (run.working_slot is not None or run.waiting_slot or run.reserved):
            yield f"{run.id} has ended and keeps a slot or a reservation"
        if run.state == "stopped" and run.working_slot is not None and not set(run.causes) <= FINISH_GATE_CAUSES:
            yield f"{run.id} keeps its slot, stopped by {run.causes}"
        if run.state == "stopped" and run.working_slot is not None and not run.causes:
            yield f"{run.id} keeps its slot although no cause is left"

    def _claims_of(self, run: Run) -> Iterator[str]:
        held = sum(run.held)
        early = self.config.timing in ("taken-at-finish", None)
        if held and early:
            yield f"{run.id} holds units before its finish gate"
        if held and run.state == "waiting" and self.config.timing != "taken-at-request":
            yield f"{run.id} holds units while it waits"
        if held and run.state in ("finished", "delivered", "canceled"):
            yield f"{run.id} is {run.state} and holds units"
        if held and run.state == "stopped" and self.config.release_stopped_claims:
            yield f"{run.id} is stopped and holds units that the answer releases"
        if (run.state == "stopped") != bool(run.stop):
            yield f"{run.id} is {run.state}, its stop is {run.stop!r}"

    # -- rows -----------------------------------------------------------------------------------------------------

    def _rows(self, rows: tuple[Draft, ...], after: State) -> Iterator[str]:
        yield from _numbers_rise(rows)
        yield from self._lives(rows, after)
        for settle in {row.settle for row in rows if row.settle is not None}:
            yield from _one_settle([row for row in rows if row.settle == settle])

    def _lives(self, rows: tuple[Draft, ...], after: State) -> Iterator[str]:
        """State rows and reports join up, each run's life from its request to where it stands now."""
        for row in rows:
            if row.log == "state-trace":
                if self.lives.get(row.run) != row.data["from"]:
                    yield f"{row.run} leaves {row.data['from']}, and was {self.lives.get(row.run)}"
                self.lives[row.run] = row.data["to"]
            elif row.log == "report-log":
                yield from self._report(row)
        for run in after.runs:
            if self.lives.get(run.id) != run.state:
                yield f"{run.id} is {run.state}, its rows say {self.lives.get(run.id)}"

    def _report(self, row: Draft) -> Iterator[str]:
        name, old, new = row.data["report"], row.data["old"], row.data["new"]
        if name == "job-requested":
            self.lives[row.run] = "requested"
        if (old, new) not in MOVES[name]:
            yield f"{name} tells {old} to {new}"
        if self.lives.get(row.run) != new:
            yield f"{name} says {new}, the run is {self.lives.get(row.run)}"
        if not row.data["causes"]:
            yield f"{name} has no cause"


def _the_past_stays(before: State, after: State) -> Iterator[str]:
    """Ids are never reused, and what has ended stays as it ended."""
    now = {run.id: run for run in after.runs}
    for run in before.runs:
        if run.id not in now or now[run.id].job != run.job:
            yield f"{run.id} is gone or another run"
        elif not is_open(run) and now[run.id] != run:
            yield f"{run.id} had ended and changes"
        elif run.state in TERMINAL and now[run.id].state != run.state:
            yield f"{run.id} leaves {run.state}"


def _numbers_rise(rows: tuple[Draft, ...]) -> Iterator[str]:
    batch = settle = 0
    for row in rows:
        if row.settle is None and row.batch is not None:
            yield "a row outside a settle has a batch"
        if row.settle is not None and not settle <= row.settle <= settle + 1:
            yield f"settle {row.settle} comes after {settle}"
        if row.batch is not None and not batch <= row.batch <= batch + 1:
            yield f"batch {row.batch} comes after {batch}"
        settle, batch = row.settle or settle, row.batch or batch


def _one_settle(rows: list[Draft]) -> Iterator[str]:
    """One run moves once, claims come before the report, and the report tells exactly them."""
    moves = [row for row in rows if row.log == "state-trace"]
    reports = [row for row in rows if row.log == "report-log"]
    if len(moves) > 1 or len(reports) > 1:
        yield "two transitions in one settle"
    alone = [row for row in reports if row.data["report"] == "job-requested"]
    if alone and any(row.batch is not None for row in rows):
        yield "job-requested stands in a batch"
    if moves and [(row.run, row.data["old"], row.data["new"]) for row in reports] != [
        (row.run, row.data["from"], row.data["to"]) for row in moves
    ]:
        yield "a move and the report of its settle differ"
    ledger: dict[str, list[dict[str, Any]]] = {change: [] for change in UNIT_LISTS}
    for row in rows:
        if row.log == "claim-ledger":
            ledger[row.data["change"]].append({key: row.data[key] for key in ("item", "amount", "source")})
        elif row.log == "report-log":
            told = {change: row.data[column] for change, column in UNIT_LISTS.items()}
            if told != ledger:
                yield f"the report of {row.run} tells {told}, the ledger of its settle {ledger}"
