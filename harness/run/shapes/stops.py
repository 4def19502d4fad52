"""Runs that instructions stop, or fail to stop."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.handlers import WORKER_STOPPED
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.registry import shapes
from harness.run.shapes.stops_facts import (
    NOBODY_WORKS,
    instruction_of,
    interruptions,
    ordinary_causes,
    records_work,
    working_form,
)
from harness.run.shapes.stops_steps import give, go_on, record, resume, start, stopped_with_work


@shapes("declared-interruption-stops-once")
def declared_interruptions(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """The row is the first cause; another declared interruption joins."""
    if row is None or not facts.has_work:
        return
    form = working_form(facts)
    if form is None:
        yield Impossible(NOBODY_WORKS)
        return
    if instruction_of(facts, row.id) is None:
        yield Impossible(f"earlier rows declare every instruction of {row.id}, so it never is a cause")
        return
    others = [cause for cause in interruptions(facts) if cause != row.id]
    if others:
        name = f"stopped by {row.id}, joined by {others[0]}"
        yield Shape(name, partial(_stop_and_join, form=form, first=row.id, second=others[0]))
    else:
        yield Impossible("no other interruption is declared that could join", (1,))
        yield Shape(f"stopped by {row.id}", partial(_stop_alone, form=form, cause=row.id), clauses=(0,))
    declares = next(each.instructions for each in facts.config.interruptions if each.id == row.id)
    if WORKER_STOPPED in declares and instruction_of(facts, row.id) is not None and form.pool is not None:
        yield Shape("its worker goes and comes back", partial(_stop_the_worker, form=form), clauses=(0,))


def _stop_and_join(p: Pilot, form: Form, first: str, second: str) -> None:
    run = stopped_with_work(p, form, first)
    give(p, run, second)
    resume(p, run, first, second)


def _stop_alone(p: Pilot, form: Form, cause: str) -> None:
    run = stopped_with_work(p, form, cause)
    resume(p, run, cause)


def _stop_the_worker(p: Pilot, form: Form) -> None:
    run = start(p, form)
    found = p.run(run)
    slot = (found.working_slot or 0) + 1
    p.send(e.WorkerStop(found.pool or "", slot, found.place))
    p.send(e.WorkerReady(found.pool or "", slot, found.place))
    go_on(p, run)


@shapes("unnamed-instructions-cannot-stop")
def unnamed_instructions(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """An invented instruction reaches a working run; other events pass it by, and a named cause stops it."""
    form = working_form(facts)
    if form is None:
        yield Impossible(NOBODY_WORKS)
        return
    yield Shape("an unnamed instruction to a working run", partial(_unnamed, form=form))
    if facts.config.cancellations:
        yield Shape("an unnamed instruction, then another run is canceled", partial(_unnamed_beside, form=form))


def unnamed_instruction(facts: Facts) -> str:
    """A name that no interruptions row declares."""
    declared = {name for each in facts.config.interruptions for name in each.instructions}
    name = "unnamed-instruction"
    while name in declared or name == WORKER_STOPPED:
        name += "-x"
    return name


def _unnamed(p: Pilot, form: Form) -> None:
    run = start(p, form)
    if records_work(p.facts, form):
        record(p, run)
    p.send(e.Instruct(run, unnamed_instruction(p.facts)))
    causes = ordinary_causes(p.facts, form, recorded=records_work(p.facts, form))
    if causes:
        give(p, run, causes[0])
    else:
        p.tick()


def _unnamed_beside(p: Pilot, form: Form) -> None:
    run = start(p, form)
    if records_work(p.facts, form):
        record(p, run)
    p.send(e.Instruct(run, unnamed_instruction(p.facts)))
    other = p.request(job=form.job, pool=form.pool, place=form.place, pause=True)
    p.cancel(other, p.config.cancellations[0])
    p.tick()
