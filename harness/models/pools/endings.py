"""How a pool ends: the states after its shutdown, which look the same whatever it was while it was open."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import Allocators
from harness.models.pools.deadlines import Deadline
from harness.models.pools.members import DrainMember


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


ENDED = (ForcedRetirement, Stopped)
