"""An adoption of the keyed-pool contract with its model, its plans and its judgments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from harness.kits.pools_bound import BoundPool
from harness.kits.pools_walked import record_letters
from harness.models.pools.keyed.law import KEYED as LAW
from harness.run.pools.keyed import KeyedRuns
from harness.run.pools.keyed_binding import KeyedPoolOf, keyed_of
from harness.run.pools.keyed_hiding import hidden_by
from harness.run.pools.keyed_plans import planner
from harness.run.pools.logs import KEYED_LOGS, POOL_LOGS
from harness.run.pools.planning import Planner
from harness.run.pools.port import Pool
from harness.run.recording import Recording
from harness.verdict.pools.facts import PoolFacts, keyed_facts
from harness.verdict.pools.judgments.keyed import KEYED


class BoundKeyed(BoundPool):
    """A keyed pool."""

    law = LAW
    judgments = KEYED
    logs = (*POOL_LOGS, *KEYED_LOGS)

    @cached_property
    def described(self) -> KeyedPoolOf:
        """The pool and its keys."""
        return keyed_of(self.adoption)

    def pool(self, rules: type[Any]) -> Pool:
        """The keyed pool."""
        return KeyedRuns(*self.described, rules)

    def new_planner(self) -> Planner:
        """The keyed pool's plans."""
        return planner(self.described)

    @cached_property
    def declared(self) -> PoolFacts:
        """Roles, limits and policies."""
        return keyed_facts(self.adoption)

    def hidden_by(self, inversion: str) -> str | None:
        """Which answer or number hides the breach."""
        return hidden_by(self.described, inversion)


def walked(walk: str, scenario_id: str, letters: Sequence[str], invert: str | None) -> Recording:
    """What the pool of a walk of the law leaves; KeyError for a walk that the law does not have."""

    def make(definition: Any, rules: type[Any]) -> Pool:
        return KeyedRuns(definition, LAW.walks[walk].keys, rules)

    return record_letters(LAW, make, walk, scenario_id, letters, invert, BoundKeyed.logs)
