"""Scripts that fill, empty and contend for the working slots of one pool at one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Config, Failure, JobRule, Pool, StandingOrder, at_place
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import Run
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot, in_state

TRIES_MAX = 16
# Where the units lie that keep a standing order from being eligible, when no job takes them from anywhere.
ELSEWHERE = "elsewhere"

Recipe = Callable[[Pilot], None]


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


# -- what an adoption allows ------------------------------------------------------------------------------------------


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


def can_stop(facts: Facts) -> bool:
    """Whether a working run can lose its slot without ending."""
    return facts.has_work and bool(facts.config.interruptions or facts.can_be_unable or recoverable(facts))


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


# -- worlds -----------------------------------------------------------------------------------------------------------


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


def _at_most(stock: tuple[tuple[str, int, str], ...], item: str, most: int) -> tuple[tuple[str, int, str], ...]:
    """The stock with no more than so many units of an item, over all sources."""
    kept, left = [], most
    for name, amount, source in stock:
        taken = min(amount, left) if name == item else amount
        left -= taken if name == item else 0
        if taken:
            kept.append((name, taken, source))
    return tuple(kept)


def _missing(facts: Facts, stock: tuple[tuple[str, int, str], ...], order: StandingOrder) -> Iterator[tuple[str, int, str]]:
    """Units that the rule asks for and that no job takes."""
    taken = {need.item for job in facts.config.jobs for need in job.needs}
    for item, amount in order.eligible.usable:
        if item not in taken:
            yield item, amount, ELSEWHERE


# -- slots --------------------------------------------------------------------------------------------------------------


def request_at(
    p: Pilot, spot: Spot, fields: dict[str, int | str] | None = None, pause: bool = False, job: str | None = None
) -> str:
    """A request that belongs to the spot's place; where a rule chooses the place, others may come before it."""
    for _ in range(TRIES_MAX):
        run = p.request(job or spot.job, spot.pool.id, spot.place, fields, pause=pause)
        if p.run(run).place == spot.place:
            return run
    raise NotConstructible(f"no request is assigned to {spot.place}")


def holders(p: Pilot, spot: Spot) -> tuple[str, ...]:
    """The runs that hold a working slot at the spot, in order of request."""
    return tuple(run.id for run in p.state.runs if run.working_slot is not None and _is_at(run, spot))


def _is_at(run: Run, spot: Spot) -> bool:
    return (run.pool, run.place) == (spot.pool.id, spot.place)


def keeps_slots(facts: Facts, pool: Pool) -> bool:
    """Whether a started run keeps its slot when nothing else is done."""
    return facts.has_work or (pool.releases_at == "delivered" and facts.config.on_collection)


def occupy(p: Pilot, spot: Spot) -> None:
    """No working slot is left: runs take them, or their workers go where no run keeps one."""
    for _ in range(TRIES_MAX):
        free = p.free_slots(spot.pool.id, spot.place)
        if free == 0:
            return
        if keeps_slots(p.facts, spot.pool):
            request_at(p, spot)
        if p.free_slots(spot.pool.id, spot.place) >= free:
            stop_worker(p, spot)
    raise NotConstructible(f"the slots of {spot.pool.id} cannot be filled")


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
    before = p.free_slots(spot.pool.id, spot.place)
    state = p.run(held[0])
    p.until(lambda seen: _gave_back(seen.state.run(state.id)) or p.model.slots is None, depth=8)
    require(before == 0, "a slot was free before")


def _gave_back(run: Run | None) -> bool:
    return run is None or run.working_slot is None


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
