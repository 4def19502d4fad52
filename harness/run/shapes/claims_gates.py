"""Shapes of the four claim timings: at the request, at the start, with progress, at the finish."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import WORKING
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission import can_be_blocked
from harness.run.shapes.admission_drive import all_room, drive, is_finished, is_past_work, is_started, workers_back
from harness.run.shapes.admission_orders import possible
from harness.run.shapes.admission_ways import (
    as_far,
    ask,
    can_fill_queue,
    can_wait_in,
    plenty,
    short_at_gate,
    start_now,
    starting_forms,
    tested_amounts,
    wait,
)
from harness.run.shapes.claims_ways import TICKS_MAX, taking_forms
from harness.run.shapes.registry import shapes
from harness.run.shapes.starts import NEVER_STARTS

TAKES_NOTHING = "no job takes a unit, so there is nothing to claim"


def _usable_forms(facts: Facts) -> tuple[Form, ...]:
    return tuple(form for form in taking_forms(facts) if tested_amounts(facts, form))


# -- taken at request ---------------------------------------------------------------------------------------------


@shapes("request-time-claim-is-atomic")
def at_request(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A start at once, a wait, and an admission that finds one of its inputs gone."""
    forms = taking_forms(facts)
    if not forms:
        yield Impossible(TAKES_NOTHING)
        return
    starting = next((form for form in forms if form in starting_forms(facts)), None)
    waiting = next((form for form in forms if can_wait_in(facts, form)), None)
    if starting is None and waiting is None:
        yield Impossible("no request is ever admitted", (0, 1))
    if starting is not None:
        yield from possible(facts, Shape("starts", partial(_start, form=starting), plenty(facts)))
    if waiting is not None:
        build = partial(_wait_and_start, form=waiting)
        yield from possible(facts, Shape("waits, then starts", build, plenty(facts)))
    gone = Shape("finds one input gone", partial(_one_gone, form=forms[0]), plenty(facts), (0, 2))
    yield from possible(facts, gone)


def _start(p: Pilot, form: Form) -> None:
    start_now(p, form)


def _wait_and_start(p: Pilot, form: Form) -> None:
    run = wait(p, form)
    workers_back(p)
    as_far(lambda pilot: drive(pilot, run, is_started))(p)


def _one_gone(p: Pilot, form: Form) -> None:
    """Only the last input of a paused request is taken away, so that a partial claim would be possible."""
    run = ask(p, form, pause=True)
    use_one(p, run)
    p.send(e.Admit(run))


def use_one(p: Pilot, run: str) -> None:
    """Another rule uses all units of the last input that the run's job takes."""
    found = p.run(run)
    sources = p.facts.tables.sources(found.job, found.place)
    usable = dict(zip(p.state.keys, p.state.stock, strict=True))
    needs = p.facts.tables.jobs[found.job].needs
    taken = [key for key, need in zip(sources, needs, strict=True) if need.amount and usable[key]]
    if not taken:
        raise NotConstructible(f"nothing that {run} takes is usable")
    item, source = taken[-1]
    p.send(e.Use(item, usable[item, source], source))


# -- taken at start, and with progress ----------------------------------------------------------------------------


@shapes("start-time-claim-is-atomic", "progress-claim-starts-with-rounded-share")
def at_start(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A start with just the share that is tested, and a start gate that finds it gone: waiting, or refused."""
    forms = _usable_forms(facts)
    if not taking_forms(facts):
        yield Impossible(TAKES_NOTHING)
        return
    starting = next((form for form in forms or taking_forms(facts) if form in starting_forms(facts)), None)
    if starting is not None:
        world = _just_enough(facts, starting)
        yield from possible(facts, Shape("finds its share", partial(_start_and_work, form=starting), world))
    else:
        yield Impossible(NEVER_STARTS, (0,) if forms else None)
    if forms:
        yield from _short_shapes(facts, forms)


def _just_enough(facts: Facts, form: Form) -> World:
    """Nothing but the share that the gates test."""
    stock = tuple((item, amount, source) for (item, source), amount in tested_amounts(facts, form).items())
    return facts.world(0)._replace(stock=stock)


def _start_and_work(p: Pilot, form: Form) -> None:
    run = start_now(p, form)
    as_far(lambda pilot: _work_on(pilot, run))(p)


def _work_on(p: Pilot, run: str) -> None:
    """Ticks with nothing left to claim, and one more, so that work beyond the claim would be seen."""
    p.drain(run)
    for _ in range(TICKS_MAX if p.facts.has_work else 0):
        p.tick()
        if p.run(run).state != WORKING:
            p.tick()
            break
    p.supply_for(run)
    drive(p, run, is_past_work)


def _short_shapes(facts: Facts, forms: tuple[Form, ...]) -> Iterator[Shape | Impossible]:
    waiting = next((form for form in forms if can_wait_in(facts, form)), None)
    if waiting is not None:
        build = partial(_short_and_wait, form=waiting)
        yield from possible(facts, Shape("waits for its share", build, plenty(facts), (1,)))
        if len(tested_amounts(facts, waiting)) > 1:
            # Only one of its inputs is gone, so that a partial claim would be possible.
            yield from possible(facts, Shape("lacks one input", partial(_one_gone, form=waiting), plenty(facts)))
    full = next((form for form in forms if can_fill_queue(facts, form)), None)
    if full is not None:
        build = partial(_short_and_refused, form=full)
        yield from possible(facts, Shape("is refused without its share", build, plenty(facts, 40), (1,)))
    blocked = next((form for form in forms if can_be_blocked(facts, form)), None)
    if blocked is not None and can_wait_in(facts, blocked):
        build = partial(_short_and_readmitted, form=blocked)
        world = plenty(facts, room="none")
        yield from possible(facts, Shape("is readmitted without its share", build, world, (1,)))
    if waiting is None and full is None:
        yield Impossible("no output fits where it has to be reserved, so no request reaches its start gate", (1,))


def _short_and_wait(p: Pilot, form: Form) -> None:
    run = short_at_gate(p, form)
    p.supply_for(run)
    as_far(lambda pilot: drive(pilot, run, is_started))(p)


def _short_and_refused(p: Pilot, form: Form) -> None:
    """Runs wait for their share until the queue is full; the next one is refused at its start gate."""
    pool = p.facts.tables.pools[form.pool or ""]
    count = (pool.waiting or 0) * max(1, len(pool.places)) + 1
    runs = [ask(p, form, pause=True) for _ in range(count)]
    for run in runs:
        p.drain(run)
    for run in runs:
        p.send(e.Admit(run))


def _short_and_readmitted(p: Pilot, form: Form) -> None:
    run = ask(p, form)
    p.drain(run)
    all_room(p)
    for readmission in p.config.readmissions:
        p.send(e.Tick() if readmission.polled else e.Readmit(readmission.id))
        return


# -- taken at finish ----------------------------------------------------------------------------------------------


@shapes("finish-time-inputs-stay-at-source")
def at_finish(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A wait, a start and every point of work, with all inputs usable by others; and inputs that others took."""
    forms = taking_forms(facts)
    if not forms:
        yield Impossible(TAKES_NOTHING)
        return
    starting = next((form for form in forms if form in starting_forms(facts)), None)
    waiting = next((form for form in forms if can_wait_in(facts, form)), None)
    if starting is None and waiting is None:
        yield Impossible("no request is ever admitted")
        return
    if waiting is not None:
        yield from possible(facts, Shape("waits", partial(_wait_and_finish, form=waiting), plenty(facts)))
    if starting is not None:
        build = partial(_start_and_finish, form=starting)
        yield from possible(facts, Shape("starts and works", build, plenty(facts)))
        yield Shape("others take its inputs", as_far(partial(_taken, form=starting)), plenty(facts, 1))


def _wait_and_finish(p: Pilot, form: Form) -> None:
    run = wait(p, form)
    workers_back(p)
    as_far(lambda pilot: drive(pilot, run, is_past_work))(p)


def _start_and_finish(p: Pilot, form: Form) -> None:
    run = start_now(p, form)
    drive(p, run, is_past_work)


def _taken(p: Pilot, form: Form) -> None:
    """Another rule takes the inputs of a run before its gate, which is its right; later they come back."""
    run = ask(p, form, pause=not p.facts.has_work)
    p.drain(run)
    if not p.facts.has_work:
        p.send(e.Admit(run))
    drive(p, run, is_past_work)
    p.supply_for(run)
    drive(p, run, is_finished)
