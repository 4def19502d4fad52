"""What lies beside the runs that a pool's shapes make, and few runs that show all of it.

The walk takes every letter at every state that a shape passes through, each state once under renaming of correlations.
What an edge shows is its feature: the kind of fact, the phase before and after, the outcomes and the diagnostics. Tours
then go through the states that were met, from one feature that was not shown yet to the nearest next one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from harness.models.explorer import Bounds, Walk
from harness.run.pools.port import Pool, Took, View

Feature = tuple[str, ...]
Showing = Callable[[Pool, View, Took, View], Feature]
BEGIN = "initialize"

#: A tour has at most so many letters, unless its first feature lies deeper; a walk has at most so many states.
TOUR, STATES = 40, 20_000


class _Node:
    """A node that equals every other of the same shape, with the view of it."""

    __slots__ = ("key", "node", "view")

    def __init__(self, pool: Pool, node: Any) -> None:
        self.node = node
        self.key = pool.shape(node)
        self.view = pool.view(node)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Node) and self.key == other.key


class _Stepped(NamedTuple):
    """A letter taken; what a pool does not take in is an edge too, which leads back to where it began."""

    state: _Node
    feature: Feature
    refused: str | None = None


class _Way(NamedTuple):
    letter: str
    node: int
    feature: Feature


class Tour(NamedTuple):
    """A run and the features that it is the first to show."""

    letters: tuple[str, ...]
    features: tuple[Feature, ...]


class Cover(NamedTuple):
    """Runs that show every feature that was met; `said` tells what was walked."""

    tours: tuple[Tour, ...]
    said: str


def cover(
    pool: Pool, runs: Iterable[tuple[str, ...]], early: tuple[str, ...] = (), feature: Showing | None = None
) -> Cover:
    """Walk beside these runs (letters from the beginning) and tour what was met.

    `early` are the letters that a pool takes in before it begins; `feature` says what one letter shows, where a law
    has other facts than pools of jobs.
    """
    shown = feature or feature_of
    nodes: dict[Any, _Node] = {}

    def met(node: Any) -> _Node:
        found = nodes.get(node)
        if found is None:
            found = nodes[node] = _Node(pool, node)
        return found

    trunk = frozenset(map(met, _passed(pool, runs)))
    letters, root = pool.letters, met(pool.construct({}))

    def enabled(state: _Node) -> tuple[str, ...]:
        if state.view.mode == "constructed":
            return (BEGIN, *early) if state in trunk or state == root else (BEGIN,)
        return letters if state in trunk else ()

    def step(state: _Node, letter: str) -> _Stepped:
        after, took = pool.take(state.node, letter)
        reached = state if after == state.node else met(after)
        return _Stepped(reached, shown(pool, state.view, took, reached.view))

    walk = Walk(root, enabled, step, Bounds(STATES, STATES))
    graph: dict[int, list[_Way]] = {}
    for edge in walk:
        graph.setdefault(edge.parent, []).append(_Way(edge.input, edge.node, edge.transition.feature))
    tours = tuple(_tours(graph))
    features = sum(len(each.features) for each in tours)
    walked = f"every letter at each of the {len(trunk)} states that the shapes of this pool pass through"
    return Cover(tours, f"{walked}: {walk.states} states, {features} features")


def _passed(pool: Pool, runs: Iterable[tuple[str, ...]]) -> Iterator[Any]:
    """Every node on the way of these runs; a beginning that two of them share is taken once."""
    known: dict[tuple[str, ...], Any] = {(): pool.construct({})}
    for letters in runs:
        for place, letter in enumerate(letters, start=1):
            if letters[:place] not in known:
                known[letters[:place]], _ = pool.take(known[letters[: place - 1]], letter)
                yield known[letters[:place]]


def _tours(graph: dict[int, list[_Way]]) -> Iterator[Tour]:
    seen: set[Feature] = set()
    while True:
        letters, shown, node = list[str](), list[Feature](), 0
        while len(letters) < TOUR and (way := _nearest(graph, node, seen)):
            for each in way:
                letters.append(each.letter)
                if each.feature not in seen:
                    shown.append(each.feature)
                    seen.add(each.feature)
                node = each.node
        if not shown:
            return
        yield Tour(tuple(letters), tuple(shown))


def _nearest(graph: dict[int, list[_Way]], node: int, seen: set[Feature]) -> tuple[_Way, ...]:
    """The shortest way from a node over an edge that shows something new; empty where there is none.

    One that leads where the walk did not go on comes last, since nothing can follow it.
    """
    reached: set[int] = {node}
    waiting: deque[tuple[int, tuple[_Way, ...]]] = deque([(node, ())])
    last: tuple[_Way, ...] = ()
    while waiting:
        at, way = waiting.popleft()
        for each in graph.get(at, ()):
            if each.feature not in seen:
                if each.node in graph:
                    return (*way, each)
                last = last or (*way, each)
            if each.node not in reached:
                reached.add(each.node)
                waiting.append((each.node, (*way, each)))
    return last


def feature_of(pool: Pool, before: View, took: Took, after: View) -> Feature:
    """What one letter shows."""
    if took.refused is not None:
        return ("not-admitted", took.fact.kind, before.mode)
    name = _named(pool, before, took)
    told = {f"{each.outcome.kind}/{getattr(each.outcome, 'reason', '')}" for each in _outcomes(took)}
    told |= {each.kind for each in took.actions.diagnostics()}
    return (took.fact.kind, _where(before, name), _where(after, name), *sorted(told))


def _named(pool: Pool, before: View, took: Took) -> str | None:
    """The role that a fact is about: its own, the target of a command, or the one that a key is bound to or led to."""
    fact: Any = took.fact
    if getattr(fact, "role", None) is not None:
        return str(pool.roles[fact.role])
    if getattr(fact, "target", None) is not None:
        return str(fact.target)
    bound = (each.role for each in before.bindings if each.key == getattr(fact, "key", None))
    return next(iter((*bound, *(role for _, role in took.selections))), None)


def _outcomes(took: Took) -> tuple[Any, ...]:
    actions = took.actions
    managed = getattr(actions, "management_deliveries", ())  # only where jobs have keys
    return (*actions.admission_deliveries, *managed, *actions.terminal_customer_deliveries)


def _where(view: View, role: str | None) -> str:
    cell = next((each for each in view.cells if each.role == role), None)
    return view.mode if cell is None else "-".join(filter(None, (cell.phase, cell.within, *cell.kept)))
