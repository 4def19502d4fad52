"""Shapes of the availability check: too few inputs, and jobs that need none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.model import World
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission_drive import all_room, drive, is_past_work
from harness.run.shapes.admission_orders import possible
from harness.run.shapes.admission_ways import (
    as_far,
    ask,
    can_fill_queue,
    capacity_for,
    fill_queue,
    held,
    plenty,
    starting_forms,
    tested_amounts,
    unmet,
    wait,
    waiting_forms,
)
from harness.run.shapes.claims_ways import holding
from harness.run.shapes.registry import shapes
from harness.run.shapes.starts import first_by_pool, start_now_only, where

# -- exact-inputs-required ----------------------------------------------------------------------------------------


@shapes("exact-inputs-required")
def too_few(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """No units at all, one unit too few of each input, and too few while another run holds its claim."""
    tested = {form: tested_amounts(facts, form) for form in facts.forms}
    form = next((each for each, amounts in tested.items() if amounts), None)
    if form is None:
        yield Impossible("the tested share of every job is nothing, so no request can lack any of it")
        return
    yield Shape("nothing is there", partial(_ask_only, form=form), facts.world(0))
    for (item, source), amount in tested[form].items():
        name = f"one {item} too few at {source}"
        yield Shape(name, partial(_ask_only, form=form), _lacking(facts, form, (item, source), amount))
    if facts.config.timing != "taken-at-finish":
        yield Shape("too few beside a claim", as_far(partial(_beside_a_claim, form=form)), plenty(facts))


def _lacking(facts: Facts, form: Form, short: tuple[str, str], amount: int) -> World:
    """A world of plenty but for one input, of which one unit too few is there."""
    world = plenty(facts)
    stock = [each for each in world.stock if (each[0], each[2]) != short]
    return world._replace(stock=(*stock, (short[0], amount - 1, short[1])))


def _ask_only(p: Pilot, form: Form) -> None:
    ask(p, form)


def _beside_a_claim(p: Pilot, form: Form) -> None:
    holder = holding(p)
    p.drain(holder)
    ask(p, form)
    if held(p, holder):
        p.supply_for(holder)
        as_far(lambda pilot: drive(pilot, holder, is_past_work))(p)


# -- no-input-check-is-empty --------------------------------------------------------------------------------------


@shapes("no-input-check-is-empty")
def no_inputs(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A request that passes every gate, and one that each other gate delays, refuses or blocks."""
    if not facts.forms:
        yield Impossible("no request can be made")
        return
    world = plenty(facts)
    for form in first_by_pool(starting_forms(facts)):
        yield from possible(facts, Shape(f"passes {where(form)}", partial(start_now_only, form=form), world))
    for form in first_by_pool(waiting_forms(facts)):
        yield from possible(facts, Shape(f"waits {where(form)}", partial(_wait_only, form=form), world))
    needy = next((each for each in waiting_forms(facts) if facts.config.needs_of(each.job)), None)
    if needy is not None:
        yield Shape("waits for another job", as_far(partial(_unmet_only, form=needy)), world)
    for form in first_by_pool(facts.forms):
        if can_fill_queue(facts, form):
            shape = Shape(f"finds the queue full {where(form)}", partial(queue_full, form=form), world)
            yield from possible(facts, shape)
    blocked = next((each for each in facts.forms if can_be_blocked(facts, each)), None)
    if blocked is not None:
        shape = Shape("is blocked for room", partial(_blocked_only, form=blocked), plenty(facts, room="none"))
        yield from possible(facts, shape)


def can_be_blocked(facts: Facts, form: Form) -> bool:
    """Whether a request of this form can find no room to reserve."""
    reserves = facts.config.output_full == "wait-before-start"
    return reserves and capacity_for(facts, form) is not None and facts.tables.jobs[form.job].size > 0


def _wait_only(p: Pilot, form: Form) -> None:
    wait(p, form)


def _unmet_only(p: Pilot, form: Form) -> None:
    unmet(p, form)


def queue_full(p: Pilot, form: Form) -> None:
    """Requests that wait until the pool's limit is reached, and one more."""
    fill_queue(p, form)


def _blocked_only(p: Pilot, form: Form) -> None:
    p.request(form.job, form.pool, form.place, dict(form.fields))
    all_room(p)
    for readmission in p.config.readmissions:
        p.send(e.Tick() if readmission.polled else e.Readmit(readmission.id))
        return
