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

    `timeout_s` bounds the whole call (None: no bound); `max_fail` stops after so many failing scenarios; `workers` is
    the number of processes, which changes no byte of the result; `contract_file` replaces the shipped contract.
    """

    selection: Selection = field(default_factory=Selection)
    limits: Limits = DEFAULT_LIMITS
    max_fail: int | None = None
    timeout_s: float | None = None
    workers: int = 1
    contract_file: str | None = None


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
        self.deadline = None if options.timeout_s is None else time.time() + options.timeout_s
        self._left = options.max_fail

    def failed_enough(self, result: ScenarioResult) -> bool:
        """Count a finished scenario; says whether no more are wanted."""
        if self._left is None or result.status not in FAILING:
            return False
        self._left -= 1
        return self._left <= 0


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The adoptions of a run, each with the scenarios that were finished; `interrupted` where the user stopped it."""

    adoptions: tuple[AdoptionRun, ...]
    interrupted: bool


def run_adoptions(
    intakes: Sequence[Intake],
    options: RunOptions,
    keep: Callable[[ScenarioResult], None],
    runner_of: Callable[[Intake], AdoptionRunner] | None = None,
) -> RunOutcome:
    """Run every chosen scenario of every adoption; `keep` gets each as soon as it is done, in order.

    A file that cannot be run is in the result all the same, with its findings and no scenario. An interrupt ends the
    run with what was finished.
    """
    make = runner_of or (lambda intake: AdoptionRunner(intake, options.limits))
    runners = [make(intake) if intake.is_runnable else None for intake in intakes]
    chosen = [runner.scenarios(options.selection) if runner else () for runner in runners]
    tasks = [
        Task(at, scenario)
        for at, (runner, scenarios) in enumerate(zip(runners, chosen, strict=True))
        if runner is not None
        for scenario in scenarios
    ]
    finished: list[list[ScenarioResult]] = [[] for _ in intakes]
    interrupted = False
    stop = Stop(options)
    try:
        for task, result in zip(tasks, _results(runners, intakes, tasks, options, stop), strict=False):
            keep(result)
            finished[task.adoption].append(result)
            if stop.failed_enough(result):
                break
    except KeyboardInterrupt:
        interrupted = True
    runs = zip(intakes, runners, finished, chosen, strict=True)
    return RunOutcome(tuple(_adoption_run(*each) for each in runs), interrupted)


@dataclass(frozen=True, slots=True)
class Task:
    """One scenario of the adoption with that index among the files."""

    adoption: int
    scenario: Scenario


def _results(
    runners: Sequence[AdoptionRunner | None],
    intakes: Sequence[Intake],
    tasks: Sequence[Task],
    options: RunOptions,
    stop: Stop,
) -> Iterator[ScenarioResult]:
    if options.workers > 1 and len(tasks) > 1:
        from harness.workers import results_of_workers

        jobs = [(intakes[task.adoption].path, task.scenario.id) for task in tasks]
        yield from results_of_workers(jobs, options, stop.deadline)
        return
    for task in tasks:
        runner = runners[task.adoption]
        if runner is not None:
            yield run_in_time(runner, task.scenario, options, stop.deadline)


def run_in_time(
    runner: AdoptionRunner, scenario: Scenario, options: RunOptions, deadline: float | None
) -> ScenarioResult:
    """One scenario, or unreached where the call's time is over before it begins."""
    if deadline is None or time.time() < deadline:
        return runner.run(scenario)
    late = f"the call's time limit of {options.timeout_s:g} s was met before this scenario ran"
    return runner.render(failed_scenario(scenario, Verdict.UNREACHED, late))


def _adoption_run(
    intake: Intake,
    runner: AdoptionRunner | None,
    results: Sequence[ScenarioResult],
    chosen: Sequence[Scenario],
) -> AdoptionRun:
    adoption = intake.adoption
    return AdoptionRun(
        path=intake.path,
        instance=adoption.instance if adoption is not None else None,
        digest=adoption.digest if adoption is not None else None,
        findings=intake.findings,
        results=tuple(results),
        selected=len(chosen),
        excluded=len(runner.expansion.exclusions) if runner is not None else 0,
        unaccounted=runner.expansion.unaccounted if runner is not None else 0,
    )
