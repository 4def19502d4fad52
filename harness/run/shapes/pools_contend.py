"""Scripts in which two runs stand in a pool's order for one slot: ranked by its cited fields, or one displaced."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Pool
from harness.models.lifecycle.state import RECOVERY
from harness.run.facts import Facts
from harness.run.goals import in_state
from harness.run.pilot import Pilot
from harness.run.shapes.pools_common import Spot, attempt, reach, require
from harness.run.shapes.pools_slots import (
    can_stop,
    clear_way,
    close,
    drain_at,
    firing,
    free_one,
    holders,
    occupy,
    request_at,
    stop_run,
    working_run,
)

Given = dict[str, int | str]


class Ranks(NamedTuple):
    """Field values that the order places first and last; `late` where they can only be set after the request."""

    first: Given
    last: Given
    late: bool


def ranks(pool: Pool, facts: Facts) -> Ranks:
    """Values of the first cited field; none where the order is that of admission."""
    key = pool.order[0] if pool.order else None
    if key is None or key.field == "admission":
        return Ranks({}, {}, False)
    covering = {name for each in facts.pools for name, _ in each.covers.fields}
    high, low = (2, 1) if key.descending else (1, 2)
    return Ranks({key.field: high}, {key.field: low}, key.field in covering)


def ranked(p: Pilot, spot: Spot, rank: Given, late: bool, pause: bool = False, job: str | None = None) -> str:
    """A request with these field values; where coverage reads the field, they are set after it."""
    run = request_at(p, spot, None if late else rank, pause=pause, job=job)
    if late and rank and not p.run(run).ended:
        p.send(e.SetFields(run, tuple(sorted(rank.items()))))
    return run


def newest_first(pool: Pool) -> bool:
    """Whether the order always places a newcomer before whoever was admitted."""
    return bool(pool.order) and pool.order[0].field == "admission" and pool.order[0].descending


# -- two that could take the slot ----------------------------------------------------------------------------------


def seats(facts: Facts, spot: Spot) -> int:
    """How many runs can stand in the order at once and be eligible, two at the most."""
    if spot.pool.waiting is None or spot.pool.waiting >= 2:
        return 2
    if can_stop(facts, spot) and (facts.config.interruptions or firing(facts, spot) or spot.pool.working >= 2):
        return 2
    return spot.pool.waiting + (1 if can_stop(facts, spot) else 0)


def contend(p: Pilot, spot: Spot) -> None:
    """Two runs that one slot could go to, whichever way leaves them without one."""
    attempt(p, partial(_contend_by_causes, spot=spot), partial(contend_starved, spot=spot))


def _contend_by_causes(p: Pilot, spot: Spot) -> None:
    """Two runs admitted in one order and ranked in the other, with no slot left; then one becomes free."""
    waiting = 2 if spot.pool.waiting is None else min(2, spot.pool.waiting)
    rank = ranks(spot.pool, p.facts)
    values = (rank.last, rank.first)
    clear_way(p, spot)
    stopped = [_stopped(p, spot, values[at], rank.late) for at in range(2 - waiting)]
    occupy(p, spot, waiting)
    for at in range(2 - waiting, 2):
        reach(p, in_state(ranked(p, spot, values[at], rank.late), "waiting"))
    for run, cause in stopped:
        _let_wait(p, run, cause)
    free_one(p, spot)


def contend_starved(p: Pilot, spot: Spot) -> None:
    """The same where units alone stop a run: one stops for want of them, one waits for them, and they come back."""
    rank = ranks(spot.pool, p.facts)
    later = ranked(p, spot, rank.first, rank.late, pause=True)
    earlier = ranked(p, spot, rank.last, rank.late)
    reach(p, in_state(earlier, "working"))
    drain_at(p, spot)
    reach(p, in_state(earlier, "stopped"))
    close(p, spot)
    p.send(e.Admit(later))
    p.supply_for(earlier, 3)
    require(p.run(later).state == "waiting" and not p.run(earlier).causes, "no two runs could take a slot")
    free_one(p, spot)


def _stopped(p: Pilot, spot: Spot, rank: Given, late: bool) -> tuple[str, str]:
    run = ranked(p, spot, rank, late)
    reach(p, in_state(run, "working"))
    return run, stop_run(p, run)


def _let_wait(p: Pilot, run: str, cause: str) -> None:
    """The cause of a stopped run clears while no slot is free."""
    p.clear(run, cause)
    require(p.run(run).state == "stopped", f"{run} resumes although no slot was left")


def recover_and_contend(p: Pilot, spot: Spot, failure: str) -> None:
    """A run that failed and recovered keeps its rank: it stands before one that waits and ranks lower."""
    clear_way(p, spot)
    rank = ranks(spot.pool, p.facts)
    failed = ranked(p, spot, rank.first, rank.late)
    reach(p, in_state(failed, "working"))
    p.fail(failed, failure)
    occupy(p, spot)
    reach(p, in_state(ranked(p, spot, rank.last, rank.late), "waiting"))
    _let_wait(p, failed, RECOVERY)
    free_one(p, spot)


def stopped_first(p: Pilot, spot: Spot) -> None:
    """A stopped run stands in the order before one that waits, both want the slot that becomes free."""
    stopped, cause = _slotless(p, spot)
    reach(p, in_state(request_at(p, spot), "waiting"))
    _let_wait(p, stopped, cause)
    free_one(p, spot)
    require(p.run(stopped).state != "stopped", f"{stopped} does not resume first")


def slotless_end(p: Pilot, spot: Spot, event: e.Cancel | e.Fail) -> None:
    """A stopped run, whose slot another one took, ends without any."""
    stopped, _ = _slotless(p, spot)
    require(bool(holders(p, spot)), "no other run took the slot")
    p.send(event._replace(run=stopped))


def _slotless(p: Pilot, spot: Spot) -> tuple[str, str]:
    """A stopped run and its cause, with every slot taken."""
    clear_way(p, spot)
    stopped = working_run(p, spot)
    cause = stop_run(p, stopped)
    occupy(p, spot)
    return stopped, cause


def reason_clears(p: Pilot, spot: Spot) -> None:
    """A run waits for units beside a free slot, and they come."""
    occupy(p, spot)
    waiting = request_at(p, spot)
    reach(p, in_state(waiting, "waiting"))
    drain_at(p, spot)
    free_one(p, spot)
    require(p.run(waiting).state == "waiting", f"{waiting} lacks nothing")
    p.supply_for(waiting)
    require(p.run(waiting).state != "waiting", f"{waiting} is not offered the slot")


def need_is_met(p: Pilot, spot: Spot, job: str, need: str) -> None:
    """A run waits for another job, which then finishes."""
    needed = p.request(need)
    waiting = request_at(p, spot, job=job)
    reach(p, in_state(waiting, "waiting"))
    reach(p, in_state(needed, "finished", "delivered"))
    # A pool that frees at delivered keeps the slot until then.
    reach(p, in_state(waiting, "working", "finished", "delivered"))


# -- displacement --------------------------------------------------------------------------------------------------


def displace(p: Pilot, spot: Spot, first: Given | None = None, second: Given | None = None) -> None:
    """A run is displaced by one that stops after it; resumed, its offer shows who stands before whom."""
    clear_way(p, spot)
    cause = p.config.interruptions[0].instructions[0]
    displaced = working_run(p, spot, first)
    p.send(e.Instruct(displaced, cause))
    displacer = working_run(p, spot, second)
    p.send(e.Instruct(displaced, cause, displacer))
    p.send(e.Instruct(displacer, cause))
    p.clear(displaced, p.config.interruptions[0].id)
    require(p.run(displaced).state != "stopped", f"{displaced} does not resume")


def stop_in_turn(p: Pilot, spot: Spot) -> None:
    """Two runs stop one after the other, and the later one resumes: its offer shows the moments of both stops."""
    clear_way(p, spot)
    cause = p.config.interruptions[0]
    for _ in range(2):
        run = working_run(p, spot)
        p.send(e.Instruct(run, cause.instructions[0]))
    p.clear(run, cause.id)
    require(p.run(run).state != "stopped", f"{run} does not resume")
