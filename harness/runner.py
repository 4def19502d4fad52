"""One adoption with what its scenarios share: scenario -> plan -> recording -> verdicts -> files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from harness import workspace
from harness.base.errors import UsageError
from harness.base.verdict import Status, Verdict
from harness.contract.fitting import suggestion
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, expand_validated
from harness.models.inversions.registry import inversion_named, inversions
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.model import Lifecycle
from harness.models.pools.fifo_slots import FifoSlots
from harness.models.pools.port import Slots
from harness.models.pools.slots import PlainSlots
from harness.run.derive import DeriveFacts
from harness.run.divergence import first_divergence
from harness.run.driver.adopted import adopted_document
from harness.run.driver.channel import DriverWish, channel_maker
from harness.run.driver.faults import DriverFault, Unsupported
from harness.run.driver.served import builtin_driver, shipped_messages
from harness.run.driver.session import DriverSystem
from harness.run.execution import derive_facts, record_plan
from harness.run.facts import Facts
from harness.run.logs import Catalogue, catalogue
from harness.run.pilot import DEFAULT_LIMITS, Limits
from harness.run.plan import Plan
from harness.run.planning import plan_scenario
from harness.run.system import ModelSystem, System
from harness.shrinking import shrink
from harness.verdict.judging import Judged, failed_scenario, judge_scenario
from harness.writers.run_files import ScenarioResult, render_scenario

#: The contract that there are judgments for.
JUDGED_CONTRACT = "job-resolution"


POOL_MODELS: dict[str, Callable[[], Slots[Any]]] = {"slots": PlainSlots, "fifo": FifoSlots}
"""What can carry the working slots of the built-in model, by the word of `--model`."""


class AdoptionRunner:
    """One adoption with what its scenarios share, worked out once.

    `invert` names the inversion of the lifecycle that is run instead of the sound model, `driver` the outside system
    that is, `model` what carries the working slots (`POOL_MODELS`). A runner with a driver holds a process from its
    first scenario until `close`. Raises ValueError for an intake without a usable adoption.
    """

    def __init__(
        self,
        intake: Intake,
        limits: Limits = DEFAULT_LIMITS,
        invert: str | None = None,
        driver: DriverWish | None = None,
        model: str = "slots",
    ) -> None:
        expansion = expand_validated(intake)
        if expansion is None:
            raise ValueError(f"{intake.path} cannot be used")
        self.intake = intake
        self.adoption = expansion.adoption
        self.limits = limits
        self.invert = invert
        self.wish = driver
        self.model = model
        self.expansion = expansion

    @cached_property
    def facts(self) -> Facts:
        """The adoption as a configured model."""
        return Facts(self.adoption)

    @cached_property
    def _system(self) -> System:
        return self.system(turn_of(self.invert)) if self.driver is None else self.driver

    @cached_property
    def driver(self) -> DriverSystem | None:
        """The outside system under test, not started yet; None where the model is run. UsageError for no driver."""
        if self.wish is None or self.intake.contract is None:
            return None
        contract = json.loads(workspace.read_text(self.intake.contract.path))
        make = channel_maker(self.wish, builtin_driver)
        messages = shipped_messages() if self.wish.strict else None
        return DriverSystem(make, contract, adopted_document(self.facts), self.logs, messages)

    def close(self) -> None:
        """End the driver's process, where there is one; the next scenario would start a fresh one."""
        found = self.__dict__.get("driver")
        if found is not None:
            found.close()

    def system(self, turn: type[Handlers] = Handlers) -> ModelSystem:
        """The lifecycle of this adoption as a system under test, settling events with this class."""
        return ModelSystem(Lifecycle(self.facts.config, POOL_MODELS[self.model](), turn))

    @cached_property
    def derived(self) -> DeriveFacts:
        """What the derived logs need besides a recording."""
        return derive_facts(self.facts)

    @cached_property
    def logs(self) -> Catalogue:
        """Every log that there is."""
        return catalogue(workspace.data_folder("diagnostics"))

    @cached_property
    def basis(self) -> str:
        """A digest of all that the runs read besides the contract: the adoption and the passages it reads first."""
        try:
            passages = self.derived.passages
        except Exception:  # then every scenario is an error, and none of those is ever taken over
            return self.adoption.digest
        read = sorted(f"{address} {each.digest}" for address, each in passages.items())
        text = "\n".join([self.adoption.digest, *read])
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def scenarios(self, selection: Selection) -> tuple[Scenario, ...]:
        """The scenarios that apply and were chosen, in template order, then row order."""
        return tuple(each for each in selection.select(self.expansion.entries) if isinstance(each, Scenario))

    def judge(self, scenario: Scenario) -> Judged:
        """Plan, run and judge one scenario; a fault of driver or harness makes its clauses errors, never passes."""
        try:
            judged = self.judge_on(self._system, scenario, self.plan(scenario))
            return judged if self.driver is None else self._explained(judged, self.driver)
        except DriverFault as fault:
            return failed_scenario(scenario, Verdict.ERROR, fault.said, driver_failed=True)
        except Unsupported as answer:
            return failed_scenario(scenario, Verdict.ERROR, str(answer), driver_failed=True)
        except Exception as fault:
            return failed_scenario(scenario, Verdict.ERROR, f"the harness failed: {type(fault).__name__}: {fault}")

    def _explained(self, judged: Judged, driver: DriverSystem) -> Judged:
        """A failure of an outside system, with where it left the model's way, and the smallest run that shows it."""
        if judged.status is not Status.FAIL:
            return judged
        scenario, model = judged.scenario, self.system()
        expected = record_plan(scenario.id, judged.plan, model, self.derived)
        named = (*scenario.logs, *judged.supporting)
        found = first_divergence(expected, judged.recording, named, self.adoption) or first_divergence(
            expected, judged.recording, tuple(self.logs), self.adoption
        )
        explained: dict[str, Any] = {"divergence": found.to_json() if found is not None else None}
        if self.wish is not None and (driver.time != "real" if self.wish.shrink is None else self.wish.shrink):
            shrunk = shrink(
                judged,
                lambda plan: self.judge_on(driver, scenario, plan),
                lambda plan: self.judge_on(model, scenario, plan),
            )
            explained["shrunk"] = shrunk.to_json() if shrunk is not None else None
        return replace(judged, explained=explained)

    def plan(self, scenario: Scenario) -> Plan:
        """The runs of a scenario; always found on the sound model."""
        return plan_scenario(self.facts, scenario, self.limits)

    def judge_on(self, system: System, scenario: Scenario, plan: Plan) -> Judged:
        """Send a plan into a system and judge what it left."""
        recording = record_plan(scenario.id, plan, system, self.derived)
        return judge_scenario(self.facts, scenario, plan, recording)

    def run(self, scenario: Scenario) -> ScenarioResult:
        """One scenario from plan to files."""
        return self.render(self.judge(scenario))

    def render(self, judged: Judged) -> ScenarioResult:
        """The scenario's files and its entry in `run.json`."""
        return render_scenario(judged, self.logs, workspace.file_stem)

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
