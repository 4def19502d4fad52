"""Shapes of the start boundary, of work, and of jobs without work."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission_drive import drive, is_in, is_past_work, is_started, workers_back
from harness.run.shapes.admission_orders import possible
from harness.run.shapes.admission_ways import (
    as_far,
    can_wait_in,
    capacity_for,
    plenty,
    short_at_gate,
    start_now,
    starting_forms,
    wait,
    waiting_forms,
)
from harness.run.shapes.registry import shapes

NEVER_STARTS = "no request can start: every pool has a working limit of 0, or no output fits where it is reserved"


def first_by_pool(forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """One form for each pool, and one without a pool where there is one."""
    found: dict[str | None, Form] = {}
    for form in forms:
        found.setdefault(form.pool, form)
    return tuple(found.values())


def where(form: Form) -> str:
    """The form's pool in words."""
    return f"in {form.pool}" if form.pool is not None else "without a pool"


# -- start-counts-settle-before-report ----------------------------------------------------------------------------


@shapes("start-counts-settle-before-report")
def starts(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A start at once and one out of waiting, with and without a pool, each up to the end of its output's way."""
    forms = first_by_pool(starting_forms(facts))
    if not forms:
        yield Impossible(NEVER_STARTS)
        return
    world = plenty(facts)
    for form in forms:
        yield from possible(facts, Shape(f"starts {where(form)}", partial(_start_and_end, form=form), world))
        if can_wait_in(facts, form):
            name, build = f"starts out of waiting {where(form)}", partial(_wait_and_end, form=form)
            yield from possible(facts, Shape(name, build, world), "what a run waits for there never comes")


def _start_and_end(p: Pilot, form: Form) -> None:
    run = start_now(p, form)
    _deliver(p, run)


def _wait_and_end(p: Pilot, form: Form) -> None:
    run = wait(p, form)
    workers_back(p)
    drive(p, run, is_started)
    _deliver(p, run)


def _deliver(p: Pilot, run: str) -> None:
    """To the delivery, as far as the adoption lets an output go."""
    as_far(lambda pilot: _until_delivered(pilot, run))(p)


def _until_delivered(p: Pilot, run: str) -> None:
    drive(p, run, is_past_work)
    drive(p, run, is_in("delivered"))


# -- work-phase-enters-working ------------------------------------------------------------------------------------


@shapes("work-phase-enters-working")
def work(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """One job that goes through the phase, up to its finish gate."""
    if row is None:
        return
    forms = starting_forms(facts)
    if not forms:
        yield Impossible(NEVER_STARTS)
        return
    build = partial(_work, form=forms[0], phase=row.id)
    yield from possible(facts, Shape(f"works through {row.id}", build, plenty(facts)))


def _work(p: Pilot, form: Form, phase: str) -> None:
    found = p.facts.form_for(form.job, form.pool, form.place, phase)
    drive(p, start_now(p, found or form), is_past_work)


# -- jobs without work --------------------------------------------------------------------------------------------


@shapes("instant-start-settles-finish-in-one-batch")
def instant(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A start that goes through, and one for each thing that keeps the job at its gate or in finished."""
    if facts.has_work:
        return
    forms = starting_forms(facts)
    if not forms:
        yield Impossible(NEVER_STARTS)
        return
    answer, form = facts.config.output_full, forms[0]
    yield from possible(facts, Shape("passes its gates", partial(start_now_only, form=form), plenty(facts)))
    finite = next((each for each in forms if capacity_for(facts, each) is not None), None)
    if finite is not None and answer in ("hold-undelivered", "try-destinations", "wait-until-space"):
        world = plenty(facts, room="none")
        yield from possible(facts, Shape("finds no room", partial(start_now_only, form=finite), world, (1,)))
    taking = next((each for each in forms if facts.tables.jobs[each.job].needs), None)
    if taking is not None and facts.config.timing == "taken-at-finish":
        yield from possible(facts, Shape("finds its inputs gone", partial(_short, form=taking), plenty(facts), (1,)))


def start_now_only(p: Pilot, form: Form) -> None:
    """A request that starts."""
    start_now(p, form)


def _short(p: Pilot, form: Form) -> None:
    run = short_at_gate(p, form)
    drive(p, run, is_started)
    p.supply_for(run)


@shapes("no-stop-before-the-finish-gate")
def no_stop(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A job that advances to its gate, and each recoverable failure while one waits."""
    if facts.has_work:
        return
    forms = starting_forms(facts)
    if not forms:
        yield Impossible(NEVER_STARTS)
    else:
        shape = Shape("advances to its gate", partial(start_now_only, form=forms[0]), plenty(facts))
        yield from possible(facts, shape)
    for failure in facts.config.failures:
        if failure.from_state == "waiting" and not failure.ruined:
            for form in waiting_forms(facts)[:1]:
                build = partial(_fail_waiting, form=form, failure=failure)
                yield Shape(f"fails by {failure.id} while waiting", as_far(build), plenty(facts), (1,))


def _fail_waiting(p: Pilot, form: Form, failure: Failure) -> None:
    run = wait(p, form)
    p.send(e.Fail(run, failure.id))
    p.recover(run)
    workers_back(p)
    drive(p, run, is_started)
