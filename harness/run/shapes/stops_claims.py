"""Runs that stop with a claim: held, released and had again, or held because nobody asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.state import OUTPUT_FULL, RECOVERY, UNABLE
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.registry import shapes
from harness.run.shapes.stops_facts import (
    Point,
    failed_share,
    failure_point,
    falling_point,
    fires,
    gate_form,
    ordinary_causes,
    recoverable,
    resume_can_lack,
    starting_forms,
    stop_point,
    stopped_share,
)
from harness.run.shapes.stops_steps import (
    FALL_TICKS,
    SHARERS,
    clear,
    give,
    go_on,
    start_at,
    stop_at_gate,
)
from harness.run.shapes.stops_waiting import wait_at_gate, waiting_form

NO_CLAIM_TO_REDUCE = "no run can be stopped with a claim that falling work reduces"
NO_CLAIMED_STOP = "no run can be stopped while it holds a claim"
CLAIMS_EARLY = ("taken-at-request", "taken-at-start", "with-progress")


def _claiming_stops(facts: Facts) -> list[tuple[Form, str, Point]]:
    """Ordinary stops of a run that holds something: the form, the cause, and the point to stop at.

    Where claims follow falling work, those come first whose fall reduces the claim.
    """
    falling = _falling_stops(facts) if _follows_falling_work(facts) else []
    if falling:
        return falling
    for form in starting_forms(facts) if facts.has_work and facts.config.timing in CLAIMS_EARLY else ():
        points = [(form, cause, stop_point(facts, form, cause)) for cause in ordinary_causes(facts, form)]
        found = [(form, cause, point) for form, cause, point in points if point is not None and point.held]
        if found:
            return found
    return []


def _falling_stops(facts: Facts) -> list[tuple[Form, str, Point]]:
    """The stops of the first form for which a fall of the work reduces the claim; other causes at their best point."""
    for form in starting_forms(facts) if facts.has_work else ():
        causes = ordinary_causes(facts, form)
        falling = {cause: falling_point(facts, form, cause) for cause in causes}
        if any(falling.values()):
            points = [(form, cause, falling[cause] or stop_point(facts, form, cause)) for cause in causes]
            return [(form, cause, point) for form, cause, point in points if point is not None and point.held]
    return []


def _working_failures(facts: Facts) -> Iterator[tuple[Form, Failure, Point]]:
    """Recoverable failures of a working run that holds something, each at the best point for it."""
    for row in recoverable(facts, "working") if facts.has_work else ():
        points = [(form, failure_point(facts, form, row)) for form in starting_forms(facts)]
        for form, point in [(form, point) for form, point in points if point is not None][:1]:
            yield form, row, point


def _waiting_failures(facts: Facts) -> Iterator[tuple[Form, Failure]]:
    """Recoverable failures of a waiting run that holds its request-time claim."""
    form = waiting_form(facts)
    if form is None or facts.config.timing != "taken-at-request" or not _takes_units(facts, form):
        return
    for row in recoverable(facts, "waiting"):
        if fires(facts, form, row, claimed=True):
            yield form, row


def _takes_units(facts: Facts, form: Form) -> bool:
    return any(need.amount for need in facts.tables.jobs[form.job].needs)


def _claiming_gate(facts: Facts) -> Form | None:
    """A form whose run is stopped at its finish gate with a claim."""
    if facts.config.timing not in CLAIMS_EARLY:
        return None
    form = gate_form(facts, OUTPUT_FULL)
    return form if form is not None and _takes_units(facts, form) else None


# -- steps ------------------------------------------------------------------------------------------------------------


def _try_to_take(p: Pilot, run: str) -> None:
    """Another rule uses what is usable, then asks for a unit that the stopped run holds."""
    p.drain(run)
    found = p.run(run)
    sources = p.facts.tables.sources(found.job, found.place)
    for (item, source), held in zip(sources, found.held, strict=True):
        if held:
            p.offer(e.Use(item, 1, source))
            return


def _let_work_fall(p: Pilot, run: str) -> None:
    """Time passes; where work reverses, until none is left."""
    reversing = p.config.partial_work == "reverse-while-stopped"
    for _ in range(FALL_TICKS if reversing else 1):
        if p.run(run).state != "stopped":
            return
        p.tick()
        if p.run(run).work == 0:
            return


def _come_back(p: Pilot, run: str, cause: str) -> None:
    if p.run(run).state == "stopped":
        if cause not in (UNABLE, OUTPUT_FULL):
            p.supply_for(run)
        clear(p, run, cause)
    go_on(p, run)


def _hold(p: Pilot, run: str, cause: str) -> None:
    _try_to_take(p, run)
    _let_work_fall(p, run)
    _come_back(p, run, cause)


def _stop(p: Pilot, form: Form, cause: str, point: Point) -> str:
    return give(p, start_at(p, form, point.work), cause)


# -- stopped-job-holds-claim ------------------------------------------------------------------------------------------


@shapes("stopped-job-holds-claim")
def held_claims(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each stop with a claim: nobody else gets its units, and the run goes on with them."""
    found: list[Shape] = []
    left: list[bool] = []
    for form, cause, point in _claiming_stops(facts):
        build = partial(_hold_after_stop, form=form, cause=cause, point=point)
        found.append(Shape(f"stopped by {cause}", build, clauses=_clauses_of_fall(facts)))
        left.append(bool(stopped_share(facts, form, point)))
    for form, failure, point in _working_failures(facts):
        build = partial(_hold_after_failure, form=form, row=failure, point=point)
        found.append(Shape(f"stopped by the failure {failure.id}", build, clauses=(1, 2)))
        left.append(bool(failed_share(facts, form, failure, point)))
    if _follows_falling_work(facts) and not any(stopped_share(facts, *each) for each in _form_points(facts)):
        yield Impossible(NO_CLAIM_TO_REDUCE, (0,))
    whole = [*_holding_waiters(facts, (1, 2)), *_holding_at_gate(facts, (1, 2))]
    yield from (*found, *whole)
    if not found and not whole:
        yield Impossible(NO_CLAIMED_STOP)
    elif not whole and not any(left):
        yield Impossible("every stop that can be constructed reduces the claim to nothing", (2,))


def _follows_falling_work(facts: Facts) -> bool:
    """Whether claims follow work that falls while a run is stopped."""
    return facts.config.partial_work == "reverse-while-stopped" and facts.config.timing == "with-progress"


def _form_points(facts: Facts) -> list[tuple[Form, Point]]:
    return [(form, point) for form, _, point in _claiming_stops(facts)]


def _clauses_of_fall(facts: Facts) -> tuple[int, ...]:
    return (0, 1, 2) if _follows_falling_work(facts) else (1, 2)


def _hold_after_stop(p: Pilot, form: Form, cause: str, point: Point) -> None:
    _hold(p, _stop(p, form, cause, point), cause)


def _hold_after_failure(p: Pilot, form: Form, row: Failure, point: Point) -> None:
    _hold(p, _fail_at(p, form, row, point), RECOVERY)


def _fail_at(p: Pilot, form: Form, row: Failure, point: Point) -> str:
    run = start_at(p, form, point.work)
    p.fail(run, row.id)
    return run


def _fail_waiting(p: Pilot, form: Form, row: Failure) -> str:
    run = wait_at_gate(p, form)
    p.fail(run, row.id)
    return run


def _hold_after_waiting(p: Pilot, form: Form, row: Failure) -> None:
    _hold(p, _fail_waiting(p, form, row), RECOVERY)


def _hold_at_gate(p: Pilot, form: Form) -> None:
    _hold(p, stop_at_gate(p, form, OUTPUT_FULL), OUTPUT_FULL)


def _holding_waiters(facts: Facts, clauses: tuple[int, ...]) -> Iterator[Shape]:
    for form, failure in _waiting_failures(facts):
        build = partial(_hold_after_waiting, form=form, row=failure)
        yield Shape(f"stopped from waiting by {failure.id}", build, clauses=clauses)


def _holding_at_gate(facts: Facts, clauses: tuple[int, ...]) -> Iterator[Shape]:
    form = _claiming_gate(facts)
    if form is not None:
        full, build = facts.world(room="none"), partial(_hold_at_gate, form=form)
        yield Shape("stopped at its finish gate", build, full, clauses=clauses)


# -- unasked-stopped-claim-answer-holds -------------------------------------------------------------------------------


@shapes("unasked-stopped-claim-answer-holds")
def unasked_claims(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A request-time claim of a run stopped from waiting, and of one stopped at its finish gate."""
    if facts.asked("stopped-claims"):
        yield Impossible("stopped-claims was asked and answered")
        return
    if facts.config.timing != "taken-at-request":
        yield Impossible("no claim is made at the request")
        return
    found = [*_holding_waiters(facts, (0,)), *_holding_at_gate(facts, (0,))]
    yield from found
    if not found:
        yield Impossible("no run can be stopped from waiting or at its finish gate")


# -- stopped-job-releases-and-reclaims --------------------------------------------------------------------------------


@shapes("stopped-job-releases-and-reclaims")
def released_claims(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each stop with a claim, once with its share usable when the causes clear, and once without."""
    found: list[Shape] = []
    for form, cause, point in _claiming_stops(facts):
        build = partial(_stop_and_reclaim, form=form, cause=cause, point=point)
        found.append(Shape(f"stopped by {cause}", build, clauses=(*_clauses_of_fall(facts), 3)))
        if cause != UNABLE and resume_can_lack(facts, form, point):
            build = partial(_stop_and_lack, form=form, cause=cause, point=point)
            found.append(Shape(f"stopped by {cause}, its units gone", build, clauses=(1, 2, 3)))
    if _follows_falling_work(facts) and not found:
        yield Impossible(NO_CLAIM_TO_REDUCE, (0,))
    found.extend(_failure_shapes(facts))
    form_at_gate = _claiming_gate(facts)
    if form_at_gate is not None:
        full, build = facts.world(room="none"), partial(_reclaim_at_gate, form=form_at_gate)
        found.append(Shape("stopped at its finish gate", build, full, clauses=(1, 2, 3)))
        build = partial(_lack_at_gate, form=form_at_gate)
        found.append(Shape("stopped at its finish gate, its units gone", build, full, clauses=(1, 2, 3)))
    yield from found
    if not found:
        yield Impossible(NO_CLAIMED_STOP)


def _failure_shapes(facts: Facts) -> Iterator[Shape]:
    for form, failure, point in _working_failures(facts):
        build = partial(_fail_and_lack, form=form, row=failure, point=point)
        yield Shape(f"stopped by the failure {failure.id}, its units gone", build, clauses=(1, 2, 3))
    for form, failure in _waiting_failures(facts):
        build = partial(_fail_waiting_and_lack, form=form, row=failure)
        yield Shape(f"stopped from waiting by {failure.id}, its units gone", build, clauses=(1, 2, 3))


def _stop_and_reclaim(p: Pilot, form: Form, cause: str, point: Point) -> None:
    run = _stop(p, form, cause, point)
    _let_work_fall(p, run)
    _come_back(p, run, cause)


def _lack(p: Pilot, run: str, cause: str) -> None:
    """The units are gone when the last cause clears, and come back later."""
    p.drain(run)
    clear(p, run, cause)
    p.supply_for(run, times=SHARERS)
    go_on(p, run)


def _stop_and_lack(p: Pilot, form: Form, cause: str, point: Point) -> None:
    _lack(p, _stop(p, form, cause, point), cause)


def _fail_and_lack(p: Pilot, form: Form, row: Failure, point: Point) -> None:
    _lack(p, _fail_at(p, form, row, point), RECOVERY)


def _fail_waiting_and_lack(p: Pilot, form: Form, row: Failure) -> None:
    _lack(p, _fail_waiting(p, form, row), RECOVERY)


def _reclaim_at_gate(p: Pilot, form: Form) -> None:
    _come_back(p, stop_at_gate(p, form, OUTPUT_FULL), OUTPUT_FULL)


def _lack_at_gate(p: Pilot, form: Form) -> None:
    _lack(p, stop_at_gate(p, form, OUTPUT_FULL), OUTPUT_FULL)
