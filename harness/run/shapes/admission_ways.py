"""Ways into an admission that many shapes share: who can start, who can wait, and how a gate is kept shut."""

from __future__ import annotations

from collections.abc import Callable

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.claims import share
from harness.models.lifecycle.config import Config, JobRule, Pool, at_place
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import DELIVERED, FINISH_GATE, FINISHED, REQUESTED, WAITING, Run
from harness.run.facts import Facts
from harness.run.goals import Goal, Seen
from harness.run.pilot import NotConstructible, NotFound, Pilot

RESERVES = "wait-before-start"
PLENTY = 12

Build = Callable[[Pilot], None]


def plenty(facts: Facts, runs: int = PLENTY, room: str = "full") -> World:
    """A world with units for many runs, and for the stricter offer checks of every job."""
    extra = []
    for job in facts.config.jobs:
        amounts = dict(job.offer_check)
        for place in (*facts.tables.places(), None):
            for item, source in facts.tables.sources(job.id, place):
                if amounts.get(item) and "{place}" not in source:
                    extra.append((item, amounts[item], source))
    return facts.world(runs, room, tuple(dict.fromkeys(extra)))


def as_far(build: Build) -> Build:
    """The script as far as this adoption lets it go: what no events construct is left out.

    A search that met its bound is not forgiven, because what it looked for may be there.
    """

    def tolerant(p: Pilot) -> None:
        try:
            build(p)
        except NotConstructible:
            return
        except NotFound as missed:
            if missed.limit is not None:
                raise

    return tolerant


def ask(p: Pilot, form: Form, pause: bool = False) -> str:
    """A request in this form; what standing orders delivered before it is cleared away first."""
    if p.config.standing_orders:
        all_room(p)
    return p.request(form.job, form.pool, form.place, dict(form.fields), form.phase, pause)


def all_room(p: Pilot) -> None:
    """As much free room everywhere as outputs that lie there and reservations leave."""
    for name, free in zip(p.state.room_names, p.state.free, strict=True):
        capacity = p.config.capacity(name) or 0
        for wanted in range(capacity, free, -1):
            event = e.Room(name, wanted)
            if p.model.step(p.state, event).refused is None:
                p.send(event)
                break


# -- who can start, who can wait ----------------------------------------------------------------------------------


def pool_of(facts: Facts, form: Form) -> Pool | None:
    """The pool that a form leads to."""
    return facts.config.pool(form.pool) if form.pool is not None else None


def starting_forms(facts: Facts) -> tuple[Form, ...]:
    """The forms of requests that can start: without a pool or in one that has a working slot, and with room to reserve."""
    return tuple(form for form in facts.forms if has_slots(facts, form) and can_reserve(facts, form))


def has_slots(facts: Facts, form: Form) -> bool:
    """Whether a request of this form needs no working slot, or its pool has one."""
    pool = pool_of(facts, form)
    return pool is None or pool.working > 0


def can_reserve(facts: Facts, form: Form) -> bool:
    """Whether a request of this form gets past its reservation, where the answer asks for one."""
    if facts.config.output_full != RESERVES:
        return True
    room = capacity_for(facts, form)
    return room is None or room >= facts.tables.jobs[form.job].size


def capacity_for(facts: Facts, form: Form) -> int | None:
    """The capacity of the form's normal destination; None where it has none or it is unlimited."""
    name = facts.tables.jobs[form.job].destination
    return facts.config.capacity(at_place(name, form.place or _any_place(facts, form))) if name is not None else None


def can_wait_in(facts: Facts, form: Form) -> bool:
    """Whether a request of this form can be admitted into waiting.

    In a pool every working slot can be taken, or its worker gone; without one a need or the start gate must fail.
    """
    pool = pool_of(facts, form)
    if not can_reserve(facts, form):
        return False
    if pool is not None:
        return pool.waiting != 0
    return bool(facts.config.needs_of(form.job)) or start_gate_can_fail(facts, form)


def waiting_forms(facts: Facts) -> tuple[Form, ...]:
    """The forms of requests that can wait, those of pools first."""
    found = [form for form in facts.forms if can_wait_in(facts, form)]
    return tuple(sorted(found, key=lambda form: form.pool is None))


def start_gate_can_fail(facts: Facts, form: Form) -> bool:
    """Whether the start gate tests units of the job, which another rule can take after the availability check."""
    return facts.config.timing in ("taken-at-start", "with-progress") and bool(tested_amounts(facts, form))


def holders(facts: Facts, form: Form) -> int | None:
    """How many runs of the form's pool and place can hold room at the same time, where each reserves its own.

    None where the answer reserves nothing, or no destination of these jobs limits it.
    """
    if facts.config.output_full != RESERVES:
        return None
    sizes: dict[str, int] = {}
    for each in facts.forms:
        rule = facts.tables.jobs[each.job]
        if (each.pool, each.place) != (form.pool, form.place) or rule.destination is None:
            continue
        name = at_place(rule.destination, each.place or _any_place(facts, each))
        if rule.size == 0 or capacity_for(facts, each) is None:
            return None
        sizes[name] = min(sizes.get(name, rule.size), rule.size)
    return sum((facts.config.capacity(name) or 0) // size for name, size in sizes.items())


def _any_place(facts: Facts, form: Form) -> str | None:
    pool = pool_of(facts, form)
    return pool.places[0] if pool is not None and pool.places else None


# -- what the gates test ------------------------------------------------------------------------------------------


def tested_amounts(facts: Facts, form: Form) -> dict[tuple[str, str], int]:
    """What the availability check tests for a request of this form, by item and source; nothing left out is tested."""
    config, rule = facts.config, facts.tables.jobs[form.job]
    place = form.place or _any_place(facts, form)
    stricter = dict(rule.offer_check)
    tested: dict[tuple[str, str], int] = {}
    for need in rule.needs if config.timing is not None else ():
        amount = need.amount
        if config.timing == "with-progress":
            amount = max(_initial(config, facts, rule, form, need.amount), stricter.get(need.item, 0))
        if amount:
            tested[need.item, at_place(need.source, place)] = amount
    return tested


def _initial(config: Config, facts: Facts, rule: JobRule, form: Form, amount: int) -> int:
    rounding = next((each for each in config.roundings if each.jobs is None or rule.id in each.jobs), None)
    phase = facts.phase_of(rule, form.phase)
    if rounding is None or phase is None:
        return amount
    fields = dict(form.fields)
    work = fields.get(phase.work, 0) if isinstance(phase.work, str) else phase.work
    per_tick = fields.get(phase.per_tick, 0) if isinstance(phase.per_tick, str) else phase.per_tick
    if isinstance(work, str) or isinstance(per_tick, str):
        return amount
    point = per_tick if rounding.initial_work is None else rounding.initial_work
    return share(amount, point, work, rounding.mode)


# -- keeping a gate shut ------------------------------------------------------------------------------------------


def occupy(p: Pilot, form: Form, beyond: int = 1) -> None:
    """Leave no working slot free where a request of this form goes; `beyond` more runs must find room to reserve.

    Runs take the slots where they can keep them; for every other slot its worker stops.
    """
    pool = pool_of(p.facts, form)
    if pool is None:
        return
    places = pool.places if pool.places and pool.assignment != "requested" else (form.place,)
    room = holders(p.facts, form)
    fills = p.facts.can_hold_slot_in(pool) and (room is None or room >= pool.working + beyond)
    for place in places:
        if fills and len(places) == 1:
            _fill(p, form, pool, place)
        _stop_workers(p, pool, place)


def _fill(p: Pilot, form: Form, pool: Pool, place: str | None) -> None:
    """Requests for the free slots, as far as they keep them."""
    for _ in range(p.free_slots(pool.id, place)):
        ask(p, form)


def _stop_workers(p: Pilot, pool: Pool, place: str | None) -> None:
    for index in range(pool.working):
        slots = next(value for name, where, value in p.state.pools if (name, where) == (pool.id, place))
        if p.model.slots.holder(slots, index) is None and p.model.slots.is_ready(slots, index):
            p.send(e.WorkerStop(pool.id, index + 1, place))


def workers_back(p: Pilot) -> None:
    """Every worker that was stopped is ready again."""
    for away in p.state.outages:
        p.send(e.WorkerReady(away.pool, away.slot, away.place))


def wait(p: Pilot, form: Form) -> str:
    """A run of this form that waits: no slot is free, or its need is unmet, or its inputs are gone."""
    if form.pool is not None:
        occupy(p, form)
        run = ask(p, form)
    elif start_gate_can_fail(p.facts, form):
        run = short_at_gate(p, form)
    else:
        run = unmet(p, form)
    return _must_be(p, run, WAITING)


def _must_be(p: Pilot, run: str, state: str) -> str:
    if p.run(run).state != state:
        raise NotConstructible(f"the run {run} is {p.run(run).state}, not {state}")
    return run


def short_at_gate(p: Pilot, form: Form) -> str:
    """A request that passes its check and whose units another rule takes before its admission goes on."""
    run = ask(p, form, pause=True)
    p.drain(run)
    p.send(e.Admit(run))
    return run


def unmet(p: Pilot, form: Form) -> str:
    """A request whose need is open: the needed job is asked for and paused before it."""
    for need in p.config.needs_of(form.job):
        needed = p.facts.form_for(need)
        if needed is not None:
            ask(p, needed, pause=True)
            return ask(p, form)
    raise NotConstructible(f"the job {form.job} needs no other")


def is_started(run: str) -> Goal:
    """The run has crossed its start boundary."""

    def goal(seen: Seen) -> bool:
        found = seen.run(run)
        return found is not None and not found.ended and found.state not in (REQUESTED, WAITING)

    return goal


def is_past_work(run: str) -> Goal:
    """The run has met its finish gate: it finished, or stopped there."""

    def goal(seen: Seen) -> bool:
        found = seen.run(run)
        return found is not None and (found.state in (FINISHED, DELIVERED) or found.point == FINISH_GATE)

    return goal


def held(p: Pilot, run: str) -> dict[tuple[str, str], int]:
    """What a run's claim holds now, by item and source."""
    found: Run = p.run(run)
    sources = p.facts.tables.sources(found.job, found.place)
    return {key: amount for key, amount in zip(sources, found.held, strict=True) if amount}
