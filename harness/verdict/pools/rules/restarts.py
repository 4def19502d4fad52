"""Replacements against the clock: how many the window allows, and which times allow none."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.evidence import PoolEvidence, PoolWorld, Step
from harness.verdict.pools.facts import PoolFacts

LAST_TIME = 2**63 - 1
"""The last time that a clock of the laws tells."""

#: The kinds of numbers that a replacement takes.
_TAKES = ("birth", "recovery", "timer")


def replaced_in_time(e: PoolEvidence) -> Iterator[Part]:
    """A prepared replacement is made where the window and the clock allow one, and only there."""
    if not e.pool.replaces:
        yield nothing("workers of this pool are never replaced")
        return
    for world in e.worlds:
        charges: tuple[int, ...] = ()
        missed = 0
        for step in world.taken:
            stop = _prepared_for(step)
            if stop is None:
                continue
            role, at = stop["role"], stop["at"]
            if not isinstance(at, int):
                yield violated(stop, f"the stop of {role} is told without a time")
                continue
            counted = tuple(each for each in charges if at - each <= e.pool.window)
            why = _forbidden(counted, at, e.pool)
            made = (*step.lane("restart-schedules", role=role), *step.lane("worker-creations", role=role))
            if made and why is not None:
                yield violated(made[0], f"{role} gets a replacement, and {why}", stop)
            elif made:
                charges = (*counted, at)
                yield _due(e.pool, stop, made[0])
            elif why is not None:
                yield holds(stop, step.input)
            else:
                missed += 1
                if not _excused(world, missed):
                    yield violated(step.input, f"{role} has a restart left and one prepared, and gets none", stop)


def _prepared_for(step: Step) -> LogRow | None:
    """The stop that this event brings a replacement for; None where it brings none, or the pool is not open."""
    if step.kind != "source-prepared" or not step.is_expected or step.before.mode != "operating":
        return None
    worker = step.book.workers.get(step.input["replaces"])
    return None if worker is None else worker.stop


def _forbidden(charges: tuple[int, ...], at: int, pool: PoolFacts) -> str | None:
    """What allows no replacement after a stop at this time; None where one is allowed. `charges` are in order."""
    if charges and at < charges[-1]:
        return f"the clock ran back from {charges[-1]} to {at}"
    if len(charges) >= pool.restarts:
        return f"the {pool.restarts} restarts of this window are used up"
    if pool.delay is not None and at + pool.delay > LAST_TIME:
        return f"no clock tells a time {pool.delay} ticks after {at}"
    return None


def _due(pool: PoolFacts, stop: LogRow, made: LogRow) -> Part:
    if made["lane"] == "restart-schedules" and pool.delay is not None and made["due"] != stop["at"] + pool.delay:
        return violated(made, f"the restart is due at {made['due']}, not {pool.delay} ticks after {stop['at']}", stop)
    return holds(stop, made)


def _excused(world: PoolWorld, missed: int) -> bool:
    """Whether a world lacks the numbers for so many replacements: each that is taken is missed once."""
    given = world.run.world
    if any(kind in given.get("numbers", {}) for kind in _TAKES):
        return True
    return missed <= sum(len(given.get("taken", {}).get(kind, ())) for kind in _TAKES)
