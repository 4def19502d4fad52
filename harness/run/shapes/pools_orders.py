"""How the waiting order of a pool is constructed: two that could take a slot, and one that must wait behind another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import at_place
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.pools_common import (
    NOT_COVERED,
    Recipe,
    Spot,
    attempt,
    can_start,
    first_spot,
    one_output,
    reach,
    require,
    row_pool,
    shape_in,
    starts_nothing,
    two_fit,
    works,
)
from harness.run.shapes.pools_contend import (
    contend,
    displace,
    newest_first,
    ranked,
    ranks,
    recover_and_contend,
    seats,
    stopped_first,
)
from harness.run.shapes.pools_slots import (
    can_stop,
    clear_way,
    firing,
    gave_back,
    holders,
    request_at,
    stop_run,
    working_run,
)
from harness.run.shapes.registry import shapes

Starve = Callable[[Pilot, str], None]
# Work points at which a stop is tried; longer work is walked in no more steps than this.
TICKS_MAX = 12


@shapes("request-order-pool-offers-in-admission-order", "game-rule-pool-offers-in-cited-order")
def orders(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Two runs that a freed slot could go to, displaced ones, and a request behind an earlier run."""
    assert row is not None
    pool = row_pool(facts, row.id)
    spot = first_spot(facts, pool, can_start)
    if not facts.forms_of(pool.id) or spot is None:
        yield Impossible(starts_nothing(pool) if facts.forms_of(pool.id) else NOT_COVERED)
        return
    if not two_fit(facts, spot):
        yield Impossible(one_output(spot))
        return
    yield from _contested(facts, spot)
    yield from _behind(facts, spot)


# -- two that could take the slot ----------------------------------------------------------------------------------


def _contested(facts: Facts, spot: Spot) -> Iterator[Shape | Impossible]:
    if seats(facts, spot) < 2:
        reason = f"no two jobs of {spot.pool.id} can be admitted without a working slot at one time"
        yield Impossible(reason, (0,))
        return
    yield shape_in(facts, "two that could take the slot", partial(contend, spot=spot), (0,))
    for failure in firing(facts, spot)[:1] if spot.pool.waiting != 0 else ():
        build = partial(recover_and_contend, spot=spot, failure=failure.id)
        yield shape_in(facts, "a recovered run and one that waits", build, (0,))
    build = partial(stopped_first, spot=spot)
    if spot.pool.waiting != 0 and works(facts, build):
        yield shape_in(facts, "a stopped run before one that waits", build, (0,))
    rank = ranks(spot.pool, facts)
    if facts.config.interruptions and facts.has_work and not rank.late:
        build = partial(displace, spot=spot, first=rank.first, second=rank.last)
        yield shape_in(facts, "a run and the run that displaced it", build, (0,))


# -- a request behind an earlier run ---------------------------------------------------------------------------------


def _behind(facts: Facts, spot: Spot) -> Iterator[Shape | Impossible]:
    pool = spot.pool
    if pool.waiting == 0:
        yield Impossible(f"the waiting limit of {pool.id} is 0: no request enters waiting", (1,))
        return
    if newest_first(pool):
        yield Impossible(f"the order of {pool.id} places each newcomer first", (1,))
        return
    recipes = list(_recipes(facts, spot))
    if not recipes:
        reason = f"whoever is admitted in {pool.id} lacks nothing but a slot: none stands there while a slot is free"
        yield Impossible(reason, (1,))
        return
    build = partial(_first_that_works, recipes=recipes)
    yield shape_in(facts, "a request behind an earlier run, beside a free slot", build, (1,))


def _first_that_works(p: Pilot, recipes: list[Recipe]) -> None:
    attempt(p, *recipes)


def _recipes(facts: Facts, spot: Spot) -> Iterator[Recipe]:
    """Ways to leave an earlier run admitted while a slot is free, and to admit another behind it."""
    two_may_wait = spot.pool.waiting is None or spot.pool.waiting >= 2
    links = [(job, need) for job, need in _links(facts) if job in facts.jobs_of(spot.pool.id)]
    if two_may_wait:
        for job, need in links:
            yield partial(_behind_a_dependent, spot=spot, job=job, need=need)
        if facts.start_claim_can_fail and _tests_units(facts, spot):
            yield partial(_behind_a_hungry_one, spot=spot)
    for way in _starving(facts, spot):
        for job in (*_others(facts, spot), spot.job):
            yield partial(_behind_a_stopped_one, spot=spot, job=job, way=way)


def _links(facts: Facts) -> Iterator[tuple[str, str]]:
    for row in facts.config.dependents:
        for link in row.links:
            for need in link.needs[:1]:
                yield link.job, need


def _tests_units(facts: Facts, spot: Spot) -> bool:
    """Whether the start gate of the spot's job tests any unit."""
    p = Pilot(facts, facts.world(runs=0))
    return p.run(request_at(p, spot)).ended


def _starving(facts: Facts, spot: Spot) -> Iterator[Starve]:
    """Ways to leave a stopped run of the spot without what its resume must claim, tried at each of its work points.

    A later request must still be admitted: what is claimed whole at the request needs a job that takes other units.
    """
    timing = facts.config.timing
    if not can_stop(facts, spot) or not facts.has_inputs or timing in (None, "taken-at-finish"):
        return
    if timing == "taken-at-request" and not _others(facts, spot):
        return
    ways: list[Starve] = [partial(_stop_and_starve, ticks=ticks) for ticks in range(TICKS_MAX)]
    ways += [partial(_fail_and_starve, failure=row.id) for row in firing(facts, spot) if row.loses]
    for way in ways:
        if works(facts, partial(_work_and_starve, spot=spot, way=way)):
            yield way
            return


def _work_and_starve(p: Pilot, spot: Spot, way: Starve) -> None:
    clear_way(p, spot)
    way(p, working_run(p, spot))


def _others(facts: Facts, spot: Spot) -> tuple[str, ...]:
    """Other jobs of the pool that take none of the units that the spot's job takes."""
    mine = set(_units(facts, spot.job, spot.place))
    found = facts.jobs_of(spot.pool.id)
    return tuple(job for job in found if job != spot.job and not mine.intersection(_units(facts, job, spot.place)))


def _units(facts: Facts, job: str, place: str | None) -> Iterator[tuple[str, str]]:
    return ((need.item, at_place(need.source, place)) for need in facts.tables.jobs[job].needs if need.amount)


def _behind_a_dependent(p: Pilot, spot: Spot, job: str, need: str) -> None:
    """The earlier run waits for another one that has only been requested; the later one needs none."""
    rank = ranks(spot.pool, p.facts)
    clear_way(p, spot)
    other = next((each for each in p.facts.jobs_of(spot.pool.id) if each != job), job)
    later = ranked(p, spot, rank.last, rank.late, pause=True, job=other)
    p.request(need, pause=True)
    earlier = ranked(p, spot, rank.first, rank.late, job=job)
    require(p.run(earlier).state == "waiting", f"{earlier} does not wait for {need}")
    _admit_behind(p, spot, later)


def _behind_a_hungry_one(p: Pilot, spot: Spot) -> None:
    """The earlier run waits for units that were used while its admission was paused."""
    rank = ranks(spot.pool, p.facts)
    clear_way(p, spot)
    other = next(iter(_others(p.facts, spot)), spot.job)
    earlier = ranked(p, spot, rank.first, rank.late, pause=True)
    later = ranked(p, spot, rank.last, rank.late, pause=True, job=other)
    p.drain(earlier)
    _give_room(p, spot, earlier)
    p.send(e.Admit(earlier))
    require(p.run(earlier).state == "waiting", f"{earlier} does not wait for units")
    _admit_behind(p, spot, later)


def _give_room(p: Pilot, spot: Spot, run: str) -> None:
    """Room that standing orders' runs reserved or filled is given back, so that it is there for two more."""
    capacity = (
        p.facts.tables.capacities.get(p.destination(run)) if p.config.output_full == "wait-before-start" else None
    )
    if capacity is None:
        return
    for each in holders(p, spot):
        reach(p, gave_back(each))
    reserved = (p.facts.tables.jobs[each.job].size for each in p.state.runs if each.reserved)
    p.room(run, max(0, capacity - sum(reserved)))


def _behind_a_stopped_one(p: Pilot, spot: Spot, job: str, way: Starve) -> None:
    """The earlier run is stopped without causes: what its resume must claim is gone."""
    rank = ranks(spot.pool, p.facts)
    clear_way(p, spot)
    earlier = working_run(p, spot, None if rank.late else rank.first)
    later = ranked(p, spot, rank.last, rank.late, pause=True, job=job)
    way(p, earlier)
    _admit_behind(p, spot, later)


def _stop_and_starve(p: Pilot, run: str, ticks: int) -> None:
    for _ in range(ticks):
        p.tick()
    cause = stop_run(p, run)
    p.drain(run)
    p.clear(run, cause)
    require(p.run(run).state == "stopped" and not p.run(run).causes, f"{run} is not left without causes")


def _fail_and_starve(p: Pilot, run: str, failure: str) -> None:
    p.fail(run, failure)
    p.drain(run)
    p.recover(run)
    require(p.run(run).state == "stopped" and not p.run(run).causes, f"{run} is not left without causes")


def _admit_behind(p: Pilot, spot: Spot, run: str) -> None:
    """Admit the paused request, with a slot free: it must not start at once."""
    if p.free_slots(spot.pool.id, spot.place) == 0 and holders(p, spot):
        reach(p, gave_back(holders(p, spot)[0]))
    require(p.free_slots(spot.pool.id, spot.place) > 0, "no slot is free")
    transition = p.send(e.Admit(run))
    waits = [row for row in transition.rows if row.log == "report-log" and row.data["report"] == "job-waiting"]
    require(any("earlier-job-first" in row.data["causes"] for row in waits), f"{run} does not wait behind another")
