"""Runs that stop with recorded work: kept, reset, or reversing while the run is stopped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.state import OUTPUT_FULL
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot, Shape, in_state
from harness.run.plan import Impossible
from harness.run.shapes.registry import shapes
from harness.run.shapes.stops_facts import (
    NOBODY_WORKS,
    ONE_TICK,
    gate_form,
    interruptions,
    ordinary_causes,
    records_work,
    starting_forms,
    working_form,
)
from harness.run.shapes.stops_steps import (
    FALL_TICKS,
    attempt,
    clear,
    give,
    go_on,
    record,
    resume,
    start,
    stop_at_gate,
    stopped_with_work,
    wait,
)
from harness.run.shapes.stops_waiting import wait_at_gate, waiting_form

NO_ORDINARY_STOP = "no interruption can be given, and no work point needs units that a run does not hold yet"


def _recording_form(facts: Facts) -> Form | Impossible:
    """A form whose run can be stopped with recorded work, or why there is none."""
    if working_form(facts) is None:
        return Impossible(NOBODY_WORKS)
    forms = [form for form in starting_forms(facts) if records_work(facts, form)]
    if not forms:
        return Impossible(ONE_TICK)
    return next((form for form in forms if ordinary_causes(facts, form, True)), Impossible(NO_ORDINARY_STOP))


# -- kept-work-stays-with-the-job -------------------------------------------------------------------------------------


@shapes("kept-work-stays-with-the-job")
def kept_work(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each ordinary stop with recorded work, its resume, and another run beside or after it."""
    form = _recording_form(facts)
    if isinstance(form, Impossible):
        yield form
        return
    causes = ordinary_causes(facts, form, recorded=True)
    for cause in causes:
        yield Shape(f"stopped by {cause}, then resumed", partial(_stop_and_resume, form=form, cause=cause))
    if facts.config.cancellations:
        name = f"stopped by {causes[0]} and canceled, then another run"
        yield Shape(name, partial(_cancel_and_follow, form=form, cause=causes[0]), clauses=(1,))


def _stop_and_resume(p: Pilot, form: Form, cause: str) -> None:
    run = stopped_with_work(p, form, cause)
    beside = cause in interruptions(p.facts) and attempt(p, lambda: _work_beside(p, form, run))
    resume(p, run, cause)
    if not beside:
        # Nobody else can start before the run has given up what it holds; the other run follows.
        wait(p, in_state(run, "finished", "delivered", "stopped"))
        p.supply_for(run)
        record(p, start(p, form))


def _work_beside(p: Pilot, form: Form, stopped: str) -> None:
    record(p, start(p, form))
    if p.run(stopped).state != "stopped":
        raise NotConstructible(f"{stopped} did not stay stopped")


def _cancel_and_follow(p: Pilot, form: Form, cause: str) -> None:
    run = stopped_with_work(p, form, cause)
    p.cancel(run, p.config.cancellations[0])
    p.supply_for(run)
    record(p, start(p, form))


# -- reset-work-clears-on-ordinary-stop -------------------------------------------------------------------------------


@shapes("reset-work-clears-on-ordinary-stop")
def reset_work(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each ordinary stop with recorded work; separately a cancellation from each state that can be canceled."""
    form = _recording_form(facts)
    if isinstance(form, Impossible):
        yield Impossible(form.reason, (0,))
    else:
        for cause in ordinary_causes(facts, form, recorded=True):
            yield Shape(f"stopped by {cause}", partial(_stop_only, form=form, cause=cause), clauses=(0,))
    if not facts.config.cancellations:
        yield Impossible("no cancellation is declared", (1,))
        return
    yield from _cancelable_runs(facts)


def _stop_only(p: Pilot, form: Form, cause: str) -> None:
    resume(p, stopped_with_work(p, form, cause), cause)


def _cancelable_runs(facts: Facts) -> Iterator[Shape]:
    form = working_form(facts)
    if form is not None:
        yield Shape("canceled while it works", partial(_cancel_working, form=form), clauses=(1,))
    waiting = waiting_form(facts)
    if waiting is not None:
        yield Shape("canceled while it waits", partial(_cancel_waiting, form=waiting), clauses=(1,))
    gate = gate_form(facts, OUTPUT_FULL)
    if gate is not None:
        full = facts.world(room="none")
        yield Shape("canceled at its finish gate", partial(_cancel_at_gate, form=gate), full, clauses=(1,))
    if facts.forms:
        yield Shape("canceled before admission", partial(_cancel_paused, form=facts.forms[0]), clauses=(1,))


def _cancel_working(p: Pilot, form: Form) -> None:
    run = start(p, form)
    if records_work(p.facts, form):
        record(p, run)
    p.cancel(run, p.config.cancellations[0])


def _cancel_waiting(p: Pilot, form: Form) -> None:
    p.cancel(wait_at_gate(p, form), p.config.cancellations[0])


def _cancel_at_gate(p: Pilot, form: Form) -> None:
    p.cancel(stop_at_gate(p, form, OUTPUT_FULL), p.config.cancellations[0])


def _cancel_paused(p: Pilot, form: Form) -> None:
    run = p.request(job=form.job, pool=form.pool, place=form.place, pause=True)
    p.cancel(run, p.config.cancellations[0])


# -- reversing work ---------------------------------------------------------------------------------------------------


@shapes("reversal-rule-pairs-with-reversing-work")
def reversal_rules(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A run of a job that the rule is for stops with recorded work, and time passes until none is left."""
    if row is None or facts.answers.get("partial-work") != "reverse-while-stopped":
        return
    jobs = _reversing_jobs(facts, row.id)
    if not jobs:
        return
    forms = [form for form in starting_forms(facts) if form.job in jobs]
    recording = [form for form in forms if records_work(facts, form)]
    stopping = [form for form in recording if ordinary_causes(facts, form, recorded=True)]
    if stopping:
        cause = ordinary_causes(facts, stopping[0], recorded=True)[0]
        name = f"stopped by {cause} until no work is left"
        yield Shape(name, partial(_fall, form=stopping[0], cause=cause), clauses=(1, 2))
    else:
        yield Impossible(NO_ORDINARY_STOP if recording else ONE_TICK if forms else NOBODY_WORKS, (1, 2))


def _reversing_jobs(facts: Facts, rule: str) -> tuple[str, ...]:
    """The jobs whose first reversal rule is this one."""
    chosen = []
    for job in facts.config.jobs:
        first = next((each for each in facts.config.reversals if each.jobs is None or job.id in each.jobs), None)
        if first is not None and first.id == rule:
            chosen.append(job.id)
    return tuple(chosen)


def _fall(p: Pilot, form: Form, cause: str) -> None:
    run = start(p, form)
    record(p, run)
    if stopped := stopped_with_fall(p, run, cause):
        clear(p, stopped, cause)
        go_on(p, stopped)


def stopped_with_fall(p: Pilot, run: str, cause: str) -> str | None:
    """Stop the working run and let its work fall to none, and one tick more; None where it went on before."""
    run = give(p, run, cause)
    for _ in range(FALL_TICKS):
        if p.run(run).state != "stopped":
            return None
        if p.run(run).work == 0:
            break
        p.tick()
    p.tick()
    return run if p.run(run).state == "stopped" else None


@shapes("reversing-work-needs-a-reversal-rule")
def needed_reversal_rules(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """The adoption alone decides."""
    yield from ()
