"""One breadth-first walk over (initial, enabled, step), with parent links and de-duplication.

Everything that searches uses it: the shortest inputs to a goal, and the walk that visits all there is within bounds.
A walk ends in one of two ways that must never be mixed up: it exhausted the space, or it met a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar


class Stepped(Protocol):
    """What a step yields: the next state, and why the input was refused (None: it was taken)."""

    @property
    def state(self) -> Hashable:
        """The state after the step."""

    @property
    def refused(self) -> str | None:
        """Why the input was refused, None where it was taken."""


S = TypeVar("S", bound=Hashable)
I = TypeVar("I")  # noqa: E741  # the walk's inputs; I beside S reads as the pair it is
T = TypeVar("T", bound=Stepped)


class Bounds(NamedTuple):
    """Limits of a walk: `depth` inputs in a sequence, `states` distinct states."""

    depth: int
    states: int


class Edge(NamedTuple, Generic[S, I, T]):
    """One transition that the walk took: from the node `parent`, by `input`, to the node `node`.

    `fresh` says whether the state was met for the first time, `depth` how many inputs lead to it.
    """

    parent: int
    before: S
    input: I
    transition: T
    node: int
    fresh: bool
    depth: int


class Walk(Generic[S, I, T]):
    """A breadth-first walk that can be iterated once; afterwards it tells how it ended.

    Refused inputs are no transitions. `limit` is None where the space was exhausted, else the bound that was met.
    """

    def __init__(
        self,
        initial: S,
        enabled: Callable[[S], Iterable[I]],
        step: Callable[[S, I], T],
        bounds: Bounds,
    ) -> None:
        self._enabled = enabled
        self._step = step
        self._bounds = bounds
        self._nodes: dict[S, int] = {initial: 0}
        self._links: list[tuple[int, I | None]] = [(-1, None)]
        self.limit: str | None = None
        self.transitions = 0

    @property
    def states(self) -> int:
        """Distinct states met so far."""
        return len(self._nodes)

    def __iter__(self) -> Iterator[Edge[S, I, T]]:
        level = [next(iter(self._nodes))]
        depth = 0
        while level:
            if depth == self._bounds.depth:
                self.limit = "depth"
                return
            depth += 1
            following: list[S] = []
            for state in level:
                for edge in self._expand(state, depth):
                    yield edge
                    if edge.fresh:
                        following.append(edge.transition.state)  # type: ignore[arg-type]  # a step keeps S
                if self.limit is not None:
                    return
            level = following

    def _expand(self, state: S, depth: int) -> Iterator[Edge[S, I, T]]:
        parent = self._nodes[state]
        for each in self._enabled(state):
            transition = self._step(state, each)
            if transition.refused is not None:
                continue
            self.transitions += 1
            reached: S = transition.state  # type: ignore[assignment]  # a step keeps the type of the state
            node = self._nodes.get(reached)
            fresh = node is None
            if node is None:
                if len(self._nodes) >= self._bounds.states:
                    self.limit = "states"
                    return
                node = self._nodes[reached] = len(self._links)
                self._links.append((parent, each))
            yield Edge(parent, state, each, transition, node, fresh, depth)

    def path(self, node: int) -> tuple[I, ...]:
        """The shortest inputs that lead to a node (its first ones, in the order of `enabled`)."""
        inputs: list[I] = []
        while node:
            node, taken = self._links[node]
            inputs.append(taken)  # type: ignore[arg-type]  # only the initial node has no input
        return tuple(reversed(inputs))


class Search(NamedTuple, Generic[I, T]):
    """What a search found: the inputs and the last transition, or neither.

    `limit` tells a search that met a bound from one that exhausted its space (None).
    """

    inputs: tuple[I, ...] | None
    transition: T | None
    limit: str | None
    states: int
    transitions: int


def shortest(
    initial: S,
    enabled: Callable[[S], Iterable[I]],
    step: Callable[[S, I], T],
    goal: Callable[[S, I, T], bool],
    bounds: Bounds,
) -> Search[I, T]:
    """The shortest input sequence whose last transition is a goal."""
    walk = Walk(initial, enabled, step, bounds)
    for edge in walk:
        if goal(edge.before, edge.input, edge.transition):
            inputs = (*walk.path(edge.parent), edge.input)
            return Search(inputs, edge.transition, None, walk.states, walk.transitions)
    return Search(None, None, walk.limit, walk.states, walk.transitions)
