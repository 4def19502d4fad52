"""Working slots whose workers a fixed supervisor brings back: one role for each slot, over any carrier of the slots.

The supervisor alone says whether a slot's worker is there; the carrier is told when that changes. A worker that stops
is told to the supervisor, which asks for a replacement and has it prepared at once; the slot stays unavailable until
the supervisor has the exact worker reported as ready.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from harness.models.pools.port import Slots
from harness.models.pools.renaming import canonical
from harness.models.pools.supervisor.bench import Bench, Seat, after, fact_of
from harness.models.pools.supervisor.definition import Definition, Recovery, Restarts
from harness.models.pools.supervisor.members import Online, phase_of
from harness.models.pools.supervisor.model import Supervisor, construct
from harness.models.pools.supervisor.post import EMPTY as NOTHING_SENT
from harness.models.pools.supervisor.state import Constructed, Operating, State, all_members
from harness.models.pools.supervisor.timing import Timing
from harness.models.pools.timing import Budget

UNLIMITED = Recovery("permanent", Restarts("one-for-one", Budget(2**31, 0), Timing("immediate")))
BIRTH_TO_ONLINE = 3
"""Good answers from a proxy's creation to its first worker: birth, receipt, readiness."""
RECEIPT_TO_ONLINE = 2


class Watch(NamedTuple):
    """A supervisor of a place's workers, with the world around it."""

    supervisor: Operating
    bench: Bench


class SupervisedState(NamedTuple):
    """One place: what the carrier keeps of it, and the supervisor of its workers (None where it has no slot)."""

    slots: Any
    watch: Watch | None


class SupervisedSlots:
    """Slots of any carrier with supervised workers, behind the port."""

    def __init__(self, carrier: Slots[Any]) -> None:
        self._carrier = carrier

    def opened(self, limit: int, places: tuple[str, ...]) -> tuple[SupervisedState, ...]:
        """The carrier's places, and for each a supervisor whose roles are all online."""
        watch = _all_online(limit) if limit else None
        return tuple(SupervisedState(each, watch) for each in self._carrier.opened(limit, places))

    def beside(self, slots: SupervisedState, changed: SupervisedState) -> SupervisedState:
        """Supervisors know nothing of one another; the carrier may."""
        return slots._replace(slots=self._carrier.beside(slots.slots, changed.slots))

    def free(self, slots: SupervisedState) -> int:
        """How many slots could be taken now."""
        return self._carrier.free(slots.slots)

    def used(self, slots: SupervisedState) -> int:
        """How many slots a run holds."""
        return self._carrier.used(slots.slots)

    def take(self, slots: SupervisedState, run: str) -> tuple[SupervisedState, int]:
        """The carrier finds the slot."""
        taken, index = self._carrier.take(slots.slots, run)
        return slots._replace(slots=taken), index

    def give_back(self, slots: SupervisedState, run: str) -> SupervisedState:
        """The slot that `run` holds becomes idle; its worker may be gone all the same."""
        return slots._replace(slots=self._carrier.give_back(slots.slots, run))

    def holder(self, slots: SupervisedState, index: int) -> str | None:
        """The run on a slot, None where it is idle. IndexError where there is no such slot."""
        return self._carrier.holder(slots.slots, index)

    def worker_stopped(self, slots: SupervisedState, index: int) -> SupervisedState:
        """The supervisor is told, and gets a replacement to hand to the slot's proxy."""
        if not self.is_ready(slots, index) or slots.watch is None:
            return slots
        watch = _told(slots.watch, f"stop {_name(index)}", "advance recovery")
        return SupervisedState(self._carrier.worker_stopped(slots.slots, index), watch)

    def worker_ready(self, slots: SupervisedState, index: int) -> SupervisedState:
        """The slot's proxy takes the replacement and reports it ready."""
        if self.is_ready(slots, index) or slots.watch is None:
            return slots
        watch = _told(slots.watch, *(f"advance {_name(index)}",) * RECEIPT_TO_ONLINE)
        after_ = SupervisedState(slots.slots, watch)
        if not self.is_ready(after_, index):
            raise ValueError(f"the supervisor has no worker for {_name(index)}")
        return after_._replace(slots=self._carrier.worker_ready(slots.slots, index))

    def shown(self, slots: SupervisedState) -> dict[str, Any] | None:
        """The carrier's view, and beside it the phase of each role of the supervisor."""
        shown = self._carrier.shown(slots.slots)
        if shown is None or slots.watch is None:
            return shown
        members = all_members(slots.watch.supervisor)
        roles = _model(len(members)).definition.roles
        return shown | {"supervisor": {role: phase_of(each) for role, each in zip(roles, members, strict=True)}}

    def is_ready(self, slots: SupervisedState, index: int) -> bool:
        """Whether the supervisor has the slot's role online."""
        return slots.watch is not None and isinstance(all_members(slots.watch.supervisor)[index], Online)


def _name(index: int) -> str:
    return f"slot-{index + 1}"


@cache
def _model(limit: int) -> Supervisor:
    return Supervisor(Definition(tuple(map(_name, range(limit))), limit, UNLIMITED))


@cache
def _all_online(limit: int) -> Watch:
    """A supervisor whose proxies were made and whose first workers are ready, in the order of the slots."""
    model = _model(limit)
    constructed = construct(model.definition)
    if not isinstance(constructed, Constructed):
        raise ValueError(f"no supervisor has {limit} slots: {constructed.reason}")
    letters = [f"advance {role}" for role in model.definition.roles for _ in range(BIRTH_TO_ONLINE)]
    return _taken(model, constructed, Bench((Seat(),) * limit), ("initialize", *letters))


def _told(watch: Watch, *letters: str) -> Watch:
    return _taken(_model(len(watch.bench.seats)), watch.supervisor, watch.bench, letters)


def _taken(model: Supervisor, state: State, bench: Bench, letters: tuple[str, ...]) -> Watch:
    """The supervisor after these letters, in its canonical form: its budget and its ordinals count nothing."""
    roles = model.definition.roles
    for letter in letters:
        fact = fact_of(letter, bench, roles)
        done = model.step(state, fact)
        state, bench = done.state, after(bench, fact, done.actions, roles)._replace(post=NOTHING_SENT)
    if not isinstance(state, Operating):
        raise ValueError(f"a supervisor of slots is {state.mode}")
    plain = state._replace(charges=(), admitted=(0,) * len(roles))
    return canonical(Watch(plain, bench))
