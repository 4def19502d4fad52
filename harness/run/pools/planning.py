"""From a template to its runs: the shapes it names, each steered once for an adoption, and tours of a shared walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from harness.run.plan import Impossible, Plan, PlannedWorld, Unreached
from harness.run.pools.covering import Cover, Showing, cover, feature_of
from harness.run.pools.events import event_of, letter_of
from harness.run.pools.piloting import NotConstructibleError, NotReachedError, Pilot, Shape
from harness.run.pools.port import Pool


class Shown(NamedTuple):
    """What a template needs: names of shapes, and whether tours of the walk are added.

    `clauses` are, by name of a shape, those that have nothing to check without it (all of them where it is not named).
    """

    shapes: tuple[str, ...]
    toured: bool = False
    clauses: Mapping[str, tuple[int, ...]] = {}


class Planner:
    """The plans of one adoption. A shape that two templates name is steered once, and the walk is made once.

    `pilot` is the class that steers, `early` the letters that a pool takes in before it begins,
    `feature` says what one letter shows.
    """

    def __init__(
        self,
        pool: Pool,
        shapes: Sequence[Shape],
        shown: Mapping[str, Shown],
        pilot: type[Pilot] = Pilot,
        early: tuple[str, ...] = (),
        feature: Showing = feature_of,
    ) -> None:
        self._pool = pool
        self._shapes = {each.name: each for each in shapes}
        self._shown = shown
        self._pilot = pilot
        self._early = early
        self._feature = feature
        self._built: dict[str, PlannedWorld | Impossible | Unreached] = {}
        self._cover: Cover | None = None

    def plan(self, template: str) -> Plan:
        """The runs of a template; no runs for one that names no shapes."""
        wanted = self._shown.get(template, Shown(()))
        worlds: list[PlannedWorld] = []
        impossible: list[Impossible] = []
        unreached: list[Unreached] = []
        for name in wanted.shapes:
            built = self._build(name)
            if isinstance(built, PlannedWorld):
                worlds.append(built)
            elif isinstance(built, Impossible):
                impossible.append(Impossible(built.reason, wanted.clauses.get(name)))
            else:
                unreached.append(Unreached(built.shape, built.reason, wanted.clauses.get(name)))
        walked = None
        if wanted.toured:
            found = self.cover()
            walked = found.said
            worlds += (self._tour(each.letters, each.features[0]) for each in found.tours)
        return Plan(merged(worlds), tuple(impossible), tuple(unreached), walked)

    def cover(self) -> Cover:
        """The walk beside every shape that this pool can show, made when it is first asked for."""
        if self._cover is None:
            built = [self._build(name) for name, each in self._shapes.items() if not each.world]
            worlds = (each for each in built if isinstance(each, PlannedWorld))
            self._cover = cover(
                self._pool, [tuple(map(letter_of, each.events)) for each in worlds], self._early, self._feature
            )
        return self._cover

    def _build(self, name: str) -> PlannedWorld | Impossible | Unreached:
        if name not in self._built:
            self._built[name] = self._steer(self._shapes[name])
        return self._built[name]

    def _steer(self, shape: Shape) -> PlannedWorld | Impossible | Unreached:
        pilot = self._pilot(self._pool, shape.world)
        try:
            shape.build(pilot)
        except NotConstructibleError as reason:
            return Impossible(str(reason))
        except NotReachedError as reason:
            return Unreached(shape.name, str(reason))
        return PlannedWorld(shape.world, tuple(map(event_of, pilot.letters)), (shape.name,))

    def _tour(self, letters: tuple[str, ...], feature: tuple[str, ...]) -> PlannedWorld:
        return PlannedWorld({}, tuple(map(event_of, letters)), (f"walked to {' '.join(filter(None, feature[:3]))}",))


def merged(worlds: Sequence[PlannedWorld]) -> tuple[PlannedWorld, ...]:
    """Each run once, with the names of all that it shows; one that only begins like another is kept."""
    found: dict[str, PlannedWorld] = {}
    for each in worlds:
        key = repr((each.world, each.events))
        first = found.get(key)
        found[key] = each if first is None else PlannedWorld(each.world, each.events, (*first.shapes, *each.shapes))
    return tuple(found.values())
