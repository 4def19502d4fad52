"""One breadth-first walk over an adoption's life, kept for every transition and report that it meets first.

It serves the shapes that a few events construct. What takes more (a full queue, a long route) is built by goal; the
walk says how far it went, so that nobody takes "not met" for "impossible".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.models.explorer import Bounds, Walk
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import State
from harness.models.lifecycle.turn import Draft
from harness.run.facts import Facts

RUNS_WALKED = 3
BOUNDS = Bounds(depth=7, states=1500)

Feature = tuple[object, ...]


class Witness(NamedTuple):
    """The shortest events found in a world that show a feature."""

    feature: Feature
    world: World
    events: tuple[e.Event, ...]


class Cover(NamedTuple):
    """What the walk met. `limit` is None where it exhausted its space, else the bound that it met."""

    witnesses: tuple[Witness, ...]
    states: int
    transitions: int
    limit: str | None

    @property
    def said(self) -> str:
        """How far the walk went, in words."""
        ended = "exhausted its space" if self.limit is None else f"met its limit of {self.limit}"
        return f"a walk over {self.states} states and {self.transitions} transitions {ended}"


def features(rows: tuple[Draft, ...]) -> Iterator[Feature]:
    """What a step shows: each report with its states and causes, each change of state."""
    for row in rows:
        if row.log == "report-log":
            causes = tuple(sorted(row.data["causes"]))
            yield ("report", row.data["report"], row.data["old"], row.data["new"], causes)
        elif row.log == "state-trace":
            yield ("state", row.data["from"], row.data["to"])


def walk_cover(facts: Facts, bounds: Bounds = BOUNDS) -> Cover:
    """Walk a world of plenty with every pool open and keep the first path to each feature."""
    world = facts.world(eligible=True)
    model = facts.search_model
    alphabet = Alphabet(facts.config, facts.forms, RUNS_WALKED)
    opening = tuple(e.OpenPool(pool.id) for pool in facts.config.pools)
    state = model.initial(world)
    seen: set[Feature] = set()
    for event in opening:
        transition = model.step(state, event)
        state = transition.state
        # What opening the pools shows is shown by every run of the walk.
        seen.update(features(transition.rows))

    def enabled(at: State) -> Iterator[e.Event]:
        return alphabet.enabled(at, alphabet.kinds)

    witnesses: list[Witness] = []
    walk = Walk(state, enabled, model.step, bounds)
    for edge in walk:
        for feature in features(edge.transition.rows):
            if feature not in seen:
                seen.add(feature)
                witnesses.append(Witness(feature, world, (*opening, *walk.path(edge.parent), edge.input)))
    return Cover(tuple(witnesses), walk.states, walk.transitions, walk.limit)


def shown_by(facts: Facts, world: World, events: tuple[e.Event, ...]) -> set[Feature]:
    """Every feature of one run."""
    state, shown = facts.search_model.initial(world), set[Feature]()
    for event in events:
        transition = facts.search_model.step(state, event)
        state = transition.state
        shown.update(features(transition.rows))
    return shown


def runs_that_add(facts: Facts, cover: Cover, shown: set[Feature]) -> tuple[Witness, ...]:
    """The fewest witnesses, tried longest first, that show what nothing has shown yet."""
    known, added = set(shown), []
    for witness in sorted(cover.witnesses, key=lambda each: -len(each.events)):
        if witness.feature not in known:
            known |= shown_by(facts, witness.world, witness.events)
            added.append(witness)
    return tuple(added)
