"""The states of a FIFO pool, and what one step yields."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.actions import Actions
from harness.models.pools.correlations import Allocators
from harness.models.pools.deadlines import Deadline as Deadline
from harness.models.pools.definition import PreparedRole
from harness.models.pools.members import DrainMember, Member
from harness.models.pools.values import QueuedJob


class Constructed(NamedTuple):
    """Everything is made ready and nothing has begun."""

    roles: tuple[PreparedRole, ...]
    allocators: Allocators
    mode: str = "constructed"


class Operating(NamedTuple):
    """Open: one member for each role, the queue by ordinal, the cursor on the ring, the restarts charged so far."""

    members: tuple[Member, ...]
    queue: tuple[QueuedJob, ...]
    cursor: int
    charges: tuple[int, ...]
    allocators: Allocators
    mode: str = "operating"


class Draining(NamedTuple):
    """Closed: no job is here any more, and every member only ends."""

    members: tuple[DrainMember, ...]
    deadline: Deadline
    allocators: Allocators
    mode: str = "draining"


class ForcedRetirement(NamedTuple):
    """The drain was cut short: whoever had not ended is in the host's custody, with the cause."""

    unresolved: tuple[DrainMember, ...]
    cause: str
    mode: str = "forced-retirement"


class Stopped(NamedTuple):
    """Every worker has ended."""

    mode: str = "stopped"


State = Constructed | Operating | Draining | ForcedRetirement | Stopped
ENDED = (ForcedRetirement, Stopped)


class Transition(NamedTuple):
    """What one input did: the next state and all that leaves with it; `refused` where nothing is taken in at all."""

    state: State
    actions: Actions
    refused: str | None = None
