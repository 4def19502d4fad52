"""Scenarios in other processes: the same results in order, a death told, and nobody left behind."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness import workers
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.pilot import DEFAULT_LIMITS
from harness.runner import AdoptionRunner
from harness.workers import Job, NotRun, WorkerSettings, results_of_workers
from harness.writers.run_files import ScenarioResult
from tests.run_builders import BAKERY

SETTINGS = WorkerSettings(None, DEFAULT_LIMITS, None)


@pytest.fixture(scope="module")
def runner() -> AdoptionRunner:
    """The bakery in this process."""
    return AdoptionRunner(validate_files([str(BAKERY)])[0])


def jobs_of(runner: AdoptionRunner, count: int) -> list[Job]:
    chosen = runner.scenarios(Selection())[:count]
    return [Job(str(BAKERY), runner.adoption.digest, each.id) for each in chosen]


def never() -> bool:
    return False


def run(jobs: Sequence[Job], count: int = 2) -> list[ScenarioResult | NotRun | None]:
    return list(results_of_workers(jobs, count, SETTINGS, never))


def test_workers_give_what_one_process_gives(runner: AdoptionRunner) -> None:
    """The results are those of this process, entry and files, in the order of the jobs."""
    jobs = jobs_of(runner, 6)
    here = [runner.run(each) for each in runner.scenarios(Selection())[:6]]
    assert run(jobs) == here
    assert multiprocessing.active_children() == []


def test_leaving_early_leaves_no_process(runner: AdoptionRunner) -> None:
    """Closing the results half way ends every worker."""
    results = results_of_workers(jobs_of(runner, 6), 2, SETTINGS, never)
    next(results)
    assert len(multiprocessing.active_children()) == 2
    results.close()
    assert multiprocessing.active_children() == []


def test_dead_worker_takes_only_its_scenario(runner: AdoptionRunner) -> None:
    """A worker that is killed is told as such for the scenario it was on; a fresh one does the rest."""
    results = results_of_workers(jobs_of(runner, 5), 1, SETTINGS, never)
    first = next(results)
    (child,) = multiprocessing.active_children()
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    second, *others = list(results)
    assert isinstance(first, ScenarioResult)
    assert second == NotRun("the worker process died of it (signal 9)")
    assert len(others) == 3
    assert all(isinstance(each, ScenarioResult) for each in others)


def test_file_that_changes_meanwhile_is_told(runner: AdoptionRunner, tmp_path: Path) -> None:
    """A worker that reads another adoption than the one that was expanded does not judge it."""
    copy = tmp_path / "oven.yaml"
    shutil.copy(BAKERY, copy)
    job = jobs_of(runner, 1)[0]._replace(path=str(copy), digest="sha256:" + "0" * 64)
    assert run([job], 1) == [NotRun(f"{copy} changed while it was being run")]


def test_fault_in_a_worker_is_told_for_its_scenario(runner: AdoptionRunner) -> None:
    """Whatever fails in a worker is the result of that scenario, and the worker goes on."""
    wrong, right = jobs_of(runner, 2)
    first, second = run([wrong._replace(scenario="no such scenario"), right], 1)
    assert isinstance(first, NotRun)
    assert first.reason.startswith("the harness failed in a worker: StopIteration")
    assert isinstance(second, ScenarioResult)


def test_late_jobs_are_not_begun(runner: AdoptionRunner) -> None:
    """Once it is late, what was not begun has no result."""
    answers = iter([False, True, True, True])
    found = list(results_of_workers(jobs_of(runner, 4), 1, SETTINGS, lambda: next(answers)))
    assert isinstance(found[0], ScenarioResult)
    assert found[1:] == [None, None, None]


def test_no_more_workers_than_jobs(runner: AdoptionRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of one scenario in many processes starts one."""
    hired: list[int] = []
    hire = workers._Crew.hire

    def counted(self: workers._Crew, count: int) -> None:
        hired.append(count)
        hire(self, count)

    monkeypatch.setattr(workers._Crew, "hire", counted)
    run(jobs_of(runner, 1), 8)
    assert hired == [1]
