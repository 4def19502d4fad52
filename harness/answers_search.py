"""Where two adoptions part: the shortest events after which the logs of their models differ.

Two models get the same events in the same world. An event that one of them refuses is no difference by itself, because
rows that only one adoption declares would otherwise be all there is to find; what counts is a row that the other model
did not write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from harness.models.explorer import Bounds, shortest
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import State
from harness.models.lifecycle.turn import Draft
from harness.run.facts import Facts
from harness.run.recording import FIXED_LOGS

Events = tuple[e.Event, ...]
Run = tuple[World, Events]
"""A world and the events to send into it, in order."""

RUNS_SEARCHED = 3
NEAR = Bounds(depth=5, states=150)
# Where no plan shows a difference the search is all there is, so it looks further.
WIDE = Bounds(depth=10, states=1500)
BESIDE_MAX = 2000


class Difference(NamedTuple):
    """The first row of a log in which two models differ; None where one of them writes no more rows."""

    log: str
    here: Draft | None
    there: Draft | None


class Parting(NamedTuple):
    """A run after whose last event, and not before, the logs differ, and the row that shows it."""

    world: World
    events: Events
    difference: Difference


class Found(NamedTuple):
    """What a search for a parting gave: `searched` says in words what was tried."""

    parting: Parting | None
    searched: str


Wanted = Callable[[Difference], bool]


def in_any_log(difference: Difference) -> bool:
    """Every difference counts."""
    return True


def in_reports(difference: Difference) -> bool:
    """Only a difference between reports counts."""
    return difference.log == FIXED_LOGS[0]


class _Both(NamedTuple):
    """The states of the two models."""

    here: State
    there: State


class _Stepped(NamedTuple):
    """What one event did to both models; refused where both refuse it."""

    state: _Both
    refused: str | None
    differences: tuple[Difference, ...]

    def wanted(self, wanted: Wanted) -> Difference | None:
        """The first difference that counts."""
        return next(filter(wanted, self.differences), None)


class Pair:
    """Two adoptions on their models, which get the same events."""

    def __init__(self, here: Facts, there: Facts) -> None:
        self.here, self.there = here, there
        self._alphabets = [Alphabet(each.config, each.forms, RUNS_SEARCHED) for each in (here, there)]

    def initial(self, world: World) -> _Both:
        """Both models in that world."""
        return _Both(self.here.model.initial(world), self.there.model.initial(world))

    def step(self, both: _Both, event: e.Event) -> _Stepped:
        """One event enters both."""
        here = self.here.model.step(both.here, event)
        there = self.there.model.step(both.there, event)
        refused = here.refused if there.refused is not None else None
        return _Stepped(_Both(here.state, there.state), refused, tuple(_differences(here.rows, there.rows)))

    def enabled(self, both: _Both) -> Iterator[e.Event]:
        """The events that may be legal in either."""
        found: dict[e.Event, None] = {}
        for alphabet, state in zip(self._alphabets, both, strict=True):
            found.update(dict.fromkeys(alphabet.enabled(state, alphabet.kinds)))
        return iter(found)

    def worlds(self) -> tuple[World, ...]:
        """Worlds with plenty for both, with and without room, and with the conditions of standing orders set."""
        made = [
            _joined(self.here.world(room=room, eligible=eligible), self.there.world(room=room, eligible=eligible))
            for eligible in (False, True)
            for room in ("full", "none")
        ]
        return tuple(dict.fromkeys(made))


def _joined(first: World, second: World) -> World:
    stock = {(item, source): amount for item, amount, source in (*first.stock, *second.stock)}
    return World(
        tuple((item, amount, source) for (item, source), amount in sorted(stock.items())),
        tuple(sorted({**dict(first.room), **dict(second.room)}.items())),
        tuple(dict.fromkeys((*first.eligible, *second.eligible))),
    )


def _differences(here: Sequence[Draft], there: Sequence[Draft]) -> Iterator[Difference]:
    """The first row in which each log differs: the logs that every driver writes come first, the rest by name."""
    if here == there:
        return
    names = {row.log for row in (*here, *there)}
    for log in (*(each for each in FIXED_LOGS if each in names), *sorted(names - set(FIXED_LOGS))):
        ours = [row for row in here if row.log == log]
        theirs = [row for row in there if row.log == log]
        for at in range(max(len(ours), len(theirs))):
            pair = (ours[at] if at < len(ours) else None, theirs[at] if at < len(theirs) else None)
            if pair[0] != pair[1]:
                yield Difference(log, *pair)
                break


# -- along runs that are known --------------------------------------------------------------------------------------


def follow(pair: Pair, world: World, events: Events, wanted: Wanted) -> Parting | None:
    """Where the models part along these events, if they do."""
    both = pair.initial(world)
    for at, event in enumerate(events):
        stepped = pair.step(both, event)
        found = stepped.wanted(wanted)
        if found is not None:
            return Parting(world, events[: at + 1], found)
        both = stepped.state
    return None


def shrunk(pair: Pair, parting: Parting, wanted: Wanted) -> Parting:
    """The same with every event left out that the difference does not need, then every part of the world."""
    at = 0
    while at < len(parting.events):
        rest = (*parting.events[:at], *parting.events[at + 1 :])
        shorter = follow(pair, parting.world, rest, wanted)
        if shorter is None:
            at += 1
        else:
            parting, at = shorter, 0
    return _in_least_world(pair, parting, wanted)


def _in_least_world(pair: Pair, parting: Parting, wanted: Wanted) -> Parting:
    """The same difference, row by row, in a world without the parts that it does not need."""
    for part in (*parting.world.stock, *parting.world.room, *parting.world.eligible):
        found = follow(pair, _without(parting.world, part), parting.events, wanted)
        if found is not None and found[1:] == parting[1:]:
            parting = found
    return parting


def _without(world: World, part: object) -> World:
    return World(
        tuple(each for each in world.stock if each != part),
        tuple(each for each in world.room if each != part),
        tuple(each for each in world.eligible if each != part),
    )


def part_along(pair: Pair, runs: Iterable[Run], wanted: Wanted) -> Parting | None:
    """The shortest beginning of any of these runs after which the models differ, made as short as it gets."""
    best: Parting | None = None
    for world, events in runs:
        most = len(events) if best is None else len(best.events) - 1
        found = follow(pair, world, events[:most], wanted)
        if found is not None:
            best = shrunk(pair, found, wanted)
    return best


def part_beside(pair: Pair, runs: Iterable[Run], wanted: Wanted) -> Found:
    """One event more than these runs send, at any of their points, that makes the models differ.

    What is found first is made as short as it gets. Every pair of states is looked at once.
    """
    seen: set[_Both] = set()
    for world, events in runs:
        both = pair.initial(world)
        for at in range(len(events) + 1):
            if both not in seen and len(seen) < BESIDE_MAX:
                seen.add(both)
                for event in pair.enabled(both):
                    found = pair.step(both, event).wanted(wanted)
                    if found is not None:
                        parting = Parting(world, (*events[:at], event), found)
                        return Found(shrunk(pair, parting, wanted), f"{len(seen)} points of them")
            if at < len(events):
                both = pair.step(both, events[at]).state
    return Found(None, f"{len(seen)} points of them")


# -- by search ------------------------------------------------------------------------------------------------------


def part_anywhere(pair: Pair, wanted: Wanted, bounds: Bounds) -> Found:
    """The shortest events, in any of the pair's worlds, after which the models differ."""
    best: Parting | None = None
    said = []
    for world in pair.worlds():
        depth = bounds.depth if best is None else min(bounds.depth, len(best.events) - 1)
        found = shortest(
            pair.initial(world),
            pair.enabled,
            pair.step,
            lambda before, event, stepped: stepped.wanted(wanted) is not None,
            Bounds(depth, bounds.states),
        )
        ended = "its space was exhausted" if found.limit is None else f"the limit of {found.limit} was met"
        said.append(f"{found.states} states until {ended}")
        difference = found.transition.wanted(wanted) if found.transition is not None else None
        if found.inputs is not None and difference is not None:
            best = Parting(world, found.inputs, difference)
    return Found(best, f"searches over {'; '.join(said)}")


def find_parting(pair: Pair, runs: Sequence[Run], wanted: Wanted) -> Found:
    """The shortest run that is found to tell the two apart.

    Along known runs first, then one event beside them, then by search for something shorter, or for anything at all.
    """
    searched = f"{len(runs)} runs of the plans"
    known = part_along(pair, runs, wanted)
    if known is None:
        beside = part_beside(pair, runs, wanted)
        known, searched = beside.parting, f"{searched}; every event at {beside.searched}"
    bounds = WIDE if known is None else Bounds(min(NEAR.depth, len(known.events) - 1), NEAR.states)
    near = part_anywhere(pair, wanted, bounds)
    searched = f"{searched}; {near.searched}"
    if near.parting is None:
        return Found(known, searched)
    return Found(shrunk(pair, near.parting, wanted), searched)
