"""Ways into each state in which a run can be offered a failure or a cancellation.

A way is a script that leaves a run in its state. Ways are tried out before they are used: what no way of this
adoption leads to is not there, and what a search did not find is told apart from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import FINISH_GATE, FINISHED, REQUESTED, STOPPED, UNABLE, WAITING, WORKING
from harness.run.facts import Facts
from harness.run.goals import in_state
from harness.run.pilot import NotConstructible, NotFound, Pilot
from harness.run.shapes.admission_ways import plenty, short_at_gate, starting_forms, wait, waiting_forms

#: Ticks after which a working run is past every work point that a walked phase has.
TICKS_MAX = 20

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
    """Whether the way leads to a run in its state that is ready for what is to come."""
    try:
        p = Pilot(facts, way.world)
        run = way.go(p)
        return p.run(run).state == way.state and not p.run(run).ended and ready(p, run)
    except (NotConstructible, NotFound):
        return False


def leading(facts: Facts, state: str, ready: Ready = always) -> Iterator[Way]:
    """The ways to a state that lead to a run which is ready, the plainest first."""
    return (way for way in ways(facts, state) if leads(facts, way, ready))


def ways(facts: Facts, state: str) -> Iterator[Way]:
    """Every way that is known to a state, whether or not this adoption lets it be gone."""
    return _WAYS[state](facts)


def one_each(facts: Facts) -> tuple[Form, ...]:
    """For each job the first form of a request that can start; the main job's first."""
    found: dict[str, Form] = {}
    for form in starting_forms(facts):
        found.setdefault(form.job, form)
    return tuple(found.values())


def ask_for(p: Pilot, form: Form, pause: bool = False) -> str:
    """A request in this form."""
    return p.request(form.job, form.pool, form.place, dict(form.fields), form.phase, pause)


# -- requested and waiting ---------------------------------------------------------------------------------------------


def _requested(facts: Facts) -> Iterator[Way]:
    for form in _any_forms(facts):
        yield Way("as a paused request", REQUESTED, partial(ask_for, form=form, pause=True), plenty(facts))


def _any_forms(facts: Facts) -> tuple[Form, ...]:
    found: dict[str, Form] = {}
    for form in facts.forms:
        found.setdefault(form.job, form)
    return tuple(found.values())


def _waiting(facts: Facts) -> Iterator[Way]:
    forms = waiting_forms(facts)
    for form in forms:
        yield Way("for a slot or a need", WAITING, partial(wait, form=form), plenty(facts))
    for form in forms:
        yield Way("for its inputs", WAITING, partial(short_at_gate, form=form), plenty(facts))


# -- working -----------------------------------------------------------------------------------------------------------


def _working(facts: Facts) -> Iterator[Way]:
    """Every work point of every job: one with some work first, the untouched one last."""
    if not facts.has_work:
        return
    for form in one_each(facts):
        for ticks in (*range(1, TICKS_MAX), 0):
            name = f"after {ticks} ticks" if ticks else "before any work"
            yield Way(name, WORKING, partial(work, form=form, ticks=ticks), plenty(facts))


def work(p: Pilot, form: Form, ticks: int) -> str:
    """A run that has worked so many ticks and works on."""
    run = ask_for(p, form)
    p.until(in_state(run, WORKING))
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
            for ticks in (*range(1, TICKS_MAX), 0):
                go = partial(stop, form=form, ticks=ticks, cause=cause)
                yield Way(f"by {cause}", STOPPED, go, plenty(facts))


def stop(p: Pilot, form: Form, ticks: int, cause: str) -> str:
    """A run that has worked so many ticks and was stopped by an ordinary cause."""
    run = work(p, form, ticks)
    if cause == UNABLE:
        p.drain(run)
        p.tick()
    else:
        p.stop(run, cause)
    return run


def _stopped_at_gate(facts: Facts) -> Iterator[Way]:
    for form in one_each(facts):
        if facts.config.output_full == "wait-until-space" and facts.is_finite(facts.tables.jobs[form.job]):
            go = partial(stop_at_gate, form=form, drained=False)
            yield Way("at its finish gate without room", STOPPED, go, plenty(facts, room="none"))
        if facts.config.timing == "taken-at-finish" and facts.tables.jobs[form.job].needs:
            go = partial(stop_at_gate, form=form, drained=True)
            yield Way("at its finish gate without inputs", STOPPED, go, plenty(facts))


def stop_at_gate(p: Pilot, form: Form, drained: bool) -> str:
    """A run whose work is done and whose finish gate does not pass."""
    run = ask_for(p, form, pause=drained)
    if drained:
        p.drain(run)
        p.send(e.Admit(run))
    p.until(in_state(run, STOPPED), using=("tick",), depth=TICKS_MAX)
    if p.run(run).point != FINISH_GATE:
        raise NotConstructible(f"the run {run} does not stop at its finish gate")
    return run


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
            yield Way("until it is collected", FINISHED, partial(finish, form=form), plenty(facts))
        if facts.can_hold_output and facts.is_finite(facts.tables.jobs[form.job]):
            yield Way("without room", FINISHED, partial(finish, form=form), plenty(facts, room="none"))


def finish(p: Pilot, form: Form) -> str:
    """A run that rests in finished."""
    run = ask_for(p, form)
    p.until(in_state(run, FINISHED))
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
