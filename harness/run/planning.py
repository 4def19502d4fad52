"""From a scenario's shapes to its plan: which events go into which worlds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.contract.shapes import Row
from harness.expansion.scenario import Scenario
from harness.models.lifecycle.events import Event, event_to_json
from harness.models.lifecycle.model import World
from harness.run.cover import Feature, runs_that_add, shown_by, walk_cover
from harness.run.facts import Facts
from harness.run.pilot import DEFAULT_LIMITS, Limits, NotConstructible, NotFound, Pilot, Shape
from harness.run.plan import Impossible, Plan, PlannedWorld, Unreached
from harness.run.shapes.registry import shapes_of

#: A world and the events sent into it: two shapes that agree in both are the same run.
_Key = tuple[World, tuple[Event, ...]]


class _Built(NamedTuple):
    """A world and its events with every shape that came to just that."""

    world: dict[str, Any]
    events: tuple[dict[str, object], ...]
    shapes: list[str]


#: Templates whose `given` is every transition and report there is: one walk adds what no shape has shown.
WALKED = ("reports-identify-the-run",)


def scenario_row(facts: Facts, scenario: Scenario) -> Row | None:
    """The adoption's row that a per-row scenario is about."""
    if scenario.collection is None or scenario.row is None:
        return None
    return facts.adoption.row(scenario.collection, scenario.row)


def plan_scenario(facts: Facts, scenario: Scenario, limits: Limits = DEFAULT_LIMITS) -> Plan:
    """The runs that show what the scenario's `given` speaks of, and why some of it cannot be shown."""
    namer = shapes_of(scenario.template)
    if namer is None:
        return Plan()
    impossible: list[Impossible] = []
    unreached: list[Unreached] = []
    built: dict[_Key, _Built] = {}
    for each in namer(facts, scenario_row(facts, scenario)):
        if isinstance(each, Impossible):
            impossible.append(each)
            continue
        found = build_shape(facts, each, limits)
        if isinstance(found, Unreached):
            unreached.append(found)
        else:
            built.setdefault(found.key, _Built(found.world, found.events, [])).shapes.append(each.name)
    walked = None
    if scenario.template in WALKED:
        walked = _add_walk(facts, built)
    worlds = tuple(PlannedWorld(each.world, each.events, tuple(each.shapes)) for each in built.values())
    return Plan(worlds, tuple(impossible), tuple(unreached), walked)


def _add_walk(facts: Facts, built: dict[_Key, _Built]) -> str:
    """Runs for every transition and report that the walk met and no shape shows; says how far the walk went."""
    cover = walk_cover(facts)
    shown: set[Feature] = set()
    for key in built:
        shown |= shown_by(facts, *key)
    for witness in runs_that_add(facts, cover, shown):
        events = tuple(event_to_json(each) for each in witness.events)
        name = "walked to " + " ".join(str(part) for part in witness.feature[1:4] if part)
        built[witness.world, witness.events] = _Built(world_to_json(witness.world), events, [name])
    return cover.said


class BuiltShape(NamedTuple):
    """The world and the events of one shape; shapes with equal keys are the same run."""

    key: _Key
    world: dict[str, Any]
    events: tuple[dict[str, object], ...]


def build_shape(facts: Facts, shape: Shape, limits: Limits) -> BuiltShape | Unreached:
    """Steer the model to the shape; unreached, with the bound that was met, where that fails."""
    try:
        pilot = Pilot(facts, shape.world, shape.open_pools, limits)
        shape.build(pilot)
    except (NotConstructible, NotFound) as failure:
        return Unreached(shape.name, f"{failure}{_small_numbers(facts)}", shape.clauses)
    events = tuple(event_to_json(each) for each in pilot.events)
    return BuiltShape((pilot.world, tuple(pilot.events)), world_to_json(pilot.world), events)


def _small_numbers(facts: Facts) -> str:
    return f" ({'; '.join(facts.reduced)})" if facts.reduced else ""


def world_to_json(world: World) -> dict[str, Any]:
    """A world as data (see the world schema)."""
    return {
        "stock": [{"item": item, "amount": amount, "source": source} for item, amount, source in world.stock],
        "room": [{"destination": name, "free": free} for name, free in world.room],
        "eligible": list(_eligible(world)),
    }


def _eligible(world: World) -> Iterator[dict[str, Any]]:
    for row, place, value in world.eligible:
        named = {"row": row, "value": value}
        yield named if place is None else {"row": row, "place": place, "value": value}


def world_from_json(data: dict[str, Any]) -> World:
    """The typed world of well-formed data."""
    return World(
        tuple((each["item"], each["amount"], each["source"]) for each in data.get("stock", ())),
        tuple((each["destination"], each["free"]) for each in data.get("room", ())),
        tuple((each["row"], each.get("place"), each["value"]) for each in data.get("eligible", ())),
    )
