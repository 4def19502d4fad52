"""Who meets the finish gate, and whether its conditions hold then: room for the output, and the full input (step 13).

Free room is added up from the world, the `room` events and the outputs that reports say were established, never taken
from the system's own word. It is known this way only under `wait-until-space`, where an output is accepted at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.models.lifecycle.config import at_place
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.progress_shares import Terms, missing, terms_of
from harness.verdict.judgments.stops_records import FINISH_GATE, Stop, all_stops, joins, number, supplied
from harness.verdict.snapshot import Snapshot

OUTPUT_FULL = "output-full"
INPUTS = "inputs-unavailable-at-finish"


class Arrival(NamedTuple):
    """A run that reached its finish gate: `row` is the one that completed its work, or its instant start."""

    world: WorldView
    terms: Terms
    row: LogRow

    @property
    def run(self) -> str:
        """The run's name."""
        return self.terms.run

    @property
    def sent(self) -> SentView:
        """The event that brought it there."""
        return self.world.sent_of(self.row)


def arrivals(w: WorldView) -> Iterator[Arrival]:
    """Every run that met the gate, in order of request; work is known to be complete by its own rows."""
    for run in w.runs:
        terms = terms_of(w, run)
        if terms is None:
            continue
        if terms.phase is None:
            rows = w.reports("job-started", run=run)
        elif supplied(w.evidence, "work-before-after"):
            advanced = w.rows("work-before-after", run=run, why="advance")
            rows = tuple(row for row in advanced if number(row["after"]) >= terms.required)
        else:
            rows = ()
        for row in rows[:1]:
            yield Arrival(w, terms, row)


def failing(arrival: Arrival) -> frozenset[str]:
    """The conditions of the gate that failed when the run arrived."""
    w, row = arrival.world, arrival.row
    at = w.snapshot(row, before=False)
    return frozenset(failing_conditions(w, arrival.terms, at, row.pos, arrival.sent.place))


def failing_after(stop: Stop, sent: SentView) -> frozenset[str]:
    """The conditions of the gate that fail for a stopped run when the event has settled."""
    terms = terms_of(stop.world, stop.run)
    if terms is None:
        return frozenset()
    last = sent.rows[-1].pos + 1 if sent.rows else None
    return frozenset(failing_conditions(stop.world, terms, sent.after, last, sent.place))


def failing_conditions(w: WorldView, terms: Terms, at: Snapshot, pos: int | None, place: int) -> Iterator[str]:
    """The causes that the gate would give at this point: before the row at `pos`, with the events up to `place`."""
    if terms.config.timing == "taken-at-finish":
        needed = missing(terms.whole, at.held(terms.run))
        if any(at.usable(*unit) < amount for unit, amount in needed.items()):
            yield INPUTS
    if terms.config.output_full == "wait-until-space":
        free = free_room(w, destination_of(terms), pos, place)
        if free is not None and free < terms.job.size:
            yield OUTPUT_FULL


def destination_of(terms: Terms) -> str:
    """The run's normal destination."""
    return at_place(terms.job.destination or "", terms.place)


def free_room(w: WorldView, destination: str, pos: int | None, place: int) -> int | None:
    """The free room there before the row at `pos` (None: after every row of the events up to `place`).

    None where the destination is unlimited or unknown.
    """
    known = {each.name: each.capacity for each in w.evidence.config.destinations}
    free = known.get(destination)
    if free is None:
        return None
    for entry in w.world.get("room", ()):
        if entry["destination"] == destination:
            free = int(entry["free"])
    for sent in w.sent[: place + 1]:
        if sent.kind == "room" and sent.outcome == "accepted" and sent.event["destination"] == destination:
            free = int(sent.event["free"])
        rows = [row for row in sent.rows_of("report-log") if pos is None or row.pos < pos]
        free += sum(_room_given(w, row, destination) for row in rows)
    return free


def _room_given(w: WorldView, row: LogRow, destination: str) -> int:
    """What a report gives or takes of the room there: a finish takes the output's size, a collection gives it back."""
    collected = row["report"] == "job-delivered" and row["causes"] != ["accepted"]
    destroyed = row["report"] == "job-failed" and row["old"] == "finished"
    if row["report"] != "job-finished" and not collected and not destroyed:
        return 0
    terms = terms_of(w, str(row.run))
    if terms is None or destination_of(terms) != destination:
        return 0
    return -terms.job.size if row["report"] == "job-finished" else terms.job.size


def finished_without_room(w: WorldView, report: LogRow) -> int | None:
    """The room that was too short for the output of a job-finished; None where it was enough."""
    terms = terms_of(w, str(report.run))
    if terms is None or terms.config.output_full != "wait-until-space":
        return None
    free = free_room(w, destination_of(terms), report.pos, w.sent_of(report).place)
    return free if free is not None and free < terms.job.size else None


def gate_stops(e: Evidence, cause: str) -> Iterator[Stop]:
    """The stops at the finish gate that began with this cause, or that it joined."""
    for stop in all_stops(e, FINISH_GATE):
        if stop.report is None or cause in stop.causes or any(cause in row["causes"] for row in joins(stop)):
            yield stop


def own_log(e: Evidence, log: str) -> bool:
    """Whether the scenario names the log itself, or it is known all the same."""
    return log in e.scenario.logs or supplied(e, log)
