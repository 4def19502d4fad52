"""The states of a supervisor, and what one step yields."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import RecoveryId, TimerId
from harness.models.pools.supervisor.actions import Actions
from harness.models.pools.supervisor.definition import PreparedRole
from harness.models.pools.supervisor.facts import DeadlineFact
from harness.models.pools.supervisor.members import Batch, DrainMember, Independent, Member, Pending
from harness.models.pools.supervisor.timing import Charge
from harness.models.pools.supervisor.values import Allocators


class Constructed(NamedTuple):
    """Everything is made ready and nothing has begun."""

    roles: tuple[PreparedRole, ...]
    allocators: Allocators
    mode: str = "constructed"


class Operating(NamedTuple):
    """Open. Every role is either an independent member or a participant of one batch; both are kept by role.

    `pending` are recoveries that are not admitted, `admitted` the recoveries that each role has triggered so far.
    """

    members: tuple[Independent, ...]
    batches: tuple[Batch, ...]
    pending: tuple[Pending, ...]
    admitted: tuple[int, ...]
    charges: tuple[Charge, ...]
    allocators: Allocators
    mode: str = "operating"


class Deadline(NamedTuple):
    """The limit of a drain: `waiting-without-deadline`, `scheduling` or `waiting`.

    With its timer, and the earliest time at which it can go off.
    """

    phase: str
    timer: TimerId | None = None
    due: int = 0


NO_DEADLINE = Deadline("waiting-without-deadline")


class Cancelled(NamedTuple):
    """A restart timer of a recovery that the drain ended: `scheduling` or `waiting`."""

    recovery: RecoveryId
    timer: TimerId
    due: int
    word: str


class Draining(NamedTuple):
    """Closed: every member only ends. What the source and the timers still owe is settled, and leads to nothing."""

    members: tuple[DrainMember, ...]
    deadline: Deadline
    cancelled: tuple[Cancelled, ...]
    sources: tuple[Pending, ...]
    charges: tuple[Charge, ...]
    allocators: Allocators
    mode: str = "draining"


class Stopped(NamedTuple):
    """Every proxy has ended."""

    mode: str = "stopped"


class ForcedRetirement(NamedTuple):
    """The drain was cut short; these roles had not ended. The cause stands here once, with the fact that it came by."""

    roles: tuple[int, ...]
    cause: str
    fact: DeadlineFact | None
    mode: str = "forced-retirement"


class Terminated(NamedTuple):
    """A diagnostic ended the supervisor; these roles had not ended and are the host's."""

    roles: tuple[int, ...]
    diagnostic: str
    mode: str = "terminated"


State = Constructed | Operating | Draining | Stopped | ForcedRetirement | Terminated
ENDED = (Stopped, ForcedRetirement, Terminated)


class Transition(NamedTuple):
    """What one input did: the next state and all that leaves with it; `refused` where nothing is taken in at all."""

    state: State
    actions: Actions
    refused: str | None = None


def all_members(state: Operating) -> tuple[Member, ...]:
    """Independent members and participants together, by role."""
    participants = (each for batch in state.batches for each in batch.members)
    return tuple(sorted((*state.members, *participants), key=lambda each: each.role))


def ending(transition: Transition) -> tuple[str, tuple[int, ...]]:
    """How a step ended the supervisor, with the roles that it left to the host; nothing where it did not."""
    state = transition.state
    if transition.refused is None and isinstance(state, ForcedRetirement | Terminated):
        return state.mode, state.roles
    return "", ()
