"""How scans of a standing order are constructed: at the opening, at eligibility, and after a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Pool, StandingOrder
from harness.run.facts import Facts
from harness.run.goals import Goal, Seen
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.pools_common import (
    Spot,
    attempt,
    can_overfill,
    can_succeed,
    eligible_world,
    first_spot,
    quiet,
    reach,
    require,
    row_pool,
    shape_in,
)
from harness.run.shapes.pools_slots import drain_at, gave_back, occupy, request_at
from harness.run.shapes.registry import shapes


@shapes("standing-order-scans-are-level-triggered")
def scans(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """An eligible row at the opening, a row that becomes eligible, and a refused request."""
    assert row is not None
    order = next(each for each in facts.config.standing_orders if each.id == row.id)
    pool = row_pool(facts, order.pool)
    reason = _pointless(facts, order, pool)
    if reason is not None:
        yield Impossible(reason)
        return
    world = eligible_world(facts, order, conditions=True)
    yield Shape("eligible when the pool opens", partial(_open, order=order), world, open_pools=False)
    yield _turns(facts, order)
    spot = first_spot(facts, pool, lambda facts, spot: True)
    if spot is not None and (can_overfill(facts, spot) or _tests_units(facts, spot)):
        yield shape_in(facts, "a request that is refused", partial(_refuse, spot=spot), (0, 2))


def _pointless(facts: Facts, order: StandingOrder, pool: Pool) -> str | None:
    """Why the order's requests never reach its own pool."""
    if pool.working == 0:
        return f"{pool.id} has no working slot: no standing order ever requests there"
    if order.job not in facts.jobs_of(pool.id):
        return f"an earlier row covers the requests of {order.id}: they never belong to {pool.id}"
    return None


# -- opening and turning ----------------------------------------------------------------------------------------------


def _open(p: Pilot, order: StandingOrder) -> None:
    for pool in p.config.pools:
        p.open(pool.id)
    _look_again(p, order)


def _look_again(p: Pilot, order: StandingOrder) -> None:
    """Where a run of the order can succeed, its slot becomes free and the row is looked at once more."""
    pool = p.config.pool(order.pool)
    made = next((run for run in p.state.runs if run.by == order.id and run.working_slot is not None), None)
    if made is None or pool is None:
        return
    if can_succeed(p.facts, Spot(pool, made.place, made.job)):
        reach(p, gave_back(made.id))


def _turns(facts: Facts, order: StandingOrder) -> Shape:
    """The row is not eligible at first; then its condition is set, units arrive or go, or its open run ends."""
    name, rule = "becomes eligible", order.eligible
    if rule.conditions:
        world = eligible_world(facts, order, conditions=False)
        return Shape(name, partial(_set_condition, order=order), world)
    if rule.usable:
        world = eligible_world(facts, order, conditions=False, short=True)
        return Shape(name, partial(_supply, order=order), world)
    if rule.below:
        return Shape(name, partial(_use_up, order=order), quiet(facts))
    return Shape(name, partial(_ended_run, order=order), eligible_world(facts, order, conditions=True))


def _set_condition(p: Pilot, order: StandingOrder) -> None:
    pool = p.config.pool(order.pool)
    for place in p.facts.places(pool) if pool is not None else ():
        p.send(e.Eligible(order.id, True, place))
    _look_again(p, order)


def _supply(p: Pilot, order: StandingOrder) -> None:
    """Units arrive where the order's job takes them from, at each place."""
    pool = p.config.pool(order.pool)
    for place in p.facts.places(pool) if pool is not None else ():
        sources = dict(p.facts.tables.sources(order.job, place))
        for item, amount in order.eligible.usable:
            p.send(e.Supply(item, max(amount, _needed(p, order, item)) * 2, sources.get(item, _any_source(p, item))))
    _look_again(p, order)


def _needed(p: Pilot, order: StandingOrder, item: str) -> int:
    needs = p.facts.tables.jobs[order.job].needs
    return next((need.amount for need in needs if need.item == item), 0)


def _any_source(p: Pilot, item: str) -> str:
    found = next((source for name, source in p.state.keys if name == item), None)
    require(found is not None, f"no rule takes {item} from anywhere")
    return str(found)


def _use_up(p: Pilot, order: StandingOrder) -> None:
    for item, amount in order.eligible.below:
        stock = [(key, there) for key, there in zip(p.state.keys, p.state.stock, strict=True) if key[0] == item]
        left = amount - 1
        for (_, source), there in stock:
            kept = min(there, left)
            left -= kept
            if there > kept:
                p.send(e.Use(item, there - kept, source))
    _look_again(p, order)


def _ended_run(p: Pilot, order: StandingOrder) -> None:
    """A row that only its own open run keeps from being eligible: the run ends."""
    reach(p, _ended_by(order.id))


def _ended_by(order: str) -> Goal:
    def goal(seen: Seen) -> bool:
        made = [run for run in seen.state.runs if run.by == order]
        return any(run.state in ("delivered", "canceled", "failed") or run.ended for run in made)

    return goal


# -- a refusal --------------------------------------------------------------------------------------------------------


def _tests_units(facts: Facts, spot: Spot) -> bool:
    """Whether a request of this job can lack units."""
    p = Pilot(facts, facts.world(runs=0))
    return p.run(request_at(p, spot)).ended


def _refuse(p: Pilot, spot: Spot) -> None:
    """A request that is refused for its units, or because no more may wait."""
    attempt(p, partial(_refuse_for_units, spot=spot), partial(_refuse_for_room, spot=spot))


def _refuse_for_units(p: Pilot, spot: Spot) -> None:
    require(_tests_units(p.facts, spot), "no units are tested")
    drain_at(p, spot)
    require(p.run(request_at(p, spot)).ended, "the request is not refused")


def _refuse_for_room(p: Pilot, spot: Spot) -> None:
    most = spot.pool.waiting or 0
    occupy(p, spot, most + 1)
    for _ in range(most):
        request_at(p, spot)
    require(p.run(request_at(p, spot)).ended, "the request is not refused")
