"""The whole flow on one page: adoption -> scenarios -> plans -> recordings -> verdicts -> files.

Every stage is a function of the stage before; this module only puts them in a row, keeps time and the count of
failures, and hands each finished scenario on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from harness import workspace
from harness.base.verdict import Status, Verdict
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, expand_validated
from harness.run.derive import DeriveFacts
from harness.run.execution import derive_facts, record_plan
from harness.run.facts import Facts
from harness.run.logs import Catalogue, catalogue
from harness.run.pilot import DEFAULT_LIMITS, Limits
from harness.run.planning import plan_scenario
from harness.run.system import ModelSystem
from harness.verdict.judging import Judged, failed_scenario, judge_scenario
from harness.writers.run_document import AdoptionRun
from harness.writers.run_files import ScenarioResult, render_scenario

JUDGED_CONTRACT = "job-resolution"
FAILING = (Status.FAIL, Status.ERROR)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: which scenarios, within which bounds, and when to stop early.

    `timeout_s` bounds the whole call (None: no bound); `max_fail` stops after so many failing scenarios.
    """

    selection: Selection = field(default_factory=Selection)
    limits: Limits = DEFAULT_LIMITS
    max_fail: int | None = None
    timeout_s: float | None = None


class AdoptionRunner:
    """One adoption with what its scenarios share, worked out once."""

    def __init__(self, intake: Intake, limits: Limits = DEFAULT_LIMITS) -> None:
        expansion = expand_validated(intake)
        if expansion is None:
            raise ValueError(f"{intake.path} cannot be used")
        self.intake = intake
        self.adoption = expansion.adoption
        self.limits = limits
        self.expansion = expansion

    @cached_property
    def facts(self) -> Facts:
        """The adoption as a configured model."""
        return Facts(self.adoption)

    @cached_property
    def _system(self) -> ModelSystem:
        return ModelSystem(self.facts.model)

    @cached_property
    def _derived(self) -> DeriveFacts:
        return derive_facts(self.facts)

    @cached_property
    def _logs(self) -> Catalogue:
        return catalogue(workspace.data_folder("diagnostics"))

    def scenarios(self, selection: Selection) -> tuple[Scenario, ...]:
        """The scenarios that apply and were chosen, in template order, then row order."""
        return tuple(each for each in selection.select(self.expansion.entries) if isinstance(each, Scenario))

    def judge(self, scenario: Scenario) -> Judged:
        """Plan, run and judge one scenario; a fault of the harness makes its clauses errors, never passes."""
        try:
            plan = plan_scenario(self.facts, scenario, self.limits)
            recording = record_plan(scenario.id, plan, self._system, self._derived)
            return judge_scenario(self.facts, scenario, plan, recording)
        except Exception as fault:
            return failed_scenario(scenario, Verdict.ERROR, f"the harness failed: {type(fault).__name__}: {fault}")

    def run(self, scenario: Scenario) -> ScenarioResult:
        """One scenario from plan to files."""
        return self.render(self.judge(scenario))

    def render(self, judged: Judged) -> ScenarioResult:
        """The scenario's files and its entry in `run.json`."""
        return render_scenario(judged, self._logs, workspace.file_stem)


class Stop:
    """When a run ends early: at its time limit, or after enough failures."""

    def __init__(self, options: RunOptions) -> None:
        self._deadline = None if options.timeout_s is None else time.monotonic() + options.timeout_s
        self._timeout_s = options.timeout_s
        self._left = options.max_fail

    def out_of_time(self) -> str | None:
        """Why a scenario can no longer be run; None while there is time."""
        if self._deadline is None or time.monotonic() < self._deadline:
            return None
        return f"the call's time limit of {self._timeout_s:g} s was met before this scenario ran"

    def failed_enough(self, result: ScenarioResult) -> bool:
        """Count a finished scenario; says whether no more are wanted."""
        if self._left is None or result.status not in FAILING:
            return False
        self._left -= 1
        return self._left <= 0


def run_adoptions(
    intakes: Sequence[Intake],
    options: RunOptions,
    keep: Callable[[ScenarioResult], None],
    progress: Callable[[str, int], None] = lambda scenario, total: None,
) -> tuple[AdoptionRun, ...]:
    """Run every chosen scenario of every adoption, one after the other; `keep` gets each as soon as it is done.

    A file that cannot be run is in the result all the same, with its findings and no scenario. An interrupt ends the
    run; the caller has kept what was finished.
    """
    stop, ended = Stop(options), False
    runs: list[AdoptionRun] = []
    for intake in intakes:
        if not intake.is_runnable:
            runs.append(_not_run(intake))
            continue
        runner = AdoptionRunner(intake, options.limits)
        chosen = runner.scenarios(options.selection)
        results: list[ScenarioResult] = []
        for result in _results(runner, () if ended else chosen, stop):
            keep(result)
            progress(result.id, len(chosen))
            results.append(result)
            if stop.failed_enough(result):
                ended = True
                break
        runs.append(_adoption_run(runner, results, len(chosen)))
    return tuple(runs)


def _results(runner: AdoptionRunner, chosen: Sequence[Scenario], stop: Stop) -> Iterator[ScenarioResult]:
    for scenario in chosen:
        late = stop.out_of_time()
        if late is None:
            yield runner.run(scenario)
        else:
            yield runner.render(failed_scenario(scenario, Verdict.UNREACHED, late))


def _adoption_run(runner: AdoptionRunner, results: Sequence[ScenarioResult], selected: int) -> AdoptionRun:
    intake, expansion = runner.intake, runner.expansion
    return AdoptionRun(
        path=intake.path,
        instance=runner.adoption.instance,
        digest=runner.adoption.digest,
        findings=intake.findings,
        results=tuple(results),
        selected=selected,
        excluded=len(expansion.exclusions),
        unaccounted=expansion.unaccounted,
    )


def _not_run(intake: Intake) -> AdoptionRun:
    instance = intake.adoption.instance if intake.adoption is not None else None
    digest = intake.adoption.digest if intake.adoption is not None else None
    return AdoptionRun(intake.path, instance, digest, intake.findings, (), 0, 0, 0)
