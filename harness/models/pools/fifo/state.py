"""The states of a FIFO pool, and what one step yields."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.actions import Actions
from harness.models.pools.correlations import Allocators
from harness.models.pools.deadlines import Deadline
from harness.models.pools.definition import PreparedRole
from harness.models.pools.endings import ENDED, Draining, ForcedRetirement, Stopped
from harness.models.pools.members import Member
from harness.models.pools.values import QueuedJob

__all__ = [
    "ENDED",
    "Constructed",
    "Deadline",
    "Draining",
    "ForcedRetirement",
    "Operating",
    "State",
    "Stopped",
    "Transition",
]


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


State = Constructed | Operating | Draining | ForcedRetirement | Stopped


class Transition(NamedTuple):
    """What one input did: the next state and all that leaves with it; `refused` where nothing is taken in at all."""

    state: State
    actions: Actions
    refused: str | None = None
