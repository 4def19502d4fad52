"""The whole flow on one page: adoptions -> scenarios -> results, each handed on as soon as it is done.

What happens to one scenario stands in `harness.runner`. This module puts the scenarios of all adoptions in a row,
takes over what an earlier run has done, knows when to stop, and counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from harness.base.errors import UsageError
from harness.base.verdict import Status, Verdict, scenario_status
from harness.contract.shapes import Contract
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, contracts_of
from harness.interrupts import Interrupts
from harness.kits.kit import AUTO
from harness.run.driver.channel import DriverWish
from harness.run.driver.faults import DriverFault, Unsupported
from harness.run.pilot import DEFAULT_LIMITS, Limits
from harness.runner import AdoptionRunner
from harness.verdict.expected import Choosable, Expectations, known_status
from harness.writers.run_document import AdoptionRun
from harness.writers.run_files import ScenarioResult

FAILING = (Status.FAIL, Status.ERROR)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run: which scenarios, within which bounds, and when to stop early.

    `timeout_s` bounds the whole call (None: no bound); `max_fail` stops after so many failing scenarios; `workers` is
    the number of processes, which changes no byte of the result; `contract_file` replaces the shipped contract;
    `invert` names the inversion that is run instead of the sound model, `driver` the outside system that is, `model`
    the built-in model, all three as `AdoptionRunner` takes them; `expectations` are the failures that are known.
    """

    selection: Selection = field(default_factory=Selection)
    limits: Limits = DEFAULT_LIMITS
    max_fail: int | None = None
    timeout_s: float | None = None
    workers: int = 1
    contract_file: str | None = None
    invert: str | None = None
    driver: DriverWish | None = None
    model: str = AUTO
    expectations: Expectations = field(default_factory=Expectations)


@dataclass(frozen=True, slots=True)
class Task:
    """One scenario of the adoption with that index among the files, and the runner that the adoption shares."""

    adoption: int
    runner: AdoptionRunner
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is going to be run. `runners` has None for a file that cannot be run, which stays in the result."""

    intakes: tuple[Intake, ...]
    runners: tuple[AdoptionRunner | None, ...]
    tasks: tuple[Task, ...]

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts that the files name, each once, in the order of the files."""
        return contracts_of(self.intakes)

    def close(self) -> None:
        """End every driver that still runs."""
        for each in self.runners:
            if each is not None:
                each.close()

    def missed(self, selection: Selection) -> tuple[str, ...]:
        """Each choice of scenarios that chose nothing, in words."""
        expansions = [runner.expansion for runner in self.runners if runner is not None]
        return selection.missed(expansions, [task.scenario for task in self.tasks]) if expansions else ()


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The adoptions of a run, each with the scenarios that were finished; `interrupted` where the user stopped it."""

    adoptions: tuple[AdoptionRun, ...]
    interrupted: bool


Keep = Callable[[ScenarioResult], None]


class Earlier(Protocol):
    """What an earlier run has done already."""

    def has(self, runner: AdoptionRunner, scenario: Scenario) -> bool:
        """Whether the scenario's result can be taken over as it is."""

    def take(self, scenario: Scenario) -> ScenarioResult:
        """The result of a scenario that it has."""


def prepare(intakes: Sequence[Intake], options: RunOptions) -> Prepared:
    """The runners of the adoptions that can be run, and the chosen scenarios in order."""
    runners = tuple(
        AdoptionRunner(intake, options.limits, options.invert, options.driver, options.model)
        if intake.is_runnable
        else None
        for intake in intakes
    )
    tasks = tuple(
        Task(at, runner, scenario)
        for at, runner in enumerate(runners)
        if runner is not None
        for scenario in runner.scenarios(options.selection)
    )
    return Prepared(tuple(intakes), runners, tasks)


def meet_driver(prepared: Prepared, options: RunOptions) -> dict[str, Any] | None:
    """Ask the driver who it is and whether it can be the systems of these adoptions, before any event is sent.

    What it says of itself, as `run.json` tells it, None without a driver; `implementation` is None where it could not
    be asked, which every scenario will say for itself. Raises UsageError for a driver that cannot be one of the
    systems. Where one process does all, the first system's driver stays for its scenarios.
    """
    if options.driver is None:
        return None
    told: dict[str, Any] = {"command": options.driver.driver, "implementation": None}
    observed: set[str] = set()  # adoptions of another contract have other logs
    met = [each for each in prepared.runners if each is not None]
    for at, runner in enumerate(met):
        if runner.driver is None:
            continue
        try:
            runner.driver.greet()
            said = runner.driver.told()
            observed |= set(said["observes"])
            told |= {**said, "observes": sorted(observed)}
        except DriverFault:
            pass
        except Unsupported as answer:
            raise UsageError(
                f"{options.driver.driver} cannot be the system of {runner.intake.path}: it does not support"
                f" {', '.join(answer.lacks)}",
                "leave that out of the adoption, or run the adoption without this driver",
            ) from answer
        if at or options.workers > 1:
            runner.close()
    return told


def choosable(prepared: Prepared) -> Choosable:
    """Every scenario and exclusion of the adoptions, chosen or not."""
    expansions = [runner.expansion for runner in prepared.runners if runner is not None]
    return Choosable(
        frozenset(each.adoption.instance for each in expansions),
        frozenset(scenario.id for each in expansions for scenario in each.scenarios),
        {exclusion.id: exclusion.reason for each in expansions for exclusion in each.exclusions},
    )


def run_adoptions(intakes: Sequence[Intake], options: RunOptions, keep: Keep) -> RunOutcome:
    """Run every chosen scenario of every adoption; `keep` gets each as soon as it is done, in order."""
    return run_prepared(prepare(intakes, options), options, keep)


def run_prepared(
    prepared: Prepared,
    options: RunOptions,
    keep: Keep,
    earlier: Earlier | None = None,
    interrupts: Interrupts | None = None,
) -> RunOutcome:
    """Run what was prepared; an interrupt ends the run with what was finished.

    What `earlier` has is taken over from there instead of run.
    """
    interrupts = interrupts or Interrupts()
    finished: list[list[ScenarioResult]] = [[] for _ in prepared.intakes]
    left = options.max_fail
    with closing(_results(prepared.tasks, options, earlier)) as results:
        try:
            for task in prepared.tasks:
                with interrupts.allowed():
                    result = _said(next(results), options.expectations)
                keep(result)
                finished[task.adoption].append(result)
                left = None if left is None else left - (result.status in FAILING)
                if left == 0 or interrupts.seen:
                    break
        except KeyboardInterrupt:
            interrupts.seen = True
        finally:
            prepared.close()
    return RunOutcome(tuple(_adoption_runs(prepared, finished)), interrupts.seen)


def _said(result: ScenarioResult, expectations: Expectations) -> ScenarioResult:
    """The result with the status that its clauses amount to, the known failures among them counted as known."""
    clauses = result.entry["clauses"]
    known = expectations.known(result.id, clauses)
    status = known_status(clauses, known) if known else scenario_status([Verdict(each["verdict"]) for each in clauses])
    return replace(result, status=str(status), entry={**result.entry, "status": str(status)})


Results = Generator[ScenarioResult, None, None]


def _results(tasks: Sequence[Task], options: RunOptions, earlier: Earlier | None) -> Results:
    """The result of each task, in order."""
    done = [earlier is not None and earlier.has(task.runner, task.scenario) for task in tasks]
    fresh = [task for task, is_done in zip(tasks, done, strict=True) if not is_done]
    deadline = None if options.timeout_s is None else time.monotonic() + options.timeout_s
    with closing(_fresh_results(fresh, options, deadline)) as results:
        for task, is_done in zip(tasks, done, strict=True):
            yield earlier.take(task.scenario) if is_done and earlier is not None else next(results)


def _fresh_results(tasks: Sequence[Task], options: RunOptions, deadline: float | None) -> Results:
    def is_late() -> bool:
        return deadline is not None and time.monotonic() >= deadline

    if options.workers > 1 and len(tasks) > 1:
        yield from _worker_results(tasks, options, is_late)
        return
    running: AdoptionRunner | None = None
    try:
        for task in tasks:
            if running is not None and task.runner is not running:
                running.close()
            running = task.runner
            yield _late(task, options) if is_late() else running.run(task.scenario)
    finally:
        if running is not None:
            running.close()


def _worker_results(tasks: Sequence[Task], options: RunOptions, is_late: Callable[[], bool]) -> Results:
    from harness.workers import Job, NotRun, WorkerSettings, results_of_workers

    jobs = [Job(task.runner.intake.path, task.runner.adoption.digest, task.scenario.id) for task in tasks]
    settings = WorkerSettings(options.contract_file, options.limits, options.invert, options.driver, options.model)
    with closing(results_of_workers(jobs, options.workers, settings, is_late)) as results:
        for task, result in zip(tasks, results, strict=True):
            if result is None:
                yield _late(task, options)
            elif isinstance(result, NotRun):
                yield task.runner.not_run(task.scenario, Verdict.ERROR, result.reason)
            else:
                yield result


def _late(task: Task, options: RunOptions) -> ScenarioResult:
    reason = f"the call's time limit of {options.timeout_s:g} s was met before this scenario ran"
    return task.runner.not_run(task.scenario, Verdict.UNREACHED, reason)


def _adoption_runs(prepared: Prepared, finished: Sequence[Sequence[ScenarioResult]]) -> Iterator[AdoptionRun]:
    for at, (intake, runner, results) in enumerate(zip(prepared.intakes, prepared.runners, finished, strict=True)):
        adoption = intake.adoption
        yield AdoptionRun(
            path=intake.path,
            instance=adoption.instance if adoption is not None else None,
            digest=adoption.digest if adoption is not None else None,
            findings=intake.findings,
            results=tuple(results),
            selected=sum(task.adoption == at for task in prepared.tasks),
            excluded=len(runner.expansion.exclusions) if runner is not None else 0,
            unaccounted=runner.expansion.unaccounted if runner is not None else 0,
            contract=intake.contract,
            model=runner.model if runner is not None else None,
            inverted=runner.invert if runner is not None else None,
        )
