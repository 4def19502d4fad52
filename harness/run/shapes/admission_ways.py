"""Ways into an admission that many shapes share: who can start, who can wait, and how a gate is kept shut."""

from __future__ import annotations

from collections.abc import Callable

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.claims import share
from harness.models.lifecycle.config import Number, Pool, at_place
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import UNABLE, WAITING, Run
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot
from harness.run.shapes.admission_drive import drive, is_started, workers_back
from harness.run.shapes.admission_orders import orders_running, settle_orders

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


def as_far(build: Callable[[Pilot], object]) -> Build:
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
    """A request in this form."""
    return p.request(form.job, form.pool, form.place, dict(form.fields), form.phase, pause)


# -- who can start, who can wait ----------------------------------------------------------------------------------


def pool_of(facts: Facts, form: Form) -> Pool | None:
    """The pool that a form leads to."""
    return facts.config.pool(form.pool) if form.pool is not None else None


def starting_forms(facts: Facts) -> tuple[Form, ...]:
    """The forms of requests that can start: without a pool or in one with a working slot, and with room to reserve."""
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
        if (each.pool, each.place) != (form.pool, form.place):
            continue
        if rule.destination is None:
            return None
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
    rule = facts.tables.jobs[form.job]
    if facts.config.timing != "with-progress":
        return _by_source(facts, form, {need.item: need.amount for need in rule.needs})
    initial, stricter = initial_share(facts, form), dict(rule.offer_check)
    tested = {need.item: max(initial[need.item], stricter.get(need.item, 0)) for need in rule.needs}
    return _by_source(facts, form, tested)


def _by_source(facts: Facts, form: Form, amounts: dict[str, int]) -> dict[tuple[str, str], int]:
    if facts.config.timing is None:
        return {}
    place = form.place or _any_place(facts, form)
    needs = facts.tables.jobs[form.job].needs
    return {
        (need.item, at_place(need.source, place)): amounts[need.item] for need in needs if amounts.get(need.item, 0)
    }


def initial_share(facts: Facts, form: Form) -> dict[str, int]:
    """What a start claims under progress claiming, by item."""
    rule = facts.tables.jobs[form.job]
    rounding = next((each for each in facts.config.roundings if each.jobs is None or rule.id in each.jobs), None)
    _, per_tick = duration_of(facts, form)
    named = rounding.initial_work if rounding is not None else None
    return share_at(facts, form, per_tick if named is None else named)


def share_at(facts: Facts, form: Form, point: Number) -> dict[str, int]:
    """The progress share of each item at a work point; the whole without a rule or a work phase."""
    rule = facts.tables.jobs[form.job]
    rounding = next((each for each in facts.config.roundings if each.jobs is None or rule.id in each.jobs), None)
    work, _ = duration_of(facts, form)
    if rounding is None or not work:
        return {need.item: need.amount for need in rule.needs}
    return {need.item: share(need.amount, point, work, rounding.mode) for need in rule.needs}


def stop_causes(facts: Facts, form: Form) -> tuple[str, ...]:
    """The causes that can stop a run of this form at work; unable to advance only where ticks claim units."""
    whole = {need.item: need.amount for need in facts.tables.jobs[form.job].needs}
    never_unable = initial_share(facts, form) == whole
    return tuple(cause for cause in facts.ordinary_stops if cause != UNABLE or not never_unable)


def duration_of(facts: Facts, form: Form) -> tuple[Number, Number]:
    """Required work and work per tick of a request of this form; nothing and 1 without a work phase."""
    phase = facts.phase_of(facts.tables.jobs[form.job], form.phase)
    if phase is None:
        return 0, 1
    fields = dict(form.fields)

    def number(value: Number | str) -> Number:
        named = fields.get(value, 0) if isinstance(value, str) else value
        return 0 if isinstance(named, str) else named

    return number(phase.work), number(phase.per_tick)


# -- keeping a gate shut ------------------------------------------------------------------------------------------


def occupy(p: Pilot, form: Form, beyond: int = 1, fill: bool = True) -> None:
    """Leave no working slot free where a request of this form goes; `beyond` more runs must find room to reserve.

    Runs take the slots where they can keep them (and `fill` asks for it); for every other slot its worker stops.
    """
    pool = pool_of(p.facts, form)
    if pool is None:
        return
    places = pool.places if pool.places and pool.assignment != "requested" else (form.place,)
    room = holders(p.facts, form)
    fills = fill and p.facts.can_hold_slot_in(pool) and (room is None or room >= pool.working + beyond)
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


def wait(p: Pilot, form: Form) -> str:
    """A run of this form that waits: no slot is free, or its need is unmet, or its inputs are gone."""
    if form.pool is None:
        run = short_at_gate(p, form) if start_gate_can_fail(p.facts, form) else unmet(p, form)
    elif orders_running(p):
        # Asked for first, so that it is an open run of its job; the standing orders' runs end before it is admitted.
        run = ask(p, form, pause=True)
        _guard(p, form)
        settle_orders(p)
        occupy(p, form, fill=False)
        admit(p, run)
    else:
        occupy(p, form)
        run = ask(p, form)
    return must_wait(p, run)


def _guard(p: Pilot, form: Form) -> None:
    """An open, paused run of every other job that a standing order asks for only while it has none."""
    for row in p.config.standing_orders:
        other = p.facts.form_for(row.job, form.pool, form.place)
        if row.eligible.no_open_run and row.job != form.job and other is not None:
            ask(p, other, pause=True)


def must_wait(p: Pilot, run: str) -> str:
    """The run, which has to wait now; NotConstructible where it does not."""
    if p.run(run).state != WAITING:
        raise NotConstructible(f"the run {run} is {p.run(run).state}, not waiting")
    return run


def admit(p: Pilot, run: str) -> None:
    """A paused request goes on, with units for it at its sources."""
    if not p.run(run).ended:
        p.supply_for(run)
        p.send(e.Admit(run))


def start_now(p: Pilot, form: Form) -> str:
    """A request that starts, as soon as the pool lets it.

    Runs of standing orders that stand in its way end first; where they never do, one of them is the start.
    """
    if orders_running(p):
        return _start_after_orders(p, form)
    return drive(p, ask(p, form), is_started)


def _start_after_orders(p: Pilot, form: Form) -> str:
    if form.pool is not None and can_wait_in(p.facts, form):
        run = wait(p, form)
        workers_back(p)
        return drive(p, run, is_started)
    run = ask(p, form, pause=True)
    _guard(p, form)
    settle_orders(p)
    admit(p, run)
    if p.run(run).ended:
        phase = p.facts.phase_of(p.facts.tables.jobs[form.job], form.phase)
        wanted = phase.id if phase is not None else None
        others = (each for each in p.state.runs if is_started(each) and (each.pool, each.phase) == (form.pool, wanted))
        run = next((each.id for each in others), run)
    return drive(p, run, is_started)


def fill_queue(p: Pilot, form: Form) -> str:
    """Requests that wait until the pool's limit refuses one; returns the refused run."""
    pool = p.facts.tables.pools[form.pool or ""]
    limit = pool.waiting or 0
    tries = (limit + 1) * max(1, len(pool.places)) + 1
    paused = [ask(p, form, pause=True) for _ in range(tries)] if orders_running(p) else []
    if paused:
        _guard(p, form)
        settle_orders(p)
    occupy(p, form, limit + 1, fill=not paused)
    for at in range(tries):
        run = paused[at] if paused else ask(p, form)
        if paused:
            admit(p, run)
        if p.run(run).ended:
            return run
    raise NotConstructible(f"no request is refused in {pool.id}")


def can_fill_queue(facts: Facts, form: Form) -> bool:
    """Whether the waiting limit of the form's pool can be reached: every run that waits has reserved its own room."""
    pool, room = pool_of(facts, form), holders(facts, form)
    return pool is not None and pool.waiting is not None and (room is None or room > pool.waiting)


def short_at_gate(p: Pilot, form: Form) -> str:
    """A request that passes its check and whose units another rule takes before its admission goes on."""
    run = ask(p, form, pause=True)
    settle_orders(p)
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


def held(p: Pilot, run: str) -> dict[tuple[str, str], int]:
    """What a run's claim holds now, by item and source."""
    found: Run = p.run(run)
    sources = p.facts.tables.sources(found.job, found.place)
    return {key: amount for key, amount in zip(sources, found.held, strict=True) if amount}
