"""Scripts that take, keep and free the working slots of one pool at one place."""

from __future__ import annotations

from functools import partial

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.state import Run
from harness.run.facts import Facts
from harness.run.goals import Goal, Seen, in_state
from harness.run.pilot import NotConstructible, Pilot
from harness.run.shapes.pools_common import (
    PASSING,
    TRIES_MAX,
    Spot,
    admitted_most,
    can_start,
    keeps_slots,
    reach,
    recoverable,
    require,
    works,
)


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
        if most is not None and spot.pool.assignment == "first-free":
            for place in spot.pool.places:
                close(p, spot._replace(place=place))
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
    reach(p, gave_back(held[0]))


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
    p.until(lambda seen: any(_is_gated(each, spot) for each in seen.state.runs), using=PASSING)
    return next(each.id for each in p.state.runs if _is_gated(each, spot))


def _is_gated(run: Run, spot: Spot) -> bool:
    return run.stop == "finish-gate" and _is_at(run, spot)


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
    """A run that works at the spot: a new one, or one that a standing order made where no other is admitted."""
    run = request_at(p, spot, fields)
    working = [each for each in holders(p, spot) if p.run(each).state == "working"]
    if p.run(run).ended and working:
        return working[0]
    reach(p, in_state(run, "working"))
    return run


def admitted_run(p: Pilot, job: str) -> str:
    """A run of the job; one that a standing order made, where that leaves no slot for another."""
    run = p.request(job)
    if not p.run(run).ended:
        return run
    return next((each.id for each in p.state.runs if each.working_slot is not None), run)


def clear_way(p: Pilot, spot: Spot) -> None:
    """A slot is free to begin with: a run that a standing order put there is stopped."""
    if p.free_slots(spot.pool.id, spot.place) or not holders(p, spot):
        return
    # Not for want of units: what follows needs them.
    if p.facts.has_work and (p.config.interruptions or firing(p.facts, spot)):
        stop_run(p, holders(p, spot)[0])


# -- what stops a run


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
