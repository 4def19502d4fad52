"""What an adoption lets its pools do, and the worlds in which the scripts about pools play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Failure, JobRule, Pool, StandingOrder, at_place
from harness.models.lifecycle.model import World
from harness.run.facts import Facts
from harness.run.goals import Goal
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


# What the world does by itself or by a declared event: enough for most ends, and a small search.
PASSING = ("tick", "collect", "redeliver", "readmit", "admit")


def reach(p: Pilot, goal: Goal) -> None:
    """Let time pass until the goal, with other events only where time and declared retries don't bring it."""
    attempt(p, lambda p: pass_to(p, goal), lambda p: _search(p, goal))


def pass_to(p: Pilot, goal: Goal) -> None:
    """Let time pass until the goal."""
    p.until(goal, using=PASSING)


def _search(p: Pilot, goal: Goal) -> None:
    p.until(goal)


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
    if not facts.config.on_collection:
        return facts.can_hold_output
    return not taken_at_once(facts) or gated(facts, spot) or spot.pool.working > polled_collections(facts)


def polled_collections(facts: Facts) -> int:
    """How many collection rows look for an output in every tick; each takes one."""
    return sum(1 for row in facts.config.collections if row.polled)


def taken_at_once(facts: Facts) -> bool:
    """Whether an output that is made in a tick is collected within it."""
    return facts.has_work and polled_collections(facts) > 0


def keeps_slots(facts: Facts, pool: Pool) -> bool:
    """Whether a started run keeps its slot when nothing else is done."""
    return facts.has_work or (pool.releases_at == "delivered" and facts.config.on_collection)


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
    """The shape in the first world that lets its script come to its end.

    The worlds are: of plenty; of too few units for standing orders; without room until their requests are blocked.
    """
    tries = [(quiet(facts, room=room), build), (scarce(facts, room), build)]
    if facts.config.output_full == "wait-before-start" and room == "full":
        blocked = (quiet(facts, room="none"), partial(_once_blocked, build=build))
        # Orders without a condition would be first at the room: there this world is the likeliest.
        restless = any(not order.eligible.conditions for order in facts.config.standing_orders)
        tries.insert(0 if restless else len(tries), blocked)
    for world, script in tries:
        try:
            script(Pilot(facts, world))
        except (NotConstructible, NotFound):
            continue
        return Shape(name, script, world, clauses)
    return Shape(name, build, tries[0][0], clauses)


def _once_blocked(p: Pilot, build: Recipe) -> None:
    """Standing orders' requests found no room when their pools opened; then all room is given."""
    for each in p.config.destinations:
        if each.capacity is not None:
            p.send(e.Room(each.name, each.capacity))
    build(p)


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
