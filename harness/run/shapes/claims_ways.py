"""Runs that hold a claim between two events, by each timing, and the attempt of another rule at their units."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.state import STOPPED
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, Pilot
from harness.run.shapes.admission_drive import drive_once, no_room
from harness.run.shapes.admission_orders import orders_running
from harness.run.shapes.admission_ways import (
    ask,
    can_wait_in,
    capacity_for,
    duration_of,
    held,
    initial_share,
    share_at,
    starting_forms,
    wait,
)

TICKS_MAX = 64


def taking_forms(facts: Facts) -> tuple[Form, ...]:
    """The forms of jobs that take units, those that can start first."""
    taking = [each for each in facts.forms if any(need.amount for need in facts.tables.jobs[each.job].needs)]
    starting = set(starting_forms(facts))
    return tuple(sorted(taking, key=lambda form: form not in starting)) if facts.config.timing is not None else ()


def holding_forms(facts: Facts) -> Iterator[Form]:
    """The forms whose runs can hold a claim between two events."""
    early = ("taken-at-request", "taken-at-start", "with-progress")
    for form in taking_forms(facts) if facts.config.timing in early else ():
        starts = form in starting_forms(facts)
        waits = facts.config.timing == "taken-at-request" and can_wait_in(facts, form)
        kept = stops_at_gate(facts, form) and not facts.config.release_stopped_claims
        if waits or (starts and (kept or (facts.has_work and is_seen(facts, form)))):
            yield form


def is_seen(facts: Facts, form: Form) -> bool:
    """Whether a run of this form holds units while it works: not where rounding leaves all of them to the last tick."""
    if facts.config.timing != "with-progress":
        return True
    work, per_tick = (Fraction(each) for each in duration_of(facts, form))
    last = per_tick * (ceil(work / per_tick) - 1)
    rounding = next((each for each in facts.config.roundings if each.jobs is None or form.job in each.jobs), None)
    if rounding is not None and rounding.point == "current":
        last = max(Fraction(0), last - per_tick)
    return any(initial_share(facts, form).values()) or any(share_at(facts, form, last).values())


def stops_at_gate(facts: Facts, form: Form) -> bool:
    """Whether a run of this form can be stopped at its finish gate for want of room."""
    return facts.config.output_full == "wait-until-space" and capacity_for(facts, form) is not None


def holding(p: Pilot, form: Form | None = None) -> str:
    """A run that holds a claim now; NotConstructible where no run of the form can."""
    chosen = form or next(holding_forms(p.facts), None)
    if chosen is None:
        raise NotConstructible("no claim outlives its event")
    for order in orders_running(p):
        if held(p, order.id):
            return order.id
    starts = chosen in starting_forms(p.facts) and (p.facts.has_work or not can_wait_in(p.facts, chosen))
    if p.config.timing == "taken-at-request" and not starts:
        return wait(p, chosen)
    no_room_at_all = not p.facts.has_work or not is_seen(p.facts, chosen)
    if no_room_at_all:
        no_room(p)
    run = ask(p, chosen)
    for _ in range(TICKS_MAX):
        if held(p, run):
            return run
        if p.run(run).state == STOPPED:
            break
        drive_once(p, run)
    raise NotConstructible(f"the run {run} holds nothing between two events")


def try_to_use(p: Pilot, run: str) -> None:
    """Another rule asks for every usable unit and one claimed one of each input that the run holds."""
    usable = dict(zip(p.state.keys, p.state.stock, strict=True))
    for item, source in held(p, run):
        p.offer(e.Use(item, usable[item, source] + 1, source))
