"""first-ordering-violation: the whole settlement order of a world, checked row by row.

Only the orders that the contract names are checked: one transition with its claim changes and reports at a time,
claim changes before the report of their transition, the legal paths, and an instant start in one batch. A world has
at most one row, for the first thing that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from harness.run.derive.facts import DeriveFacts, Deriver, moment_after
from harness.run.derive.paths import LEGAL_MOVES, MOVING_REPORTS, REPORT_MOVES, STANDING_REPORTS, TERMINAL
from harness.run.recording import Draft, SentDrafts

_WATCHED = frozenset({"state-trace", "claim-ledger", "report-log"})


class Wrong(NamedTuple):
    """The row that breaks an order, the short name of that order, and what is wrong with it."""

    row: Draft
    rule: str
    detail: str


class FirstOrderingViolation(Deriver):
    """At most one row in a world, at the end of the event in which an order was first broken."""

    log = "first-ordering-violation"
    needs = _WATCHED

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        super().__init__(facts, state_log)
        self._checks = (_Numbers(), _Paths(), _InstantStarts())
        self._found = False

    def leave(self, sent: SentDrafts) -> Iterable[Draft]:
        if self._found:
            return
        rows = [each for each in sent.drafts if each.log in _WATCHED]
        wrongs = [each for check in self._checks for each in check.event(rows)]
        wrongs += settle_wrongs(rows)
        if not wrongs:
            return
        self._found = True
        place = {id(row): index for index, row in enumerate(rows)}
        first = min(wrongs, key=lambda each: place[id(each.row)])
        data = {"log": first.row.log, "at": None, "rule": first.rule, "detail": first.detail}
        yield Draft(self.log, first.row.run, data, moment=moment_after(sent), about=first.row)


class _Numbers:
    """Row numbers and moments never fall; a settle or batch that was left is never entered again."""

    def __init__(self) -> None:
        self._seq = 0
        self._moment = 0
        self._settle = 0
        self._batch = 0

    def event(self, rows: Iterable[Draft]) -> Iterator[Wrong]:
        earlier_batch = self._batch
        for row in rows:
            yield from self._row(row)
            if row.batch is not None and row.batch <= earlier_batch:
                yield Wrong(row, "batch-of-one-event", f"batch {row.batch} already belongs to an earlier event")
                earlier_batch = 0

    def _row(self, row: Draft) -> Iterator[Wrong]:
        if row.seq is not None and row.seq <= self._seq:
            yield Wrong(row, "row-numbers-rise", f"row number {row.seq} comes after {self._seq}")
        if row.moment < self._moment:
            yield Wrong(row, "moments-rise", f"moment {row.moment} comes after moment {self._moment}")
        if row.settle is None:
            yield Wrong(row, "inside-a-settle", "the row names no settle")
        elif row.settle < self._settle:
            yield Wrong(row, "one-settle-at-a-time", f"settle {row.settle} goes on after settle {self._settle}")
        if row.batch is not None and row.batch < self._batch:
            yield Wrong(row, "one-batch-at-a-time", f"batch {row.batch} goes on after batch {self._batch}")
        self._seq = max(self._seq, row.seq or 0)
        self._moment = max(self._moment, row.moment)
        self._settle = max(self._settle, row.settle or 0)
        self._batch = max(self._batch, row.batch or 0)


class _Paths:
    """Every run begins with its request, moves only along legal paths, and never moves again after its end."""

    def __init__(self) -> None:
        self._states: dict[str | None, str] = {}
        # The settle in which each ended run ended: its report may follow its last move there. None: nothing may.
        self._over: dict[str | None, int | None] = {}

    def event(self, rows: Iterable[Draft]) -> Iterator[Wrong]:
        for row in rows:
            yield from self._row(row)

    def _row(self, row: Draft) -> Iterator[Wrong]:
        if row.run in self._over and (row.settle is None or self._over[row.run] != row.settle):
            yield Wrong(row, "nothing-after-the-end", f"a {row.log} row of a run that has ended")
        elif row.log == "state-trace":
            yield from self._move(row)
        elif row.log == "report-log":
            yield from self._report(row)

    def _move(self, row: Draft) -> Iterator[Wrong]:
        old, new, known = row.data["from"], row.data["to"], self._states.get(row.run)
        if known is None:
            yield Wrong(row, "request-first", "a run moves before it was requested")
        elif old != known:
            yield Wrong(row, "states-join", f"the run leaves {old}, but it was {known}")
        elif new not in LEGAL_MOVES.get(old, ()):
            yield Wrong(row, "legal-path", f"no path leads from {old} to {new}")
        self._states[row.run] = new
        if new in TERMINAL:
            self._over[row.run] = row.settle

    def _report(self, row: Draft) -> Iterator[Wrong]:
        report, old, new = row.data["report"], row.data["old"], row.data["new"]
        known = self._states.get(row.run)
        if report == "job-requested":
            if known is not None:
                yield Wrong(row, "request-first", "a run is requested a second time")
            self._states.setdefault(row.run, "requested")
        elif known is None:
            yield Wrong(row, "request-first", f"{report} of a run that was not requested")
        elif (old, new) not in REPORT_MOVES.get(report, ()):
            yield Wrong(row, "legal-report", f"{report} never reports {old} to {new}")
        elif old == new != known:
            yield Wrong(row, "reports-agree", f"the report says {new}, the state trace {known}")
        if report == "job-rejected":
            self._over[row.run] = None
        elif new in TERMINAL:
            self._over.setdefault(row.run, row.settle)


class _InstantStarts:
    """A start without work keeps job-started, job-finished and an accepted job-delivered in one batch."""

    def __init__(self) -> None:
        self._started: dict[str | None, int | None] = {}
        self._finished: dict[str | None, int | None] = {}

    def event(self, rows: Iterable[Draft]) -> Iterator[Wrong]:
        for row in rows:
            if row.log == "report-log":
                yield from self._report(row)

    def _report(self, row: Draft) -> Iterator[Wrong]:
        report, run = row.data["report"], row.run
        if report in ("job-started", "job-resumed"):
            self._started[run] = row.batch
        elif report == "job-finished" and row.data["old"] == "started":
            self._finished[run] = row.batch
            if self._started.get(run) != row.batch:
                yield Wrong(row, "instant-in-one-batch", "an instant start finishes in another batch")
        elif report == "destination-refused":
            self._finished.pop(run, None)
        elif report == "job-delivered" and run in self._finished:
            accepted = "accepted" in row.data["causes"]
            if accepted and self._finished[run] != row.batch:
                yield Wrong(row, "instant-in-one-batch", "an instant finish is delivered in another batch")


def settle_wrongs(rows: Iterable[Draft]) -> Iterator[Wrong]:
    """What is wrong inside the settles of one event."""
    settles: dict[int, list[Draft]] = {}
    for row in rows:
        if row.settle is not None:
            settles.setdefault(row.settle, []).append(row)
    for settle in settles.values():
        yield from _one_settle(settle)


def _one_settle(rows: list[Draft]) -> Iterator[Wrong]:
    moves = [each for each in rows if each.log == "state-trace"]
    reports = [each for each in rows if each.log == "report-log"]
    for row in rows[1:]:
        if row.run != rows[0].run:
            yield Wrong(row, "one-run-a-settle", f"a row of {row.run} inside a settle of {rows[0].run}")
    for row in moves[1:]:
        yield Wrong(row, "one-transition-a-settle", "a second transition in the same settle")
    yield from _request_alone(rows, reports)
    yield from _moves_reported(moves, reports)
    yield from _claims_first(rows)


def _request_alone(rows: list[Draft], reports: list[Draft]) -> Iterator[Wrong]:
    if any(each.data["report"] == "job-requested" for each in reports) and len(rows) > 1:
        yield Wrong(rows[1], "request-stands-alone", "more than job-requested in its settle")


def _moves_reported(moves: list[Draft], reports: list[Draft]) -> Iterator[Wrong]:
    told = {_move_of(each): each for each in reports if each.data["report"] in MOVING_REPORTS}
    made = {(each.run, each.data["from"], each.data["to"]) for each in moves}
    for row in moves:
        if (row.run, row.data["from"], row.data["to"]) not in told:
            yield Wrong(row, "moves-are-reported", "no report of this transition in its settle")
    for move, report in told.items():
        if move not in made and not _stands(report):
            yield Wrong(report, "reports-have-moves", "the state trace has no such transition in this settle")


def _move_of(report: Draft) -> tuple[str | None, str | None, str | None]:
    return report.run, report.data["old"], report.data["new"]


def _stands(report: Draft) -> bool:
    """Whether the report rightly comes without a change of state."""
    data: Mapping[str, object] = report.data
    return data["report"] in STANDING_REPORTS and data["old"] == data["new"]


def _claims_first(rows: list[Draft]) -> Iterator[Wrong]:
    reported = False
    for row in rows:
        reported = reported or row.log == "report-log"
        if reported and row.log == "claim-ledger":
            yield Wrong(row, "claims-before-report", "a claim change after the report of its transition")
