"""Working slots behind the port as one keyed pool for all places of a row: each place is a role and its own key.

Every place has one slot. The manager binds every place to its role when the row opens, so the binding capacity is the
number of places and no binding ever moves. Taking the slot of a place is a submission with its key that is accepted and
assigned in one step, giving it back the matching completion; a worker that stops under a run lets the pool return its
job (`fail`), and the run keeps its slot until it gives it back. No role has a backlog: the lifecycle does the waiting.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import RequestId
from harness.models.pools.definition import Definition
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.inputs import Rebalance, Submit
from harness.models.pools.keyed.model import KeyedPool, construct
from harness.models.pools.keyed.state import Constructed, Operating, State
from harness.models.pools.renaming import canonical
from harness.models.pools.slot_workers import CUSTOMER, STEPS_KEPT, UNLIMITED, all_ready, back_again
from harness.models.pools.values import Authority, Evidence, Stop

PER_PLACE = 1
"""How many slots a place has: a role has one worker."""


class KeyedSlotState(NamedTuple):
    """One place of a row: its number among the row's `places`, the pool of all of them, and the run on its slot.

    `is_back` says that its worker has come back while a run still holds the slot.
    """

    pool: Operating
    places: tuple[str, ...]
    role: int
    run: str | None = None
    is_back: bool = False


class KeyedSlots:
    """The keyed pool behind the port (pools: `--model keyed`); with `shows` rows tell of its members and bindings."""

    def __init__(self, shows: bool = False) -> None:
        self._shows = shows

    def opened(self, limit: int, places: tuple[str, ...]) -> tuple[KeyedSlotState, ...]:
        """One pool whose workers are all idle; ValueError without places, or where they have not one slot each."""
        if not places or limit != PER_PLACE:
            raise ValueError(f"a keyed pool has places with one slot each, and not {limit} at {len(places) or 'no'}")
        pool = _ready_pool(places)
        return tuple(KeyedSlotState(pool, places, role) for role in range(len(places)))

    def beside(self, slots: KeyedSlotState, changed: KeyedSlotState) -> KeyedSlotState:
        """The same place in the pool as it is now."""
        return slots._replace(pool=changed.pool)

    def free(self, slots: KeyedSlotState) -> int:
        """Whether the place's worker is idle, as 0 or 1."""
        return int(isinstance(_member(slots), m.Idle))

    def used(self, slots: KeyedSlotState) -> int:
        """Whether a run holds the place's slot, as 0 or 1."""
        return int(slots.run is not None)

    def take(self, slots: KeyedSlotState, run: str) -> tuple[KeyedSlotState, int]:
        """A submission with the key of the place; ValueError where its slot is not free."""
        if not self.free(slots):
            raise ValueError("no slot is free")
        return slots._replace(pool=_taken(slots.pool, slots.places, slots.role), run=run), 0

    def give_back(self, slots: KeyedSlotState, run: str) -> KeyedSlotState:
        """The run's job is completed; where its worker has gone there is nothing left to complete."""
        if slots.run != run:
            return slots
        settled = _recovered if slots.is_back else _completed
        return slots._replace(pool=settled(slots.pool, slots.places, slots.role), run=None, is_back=False)

    def holder(self, slots: KeyedSlotState, index: int) -> str | None:
        """The run on the slot, None where it is idle; IndexError for any slot but the first."""
        if index != 0:
            raise IndexError(index)
        return slots.run

    def worker_stopped(self, slots: KeyedSlotState, index: int) -> KeyedSlotState:
        """The place's worker stops, and its replacement is asked for and prepared at once, but not there yet."""
        if slots.is_back:
            return slots._replace(is_back=False)
        return slots._replace(pool=_stopped(slots.pool, slots.places, slots.role))

    def worker_ready(self, slots: KeyedSlotState, index: int) -> KeyedSlotState:
        """The replacement is there; a slot that a run still holds keeps it for that run."""
        if not isinstance(_member(slots), m.Creating):
            return slots
        if slots.run is not None:
            return slots._replace(is_back=True)
        return slots._replace(pool=_recovered(slots.pool, slots.places, slots.role))

    def is_ready(self, slots: KeyedSlotState, index: int) -> bool:
        """Whether the place's worker is there."""
        return slots.is_back or isinstance(_member(slots), m.Idle | m.Busy)

    def shown(self, slots: KeyedSlotState) -> dict[str, Any] | None:
        """Every place's worker's phase, and the generation of the binding of this place's key."""
        if not self._shows:
            return None
        phases = {place: each.member.phase for place, each in zip(slots.places, slots.pool.cells, strict=True)}
        (bound,) = (each for each in slots.pool.table.kept if each.role == slots.places[slots.role])
        return {"law": "keyed-pool", "members": phases, "generation": int(bound.generation)}


def _member(slots: KeyedSlotState) -> m.Member:
    return slots.pool.cells[slots.role].member


@cache
def _model(places: tuple[str, ...]) -> KeyedPool:
    workers = Definition(places, len(places), UNLIMITED, 0, "fail")
    return KeyedPool(KeyedDefinition(workers, _own_role, len(places)))


def _own_role(key: str) -> str:
    return key


@cache
def _ready_pool(places: tuple[str, ...]) -> Operating:
    """A pool whose workers are ready and whose places are bound, both in the order of the places."""
    model = _model(places)
    constructed = construct(model.definition)
    if not isinstance(constructed, Constructed):
        raise ValueError(f"no keyed pool has these places: {constructed.reason}")
    state: State = all_ready(model.step, constructed, places)
    for place in places:
        state = model.step(state, Rebalance(RequestId(1), place, None, place, "lifecycle")).state
    return _open(state)


@lru_cache(STEPS_KEPT)
def _taken(pool: Operating, places: tuple[str, ...], role: int) -> Operating:
    """The pool once the place's idle worker has a job."""
    step = _model(places).step
    submitted = step(pool, Submit(RequestId(1), places[role], RequestId(1), CUSTOMER))
    (given,) = submitted.actions.role_assignments
    return _open(step(submitted.state, f.DeliveryAccepted(given.role, given.child, given.assignment)).state)


@lru_cache(STEPS_KEPT)
def _completed(pool: Operating, places: tuple[str, ...], role: int) -> Operating:
    """The pool once the place's job, where it has one, is done."""
    member = pool.cells[role].member
    if not isinstance(member, m.Busy):
        return pool
    job, worker = member.job, member.worker
    fact = f.WorkerCompleted(worker.child, Evidence(job.assignment, Authority(job.token, worker.evidence), "done"))
    return _open(_model(places).step(pool, fact).state)


@lru_cache(STEPS_KEPT)
def _stopped(pool: Operating, places: tuple[str, ...], role: int) -> Operating:
    """The pool once the place's worker, where it has one, has stopped and a replacement is prepared."""
    member = pool.cells[role].member
    if not isinstance(member, m.Idle | m.Busy):
        return pool
    step = _model(places).step
    stopped = step(pool, f.WorkerStopped(role, Stop(member.worker, True, 0)))
    # The places share one worker source: it must be free again before another worker stops.
    prepared = step(stopped.state, f.SourcePrepared(role, member.worker, "replacement"))
    return _open(prepared.state)._replace(charges=())


@lru_cache(STEPS_KEPT)
def _recovered(pool: Operating, places: tuple[str, ...], role: int) -> Operating:
    """The pool once the replacement of the place's worker is born and ready."""
    member = pool.cells[role].member
    if not isinstance(member, m.Creating):
        return pool
    return _open(back_again(_model(places).step, pool, places, role, ("birth", member.reservation)))


def _open(state: State) -> Operating:
    """The state in its canonical form, so that slots that are alike are equal; these pools never close."""
    if not isinstance(state, Operating):
        raise ValueError(f"a pool of slots is {state.mode}")
    return canonical(state)
