"""One adoption with what its scenarios share: scenario -> plan -> recording -> verdicts -> files."""

from __future__ import annotations

import hashlib
from functools import cached_property

from harness import workspace
from harness.base.errors import UsageError
from harness.base.verdict import Verdict
from harness.contract.fitting import suggestion
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, expand_validated
from harness.models.inversions.registry import inversion_named, inversions
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.model import Lifecycle
from harness.run.derive import DeriveFacts
from harness.run.execution import derive_facts, record_plan
from harness.run.facts import Facts
from harness.run.logs import Catalogue, catalogue
from harness.run.pilot import DEFAULT_LIMITS, Limits
from harness.run.plan import Plan
from harness.run.planning import plan_scenario
from harness.run.system import ModelSystem, System
from harness.verdict.judging import Judged, failed_scenario, judge_scenario
from harness.writers.run_files import ScenarioResult, render_scenario

#: The contract that there are judgments for.
JUDGED_CONTRACT = "job-resolution"


class AdoptionRunner:
    """One adoption with what its scenarios share, worked out once.

    `invert` names the inversion of the lifecycle that is run instead of the sound model. Raises ValueError for an
    intake without a usable adoption.
    """

    def __init__(self, intake: Intake, limits: Limits = DEFAULT_LIMITS, invert: str | None = None) -> None:
        expansion = expand_validated(intake)
        if expansion is None:
            raise ValueError(f"{intake.path} cannot be used")
        self.intake = intake
        self.adoption = expansion.adoption
        self.limits = limits
        self.invert = invert
        self.expansion = expansion

    @cached_property
    def facts(self) -> Facts:
        """The adoption as a configured model."""
        return Facts(self.adoption)

    @cached_property
    def _system(self) -> ModelSystem:
        return self.system(turn_of(self.invert))

    def system(self, turn: type[Handlers]) -> ModelSystem:
        """The lifecycle of this adoption as a system under test, settling events with this class."""
        return ModelSystem(Lifecycle(self.facts.config, turn=turn))

    @cached_property
    def _derived(self) -> DeriveFacts:
        return derive_facts(self.facts)

    @cached_property
    def _logs(self) -> Catalogue:
        return catalogue(workspace.data_folder("diagnostics"))

    @cached_property
    def basis(self) -> str:
        """A digest of all that the runs read besides the contract: the adoption and the passages it reads first."""
        try:
            passages = self._derived.passages
        except Exception:  # then every scenario is an error, and none of those is ever taken over
            return self.adoption.digest
        read = sorted(f"{address} {each.digest}" for address, each in passages.items())
        text = "\n".join([self.adoption.digest, *read])
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def scenarios(self, selection: Selection) -> tuple[Scenario, ...]:
        """The scenarios that apply and were chosen, in template order, then row order."""
        return tuple(each for each in selection.select(self.expansion.entries) if isinstance(each, Scenario))

    def judge(self, scenario: Scenario) -> Judged:
        """Plan, run and judge one scenario; a fault of the harness makes its clauses errors, never passes."""
        try:
            return self.judge_on(self._system, scenario, self.plan(scenario))
        except Exception as fault:
            return failed_scenario(scenario, Verdict.ERROR, f"the harness failed: {type(fault).__name__}: {fault}")

    def plan(self, scenario: Scenario) -> Plan:
        """The runs of a scenario; always found on the sound model."""
        return plan_scenario(self.facts, scenario, self.limits)

    def judge_on(self, system: System, scenario: Scenario, plan: Plan) -> Judged:
        """Send a plan into a system and judge what it left."""
        recording = record_plan(scenario.id, plan, system, self._derived)
        return judge_scenario(self.facts, scenario, plan, recording)

    def run(self, scenario: Scenario) -> ScenarioResult:
        """One scenario from plan to files."""
        return self.render(self.judge(scenario))

    def render(self, judged: Judged) -> ScenarioResult:
        """The scenario's files and its entry in `run.json`."""
        return render_scenario(judged, self._logs, workspace.file_stem)

    def not_run(self, scenario: Scenario, verdict: Verdict, reason: str) -> ScenarioResult:
        """The files and the entry of a scenario that was not run: every clause has this verdict, for this reason."""
        return self.render(failed_scenario(scenario, verdict, reason))


def turn_of(invert: str | None) -> type[Handlers]:
    """The class that settles events: the sound one, or that of the named inversion; UsageError for an unknown name."""
    if invert is None:
        return Handlers
    found = inversion_named(invert)
    if found is None:
        close = suggestion(invert, [each.name for each in inversions()], "`harness invert --list` lists them")
        raise UsageError(f"there is no inversion {invert}", close)
    return found.turn
