"""What the judgments of a pool see: the adoption, the events, and the rows, never the model.

`PoolEvidence` leads to worlds, those to steps (one for each event). A step knows what the logs had made true before and
after it in two accounts that share nothing: its `Standing`, which the pool's own state logs tell, and its `Book`, which
is kept from facts that entered and operations that left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harness.contract.shapes import Adoption
from harness.expansion.scenario import Scenario
from harness.run.recording import ACCEPTED, LogRow, Recording, Sent, WorldRun
from harness.verdict.looking import Looking
from harness.verdict.pools.book import BOOK_LOGS, Book, operations
from harness.verdict.pools.facts import PoolFacts
from harness.verdict.pools.standing import STATE_LOGS, Standing


class _Index:
    """The rows by log, and what was folded so far: shared by all that look at one recording."""

    def __init__(self, recording: Recording) -> None:
        self.by_log: dict[str, list[LogRow]] = {}
        for row in recording.rows:
            self.by_log.setdefault(row.log, []).append(row)
        self.folds: dict[int, Fold] = {}


@dataclass(frozen=True)
class PoolEvidence(Looking):
    """What the judgments of one scenario see; `pool` holds what it declares, `touched` the logs looked at."""

    scenario: Scenario
    adoption: Adoption
    pool: PoolFacts
    recording: Recording
    touched: set[str] = field(default_factory=set, compare=False)
    _shared: list[_Index] = field(default_factory=list, compare=False, repr=False)

    @property
    def _index(self) -> _Index:
        if not self._shared:
            self._shared.append(_Index(self.recording))
        return self._shared[0]

    def renewed(self) -> PoolEvidence:
        """The same evidence with nothing touched yet; what was worked out is shared."""
        return type(self)(self.scenario, self.adoption, self.pool, self.recording, set(), [self._index])

    @cached_property
    def worlds(self) -> tuple[PoolWorld, ...]:
        """The worlds that were run, in order."""
        return tuple(PoolWorld(self, run) for run in self.recording.worlds)

    def steps(self, *inputs: str) -> Iterator[Step]:
        """Every event that was taken in, over all worlds in order; with names, only those inputs."""
        for world in self.worlds:
            for step in world.taken:
                if not inputs or step.input["input"] in inputs:
                    yield step

    def rows(self, log: str, **columns: Any) -> Iterator[LogRow]:
        """The rows of one log over all worlds whose columns have these values; touches it."""
        self.touch(log)
        return (row for row in self._index.by_log.get(log, ()) if has(row, columns))

    def opening(self) -> tuple[Standing, Book]:
        """The two accounts before anything happened; a law with accounts of its own gives those."""
        return Standing(), Book()

    def fold(self, run: WorldRun) -> Fold:
        """What a world's logs made true around each event, worked out once."""
        folds = self._index.folds
        if run.number not in folds:
            folds[run.number] = Fold.of(run, *self.opening())
        return folds[run.number]


@dataclass(frozen=True)
class PoolWorld:
    """One world: its events as steps."""

    evidence: PoolEvidence = field(repr=False)
    run: WorldRun = field(repr=False)

    @property
    def number(self) -> int:
        """The world's number, from 1."""
        return self.run.number

    @cached_property
    def fold(self) -> Fold:
        """What its logs made true around each event."""
        return self.evidence.fold(self.run)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All events, in the order in which they were sent."""
        return tuple(Step(self, place, each) for place, each in enumerate(self.run.sent))

    @cached_property
    def taken(self) -> tuple[Step, ...]:
        """The events that the pool took in."""
        self.evidence.touch("input-log")
        return tuple(each for each in self.steps if each.has_input)

    def rows(self, log: str, **columns: Any) -> Iterator[LogRow]:
        """The rows of one log in this world whose columns have these values; touches it."""
        return (row for row in self.evidence.rows(log, **columns) if row.world == self.number)

    def last(self) -> LogRow | None:
        """The last row of the world, whatever its log."""
        return next((step.rows[-1] for step in reversed(self.steps) if step.rows), None)


@dataclass(frozen=True)
class Step:
    """One event: the fact that entered, the rows it caused, and what was true before and after it."""

    world: PoolWorld = field(repr=False)
    place: int
    sent: Sent

    @property
    def rows(self) -> tuple[LogRow, ...]:
        """Every row the event caused, in order; touches nothing."""
        return self.sent.rows

    @property
    def is_refused(self) -> bool:
        """Whether the pool took nothing in."""
        return self.sent.outcome != ACCEPTED

    @property
    def has_input(self) -> bool:
        """Whether the log of inputs has a row for it."""
        return "input-log" in self._fold.rows[self.place]

    @property
    def input(self) -> LogRow:
        """The fact that entered; KeyError where the log has none."""
        self.world.evidence.touch("input-log")
        return self._fold.rows[self.place]["input-log"][0]

    @property
    def kind(self) -> str:
        """The kind of the fact that entered."""
        return str(self.input["input"])

    def of(self, log: str, **columns: Any) -> tuple[LogRow, ...]:
        """The rows of one log that the event caused whose columns have these values; touches it."""
        self.world.evidence.touch(log)
        rows = self._fold.rows[self.place].get(log, ())
        return tuple(row for row in rows if has(row, columns)) if columns else rows

    def lane(self, lane: str, **columns: Any) -> tuple[LogRow, ...]:
        """The operations of one lane."""
        return self.of("action-lanes", lane=lane, **columns)

    def outcomes(self, **columns: Any) -> tuple[LogRow, ...]:
        """The terminal outcomes that left."""
        return self.of("terminal-outcomes", **columns)

    def dispatches(self, **columns: Any) -> tuple[LogRow, ...]:
        """The assignments that left, in order."""
        return self.of("assignment-trace", change="dispatched", **columns)

    @property
    def before(self) -> Standing:
        """What the pool's state logs said before."""
        self.world.evidence.touch(*STATE_LOGS)
        return self._fold.standings[self.place]

    @property
    def after(self) -> Standing:
        """What they say now."""
        self.world.evidence.touch(*STATE_LOGS)
        return self._fold.standings[self.place + 1]

    @property
    def book(self) -> Book:
        """What was open before the fact."""
        self.world.evidence.touch(*BOOK_LOGS)
        return self._fold.books[self.place]

    @property
    def told(self) -> Book:
        """What was open once the fact was in and before anything left."""
        self.world.evidence.touch(*BOOK_LOGS)
        return self._fold.told[self.place]

    @property
    def book_after(self) -> Book:
        """What is open now."""
        self.world.evidence.touch(*BOOK_LOGS)
        return self._fold.books[self.place + 1]

    def unfold(self) -> Iterator[tuple[LogRow, Book]]:
        """The rows of what left, in order, each with what was open just before it; do not keep the book."""
        book, fact = self.told.copy(), next(iter(self._fold.rows[self.place].get("input-log", ())), None)
        for row in operations(self.rows):
            yield row, book
            book.take(row, fact)

    @property
    def is_expected(self) -> bool:
        """Whether the fact is about something open, in every number."""
        return self.book.expects(self.input.data)

    @property
    def _fold(self) -> Fold:
        return self.world.fold


@dataclass(frozen=True, slots=True)
class Fold:
    """Both accounts around every event of a world: before the first, after each; `told` in the midst of each.

    `rows` are the rows of each event by log.
    """

    standings: tuple[Standing, ...]
    books: tuple[Book, ...]
    told: tuple[Book, ...]
    rows: tuple[Mapping[str, tuple[LogRow, ...]], ...]

    @classmethod
    def of(cls, run: WorldRun, standing: Standing, book: Book) -> Fold:
        """Read a world's rows once, from these accounts on."""
        standings, books, told = [standing], [book], []
        for sent in run.sent:
            fact = next((row for row in sent.rows if row.log == "input-log"), None)
            told.append(books[-1].with_fact(fact))
            books.append(told[-1].with_operations(sent.rows, fact))
            standings.append(standings[-1].with_rows(sent.rows))
        return cls(tuple(standings), tuple(books), tuple(told), tuple(map(_by_log, run.sent)))


def _by_log(sent: Sent) -> Mapping[str, tuple[LogRow, ...]]:
    found: dict[str, list[LogRow]] = {}
    for row in sent.rows:
        found.setdefault(row.log, []).append(row)
    return {log: tuple(rows) for log, rows in found.items()}


def has(row: LogRow, columns: Mapping[str, Any]) -> bool:
    """Whether a row's columns have these values; a tuple means any of its members, `_` in a name stands for `-`."""
    for name, value in columns.items():
        found = row.get(name.rstrip("_").replace("_", "-"))
        if found not in value if isinstance(value, tuple) else found != value:
            return False
    return True
