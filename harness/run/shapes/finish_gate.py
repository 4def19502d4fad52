"""Runs that are stopped at their finish gate: no room for the output, or the inputs gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import INPUTS_AT_FINISH, OUTPUT_FULL, RECOVERY
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.registry import shapes
from harness.run.shapes.stops_facts import (
    fits,
    fits_its_destination,
    gate_causes,
    gate_form,
    interruptions,
    recoverable,
    rule_of,
)
from harness.run.shapes.stops_steps import clear, fail, give, resume, stop_at_gate


@shapes("finish-gate-wait-retains-completed-work")
def full_destinations(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """No room at the gate, later room; and another cause that joins meanwhile."""
    form = gate_form(facts, OUTPUT_FULL)
    if form is None:
        yield Impossible("no output that must find room has a destination that can be full")
        return
    full = facts.world(room="none")
    if not fits_its_destination(facts, form):
        yield Impossible("the whole output is larger than its destination, so room for it never comes", (3,))
        yield Shape("no room, ever", partial(_only_stop, form=form, causes=(OUTPUT_FULL,)), full, clauses=(0, 1, 2))
        return
    yield from _gate_shapes(facts, form, full, (OUTPUT_FULL,), "no room")


@shapes("finish-claim-wait-is-slot-retaining")
def missing_claims(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """The inputs gone at the gate, later back; another cause that joins meanwhile; and no room besides."""
    form = gate_form(facts, INPUTS_AT_FINISH)
    if form is None:
        yield Impossible("no job that can start takes units, so a job always has its inputs at the gate")
        return
    yield Impossible("inputs are claimed at the finish itself, so no claim is current before", (2,))
    if not fits_its_destination(facts, form):
        yield Impossible("the whole output is larger than its destination, so the gate never passes", (3,))
        yield Shape("inputs gone", partial(_only_stop, form=form, causes=()), clauses=(0, 1))
        return
    yield from _gate_shapes(facts, form, None, (INPUTS_AT_FINISH,), "inputs gone")
    if OUTPUT_FULL in gate_causes(facts, form) and fits_its_destination(facts, form):
        both = partial(_stop_and_return, form=form, causes=(OUTPUT_FULL, INPUTS_AT_FINISH))
        yield Shape("inputs gone and no room", both, facts.world(room="none"))


def _gate_shapes(
    facts: Facts, form: Form, world: World | None, causes: tuple[str, ...], name: str
) -> Iterator[Shape | Impossible]:
    yield Shape(name, partial(_stop_and_return, form=form, causes=causes), world)
    others = joining(facts, form)
    for cause, join in others:
        build = partial(_stop_join_return, form=form, causes=causes, join=join, other=cause)
        yield Shape(f"{name}, joined by {cause}", build, world)
    if not others:
        yield Impossible("no interruption and no recoverable failure can join a stop at the finish gate", (1,))


Join = Callable[[Pilot, str], None]


def joining(facts: Facts, form: Form) -> tuple[tuple[str, Join], ...]:
    """What can join a stop at the finish gate: the first interruption, and the first failure of a stopped run."""
    found: list[tuple[str, Join]] = [(cause, partial(_interrupt, cause=cause)) for cause in interruptions(facts)[:1]]
    fitting = [row for row in recoverable(facts, "stopped") if fits(row, _held_at_gate(facts, form))]
    # One that loses no work comes first: after a loss of work the finish gate is not read again.
    fitting.sort(key=lambda row: bool(row.loses_work or row.loses_work_share))
    found.extend((RECOVERY, partial(_fail, row=row)) for row in fitting[:1])
    return tuple(found)


def _held_at_gate(facts: Facts, form: Form) -> dict[str, int]:
    early = facts.config.timing in ("taken-at-request", "taken-at-start", "with-progress")
    if not early or facts.config.release_stopped_claims:
        return {}
    return {need.item: need.amount for need in rule_of(facts, form).needs if need.amount}


def _interrupt(p: Pilot, run: str, cause: str) -> None:
    give(p, run, cause)


def _fail(p: Pilot, run: str, row: Failure) -> None:
    fail(p, run, row)


def _only_stop(p: Pilot, form: Form, causes: tuple[str, ...]) -> None:
    stop_at_gate(p, form, *causes)
    p.tick()


def _stop_and_return(p: Pilot, form: Form, causes: tuple[str, ...]) -> None:
    run = stop_at_gate(p, form, *causes)
    p.tick()
    resume(p, run, *causes)


def _stop_join_return(p: Pilot, form: Form, causes: tuple[str, ...], join: Join, other: str) -> None:
    run = stop_at_gate(p, form, *causes)
    join(p, run)
    p.tick()
    clear(p, run, other)
    if other == RECOVERY:
        p.supply_for(run)
    resume(p, run, *(cause for cause in causes if cause in p.run(run).causes))
