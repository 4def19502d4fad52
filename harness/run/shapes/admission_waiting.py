"""Shapes of waiting: a pool's waiting slots and limit, and each reason why a run must wait."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission import queue_full
from harness.run.shapes.admission_orders import orders_running, possible, settle_orders
from harness.run.shapes.admission_ways import (
    as_far,
    ask,
    can_fill_queue,
    can_reserve,
    can_wait_in,
    has_slots,
    must_wait,
    occupy,
    plenty,
    short_at_gate,
    start_gate_can_fail,
    unmet,
    wait,
    waiting_forms,
)
from harness.run.shapes.registry import shapes
from harness.run.shapes.starts import first_by_pool, start_now_only, where

PLENTY = 40


# -- waiting-admission-uses-pool-capacity -------------------------------------------------------------------------


@shapes("waiting-admission-uses-pool-capacity")
def capacity(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A start at once, a wait, and where the pool has a limit, one request more than it lets wait."""
    if row is None:
        return
    forms = [form for form in facts.forms_of(row.id) if can_reserve(facts, form)]
    if not forms:
        yield Impossible(_never_assigned(facts, row.id))
        return
    world, form = plenty(facts, PLENTY), forms[0]
    if has_slots(facts, form):
        yield from possible(facts, Shape("starts", partial(start_now_only, form=form), world, (0,)))
    if can_wait_in(facts, form):
        yield from possible(facts, Shape("waits", partial(_two_wait, form=form), world, (0, 2)))
    elif not has_slots(facts, form):
        yield Impossible("the pool has neither a working nor a waiting slot, so it admits nobody", (0,))
    if has_slots(facts, form):
        yield Shape("are asked for together", as_far(partial(_asked_together, form=form)), world)
    full = next((each for each in forms if can_fill_queue(facts, each)), None)
    if full is not None:
        yield from possible(facts, Shape("is one too many", partial(queue_full, form=full), world, (0, 1)))
    elif facts.tables.pools[row.id].waiting is not None:
        yield Impossible("every waiting run has reserved room, and there is not room for as many as may wait", (1,))


def _never_assigned(facts: Facts, pool_id: str) -> str:
    if facts.forms_of(pool_id):
        return "no output fits where it has to be reserved, so no request reaches its admission"
    return f"no request is ever assigned to {pool_id}: a row written before it takes all that it covers"


def _two_wait(p: Pilot, form: Form) -> None:
    """A run that waits, and another behind it; where the pool chooses the places, as many as it takes to get there."""
    first = p.run(wait(p, form))
    pool = p.facts.config.pool(first.pool or "")
    for _ in range(len(pool.places) if pool is not None and pool.places else 1):
        if p.run(ask(p, form)).place == first.place:
            return


def _asked_together(p: Pilot, form: Form) -> None:
    """One request more than there are slots, each made while all are free, and admitted one after the other."""
    pool = p.facts.tables.pools[form.pool or ""]
    places = len(pool.places) if pool.assignment == "round-robin" else 1
    first = ask(p, form, pause=True)
    if orders_running(p):
        settle_orders(p)
    for run in (first, *[ask(p, form, pause=True) for _ in range(pool.working * places)]):
        p.send(e.Admit(run))


# -- waiting-records-every-current-reason -------------------------------------------------------------------------


@shapes("waiting-records-every-current-reason")
def reasons(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each reason alone, as far as it comes alone, and all of them together."""
    forms = waiting_forms(facts)
    if not forms:
        yield Impossible("no request can wait: no pool lets one, and without a pool nothing delays a start")
        return
    world = plenty(facts, PLENTY)
    for form in first_by_pool(forms):
        if form.pool is not None:
            shape = Shape(f"no free slot {where(form)}", partial(_two_wait, form=form), world)
            yield from possible(facts, shape)
    gate = next((form for form in forms if start_gate_can_fail(facts, form)), None)
    if gate is not None:
        yield from possible(facts, Shape("inputs gone", partial(_short_only, form=gate), world))
        if gate.pool is not None:
            yield Shape("behind a run without inputs", as_far(partial(_behind_short, form=gate)), world)
            yield Shape("no slot and no inputs", as_far(partial(_short_and_full, form=gate)), world)
    needy = next((form for form in forms if facts.config.needs_of(form.job)), None)
    if needy is not None:
        yield from possible(facts, Shape("need unmet", partial(_unmet_only, form=needy), world))
        if needy.pool is not None:
            yield Shape("behind a run with an open need", as_far(partial(_behind_needy, form=needy)), world)
            yield Shape("no slot and an open need", as_far(partial(_needy_and_full, form=needy)), world)
        yield Shape("all at once", as_far(partial(_everything, form=needy)), world)


def _short_only(p: Pilot, form: Form) -> None:
    must_wait(p, short_at_gate(p, form))


def _unmet_only(p: Pilot, form: Form) -> None:
    must_wait(p, unmet(p, form))


def _behind_short(p: Pilot, form: Form) -> None:
    """A slot is free, yet a run that waits for its inputs stands before the next one, which lacks them too."""
    first, second = ask(p, form, pause=True), ask(p, form, pause=True)
    p.drain(first)
    p.send(e.Admit(first))
    p.send(e.Admit(second))


def _behind_needy(p: Pilot, form: Form) -> None:
    """A slot is free, yet a run whose need is open stands before one that lacks nothing."""
    unmet(p, form)
    others = [each for each in p.facts.forms_of(form.pool) if each.place == form.place]
    free = next((each for each in others if not p.config.needs_of(each.job)), None)
    if free is not None:
        ask(p, free)


def _short_and_full(p: Pilot, form: Form) -> None:
    run = ask(p, form, pause=True)
    occupy(p, form)
    p.drain(run)
    p.send(e.Admit(run))


def _needy_and_full(p: Pilot, form: Form) -> None:
    """Nobody else waits, so that this run waits also where the pool has one waiting slot."""
    _ask_for_needs(p, form)
    run = ask(p, form, pause=True)
    occupy(p, form, fill=False)
    p.send(e.Admit(run))


def _ask_for_needs(p: Pilot, form: Form) -> None:
    for need in p.config.needs_of(form.job):
        needed = p.facts.form_for(need)
        if needed is not None:
            ask(p, needed, pause=True)


def _everything(p: Pilot, form: Form) -> None:
    """No slot, an earlier run, inputs gone, and an open need."""
    _ask_for_needs(p, form)
    first, run = ask(p, form, pause=True), ask(p, form, pause=True)
    occupy(p, form, 2)
    p.drain(run)
    p.send(e.Admit(first))
    p.send(e.Admit(run))
