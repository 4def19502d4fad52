"""The pool of a law's walk behind the port of systems, sent the letters of the walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from harness.models.pools.law import PoolLaw
from harness.run.plan import PlannedWorld
from harness.run.pools.events import event_of
from harness.run.pools.logs import POOL_LOGS
from harness.run.pools.port import Pool
from harness.run.pools.system import PoolSteps
from harness.run.recording import Recording, number_rows
from harness.run.sending import send_world
from harness.run.stepping import RememberedSystem


def record_letters(
    law: PoolLaw,
    make: Callable[[Any, type[Any]], Pool],
    walk: str,
    scenario_id: str,
    letters: Sequence[str],
    invert: str | None,
    logs: tuple[str, ...] = POOL_LOGS,
    steps: Callable[[Pool], PoolSteps] | None = None,
) -> Recording:
    """What the pool of a walk leaves in `logs`; `make` builds a pool of the law from its definition and its rules.

    `steps` takes it event by event, for a law whose logs have rows of their own.
    `invert` names an inversion of the law, None for the sound rules. KeyError for a walk that the law does not have.
    """
    broken = None if invert is None else law.inversions.named(invert)
    pool = make(law.walks[walk].definition, law.rules if broken is None else broken.turn)
    world = PlannedWorld({}, tuple(event_of(each) for each in letters), (walk,))
    system = RememberedSystem(PoolSteps(pool, logs) if steps is None else steps(pool))
    return number_rows(scenario_id, (), [send_world(scenario_id, world, system)], system.observes)
