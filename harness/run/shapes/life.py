"""How a run's ends are constructed: deliveries, refusals, and long random lives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.addresses import parse_address
from harness.contract.shapes import Row
from harness.models.lifecycle.config import Pool
from harness.models.lifecycle.model import World
from harness.run.facts import Facts
from harness.run.goals import in_state, reported
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.collection import NO_OUTPUT, accepted_job
from harness.run.shapes.pools_common import Spot, attempt, can_overfill, first_spot, quiet, reach, require, shape_in
from harness.run.shapes.pools_slots import admitted_run, free_one, occupy, request_at
from harness.run.shapes.registry import shapes

WALK_EVENTS = 40
# The seeds of the template, for an adoption that names none of its own.
SEEDS = ("audit-a", "audit-b")


# -- automatic delivery --------------------------------------------------------------------------------------------


@shapes("automatic-delivery-reports-once")
def delivered(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A delivery at the finish, and one that a full destination delays."""
    if facts.config.on_collection:
        yield Impossible("delivery-trigger answers on-collection")
        return
    job = accepted_job(facts)
    if job is None:
        yield Impossible(NO_OUTPUT)
        return
    yield Shape("delivered when finished", partial(_deliver, job=job), quiet(facts))
    rule = facts.tables.jobs[job]
    if facts.in_place or not facts.is_finite(rule):
        return
    if facts.can_hold_output and any(facts.config.redeliveries):
        yield Shape("delivered on a later attempt", partial(_redeliver, job=job), quiet(facts, room="none"))
    elif facts.config.output_full == "wait-until-space":
        yield Shape("delivered once there is room", partial(_wait_for_room, job=job), quiet(facts, room="none"))


def _deliver(p: Pilot, job: str) -> None:
    _until_delivered(p, admitted_run(p, job))


def _until_delivered(p: Pilot, run: str) -> None:
    """The run's delivery; any other, where standing orders are always before it."""
    attempt(p, lambda p: reach(p, in_state(run, "delivered")), lambda p: reach(p, reported("job-delivered")))


def _redeliver(p: Pilot, job: str) -> None:
    run = admitted_run(p, job)
    reach(p, in_state(run, "finished"))
    p.make_room(run)
    _until_delivered(p, run)


def _wait_for_room(p: Pilot, job: str) -> None:
    run = admitted_run(p, job)
    reach(p, in_state(run, "stopped"))
    p.make_room(run)
    _until_delivered(p, run)


# -- refused requests ------------------------------------------------------------------------------------------------


@shapes("rejection-ends-the-requested-run")
def refused(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Each refusal that can be had, its cause cleared afterwards, and the request made again."""
    found = list(_refusals(facts))
    yield from found
    if not found:
        yield Impossible("no request is ever refused: no units are tested, and no waiting limit is set")


def _refusals(facts: Facts) -> Iterator[Shape]:
    if _tests_units(facts):
        yield Shape("refused for its units", _missing_units, facts.world(runs=0))
        if facts.config.timing == "taken-at-request":
            yield shape_in(facts, "refused when a paused admission goes on", _gone_while_paused)
    for pool in facts.pools:
        if pool.waiting is not None and facts.forms_of(pool.id):
            spot = first_spot(facts, pool, can_overfill)
            if spot is not None:
                yield shape_in(facts, f"refused because no more may wait in {pool.id}", partial(_full, spot=spot))
            elif pool.working == 0:
                yield Shape(f"refused because none may wait in {pool.id}", partial(_no_slots, pool=pool), quiet(facts))


def _tests_units(facts: Facts) -> bool:
    """Whether a request for the main job can lack units."""
    p = Pilot(facts, facts.world(runs=0))
    return p.run(p.request()).ended


def _missing_units(p: Pilot) -> None:
    run = p.request()
    require(p.run(run).ended, "the request is not refused")
    p.supply_for(run, 2)
    p.tick()
    p.request(p.run(run).job, p.run(run).pool, p.run(run).place)


def _gone_while_paused(p: Pilot) -> None:
    run = p.request(pause=True)
    p.drain(run)
    p.until(reported("job-rejected", run), using=("admit",))
    p.supply_for(run, 2)
    p.tick()
    p.request(p.run(run).job, p.run(run).pool, p.run(run).place)


def _full(p: Pilot, spot: Spot) -> None:
    """The waiting limit is reached, one more is refused; then a slot becomes free, and it is asked again."""
    most = spot.pool.waiting or 0
    occupy(p, spot, most + 1)
    for _ in range(most):
        request_at(p, spot)
    run = request_at(p, spot)
    require(p.run(run).ended, "the request is not refused")
    free_one(p, spot)
    p.tick()
    request_at(p, spot)


def _no_slots(p: Pilot, pool: Pool) -> None:
    for _ in range((pool.waiting or 0) + 1):
        p.request(None, pool.id)
    p.tick()
    p.request(None, pool.id)


# -- random lives ----------------------------------------------------------------------------------------------------


@shapes("lifecycle-holds")
def random_lives(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """For each seed three walks: in plenty, in want, and with every standing order's condition met."""
    for seed in _seeds(facts):
        for name, world in _worlds(facts):
            text = f"{seed}/{name}"
            yield Shape(f"walk {text}", partial(_walk, seed=text), world)


def _seeds(facts: Facts) -> tuple[str, ...]:
    given = facts.adoption.inputs.get("lifecycle-holds", {}).get("seeds", SEEDS)
    return (given,) if isinstance(given, str) else tuple(str(each) for each in given)  # type: ignore[attr-defined]


def _worlds(facts: Facts) -> Iterator[tuple[str, World]]:
    yield "plenty", facts.world()
    yield "want", facts.world(runs=2, room="one")
    if facts.config.standing_orders:
        yield "orders", facts.world(eligible=True)


def _walk(p: Pilot, seed: str) -> None:
    p.walk(seed, WALK_EVENTS)


# -- what is read first ----------------------------------------------------------------------------------------------


@shapes("read-first-note-precedes-verification")
def first_result(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A first result, which the review must precede."""
    assert row is not None
    address = row.fields["read-first"]
    if parse_address(address, facts.adoption.sources).is_external:
        yield Impossible(f"{address} is external: recorded, not read")
    elif address not in facts.adoption.pins:
        yield Impossible(f"{address} has no pin: nobody has recorded a review of the passage")
    else:
        yield Shape("a first result", _first_request)


def _first_request(p: Pilot) -> None:
    p.request(must=False)
