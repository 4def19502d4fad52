"""What is open around a supervisor: kept from the facts that entered and the operations that left, and nothing else.

The book never looks at the logs of the supervisor's own state, so that the two accounts can be held against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.run.recording import LogRow
from harness.verdict.pools.book import Book
from harness.verdict.pools.entries import ASKED, OVER, RUNNING

BOOK_LOGS = ("input-log", "action-lanes", "residual-transfers")
"""The logs that a book is folded from."""

INPUT_LANES = ("proxy-install-inputs", "proxy-replacement-inputs")
REPLACEMENT = "replacement"
DELIVERY_LANES = ("lifecycle-events", "management-replies", "diagnostic-deliveries")
"""Lanes whose operations have a ticket each, under which somebody tells of their arrival."""


class Given(NamedTuple):
    """An operation that left for a proxy and has no outcome; `taken` is the row of its receipt."""

    left: LogRow
    taken: LogRow | None = None

    @property
    def replaces(self) -> int | None:
        """The worker that it replaces, None for a first one."""
        return self.left["replaces"] if self.left["operation"] == REPLACEMENT else None


class Service(NamedTuple):
    """The worker that a proxy reported ready, by which row, whether its end is known, and a successor that waits.

    `stop` is the row that told its end; `failed` that the operation to replace it has failed.
    """

    worker: int
    ready: LogRow
    stop: LogRow | None = None
    successor: LogRow | None = None
    failed: LogRow | None = None


class Schedule(NamedTuple):
    """A timer that was asked for, what became of it, and the earliest time for it to go off."""

    state: str
    due: int | None


@dataclass(slots=True)
class SupervisorBook(Book):
    """Everything that is open, by the number that its answer carries; `unissued` counts the inputs of each role.

    `mail` has the rows of what was sent and not told to have arrived or come back, by ticket.
    """

    births: dict[int, str] = field(default_factory=dict)
    exited: frozenset[int] = frozenset()
    alive: dict[int, str] = field(default_factory=dict)
    asked: dict[int, bool] = field(default_factory=dict)
    given: dict[int, Given] = field(default_factory=dict)
    serving: dict[int, Service] = field(default_factory=dict)
    preparing: dict[int, tuple[str, ...]] = field(default_factory=dict)
    timers: dict[tuple[int | None, int], Schedule] = field(default_factory=dict)
    unissued: dict[str, int] = field(default_factory=dict)
    mail: dict[int, LogRow] = field(default_factory=dict)

    def copy(self) -> SupervisorBook:
        """The same book, to be written on."""
        return SupervisorBook(
            begun=self.begun,
            births=dict(self.births),
            exited=self.exited,
            alive=dict(self.alive),
            asked=dict(self.asked),
            given=dict(self.given),
            serving=dict(self.serving),
            preparing=dict(self.preparing),
            timers=dict(self.timers),
            unissued=dict(self.unissued),
            mail=dict(self.mail),
        )

    def with_fact(self, row: LogRow | None) -> SupervisorBook:
        """The book once a fact came in; this very one where the fact is about nothing open, or there is none."""
        if row is None or row["input"] not in _NOTES or not self.expects(row.data):
            return self
        book = self.copy()
        _NOTES[row["input"]](book, row)
        return book

    def with_operations(self, rows: tuple[LogRow, ...], fact: LogRow | None) -> SupervisorBook:
        """The book once these rows of one event left; this very one where none of them opens or ends anything."""
        noted = [row for row in operations(rows) if row.log != "action-lanes" or row["lane"] in _LEFT]
        if not noted:
            return self
        book = self.copy()
        for row in noted:
            book.take(row, fact)
        return book

    def take(self, row: LogRow, fact: LogRow | None) -> None:
        """A row of what left with a fact."""
        if row.log == "residual-transfers":
            returned = fact is not None and fact["input"] in ("workers-partial", "source-rejected")
            for role in row["roles"]:
                if not (returned and row["role"] is None):  # what was made in vain never came in
                    self.unissued[role] = self.unissued.get(role, 0) - 1
        elif row["lane"] in _LEFT:
            _LEFT[row["lane"]](self, row)

    def expects(self, fact: Mapping[str, Any]) -> bool:
        """Whether a fact is about something that is open, in every number that it carries."""
        return _EXPECTED[fact["input"]](self, fact)

    def role_of(self, proxy: int | None) -> str | None:
        """The role that a living proxy belongs to."""
        return None if proxy is None else self.alive.get(proxy)

    def is_ready(self, proxy: int | None) -> bool:
        """Whether a proxy has a worker that it reported ready, which is not known to have ended."""
        service = None if proxy is None else self.serving.get(proxy)
        return service is not None and service.stop is None and service.successor is None


def operations(rows: tuple[LogRow, ...]) -> Iterator[LogRow]:
    """The rows of one event that tell what left, in order."""
    return (row for row in rows if row.log in BOOK_LOGS and row.log != "input-log")


# -- whether a fact is awaited -------------------------------------------------------------------------------------


def _birth(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    known = fact["reservation"] in book.births
    return known and bool(fact["input"] != "proxy-committed" or fact["proxy"] == fact["reservation"])


def _receipt(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    given = book.given.get(fact["proxy"])
    if given is None or given.taken is not None or given.left["ticket"] != fact["ticket"]:
        return False
    if fact["input"] == "input-accepted":
        return True
    return all(given.left[name] == fact[name] for name in ("operation", "recovery", "replaces"))


def _initial(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    given = book.given.get(fact["proxy"])
    return given is not None and given.taken is not None and given.replaces is None


def _replacement(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    given = book.given.get(fact["proxy"])
    if given is None or given.taken is None or given.replaces is None or given.replaces != fact["replaces"]:
        return False
    return bool(fact["worker"] != fact["replaces"])


def _stop(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    service = book.serving.get(fact["proxy"])
    return service is not None and service.stop is None and service.worker == fact["worker"]


def _lost(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    """A report that nobody waits for is the host's alone."""
    return _stop(book, fact) and waits_for_stop(book, fact["proxy"])


def waits_for_stop(book: SupervisorBook, proxy: int) -> bool:
    """Whether the stop of a proxy's worker is what a replacement waits for."""
    given, service = book.given.get(proxy), book.serving.get(proxy)
    joined = service is not None and (service.successor is not None or service.failed is not None)
    return joined or (given is not None and given.replaces is not None)


def _source(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    names = book.preparing.get(fact["preparation"])
    if names is None:
        return False
    if fact["input"] == "workers-prepared":
        return tuple(fact["roles"]) == names
    if fact["input"] == "workers-partial":
        return (*fact["roles"], fact["role"], *fact["remaining"]) == names
    return True


def _schedule(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    found = book.timers.get((fact["recovery"], fact["timer"]))
    return found is not None and found.state == ASKED


def _elapsed(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    found = book.timers.get((fact["recovery"], fact["timer"]))
    if found is None or found.state != RUNNING or fact["at"] is None or found.due is None:
        return False
    return bool(fact["at"] >= found.due)


def _call(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    return fact["proxy"] in book.alive


def _settled(book: SupervisorBook, fact: Mapping[str, Any]) -> bool:
    """A ticket is settled once, as what left under it."""
    sent = book.mail.get(fact["delivery"])
    return sent is not None and (sent["lane"], sent["route"]) == (fact["lane"], fact["route"])


_EXPECTED: Mapping[str, Callable[[SupervisorBook, Mapping[str, Any]], bool]] = {
    "initialize": lambda book, _: not book.begun,
    **dict.fromkeys(("query-status", "query-capability", "shutdown"), lambda *_: True),
    **dict.fromkeys(("proxy-committed", "proxy-fold-rejected", "proxy-host-rejected"), _birth),
    "exit-before-birth": lambda book, fact: (
        fact["reservation"] in book.births and fact["reservation"] not in book.exited
    ),
    "exit-after-birth": lambda book, fact: fact["proxy"] in book.alive,
    **dict.fromkeys(("input-accepted", "input-rejected"), _receipt),
    **dict.fromkeys(("initial-ready", "initial-failed"), _initial),
    **dict.fromkeys(("replacement-ready", "replacement-failed"), _replacement),
    "worker-stopped": _stop,
    "stop-report-refused": _lost,
    "unavailable": _call,
    **dict.fromkeys(
        ("shutdown-accepted", "shutdown-rejected"), lambda book, fact: not book.asked.get(fact["proxy"], True)
    ),
    **dict.fromkeys(("workers-prepared", "workers-partial", "source-rejected"), _source),
    **dict.fromkeys(("schedule-accepted", "schedule-rejected"), _schedule),
    **dict.fromkeys(("deadline-accepted", "deadline-rejected"), _schedule),
    **dict.fromkeys(("timer-elapsed", "deadline-elapsed"), _elapsed),
    "delivery-settled": _settled,
}


# -- what an awaited fact changes ----------------------------------------------------------------------------------


def _note_initialize(book: SupervisorBook, _: LogRow) -> None:
    book.begun = True


def _note_birth(book: SupervisorBook, row: LogRow) -> None:
    role = book.births.pop(row["reservation"])
    if row["input"] == "proxy-committed" and row["reservation"] not in book.exited:
        book.alive[row["proxy"]] = role
    book.exited -= {row["reservation"]}


def _note_early_exit(book: SupervisorBook, row: LogRow) -> None:
    book.exited |= {row["reservation"]}


def _note_exit(book: SupervisorBook, row: LogRow) -> None:
    for each in (book.alive, book.given, book.serving):
        each.pop(row["proxy"], None)


def _note_receipt(book: SupervisorBook, row: LogRow) -> None:
    if row["input"] == "input-accepted":
        book.given[row["proxy"]] = book.given[row["proxy"]]._replace(taken=row)
    else:
        del book.given[row["proxy"]]


def _note_initial(book: SupervisorBook, row: LogRow) -> None:
    del book.given[row["proxy"]]
    if row["input"] == "initial-ready":
        book.serving[row["proxy"]] = Service(row["worker"], row)


def _note_replacement(book: SupervisorBook, row: LogRow) -> None:
    del book.given[row["proxy"]]
    service = book.serving.get(row["proxy"])
    if row["input"] == "replacement-failed":
        if service is not None:
            book.serving[row["proxy"]] = service._replace(failed=row)
    elif service is None or service.stop is not None:
        book.serving[row["proxy"]] = Service(row["worker"], row)
    else:
        book.serving[row["proxy"]] = service._replace(successor=row)


def _note_stop(book: SupervisorBook, row: LogRow) -> None:
    service = book.serving[row["proxy"]]
    if service.successor is not None:
        book.serving[row["proxy"]] = Service(service.successor["worker"], service.successor)
    else:
        book.serving[row["proxy"]] = service._replace(stop=row)


def _note_told(book: SupervisorBook, row: LogRow) -> None:
    book.asked[row["proxy"]] = True


def _note_source(book: SupervisorBook, row: LogRow) -> None:
    names = book.preparing.pop(row["preparation"])
    if row["input"] == "workers-prepared":
        for name in names:
            book.unissued[name] = book.unissued.get(name, 0) + 1


def _note_timer(book: SupervisorBook, row: LogRow) -> None:
    number = (row["recovery"], row["timer"])
    state = RUNNING if row["input"] in ("schedule-accepted", "deadline-accepted") else OVER
    book.timers[number] = book.timers[number]._replace(state=state)


def _note_settled(book: SupervisorBook, row: LogRow) -> None:
    del book.mail[row["delivery"]]


_NOTES: Mapping[str, Callable[[SupervisorBook, LogRow], None]] = {
    "initialize": _note_initialize,
    **dict.fromkeys(("proxy-committed", "proxy-fold-rejected", "proxy-host-rejected"), _note_birth),
    "exit-before-birth": _note_early_exit,
    "exit-after-birth": _note_exit,
    **dict.fromkeys(("input-accepted", "input-rejected"), _note_receipt),
    **dict.fromkeys(("initial-ready", "initial-failed"), _note_initial),
    **dict.fromkeys(("replacement-ready", "replacement-failed"), _note_replacement),
    **dict.fromkeys(("worker-stopped", "stop-report-refused"), _note_stop),
    **dict.fromkeys(("shutdown-accepted", "shutdown-rejected"), _note_told),
    **dict.fromkeys(("workers-prepared", "workers-partial", "source-rejected"), _note_source),
    **dict.fromkeys(("schedule-accepted", "schedule-rejected", "timer-elapsed"), _note_timer),
    **dict.fromkeys(("deadline-accepted", "deadline-rejected", "deadline-elapsed"), _note_timer),
    "delivery-settled": _note_settled,
}


# -- what an operation opens ---------------------------------------------------------------------------------------


def _left_creation(book: SupervisorBook, row: LogRow) -> None:
    book.births[row["reservation"]] = row["role"]
    book.unissued[row["role"]] = book.unissued.get(row["role"], 0) + 1


def _left_preparation(book: SupervisorBook, row: LogRow) -> None:
    book.preparing[row["preparation"]] = tuple(row["roles"])


def _left_input(book: SupervisorBook, row: LogRow) -> None:
    book.given[row["proxy"]] = Given(row)
    role = book.role_of(row["proxy"])
    if role is not None:
        book.unissued[role] = book.unissued.get(role, 0) - 1


def _left_shutdown(book: SupervisorBook, row: LogRow) -> None:
    book.asked[row["proxy"]] = False


def _left_schedule(book: SupervisorBook, row: LogRow) -> None:
    book.timers[row["recovery"], row["timer"]] = Schedule(ASKED, row["due"])


def _left_deadline(book: SupervisorBook, row: LogRow) -> None:
    book.timers[None, row["timer"]] = Schedule(ASKED, row["after"])


def _left_delivery(book: SupervisorBook, row: LogRow) -> None:
    if row["delivery"] is not None:
        book.mail[row["delivery"]] = row


_LEFT: Mapping[str, Callable[[SupervisorBook, LogRow], None]] = {
    "proxy-creations": _left_creation,
    "worker-preparations": _left_preparation,
    **dict.fromkeys(INPUT_LANES, _left_input),
    "proxy-shutdowns": _left_shutdown,
    "restart-schedules": _left_schedule,
    "deadline-schedules": _left_deadline,
    **dict.fromkeys(DELIVERY_LANES, _left_delivery),
}
