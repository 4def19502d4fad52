"""Scenarios in several processes: the same results in the same order, whatever the number of workers."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from harness.base.errors import HarnessError
from harness.intake import validate_files
from harness.pipeline import AdoptionRunner, RunOptions, run_in_time
from harness.writers.run_files import ScenarioResult

# Few scenarios at a time keep all workers busy to the end; each is tens of milliseconds.
CHUNK = 4

Job = tuple[str, str]
"""The path of an adoption and the id of a scenario: a worker reads the file for itself, once."""

# What one worker process was told at its start, and the runners it has made since.
_options = RunOptions()
_deadline: float | None = None
_runners: dict[str, AdoptionRunner] = {}


def _begin(options: RunOptions, deadline: float | None) -> None:
    """Set a fresh worker up; the interrupt key is for the parent, which ends the workers."""
    global _options, _deadline  # one process, one run: these are its arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _options, _deadline = options, deadline


def _work(job: Job) -> ScenarioResult:
    path, scenario_id = job
    if path not in _runners:
        _runners[path] = AdoptionRunner(validate_files([path], _options.contract_file)[0], _options.limits)
    runner = _runners[path]
    scenario = next(each for each in runner.expansion.scenarios if each.id == scenario_id)
    return run_in_time(runner, scenario, _options, _deadline)


def results_of_workers(jobs: Sequence[Job], options: RunOptions, deadline: float | None) -> Iterator[ScenarioResult]:
    """The result of each job, in the order of the jobs; leaving early ends the workers."""
    # Spawned on every system, so that a worker starts from the same nothing everywhere.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(options.workers, context, _begin, (options, deadline))
    try:
        yield from pool.map(_work, jobs, chunksize=CHUNK)
    except BrokenProcessPool as broken:
        raise HarnessError("a worker process died", hint="run again with --workers 1 to see why") from broken
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
