"""Everything a judgment may look at: the adoption, the events, and the rows, never the model.

`Evidence` leads to one `WorldView` for each world, that to one `SentView` for each event, and a row or an event
leads to `Snapshot`s: what the logs had made true just before and just after it. Every look notes which log it
rested on (`touched`), so that a clause resting on a log that the system does not supply is known to be blind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harness.contract.shapes import Adoption, Row
from harness.expansion.scenario import Scenario
from harness.models.lifecycle.config import Config
from harness.run.recording import ACCEPTED, LogRow, Recording, Sent, WorldRun
from harness.verdict.fold import FoldedWorld, fold_world, miscounts
from harness.verdict.looking import Looking
from harness.verdict.snapshot import Snapshot


class _Index:
    """The recording, sorted once for every way in which rows are asked for."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.state_log = "state-trace" if "state-trace" in recording.observes else "report-log"
        self.by_log: dict[tuple[int | None, str], list[LogRow]] = {}
        self.by_batch: dict[tuple[int, int], list[LogRow]] = {}
        self.by_settle: dict[tuple[int, int], list[LogRow]] = {}
        for row in recording.rows:
            self.by_log.setdefault((None, row.log), []).append(row)
            self.by_log.setdefault((row.world, row.log), []).append(row)
            if row.batch is not None:
                self.by_batch.setdefault((row.world, row.batch), []).append(row)
            if row.settle is not None:
                self.by_settle.setdefault((row.world, row.settle), []).append(row)
        self._folded: dict[int, FoldedWorld] = {}

    def folded(self, world: WorldRun) -> FoldedWorld:
        """The world's facts around each row, worked out when first asked for."""
        if world.number not in self._folded:
            self._folded[world.number] = fold_world(world, self.state_log)
        return self._folded[world.number]


@dataclass(frozen=True)
class Evidence(Looking):
    """What the judgments of one scenario see.

    `config` holds the adoption's executable facts (requirements, limits, orders, pool coverage); `row` is the
    declared row of a per-row template, else None. `touched` names the logs looked at so far.
    """

    scenario: Scenario
    adoption: Adoption
    config: Config
    row: Row | None
    recording: Recording
    touched: set[str] = field(default_factory=set, compare=False)
    _shared: list[_Index] = field(default_factory=list, compare=False, repr=False)

    @property
    def _index(self) -> _Index:
        if not self._shared:
            self._shared.append(_Index(self.recording))
        return self._shared[0]

    def renewed(self) -> Evidence:
        """The same evidence with nothing touched yet; what was worked out is shared."""
        index = [self._index]
        return Evidence(self.scenario, self.adoption, self.config, self.row, self.recording, set(), index)

    # -- worlds -------------------------------------------------------------------------------------------------

    @cached_property
    def worlds(self) -> tuple[WorldView, ...]:
        """The worlds that were run, in order."""
        return tuple(WorldView(self, run) for run in self.recording.worlds)

    def world_of(self, row: LogRow) -> WorldView:
        """The world that the row belongs to; a row of world 0 belongs to none (KeyError)."""
        if not 0 < row.world <= len(self.worlds):
            raise KeyError(f"row {row.seq} of {row.log} belongs to no world")
        return self.worlds[row.world - 1]

    # -- rows of all worlds -------------------------------------------------------------------------------------

    def rows(self, log: str, run: str | None = None, **columns: Any) -> tuple[LogRow, ...]:
        """The log's rows over all worlds, in order; see `WorldView.rows` for `run` and `columns`."""
        return self.select(None, log, run, columns)

    def reports(
        self, name: str | Iterable[str] | None = None, run: str | None = None, **columns: Any
    ) -> tuple[LogRow, ...]:
        """The rows of report-log over all worlds, in order, optionally only those with this report name (or names)."""
        return self.select(None, "report-log", run, _named(name, columns))

    def select(self, world: int | None, log: str, run: str | None, columns: Mapping[str, Any]) -> tuple[LogRow, ...]:
        """Rows of one log in one world (None: all) whose columns have the asked values; touches the log."""
        self.touch(log)
        asked = {name.rstrip("_").replace("_", "-"): value for name, value in columns.items()}
        found = self._index.by_log.get((world, log), ())
        return tuple(each for each in found if (run is None or each.run == run) and _has(each, asked))

    # -- around a row -------------------------------------------------------------------------------------------

    def batch_of(self, row: LogRow) -> tuple[LogRow, ...]:
        """Every row of the row's batch, in order; empty for a row outside a batch (a job-requested)."""
        return () if row.batch is None else self.world_of(row).batch_rows(row.batch)

    def settle_of(self, row: LogRow) -> tuple[LogRow, ...]:
        """Every row of the row's settle, in order; empty for a row outside a settle."""
        return () if row.settle is None else self.world_of(row).settle_rows(row.settle)

    def sent_of(self, row: LogRow) -> SentView:
        """The event that caused the row; KeyError for a row that stands before any event."""
        return self.world_of(row).sent_of(row)

    def at(self, row: LogRow) -> Snapshot:
        """What was true just before the row."""
        return self.world_of(row).snapshot(row, before=True)

    def after(self, row: LogRow) -> Snapshot:
        """What was true just after the row."""
        return self.world_of(row).snapshot(row, before=False)

    # -- counts -------------------------------------------------------------------------------------------------

    def bad_counts(self, pool: str | None = None) -> tuple[tuple[LogRow, str], ...]:
        """The rows of count-trace that are wrong by themselves, with why; they violate every clause on that pool."""
        wrong = miscounts(self.rows("count-trace"))
        return tuple((row, why) for row, why in wrong if pool is None or row["pool"] == pool)


@dataclass(frozen=True)
class WorldView:
    """One world: what it began with, the events sent into it, and its rows."""

    evidence: Evidence = field(repr=False)
    run_: WorldRun = field(repr=False)

    @property
    def number(self) -> int:
        """The world's number, from 1."""
        return self.run_.number

    @property
    def world(self) -> Mapping[str, Any]:
        """Stock, room and conditions at the beginning."""
        return self.run_.world

    @property
    def shapes(self) -> tuple[str, ...]:
        """Names of what this world was built to show."""
        return self.run_.shapes

    @cached_property
    def sent(self) -> tuple[SentView, ...]:
        """The events, in the order in which they were sent."""
        return tuple(SentView(self, place, each) for place, each in enumerate(self.run_.sent))

    @cached_property
    def _sent_at(self) -> dict[int, SentView]:
        return {row.pos: sent for sent in self.sent for row in sent.rows}

    @cached_property
    def folded(self) -> FoldedWorld:
        """The facts around every row; judgments ask through snapshots."""
        return self.evidence._index.folded(self.run_)

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that were requested, in order of their job-requested; touches report-log."""
        return tuple(dict.fromkeys(str(row.run) for row in self.reports("job-requested")))

    def rows(self, log: str, run: str | None = None, **columns: Any) -> tuple[LogRow, ...]:
        """The log's rows in this world, in order.

        `columns` are asked values: `work_before="0"` asks column `work-before`, `from_="working"` column `from`. A set
        or a tuple means any of its members; every other value must be equal.
        """
        return self.evidence.select(self.number, log, run, columns)

    def reports(
        self, name: str | Iterable[str] | None = None, run: str | None = None, **columns: Any
    ) -> tuple[LogRow, ...]:
        """The rows of report-log in this world, optionally only those with this report name (or names)."""
        return self.evidence.select(self.number, "report-log", run, _named(name, columns))

    def life(self, run: str) -> tuple[LogRow, ...]:
        """The run's reports, in order."""
        return self.reports(run=run)

    def batch_rows(self, batch: int, *logs: str) -> tuple[LogRow, ...]:
        """The rows of that batch, in order, of these logs (none named: of all, without touching any)."""
        return self._of(self.evidence._index.by_batch.get((self.number, batch), ()), logs)

    def settle_rows(self, settle: int, *logs: str) -> tuple[LogRow, ...]:
        """The rows of that settle, in order, of these logs (none named: of all, without touching any)."""
        return self._of(self.evidence._index.by_settle.get((self.number, settle), ()), logs)

    def _of(self, rows: Iterable[LogRow], logs: tuple[str, ...]) -> tuple[LogRow, ...]:
        self.evidence.touch(*logs)
        return tuple(each for each in rows if not logs or each.log in logs)

    def events(self, kind: str | None = None, outcome: str | None = ACCEPTED, **fields: Any) -> tuple[SentView, ...]:
        """The events of that kind with that outcome (None: any) whose fields have the asked values."""
        asked = {name.rstrip("_").replace("_", "-"): value for name, value in fields.items()}
        return tuple(
            each
            for each in self.sent
            if (kind is None or each.kind == kind)
            and (outcome is None or each.outcome == outcome)
            and all(each.event.get(name) == value for name, value in asked.items())
        )

    def sent_of(self, row: LogRow) -> SentView:
        """The event that caused the row; KeyError for a row that stands before any event."""
        return self._sent_at[row.pos]

    def snapshot(self, row: LogRow, before: bool) -> Snapshot:
        """What was true just before, or just after, the row."""
        facts = self.folded.before if before else self.folded.after
        return Snapshot(facts[row.pos], self.evidence._index.state_log, self.evidence.touched)

    @property
    def start(self) -> Snapshot:
        """What was true when the world began."""
        return Snapshot(self.folded.first, self.evidence._index.state_log, self.evidence.touched)

    @property
    def end(self) -> Snapshot:
        """What was true when the last event had settled."""
        return self.sent[-1].after if self.sent else self.start


@dataclass(frozen=True)
class SentView:
    """One event: its fields, what became of it, its rows, and what was true before and after."""

    world: WorldView = field(repr=False)
    place: int
    sent: Sent

    @property
    def event(self) -> Mapping[str, Any]:
        """The event as sent, with its kind."""
        return self.sent.event

    @property
    def kind(self) -> str:
        """The event's kind, such as `request`."""
        return str(self.sent.event.get("kind"))

    @property
    def outcome(self) -> str:
        """accepted, refused or skipped."""
        return self.sent.outcome

    @property
    def reason(self) -> str | None:
        """Why it was refused or skipped."""
        return self.sent.reason

    @property
    def moment(self) -> int:
        """The world's moment when the event entered."""
        return self.sent.moment_before

    @property
    def rows(self) -> tuple[LogRow, ...]:
        """Every row the event caused, in order; touches nothing (see `rows_of`)."""
        return self.sent.rows

    def rows_of(self, log: str, run: str | None = None, **columns: Any) -> tuple[LogRow, ...]:
        """The rows of one log that the event caused; see `WorldView.rows`."""
        return tuple(row for row in self.world.rows(log, run, **columns) if self.world._sent_at.get(row.pos) is self)

    @property
    def before(self) -> Snapshot:
        """What was true when the event entered."""
        return self._snapshot(self.world.folded.entered[self.place])

    @property
    def after(self) -> Snapshot:
        """What was true when the event and all that followed from it had settled."""
        return self._snapshot(self.world.folded.ended[self.place])

    def _snapshot(self, facts: Any) -> Snapshot:
        evidence = self.world.evidence
        return Snapshot(facts, evidence._index.state_log, evidence.touched)


def _named(name: str | Iterable[str] | None, columns: dict[str, Any]) -> dict[str, Any]:
    if name is None:
        return columns
    return {"report": name if isinstance(name, str) else tuple(name), **columns}


def _has(row: LogRow, asked: Mapping[str, Any]) -> bool:
    return all(_matches(row.get(name, _MISSING), value) for name, value in asked.items())


def _matches(value: Any, asked: Any) -> bool:
    if isinstance(asked, tuple | set | frozenset):
        return value in asked
    return bool(value == asked)


_MISSING: Any = object()


def all_rows(evidence: Evidence, *logs: str) -> Iterator[LogRow]:
    """The rows of several logs together, in recording order; touches them."""
    evidence.touch(*logs)
    return (row for row in evidence.recording.rows if row.log in logs)
