"""Scripts that fill, empty and contend for the working slots of one pool at one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Failure, JobRule, Pool, StandingOrder, at_place
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import Run
from harness.run.facts import Facts
from harness.run.goals import Goal, Seen, in_state
from harness.run.pilot import NotConstructible, NotFound, Pilot, Shape

TRIES_MAX = 16
# Where the units lie that keep a standing order from being eligible, when no job takes them from anywhere.
ELSEWHERE = "elsewhere"

Recipe = Callable[[Pilot], None]
Stock = tuple[tuple[str, int, str], ...]


class Spot(NamedTuple):
    """Where a script plays: a pool, one of its places (None: shared) and the job that it requests there."""

    pool: Pool
    place: str | None
    job: str


def attempt(p: Pilot, *recipes: Recipe) -> None:
    """The first recipe that works; each begins where the pilot stands now."""
    state, count = p.state, len(p.events)
    for at, recipe in enumerate(recipes):
        try:
            recipe(p)
        except (NotConstructible, NotFound):
            if at + 1 == len(recipes):
                raise
            p.state = state
            del p.events[count:]
        else:
            return


def require(truth: bool, what: str) -> None:
    """NotConstructible where a script did not come to what it was for."""
    if not truth:
        raise NotConstructible(what)


# -- what an adoption allows ---------------------------------------------------------------------------------------


def row_pool(facts: Facts, pool_id: str) -> Pool:
    """The executable pool of a work-limits row."""
    pool = facts.config.pool(pool_id)
    if pool is None:
        raise KeyError(pool_id)
    return pool


def spots(facts: Facts, pool: Pool) -> Iterator[Spot]:
    """Every job that the pool can cover, at its first place."""
    place = pool.places[0] if pool.places else None
    return (Spot(pool, place, job) for job in facts.jobs_of(pool.id))


def first_spot(facts: Facts, pool: Pool, fits: Callable[[Facts, Spot], bool]) -> Spot | None:
    """The first spot of the pool that fits."""
    return next((each for each in spots(facts, pool) if fits(facts, each)), None)


def route(facts: Facts, job: JobRule, place: str | None) -> tuple[str, ...]:
    """The destinations that an output of the job may go to."""
    if job.destination is None:
        return ()
    fallbacks = facts.config.fallbacks if facts.config.output_full == "try-destinations" else ()
    return tuple(at_place(name, place) for name in (job.destination, *fallbacks))


def finds_room(facts: Facts, job: JobRule, place: str | None) -> bool:
    """Whether some destination on the job's route is large enough for its output."""
    if job.destination is None:
        return True
    capacities = (facts.tables.capacities.get(name) for name in route(facts, job, place))
    return any(capacity is None or capacity >= job.size for capacity in capacities)


def can_start(facts: Facts, spot: Spot) -> bool:
    """Whether a run can ever start there: there is a working slot, and room where it must be reserved first."""
    reserves = facts.config.output_full == "wait-before-start"
    return spot.pool.working > 0 and (not reserves or _roomy(facts, spot))


def can_finish(facts: Facts, spot: Spot) -> bool:
    """Whether a run can ever finish there: the finish gate finds room where it asks for some."""
    gated = facts.config.output_full == "wait-until-space"
    return can_start(facts, spot) and (not gated or _roomy(facts, spot))


def can_deliver(facts: Facts, spot: Spot) -> bool:
    """Whether a run can ever be delivered there."""
    collects = not facts.config.on_collection or bool(facts.config.collections)
    return can_finish(facts, spot) and _roomy(facts, spot) and collects


def _roomy(facts: Facts, spot: Spot) -> bool:
    return finds_room(facts, facts.tables.jobs[spot.job], spot.place)


def can_succeed(facts: Facts, spot: Spot) -> bool:
    """Whether a run can reach the transition at which the pool frees the slot of a success."""
    return can_deliver(facts, spot) if spot.pool.releases_at == "delivered" else can_finish(facts, spot)


def recoverable(facts: Facts) -> tuple[Failure, ...]:
    """The failures from working that leave the run to be resumed."""
    return tuple(row for row in facts.config.failures if not row.ruined and row.from_state == "working")


def can_stop(facts: Facts, spot: Spot) -> bool:
    """Whether a working run can lose its slot without ending."""
    if not facts.has_work or not can_start(facts, spot):
        return False
    return bool(facts.config.interruptions or firing(facts, spot)) or can_be_unable(facts, spot)


def firing(facts: Facts, spot: Spot) -> tuple[Failure, ...]:
    """The recoverable failures that can take a run of the spot out of work: what they lose must be there."""
    return tuple(row for row in recoverable(facts) if works(facts, partial(_work_and_fail, spot=spot, row=row.id)))


def _work_and_fail(p: Pilot, spot: Spot, row: str) -> None:
    p.fail(working_run(p, spot), row)


def can_be_unable(facts: Facts, spot: Spot) -> bool:
    """Whether a working run can lack the units of its next work point."""
    return facts.can_be_unable and works(facts, partial(_starve, spot=spot))


def _starve(p: Pilot, spot: Spot) -> None:
    run = working_run(p, spot)
    p.drain(run)
    p.advance(run)
    require(p.run(run).state == "stopped", f"{run} lacks nothing")


def works(facts: Facts, build: Recipe) -> bool:
    """Whether a script comes to its end in a world of plenty."""
    try:
        build(Pilot(facts, quiet(facts)))
    except (NotConstructible, NotFound):
        return False
    return True


def admitted_most(facts: Facts, spot: Spot) -> int | None:
    """How many runs can be admitted at once: as many outputs as can be reserved; None where nothing bounds them."""
    job = facts.tables.jobs[spot.job]
    if facts.config.output_full != "wait-before-start" or job.destination is None:
        return None
    capacity = facts.tables.capacities.get(at_place(job.destination, spot.place))
    return None if capacity is None or job.size == 0 else capacity // job.size


def two_fit(facts: Facts, spot: Spot) -> bool:
    """Whether two runs can be admitted at the spot at once."""
    most = admitted_most(facts, spot)
    return most is None or most >= 2


def can_overfill(facts: Facts, spot: Spot) -> bool:
    """Whether one request more than may wait can come as far as the waiting limit."""
    if spot.pool.waiting is None or not can_start(facts, spot):
        return False
    most = admitted_most(facts, spot)
    return most is None or most > spot.pool.waiting


def one_output(spot: Spot) -> str:
    """Why no two runs are ever admitted at the spot at once."""
    return f"a run of {spot.pool.id} reserves its room before it is admitted, and the destination holds one output"


def gated(facts: Facts, spot: Spot) -> bool:
    """Whether the finish gate can stop a run of the spot."""
    job = facts.tables.jobs[spot.job]
    if not can_start(facts, spot):
        return False
    if facts.config.timing == "taken-at-finish" and any(need.amount for need in job.needs):
        return True
    if facts.config.output_full != "wait-until-space" or job.destination is None or job.size == 0:
        return False
    return facts.tables.capacities.get(at_place(job.destination, spot.place)) is not None


def can_rest_finished(facts: Facts, spot: Spot) -> bool:
    """Whether a finished run can be left undelivered between two events."""
    if not can_finish(facts, spot) or facts.in_place:
        return False
    return facts.config.on_collection or facts.can_hold_output


def starts_nothing(pool: Pool) -> str:
    """Why no run of the pool ever starts."""
    if pool.working == 0:
        return f"{pool.id} has no working slot"
    return f"no output of a job in {pool.id} ever finds the room that it needs to start"


NOT_COVERED = "an earlier row covers every request that this row covers: no request is ever assigned to it"


# -- worlds --------------------------------------------------------------------------------------------------------


def shape_in(
    facts: Facts, name: str, build: Recipe, clauses: tuple[int, ...] | None = None, room: str = "full"
) -> Shape:
    """The shape in the first world that lets its script come to its end: of plenty, or of too little for orders."""
    worlds = (quiet(facts, room=room), scarce(facts, room))
    for world in worlds:
        try:
            build(Pilot(facts, world))
        except (NotConstructible, NotFound):
            continue
        return Shape(name, build, world, clauses)
    return Shape(name, build, worlds[0], clauses)


def scarce(facts: Facts, room: str = "full") -> World:
    """A quiet world with too few units for the standing orders that ask for units alone."""
    world = quiet(facts, room=room)
    stock = world.stock
    for order in facts.config.standing_orders:
        if not order.eligible.conditions:
            for item, amount in order.eligible.usable:
                stock = _at_most(stock, item, amount - 1)
    return world._replace(stock=stock)


def quiet(facts: Facts, runs: int = 6, room: str = "full") -> World:
    """A world of plenty in which no standing order is eligible, as far as units and conditions can keep it so."""
    return facts.world(runs, room, tuple(_enough(facts.config)))


def _enough(config: Config) -> Iterator[tuple[str, int, str]]:
    for order in config.standing_orders:
        if order.eligible.conditions:
            continue
        for item, amount in order.eligible.below:
            yield item, amount, ELSEWHERE


def eligible_world(facts: Facts, order: StandingOrder, conditions: bool, short: bool = False) -> World:
    """A world in which the order's rule is met by units, and by its condition where that is wanted.

    `short` leaves out the units that the rule asks to be usable.
    """
    pool = facts.config.pool(order.pool)
    places = facts.places(pool) if pool is not None else (None,)
    named = tuple((order.id, place, True) for place in places) if order.eligible.conditions and conditions else ()
    stock = facts.world().stock
    for item, amount in order.eligible.below:
        stock = _at_most(stock, item, amount - 1)
    if short:
        lacking = {item for item, _ in order.eligible.usable}
        stock = tuple(each for each in stock if each[0] not in lacking)
    else:
        stock += tuple(_missing(facts, stock, order))
    return facts.world()._replace(stock=stock, eligible=named)


def _at_most(stock: Stock, item: str, most: int) -> Stock:
    """The stock with no more than so many units of an item, over all sources."""
    kept, left = [], most
    for name, amount, source in stock:
        taken = min(amount, left) if name == item else amount
        left -= taken if name == item else 0
        if taken:
            kept.append((name, taken, source))
    return tuple(kept)


def _missing(facts: Facts, stock: Stock, order: StandingOrder) -> Iterator[tuple[str, int, str]]:
    """Units that the rule asks for and that are not there, where the order's job would take them from."""
    pool = facts.config.pool(order.pool)
    place = pool.places[0] if pool is not None and pool.places else None
    sources = dict(facts.tables.sources(order.job, place)) if order.job in facts.tables.jobs else {}
    for item, amount in order.eligible.usable:
        source = sources.get(item, ELSEWHERE)
        there = sum(each[1] for each in stock if (each[0], each[2]) == (item, source))
        if there < amount:
            yield item, amount - there, source


# -- slots -----------------------------------------------------------------------------------------------------------


def request_at(
    p: Pilot, spot: Spot, fields: dict[str, int | str] | None = None, pause: bool = False, job: str | None = None
) -> str:
    """A request that belongs to the spot's place; where a rule chooses the place, others may come before it."""
    for _ in range(TRIES_MAX):
        run = p.request(job or spot.job, spot.pool.id, spot.place, fields, pause=pause)
        if p.run(run).place == spot.place:
            return run
        if spot.pool.assignment != "round-robin":
            # Full places send the next request on.
            close(p, spot._replace(place=p.run(run).place))
    raise NotConstructible(f"no request is assigned to {spot.place}")


def holders(p: Pilot, spot: Spot) -> tuple[str, ...]:
    """The runs that hold a working slot at the spot, in order of request."""
    return tuple(run.id for run in p.state.runs if run.working_slot is not None and _is_at(run, spot))


def _is_at(run: Run, spot: Spot) -> bool:
    return (run.pool, run.place) == (spot.pool.id, spot.place)


def keeps_slots(facts: Facts, pool: Pool) -> bool:
    """Whether a started run keeps its slot when nothing else is done."""
    return facts.has_work or (pool.releases_at == "delivered" and facts.config.on_collection)


def occupy(p: Pilot, spot: Spot, waiting: int = 1) -> None:
    """No working slot is left: runs take them, or their workers go where no run keeps one.

    Runs are left out too where they would reserve the room of those that are to wait.
    """
    most = admitted_most(p.facts, spot)
    for _ in range(TRIES_MAX):
        free = p.free_slots(spot.pool.id, spot.place)
        if free == 0:
            return
        fits = most is None or _admitted(p, spot) + waiting < most
        if keeps_slots(p.facts, spot.pool) and fits:
            request_at(p, spot)
        if p.free_slots(spot.pool.id, spot.place) >= free:
            stop_worker(p, spot)
    raise NotConstructible(f"the slots of {spot.pool.id} cannot be filled")


def _admitted(p: Pilot, spot: Spot) -> int:
    return sum(1 for run in p.state.runs if run.reserved and _is_at(run, spot))


def stop_worker(p: Pilot, spot: Spot) -> None:
    """The worker of an idle slot goes."""
    busy = {p.run(run).working_slot for run in holders(p, spot)}
    gone = {each.slot for each in p.state.outages if (each.pool, each.place) == (spot.pool.id, spot.place)}
    idle = (at + 1 for at in range(spot.pool.working) if at not in busy and at + 1 not in gone)
    p.send(e.WorkerStop(spot.pool.id, next(idle), spot.place))


def free_one(p: Pilot, spot: Spot) -> None:
    """One working slot becomes free: a worker comes back, or a run that holds one ends."""
    for each in p.state.outages:
        if (each.pool, each.place) == (spot.pool.id, spot.place):
            p.send(e.WorkerReady(each.pool, each.slot, each.place))
            return
    held = holders(p, spot)
    require(bool(held), "no run holds a slot that could be freed")
    p.until(gave_back(held[0]))


def gave_back(run: str) -> Goal:
    """The run holds no working slot any more."""

    def goal(seen: Seen) -> bool:
        found = seen.run(run)
        return found is not None and found.working_slot is None

    return goal


def close(p: Pilot, spot: Spot) -> None:
    """The workers of every idle slot of a place go."""
    while p.free_slots(spot.pool.id, spot.place) > 0:
        stop_worker(p, spot)


def drain_at(p: Pilot, spot: Spot) -> None:
    """Another rule uses every usable unit that the spot's job takes there."""
    usable = dict(zip(p.state.keys, p.state.stock, strict=True))
    for unit in p.facts.tables.sources(spot.job, spot.place):
        if usable.get(unit):
            p.send(e.Use(unit[0], usable[unit], unit[1]))


def at_the_gate(p: Pilot, spot: Spot) -> str:
    """A run that the finish gate stopped: what it takes, or its room, is gone before it gets there."""
    job = p.facts.tables.jobs[spot.job]
    run = request_at(p, spot, pause=True)
    if p.config.timing == "taken-at-finish" and any(need.amount for need in job.needs):
        drain_at(p, spot)
    else:
        p.fill_room(run)
    p.send(e.Admit(run))
    p.until(in_state(run, "stopped"), using=("tick",))
    return run


def stop_run(p: Pilot, run: str) -> str:
    """Bring a working run to a stop without a slot; returns the cause that `clear` takes away again."""
    for row in p.config.interruptions:
        p.stop(run, row.id)
        return row.id
    for failure in recoverable(p.facts):
        if p.model.step(p.state, e.Fail(run, failure.id)).refused is None:
            p.fail(run, failure.id)
            return "failure-recovery"
    p.stop(run, "unable-to-advance")
    return "unable-to-advance"


def working_run(p: Pilot, spot: Spot, fields: dict[str, int | str] | None = None) -> str:
    """A run that works at the spot."""
    run = request_at(p, spot, fields)
    p.until(in_state(run, "working"))
    return run
