"""What a pool owes and awaits, told from the facts that entered and the operations that left, and from nothing else.

The book never looks at the logs of the pool's own state, so that the two accounts can be held against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.run.recording import LogRow
from harness.verdict.pools.entries import ASKED, OVER, RUNNING, Assignment, Job, Worker

BOOK_LOGS = ("input-log", "action-lanes", "admission-outcomes", "terminal-outcomes", "assignment-trace")
"""The logs that a book is folded from."""


@dataclass(slots=True)
class Book:
    """Everything that is open, by the number that its answer carries."""

    jobs: dict[int, Job] = field(default_factory=dict)
    assignments: tuple[Assignment, ...] = ()
    making: dict[int, str] = field(default_factory=dict)
    early: dict[int, LogRow] = field(default_factory=dict)
    workers: dict[int, Worker] = field(default_factory=dict)
    tickets: dict[int, tuple[Any, Any, str]] = field(default_factory=dict)
    preparations: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    schedules: dict[tuple[Any, Any, Any], str] = field(default_factory=dict)
    telling: frozenset[int] = frozenset()
    deadline: tuple[Any, str] | None = None
    last_role: str | None = None
    begun: bool = False

    def copy(self) -> Book:
        """The same book, to be written on."""
        return Book(
            dict(self.jobs),
            self.assignments,
            dict(self.making),
            dict(self.early),
            dict(self.workers),
            dict(self.tickets),
            dict(self.preparations),
            dict(self.schedules),
            self.telling,
            self.deadline,
            self.last_role,
            self.begun,
        )

    def with_fact(self, row: LogRow | None) -> Book:
        """The book once a fact came in; this very one where the fact is about nothing open, or there is none."""
        if row is None or row["input"] not in _NOTES or not self.expects(row.data):
            return self
        book = self.copy()
        _NOTES[row["input"]](book, row)
        return book

    def with_operations(self, rows: tuple[LogRow, ...], fact: LogRow | None) -> Book:
        """The book once these rows of one event left; this very one where none of them opens or ends anything."""
        noted = [row for row in operations(rows) if row.log != "action-lanes" or row["lane"] in _LEFT]
        if not noted:
            return self
        book = self.copy()
        for row in noted:
            book.take(row, fact)
        return book

    # -- reading ---------------------------------------------------------------------------------------------------

    def owed(self) -> tuple[int, ...]:
        """The accepted jobs that have no outcome, in the order of their numbers."""
        return tuple(sorted((job for job, each in self.jobs.items() if each.outcome is None), key=empty_first))

    def waiting(self) -> tuple[int, ...]:
        """The accepted jobs that are owed and run on nobody, in the order of their admission."""
        running = {each["job"] for each in self.assignments if each.runs}
        return tuple(job for job, each in self.jobs.items() if each.outcome is None and job not in running)

    def worker_of(self, role: str) -> Worker | None:
        """The latest worker of a role."""
        return next((each for each in reversed(self.workers.values()) if each.role == role), None)

    def is_free(self, role: str) -> bool:
        """Whether the role's worker is ready, has no open assignment, and is neither asked to end nor distrusted."""
        worker = self.worker_of(role)
        if worker is None or not worker.is_ready or worker.asked:
            return False
        mine = [each for each in self.assignments if each["worker"] == worker.child]
        return not any(each.runs or (each.answer is not None and not each.is_accepted) for each in mine)

    def running_on(self, child: Any) -> Assignment | None:
        """The latest open assignment of a worker."""
        return next((each for each in reversed(self.assignments) if each["worker"] == child and each.runs), None)

    def latest_of(self, job: Any) -> Assignment | None:
        """The latest assignment of a job, whether it is open or not."""
        return next((each for each in reversed(self.assignments) if each["job"] == job), None)

    def delivery(self, fact: Mapping[str, Any]) -> Assignment | None:
        """The assignment whose delivery an answer is about, None where none is open."""
        named = ("role", "worker", "assignment")
        found = (each for each in reversed(self.assignments) if all(each[one] == fact[one] for one in named))
        return next((each for each in found if each.answer is None), None)

    def completed(self, fact: Mapping[str, Any]) -> Assignment | None:
        """The open assignment that a completion belongs to in every number, None where there is none."""
        named = ("worker", "assignment", "authority", "authority-birth")
        found = (each for each in reversed(self.assignments) if all(each[one] == fact[one] for one in named))
        return next((each for each in found if each.runs and each.completion is None), None)

    def expects(self, fact: Mapping[str, Any]) -> bool:
        """Whether a fact is about something that is open, in every number that it carries."""
        return _EXPECTED[fact["input"]](self, fact)

    # -- writing ---------------------------------------------------------------------------------------------------

    def take(self, row: LogRow, fact: LogRow | None) -> None:
        """A row of what left with a fact."""
        if row.log == "action-lanes":
            note = _LEFT.get(row["lane"])
            if note is not None:
                note(self, row)
        else:
            self._note_outcome(row, fact)

    def _note_outcome(self, row: LogRow, fact: LogRow | None) -> None:
        """A customer is told something, or a worker is given a job."""
        if row.log == "admission-outcomes" and row["outcome"] == "accepted":
            payload, customer = (None, None) if fact is None else (fact["payload"], fact["customer"])
            self.jobs.setdefault(row["job"], Job(row["job"], payload, customer, row))
        elif row.log == "terminal-outcomes":
            job = self.jobs.get(row["job"])
            if job is not None and job.outcome is None:
                self.jobs[row["job"]] = job._replace(outcome=row)
            self._close(row["job"])
        elif row.log == "assignment-trace" and row["change"] == "dispatched":
            self._close(row["job"])
            self.assignments = (*self.assignments, Assignment(row))
            self.last_role = row["role"]

    def _close(self, job: Any) -> None:
        if any(each["job"] == job and not each.closed for each in self.assignments):
            self.assignments = tuple(
                replace(each, closed=True) if each["job"] == job else each for each in self.assignments
            )

    def update(self, assignment: Assignment | None, **values: Any) -> None:
        """An assignment with more facts."""
        self.assignments = tuple(replace(each, **values) if each is assignment else each for each in self.assignments)


# -- whether a fact is awaited -------------------------------------------------------------------------------------


def _birth(book: Book, fact: Mapping[str, Any]) -> bool:
    made = book.making.get(fact["reservation"]) == fact["role"]
    return made and bool(fact["input"] == "birth-rejected" or fact["worker"] == fact["reservation"])


def _init(book: Book, fact: Mapping[str, Any]) -> bool:
    worker = book.workers.get(fact["worker"])
    named = (fact["role"], fact["birth"], fact["attempt"])
    return worker is not None and (worker.role, worker.birth, worker.attempt) == named


def _ticket(*states: str) -> Callable[[Book, Mapping[str, Any]], bool]:
    def expected(book: Book, fact: Mapping[str, Any]) -> bool:
        role, worker, state = book.tickets.get(fact["ticket"], (None, None, OVER))
        return (role, worker) == (fact["role"], fact["worker"]) and state in states

    return expected


def _stopped(book: Book, fact: Mapping[str, Any]) -> bool:
    worker, child = book.workers.get(fact["worker"]), fact["worker"]
    if worker is not None:
        return worker.stop is None and (worker.role, worker.birth) == (fact["role"], fact["birth"])
    return book.making.get(child) == fact["role"] and child not in book.early


def _schedule(*states: str) -> Callable[[Book, Mapping[str, Any]], bool]:
    def expected(book: Book, fact: Mapping[str, Any]) -> bool:
        return book.schedules.get((fact["role"], fact["recovery"], fact["timer"])) in states

    return expected


def _deadline(state: str) -> Callable[[Book, Mapping[str, Any]], bool]:
    return lambda book, fact: book.deadline == (fact["timer"], state)


def _source(book: Book, fact: Mapping[str, Any]) -> bool:
    return book.preparations.get(fact["role"]) == (fact["replaces"], fact["birth"])


def _told_to_end(book: Book, fact: Mapping[str, Any]) -> bool:
    worker = book.workers.get(fact["worker"])
    return worker is not None and worker.role == fact["role"] and fact["worker"] in book.telling


_EXPECTED: Mapping[str, Callable[[Book, Mapping[str, Any]], bool]] = {
    "initialize": lambda book, _: not book.begun,
    "submit": lambda *_: True,
    "rebalance": lambda *_: True,
    "unbind": lambda *_: True,
    "shutdown": lambda *_: True,
    "birth-committed": _birth,
    "birth-rejected": _birth,
    "init-ready": _init,
    "init-rejected": _init,
    "init-stopped": _init,
    "begin-accepted": _ticket(ASKED),
    "begin-rejected": _ticket(ASKED),
    "worker-ready": _ticket(ASKED, RUNNING),
    "worker-stopped": _stopped,
    "delivery-accepted": lambda book, fact: book.delivery(fact) is not None,
    "delivery-rejected": lambda book, fact: book.delivery(fact) is not None,
    "worker-completed": lambda book, fact: book.completed(fact) is not None,
    "source-prepared": _source,
    "source-partial": _source,
    "source-rejected": _source,
    "schedule-accepted": _schedule(ASKED),
    "schedule-rejected": _schedule(ASKED),
    "timer-elapsed": _schedule(RUNNING),
    "shutdown-accepted": _told_to_end,
    "shutdown-rejected": _told_to_end,
    "deadline-accepted": _deadline(ASKED),
    "deadline-rejected": _deadline(ASKED),
    "deadline-elapsed": _deadline(RUNNING),
}

# -- what an awaited fact changes ----------------------------------------------------------------------------------


def _note_initialize(book: Book, _: LogRow) -> None:
    book.begun = True


def _note_birth(book: Book, row: LogRow) -> None:
    role, child = book.making.pop(row["reservation"]), row["reservation"]
    early = book.early.pop(child, None)
    if row["input"] == "birth-committed":
        stop = early if early is not None and early["birth"] == row["birth"] else None
        book.workers[child] = Worker(role, child, row["birth"], row["attempt"], row, stop=stop)


def _step(book: Book, row: LogRow, **values: Any) -> None:
    worker = book.workers.get(row["worker"])
    if worker is not None:
        book.workers[row["worker"]] = worker._replace(steps=(*worker.steps, row), **values)


def _note_init(book: Book, row: LogRow) -> None:
    _step(book, row, attempt=None)


def _note_ticket(book: Book, row: LogRow) -> None:
    role, worker, _ = book.tickets[row["ticket"]]
    book.tickets[row["ticket"]] = (role, worker, RUNNING if row["input"] == "begin-accepted" else OVER)
    _step(book, row)


def _note_stop(book: Book, row: LogRow) -> None:
    child = row["worker"]
    if child not in book.workers:
        book.early[child] = row
        return
    book.workers[child] = book.workers[child]._replace(stop=row)
    for each in [one for one in book.assignments if one["worker"] == child and one.runs]:
        book.update(each, stop=row)


def _note_delivery(book: Book, row: LogRow) -> None:
    book.update(book.delivery(row.data), answer=row)


def _note_completion(book: Book, row: LogRow) -> None:
    book.update(book.completed(row.data), completion=row)


def _note_source(book: Book, row: LogRow) -> None:
    book.preparations.pop(row["role"], None)


def _note_schedule(book: Book, row: LogRow) -> None:
    state = RUNNING if row["input"] == "schedule-accepted" else OVER
    book.schedules[row["role"], row["recovery"], row["timer"]] = state


def _note_told_to_end(book: Book, row: LogRow) -> None:
    book.telling -= {row["worker"]}


def _note_deadline(book: Book, row: LogRow) -> None:
    book.deadline = (row["timer"], RUNNING if row["input"] == "deadline-accepted" else OVER)


_NOTES: Mapping[str, Callable[[Book, LogRow], None]] = {
    "initialize": _note_initialize,
    **dict.fromkeys(("birth-committed", "birth-rejected"), _note_birth),
    **dict.fromkeys(("init-ready", "init-rejected", "init-stopped"), _note_init),
    **dict.fromkeys(("begin-accepted", "begin-rejected", "worker-ready"), _note_ticket),
    "worker-stopped": _note_stop,
    **dict.fromkeys(("delivery-accepted", "delivery-rejected"), _note_delivery),
    "worker-completed": _note_completion,
    **dict.fromkeys(("source-prepared", "source-partial", "source-rejected"), _note_source),
    **dict.fromkeys(("schedule-accepted", "schedule-rejected", "timer-elapsed"), _note_schedule),
    **dict.fromkeys(("shutdown-accepted", "shutdown-rejected"), _note_told_to_end),
    **dict.fromkeys(("deadline-accepted", "deadline-rejected", "deadline-elapsed"), _note_deadline),
}

# -- what an operation opens ---------------------------------------------------------------------------------------


def _left_creation(book: Book, row: LogRow) -> None:
    book.making[row["reservation"]] = row["role"]


def _left_begin(book: Book, row: LogRow) -> None:
    book.tickets[row["ticket"]] = (row["role"], row["worker"], ASKED)


def _left_preparation(book: Book, row: LogRow) -> None:
    book.preparations[row["role"]] = (row["worker"], row["birth"])


def _left_schedule(book: Book, row: LogRow) -> None:
    book.schedules[row["role"], row["recovery"], row["timer"]] = ASKED


def _left_shutdown(book: Book, row: LogRow) -> None:
    book.telling |= {row["worker"]}
    worker = book.workers.get(row["worker"])
    if worker is not None:
        book.workers[row["worker"]] = worker._replace(asked=True)


def _left_deadline(book: Book, row: LogRow) -> None:
    book.deadline = (row["timer"], ASKED)


_LEFT: Mapping[str, Callable[[Book, LogRow], None]] = {
    "worker-creations": _left_creation,
    "activation-begins": _left_begin,
    "worker-preparations": _left_preparation,
    "restart-schedules": _left_schedule,
    "worker-shutdowns": _left_shutdown,
    "deadline-schedules": _left_deadline,
}


def empty_first(value: int | str | None) -> tuple[bool, int | str]:
    """The order of numbers, or of names; what a system left empty comes first."""
    return (value is not None, 0 if value is None else value)


def operations(rows: tuple[LogRow, ...]) -> Iterator[LogRow]:
    """The rows of one event that tell what left, in order."""
    return (row for row in rows if row.log in BOOK_LOGS and row.log != "input-log")
