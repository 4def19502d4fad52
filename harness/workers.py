"""Scenarios in several processes: the same results in the same order, whatever the number of workers.

Each worker reads the adoption files for itself and gets one scenario after another. A worker that dies takes only its
scenario with it. Leaving early, by an interrupt too, ends every worker.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import NamedTuple

from harness.intake import validate_files
from harness.kits.kit import AUTO
from harness.run.driver.channel import DriverWish
from harness.run.pilot import Limits
from harness.runner import AdoptionRunner
from harness.writers.run_files import ScenarioResult

#: How long a worker that is done may take to end its driver.
LEAVE_S = 5.0


class Job(NamedTuple):
    """A scenario by its id, in the adoption with this path and digest."""

    path: str
    digest: str
    scenario: str


class WorkerSettings(NamedTuple):
    """What every worker has to know: the contract file, the bounds of searches, inversion, driver, model."""

    contract_file: str | None
    limits: Limits
    invert: str | None
    driver: DriverWish | None = None
    model: str = AUTO


class NotRun(NamedTuple):
    """Why a scenario has no result."""

    reason: str


def results_of_workers(
    jobs: Sequence[Job], count: int, settings: WorkerSettings, is_late: Callable[[], bool]
) -> Generator[ScenarioResult | NotRun | None, None, None]:
    """The result of each job, in the order of the jobs; None for one that it was too late to begin."""
    crew = _Crew(settings)
    waiting: dict[int, ScenarioResult | NotRun | None] = {}
    begun = 0
    try:
        crew.hire(min(count, len(jobs)))
        for at in range(len(jobs)):
            while at not in waiting:
                while begun < len(jobs) and crew.has_idle:
                    if is_late():
                        waiting[begun] = None
                    else:
                        crew.hand_out(begun, jobs[begun])
                    begun += 1
                if at not in waiting:
                    waiting.update(crew.collect())
            yield waiting.pop(at)
    finally:
        crew.dismiss()


# -- the side of the parent ----------------------------------------------------------------------------------------


class _Worker:
    """One process and the pipe to it; `task` is the number of the job it is on, None while it is idle."""

    def __init__(self, settings: WorkerSettings) -> None:
        # Spawned on every system, so that a worker starts from the same nothing everywhere.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, settings), daemon=True)
        self.process.start()
        theirs.close()
        self.task: int | None = None

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join()
        self.process.close()


class _Crew:
    """The workers of a run."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._workers: list[_Worker] = []

    def hire(self, count: int) -> None:
        for _ in range(count):
            with _without_interrupts():
                self._workers.append(_Worker(self._settings))

    @property
    def has_idle(self) -> bool:
        return any(each.task is None for each in self._workers)

    def hand_out(self, number: int, job: Job) -> None:
        worker = next(each for each in self._workers if each.task is None)
        worker.task = number
        with suppress(OSError):  # it died while it was idle: reading from it says so
            worker.connection.send(job)

    def collect(self) -> Iterator[tuple[int, ScenarioResult | NotRun]]:
        """Wait until some worker has answered or died; the jobs' numbers and what became of them."""
        busy = {each.connection: each for each in self._workers if each.task is not None}
        for connection in wait(list(busy)):
            worker = busy[connection]  # type: ignore[index]  # wait gives back what it was given
            assert worker.task is not None
            try:
                result: ScenarioResult | NotRun = worker.connection.recv()
            except (EOFError, OSError):
                result = self._replace(worker)
            yield worker.task, result
            worker.task = None

    def _replace(self, worker: _Worker) -> NotRun:
        """Put a fresh worker in the place of a dead one; says how that one ended."""
        worker.process.join()
        code = worker.process.exitcode
        worker.end()
        with _without_interrupts():
            self._workers[self._workers.index(worker)] = _Worker(self._settings)
        how = f"signal {-code}" if code is not None and code < 0 else f"exit status {code}"
        return NotRun(f"the worker process died of it ({how})")

    def dismiss(self) -> None:
        for each in self._workers:
            each.connection.close()  # an idle worker leaves by itself, with its driver
        for each in self._workers:
            if each.task is None:
                each.process.join(LEAVE_S)
            each.process.terminate()
        for each in self._workers:
            each.end()
        self._workers.clear()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start a process with the interrupt key blocked for it: the key is for the parent, which ends its workers."""
    mask = getattr(signal, "pthread_sigmask", None)
    if mask is None:
        yield
        return
    before = mask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        mask(signal.SIG_SETMASK, before)


# -- the side of the worker ----------------------------------------------------------------------------------------


def _serve(connection: Connection, settings: WorkerSettings) -> None:
    """Run one scenario after another until the parent hangs up, or asks to end; no driver is left behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    runners: dict[str, AdoptionRunner] = {}
    try:
        _serve_jobs(connection, settings, runners)
    finally:
        for each in runners.values():
            each.close()


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(-number)


def _serve_jobs(connection: Connection, settings: WorkerSettings, runners: dict[str, AdoptionRunner]) -> None:
    while True:
        try:
            job: Job = connection.recv()
        except (EOFError, OSError):
            return
        try:
            result: ScenarioResult | NotRun = _run(job, settings, runners)
        except Exception as fault:
            result = NotRun(f"the harness failed in a worker: {type(fault).__name__}: {fault}")
        try:
            connection.send(result)
        except OSError:
            return


def _run(job: Job, settings: WorkerSettings, runners: dict[str, AdoptionRunner]) -> ScenarioResult | NotRun:
    if job.path not in runners:
        intake = validate_files([job.path], settings.contract_file)[0]
        if intake.adoption is None or intake.adoption.digest != job.digest:
            return NotRun(f"{job.path} changed while it was being run")
        for other in runners.values():  # one driver process a worker
            other.close()
        runners[job.path] = AdoptionRunner(intake, settings.limits, settings.invert, settings.driver, settings.model)
    runner = runners[job.path]
    return runner.run(next(each for each in runner.expansion.scenarios if each.id == job.scenario))
