"""Working slots behind the port as a FIFO pool: one role for each slot, no backlog, `fail`, recovery at once.

Taking a slot is a submission that is accepted and assigned in one step, giving it back the matching completion. A
worker that stops under a run lets the pool return its job; the run keeps its slot until it gives it back, and only
then does a worker that has come back in the meantime become idle.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import RequestId
from harness.models.pools.definition import Definition
from harness.models.pools.fifo.model import FifoPool, construct
from harness.models.pools.fifo.state import Constructed, Operating, State
from harness.models.pools.renaming import canonical
from harness.models.pools.slot_workers import CUSTOMER, STEPS_KEPT, UNLIMITED, all_ready, back_again
from harness.models.pools.values import Authority, Evidence, Stop


class FifoSlotState(NamedTuple):
    """The pool (None for a limit of 0), which slots runs hold, and whose worker is back while a run still holds it."""

    pool: Operating | None
    held: tuple[tuple[int, str], ...] = ()
    back: tuple[int, ...] = ()


class FifoSlots:
    """The FIFO pool behind the port (pools: `--model fifo`); with `shows` rows tell of the pool's own members."""

    def __init__(self, shows: bool = False) -> None:
        self._shows = shows

    def initial(self, limit: int) -> FifoSlotState:
        """A pool whose workers are all idle."""
        return FifoSlotState(_ready_pool(limit) if limit else None)

    def opened(self, limit: int, places: tuple[str, ...]) -> tuple[FifoSlotState, ...]:
        """A pool for each place, one for a row without places."""
        return (self.initial(limit),) * max(1, len(places))

    def beside(self, slots: FifoSlotState, changed: FifoSlotState) -> FifoSlotState:
        """The same: pools know nothing of one another."""
        return slots

    def free(self, slots: FifoSlotState) -> int:
        """How many workers are idle."""
        return sum(isinstance(each, m.Idle) for each in _members(slots))

    def used(self, slots: FifoSlotState) -> int:
        """How many slots a run holds."""
        return len(slots.held)

    def take(self, slots: FifoSlotState, run: str) -> tuple[FifoSlotState, int]:
        """A submission; the pool's ring finds the worker."""
        if slots.pool is None or not self.free(slots):
            raise ValueError("no slot is free")
        pool, index = _taken(slots.pool)
        return FifoSlotState(pool, tuple(sorted((*slots.held, (index, run)))), slots.back), index

    def give_back(self, slots: FifoSlotState, run: str) -> FifoSlotState:
        """The run's job is completed; where its worker has gone there is nothing left to complete."""
        pool, back = slots.pool, slots.back
        for index, holder in slots.held:
            if holder == run and pool is not None:
                pool = _recovered(pool, index) if index in back else _completed(pool, index)
                back = tuple(each for each in back if each != index)
        return FifoSlotState(pool, tuple(each for each in slots.held if each[1] != run), back)

    def holder(self, slots: FifoSlotState, index: int) -> str | None:
        """The run on the slot, None where it is idle; IndexError where there is no such slot."""
        if not 0 <= index < len(_members(slots)):
            raise IndexError(index)
        return next((run for held, run in slots.held if held == index), None)

    def worker_stopped(self, slots: FifoSlotState, index: int) -> FifoSlotState:
        """The slot's worker stops; a replacement is asked for and not yet there."""
        pool, held, back = slots
        if index in back:
            return FifoSlotState(pool, held, tuple(each for each in back if each != index))
        return slots if pool is None else FifoSlotState(_stopped(pool, index), held, back)

    def worker_ready(self, slots: FifoSlotState, index: int) -> FifoSlotState:
        """The replacement is there; a slot that a run still holds keeps it for that run."""
        pool, held, back = slots
        if pool is None or not isinstance(pool.members[index], m.Recovering):
            return slots
        if any(each == index for each, _ in held):
            return FifoSlotState(pool, held, tuple(sorted({*back, index})))
        return FifoSlotState(_recovered(pool, index), held, back)

    def is_ready(self, slots: FifoSlotState, index: int) -> bool:
        """Whether the slot's worker is there."""
        return index in slots.back or isinstance(_members(slots)[index], m.Idle | m.Busy)

    def shown(self, slots: FifoSlotState) -> dict[str, Any] | None:
        """Every worker's phase, and the slot at which the ring looks for the next idle one."""
        if not self._shows or slots.pool is None:
            return None
        roles = _model(len(slots.pool.members)).definition.roles
        phases = {role: each.phase for role, each in zip(roles, slots.pool.members, strict=True)}
        return {"law": "fifo-pool", "members": phases, "cursor": roles[slots.pool.cursor]}


def _members(slots: FifoSlotState) -> tuple[m.Member, ...]:
    return slots.pool.members if slots.pool is not None else ()


@cache
def _model(limit: int) -> FifoPool:
    roles = tuple(f"slot-{number}" for number in range(1, limit + 1))
    return FifoPool(Definition(roles, limit, UNLIMITED, 0, "fail"))


@cache
def _ready_pool(limit: int) -> Operating:
    """A pool whose workers were born, started and activated, in the order of the slots."""
    model = _model(limit)
    constructed = construct(model.definition)
    if not isinstance(constructed, Constructed):
        raise ValueError(f"no pool has {limit} slots: {constructed.reason}")
    return _open(all_ready(model.step, constructed, model.definition.roles))


@lru_cache(STEPS_KEPT)
def _taken(pool: Operating) -> tuple[Operating, int]:
    """The pool once the first idle worker of its ring has a job, and that worker's role."""
    model = _model(len(pool.members))
    submitted = model.step(pool, f.Submit(RequestId(1), RequestId(1), CUSTOMER))
    (given,) = submitted.actions.worker_assignments
    accepted = model.step(submitted.state, f.DeliveryAccepted(given.role, given.child, given.assignment))
    return _open(accepted.state), given.role


@lru_cache(STEPS_KEPT)
def _stopped(pool: Operating, index: int) -> Operating:
    """The pool once the role's worker, where it has one, has stopped."""
    member = pool.members[index]
    if not isinstance(member, m.Idle | m.Busy):
        return pool
    return _open(_model(len(pool.members)).step(pool, f.WorkerStopped(index, Stop(member.worker, True, 0))).state)


@lru_cache(STEPS_KEPT)
def _recovered(pool: Operating, index: int) -> Operating:
    """The pool once the replacement that it has asked for is ready."""
    member = pool.members[index]
    if not isinstance(member, m.Recovering):
        return pool
    model = _model(len(pool.members))
    state = back_again(model.step, pool, model.definition.roles, index, ("source", member.predecessor))
    return _open(state)._replace(charges=())


@lru_cache(STEPS_KEPT)
def _completed(pool: Operating, index: int) -> Operating:
    member = pool.members[index]
    if not isinstance(member, m.Busy):
        return pool
    job, worker = member.job, member.worker
    fact = f.WorkerCompleted(worker.child, Evidence(job.assignment, Authority(job.token, worker.evidence), "done"))
    return _open(_model(len(pool.members)).step(pool, fact).state)


def _open(state: State) -> Operating:
    """The state in its canonical form, so that slots that are alike are equal; these pools never close."""
    if not isinstance(state, Operating):
        raise ValueError(f"a pool of slots is {state.mode}")
    return canonical(state)
