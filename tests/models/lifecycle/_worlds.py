"""Configurations that together take every answer and option, and seeded random walks through them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet, Form
from harness.models.lifecycle.config import (
    Config,
    Covers,
    Destination,
    Interruption,
    Link,
    Need,
    OrderKey,
    Phase,
)
from harness.models.lifecycle.config import Dependents as DependentsRow
from harness.models.lifecycle.state import STOPPED, WORKING, State
from tests.models.lifecycle._configs import (
    cancel_return,
    config,
    failure,
    job,
    named,
    pool,
    reversal,
    rounding,
    standing,
)

FLOUR, SALT = Need("flour", 3, "larder"), Need("salt", 2, "jar")
STATES = ("waiting", "working", "stopped", "finished")
ALL_FAILURES = (
    *(failure(f"slip-{state}", state, loses=(("flour", 1),), loses_work=1) for state in STATES[:3]),
    *(failure(f"trip-{state}", state, loses_work_share=Fraction(1, 2)) for state in STATES[:3]),
    *(failure(f"ruin-{state}", state, ruined=True, loses=(("flour", 1),), releases=(("salt", 1),)) for state in STATES),
)
CHAIN = (Link("bake", ("dough",)), Link("sandwich", ("bake",)))

# Each dimension's options as changes of the bakery; the first option is the plainest.
DIMENSIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "timing": tuple(
        {"timing": timing}
        for timing in ("taken-at-start", "taken-at-request", "taken-at-finish", "with-progress", "with-progress", None)
    ),
    "output-full": (
        {"output_full": "never-full", "destinations": (Destination("shelf", None),)},
        {"output_full": "wait-before-start"},
        {"output_full": "wait-until-space"},
        {"output_full": "hold-undelivered"},
        {"output_full": "try-destinations", "fallbacks": ("cellar",)},
        {"output_full": "never-full", "in_place": True},
    ),
    "delivery": ({"on_collection": False}, {"on_collection": True}),
    "phases": (
        {"phases": (Phase("baking", 3, 1),)},
        {"phases": (Phase("baking", 2, Fraction(2, 3)), Phase("frying", 1, 1))},
        {"phases": (), "partial_work": None, "interruptions": ()},
    ),
    "work": (
        {"partial_work": "keep-with-job"},
        {"partial_work": "reset-at-stop"},
        {"partial_work": "reverse-while-stopped", "reversals": (reversal(Fraction(1, 2), after=1),)},
        {"partial_work": "reverse-while-stopped", "reversals": (reversal(2),)},
    ),
    "claims": ({"release_stopped_claims": False}, {"release_stopped_claims": True}),
    "rounding": (
        {"roundings": (rounding("up"),)},
        {"roundings": (rounding("down", point="current"),)},
        {"roundings": (rounding("nearest", initial=2),)},
    ),
    "returns": (
        {"cancel_return": "return-claimed"},
        {"cancel_return": "return-nothing"},
        {"cancel_return": "return-by-rule", "cancel_returns": (cancel_return(default=(Fraction(1, 2), "up")),)},
    ),
    "pools": (
        {"pools": (pool(working=2, waiting=1),)},
        {"pools": (pool(working=1, waiting=None, releases_at="delivered"),)},
        {"pools": (pool(working=1, waiting=2, places=("north", "south"), assignment="round-robin"),)},
        {"pools": (pool(working=1, waiting=None, places=("north", "south"), assignment="first-free"),)},
        {"pools": (pool("rush", 1, 0, covers=Covers(fields=(("rank", 2),))), pool(working=1, waiting=None))},
        {"pools": ()},
        {"pools": (pool(working=0, waiting=1),)},
    ),
    "order": ({"order": ()}, {"order": (OrderKey("rank", False),)}, {"order": (OrderKey("admission", True),)}),
    "dependents": ({"end_dependents": True}, {"end_dependents": False}, {"dependents": ()}),
    "standing": (
        {},
        {"conditions": ("wanted",)},
        {"no_open_run": True},
        {"below": (("salt", 3),), "no_open_run": True},
    ),
    "polled": ({"polled": False}, {"polled": False}, {"polled": True}),
}


class Mixed(NamedTuple):
    """One configuration, and which option of each dimension it took."""

    config: Config
    chosen: tuple[int, ...]


def mixtures(count: int) -> Iterator[Mixed]:
    """Configurations that go through every option of every dimension, mixed by a fixed seed."""
    draw = Random("mixtures")
    turns = {name: list(range(len(options))) for name, options in DIMENSIONS.items()}
    for number in range(count):
        chosen = []
        for name, options in DIMENSIONS.items():
            if number % len(options) == 0:
                draw.shuffle(turns[name])
            chosen.append(turns[name][number % len(options)])
        yield Mixed(mix(tuple(chosen)), tuple(chosen))


def mix(chosen: tuple[int, ...]) -> Config:
    """The configuration of one option of each dimension."""
    options: dict[str, Any] = {}
    for (name, choices), index in zip(DIMENSIONS.items(), chosen, strict=True):
        if name == "standing":
            options["eligible"] = choices[index]
        else:
            options |= choices[index]
    return _assembled(options)


def _assembled(options: dict[str, Any]) -> Config:
    order, polled, eligible = options.pop("order"), options.pop("polled"), options.pop("eligible")
    in_place = options.get("in_place", False)
    makes: dict[str, Any] = {"destination": None, "site": "wall"} if in_place else {"destination": "shelf"}
    needs = () if options["timing"] is None else (FLOUR, SALT)
    jobs = tuple(job(name, needs=needs, **makes) for name in ("bake", "dough", "sandwich"))
    jobs = (jobs[0]._replace(offer_check=(("flour", 2),)), *jobs[1:])
    pools = tuple(each._replace(order=order) for each in options.pop("pools"))
    orders = (standing(pools[-1].id, "daily", **eligible),) if pools and eligible else ()
    rows: dict[str, Any] = {
        "jobs": jobs,
        "pools": pools,
        "standing_orders": orders,
        "failures": ALL_FAILURES,
        "interruptions": (
            Interruption("power-cut", ("power-cut",)),
            Interruption("drill", ("alarm", "worker-stopped")),
        ),
        "cancellations": ("called-off", "x"),
        "dependents": (DependentsRow("chain", "called-off", CHAIN),),
        "destinations": (Destination("shelf", 2), Destination("cellar", 1)),
        "readmissions": named("cleared", polled) if options["output_full"] == "wait-before-start" else (),
        "redeliveries": named("van", polled),
        "collections": named("pickup", polled) if options["on_collection"] and not in_place else (),
    }
    return config(**(rows | options))


# -- walks ------------------------------------------------------------------------------------------------------------


def forms(rules: Config) -> tuple[Form, ...]:
    """Every job, in each pool that can cover it, and at each place where the request must name one."""
    found: dict[Form, None] = {}
    for each in rules.jobs:
        for fields in ((), (("rank", 2),)):
            covering = rules.covering_pool(each.id, fields)
            places = covering.places if covering is not None and covering.assignment == "requested" else (None,)
            for place in places:
                found[Form(each.id, covering.id if covering else None, place, fields, None)] = None
    return tuple(found)


# Kinds that mostly end a run: too many of them, and nothing lives long enough to show anything.
ENDING = frozenset({"cancel", "fail", "worker-stop", "use"})


class Walker:
    """Draws events for a world: by kind first, so that kinds with many events don't crowd the others out."""

    def __init__(self, rules: Config, seed: str, runs_max: int = 9) -> None:
        self.rules = rules
        self.draw = Random(seed)
        self.alphabet = Alphabet(rules, forms(rules), runs_max)

    def event(self, state: State) -> e.Event:
        """The next event; time passes in three draws of ten, and what ends runs is drawn less often than the rest."""
        by_kind: dict[str, list[e.Event]] = {}
        for event in (*self.alphabet.enabled(state, self.alphabet.kinds), *self._unusual(state)):
            by_kind.setdefault(event.kind, []).append(event)
        kind = "tick" if self.draw.random() < 0.3 else self.draw.choice(sorted(by_kind))
        if kind in ENDING and self.draw.random() < 0.7:
            kind = self.draw.choice(sorted(by_kind))
        return self.draw.choice(by_kind[kind])

    def _unusual(self, state: State) -> Iterator[e.Event]:
        """Events that the alphabet leaves out: displacements, invented names, other amounts, refused ones."""
        for name in [run.id for run in state.runs if run.state in (WORKING, STOPPED)]:
            yield e.Instruct(name, "sing")
            for row in self.rules.interruptions:
                yield from (e.Instruct(name, row.instructions[0], other.id) for other in state.runs)
        for run in state.runs:
            yield from (e.Fail(run.id, row.id) for row in self.rules.failures[:2])
            yield e.Collect("pickup", run.id)
        yield from (e.Supply(item, 1, source) for item, source in state.keys)
        yield from (e.Use(item, 1, source) for item, source in state.keys)
