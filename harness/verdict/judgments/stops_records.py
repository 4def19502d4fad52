"""How judgments of stops read the logs: the stops of a world, and the rows of one settle.

A fault is a `Violated` part; a check that finds none yields nothing, and the clause then holds by the rows it saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from harness.run.recording import LogRow, fraction
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.parts import Exhibit, Part, Violated, absent, holds, violated
from harness.verdict.snapshot import Snapshot

FINISH_GATE_CAUSES = frozenset({"output-full", "inputs-unavailable-at-finish"})
UNABLE = "unable-to-advance"
RECOVERY = "failure-recovery"

ORDINARY = "ordinary"
FINISH_GATE = "finish-gate"
FAILURE = "failure"


class Stop(NamedTuple):
    """One stay in `stopped`, from its first cause on.

    `began` is ordinary, finish-gate or failure. `report` and `state` are the rows that told of the stop, `end` the
    first row that told of its end; each is None where the logs have no such row.
    """

    world: WorldView
    run: str
    began: str
    report: LogRow | None
    state: LogRow | None
    end: LogRow | None

    @property
    def row(self) -> LogRow:
        """The row that tells of the stop."""
        found = self.report or self.state
        if found is None:
            raise ValueError(f"nothing tells of this stop of {self.run}")
        return found

    @property
    def causes(self) -> frozenset[str]:
        """The causes that the stop began with, as reported; a failure stop began with `failure-recovery`."""
        if self.began == FAILURE:
            return frozenset({RECOVERY})
        return frozenset(self.report["causes"]) if self.report else frozenset()

    @property
    def rows(self) -> tuple[LogRow, ...]:
        """Every row of the settle in which the run stopped."""
        return settle_rows(self.world, self.row)

    @property
    def before(self) -> Snapshot:
        """What was true before that settle."""
        return self.world.snapshot(self.rows[0], before=True)

    @property
    def after(self) -> Snapshot:
        """What was true after that settle."""
        return self.world.snapshot(self.rows[-1], before=False)

    def within(self, row: LogRow) -> bool:
        """Whether the row stands between the settle of the stop and the row of its end."""
        return self.rows[-1].pos < row.pos and (self.end is None or row.pos < self.end.pos)


def supplied(e: Evidence, log: str) -> bool:
    """Whether the log is known, so that it may support what the scenario's own logs say."""
    return log in e.recording.observes


def settle_rows(w: WorldView, row: LogRow) -> tuple[LogRow, ...]:
    """Every row of the row's settle; where rows carry no settle, the rows of its event."""
    return w.settle_rows(row.settle) if row.settle is not None else w.sent_of(row).rows


def causes_now(e: Evidence, at: Snapshot, run: str) -> frozenset[str]:
    """The active causes of a run, as stop-causes tells them, else as reports and clearing events do."""
    return at.causes(run) if supplied(e, "stop-causes") else at.reported_causes(run)


def of_log(rows: Iterable[LogRow], log: str, run: str, **columns: str) -> tuple[LogRow, ...]:
    """The run's rows of one log among these; touch the log before relying on a row that is not there."""
    asked = {name.rstrip("_"): value for name, value in columns.items()}
    return tuple(
        row
        for row in rows
        if row.log == log and row.run == run and all(row.get(name) == value for name, value in asked.items())
    )


# -- stops ------------------------------------------------------------------------------------------------------------


def all_stops(e: Evidence, began: str | None = None) -> Iterator[Stop]:
    """The stops of every world, optionally only those that began that way."""
    for w in e.worlds:
        for stop in stops(w):
            if began in (None, stop.began):
                yield stop


def stops(w: WorldView) -> Iterator[Stop]:
    """The stops of a world in order, told by reports and states together."""
    reports = [row for row in w.reports(("job-stopped", "job-failed"), new="stopped") if row["old"] != "stopped"]
    with_states = supplied(w.evidence, "state-trace")
    states = [row for row in w.rows("state-trace", to="stopped") if row["from"] != "stopped"] if with_states else []
    for report, state in _pairs(w, reports, states):
        row = report or state
        if row is not None and row.run is not None:
            yield Stop(w, row.run, _began(w, report, row), report, state, _end(w, row))


def _pairs(
    w: WorldView, reports: Sequence[LogRow], states: Sequence[LogRow]
) -> Iterator[tuple[LogRow | None, LogRow | None]]:
    """Each report with the state row of the same event and run; what has no partner stands alone."""
    open_states = list(states)
    found: list[tuple[LogRow | None, LogRow | None]] = []
    for report in reports:
        place = w.sent_of(report).place
        state = next((s for s in open_states if s.run == report.run and w.sent_of(s).place == place), None)
        if state is not None:
            open_states.remove(state)
        found.append((report, state))
    found.extend((None, state) for state in open_states)
    return iter(sorted(found, key=lambda pair: min(row.pos for row in pair if row is not None)))


def _began(w: WorldView, report: LogRow | None, row: LogRow) -> str:
    if report is not None:
        if report["report"] == "job-failed":
            return FAILURE
        return FINISH_GATE if report["causes"] and FINISH_GATE_CAUSES.issuperset(report["causes"]) else ORDINARY
    return {"working": ORDINARY, "started": FINISH_GATE}.get(row["from"], FAILURE)


def _end(w: WorldView, row: LogRow) -> LogRow | None:
    """The first row, state or report, that takes the run out of `stopped` again."""
    left = [each for each in w.reports(run=row.run, old="stopped") if each["new"] != "stopped"]
    if supplied(w.evidence, "state-trace"):
        left += [each for each in w.rows("state-trace", run=row.run, from_="stopped") if each["to"] != "stopped"]
    return min((each for each in left if each.pos > row.pos), key=lambda each: each.pos, default=None)


def stop_faults(stop: Stop) -> Iterator[Violated]:
    """A stop that only one of the two logs tells of, or whose report names no cause."""
    if stop.report is None:
        yield violated(
            absent("report-log", f"the report of the stop of {stop.run}", near=stop.state),
            f"{stop.run} entered stopped and no report tells of it",
            *((stop.state,) if stop.state else ()),
        )
    elif stop.state is None and supplied(stop.world.evidence, "state-trace"):
        yield violated(
            absent("state-trace", f"the entry of {stop.run} into stopped", near=stop.report),
            f"{stop.run} is reported stopped and its state did not change",
            stop.report,
        )


def joins(stop: Stop) -> tuple[LogRow, ...]:
    """The reports of causes that joined during the stop."""
    reports = stop.world.reports("job-stopped", run=stop.run, old="stopped", new="stopped")
    return tuple(row for row in reports if stop.within(row))


def events_within(stop: Stop, kind: str | None = None) -> Iterator[SentView]:
    """The accepted events that entered while the run was stopped."""
    first = stop.world.sent_of(stop.row).place
    last = stop.world.sent_of(stop.end).place if stop.end is not None else len(stop.world.sent)
    for sent in stop.world.events(kind):
        if first < sent.place < last or (sent.place == last and first < last):
            yield sent


# -- parts ------------------------------------------------------------------------------------------------------------


def judged(faults: Iterable[Violated], *shown: Exhibit | None) -> Iterator[Part]:
    """The faults, or one part that holds by what was shown where there are none."""
    found = tuple(faults)
    yield from found
    exhibits = [each for each in shown if each is not None]
    if not found and exhibits:
        yield holds(*exhibits)


def only(rows: Sequence[LogRow], log: str, what: str, near: LogRow) -> Iterator[Violated]:
    """Faults where `rows` is not exactly one row."""
    if not rows:
        yield violated(absent(log, what, near=near), f"{what} is missing", near)
    elif len(rows) > 1:
        yield violated(rows[1], f"{what} stands {len(rows)} times", rows[0])


def number(value: object) -> Fraction:
    """A work value of a row; one that is no number is told apart from every number by standing below them all."""
    found = fraction(value)
    return Fraction(-1) if found is None else found
