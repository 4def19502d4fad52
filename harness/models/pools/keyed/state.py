"""The states of a keyed pool, and what one step yields."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import Allocator, Allocators, BirthId, GenerationId
from harness.models.pools.endings import ENDED, Draining, ForcedRetirement, Stopped
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.outcomes import KeyedActions
from harness.models.pools.members import Member
from harness.models.pools.values import Birth, Obligation

__all__ = [
    "ENDED",
    "Cell",
    "Constructed",
    "Draining",
    "ForcedRetirement",
    "Operating",
    "State",
    "Stopped",
    "Table",
    "Transition",
    "Unsent",
    "UnsentCell",
    "Waiting",
]


class Waiting(NamedTuple):
    """A job in its role's queue; `origin` is `never-assigned` or `retried`."""

    obligation: Obligation
    origin: str


class Unsent(NamedTuple):
    """A worker that is made ready; its creation has not left yet."""

    role: int
    reservation: BirthId
    definition: str
    kind: Birth = Birth()
    phase: str = "prepared"


class Cell(NamedTuple):
    """One role: what its worker is at, and the jobs that wait for it, by ordinal."""

    member: Member
    queue: tuple[Waiting, ...] = ()


class UnsentCell(NamedTuple):
    """One role before the pool begins; jobs may wait for it already."""

    member: Unsent
    queue: tuple[Waiting, ...] = ()


class Table(NamedTuple):
    """The bindings that are kept, by key, and the one source of generations. What is not bound is not stored."""

    kept: tuple[Binding, ...] = ()
    generations: Allocator = Allocator(GenerationId(1))


class Constructed(NamedTuple):
    """Everything is made ready and no creation has left; keys can be bound and jobs can wait."""

    cells: tuple[UnsentCell, ...]
    table: Table
    allocators: Allocators
    mode: str = "constructed"


class Operating(NamedTuple):
    """Open: one cell for each role in declared order, the bindings, the restarts charged so far."""

    cells: tuple[Cell, ...]
    table: Table
    charges: tuple[int, ...]
    allocators: Allocators
    mode: str = "operating"


State = Constructed | Operating | Draining | ForcedRetirement | Stopped


class Transition(NamedTuple):
    """What one input did: the next state and all that leaves with it; `refused` where nothing is taken in at all."""

    state: State
    actions: KeyedActions
    refused: str | None = None
