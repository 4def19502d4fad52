"""What one scenario left behind: the worlds that were run, the events sent into them, and every log row.

The flow is: whoever drives a system writes `Draft`s, `number_rows` gives them their numbers, and everything
after that (judgments, log files, reports) reads the finished `Recording`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

#: Columns of every row, in the order in which they are written.
COMMON_COLUMNS = ("seq", "world", "moment", "batch", "settle", "run")

#: The logs whose columns never change, because drivers of outside systems write them.
FIXED_LOGS = ("report-log", "claim-ledger", "state-trace", "count-trace")

ACCEPTED = "accepted"
REFUSED = "refused"
SKIPPED = "skipped"

#: What a column may hold: the values of JSON.
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """A row before it is numbered.

    `moment` counts ticks since the world began; `batch` and `settle` are None for a row outside a settle. `seq` is
    a driver's own number for the row, kept as an observation; the harness's own rows have none yet. `about` is the
    row that this one points at: its number becomes the column `at`.
    """

    log: str
    run: str | None
    data: Data
    batch: int | None = None
    settle: int | None = None
    moment: int = 0
    seq: int | None = None
    about: Draft | None = None


@dataclass(frozen=True, slots=True)
class LogRow:
    """One numbered row of one log.

    `data` holds the log's own columns. `pos` is the place in the recording, from 0 over all worlds and logs: compare
    `pos`, never `seq`, to ask what came first, because the numbers of a driver are its own claim about that order.
    """

    log: str
    seq: int
    world: int
    moment: int
    run: str | None
    batch: int | None
    settle: int | None
    data: Data
    pos: int = field(default=0, compare=False)

    def __getitem__(self, column: str) -> Any:
        return self.data[column]

    def get(self, column: str, default: Any = None) -> Any:
        """The column's value, or `default` where the row has no such column."""
        return self.data.get(column, default)

    def __hash__(self) -> int:
        return hash((self.log, self.seq, self.world))

    def to_json(self) -> dict[str, Any]:
        """The row as an object: the common columns, then its own in the order in which they were written."""
        common = (self.seq, self.world, self.moment, self.batch, self.settle, self.run)
        return {**dict(zip(COMMON_COLUMNS, common, strict=True)), **self.data}


@dataclass(frozen=True, slots=True)
class Sent:
    """One event, what became of it, and the rows it caused, in order.

    `outcome` is accepted, refused or skipped; `moment_before` is the world's moment when the event entered.
    """

    event: Data
    outcome: str
    reason: str | None
    moment_before: int
    rows: tuple[LogRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WorldRun:
    """One world from its beginning: `shapes` names what it was built to show, `opening` the rows before any event."""

    number: int
    world: Data
    shapes: tuple[str, ...]
    sent: tuple[Sent, ...]
    opening: tuple[LogRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that was observed for one scenario.

    `rows` holds the rows of all worlds and logs in settlement order, those of world 0 (which belong to no world)
    first. `observes` names the logs that the system supplied or that the harness could derive; a log that is not in
    it is not known, which differs from being empty.
    """

    scenario: str
    worlds: tuple[WorldRun, ...]
    rows: tuple[LogRow, ...]
    observes: frozenset[str]


class SentDrafts(NamedTuple):
    """An event with its outcome and the unnumbered rows it caused."""

    event: Data
    outcome: str
    reason: str | None
    moment_before: int
    drafts: Sequence[Draft] = ()


class WorldDrafts(NamedTuple):
    """A world that was run, before its rows are numbered; `opening` stands before the first event."""

    world: Data
    shapes: tuple[str, ...]
    sent: Sequence[SentDrafts]
    opening: Sequence[Draft] = ()


class _Numbering:
    """Hands out numbers over all worlds; a world with numbers of its own keeps them, moved by one offset."""

    def __init__(self) -> None:
        self.rows: list[LogRow] = []
        self._pos = 0
        self._offset = 0
        self._next = 1
        self._highest = 0
        self._numbers: dict[int, int] = {}

    def begin(self, world: WorldDrafts | None) -> None:
        """Opens the next world: rows that have no number of their own come after all that have one."""
        self._offset = self._highest
        self._numbers.clear()
        own = [] if world is None else [each.seq for each in _drafts(world) if each.seq is not None]
        self._next = self._offset + max(own, default=0) + 1

    def take(self, world: int, drafts: Iterable[Draft]) -> tuple[LogRow, ...]:
        """The rows of these drafts, in the same order."""
        made = tuple(self._row(world, each) for each in drafts)
        self.rows.extend(made)
        return made

    def leave_out(self, world: WorldDrafts) -> None:
        """The world's numbers are taken, and nothing else is made of it."""
        for draft in _drafts(world):
            self._number(draft)

    def _number(self, draft: Draft) -> tuple[int, int]:
        """The draft's number, and its place in the recording."""
        if draft.seq is None:
            seq, self._next = self._next, self._next + 1
        else:
            seq = draft.seq + self._offset
        if seq > self._highest:  # once for every row: a call of max would be half of the work
            self._highest = seq
        self._pos += 1
        return seq, self._pos - 1

    def _row(self, world: int, draft: Draft) -> LogRow:
        seq, pos = self._number(draft)
        self._numbers[id(draft)] = seq
        data = draft.data if draft.about is None else {**draft.data, "at": self._numbers[id(draft.about)]}
        return LogRow(draft.log, seq, world, draft.moment, draft.run, draft.batch, draft.settle, data, pos)


def _drafts(world: WorldDrafts) -> Iterable[Draft]:
    yield from world.opening
    for sent in world.sent:
        yield from sent.drafts


def number_rows(
    scenario: str,
    head: Iterable[Draft],
    worlds: Iterable[WorldDrafts],
    observes: Iterable[str],
    only: frozenset[int] | None = None,
) -> Recording:
    """Numbers every row of a scenario and makes its recording.

    `head` are the rows that belong to no world. Rows of the harness count on from 1 in the given order. Where a
    driver numbered its rows, its numbers stay, with one offset for each world, and the harness's own rows of that
    world are numbered after them; their place in the order is kept by `pos`.

    With `only` the recording holds no worlds but those at these places, from 0; all numbers stay as they are in the
    whole.
    """
    numbering = _Numbering()
    numbering.begin(None)
    numbering.take(0, head)
    runs = []
    for number, each in enumerate(worlds, start=1):
        numbering.begin(each)
        if only is not None and number - 1 not in only:
            numbering.leave_out(each)
            continue
        opening = numbering.take(number, each.opening)
        sent = tuple(
            Sent(one.event, one.outcome, one.reason, one.moment_before, numbering.take(number, one.drafts))
            for one in each.sent
        )
        runs.append(WorldRun(number, each.world, each.shapes, sent, opening))
    return Recording(scenario, tuple(runs), tuple(numbering.rows), frozenset(observes))


def fraction(value: object) -> Fraction | None:
    """A work value as a number: `"3/4"`, `"4"` or a whole number; None for null and for what is none of these."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def whole(value: object) -> int:
    """An amount as a number; 0 for what is no whole number, so that a system's incomplete row can still be added up."""
    return value if isinstance(value, int) else 0


def fraction_text(value: Fraction) -> str:
    """A work value as it stands in a row: `"3/4"`, and `"4"` for a whole number."""
    return str(value)


def json_line(value: object) -> str:
    """One line of a JSON Lines file: no spaces, keys in the given order, text as it is, ended by a line feed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
