"""What an adoption's numbers say about stops before anything runs: work points, claims at them, and what can fire."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.claims import share
from harness.models.lifecycle.config import Failure, Interruption, JobRule, Rounding, at_place
from harness.models.lifecycle.state import INPUTS_AT_FINISH, OUTPUT_FULL, STOPPED, UNABLE, WAITING, WORKING
from harness.run.facts import Facts

Held: TypeAlias = Mapping[str, int]

NOBODY_WORKS = "no request leads to a run that works: there is no work phase, or no pool has a working slot"
ONE_TICK = "the first tick completes the work, so no working run has recorded work"


class Point(NamedTuple):
    """A working run between two ticks: its recorded work, and what it holds by item."""

    work: Fraction
    held: Held


def rule_of(facts: Facts, form: Form) -> JobRule:
    """The job rule of a request form."""
    return facts.tables.jobs[form.job]


def starting_forms(facts: Facts) -> Iterator[Form]:
    """The forms whose runs can start, the main job's first: their pool has a working slot, their output its room."""
    for form in facts.forms:
        if not is_closed(facts, form) and _can_be_reserved(facts, form):
            yield form


def closed_forms(facts: Facts) -> Iterator[Form]:
    """The forms whose runs can be admitted and never start, because their pool has no working slot."""
    for form in facts.forms:
        if is_closed(facts, form) and _can_be_reserved(facts, form):
            yield form


def is_closed(facts: Facts, form: Form) -> bool:
    """Whether the form's pool has no working slot at all."""
    pool = facts.tables.pools.get(form.pool or "")
    return pool is not None and pool.working == 0


def _can_be_reserved(facts: Facts, form: Form) -> bool:
    if facts.config.output_full != "wait-before-start":
        return True
    return all(free is None or free >= rule_of(facts, form).size for free in capacities(facts, form))


def capacities(facts: Facts, form: Form) -> tuple[int | None, ...]:
    """The capacity of the form's normal destination; of every place's, where a rule chooses the place."""
    destination = rule_of(facts, form).destination
    if destination is None:
        return ()
    if form.place is not None:
        return (facts.tables.capacities.get(at_place(destination, form.place)),)
    return tuple(facts.tables.capacities.get(name) for name in facts.destination_names(destination))


def working_form(facts: Facts) -> Form | None:
    """The first form whose run works, if there is one."""
    return next(starting_forms(facts), None) if facts.has_work else None


def required(facts: Facts, form: Form) -> tuple[Fraction, Fraction]:
    """Required work and work per tick of a form's run; nothing and 1 without a phase."""
    phase = facts.phase_of(rule_of(facts, form), form.phase)
    if phase is None:
        return Fraction(0), Fraction(1)
    fields = dict(form.fields)
    numbers = [fields.get(each, 0) if isinstance(each, str) else each for each in (phase.work, phase.per_tick)]
    work, per_tick = (Fraction(0) if isinstance(each, str) else Fraction(each) for each in numbers)
    return work, per_tick


def records_work(facts: Facts, form: Form) -> bool:
    """Whether a working run of the form can have recorded work: more than one tick completes it."""
    work, per_tick = required(facts, form)
    return work > per_tick


# -- interruptions ----------------------------------------------------------------------------------------------------


def instruction_of(facts: Facts, row_id: str) -> str | None:
    """An instruction that gives this row's cause; None where earlier rows declare them all."""
    row = next(each for each in facts.config.interruptions if each.id == row_id)
    return next((name for name in row.instructions if _declaring(facts, name) == row), None)


def _declaring(facts: Facts, instruction: str) -> Interruption | None:
    return next((each for each in facts.config.interruptions if instruction in each.instructions), None)


def interruptions(facts: Facts) -> tuple[str, ...]:
    """The interruptions that some instruction gives, in written order."""
    return tuple(row.id for row in facts.config.interruptions if instruction_of(facts, row.id) is not None)


def ordinary_causes(facts: Facts, form: Form, recorded: bool = False) -> tuple[str, ...]:
    """The causes that stop a working run of the form; `recorded`: while it has recorded work."""
    if recorded and not records_work(facts, form):
        return ()
    causes = interruptions(facts)
    unable = any(not recorded or work > 0 for work in lacking_points(facts, form))
    return (*causes, UNABLE) if unable else causes


# -- claims at work points --------------------------------------------------------------------------------------------


def _rounding(facts: Facts, job: str) -> Rounding | None:
    return next((each for each in facts.config.roundings if each.jobs is None or job in each.jobs), None)


def share_of(facts: Facts, form: Form, work: Fraction) -> Held:
    """The claim that follows a work point: the progress share, or the whole."""
    rule, rounding = rule_of(facts, form), _rounding(facts, form.job)
    total, _ = required(facts, form)
    if facts.config.timing != "with-progress" or rounding is None or not facts.has_work:
        return {need.item: need.amount for need in rule.needs if need.amount}
    amounts = {need.item: share(need.amount, work, total, rounding.mode) for need in rule.needs}
    return {item: amount for item, amount in amounts.items() if amount}


def initial_share(facts: Facts, form: Form) -> Held:
    """What a start claims under progress claiming."""
    rounding = _rounding(facts, form.job)
    named = rounding.initial_work if rounding is not None else None
    return share_of(facts, form, required(facts, form)[1] if named is None else Fraction(named))


def _tick_share(facts: Facts, form: Form, point: Fraction) -> Held:
    rounding = _rounding(facts, form.job)
    total, per_tick = required(facts, form)
    if rounding is not None and rounding.point == "current" and point < total:
        return share_of(facts, form, max(Fraction(0), point - per_tick))
    return share_of(facts, form, point)


def _most(first: Held, second: Held) -> Held:
    return {item: max(first.get(item, 0), second.get(item, 0)) for item in dict.fromkeys((*first, *second))}


def work_points(facts: Facts, form: Form) -> tuple[Point, ...]:
    """A working run of the form between its ticks, undisturbed, with the claim that it holds."""
    total, per_tick = required(facts, form)
    timing = facts.config.timing
    if timing in (None, "taken-at-finish"):
        held: Held = {}
    else:
        held = initial_share(facts, form) if timing == "with-progress" else share_of(facts, form, total)
    points: list[Point] = []
    work = Fraction(0)
    while work < total and len(points) < 64:
        points.append(Point(work, held))
        work = min(work + per_tick, total)
        if timing == "with-progress":
            held = _most(held, _tick_share(facts, form, work))
    return tuple(points)


def lacking_points(facts: Facts, form: Form) -> tuple[Fraction, ...]:
    """The work points at which the next tick needs units that the run does not hold yet."""
    if facts.config.timing != "with-progress" or not facts.has_work:
        return ()
    total, per_tick = required(facts, form)
    found = []
    for point in work_points(facts, form):
        wanted = _tick_share(facts, form, min(point.work + per_tick, total))
        if any(amount > point.held.get(item, 0) for item, amount in wanted.items()):
            found.append(point.work)
    return tuple(found)


def stopped_share(facts: Facts, form: Form, point: Point) -> Held:
    """What an ordinary stop at this point leaves of the claim, before it is held or released."""
    if facts.config.timing != "with-progress":
        return point.held
    work = Fraction(0) if facts.config.partial_work == "reset-at-stop" else point.work
    kept = share_of(facts, form, work)
    return {item: least for item in point.held if (least := min(point.held[item], kept.get(item, 0)))}


def reduced_share(facts: Facts, form: Form, cause: str, point: Point) -> Held | None:
    """What is left of the claim by the first fall that takes units off it, after an ordinary stop at this point.

    None where no fall does so before the run resumes.
    """
    rules = facts.config.reversals
    rule = next((each for each in rules if each.jobs is None or form.job in each.jobs), None)
    held, work = stopped_share(facts, form, point), point.work
    step = Fraction(rule.per_tick) if rule is not None else Fraction(0)
    if step <= 0:
        return None
    total, per_tick = required(facts, form)
    while held and work > 0:
        work = max(Fraction(0), work - step)
        left = share_of(facts, form, work)
        if any(amount > left.get(item, 0) for item, amount in held.items()):
            return {item: left[item] for item in held if left.get(item)}
        wanted = _tick_share(facts, form, min(work + per_tick, total))
        if cause == UNABLE and all(held.get(item, 0) >= amount for item, amount in wanted.items()):
            return None
    return None


def falling_point(facts: Facts, form: Form, cause: str) -> Point | None:
    """The first point to stop at from which the fall of the work reduces the claim, to something rather than nothing.

    Where nothing is left, units that are wrongly held or taken for the rest of the work cannot be seen.
    """
    lacking = lacking_points(facts, form)
    points = [point for point in work_points(facts, form) if cause != UNABLE or point.work in lacking]
    reduced = [(point, reduced_share(facts, form, cause, point)) for point in points]
    falling = [(point, left) for point, left in reduced if left is not None]
    return next((point for point, left in falling if left), falling[0][0] if falling else None)


def stop_point(facts: Facts, form: Form, cause: str) -> Point | None:
    """The best point to stop at: with a claim that the stop leaves and recorded work, else what comes nearest."""
    lacking = lacking_points(facts, form)
    points = [point for point in work_points(facts, form) if cause != UNABLE or point.work in lacking]

    def rank(point: Point) -> tuple[bool, bool, bool]:
        return not stopped_share(facts, form, point), not point.held, point.work == 0

    return min(points, key=rank, default=None)


def resume_needs(facts: Facts, form: Form, point: Point) -> Held:
    """What a run that stopped ordinarily at this point must have to resume."""
    timing = facts.config.timing
    if timing in (None, "taken-at-finish"):
        return {}
    if timing != "with-progress":
        return point.held
    work = Fraction(0) if facts.config.partial_work == "reset-at-stop" else point.work
    return _most(share_of(facts, form, work), initial_share(facts, form))


def resume_can_lack(facts: Facts, form: Form, point: Point) -> bool:
    """Whether a resume after an ordinary stop at this point must claim something, so that it can be unavailable."""
    held = {} if facts.config.release_stopped_claims else stopped_share(facts, form, point)
    return any(amount > held.get(item, 0) for item, amount in resume_needs(facts, form, point).items())


# -- failures ---------------------------------------------------------------------------------------------------------


def recoverable(facts: Facts, state: str) -> tuple[Failure, ...]:
    """The failures rows that fire from this state and leave the run to recover."""
    return tuple(row for row in facts.config.failures if row.from_state == state and not row.ruined)


def fits(row: Failure, held: Held) -> bool:
    """Whether each named loss is part of such a claim, and all together not the whole of it."""
    lost = dict(row.loses)
    if any(amount > held.get(item, 0) for item, amount in lost.items()):
        return False
    total = sum(lost.values())
    return total == 0 or total < sum(held.values())


def fires(facts: Facts, form: Form, row: Failure, claimed: bool = False) -> bool:
    """Whether the row can fire on a run of this form; `claimed`: while the run holds something."""
    return any(fits(row, held) and (bool(held) or not claimed) for held in _claims_in(facts, form, row.from_state))


def _claims_in(facts: Facts, form: Form, state: str) -> Iterator[Held]:
    whole = {need.item: need.amount for need in rule_of(facts, form).needs if need.amount}
    if state == WAITING:
        yield whole if facts.config.timing == "taken-at-request" else {}
    elif state == WORKING:
        yield from (point.held for point in work_points(facts, form))
    elif state == STOPPED:
        yield from _stopped_claims(facts, form, whole)


def _stopped_claims(facts: Facts, form: Form, whole: Held) -> Iterator[Held]:
    released = facts.config.release_stopped_claims
    if gate_causes(facts, form):
        claims = facts.config.timing in ("taken-at-request", "taken-at-start", "with-progress")
        yield whole if claims and not released else {}
    if ordinary_causes(facts, form):
        yield from ({} if released else stopped_share(facts, form, point) for point in work_points(facts, form))


def failure_point(facts: Facts, form: Form, row: Failure) -> Point | None:
    """The best point for a failure from working: with a claim that its work keeps, else with any claim."""
    points = [point for point in work_points(facts, form) if point.held and fits(row, point.held)]
    return min(points, key=lambda point: (not failed_share(facts, form, row, point), point.work == 0), default=None)


def failed_share(facts: Facts, form: Form, row: Failure, point: Point) -> Held:
    """What a recoverable failure at this point leaves of a held claim: less its losses, for the work it supports."""
    lost = dict(row.loses)
    left = {item: amount - lost.get(item, 0) for item, amount in point.held.items() if amount > lost.get(item, 0)}
    if facts.config.timing != "with-progress":
        return left
    fallen = point.work - Fraction(row.loses_work) - Fraction(row.loses_work_share) * point.work
    kept = share_of(facts, form, _supported(facts, form, left, max(Fraction(0), fallen)))
    return {item: least for item, amount in left.items() if (least := min(amount, kept.get(item, 0)))}


def _supported(facts: Facts, form: Form, held: Held, work: Fraction) -> Fraction:
    """The highest work, not above this, whose share such a claim holds: itself, else a multiple of the step below."""
    _, per_tick = required(facts, form)
    while work > 0 and any(amount > held.get(item, 0) for item, amount in _tick_share(facts, form, work).items()):
        steps = work / per_tick
        work = per_tick * (math.ceil(steps) - 1)
    return max(Fraction(0), work)


# -- the finish gate --------------------------------------------------------------------------------------------------


def gate_causes(facts: Facts, form: Form) -> tuple[str, ...]:
    """The conditions of the finish gate that can fail for a run of the form."""
    rule = rule_of(facts, form)
    causes = []
    if facts.config.timing == "taken-at-finish" and any(need.amount for need in rule.needs):
        causes.append(INPUTS_AT_FINISH)
    finite = any(capacity is not None for capacity in capacities(facts, form))
    if facts.config.output_full == "wait-until-space" and finite and rule.size > 0:
        causes.append(OUTPUT_FULL)
    return tuple(causes)


def gate_form(facts: Facts, cause: str) -> Form | None:
    """The first form whose run can be stopped at its finish gate by this cause."""
    return next((form for form in starting_forms(facts) if cause in gate_causes(facts, form)), None)


def fits_its_destination(facts: Facts, form: Form) -> bool:
    """Whether room for the whole output can ever be there; what needs no room always fits."""
    if facts.config.output_full != "wait-until-space":
        return True
    return any(free is None or free >= rule_of(facts, form).size for free in capacities(facts, form))
