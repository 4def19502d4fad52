"""An adoption of the fixed-supervisor contract with its model, its plans and its judgments."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from harness.kits.pools_bound import BoundPool
from harness.models.pools.supervisor.law import SUPERVISOR as SUPERVISOR_LAW
from harness.run.pools.planning import Planner
from harness.run.pools.port import Pool
from harness.run.pools.supervisor.binding import definition_of
from harness.run.pools.supervisor.hiding import hidden_by
from harness.run.pools.supervisor.logs import SUPERVISOR_LOGS, step_rows
from harness.run.pools.supervisor.plans import planner
from harness.run.pools.supervisor.runs import SupervisorRuns
from harness.run.pools.system import PoolSteps
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.facts import PoolFacts
from harness.verdict.pools.judgments.supervisor import SUPERVISOR
from harness.verdict.pools.supervisor.evidence import SupervisorEvidence
from harness.verdict.pools.supervisor.facts import supervisor_facts


class BoundSupervisor(BoundPool):
    """A fixed supervisor."""

    law = SUPERVISOR_LAW
    judgments = SUPERVISOR
    logs = SUPERVISOR_LOGS
    evidence: ClassVar[type[PoolEvidence]] = SupervisorEvidence

    def pool(self, rules: type[Any]) -> Pool:
        """The supervisor."""
        return SupervisorRuns(definition_of(self.adoption), rules)

    def steps_of(self, pool: Pool) -> PoolSteps:
        """The supervisor event by event."""
        return steps_of(pool)

    def new_planner(self) -> Planner:
        """The supervisor's plans."""
        return planner(definition_of(self.adoption))

    @cached_property
    def declared(self) -> PoolFacts:
        """Roles, limits and policies."""
        return supervisor_facts(self.adoption)

    def hidden_by(self, inversion: str) -> str | None:
        """Which answer or number hides the breach."""
        return hidden_by(definition_of(self.adoption), inversion)


def steps_of(pool: Pool) -> PoolSteps:
    """A supervisor that writes the logs of its law."""
    return PoolSteps(pool, SUPERVISOR_LOGS, step_rows)
