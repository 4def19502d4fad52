"""When two nodes of a walk over a FIFO pool are one state: nothing that can be sent or checked ever tells them apart.

Compared are the pool, the oracle's book, the ledger and the bench, up to the names of correlations (`Shapes`). Left
out is only what nobody reads any more:

- of the bench, what no letter of the walk reads, and the next request, which is always a new one;
- of the ledger, the highest numbers issued, where the allocators are beyond them: whatever is issued next is higher;
- of a job in the ledger that runs nowhere, where it ran: only how that ended is asked for;
- of the book of a closed pool, line, hand, counters and times of restarts, which are read in an open pool only;
- everything of a pool that has ended and whose book says so too: it takes nothing in, and the oracle says nothing.

The bench's clock stands still, so times need no place of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.models.pools.bench import Bench, Desk, Question
from harness.models.pools.correlations import (
    Allocators,
    BirthId,
    Correlation,
    DispatchId,
    JobId,
    RecoveryId,
    TicketId,
    TimerId,
)
from harness.models.pools.fifo.ledger import KINDS, Entry, Ledger
from harness.models.pools.fifo.state import Draining, Operating, State
from harness.models.pools.fifo_oracle.book import Book, Want
from harness.models.pools.renaming import Shapes
from harness.models.pools.values import Worker

UNOPENED = "unopened"
READ_LATEST = frozenset(("complete", "repeat", "cross", "forge"))
READ_OLDER = frozenset(("repeat",))
ALLOCATED: Mapping[type[Correlation], str] = {
    BirthId: "birth",
    DispatchId: "dispatch",
    JobId: "job",
    RecoveryId: "recovery",
    TicketId: "ticket",
    TimerId: "timer",
}


class _Read(NamedTuple):
    """A desk as the letters read it; of an assignment its child, number and authority."""

    worker: Worker
    open: tuple[Question, ...]
    latest: tuple[Any, ...]
    older: tuple[Any, ...]


class _Seen(NamedTuple):
    """The bench as the letters read it."""

    desks: tuple[_Read, ...]
    timer: Question


class _Open(NamedTuple):
    """The book of an open pool."""

    cells: tuple[Any, ...]
    line: tuple[Any, ...]
    hand: int
    spent: tuple[int, ...]
    marks: Allocators
    bell: Want
    verdict: str
    plans: tuple[str, ...]


class _Closed(NamedTuple):
    """The book of a pool that closes."""

    cells: tuple[Any, ...]
    bell: Want
    verdict: str


class Sameness:
    """Keys of the nodes of one walk, whose `letters` are sent to `roles`: equal where two nodes are one state."""

    def __init__(self, letters: tuple[str, ...], roles: tuple[str, ...]) -> None:
        words: dict[str, set[str]] = {role: set() for role in roles}
        for letter in letters:
            word, _, role = letter.partition(" ")
            if role in words:
                words[role].add(word)
        self._latest = tuple(bool(words[role] & READ_LATEST) for role in roles)
        self._older = tuple(bool(words[role] & READ_OLDER) for role in roles)
        self._shapes = Shapes()

    def key(self, state: State, book: Book, ledger: Ledger, bench: Bench, broken: tuple[str, ...]) -> tuple[Any, ...]:
        """The key of one node; `broken` is what was found broken on the way to it."""
        if not isinstance(state, Operating | Draining) and book.verdict:
            return (state.mode, broken)
        return (self._shapes.key(*self.compared(state, book, ledger, bench)), broken)

    def compared(
        self, state: State, book: Book, ledger: Ledger, bench: Bench
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What of a node is compared: what lives, and the bench, which only remembers."""
        return (state, _book(book), _ledger(ledger, state)), (self._bench(bench),)

    def _bench(self, bench: Bench) -> _Seen:
        desks = tuple(map(self._desk, range(len(bench.desks)), bench.desks))
        return _Seen(desks, bench.timer)

    def _desk(self, role: int, desk: Desk) -> _Read:
        latest = desk.latest if self._latest[role] else None
        older = desk.older if self._older[role] else None
        return _Read(
            desk.worker,
            desk.open,
            () if latest is None else (latest.child, latest.assignment, latest.command.authority),
            () if older is None else (older.child, older.assignment, older.command.authority),
        )


def _book(book: Book) -> _Open | _Closed:
    if not book.open and book.verdict != UNOPENED:
        return _Closed(book.cells, book.bell, book.verdict)
    return _Open(book.cells, book.line, book.hand, book.spent, book.marks, book.bell, book.verdict, book.plans)


def _ledger(ledger: Ledger, state: State) -> Ledger:
    """The ledger without what the pool's allocators and the end of an assignment make unreadable."""
    entries = tuple([each if each.is_running else _waiting(each) for each in ledger.entries])
    allocators = getattr(state, "allocators", None)
    if allocators is None:
        return ledger._replace(entries=entries)
    above = [
        number if number >= getattr(allocators, ALLOCATED[kind]).next else kind(0)
        for kind, number in zip(KINDS, ledger.highest, strict=True)
    ]
    return ledger._replace(entries=entries, highest=tuple(above))


def _waiting(entry: Entry) -> Entry:
    stopped = entry.stopped and entry.delivered is True
    return Entry(entry.job, entry.payload, None, 0, None, entry.delivered, stopped, entry.completed)
