"""What a book has entries for: jobs, assignments and workers, each with the rows that tell of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.run.recording import LogRow


class Job(NamedTuple):
    """An accepted job; `outcome` is its first terminal outcome, None while it is owed."""

    job: int
    payload: Any
    customer: Any
    accepted: LogRow
    outcome: LogRow | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """A dispatch with the facts about it that came in; `closed` once its job has an outcome or goes elsewhere."""

    dispatched: LogRow
    answer: LogRow | None = None
    completion: LogRow | None = None
    stop: LogRow | None = None
    closed: bool = False

    def __getitem__(self, column: str) -> Any:
        return self.dispatched[column]

    @property
    def is_accepted(self) -> bool:
        """Whether its worker has it."""
        return self.answer is not None and self.answer["input"] == "delivery-accepted"

    @property
    def runs(self) -> bool:
        """Whether it is open: neither settled, nor refused, nor interrupted."""
        refused = self.answer is not None and not self.is_accepted
        return not (self.closed or refused or (self.is_accepted and self.stop is not None))


class Worker(NamedTuple):
    """A worker by the facts about it; `attempt` is the number of its start, None once that was answered.

    `steps` are the facts of its way to readiness, `stop` its exit, `asked` whether it was asked to end.
    """

    role: str
    child: int
    birth: int
    attempt: int | None
    committed: LogRow
    steps: tuple[LogRow, ...] = ()
    stop: LogRow | None = None
    asked: bool = False

    def passed(self, *inputs: str) -> bool:
        """Whether each of these facts came in, in this order."""
        seen = iter(row["input"] for row in self.steps)
        return all(each in seen for each in inputs)

    @property
    def is_ready(self) -> bool:
        """Whether it is there and its readiness came in."""
        return self.stop is None and self.passed("worker-ready")


ASKED, RUNNING, OVER = "asked", "running", "over"
