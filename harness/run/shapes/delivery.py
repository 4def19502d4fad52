"""Runs whose output meets room, or the want of it: by delivery case, by answer, and by declared event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from harness.contract.rules import field_rule
from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import DELIVERED, FINISHED, REQUESTED, STOPPED
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.failures import Found, softly
from harness.run.shapes.failures_ways import (
    NEVER_STARTS,
    ask_for,
    empty_rooms,
    finishing,
    go_to_gate,
    one_each,
    world_of,
)
from harness.run.shapes.outputs import finish_once, to_the_end
from harness.run.shapes.outputs_carry import carry_on
from harness.run.shapes.registry import shapes

ROUTE = "try-destinations"
IN_PLACE = "an in-place job is delivered by its change and has no destination"


# -- worlds and destinations -------------------------------------------------------------------------------------------


def route_of(facts: Facts, form: Form) -> tuple[str, ...]:
    """The destinations of a form's job as the rules name them, the normal one first."""
    normal = facts.tables.jobs[form.job].destination
    fallbacks = facts.config.fallbacks if facts.config.output_full == ROUTE else ()
    return (*([normal] if normal is not None else []), *fallbacks)


def is_finite(facts: Facts, name: str) -> bool:
    """Whether a destination can be full, wherever it is."""
    return all(facts.tables.capacities.get(each) is not None for each in facts.destination_names(name))


def can_take(facts: Facts, name: str, size: int) -> bool:
    """Whether a destination can have room for an output of that size."""
    return all(
        capacity is None or size <= capacity
        for capacity in (facts.tables.capacities.get(each) for each in facts.destination_names(name))
    )


def world_with(facts: Facts, form: Form, full: tuple[str, ...], empty: tuple[str, ...] = ()) -> World:
    """A world of plenty in which these destinations are full and those have all the room there can be."""
    world = world_of(facts, form=form)
    room = dict(world.room)
    for name in full:
        room.update(dict.fromkeys((each for each in facts.destination_names(name) if each in room), 0))
    for name in empty:
        for each in facts.destination_names(name):
            capacity = facts.tables.capacities.get(each)
            if capacity is not None:
                room[each] = capacity
    return world._replace(room=tuple(sorted(room.items())))


def blocking_form(facts: Facts) -> Form | None:
    """The first form whose normal destination can be full; None where every one always has room."""
    for form in one_each(facts):
        normal = facts.tables.jobs[form.job].destination
        if normal is not None and is_finite(facts, normal):
            return form
    return None


def free_up(p: Pilot, run: str, at: int = 0) -> None:
    """Room for one output at a place of the run's route."""
    found = p.run(run)
    form = Form(found.job, found.pool, found.place, found.fields, found.phase)
    name = route_of(p.facts, form)[at].replace("{place}", found.place or "{place}")
    p.send(e.Room(name, p.facts.tables.jobs[found.job].size))


# -- delivery cases ----------------------------------------------------------------------------------------------------


@shapes("delivery-case-invokes-selected-answer")
def cases(facts: Facts, row: Row | None) -> Found:
    """The case's condition holds when the run's room is decided on."""
    if row is None:
        return
    if not one_each(facts):
        yield Impossible(NEVER_STARTS)
        return
    if facts.in_place:
        yield Shape("the change is made", partial(finish_once, form=one_each(facts)[0]), world_of(facts))
        return
    condition: Any = field_rule(facts.adoption, "delivery-cases", row.id, "condition-declared-in")
    if isinstance(condition, Mapping):
        yield from _case(facts, str(condition["destination"]), condition["room"] == "short")
    else:
        yield from _always(facts)


def _always(facts: Facts) -> Found:
    """A condition that always holds: with room, and without where the normal destination can be full."""
    form = blocking_form(facts)
    yield Shape("the output has room", partial(_meet_room, form=form or one_each(facts)[0]), world_of(facts))
    if form is not None:
        full = route_of(facts, form)[:1]
        yield Shape("the output has no room", partial(_meet_room, form=form), world_with(facts, form, full))


def _case(facts: Facts, where: str, short: bool) -> Found:
    form, at = _form_for(facts, where)
    size = facts.tables.jobs[form.job].size
    if short and not is_finite(facts, where):
        yield Impossible(f"{where} always has room, so the case never holds")
    elif not short and not can_take(facts, where, size):
        yield Impossible(f"{where} never has room for a whole output, so the case never holds")
    else:
        before = route_of(facts, form)[:at]
        world = world_with(facts, form, (*before, where) if short else before, () if short else (where,))
        said = "is short of room" if short else "has room enough"
        yield Shape(f"{where} {said}", partial(_meet_room, form=form), world)


def _form_for(facts: Facts, where: str) -> tuple[Form, int]:
    """The form whose route the destination is on, and its place there; any form where it is on none."""
    for form in one_each(facts):
        if where in route_of(facts, form):
            return form, route_of(facts, form).index(where)
    return one_each(facts)[0], 0


def _meet_room(p: Pilot, form: Form) -> None:
    """The run up to the decision on its room; where it finds none, room comes and the declared event with it."""
    run = ask_for(p, form)
    if p.run(run).state != REQUESTED:
        go_to_gate(p, run, FINISHED, DELIVERED, STOPPED, full=empty_rooms(p))
    if p.run(run).state == DELIVERED:
        return
    softly(p.tick)
    if p.run(run).state != DELIVERED and route_of(p.facts, form):
        softly(partial(free_up, p, run))
        carry_on(p, run, DELIVERED)


@shapes("normal-destination-never-blocks")
def never_blocks(facts: Facts, row: Row | None) -> Found:
    """Two runs of every job, so of every size and compound shape; and one that meets a full destination."""
    forms = finishing(facts)
    if not forms:
        yield Impossible(NEVER_STARTS)
    for form in forms:
        yield Shape(f"{form.job} finishes twice", partial(_finish_twice, form=form), world_of(facts, form=form))
        normal = facts.tables.jobs[form.job].destination
        if normal is not None and is_finite(facts, normal):
            build = partial(_finish_only, form=form)
            yield Shape(f"{form.job} finishes while {normal} is full", build, world_with(facts, form, (normal,)))


def _finish_twice(p: Pilot, form: Form) -> None:
    to_the_end(p, ask_for(p, form))
    softly(lambda: to_the_end(p, ask_for(p, form)))


def _finish_only(p: Pilot, form: Form) -> None:
    run = ask_for(p, form)
    go_to_gate(p, run, FINISHED, DELIVERED, full=empty_rooms(p))


# -- reserved room -----------------------------------------------------------------------------------------------------


@shapes("pre-start-reservation-blocks-admission")
def reservations(facts: Facts, row: Row | None) -> Found:
    """A request that is blocked until its event, one that is canceled while it holds room, and two that compete."""
    form = blocking_form(facts)
    if facts.in_place:
        yield Impossible(IN_PLACE)
        return
    if not one_each(facts) and not facts.forms:
        yield Impossible(NEVER_STARTS)
        return
    if form is None:
        yield Impossible("the normal destination always has room, so no request is ever blocked")
        return
    full = world_with(facts, form, route_of(facts, form)[:1])
    yield Shape("a request is blocked until its event", partial(_blocked, form=form), full)
    yield Shape("a reservation is held", partial(_compete, form=form), world_of(facts, "one", form))
    for cancellation in facts.config.cancellations[:1]:
        build = partial(_cancel_reserved, form=form, row=cancellation)
        yield Shape("a run that holds room is canceled", build, world_of(facts), (1,))


def _blocked(p: Pilot, form: Form) -> None:
    run = ask_for(p, form)
    if p.run(run).state != REQUESTED:
        raise NotConstructible(f"the run {run} finds room in a full destination")
    events = [row.id for row in p.config.readmissions if not row.polled]
    for row in events:
        p.send(e.Readmit(row))
    p.tick()
    free_up(p, run)
    if not any(row.polled for row in p.config.readmissions):
        p.tick()
    for row in events[:1]:
        p.send(e.Readmit(row))
    if not events:
        p.tick()
    carry_on(p, run, DELIVERED)


def _compete(p: Pilot, form: Form) -> None:
    """The room of one: the first request reserves it, the second finds none."""
    first = ask_for(p, form)
    ask_for(p, form)
    softly(lambda: to_the_end(p, first))


def _cancel_reserved(p: Pilot, form: Form, row: str) -> None:
    run = ask_for(p, form)
    softly(partial(p.cancel, run, row))


# -- held outputs ------------------------------------------------------------------------------------------------------


def _why_never_held(facts: Facts) -> str | None:
    """Why no output is ever held, None where one can be."""
    if facts.in_place:
        return IN_PLACE
    if not one_each(facts):
        return NEVER_STARTS
    if blocking_form(facts) is None:
        return "the normal destination always has room, so no output is ever refused"
    if not facts.can_hold_output:
        return "a destination on the route always has room, so no output is ever held"
    return None


@shapes("held-output-retries-only-on-event")
def held_outputs(facts: Facts, row: Row | None) -> Found:
    """A refused output through time, room, refused and successful retries."""
    why, form = _why_never_held(facts), blocking_form(facts)
    if why is not None or form is None:
        yield Impossible(why or NEVER_STARTS)
        return
    world = world_with(facts, form, route_of(facts, form))
    rows = [each.id for each in facts.config.redeliveries if not each.polled]
    yield Shape("an output is refused and held", partial(_hold, form=form, rows=tuple(rows[:1])), world)


def _hold(p: Pilot, form: Form, rows: tuple[str, ...]) -> None:
    """Held through time and a refused retry; room alone does nothing; the next event delivers."""
    run = ask_for(p, form)
    go_to_gate(p, run, FINISHED, full=empty_rooms(p))
    p.tick()
    for row in rows:
        p.send(e.Redeliver(row))
    free_up(p, run)
    if not any(each.polled for each in p.config.redeliveries):
        p.tick()
    for row in rows:
        p.send(e.Redeliver(row))
    if not rows:
        p.tick()
    carry_on(p, run, DELIVERED)


@shapes("redelivery-event-pairs-with-retry-answer")
def redeliveries(facts: Facts, row: Row | None) -> Found:
    """A held output, retried by the row's own event."""
    if row is None:
        return
    if facts.config.output_full not in ("hold-undelivered", ROUTE):
        yield Impossible("output-full is an answer that retries nothing", (1,))
        return
    why, form = _why_never_held(facts), blocking_form(facts)
    if why is not None or form is None:
        yield Impossible(why or NEVER_STARTS, (1,))
        return
    polled = any(each.id == row.id and each.polled for each in facts.config.redeliveries)
    build = partial(_hold, form=form, rows=() if polled else (row.id,))
    yield Shape(f"{row.id} retries a held output", build, world_with(facts, form, route_of(facts, form)), (1,))


# -- the ordered route -------------------------------------------------------------------------------------------------


@shapes("fallback-destination-keeps-written-order")
def written_order(facts: Facts, row: Row | None) -> Found:
    """Everything before the fallback refuses, and the fallback takes the output."""
    if row is None:
        return
    form = _form_reaching(facts, row.index + 1)
    if isinstance(form, Impossible):
        yield form
        return
    before = route_of(facts, form)[: row.index + 1]
    world = world_with(facts, form, before, (route_of(facts, form)[row.index + 1],))
    yield Shape(f"{row.id} takes what every earlier place refuses", partial(finish_once, form=form), world)


def _form_reaching(facts: Facts, at: int) -> Form | Impossible:
    """A form whose route can get as far as that place and end there, or why none can."""
    if facts.in_place:
        return Impossible(IN_PLACE)
    forms = one_each(facts)
    if not forms:
        return Impossible(NEVER_STARTS)
    why = ""
    for form in forms:
        why = _why_unreached(facts, form, at)
        if not why:
            return form
    return Impossible(why)


def _why_unreached(facts: Facts, form: Form, at: int) -> str:
    route, size = route_of(facts, form), facts.tables.jobs[form.job].size
    for name in route[:at]:
        if not is_finite(facts, name):
            return f"{name} comes before it and never refuses"
    if not can_take(facts, route[at], size):
        return f"{route[at]} never has room for a whole output"
    if route[at] in route[:at]:
        return f"{route[at]} stands on the route before, and refuses there"
    return ""


@shapes("ordered-route-keeps-one-output")
def ordered_route(facts: Facts, row: Row | None) -> Found:
    """Every acceptance pattern with a refusing normal destination: each fallback takes it, and none does."""
    if facts.in_place:
        yield Impossible(IN_PLACE)
        return
    form = blocking_form(facts)
    if not one_each(facts):
        yield Impossible(NEVER_STARTS, (0, 1, 2))
    elif form is None:
        yield Impossible("the normal destination always has room and never refuses", (0, 1, 2))
    else:
        yield from _patterns(facts, form)


def _patterns(facts: Facts, form: Form) -> Found:
    route = route_of(facts, form)
    taken = [at for at in range(1, len(route)) if not _why_unreached(facts, form, at)]
    for at in taken:
        world = world_with(facts, form, route[:at], (route[at],))
        yield Shape(f"{route[at]} takes the output", partial(finish_once, form=form), world, (0, 1))
    if not taken:
        yield Impossible("no fallback can take what the normal destination refuses", (1,))
    if all(is_finite(facts, name) for name in route):
        yield Shape(
            "every destination refuses", partial(_all_refuse, form=form), world_with(facts, form, route), (0, 2)
        )
    else:
        yield Impossible("a destination on the route always has room, so not all refuse", (2,))


def _all_refuse(p: Pilot, form: Form) -> None:
    """Held; room at the end of the route does nothing by itself; the event walks the whole route again."""
    run = ask_for(p, form)
    go_to_gate(p, run, FINISHED, full=empty_rooms(p))
    p.tick()
    rows = [row.id for row in p.config.redeliveries if not row.polled]
    for row in rows[:1]:
        p.send(e.Redeliver(row))
    free_up(p, run, len(route_of(p.facts, form)) - 1)
    if not any(row.polled for row in p.config.redeliveries):
        p.tick()
    for row in rows[:1]:
        p.send(e.Redeliver(row))
    p.tick()
    carry_on(p, run, DELIVERED)


# -- declarations ------------------------------------------------------------------------------------------------------


@shapes("held-output-needs-a-redelivery-event", "fallback-destination-pairs-with-ordered-route")
def declarations(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """The declaration alone decides."""
    yield from ()
