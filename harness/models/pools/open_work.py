"""What facts tell of the jobs and workers that are open: the part of a ledger that the laws of pools share.

It reads inputs alone, never the state of a pool. A law's ledger adds what it counts besides, and gives its violations
their names.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from harness.models.pools import facts as f
from harness.models.pools.correlations import BirthId, Correlation, DispatchId, JobId
from harness.models.pools.values import Stop, Worker


class OpenJob(Protocol):
    """An accepted job that has no outcome yet; `worker` and `dispatch` tell its latest assignment, None for none.

    `delivered` is the delivery's answer (None: open), `stopped` and `completed` whether the exact fact was seen.
    """

    @property
    def worker(self) -> Worker | None:
        """Who has it."""

    @property
    def dispatch(self) -> DispatchId | None:
        """Under which number."""

    @property
    def delivered(self) -> bool | None:
        """The delivery's answer."""

    @property
    def stopped(self) -> bool:
        """Whether its worker stopped."""

    @property
    def completed(self) -> bool:
        """Whether it was completed."""

    @property
    def is_running(self) -> bool:
        """Whether the latest assignment is not over."""

    def _replace(self, *, delivered: bool | None = ..., stopped: bool = ..., completed: bool = ...) -> Any:
        """The same job with other values."""


J = TypeVar("J", bound=OpenJob)


def is_running(job: OpenJob) -> bool:
    """Whether the latest assignment of a job is not over."""
    return job.worker is not None and not (job.delivered is False or (job.delivered and job.stopped))


class OpenWork(Generic[J]):
    """A draft of what is open, into which facts are written; `names` are the violations found on the way.

    `making` are creations (role, birth), `alive` live workers (role, worker), `ready` and `asked` those of them that
    are ready and that were asked to end, `early` stops seen before their birth, `highest` the latest number by kind.
    """

    #: The violation of a number that goes out a second time.
    REISSUED: ClassVar[str]

    entries: dict[JobId, J]
    making: set[tuple[int, BirthId]]
    alive: set[tuple[int, Worker]]
    ready: set[BirthId]
    asked: set[BirthId]
    early: dict[BirthId, Stop]
    highest: dict[type, Correlation]
    closed: bool
    names: list[str]

    @abstractmethod
    def role_of(self, job: J) -> int:
        """The place of the role that a job which has a worker was given to."""

    def begin(self, highest: Iterable[Correlation]) -> None:
        """Start with the latest number of each kind, and nothing found."""
        self.highest = {type(each): each for each in highest}
        self.names = []

    def expect(self, holds: bool, name: str) -> None:
        """Note a violation where something does not hold."""
        if not holds:
            self.names.append(name)

    def issue(self, number: Correlation, name: str | None = None) -> None:
        """A number goes out for the first time."""
        latest = self.highest[type(number)]
        self.expect(number > latest, name or self.REISSUED)
        self.highest[type(number)] = max(latest, number)

    def note_fact(self, fact: Any) -> bool:
        """Write down what a fact tells of the world; False where it tells of nothing that is open."""
        note = getattr(self, "_" + fact.kind.replace("-", "_"), None)
        return True if note is None else bool(note(fact))

    def born(self, fact: f.BirthCommitted) -> bool:
        """A creation was answered with its worker, which may have stopped already."""
        if (fact.role, fact.reservation) not in self.making or fact.worker.child != fact.reservation:
            return False
        self.making.discard((fact.role, fact.reservation))
        early = self.early.pop(fact.worker.child, None)
        if early is None or early.worker != fact.worker:
            self.alive.add((fact.role, fact.worker))
        return True

    def _birth_rejected(self, fact: f.BirthRejected) -> bool:
        open_ = (fact.role, fact.reservation) in self.making
        self.making.discard((fact.role, fact.reservation))
        self.early.pop(fact.reservation, None)
        return open_

    def _worker_stopped(self, fact: f.WorkerStopped) -> bool:
        worker = fact.stop.worker
        if (fact.role, worker) in self.alive:
            self.alive.discard((fact.role, worker))
            self.ready.discard(worker.child)
            self.asked.discard(worker.child)
            for job, each in self.entries.items():
                if each.worker == worker:
                    self.entries[job] = each._replace(stopped=True)
            return True
        if (fact.role, worker.child) in self.making and worker.child not in self.early:
            self.early[worker.child] = fact.stop
            return True
        return False

    def _delivery_accepted(self, fact: f.DeliveryAccepted) -> bool:
        return self._delivered(fact, True)

    def _delivery_rejected(self, fact: f.DeliveryRejected) -> bool:
        return self._delivered(fact, False)

    def _delivered(self, fact: f.DeliveryAnswer, taken: bool) -> bool:
        for job, each in self.entries.items():
            if each.worker is None or each.delivered is not None:
                continue
            if (self.role_of(each), each.worker.child, each.dispatch) == (fact.role, fact.child, fact.assignment):
                self.entries[job] = each._replace(delivered=taken)
                return True
        return self.closed

    def _worker_completed(self, fact: f.WorkerCompleted) -> bool:
        done = fact.completion
        for job, each in self.entries.items():
            if each.worker is None or each.completed or not each.is_running:
                continue
            expected = (each.worker.child, each.dispatch, each.dispatch, each.worker.evidence)
            if expected == (fact.child, done.assignment, done.authority.token, done.authority.birth):
                self.entries[job] = each._replace(completed=True)
                return True
        return False
