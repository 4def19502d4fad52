"""Shapes of reports-identify-the-run: each report, and each change of state, that the adoption can construct.

A walk over the model adds what these scripts do not show; they are for what takes more events than a walk goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.state import STOPPED, UNABLE
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission import can_be_blocked, queue_full
from harness.run.shapes.admission_drive import (
    all_room,
    drive,
    is_finished,
    is_in,
    is_past_work,
    is_started,
    no_room,
    stop,
    workers_back,
)
from harness.run.shapes.admission_readmission import readmit
from harness.run.shapes.admission_ways import (
    Build,
    as_far,
    ask,
    can_fill_queue,
    plenty,
    short_at_gate,
    starting_forms,
    stop_causes,
    tested_amounts,
    unmet,
    wait,
    waiting_forms,
)
from harness.run.shapes.claims import fail_when_possible
from harness.run.shapes.registry import shapes
from harness.run.shapes.starts import first_by_pool, where


@shapes("reports-identify-the-run")
def reports(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Lives that end in every way, stops and their resumes, refusals, and requests of standing orders."""
    if not facts.forms:
        yield Impossible("no request can be made")
        return
    world = plenty(facts, 40)
    for name, build in (*_lives(facts), *_stops(facts), *_failures(facts), *_cancels(facts)):
        yield Shape(name, as_far(build), world)
    if len(facts.forms) > 1:
        yield Shape("asked for in every form", partial(_ask_all, forms=facts.forms), world)
    if any(tested_amounts(facts, form) for form in facts.forms):
        yield Shape("too few inputs", partial(_ask_all, forms=facts.forms), facts.world(0))
    blocked = next((form for form in facts.forms if can_be_blocked(facts, form)), None)
    if blocked is not None and facts.config.readmissions:
        build = partial(readmit, form=blocked, row=facts.config.readmissions[0])
        yield Shape("blocked and readmitted", build, plenty(facts, room="none"))
    if facts.config.standing_orders:
        yield Shape("asked for by a standing order", _standing, facts.world(runs=12, eligible=True))
    if not _can_reject(facts) and not _can_refuse(facts):
        yield Impossible("no request can be refused, and no destination refuses an output", (3,))


def _can_reject(facts: Facts) -> bool:
    short = any(tested_amounts(facts, form) for form in facts.forms)
    return short or any(can_fill_queue(facts, form) for form in facts.forms)


def _can_refuse(facts: Facts) -> bool:
    answer = facts.config.output_full in ("hold-undelivered", "try-destinations")
    return answer and facts.has_finite_destination and bool(starting_forms(facts))


# -- lives --------------------------------------------------------------------------------------------------------


def _lives(facts: Facts) -> Iterator[tuple[str, Build]]:
    for form in first_by_pool(starting_forms(facts)):
        yield f"delivered {where(form)}", partial(_deliver, form=form)
    for form in first_by_pool(waiting_forms(facts)):
        yield f"waits and starts {where(form)}", partial(_wait_and_start, form=form)
    for form in first_by_pool(facts.forms):
        if can_fill_queue(facts, form):
            yield f"finds the queue full {where(form)}", partial(queue_full, form=form)
    needy = next((form for form in facts.forms if facts.config.needs_of(form.job)), None)
    if needy is not None:
        yield "waits for another job", partial(_unmet, form=needy)
    if _can_refuse(facts):
        yield "finds no room", partial(_refused, form=starting_forms(facts)[0])


def _deliver(p: Pilot, form: Form) -> None:
    run = ask(p, form)
    drive(p, run, is_past_work)
    drive(p, run, is_in("delivered"))


def _wait_and_start(p: Pilot, form: Form) -> None:
    run = wait(p, form)
    workers_back(p)
    drive(p, run, is_started)


def _unmet(p: Pilot, form: Form) -> None:
    unmet(p, form)


def _refused(p: Pilot, form: Form) -> None:
    run = ask(p, form)
    if p.facts.has_work:
        no_room(p)
    else:
        drive(p, run, is_past_work)
        no_room(p)
        run = ask(p, form)
    drive(p, run, is_past_work)
    all_room(p)
    drive(p, run, is_in("delivered"))


def _ask_all(p: Pilot, forms: tuple[Form, ...]) -> None:
    for form in forms:
        ask(p, form)


def _standing(p: Pilot) -> None:
    p.tick(2)


# -- stops --------------------------------------------------------------------------------------------------------


def _stops(facts: Facts) -> Iterator[tuple[str, Build]]:
    forms = starting_forms(facts)
    for cause in stop_causes(facts, forms[0]) if forms else ():
        yield f"stopped by {cause}", partial(_stop, form=forms[0], cause=cause)
    if forms and facts.config.output_full == "wait-until-space" and facts.has_finite_destination:
        yield "stopped for room", partial(_gate_room, form=forms[0])
    if forms and facts.config.timing == "taken-at-finish":
        yield "stopped for inputs", partial(_gate_inputs, form=forms[0])


def _stop(p: Pilot, form: Form, cause: str) -> None:
    run = _stopped(p, form, cause)
    others = [each for each in p.facts.ordinary_stops if each not in (cause, UNABLE)]
    for other in others[:1]:
        stop(p, run, other)
        p.clear(run, other)
    p.clear(run, cause)
    drive(p, run, is_past_work)


def _stopped(p: Pilot, form: Form, cause: str) -> str:
    run = ask(p, form)
    drive(p, run, is_started)
    stop(p, run, cause)
    return run


def _gate_room(p: Pilot, form: Form) -> None:
    if not p.facts.has_work:
        no_room(p)
    run = ask(p, form)
    no_room(p)
    drive(p, run, is_past_work)
    for row in p.config.interruptions[:1]:
        p.stop(run, row.id)
        p.clear(run, row.id)
    all_room(p)
    drive(p, run, is_finished)


def _gate_inputs(p: Pilot, form: Form) -> None:
    if p.facts.has_work:
        run = ask(p, form)
        p.drain(run)
    else:
        run = short_at_gate(p, form)
    drive(p, run, is_past_work)
    p.supply_for(run)
    drive(p, run, is_finished)


# -- failures and cancellations -----------------------------------------------------------------------------------


def _reach(p: Pilot, state: str) -> str:
    """A run in that state, by the first form that gets there."""
    if state == "requested":
        return ask(p, p.facts.forms[0], pause=True)
    if state == "waiting":
        return wait(p, waiting_forms(p.facts)[0])
    form = next(iter(starting_forms(p.facts)), None)
    if form is None:
        raise NotConstructible("no request can start")
    if state == "stopped":
        causes = stop_causes(p.facts, form)
        return _stopped(p, form, causes[0]) if causes else _stopped_at_gate(p, form)
    run = ask(p, form)
    if state == "finished":
        if p.facts.has_work:
            no_room(p)
        drive(p, run, is_in("finished"))
    else:
        drive(p, run, is_started)
        drive(p, run, is_in(state))
    return run


def _stopped_at_gate(p: Pilot, form: Form) -> str:
    no_room(p)
    run = ask(p, form)
    drive(p, run, is_in(STOPPED))
    return run


def _reachable(facts: Facts) -> tuple[str, ...]:
    found = ["requested"]
    if waiting_forms(facts):
        found.append("waiting")
    if starting_forms(facts) and facts.has_work:
        found.append("working")
    if starting_forms(facts) and (facts.ordinary_stops or facts.can_stop_at_finish_gate):
        found.append("stopped")
    return tuple(found)


def _failures(facts: Facts) -> Iterator[tuple[str, Build]]:
    for failure in facts.config.failures:
        if failure.from_state == "finished" or failure.from_state in _reachable(facts):
            yield f"failed by {failure.id}", partial(_fail, failure=failure)


def _fail(p: Pilot, failure: Failure) -> None:
    run = _reach(p, failure.from_state)
    fail_when_possible(p, run, failure)
    if not failure.ruined:
        p.recover(run)
        workers_back(p)
        drive(p, run, is_past_work)


def _cancels(facts: Facts) -> Iterator[tuple[str, Build]]:
    if not facts.config.cancellations:
        return
    for state in _reachable(facts):
        yield f"canceled while {state}", partial(_cancel, state=state, row=facts.config.cancellations[0])
    for dependents in facts.config.dependents:
        needy = next((form for form in waiting_forms(facts) if facts.config.needs_of(form.job)), None)
        if needy is not None:
            yield f"{dependents.id} ends with it", partial(_cancel_needed, form=needy, row=dependents.cancellation)


def _cancel(p: Pilot, state: str, row: str) -> None:
    p.cancel(_reach(p, state), row)


def _cancel_needed(p: Pilot, form: Form, row: str) -> None:
    unmet(p, form)
    p.send(e.Cancel(p.state.runs[-2].id, row))
