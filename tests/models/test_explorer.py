"""The walk that every search uses, on a machine small enough to know by heart."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.explorer import Bounds, Walk, collector_paused, shortest

WIDE = Bounds(depth=50, states=1000)


class Moved(NamedTuple):
    """A step of the machine."""

    state: int
    refused: str | None


def both(state: int) -> Iterator[str]:
    """Every input, in a fixed order."""
    yield from ("double", "add", "stay")


def step(state: int, given: str) -> Moved:
    """A number up to 20 that doubles or grows by one; doubling nothing is refused."""
    if given == "double":
        return Moved(state, "nothing to double") if state == 0 else Moved(min(state * 2, 20), None)
    return Moved(min(state + 1, 20) if given == "add" else state, None)


def walk(bounds: Bounds = WIDE) -> Walk[int, str, Moved]:
    """The walk from nothing."""
    return Walk(0, both, step, bounds)


def test_walk_visits_breadth_first_in_the_order_of_the_inputs() -> None:
    """Shorter sequences come first, and among equals the order of `enabled` decides."""
    fresh = [(edge.depth, edge.transition.state, edge.input) for edge in walk() if edge.fresh]
    assert fresh[:6] == [
        (1, 1, "add"),
        (2, 2, "double"),
        (3, 4, "double"),
        (3, 3, "add"),
        (4, 8, "double"),
        (4, 5, "add"),
    ]
    assert [depth for depth, _, _ in fresh] == sorted(depth for depth, _, _ in fresh)


def test_walk_exhausts_its_space_and_says_so() -> None:
    """Every state is met once as a fresh one; no bound was met."""
    walked = walk()
    fresh = [edge.transition.state for edge in walked if edge.fresh]
    assert sorted(fresh) == list(range(1, 21))
    assert (walked.states, walked.limit) == (21, None)


def test_walk_that_meets_a_limit_names_it() -> None:
    """A bound on depth or on states is never taken for an exhausted space."""
    shallow = walk(Bounds(depth=3, states=1000))
    assert max(edge.depth for edge in shallow) == 3
    assert (shallow.limit, shallow.states) == ("depth", 5)
    few = walk(Bounds(depth=50, states=5))
    assert sum(edge.fresh for edge in few) == 4
    assert (few.limit, few.states) == ("states", 5)


def test_walk_that_fits_its_bounds_exactly_is_exhausted() -> None:
    """As many states as there are, and one input more than the deepest needs, is enough."""
    deepest = max(edge.depth for edge in walk() if edge.fresh)
    exact = walk(Bounds(depth=deepest + 1, states=21))
    assert len(list(exact)) == exact.transitions
    assert exact.limit is None


def test_walk_takes_each_edge_once_and_leaves_refused_inputs_out() -> None:
    """Every state is expanded once; a refused input is no transition."""
    walked = walk()
    edges = [(edge.before, edge.input) for edge in walked]
    assert len(edges) == len(set(edges)) == walked.transitions == 21 * 3 - 1
    assert (0, "double") not in edges


def test_walk_knows_states_it_met_before() -> None:
    """An edge that leads to a known state is walked, but is not fresh, and points at the node it had."""
    edges = list(walk())
    nodes: dict[int, int] = {0: 0}
    for edge in edges:
        if edge.fresh:
            nodes[edge.transition.state] = edge.node
        assert nodes[edge.transition.state] == edge.node
        assert nodes[edge.before] == edge.parent


def test_path_leads_to_its_node_when_it_is_replayed() -> None:
    """The inputs of a node's path, stepped from the beginning, end in its state, and are as many as its depth."""
    walked = walk()
    for edge in list(walked):
        if edge.fresh:
            state, path = 0, walked.path(edge.node)
            for each in path:
                moved = step(state, each)
                assert moved.refused is None
                state = moved.state
            assert (state, len(path)) == (edge.transition.state, edge.depth)
    assert walked.path(0) == ()


def test_steps_are_the_edges_without_their_names() -> None:
    """Stepping gives what iterating gives; with `fresh_only` the transitions to known states are left out."""
    edges, plain, fresh = walk(), walk(), walk()
    named = [(edge.before, edge.input, edge.transition, edge.node, edge.fresh) for edge in edges]
    assert list(plain.steps()) == named
    assert list(fresh.steps(fresh_only=True)) == [each for each in named if each[4]]
    assert fresh.transitions == plain.transitions == edges.transitions == len(named)


def test_walk_says_where_it_is() -> None:
    """While it steps, `parent` and `depth` are those of the transition."""
    edges = [(edge.parent, edge.depth) for edge in walk()]
    walked = walk()
    assert [(walked.parent, walked.depth) for _ in walked.steps()] == edges


def test_walk_through_successors_is_the_same_walk() -> None:
    """A model that gives all its transitions at once is walked in the same order, to the same nodes and paths."""

    def successors(state: int) -> Iterator[tuple[str, int, Moved]]:
        for each in both(state):
            moved = step(state, each)
            if moved.refused is None:
                yield each, moved.state, moved

    through, stepped = Walk.through(0, successors, WIDE), walk()
    assert list(through) == list(stepped)
    assert [through.path(node) for node in range(21)] == [stepped.path(node) for node in range(21)]


def test_walk_goes_on_from_the_first_state_of_a_key() -> None:
    """States are told apart by their key alone, and of those with one key the first is the one that is expanded."""
    walked = Walk(0, both, step, WIDE, lambda state: state % 3)
    assert [edge.transition.state for edge in walked if edge.fresh] == [1, 2]
    assert (walked.states, walked.limit, walked.path(2)) == (3, None, ("add", "double"))


def test_collector_is_as_it_was() -> None:
    """It is off inside, also after an error, and afterwards on only where it was on before."""
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_shortest_finds_the_fewest_inputs_and_the_transition_that_is_the_goal() -> None:
    """The goal may look at the state before, the input and the transition."""
    found = shortest(0, both, step, lambda before, given, moved: moved.state == 6, WIDE)
    assert (found.inputs, found.limit) == (("add", "double", "add", "double"), None)
    assert found.transition == Moved(6, None)
    by_edge = shortest(0, both, step, lambda before, given, moved: (before, given) == (3, "stay"), WIDE)
    assert by_edge.inputs == ("add", "double", "add", "stay")


def test_search_without_a_goal_tells_exhausted_from_limited() -> None:
    """Nothing found in an exhausted space is knowledge; nothing found within a bound is not."""
    never = shortest(0, both, step, lambda *_: False, WIDE)
    assert (never.inputs, never.transition, never.limit, never.states) == (None, None, None, 21)
    shallow = shortest(0, both, step, lambda before, given, moved: moved.state == 20, Bounds(3, 1000))
    assert (shallow.inputs, shallow.limit) == (None, "depth")
    few = shortest(0, both, step, lambda before, given, moved: moved.state == 20, Bounds(50, 5))
    assert (few.inputs, few.limit) == (None, "states")


def test_goal_may_be_a_step_to_a_known_state() -> None:
    """A transition back to where the walk has been can be what is looked for."""
    found = shortest(0, both, step, lambda before, given, moved: before == moved.state == 0, WIDE)
    assert found.inputs == ("stay",)


@given(target=st.integers(1, 20))
@settings(max_examples=20, deadline=None)
def test_shortest_is_never_longer_than_counting_up(target: int) -> None:
    """Whatever the number, the search needs no more inputs than adding one at a time."""
    found = shortest(0, both, step, lambda before, given, moved: moved.state == target, WIDE)
    assert found.inputs is not None
    assert len(found.inputs) <= target
