"""Runs that wait: for a slot, for units, or for another job; and how a pool is left without a free slot."""

from __future__ import annotations

from functools import partial

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.state import State
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot
from harness.run.shapes.stops_facts import closed_forms, initial_share, starting_forms
from harness.run.shapes.stops_steps import attempt, wait


def wait_at_gate(p: Pilot, form: Form) -> str:
    """A run of the form that waits: no slot is free, or its units are gone, or another reason is nearest."""
    for step in (_wait_for_a_run, _wait_for_a_worker, _wait_for_units, _wait_for_a_need):
        if attempt(p, partial(step, p, form)):
            return _waiting_run(p.state, form) or ""
    wait(p, lambda seen: _waiting_run(seen.state, form) is not None)
    return _waiting_run(p.state, form) or ""


def _wait_for_a_run(p: Pilot, form: Form) -> None:
    pool = p.facts.tables.pools.get(form.pool or "")
    if pool is None or not p.facts.can_hold_slot_in(pool):
        raise NotConstructible("no run keeps a slot")
    for place in _places(p, form):
        p.fill(pool.id, place)
    _request_to_wait(p, form)


def _wait_for_a_worker(p: Pilot, form: Form) -> None:
    if form.pool is None:
        raise NotConstructible("there is no pool")
    for place in _places(p, form):
        for slot in _idle_slots(p, form.pool, place):
            p.send(e.WorkerStop(form.pool, slot, place))
    _request_to_wait(p, form)


def _wait_for_units(p: Pilot, form: Form) -> None:
    run = p.request(job=form.job, pool=form.pool, place=form.place, pause=True)
    p.drain(run)
    p.send(e.Admit(run))
    _must_wait(p, run)


def _wait_for_a_need(p: Pilot, form: Form) -> None:
    for need in p.config.needs_of(form.job):
        p.request(job=need, pause=True)
    _request_to_wait(p, form)


def _request_to_wait(p: Pilot, form: Form) -> None:
    _must_wait(p, p.request(job=form.job, pool=form.pool, place=form.place))


def _must_wait(p: Pilot, run: str) -> None:
    if p.run(run).state != "waiting":
        raise NotConstructible(f"{run} does not wait")


def _places(p: Pilot, form: Form) -> tuple[str | None, ...]:
    """The form's place; every place of its pool where a rule chooses it."""
    pool = p.facts.tables.pools[form.pool or ""]
    return (form.place,) if form.place is not None or not pool.places else pool.places


def can_wait(facts: Facts, form: Form) -> bool:
    """Whether a run of the form can be admitted into waiting.

    A pool's slots can be taken, or lose their workers; without a pool the units can go, or a needed job be open.
    """
    pool = facts.tables.pools.get(form.pool or "")
    if pool is not None:
        return pool.waiting != 0
    return tests_units(facts, form) or bool(facts.config.needs_of(form.job))


def tests_units(facts: Facts, form: Form) -> bool:
    """Whether the start gate of the form tests any units."""
    if facts.config.timing not in ("taken-at-start", "with-progress"):
        return False
    stricter = any(amount for _, amount in facts.tables.jobs[form.job].offer_check)
    progress = facts.config.timing == "with-progress"
    return bool(initial_share(facts, form)) or (progress and stricter)


def waiting_form(facts: Facts) -> Form | None:
    """The first form whose run can wait: for a slot or for units before another job, and where it can start later."""
    forms = [form for form in starting_forms(facts) if can_wait(facts, form)]
    closed = [form for form in closed_forms(facts) if can_wait(facts, form)]
    for_need = [form for form in forms if form.pool is None and not tests_units(facts, form)]
    return next((form for form in (*forms, *closed) if form not in for_need), next(iter(for_need), None))


def occupy(p: Pilot, form: Form, place: str | None) -> None:
    """Leave no free slot at that place of the form's pool: other runs take them, else their workers go."""
    pool = form.pool or ""
    if not attempt(p, lambda: _fill(p, pool, place)):
        for slot in _idle_slots(p, pool, place):
            p.send(e.WorkerStop(pool, slot, place))


def _fill(p: Pilot, pool: str, place: str | None) -> None:
    p.fill(pool, place)


def _idle_slots(p: Pilot, pool: str, place: str | None) -> list[int]:
    """Working slots, counted from 1, that nobody has and whose worker is there."""
    slots = next(value for name, where, value in p.state.pools if (name, where) == (pool, place))
    numbers = range(p.facts.tables.pools[pool].working)
    ready = [each for each in numbers if p.model.slots.is_ready(slots, each)]
    return [each + 1 for each in ready if p.model.slots.holder(slots, each) is None]


def _waiting_run(state: State, form: Form) -> str | None:
    """The latest run of the form that waits."""
    waiting = [run.id for run in state.runs if (run.job, run.pool, run.state) == (form.job, form.pool, "waiting")]
    return waiting[-1] if waiting else None
