"""An adoption of a pool contract with its model, its plans and its judgments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from harness.contract.shapes import Adoption
from harness.expansion.scenario import Scenario
from harness.kits.kit import Bound, Watch
from harness.models.pools.fifo.law import FIFO as FIFO_LAW
from harness.models.pools.law import PoolLaw
from harness.run.logs import Catalogue
from harness.run.plan import Plan
from harness.run.pools.binding import definition_of
from harness.run.pools.fifo import FifoRuns
from harness.run.pools.fifo_hiding import hidden_by
from harness.run.pools.fifo_plans import planner
from harness.run.pools.logs import POOL_LOGS
from harness.run.pools.planning import Planner
from harness.run.pools.port import Pool
from harness.run.pools.system import PoolSteps
from harness.run.pools.tracing import replaced, tracing
from harness.run.recording import Recording, WorldDrafts, number_rows
from harness.run.stepping import RememberedSystem, TwinSystem
from harness.run.system import System
from harness.verdict.clauses import Judgments
from harness.verdict.judging import Judged, judged_on
from harness.verdict.known import Known
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.facts import PoolFacts, fifo_facts
from harness.verdict.pools.judgments.fifo import FIFO


class BoundPool(Bound):
    """What adoptions of every pool contract have in common.

    A law adds itself, its judgments, its pool under given rules, its plans, and what an adoption declares; `logs` are
    those that its pools write.
    """

    law: PoolLaw
    judgments: Judgments[PoolEvidence]
    logs: ClassVar[tuple[str, ...]] = POOL_LOGS
    evidence: ClassVar[type[PoolEvidence]] = PoolEvidence

    def __init__(self, adoption: Adoption, catalogue: Catalogue) -> None:
        self.adoption = adoption
        self._known = Known(catalogue)

    # -- what a law adds -------------------------------------------------------------------------------------------

    @abstractmethod
    def pool(self, rules: type[Any]) -> Pool:
        """The pool that the adoption describes, under these rules: the law's own, or a breach of them."""

    @abstractmethod
    def new_planner(self) -> Planner:
        """The law's plans for this pool."""

    @cached_property
    @abstractmethod
    def declared(self) -> PoolFacts:
        """What the adoption declares, for the judgments."""

    def steps_of(self, pool: Pool) -> PoolSteps:
        """A pool event by event; a law whose logs have rows of their own writes those."""
        return PoolSteps(pool, self.logs)

    # -- the rest --------------------------------------------------------------------------------------------------

    @cached_property
    def planner(self) -> Planner:
        """The plans of this pool; what templates share is worked out once."""
        return self.new_planner()

    @property
    def basis(self) -> str:
        """An adoption of a pool cites nothing, so its own digest is all."""
        return self.adoption.digest

    def plan(self, scenario: Scenario) -> Plan:
        """The runs that the scenario's template needs."""
        return self.planner.plan(scenario.template)

    def system(self, invert: str | None = None) -> System:
        """The pool, following the law or breaking it on purpose."""
        found = None if invert is None else self.law.inversions.named(invert)
        return RememberedSystem(self.steps_of(self.pool(self.law.rules if found is None else found.turn)))

    def watch(self) -> Watch:
        """The pool with a note of every rule that decided something."""
        called: set[str] = set()
        sound = RememberedSystem(self.steps_of(self.pool(tracing(self.law.rules, called))), called)
        turns = {each.name: each.turn for each in self.law.inversions.all()}
        others = {name: replaced(turn, self.law.rules) for name, turn in turns.items()}

        def inverted(name: str) -> System:
            return TwinSystem(self.steps_of(self.pool(turns[name])), sound, others[name])

        return Watch(sound, lambda: sound.noting(others), inverted)

    def recorded(
        self,
        scenario_id: str,
        worlds: Sequence[WorldDrafts],
        observes: frozenset[str],
        changed: frozenset[int] | None = None,
    ) -> Recording:
        """The worlds, or those that changed: every judgment of a pool looks at one world at a time."""
        return number_rows(scenario_id, (), worlds, observes, changed)

    def judge(self, scenario: Scenario, plan: Plan, recording: Recording) -> Judged:
        """A verdict for each clause."""
        evidence = self.evidence(scenario, self.adoption, self.declared, recording)
        return judged_on(evidence, self.judgments, plan, self._known)


class BoundFifo(BoundPool):
    """A FIFO pool."""

    law = FIFO_LAW
    judgments = FIFO

    def pool(self, rules: type[Any]) -> Pool:
        """The FIFO pool."""
        return FifoRuns(definition_of(self.adoption), rules)

    def new_planner(self) -> Planner:
        """The FIFO pool's plans."""
        return planner(definition_of(self.adoption))

    @cached_property
    def declared(self) -> PoolFacts:
        """Roles, limits and policies."""
        return fifo_facts(self.adoption)

    def hidden_by(self, inversion: str) -> str | None:
        """Which answer or number hides the breach."""
        return hidden_by(definition_of(self.adoption), inversion)
