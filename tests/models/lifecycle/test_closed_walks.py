"""Tiny worlds walked until nothing new is met: the number of states is pinned, and every state passes the audits.

A changed number means that some step now does something else; whoever changes it on purpose writes the new one down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from harness.models.explorer import Bounds, Walk
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet
from harness.models.lifecycle.config import Config, Destination, Interruption, Need, Phase
from harness.models.lifecycle.model import Lifecycle, Transition, World
from harness.models.lifecycle.state import State
from tests.models.lifecycle._audits import MOVES, Audit
from tests.models.lifecycle._configs import (
    by_field,
    cancel_return,
    config,
    failure,
    instant,
    job,
    links,
    named,
    pool,
    progress,
    reversal,
    standing,
)
from tests.models.lifecycle._worlds import forms

CUT = (Interruption("power-cut", ("power-cut", "worker-stopped")),)
SHORT = (Phase("baking", 2, 1),)
BUN = job(needs=(Need("flour", 1, "larder"),))
ONE_FLOUR = (("flour", 1, "larder"),)
ONE_SHELF = (Destination("shelf", 1),)


class Tiny(NamedTuple):
    """A configuration with its world, the kinds of events that are sent into it, and what the walk must meet."""

    config: Config
    kinds: tuple[str, ...]
    states: int
    reports: tuple[str, ...]
    runs: int = 2
    stock: tuple[tuple[str, int, str], ...] = ONE_FLOUR
    room: tuple[tuple[str, int], ...] = ()


def small(**changes: object) -> Config:
    """One oven, one bun of one flour over two ticks."""
    rules: dict[str, object] = {"jobs": (BUN,), "phases": SHORT, "interruptions": (), "partial_work": None}
    return config(**(rules | {"pools": (pool(working=1, waiting=1),)} | changes))


TINY = {
    "requests": Tiny(small(), ("request", "tick", "use", "supply"), 35, ("job-rejected", "job-waiting")),
    "pauses": Tiny(
        small(timing="taken-at-request"),
        ("pause", "admit", "use", "tick"),
        44,
        ("job-rejected", "job-waiting"),
        stock=(("flour", 2, "larder"),),
    ),
    "reservations": Tiny(
        small(output_full="wait-before-start", readmissions=named("cleared"), destinations=ONE_SHELF),
        ("request", "tick", "readmit", "room"),
        26,
        ("job-started", "job-delivered"),
        stock=(("flour", 2, "larder"),),
    ),
    "stops": Tiny(
        small(interruptions=CUT, partial_work="reset-at-stop", release_stopped_claims=True),
        ("request", "tick", "instruct", "clear", "use", "supply"),
        14,
        ("job-stopped", "job-resumed", "job-delivered"),
        runs=1,
    ),
    "reversals": Tiny(
        small(interruptions=CUT, partial_work="reverse-while-stopped", reversals=(reversal(after=1),)),
        ("request", "tick", "instruct", "clear"),
        8,
        ("job-stopped", "job-resumed", "job-delivered"),
        runs=1,
    ),
    "progress": Tiny(
        progress(jobs=(job(needs=(Need("flour", 2, "larder"),)),), phases=SHORT, pools=(pool(working=1, waiting=1),)),
        ("request", "tick", "supply", "use"),
        83,
        ("job-stopped", "job-resumed", "job-delivered"),
        stock=(("flour", 2, "larder"),),
    ),
    "finish-gate": Tiny(
        instant(jobs=(BUN,), output_full="wait-until-space", timing="taken-at-finish", destinations=ONE_SHELF),
        ("pause", "admit", "supply", "use", "room"),
        96,
        ("job-stopped", "job-resumed", "job-delivered"),
    ),
    "deliveries": Tiny(
        instant(
            jobs=(job(needs=()),),
            output_full="try-destinations",
            fallbacks=("cellar",),
            destinations=(*ONE_SHELF, Destination("cellar", 1)),
            redeliveries=named("van"),
            on_collection=True,
            collections=named("pickup"),
        ),
        ("request", "redeliver", "collect", "room"),
        84,
        ("destination-refused", "job-delivered"),
        stock=(),
    ),
    "failures": Tiny(
        small(
            failures=(
                failure("mice", "working", loses_work=1),
                failure("rats", "waiting"),
                failure("fire", "stopped", ruined=True),
            )
        ),
        ("request", "tick", "fail", "clear"),
        46,
        ("job-failed", "job-resumed", "job-delivered"),
        stock=(("flour", 2, "larder"),),
    ),
    "cancels": Tiny(
        small(cancel_return="return-by-rule", cancel_returns=(cancel_return((("flour", 1),)),), interruptions=CUT),
        ("pause", "admit", "tick", "cancel", "instruct"),
        120,
        ("job-canceled", "job-delivered"),
        stock=(("flour", 2, "larder"),),
    ),
    "dependents": Tiny(
        small(
            jobs=(job(needs=()), job("dough", needs=())),
            dependents=links(("bake", ("dough",))),
            end_dependents=True,
            pools=(pool(working=2),),
        ),
        ("request", "tick", "cancel"),
        101,
        ("job-canceled", "job-waiting"),
        stock=(),
    ),
    "orders": Tiny(
        small(jobs=(job(needs=()),), interruptions=CUT, pools=(pool(working=1, waiting=None, order=by_field()),)),
        ("request", "tick", "instruct", "clear", "set-fields"),
        331,
        ("job-waiting", "job-resumed"),
        stock=(),
    ),
    "places": Tiny(
        small(
            jobs=(job(needs=()),),
            pools=(pool(working=1, waiting=1, places=("north", "south"), assignment="fewest-waiting"),),
        ),
        ("request", "tick"),
        21,
        ("job-waiting", "job-delivered"),
        runs=3,
        stock=(),
    ),
    "scans": Tiny(
        small(jobs=(job(needs=()),), standing_orders=(standing(no_open_run=True),), cancellations=()),
        ("open-pool", "request", "eligible"),
        3,
        ("job-requested", "job-waiting"),
        stock=(),
    ),
    "workers": Tiny(
        small(jobs=(job(needs=()),), interruptions=CUT),
        ("request", "tick", "worker-stop", "worker-ready"),
        49,
        ("job-stopped", "job-resumed", "job-waiting"),
        stock=(),
    ),
    "polls": Tiny(
        instant(
            jobs=(job(needs=()),),
            output_full="hold-undelivered",
            redeliveries=named("van", polled=True),
            destinations=ONE_SHELF,
        ),
        ("request", "tick", "room"),
        14,
        ("destination-refused", "job-delivered"),
        stock=(),
    ),
}


def walked(tiny: Tiny) -> tuple[Walk[State, e.Event, Transition], set[str]]:
    """The closed walk, audited in every transition, and the reports that it met."""
    model = Lifecycle(tiny.config)
    state = model.initial(World(tiny.stock, tiny.room))
    if "open-pool" not in tiny.kinds:
        for each in tiny.config.pools:
            state = model.step(state, e.OpenPool(each.id)).state
    alphabet = Alphabet(tiny.config, tuple(each for each in forms(tiny.config) if not each.fields), tiny.runs)
    walk = Walk(state, lambda at: _within(alphabet, at, tiny), model.step, Bounds(40, 5000))
    met: set[str] = set()
    for edge in walk:
        audit = Audit(model, edge.before)
        audit.lives = {run.id: run.state for run in edge.before.runs}
        assert audit.step(edge.input, edge.transition) == []
        met |= {row.data["report"] for row in edge.transition.rows if row.log == "report-log"}
    return walk, met


def _within(alphabet: Alphabet, state: State, tiny: Tiny) -> Iterator[e.Event]:
    """Enough units for one more run at the most, so that the world stays finite."""
    for event in alphabet.enabled(state, tiny.kinds):
        if not isinstance(event, e.Supply) or sum(state.stock) < sum(amount for _, amount, _ in tiny.stock):
            yield event


@pytest.mark.parametrize("name", TINY)
def test_tiny_world_closes_with_as_many_states_as_ever(name: str) -> None:
    """The walk exhausts its space, has met the reports it is about, and counts the pinned number of states."""
    tiny = TINY[name]
    walk, met = walked(tiny)
    assert walk.limit is None
    assert set(tiny.reports) <= met
    assert walk.states == tiny.states


def test_tiny_worlds_meet_every_report() -> None:
    """Together they meet every report there is."""
    assert set().union(*(walked(tiny)[1] for tiny in TINY.values())) == set(MOVES)
