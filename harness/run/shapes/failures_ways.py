"""Ways into each state in which a run can be offered a failure or a cancellation.

A way is a script that leaves a run in its state. Ways are tried out before they are used: what no way of this
adoption leads to is not there, and what a search did not find is told apart from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import PLACE
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import (
    DELIVERED,
    FINISH_GATE,
    FINISHED,
    REQUESTED,
    STOPPED,
    UNABLE,
    WAITING,
    WORKING,
)
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot
from harness.run.shapes.admission_ways import plenty, short_at_gate, starting_forms, wait, waiting_forms
from harness.run.shapes.outputs_carry import PUSHES_MAX, carry, carry_on, help_others

#: Ticks after which a working run is past every work point that a walked phase has.
TICKS_MAX = 20

NEVER_STARTS = "no job of this adoption can start: no pool that covers one has a working slot"

Go = Callable[[Pilot], str]
Ready = Callable[[Pilot, str], bool]


class Way(NamedTuple):
    """A script that leaves a run in `state`; `name` says how, and ends a sentence that begins with the state."""

    name: str
    state: str
    go: Go
    world: World


def always(p: Pilot, run: str) -> bool:
    """Nothing more is asked of the run than its state."""
    return True


def leads(facts: Facts, way: Way, ready: Ready = always) -> bool:
    """Whether the way leads to a run in its state that is ready for what is to come, and still there then."""

    def rests(p: Pilot, run: str) -> bool:
        return p.run(run).state == way.state and not p.run(run).ended

    try:
        p = Pilot(facts, way.world)
        run = way.go(p)
        return rests(p, run) and ready(p, run) and rests(p, run)
    except (NotConstructible, NotFound):
        return False


def leading(facts: Facts, state: str, ready: Ready = always) -> Iterator[Way]:
    """The ways to a state that lead to a run which is ready, the plainest first."""
    return (way for way in ways(facts, state) if leads(facts, way, ready))


def ways(facts: Facts, state: str) -> Iterator[Way]:
    """Every way that is known to a state, whether or not this adoption lets it be gone."""
    return _WAYS[state](facts)


def world_of(facts: Facts, room: str = "full", form: Form | None = None) -> World:
    """A world of plenty, in which the standing orders leave a request of this form (None: any) a way to its start."""
    chosen = form or next(iter(starting_forms(facts)), None)
    at = _calm(facts, chosen) if chosen is not None and facts.config.standing_orders else 0
    return _worlds(facts)[at]._replace(room=facts.world(room=room).room)


def _worlds(facts: Facts) -> tuple[World, ...]:
    """Worlds in which ever fewer standing orders are eligible: of plenty, of little, and of more than they wait for."""
    below = [each for row in facts.config.standing_orders for each in row.eligible.below]
    extra = tuple((item, amount, source) for item, amount in below for name, source in _keys(facts) if name == item)
    plain = plenty(facts)
    return plain, plenty(facts, 1), facts.world(1), plenty(facts, 2), plain._replace(stock=(*plain.stock, *extra))


def _keys(facts: Facts) -> tuple[tuple[str, str], ...]:
    return tuple(key for key in facts.tables.stock_keys() if PLACE not in key[1])


@lru_cache(maxsize=64)
def _calm(facts: Facts, form: Form) -> int:
    """Which of the worlds to take: one without a standing order's run, else one in which the request starts."""
    starts = [at for at, world in enumerate(_worlds(facts)) if _is_carried(facts, form, world)]
    still = [at for at in starts if not Pilot(facts, _worlds(facts)[at]).state.runs]
    return next(iter((*still, *starts)), 0)


@lru_cache(maxsize=4)
def one_each(facts: Facts) -> tuple[Form, ...]:
    """For each job a form of a request that starts; the main job's first.

    Where standing orders are in the way of the first form, another is taken that is carried to its start.
    """
    found: dict[str, list[Form]] = {}
    for form in starting_forms(facts):
        found.setdefault(form.job, []).append(form)
    return tuple(_carried(facts, forms) for forms in found.values())


def finishing(facts: Facts) -> tuple[Form, ...]:
    """The main job's form, and that of every other job which standing orders leave a way to its start."""
    main, *others = one_each(facts) or (None,)
    if main is None:
        return ()
    calm = not facts.config.standing_orders
    return (main, *(form for form in others if calm or _is_carried(facts, form, world_of(facts, form=form))))


def _carried(facts: Facts, forms: list[Form]) -> Form:
    if len(forms) == 1 or not facts.config.standing_orders:
        return forms[0]
    return next((form for form in forms if _is_carried(facts, form, world_of(facts, form=form))), forms[0])


def _is_carried(facts: Facts, form: Form, world: World) -> bool:
    p = Pilot(facts, world)
    try:
        return carry_on(p, ask_for(p, form), WORKING, STOPPED, FINISHED, DELIVERED)
    except NotConstructible:
        return False


def ask_for(p: Pilot, form: Form, pause: bool = False) -> str:
    """A request in this form.

    Where a standing order keeps its slot and nobody may wait, its next request is held back first: paused, it is the
    open run that the order waits to be without.
    """
    run = p.request(form.job, form.pool, form.place, dict(form.fields), form.phase, pause)
    if not p.run(run).ended or not any(row.eligible.no_open_run for row in p.config.standing_orders):
        return run
    made = [each.id for each in p.state.runs if each.pool == p.run(run).pool and not each.ended]
    # Where the pool's rule chooses the place, each place is held back, and asked for in turn.
    places = p.facts.tables.places() if form.place is None else ()
    for row in p.config.standing_orders:
        for _ in (places or (None,)) if row.eligible.no_open_run else ():
            p.request(row.job, row.pool, form.place, pause=True, must=False)
    for each in made:
        carry_on(p, each, DELIVERED)
    for _ in places or (None,):
        run = p.request(form.job, form.pool, form.place, dict(form.fields), form.phase, pause)
        if not p.run(run).ended:
            break
    return run


# -- requested and waiting ---------------------------------------------------------------------------------------------


def _requested(facts: Facts) -> Iterator[Way]:
    for form in _any_forms(facts):
        yield Way("as a paused request", REQUESTED, partial(ask_for, form=form, pause=True), world_of(facts))


def _any_forms(facts: Facts) -> tuple[Form, ...]:
    found: dict[str, Form] = {}
    for form in facts.forms:
        found.setdefault(form.job, form)
    return tuple(found.values())


def _waiting(facts: Facts) -> Iterator[Way]:
    forms = waiting_forms(facts)
    for form in forms:
        yield Way("for a slot or a need", WAITING, partial(wait, form=form), world_of(facts))
    for form in forms:
        yield Way("for its inputs", WAITING, partial(short_at_gate, form=form), world_of(facts))


# -- working -----------------------------------------------------------------------------------------------------------


def _working(facts: Facts) -> Iterator[Way]:
    """Every work point of every job: one with some work first, the untouched one last."""
    if not facts.has_work:
        return
    for form in one_each(facts):
        for ticks in points(facts, form):
            name = f"after {ticks} ticks" if ticks else "before any work"
            yield Way(name, WORKING, partial(work, form=form, ticks=ticks), world_of(facts, form=form))


def points(facts: Facts, form: Form) -> tuple[int, ...]:
    """The ticks after which a run of this form still works, none of them last."""
    phase, fields = facts.phase_of(facts.tables.jobs[form.job], form.phase), dict(form.fields)
    if phase is None:
        return ()
    required, per_tick = (fields.get(n, 0) if isinstance(n, str) else n for n in (phase.work, phase.per_tick))
    if isinstance(required, str) or isinstance(per_tick, str) or per_tick <= 0:
        return (1, 0)
    whole = -((-Fraction(required)) // Fraction(per_tick))
    return (*range(1, min(int(whole), TICKS_MAX)), 0)


def work(p: Pilot, form: Form, ticks: int) -> str:
    """A run that has worked so many ticks and works on."""
    run = ask_for(p, form)
    carry(p, run, WORKING)
    for _ in range(ticks):
        p.tick()
        if p.run(run).state != WORKING:
            raise NotConstructible(f"the run {run} works for fewer ticks")
    return run


# -- stopped -----------------------------------------------------------------------------------------------------------


def _stopped(facts: Facts) -> Iterator[Way]:
    yield from _stopped_at_work(facts)
    yield from _stopped_at_gate(facts)
    yield from _stopped_for_recovery(facts)


def _stopped_at_work(facts: Facts) -> Iterator[Way]:
    for cause in facts.ordinary_stops:
        for form in one_each(facts):
            for ticks in points(facts, form):
                go = partial(stop, form=form, ticks=ticks, cause=cause)
                yield Way(f"by {cause}", STOPPED, go, world_of(facts, form=form))


def stop(p: Pilot, form: Form, ticks: int, cause: str) -> str:
    """A run that has worked so many ticks and was stopped by an ordinary cause."""
    run = work(p, form, ticks)
    if cause == UNABLE:
        p.drain(run)
        go_to_gate(p, run, STOPPED, FINISHED, DELIVERED)
    else:
        p.stop(run, cause)
    return run


def _stopped_at_gate(facts: Facts) -> Iterator[Way]:
    for form in one_each(facts):
        if facts.config.output_full == "wait-until-space" and facts.is_finite(facts.tables.jobs[form.job]):
            go = partial(stop_at_gate, form=form, drained=False)
            yield Way("at its finish gate without room", STOPPED, go, world_of(facts, "none", form))
        if facts.config.timing == "taken-at-finish" and facts.tables.jobs[form.job].needs:
            go = partial(stop_at_gate, form=form, drained=True)
            yield Way("at its finish gate without inputs", STOPPED, go, world_of(facts, form=form))


def stop_at_gate(p: Pilot, form: Form, drained: bool) -> str:
    """A run whose work is done and whose finish gate does not pass."""
    run = ask_for(p, form, pause=drained)
    if drained:
        p.drain(run)
        p.send(e.Admit(run))
    go_to_gate(p, run, STOPPED, full=empty_rooms(p))
    if p.run(run).point != FINISH_GATE:
        raise NotConstructible(f"the run {run} does not stop at its finish gate")
    return run


def go_to_gate(p: Pilot, run: str, *states: str, full: tuple[str, ...] = ()) -> None:
    """Until the run is in one of these states, with no help to itself; destinations in `full` are kept full for it."""
    for _ in range(PUSHES_MAX):
        if p.run(run).state in states:
            return
        help_others(p, p.run(run))
        for name in full if p.run(run).state not in (REQUESTED, WAITING) else ():
            softly_full(p, name)
    if p.run(run).state not in states:
        raise NotConstructible(f"time does not bring the run {run} into {' or '.join(states)}")


def empty_rooms(p: Pilot) -> tuple[str, ...]:
    """The destinations that had no room when the world began."""
    return tuple(name for name, free in p.world.room if free == 0)


def softly_full(p: Pilot, name: str) -> None:
    """No free room at a destination, where what lies there lets that be said."""
    if dict(zip(p.state.room_names, p.state.free, strict=True)).get(name, 0) > 0:
        p.send(e.Room(name, 0))


def _stopped_for_recovery(facts: Facts) -> Iterator[Way]:
    for row in facts.config.failures:
        if row.ruined or row.from_state not in (WAITING, WORKING):
            continue
        for way in leading(facts, row.from_state, partial(can_fail, row=row.id)):
            go = partial(_fail_after, go=way.go, row=row.id)
            yield Way(f"by the failure {row.id}", STOPPED, go, way.world)
            break


def _fail_after(p: Pilot, go: Go, row: str) -> str:
    run = go(p)
    p.fail(run, row)
    return run


def can_fail(p: Pilot, run: str, row: str) -> bool:
    """Whether the failure would fire on the run now."""
    return p.model.step(p.state, e.Fail(run, row)).refused is None


# -- finished ----------------------------------------------------------------------------------------------------------


def _finished(facts: Facts) -> Iterator[Way]:
    """Held without room, or accepted and not yet collected; else a finish is delivered at once."""
    for form in one_each(facts):
        if facts.config.on_collection:
            yield Way("until it is collected", FINISHED, partial(finish, form=form), world_of(facts, form=form))
        if facts.can_hold_output and facts.is_finite(facts.tables.jobs[form.job]):
            yield Way("without room", FINISHED, partial(finish, form=form), world_of(facts, "none", form))


def finish(p: Pilot, form: Form) -> str:
    """A run that rests in finished."""
    run = ask_for(p, form)
    go_to_gate(p, run, FINISHED, full=empty_rooms(p))
    return run


_WAYS: dict[str, Callable[[Facts], Iterator[Way]]] = {
    REQUESTED: _requested,
    WAITING: _waiting,
    WORKING: _working,
    STOPPED: _stopped,
    FINISHED: _finished,
}

WHY_NOT = {
    WAITING: "no request of this adoption can be admitted into waiting",
    WORKING: "no job of this adoption works: there is no work phase, or no working slot to work in",
    STOPPED: "nothing stops a job of this adoption",
    FINISHED: "an output is delivered in the batch that finishes it, so no job rests in finished",
}
