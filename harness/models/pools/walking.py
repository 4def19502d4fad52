"""Walking a pool: every sequence of letters up to a depth, or every distinct state, and what was met on the way.

It knows no law. A `stepper` takes letters and says what was broken; the one breadth-first walk of this package does
the search, and the first sequence that shows a violation is a shortest one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from harness.models.explorer import Bounds, Walk, collector_paused


class Taken(Protocol):
    """What taking a letter yields."""

    @property
    def node(self) -> Any:
        """The node after it; its `broken` are names of violations."""

    @property
    def acted(self) -> bool:
        """Whether the letter did anything."""


class Route(Protocol):
    """What every law's walks have: the letters that lead to the warm start, and those that are walked from there."""

    @property
    def start(self) -> tuple[str, ...]:
        """The way to the warm start."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The alphabet."""


N = TypeVar("N")
T = TypeVar("T", bound=Taken)


class Stepping(ABC, Generic[N, T]):
    """Takes letters along one walk of a law, from a node to the next."""

    walk: Route

    @abstractmethod
    def construct(self) -> N:
        """What is walked, before it begins."""

    @abstractmethod
    def take(self, node: N, letter: str) -> T:
        """One letter, all audits, and the oracle."""

    def warm_up(self) -> tuple[T, ...]:
        """The letters of the start, taken; what breaks on the way stays where it broke."""
        node, way = self.construct(), []
        for letter in self.walk.start:
            taken = self.take(node, letter)
            way.append(taken)
            node = taken.node
            if taken.node.broken:
                break
        return tuple(way)


class Found(NamedTuple):
    """One violation with the shortest letters (after the start) that show it."""

    name: str
    letters: tuple[str, ...]


class Walked(NamedTuple):
    """What a walk over some letters came to. `limit` is the bound that it met, None where it closed."""

    letters: tuple[str, ...]
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


def walk(
    initial: Any,
    letters: tuple[str, ...],
    take: Callable[[Any, str], Taken],
    reached: Callable[[Any], Iterable[tuple[str, str]]],
    bounds: Bounds,
    shaped: Callable[[Any], Hashable] | None = None,
    before: Iterable[tuple[str, str]] = (),
) -> Walked:
    """Walk breadth first and count.

    Without `shaped` nodes are told apart exactly, and every sequence of letters is visited over the table of edges,
    each of which was taken once. With it, nodes whose shapes are equal are one state, and the first of them is walked
    from. `reached` gives (group, name) of what a taken letter met, `before` what was met on the way to the start. A
    broken node is not walked beyond.
    """

    def successors(node: Any) -> Iterator[tuple[str, Any, Taken]]:
        if not node.broken:
            for letter in letters:
                taken = take(node, letter)
                yield letter, taken.node, taken

    search: Walk[Any, str, Taken] = Walk.through(initial, successors, bounds, shaped)
    tally = _Tally()
    tally.meet(before)
    depth = 0
    with collector_paused():
        for _, letter, taken, node, _ in search.steps():
            depth = search.depth
            if shaped is None:
                tally.following.setdefault(search.parent, []).append(node)
            tally.meet(reached(taken))
            if taken.acted:
                tally.acted.add(letter)
            for name in taken.node.broken:
                if name not in tally.found:
                    tally.found[name] = Found(name, (*search.path(search.parent), letter))
    return Walked(
        letters=letters,
        prefixes=0 if shaped else visit(tally.following, bounds.depth),
        states=search.states,
        edges=search.transitions,
        limit=search.limit,
        depth=depth,
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

    def meet(self, each: Iterable[tuple[str, str]]) -> None:
        """Groups and names that were met."""
        for group, name in each:
            self.met.setdefault(group, set()).add(name)


def visit(following: dict[int, list[int]], depth: int) -> int:
    """Visit every sequence up to a depth over the table of edges, the empty one included, and count them."""
    count, level = 1, [0]
    for left in range(depth, 0, -1):
        count += sum(len(following.get(each, ())) for each in level)
        if left > 1:
            level = [node for each in level for node in following.get(each, ())]
    return count


def walk_warm(
    stepper: Stepping[N, T],
    met: Callable[[T], Iterable[tuple[str, str]]],
    bounds: Bounds,
    shaped: Callable[[N], Hashable] | None = None,
) -> tuple[tuple[str, ...], Walked]:
    """Walk from the warm start; gives the letters of the start too. `met` and `shaped` are as `walk` takes them.

    What breaks on the way to its warm start has none, and is walked from its very beginning (`_walk_cold`).
    """
    way = stepper.warm_up()
    if way[-1].node.broken:
        return (), _walk_cold(stepper, way, met, bounds, shaped)
    before = [each for taken in way for each in met(taken)]
    return stepper.walk.start, walk(way[-1].node, stepper.walk.letters, stepper.take, met, bounds, shaped, before)


def _walk_cold(
    stepper: Stepping[N, T],
    way: tuple[T, ...],
    met: Callable[[T], Iterable[tuple[str, str]]],
    bounds: Bounds,
    shaped: Callable[[N], Hashable] | None,
) -> Walked:
    """Walk from before the first letter, over the letters of the start and the alphabet.

    What is broken on the way and hidden by the bound is told with the letters that led there, less those it can spare.
    """
    letters = tuple(dict.fromkeys((*stepper.walk.start, *stepper.walk.letters)))
    cold = walk(stepper.construct(), letters, stepper.take, met, bounds, shaped)
    known = {each.name for each in cold.violations}
    taken = stepper.walk.start[: len(way)]
    hidden = (Found(name, shortened(stepper, taken, name)) for name in way[-1].node.broken if name not in known)
    return cold._replace(violations=(*cold.violations, *hidden))


def shortened(stepper: Stepping[Any, Any], letters: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The letters without each one that the violation at their end does not need, dropped from the first on."""

    def breaks(tried: tuple[str, ...]) -> bool:
        node = stepper.construct()
        for number, letter in enumerate(tried, start=1):
            node = stepper.take(node, letter).node
            if node.broken:
                return number == len(tried) and name in node.broken
        return False

    kept = 0
    while kept < len(letters):
        tried = (*letters[:kept], *letters[kept + 1 :])
        if breaks(tried):
            letters = tried
        else:
            kept += 1
    return letters
