"""One adoption with what its scenarios share: scenario -> plan -> recording -> verdicts -> files."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property
from typing import Any

from harness import workspace
from harness.base.errors import UsageError
from harness.base.verdict import Status, Verdict
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, expand_validated
from harness.kits import judging_kit
from harness.kits.kit import AUTO, DRIVER, Bound
from harness.run.driver.channel import DriverWish
from harness.run.driver.faults import DriverFault, Unsupported
from harness.run.driver.session import DriverSystem
from harness.run.logs import Catalogue
from harness.run.pilot import DEFAULT_LIMITS, Limits
from harness.run.plan import Plan
from harness.run.system import System
from harness.shrinking import shrink
from harness.verdict.judging import Judged, failed_scenario
from harness.writers.run_files import ScenarioResult, render_scenario


class AdoptionRunner:
    """One adoption with what its scenarios share, worked out once.

    `invert` names the inversion that is run instead of the sound model, `driver` the outside system that is, `model`
    the built-in model. An inversion or a model that the contract does not have is passed over (`kits.refuse_unknown`
    tells of it): then the sound one runs, or the first. A runner with a driver holds a process from its first scenario
    until `close`. Raises ValueError for an intake without a usable adoption, UsageError for a contract without a kit,
    for a driver where the contract can have none, and for an adoption that the model cannot carry.
    """

    def __init__(
        self,
        intake: Intake,
        limits: Limits = DEFAULT_LIMITS,
        invert: str | None = None,
        driver: DriverWish | None = None,
        model: str = AUTO,
    ) -> None:
        expansion = expand_validated(intake)
        if expansion is None or intake.contract is None:
            raise ValueError(f"{intake.path} cannot be used")
        self.kit = judging_kit(intake.contract, intake.path)
        if driver is not None:
            self.kit.require(DRIVER)
        self.intake = intake
        self.contract = intake.contract
        self.adoption = expansion.adoption
        self.limits = limits
        self.invert = invert if invert is not None and self.kit.has_inversion(invert) else None
        self.wish = driver
        self.model = self.kit.model_of(model)
        unfit = self.kit.unfit(self.adoption, self.model)
        if unfit is not None:
            message = f"{intake.path} cannot be run on the model {self.model}: {unfit}"
            raise UsageError(message, f"--model {AUTO} runs each row on a model that fits it")
        self.expansion = expansion

    @cached_property
    def bound(self) -> Bound:
        """The adoption with the model and the judgments of its contract."""
        return self.kit.bind(self.adoption, self.limits, self.model)

    @cached_property
    def _system(self) -> System:
        return self.bound.system(self.invert) if self.driver is None else self.driver

    @cached_property
    def driver(self) -> DriverSystem | None:
        """The outside system under test, not started yet; None where the model is run. UsageError for no driver."""
        if self.wish is None:
            return None
        return self.kit.drive(self.bound, self.wish, json.loads(workspace.read_text(self.contract.path)))

    def close(self) -> None:
        """End the driver's process, where there is one; the next scenario would start a fresh one."""
        found = self.__dict__.get("driver")
        if found is not None:
            found.close()

    @property
    def logs(self) -> Catalogue:
        """Every log that there is for this contract."""
        return self.kit.logs

    @property
    def basis(self) -> str:
        """A digest of all that the runs read besides the contract."""
        return self.bound.basis

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
        scenario, model = judged.scenario, self.bound.system()
        expected = self.bound.record(scenario.id, judged.plan, model)
        named = (*scenario.logs, *judged.supporting)
        found = self.bound.divergence(expected, judged.recording, named)
        if found is None:
            found = self.bound.divergence(expected, judged.recording, self.logs)
        explained: dict[str, Any] = {"divergence": found}
        if self.wish is not None and (driver.time != "real" if self.wish.shrink is None else self.wish.shrink):
            shrunk = shrink(
                judged,
                lambda plan: self.judge_on(driver, scenario, plan),
                lambda plan: self.judge_on(model, scenario, plan),
            )
            explained["shrunk"] = shrunk.to_json() if shrunk is not None else None
        return replace(judged, explained=explained)

    def plan(self, scenario: Scenario) -> Plan:
        """The runs of a scenario."""
        return self.bound.plan(scenario)

    def judge_on(self, system: System, scenario: Scenario, plan: Plan) -> Judged:
        """Send a plan into a system and judge what it left."""
        recording = self.bound.record(scenario.id, plan, system)
        return self.bound.judge(scenario, plan, recording)

    def run(self, scenario: Scenario) -> ScenarioResult:
        """One scenario from plan to files."""
        return self.render(self.judge(scenario))

    def render(self, judged: Judged) -> ScenarioResult:
        """The scenario's files and its entry in `run.json`."""
        return render_scenario(judged, self.logs, workspace.file_stem)

    def not_run(self, scenario: Scenario, verdict: Verdict, reason: str) -> ScenarioResult:
        """The files and the entry of a scenario that was not run: every clause has this verdict, for this reason."""
        return self.render(failed_scenario(scenario, verdict, reason))
