"""Standing orders out of the way: they request by themselves, and would take the slot, room or units of a script."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle import events as e
from harness.models.lifecycle.requests import REQUESTER
from harness.models.lifecycle.state import DELIVERED, WORKING, Run, is_open
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission_drive import all_room, drive, is_in

CROWDED_OUT = "the standing orders request again whenever they can, and leave no other request this way"


def possible(facts: Facts, shape: Shape, reason: str | None = None) -> Iterator[Shape | Impossible]:
    """The shape; or, where the model refuses an event that it needs, why there is none.

    Without a reason this is asked only where standing orders are declared, which are then what stands in the way.
    """
    if facts.config.standing_orders or reason is not None:
        try:
            shape.build(Pilot(facts, shape.world, shape.open_pools))
        except NotConstructible:
            yield Impossible(reason or CROWDED_OUT, shape.clauses)
            return
        except NotFound:
            pass
    yield shape


def orders_running(p: Pilot) -> tuple[Run, ...]:
    """The open runs that standing orders requested."""
    return tuple(run for run in p.state.runs if run.by != REQUESTER and is_open(run))


def settle_orders(p: Pilot) -> None:
    """Make the standing orders ineligible as far as units can, and carry their runs to the end.

    A run of the script that is open keeps a row with `no-open-run` quiet by itself.
    """
    if not orders_running(p):
        return
    for row in p.config.standing_orders:
        for item, amount in row.eligible.below:
            source = next((where for name, where in p.state.keys if name == item), None)
            if source is not None:
                p.send(e.Supply(item, amount, source))
        if not row.eligible.below:
            for item, _ in row.eligible.usable:
                _use_all(p, item)
    for run in orders_running(p):
        try:
            _carry(p, run.id)
        except NotConstructible:
            continue
    all_room(p)


def _carry(p: Pilot, run: str) -> None:
    """The run to its end; under progress claiming with just the units of its next tick, so that none are left over."""
    while p.config.timing == "with-progress" and p.run(run).state == WORKING:
        before = p.state
        sources = p.facts.tables.sources(p.run(run).job, p.run(run).place)
        needs = p.facts.tables.jobs[p.run(run).job].needs
        lacking = [need.amount - held for need, held in zip(needs, p.run(run).held, strict=True)]
        for (item, source), amount in zip(sources, lacking, strict=True):
            _use_all(p, item)
            if amount > 0:
                p.send(e.Supply(item, amount, source))
        p.tick()
        if p.state == before:
            break
    drive(p, run, is_in(DELIVERED))


def _use_all(p: Pilot, item: str) -> None:
    for (name, source), amount in zip(p.state.keys, p.state.stock, strict=True):
        if name == item and amount:
            p.send(e.Use(item, amount, source))
