"""Walking a pool: every sequence of letters up to a depth, or every distinct state, and what was met on the way.

It knows no law. A `stepper` takes letters and says what was broken; the one breadth-first walk of this package does
the search, and the first sequence that shows a violation is a shortest one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Protocol

from harness.models.explorer import Bounds, Walk


class Taken(Protocol):
    """What taking a letter yields."""

    @property
    def node(self) -> Any:
        """The node after it; its `broken` are names of violations."""

    @property
    def acted(self) -> bool:
        """Whether the letter did anything."""


class Found(NamedTuple):
    """One violation with the shortest letters (after the start) that show it."""

    name: str
    letters: tuple[str, ...]


class Walked(NamedTuple):
    """What a walk came to. `limit` is the bound that it met, None where it closed."""

    prefixes: int
    states: int
    edges: int
    limit: str | None
    depth: int
    acted: tuple[str, ...]
    reached: tuple[tuple[str, tuple[str, ...]], ...]
    violations: tuple[Found, ...]

    @property
    def closed(self) -> bool:
        """Whether there is nothing beyond what was walked."""
        return self.limit is None


class _Step(NamedTuple):
    """A taken letter as the explorer sees it: a refused one would be no transition, and here every letter is one."""

    state: Hashable
    taken: Any
    refused: str | None = None


def walk(
    initial: Any,
    letters: tuple[str, ...],
    take: Callable[[Any, str], Taken],
    reached: Callable[[Any], Iterable[tuple[str, str]]],
    bounds: Bounds,
    shaped: Callable[[Any], Any] | None = None,
) -> Walked:
    """Walk breadth first and count.

    Without `shaped` nodes are told apart exactly, and every sequence of letters is visited over the table of edges,
    each of which was taken once. With it, nodes of one shape are one state. `reached` gives (group, name) of what a
    taken letter met. A broken node is not walked beyond.
    """
    wrap: Callable[[Any], Any] = shaped or _same

    def node_of(state: Any) -> Any:
        return state.node if shaped else state

    def step(state: Any, letter: str) -> _Step:
        taken = take(node_of(state), letter)
        return _Step(wrap(taken.node), taken)

    def enabled(state: Any) -> tuple[str, ...]:
        return () if node_of(state).broken else letters

    search = Walk(wrap(initial), enabled, step, bounds)
    found: dict[str, Found] = {}
    acted: dict[str, None] = {}
    met: dict[str, set[str]] = {}
    following: dict[int, list[int]] = {}
    depth = edges = 0
    for edge in search:
        edges, depth = edges + 1, edge.depth
        taken = edge.transition.taken
        following.setdefault(edge.parent, []).append(edge.node)
        if taken.acted:
            acted[edge.input] = None
        for group, name in reached(taken):
            met.setdefault(group, set()).add(name)
        for name in taken.node.broken:
            if name not in found:
                found[name] = Found(name, (*search.path(edge.parent), edge.input))
    return Walked(
        prefixes=0 if shaped else visit(following, bounds.depth),
        states=search.states,
        edges=edges,
        limit=search.limit,
        depth=depth,
        acted=tuple(each for each in letters if each in acted),
        reached=tuple((group, tuple(sorted(names))) for group, names in sorted(met.items())),
        violations=tuple(found.values()),
    )


def _same(node: Any) -> Any:
    return node


def visit(following: dict[int, list[int]], depth: int) -> int:
    """Visit every sequence up to a depth over the table of edges, the empty one included, and count them."""
    count, level = 1, [0]
    for _ in range(depth):
        level = [node for each in level for node in following.get(each, ())]
        count += len(level)
    return count
