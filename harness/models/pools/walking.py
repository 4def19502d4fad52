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
    before: Iterable[tuple[str, str]] = (),
) -> Walked:
    """Walk breadth first and count.

    Without `shaped` nodes are told apart exactly, and every sequence of letters is visited over the table of edges,
    each of which was taken once. With it, nodes of one shape are one state. `reached` gives (group, name) of what a
    taken letter met, `before` what was met on the way to the start. A broken node is not walked beyond.
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
    tally = _Tally()
    tally.meet(before)
    for edge in search:
        taken = edge.transition.taken
        tally.following.setdefault(edge.parent, []).append(edge.node)
        tally.meet(reached(taken))
        if taken.acted:
            tally.acted.add(edge.input)
        for name in [each for each in taken.node.broken if each not in tally.found]:
            tally.found[name] = Found(name, (*search.path(edge.parent), edge.input))
        tally.depth = edge.depth
    return Walked(
        prefixes=0 if shaped else visit(tally.following, bounds.depth),
        states=search.states,
        edges=search.transitions,
        limit=search.limit,
        depth=tally.depth,
        acted=tuple(each for each in letters if each in tally.acted),
        reached=tuple((group, tuple(sorted(names))) for group, names in sorted(tally.met.items())),
        violations=tuple(tally.found.values()),
    )


class _Tally:
    """What is counted along a walk; `following` are the nodes behind each node, one for each letter."""

    def __init__(self) -> None:
        self.found: dict[str, Found] = {}
        self.acted: set[str] = set()
        self.met: dict[str, set[str]] = {}
        self.following: dict[int, list[int]] = {}
        self.depth = 0

    def meet(self, each: Iterable[tuple[str, str]]) -> None:
        """Groups and names that were met."""
        for group, name in each:
            self.met.setdefault(group, set()).add(name)


def _same(node: Any) -> Any:
    return node


def visit(following: dict[int, list[int]], depth: int) -> int:
    """Visit every sequence up to a depth over the table of edges, the empty one included, and count them."""
    count, level = 1, [0]
    for left in range(depth, 0, -1):
        count += sum(len(following.get(each, ())) for each in level)
        if left > 1:
            level = [node for each in level for node in following.get(each, ())]
    return count
