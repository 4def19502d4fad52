"""One breadth-first walk over (initial, enabled, step), with parent links and de-duplication.

Everything that searches uses it: the shortest inputs to a goal, and the walk that visits all there is within bounds.
A walk ends in one of two ways that must never be mixed up: it exhausted the space, or it met a limit.

A walk keeps one key and two numbers for each state, and states themselves only as long as they wait to be expanded.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


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
T = TypeVar("T")
Told = TypeVar("Told", bound=Stepped)


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

    A step gives a `Stepped`; refused inputs are no transitions. `limit` is None where the space was exhausted, else
    the bound that was met.
    `depth` and `parent` say where it is: how many inputs lead to the states now reached, and the node expanded now.

    Nodes are numbered in the order in which they are met. `key` gives what states are told apart by, where that is
    not the state itself: of the states with one key only the first is walked from.
    """

    def __init__(
        self,
        initial: S,
        enabled: Callable[[S], Iterable[I]],
        step: Callable[[S, I], T],
        bounds: Bounds,
        key: Callable[[S], Hashable] | None = None,
    ) -> None:
        self._begin(initial, _stepping(enabled, step), bounds, key)  # type: ignore[type-var]  # here T is Stepped

    @classmethod
    def through(
        cls,
        initial: S,
        successors: Callable[[S], Iterable[tuple[I, S, T]]],
        bounds: Bounds,
        key: Callable[[S], Hashable] | None = None,
    ) -> Walk[S, I, T]:
        """A walk over a model that gives all transitions of a state in one call: input, next state, what it tells."""
        walk = cls.__new__(cls)
        walk._begin(initial, successors, bounds, key)
        return walk

    def _begin(
        self,
        initial: S,
        successors: Callable[[S], Iterable[tuple[I, S, T]]],
        bounds: Bounds,
        key: Callable[[S], Hashable] | None,
    ) -> None:
        self._initial = initial
        self._successors = successors
        self._bounds = bounds
        self._key = key
        self._nodes: dict[Any, int] = {initial if key is None else key(initial): 0}
        self._parents = array("q", (-1,))
        self._inputs: list[I | None] = [None]
        self.limit: str | None = None
        self.transitions = 0
        self.parent = self.depth = 0

    @property
    def states(self) -> int:
        """Distinct states met so far."""
        return len(self._nodes)

    def __iter__(self) -> Iterator[Edge[S, I, T]]:
        for before, each, transition, node, fresh in self.steps():
            yield Edge(self.parent, before, each, transition, node, fresh, self.depth)

    def steps(self, fresh_only: bool = False) -> Iterator[tuple[S, I, T, int, bool]]:
        """Every transition as (before, input, transition, node, fresh), or only those that meet a new state.

        The same as iterating, without an object for each edge.
        """
        successors, key, states = self._successors, self._key, self._bounds.states
        known = self._nodes.setdefault
        link, note = self._parents.append, self._inputs.append
        level, first, number = [self._initial], 0, 1
        while level:
            if self.depth == self._bounds.depth:
                self.limit = "depth"
                return
            self.depth += 1
            following: list[S] = []
            wait = following.append
            for self.parent, state in enumerate(level, first):
                for each, reached, transition in successors(state):
                    self.transitions += 1
                    met = reached if key is None or reached is state else key(reached)
                    node = self.parent if reached is state else known(met, number)
                    fresh = node == number
                    if fresh:
                        if number >= states:
                            self._nodes.popitem()
                            self.limit = "states"
                            return
                        number += 1
                        link(self.parent)
                        note(each)
                        wait(reached)
                    if fresh or not fresh_only:
                        yield state, each, transition, node, fresh
            first += len(level)
            level = following

    def path(self, node: int) -> tuple[I, ...]:
        """The shortest inputs that lead to a node (its first ones, in the order of `enabled`)."""
        inputs: list[I] = []
        while node:
            inputs.append(self._inputs[node])  # type: ignore[arg-type]  # only the initial node has no input
            node = self._parents[node]
        return tuple(reversed(inputs))


def _stepping(
    enabled: Callable[[S], Iterable[I]], step: Callable[[S, I], Told]
) -> Callable[[S], Iterable[tuple[I, S, Told]]]:
    """All transitions of a state, one step at a time."""

    def successors(state: S) -> Iterator[tuple[I, S, Told]]:
        for each in enabled(state):
            transition = step(state, each)
            if transition.refused is None:
                yield each, transition.state, transition  # type: ignore[misc]  # a step keeps the type of the state

    return successors


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles meanwhile: a walk makes none, and looking through all its states again and again takes time.

    The collector is as it was afterwards.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
    for before, each, transition, _, _ in walk.steps():
        if goal(before, each, transition):
            inputs = (*walk.path(walk.parent), each)
            return Search(inputs, transition, None, walk.states, walk.transitions)
    return Search(None, None, walk.limit, walk.states, walk.transitions)
