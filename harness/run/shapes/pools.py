"""How a pool's offers, releases and terminal states are constructed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Pool
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape, in_state, reported
from harness.run.plan import Impossible
from harness.run.shapes.pools_common import (
    NOT_COVERED,
    Recipe,
    Spot,
    attempt,
    can_deliver,
    can_rest_finished,
    can_start,
    can_succeed,
    first_spot,
    gated,
    one_output,
    pass_to,
    polled_collections,
    reach,
    require,
    row_pool,
    shape_in,
    spots,
    starts_nothing,
    taken_at_once,
    two_fit,
    works,
)
from harness.run.shapes.pools_contend import (
    contend,
    displace,
    need_is_met,
    reason_clears,
    seats,
    slotless_end,
    stop_in_turn,
    stopped_first,
)
from harness.run.shapes.pools_slots import (
    at_the_gate,
    can_stop,
    free_one,
    holders,
    occupy,
    request_at,
    stop_run,
    working_run,
)
from harness.run.shapes.registry import shapes


@shapes("work-limit-offers-room-and-releases-counts")
def offers_and_releases(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Slots that become free, causes that clear, every way to end, and success."""
    assert row is not None
    pool = row_pool(facts, row.id)
    spot = first_spot(facts, pool, can_start)
    if not facts.forms_of(pool.id):
        yield Impossible(NOT_COVERED)
        return
    if spot is None:
        yield Impossible(starts_nothing(pool), (0, 1, 3))
        yield from _ends_in_waiting(facts, pool)
        return
    yield from _offered(facts, spot)
    yield from _displaced(facts, spot)
    yield from _ended(facts, spot)
    yield from success(facts, pool, (0, 2, 3) if can_deliver(facts, spot) else (0, 3), (3,))


# -- offers ----------------------------------------------------------------------------------------------------------


def _offered(facts: Facts, spot: Spot) -> Iterator[Shape | Impossible]:
    found = False
    if spot.pool.waiting != 0:
        found = True
        yield shape_in(facts, "a waiting run and a slot that becomes free", partial(_wait_then_free, spot=spot), (0,))
    if two_fit(facts, spot) and seats(facts, spot) == 2:
        found = True
        yield shape_in(facts, "two that could take a freed slot", partial(contend, spot=spot), (0,))
    if can_stop(facts, spot):
        found = True
        yield shape_in(facts, "a stopped run whose cause clears", partial(_stop_and_clear, spot=spot), (0,))
    for name, build in _behind_a_reason(facts, spot):
        if spot.pool.waiting != 0 and works(facts, build):
            yield shape_in(facts, name, build, (0,))
    if not found:
        reason = f"no job of {spot.pool.id} is admitted without a working slot: none may wait, and nothing stops one"
        yield Impossible(reason, (0,))


def _behind_a_reason(facts: Facts, spot: Spot) -> Iterator[tuple[str, Recipe]]:
    """Runs that could not use a slot, or stand behind one that could not, and then can."""
    yield "a stopped run before one that waits", partial(stopped_first, spot=spot)
    yield "a waiting run whose units come", partial(reason_clears, spot=spot)
    jobs = facts.jobs_of(spot.pool.id)
    links = (link for row in facts.config.dependents for link in row.links)
    for link in [link for link in links if link.job in jobs][:1]:
        yield "a waiting run whose need is met", partial(need_is_met, spot=spot, job=link.job, need=link.needs[0])


def _wait_then_free(p: Pilot, spot: Spot) -> None:
    occupy(p, spot)
    waiting = request_at(p, spot)
    reach(p, in_state(waiting, "waiting"))
    free_one(p, spot)
    require(p.run(waiting).state != "waiting", f"{waiting} is not offered the slot")


def _stop_and_clear(p: Pilot, spot: Spot) -> None:
    run = working_run(p, spot)
    cause = stop_run(p, run)
    p.clear(run, cause)
    reach(p, in_state(run, "working", "finished", "delivered"))


# -- the order of stopped runs ---------------------------------------------------------------------------------------


def _displaced(facts: Facts, spot: Spot) -> Iterator[Shape | Impossible]:
    if not facts.config.interruptions:
        return
    if not facts.has_work:
        yield Impossible("no job works: no instruction stops one", (1,))
        return
    if not two_fit(facts, spot):
        yield Impossible(one_output(spot), (1,))
        return
    yield shape_in(facts, "two runs that stop one after the other", partial(stop_in_turn, spot=spot), (1,))
    yield shape_in(facts, "a run and the run that displaced it, both stopped", partial(displace, spot=spot), (1,))


# -- ends ------------------------------------------------------------------------------------------------------------


def _ended(facts: Facts, spot: Spot) -> Iterator[Shape | Impossible]:
    states = _reachable(facts, spot)
    found = can_deliver(facts, spot)
    for row in facts.config.cancellations[:1]:
        for state in ("working", "waiting", "stopped"):
            if state in states:
                found = True
                yield _end(facts, spot, f"canceled while {state}", state, e.Cancel("", row))
    for row in facts.config.cancellations[:1] if "stopped" in states else ():
        build = partial(slotless_end, spot=spot, event=e.Cancel("", row))
        if works(facts, build):
            yield shape_in(facts, "canceled while stopped, its slot taken", build, (2,))
    for failure in facts.config.failures:
        if failure.ruined and failure.from_state in states:
            found = True
            yield _end(facts, spot, f"ruined by {failure.id}", failure.from_state, e.Fail("", failure.id))
    if not found:
        yield Impossible(f"no job of {spot.pool.id} is ever canceled, ruined or delivered", (2,))


def _ends_in_waiting(facts: Facts, pool: Pool) -> Iterator[Shape | Impossible]:
    """Ends in a pool without working slots: only a waiting run holds a slot there."""
    spot = next(spots(facts, pool))
    rows = facts.config.cancellations[:1]
    if pool.working or pool.waiting == 0 or not rows:
        yield Impossible(f"no run of {pool.id} ever holds a slot when it ends", (2,))
        return
    yield _end(facts, spot, "canceled while waiting", "waiting", e.Cancel("", rows[0]))


def _reachable(facts: Facts, spot: Spot) -> tuple[str, ...]:
    """The states in which a run of the spot can be found between two events, among those that can end."""
    found = ["waiting"] if spot.pool.waiting != 0 else []
    if facts.has_work:
        found.append("working")
    if can_stop(facts, spot) or gated(facts, spot):
        found.append("stopped")
    if can_rest_finished(facts, spot):
        found.append("finished")
    return tuple(found)


def _end(facts: Facts, spot: Spot, name: str, state: str, event: e.Cancel | e.Fail) -> Shape:
    held = state == "finished" and not facts.config.on_collection
    build = partial(_bring_and_end, spot=spot, state=state, event=event)
    return shape_in(facts, name, build, (2,), "none" if held else "full")


def _bring_and_end(p: Pilot, spot: Spot, state: str, event: e.Cancel | e.Fail) -> None:
    if state == "waiting":
        occupy(p, spot)
    if state == "stopped" and gated(p.facts, spot):
        run = at_the_gate(p, spot)
    elif state == "stopped":
        run = working_run(p, spot)
        stop_run(p, run)
    elif state == "finished" and taken_at_once(p.facts):
        run = _left_finished(p, spot)
    else:
        run = working_run(p, spot) if state == "working" else request_at(p, spot)
    if p.run(run).ended:
        # A standing order's run is there in its place.
        reach(p, lambda seen: any(each.state == state for each in seen.state.runs))
        run = next(each.id for each in p.state.runs if each.state == state)
    reach(p, in_state(run, state))
    p.send(event._replace(run=run))


def _left_finished(p: Pilot, spot: Spot) -> str:
    """A finished run whose output no tick has taken: made by another event, or one more than a tick takes."""
    if gated(p.facts, spot):
        run = at_the_gate(p, spot)
        p.supply_for(run)
        if p.run(run).state == "stopped":
            p.make_room(run)
        return run
    made = [working_run(p, spot) for _ in range(polled_collections(p.facts) + 1)]
    reach(p, in_state(made[-1], "finished"))
    return made[-1]


# -- success ---------------------------------------------------------------------------------------------------------


def success(
    facts: Facts, pool: Pool, bears_on: tuple[int, ...], missing: tuple[int, ...] | None
) -> Iterator[Shape | Impossible]:
    """A run that succeeds, with another one waiting for its slot where one may wait."""
    spot = first_spot(facts, pool, can_succeed)
    if spot is None:
        what = "delivered" if pool.releases_at == "delivered" else "finished"
        yield Impossible(f"no job of {pool.id} can ever be {what}: no output finds room", missing)
        return
    yield shape_in(facts, "a success and the slot that it frees", partial(_succeed, spot=spot), bears_on)
    if any(order.pool == pool.id for order in facts.config.standing_orders):
        build = partial(_succeed, spot=spot, alone=True)
        yield shape_in(facts, "a success, and a slot left free for standing orders", build, bears_on)


def _succeed(p: Pilot, spot: Spot, alone: bool = False) -> None:
    run = request_at(p, spot)
    if not alone and spot.pool.waiting != 0 and p.facts.has_work and two_fit(p.facts, spot):
        occupy(p, spot)
        request_at(p, spot)
    goal = "job-delivered" if can_deliver(p.facts, spot) else "job-finished"
    if p.run(run).ended and holders(p, spot):
        run = holders(p, spot)[0]
    if p.run(run).state != "delivered":
        attempt(p, lambda p: pass_to(p, reported(goal, run)), lambda p: reach(p, reported(goal)))


@shapes("pool-releases-at-finished", "pool-releases-at-delivered")
def releases(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A success, as far as the transition that the row selects."""
    assert row is not None
    pool = row_pool(facts, row.id)
    if not facts.forms_of(pool.id):
        yield Impossible(NOT_COVERED)
    elif first_spot(facts, pool, can_start) is None:
        yield Impossible(starts_nothing(pool))
    else:
        yield from success(facts, pool, (0, 1), None)
