"""What a law's model offers to runs: a pool that takes facts, its surroundings, and a view of what it holds.

Everything else of this folder rests on these values alone, so that a law joins in by one class of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple, Protocol


class Held(NamedTuple):
    """A job and who holds it: `worker` with its role, or `queue`, with its role where each role has a queue.

    `prior` is the role that had a waiting job before, None where none had.
    """

    job: int
    ordinal: int
    holder: str
    role: str | None
    prior: str | None = None


class Assigned(NamedTuple):
    """A running assignment: its numbers, and how its three facts have joined so far."""

    role: str
    worker: int
    assignment: int
    job: int
    join: str


class Bound(NamedTuple):
    """A key that is bound to a role, and the generation of its binding."""

    key: str
    role: str
    generation: int


class Cell(NamedTuple):
    """A role at its place, as a log shows it.

    `within` is the part of the phase (a recovery's step, the work of a draining worker), `worker` and `birth` its
    worker's numbers, `open` the answers that it waits for, `kept` the facts that it holds back, `after` what follows
    the end of its worker. `member` is the whole value: two cells with equal members are the same.
    """

    role: str
    phase: str
    within: str | None
    worker: int | None
    birth: int | None
    ticket: int | None
    open: tuple[str, ...]
    kept: tuple[str, ...]
    after: str | None
    member: Hashable


class View(NamedTuple):
    """A pool's state as its logs tell it; `cursor` is None where the law has none or the pool is closed.

    `within` is the part of the mode: the state of a drain's deadline. `queue` and `running` are in their own order,
    `cells` in the order of the places. `bindings` are empty where jobs have no keys, `rest` is what a law's own logs
    tell besides.
    """

    mode: str
    cells: tuple[Cell, ...]
    queue: tuple[Held, ...]
    running: tuple[Assigned, ...]
    cursor: int | None
    tickets: int
    charges: tuple[int, ...]
    within: str | None = None
    rest: Hashable = None
    bindings: tuple[Bound, ...] = ()


class Took(NamedTuple):
    """What one letter did: the fact it stood for, the pool's operations, and why nothing was taken in, or None.

    Facts and operations are those of the law. `selections` are the keys that a selector was asked for, each with its
    answer.
    """

    fact: Any
    actions: Any
    refused: str | None
    selections: tuple[tuple[str, str], ...] = ()


class Pool(Protocol):
    """One law's pool under one definition. It holds no state: nodes are values (the pool and its surroundings)."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The declared roles, in their order."""

    @property
    def letters(self) -> tuple[str, ...]:
        """Everything that can happen to it, but for its beginning."""

    def construct(self, world: Mapping[str, Any]) -> Any:
        """The node before it begins."""

    def take(self, node: Any, letter: str) -> tuple[Any, Took]:
        """The node after a letter, and what was done."""

    def view(self, node: Any) -> View:
        """What the pool holds there."""

    def shape(self, node: Any) -> Hashable:
        """The node but for the names of its correlations."""
