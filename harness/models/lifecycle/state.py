"""The state of one world: its runs, its stock, its room and its pools.

Nothing here counts settles or moments: two worlds that will behave alike are equal, so that a walk can close.
Runs stand in the order of their requests; other orders are tuples of run ids.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.lifecycle.config import Fields, Number

REQUESTED = "requested"
WAITING = "waiting"
STARTED = "started"
WORKING = "working"
STOPPED = "stopped"
FINISHED = "finished"
DELIVERED = "delivered"
CANCELED = "canceled"
FAILED = "failed"

STATES = (REQUESTED, WAITING, STARTED, WORKING, STOPPED, FINISHED, DELIVERED, CANCELED, FAILED)
TERMINAL = frozenset({DELIVERED, CANCELED, FAILED})

# Stop causes and waiting reasons of the lifecycle itself; the others are ids of rows.
OUTPUT_FULL = "output-full"
INPUTS_AT_FINISH = "inputs-unavailable-at-finish"
UNABLE = "unable-to-advance"
RECOVERY = "failure-recovery"
FINISH_GATE_CAUSES = frozenset({OUTPUT_FULL, INPUTS_AT_FINISH})
WORLD_CAUSES = FINISH_GATE_CAUSES | {UNABLE}

NO_FREE_SLOT = "no-free-slot"
EARLIER_FIRST = "earlier-job-first"
INPUTS_UNAVAILABLE = "inputs-unavailable"
DEPENDENCY_UNMET = "dependency-unmet"
# A waiting run with only these reasons is eligible for an offer (step 18).
OFFERABLE_REASONS = frozenset({NO_FREE_SLOT, EARLIER_FIRST})

START_GATE = "start-gate"
WORK_POINT = "work-point"
FINISH_GATE = "finish-gate"

ORDINARY = "ordinary"
FAILURE_STOP = "failure"


class Run(NamedTuple):
    """One run. `held` is aligned with the needs of its job.

    `ended` marks a rejected run (it keeps the state requested). `pending` is what a requested run waits for:
    `paused` (an admit) or `blocked` (a readmission). `stop` is how its stop began (ordinary, finish-gate, failure),
    `point` its resume point, `stopped_for` the ticks since the stop. `working_slot` is a slot number from 0;
    `needs` are (job, bound run) pairs. `destination` is the one chosen, `output` '' (none), 'held' or 'accepted'.
    """

    id: str
    job: str
    by: str
    state: str
    ended: bool
    pending: str
    pool: str | None
    place: str | None
    phase: str | None
    fields: Fields
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


class Outage(NamedTuple):
    """A slot whose worker is away, and what its stop did: the run it stopped and the cause it gave (None: none)."""

    pool: str
    place: str | None
    slot: int
    run: str | None
    cause: str | None


class State(NamedTuple):
    """One world at rest between two events.

    `stock` is aligned with `keys` (item, source); `free` with `room_names`. `line` holds waiting and stopped runs in
    settlement order of their admission or stop, `admitted` every admitted run in order of its admission, `finished`
    and `accepted` runs in the order of their finish and of the acceptance of their output. `pools` are
    (pool, place, slot state) for the opened ones. `conditions` are the (row, place) pairs that are true.
    `displaced` are (run, displacer) pairs, oldest first. `requests_seen` counts requests by pool (round robin).
    """

    keys: tuple[tuple[str, str], ...]
    stock: tuple[int, ...]
    room_names: tuple[str, ...]
    free: tuple[int, ...]
    runs: tuple[Run, ...]
    line: tuple[str, ...]
    admitted: tuple[str, ...]
    finished: tuple[str, ...]
    accepted: tuple[str, ...]
    pools: tuple[tuple[str, str | None, object], ...]
    conditions: tuple[tuple[str, str | None], ...]
    displaced: tuple[tuple[str, str], ...]
    outages: tuple[Outage, ...]
    requests_seen: tuple[tuple[str, int], ...]
    made: int

    def run(self, run_id: str) -> Run | None:
        """The run with this id, None where there is none."""
        return next((each for each in self.runs if each.id == run_id), None)


def is_open(run: Run) -> bool:
    """Whether the run can still move."""
    return not run.ended and run.state not in TERMINAL
