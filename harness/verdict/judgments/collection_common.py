"""Outputs that were accepted and wait to be collected, as reports and the location log tell of them."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Config, at_place
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.pools_common import Wrong, observes
from harness.verdict.parts import Part, absent, holds, violated

LOCATION = "output-location"


class Outputs:
    """The outputs of one world that lie accepted at a destination."""

    def __init__(self, w: WorldView) -> None:
        self.w = w
        self.e: Evidence = w.evidence
        self.config: Config = w.evidence.config

    def accepted(self, sent: SentView) -> tuple[str, ...]:
        """The finished runs whose output had been accepted when the event entered, in the order of its acceptance.

        Where the system does not tell where outputs lie, a finished run counts whose route refused nothing.
        """
        finished = sent.before.in_state("finished")
        if observes(self.e, LOCATION):
            rows = [row for row in self.w.rows(LOCATION, change="accepted") if self._is_before(row, sent)]
            return tuple(dict.fromkeys(str(row.run) for row in rows if row.run in finished))
        refused = {row.run for row in self.w.reports("destination-refused")}
        done = [row.run for row in self.w.reports("job-finished") if row.run in finished and row.run not in refused]
        return tuple(str(run) for run in done)

    def _is_before(self, row: LogRow, sent: SentView) -> bool:
        return self.w.sent_of(row).place < sent.place

    def due(self, sent: SentView) -> str | None:
        """The run whose output a collection event must take: the named one, or the one accepted first."""
        there = self.accepted(sent)
        run = sent.event.get("run")
        if run is None:
            return there[0] if there else None
        return str(run) if run in there else None

    def ended(self, sent: SentView, run: str) -> bool:
        """Whether the run left finished in this event."""
        return sent.after.state(run) != "finished"

    def logged(self, sent: SentView) -> tuple[LogRow, ...]:
        """The event-log row of this event."""
        return sent.rows_of("event-log")

    def destinations(self, run: str) -> tuple[str | None, ...]:
        """Where the run's output may lie: its normal destination, and the fallbacks under a route."""
        asked = self.w.reports("job-requested", run=run)
        rule = self.config.job_rule(asked[0]["job"]) if asked else None
        if rule is None or rule.destination is None:
            return ()
        fallbacks = self.config.fallbacks if self.config.output_full == "try-destinations" else ()
        return tuple(at_place(name, asked[0]["place"]) for name in (rule.destination, *fallbacks))

    def is_collection(self, delivery: LogRow) -> bool:
        """Whether a delivery came of a declared collection: its event, or the tick of a polled row."""
        sent = self.e.sent_of(delivery)
        rule = next((each for each in self.config.collections if delivery["causes"] == [each.id]), None)
        if rule is None:
            return False
        return sent.kind == "tick" if rule.polled else sent.kind == "collect" and sent.event.get("row") == rule.id


def collected_by(sent: SentView, run: str, row: str, logged: tuple[LogRow, ...]) -> Iterator[Part]:
    """A collection delivers just this run, with one report that names the row."""
    reports = sent.rows_of("report-log", run, report="job-delivered")
    others = [each for each in sent.rows_of("report-log", report="job-delivered", causes=[row]) if each.run != run]
    near = sent.rows[-1] if sent.rows else None
    if not reports:
        what = absent("report-log", f"the job-delivered of {run}", near=near)
        yield violated(what, f"{row} takes the output of {run}, and no job-delivered is reported")
    elif len(reports) > 1:
        yield violated(reports[1], f"{run} is reported as delivered twice")
    elif reports[0]["causes"] != [row] or (reports[0]["old"], reports[0]["new"]) != ("finished", "delivered"):
        told = f"{reports[0]['old']} to {reports[0]['new']} by {', '.join(reports[0]['causes'])}"
        yield violated(reports[0], f"{row} takes the output of {run}, reported is {told}")
    elif others and sent.kind == "collect":
        yield violated(others[0], f"{row} takes the output of {run}, and delivers {others[0].run} too")
    elif sent.after.state(run) != "delivered":
        yield violated(reports[0], f"{run} is reported as delivered and is {sent.after.state(run)}")
    else:
        yield holds(*reports, *logged)


def delivered_once(w: WorldView) -> Iterator[Wrong]:
    """A second job-delivered in the life of a run, or one that no job-finished came before."""
    seen: set[str | None] = set()
    finished = {row.run: row.pos for row in reversed(w.reports("job-finished"))}
    for row in w.reports("job-delivered"):
        if row.run in seen:
            yield row, f"{row.run} is reported as delivered a second time"
        elif finished.get(row.run, row.pos) >= row.pos:
            yield row, f"{row.run} is reported as delivered without having finished"
        seen.add(row.run)


# -- where outputs lie ------------------------------------------------------------------------------------------------

#: From each place of an output's life, what may come next; None is its beginning.
_NEXT: dict[str | None, frozenset[str]] = {
    None: frozenset({"held", "accepted", "delivered"}),
    "held": frozenset({"accepted", "delivered", "destroyed"}),
    "accepted": frozenset({"collected", "destroyed"}),
    "collected": frozenset(),
    "delivered": frozenset(),
    "destroyed": frozenset(),
}


def location_wrongs(w: WorldView) -> Iterator[Wrong]:
    """The location log against itself and the reports: each change in turn, none missing, none twice."""
    last: dict[str | None, str] = {}
    outputs: dict[str | None, object] = {}
    for row in w.rows(LOCATION):
        if outputs.setdefault(row.run, row["output"]) != row["output"]:
            yield row, f"the output of {row.run} was {outputs[row.run]}, this row tells of {row['output']}"
        change = row["change"]
        if change not in _NEXT.get(last.get(row.run), frozenset()):
            yield row, f"the output of {row.run} is {change} after it was {last.get(row.run, 'not there')}"
        elif change == "collected" and row["accessible"] is not True:
            yield row, f"the output of {row.run} is collected where it is not accessible"
        last[row.run] = change
    yield from _untold(w)


def _untold(w: WorldView) -> Iterator[Wrong]:
    """Finished runs whose output nothing locates, and deliveries without their collection."""
    located = {row.run for row in w.rows(LOCATION, change=("accepted", "held"))}
    for report in w.reports("job-finished"):
        if report.run not in located and w.evidence.config.output_full != "never-full":
            what = absent(LOCATION, f"where the output of {report.run} lies", near=report)
            yield what, f"{report.run} finished, and no row says where its output lies"
        elif report.run not in located and not _may_be_refused(w, report):
            what = absent(LOCATION, f"the acceptance of the output of {report.run}", near=report)
            yield what, f"{report.run} finished, and its output is not accepted anywhere"
    for report in w.reports("job-delivered"):
        rows = w.settle_rows(report.settle, LOCATION) if report.settle is not None else ()
        collected = [row for row in rows if row.run == report.run and row["change"] == "collected"]
        if not collected:
            what = absent(LOCATION, f"the collection of the output of {report.run}", near=report)
            yield what, f"{report.run} is delivered, and its output was not collected"
        elif collected[0]["location"] != report["destination"]:
            yield collected[0], f"the output is collected at {collected[0]['location']}, not {report['destination']}"


def _may_be_refused(w: WorldView, report: LogRow) -> bool:
    """Whether a never-full destination that is finite after all may have had no room."""
    config = w.evidence.config
    capacities = {each.name: each.capacity for each in config.destinations}
    return any(capacities.get(str(name)) is not None for name in Outputs(w).destinations(str(report.run)))
