"""Runs that resume, or stay stopped: every way to be stopped, causes that overlap, and what can be missing."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.state import INPUTS_AT_FINISH, OUTPUT_FULL, RECOVERY, UNABLE
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.finish_gate import Join, joining
from harness.run.shapes.registry import shapes
from harness.run.shapes.stops_facts import (
    fires,
    fits_its_destination,
    gate_causes,
    gate_form,
    interruptions,
    is_closed,
    ordinary_causes,
    recoverable,
    resume_can_lack,
    resume_needs,
    work_points,
    working_form,
)
from harness.run.shapes.stops_steps import (
    SHARERS,
    attempt,
    clear,
    clear_gate,
    fail,
    give,
    go_on,
    is_constructible,
    lacks_something,
    resume,
    start,
    start_at,
    stop_at_gate,
    stopped_with_work,
)
from harness.run.shapes.stops_waiting import occupy, wait_at_gate, waiting_form

NEVER_STOPPED = "nothing can stop a run of this adoption"
NEVER_LACKING = "a stopped run keeps all that its resume needs, and no gate is read again after another cause"


@shapes("resume-waits-for-every-cause")
def resumes(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each way to be stopped, overlapping causes, a full pool, and a claim or gate that fails."""
    working, other = list(_work_point_shapes(facts)), list(_gate_shapes(facts))
    lacking = list(_lacking_shapes(facts))
    yield from (*working, *other, *lacking)
    if not (working or other or lacking):
        yield Impossible(NEVER_STOPPED)
        return
    if working and all(shape.clauses == (0,) for shape in working):
        yield Impossible("no pool has a working slot, so a run that failed from waiting never resumes", (1, 3))
    elif not working:
        yield Impossible("a stop at the finish gate interrupts no work", (3,))
    if not lacking:
        yield Impossible(NEVER_LACKING, (2,))


# -- interrupted work, and failures -----------------------------------------------------------------------------------


def _work_point_shapes(facts: Facts) -> Iterator[Shape]:
    form = working_form(facts)
    if form is not None:
        for cause in ordinary_causes(facts, form):
            yield Shape(f"stopped by {cause}", partial(_stop_and_resume, form=form, cause=cause), clauses=(0, 1, 3))
        yield from _overlaps(facts, form)
        yield from _competition(facts, form)
        for row in recoverable(facts, "working"):
            if fires(facts, form, row):
                yield Shape(f"failed by {row.id}", partial(_fail_and_recover, form=form, row=row), clauses=(0, 1, 3))
    waiting = waiting_form(facts)
    for row in recoverable(facts, "waiting") if waiting is not None else ():
        if waiting is not None and fires(facts, waiting, row):
            build = partial(_fail_waiting, form=waiting, row=row)
            clauses = (0,) if is_closed(facts, waiting) else (0, 1, 3)
            yield Shape(f"failed from waiting by {row.id}", build, clauses=clauses)


def _stop_and_resume(p: Pilot, form: Form, cause: str) -> None:
    resume(p, stopped_with_work(p, form, cause), cause)


def _overlaps(facts: Facts, form: Form) -> Iterator[Shape]:
    declared = interruptions(facts)
    pairs = [(declared[0], declared[1])] if len(declared) > 1 else []
    if UNABLE in ordinary_causes(facts, form) and declared:
        pairs.append((UNABLE, declared[0]))
    for first, second in pairs:
        build = partial(_stop_twice, form=form, first=first, second=second)
        yield Shape(f"stopped by {first} and {second}", build, clauses=(0, 1, 3))
    for cause in ordinary_causes(facts, form)[:1]:
        for row in recoverable(facts, "stopped")[:1]:
            shape = Shape(
                f"stopped by {cause}, then failed by {row.id}",
                partial(_stop_and_fail, form=form, cause=cause, row=row),
                clauses=(0, 1, 3),
            )
            # Whether the losses fit depends on what the stop leaves; without it the overlap is shown by others.
            if is_constructible(facts, shape):
                yield shape


def _stop_twice(p: Pilot, form: Form, first: str, second: str) -> None:
    run = stopped_with_work(p, form, first)
    give(p, run, second)
    resume(p, run, first, second)


def _stop_and_fail(p: Pilot, form: Form, cause: str, row: Failure) -> None:
    run = stopped_with_work(p, form, cause, row)
    fail(p, run, row)
    clear(p, run, cause)
    if cause != UNABLE:
        p.supply_for(run)
    resume(p, run, RECOVERY)


def _competition(facts: Facts, form: Form) -> Iterator[Shape]:
    """The pool is full when the last cause clears, so the run waits for a slot."""
    pool, declared = facts.tables.pools.get(form.pool or ""), interruptions(facts)
    if pool is not None and declared:
        build = partial(_stop_and_compete, form=form, cause=declared[0])
        yield Shape("its slot was taken meanwhile", build, facts.world(runs=2 * pool.working + 4), clauses=(0, 1))


def _stop_and_compete(p: Pilot, form: Form, cause: str) -> None:
    run = stopped_with_work(p, form, cause)
    occupy(p, form, p.run(run).place)
    # One more, where it can wait: it stands behind the stopped run.
    attempt(p, lambda: _one_more(p, form))
    resume(p, run, cause)


def _one_more(p: Pilot, form: Form) -> None:
    other = p.request(job=form.job, pool=form.pool, place=form.place)
    if p.run(other).state != "waiting":
        raise NotConstructible(f"{other} does not wait")


def _fail_and_recover(p: Pilot, form: Form, row: Failure) -> None:
    run = start(p, form)
    fail(p, run, row)
    p.supply_for(run)
    resume(p, run, RECOVERY)


def _fail_waiting(p: Pilot, form: Form, row: Failure) -> None:
    run = wait_at_gate(p, form)
    fail(p, run, row)
    p.supply_for(run)
    clear(p, run, RECOVERY)
    if not attempt(p, lambda: go_on(p, run)) and not p.config.needs_of(form.job):
        raise NotConstructible(f"{run} cannot start after its failure")


# -- the finish gate --------------------------------------------------------------------------------------------------


def _gate_shapes(facts: Facts) -> Iterator[Shape]:
    for cause in (OUTPUT_FULL, INPUTS_AT_FINISH):
        form = gate_form(facts, cause)
        if form is None or not fits_its_destination(facts, form):
            continue
        world = facts.world(room="none") if cause == OUTPUT_FULL else None
        yield Shape(f"stopped by {cause}", partial(_gate, form=form, causes=(cause,)), world, clauses=(0, 1))
        for other, join in joining(facts, form):
            build = partial(_gate_and_join, form=form, cause=cause, join=join, other=other)
            yield Shape(f"stopped by {cause} and {other}", build, world, clauses=(0, 1))
    form = gate_form(facts, INPUTS_AT_FINISH)
    if form is not None and OUTPUT_FULL in gate_causes(facts, form) and fits_its_destination(facts, form):
        build = partial(_gate, form=form, causes=(OUTPUT_FULL, INPUTS_AT_FINISH))
        yield Shape("stopped by both conditions of the finish gate", build, facts.world(room="none"), clauses=(0, 1))


def _gate(p: Pilot, form: Form, causes: tuple[str, ...]) -> None:
    resume(p, stop_at_gate(p, form, *causes), *causes)


def _gate_and_join(p: Pilot, form: Form, cause: str, join: Join, other: str) -> None:
    run = stop_at_gate(p, form, cause)
    join(p, run)
    clear(p, run, other)
    if other == RECOVERY:
        p.supply_for(run)
    resume(p, run, *(each for each in (cause,) if each in p.run(run).causes))


# -- what can be missing ----------------------------------------------------------------------------------------------


def _lacking_shapes(facts: Facts) -> Iterator[Shape]:
    yield from _lacking_claims(facts)
    yield from _failing_gates(facts)


def _lacking_claims(facts: Facts) -> Iterator[Shape]:
    form, waiting = working_form(facts), waiting_form(facts)
    if form is not None:
        points = [point for point in work_points(facts, form) if resume_can_lack(facts, form, point)]
        for cause in interruptions(facts)[:1] if points else ():
            build = partial(_stop_and_lack, form=form, cause=cause, work=points[0].work)
            yield Shape(f"stopped by {cause}, its units gone", build, clauses=(2,))
    for shape in _failures_and_lack(facts, form, waiting):
        # Whether a loss leaves something to claim, or a gate that can fail, shows when it is tried.
        if is_constructible(facts, shape):
            yield shape


def _failures_and_lack(facts: Facts, form: Form | None, waiting: Form | None) -> Iterator[Shape]:
    if form is not None:
        for row in recoverable(facts, "working"):
            build = partial(_fail_and_lack, form=form, row=row)
            yield Shape(f"failed by {row.id}, its units gone", build, clauses=(2,))
        for row in recoverable(facts, "stopped"):
            for cause in ordinary_causes(facts, form)[:1]:
                build = partial(_stop_fail_and_lack, form=form, cause=cause, row=row)
                yield Shape(f"stopped by {cause}, then failed by {row.id}, its units gone", build, clauses=(2,))
    for row in recoverable(facts, "waiting"):
        if waiting is not None:
            build = partial(_fail_and_lack, form=waiting, row=row)
            yield Shape(f"failed from waiting by {row.id}, its units gone", build, clauses=(2,))
        needing = next((each for each in facts.forms if facts.config.needs_of(each.job)), None)
        if needing is not None:
            build = partial(_fail_before_need, form=needing, row=row)
            yield Shape(f"failed from waiting by {row.id}, another job still needed", build, clauses=(2,))


def _stop_and_lack(p: Pilot, form: Form, cause: str, work: Fraction) -> None:
    _lack(p, give(p, start_at(p, form, work), cause), cause)


def _lack(p: Pilot, run: str, cause: str) -> None:
    """The units are gone when the last cause clears; once they are back the run goes on."""
    p.drain(run)
    clear(p, run, cause)
    if not lacks_something(p, run):
        raise NotConstructible(f"{run} lacks nothing")
    p.supply_for(run, times=SHARERS)
    go_on(p, run)


def _fail_and_lack(p: Pilot, form: Form, row: Failure) -> None:
    run = start(p, form) if row.from_state == "working" else wait_at_gate(p, form)
    fail(p, run, row)
    _lack(p, run, RECOVERY)


def _stop_fail_and_lack(p: Pilot, form: Form, cause: str, row: Failure) -> None:
    run = stopped_with_work(p, form, cause, row)
    fail(p, run, row)
    clear(p, run, cause)
    _lack(p, run, RECOVERY)


def _fail_before_need(p: Pilot, form: Form, row: Failure) -> None:
    """What the job needs is not finished when the last cause clears."""
    for need in p.config.needs_of(form.job):
        p.request(job=need, pause=True)
    run = p.request(job=form.job, pool=form.pool, place=form.place)
    fail(p, run, row)
    clear(p, run, RECOVERY)
    if not lacks_something(p, run):
        raise NotConstructible(f"{run} needs nothing")
    attempt(p, lambda: go_on(p, run))


def _failing_gates(facts: Facts) -> Iterator[Shape]:
    """A gate condition holds, its cause clears, and it fails again before the last cause clears."""
    for cause in (OUTPUT_FULL, INPUTS_AT_FINISH):
        form = gate_form(facts, cause)
        if form is None or not fits_its_destination(facts, form):
            continue
        world = facts.world(room="none") if cause == OUTPUT_FULL else None
        for other, join in joining(facts, form)[:1]:
            shape = Shape(
                f"{cause} again when {other} clears",
                partial(_gate_fails_again, form=form, cause=cause, join=join, other=other),
                world,
                clauses=(2,),
            )
            if other != RECOVERY or is_constructible(facts, shape):
                yield shape
        if cause == OUTPUT_FULL and facts.config.release_stopped_claims and resume_needs_units(facts, form):
            build = partial(_gate_and_lack, form=form)
            yield Shape("stopped by output-full, its units gone", build, world, clauses=(2,))


def resume_needs_units(facts: Facts, form: Form) -> bool:
    """Whether a run that is stopped at its finish gate with its claim released needs units to resume."""
    points = work_points(facts, form)
    whole = any(need.amount for need in facts.tables.jobs[form.job].needs)
    return whole and (not points or bool(resume_needs(facts, form, points[-1])))


def _gate_fails_again(p: Pilot, form: Form, cause: str, join: Join, other: str) -> None:
    run = stop_at_gate(p, form, cause)
    join(p, run)
    clear_gate(p, run, cause)
    if cause == OUTPUT_FULL:
        p.fill_room(run)
    else:
        p.drain(run)
    clear(p, run, other)
    if cause not in p.run(run).causes:
        raise NotConstructible(f"the finish gate is not read again when {other} clears")
    resume(p, run, cause)


def _gate_and_lack(p: Pilot, form: Form) -> None:
    _lack(p, stop_at_gate(p, form, OUTPUT_FULL), OUTPUT_FULL)
