"""reports-identify-the-run: old and new states, and the two reports that change none."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import (
    Asked,
    asked_runs,
    first_of_settle,
    lacking,
    reserves,
    route_of,
    tested_share,
)
from harness.verdict.judgments.admission_events import Breach, breaches
from harness.verdict.judgments.reports import TEMPLATE
from harness.verdict.judgments.reports_agreement import MOVES, states_disagree
from harness.verdict.parts import Part, absent, holds

STATES = frozenset(
    ("requested", "waiting", "started", "working", "stopped", "finished", "delivered", "canceled", "failed")
)


@clause(TEMPLATE, 2)
def every_report_but_the_first_carries_old_and_new_state(e: Evidence) -> Iterator[Part]:
    """job-requested carries a new state only and stands alone; every other report tells a legal change."""
    for w in e.worlds:
        wrong = list(states_disagree(w))
        for report in w.reports():
            wrong += _request_is_wrong(w, report) if report["report"] == "job-requested" else _move_is_wrong(e, report)
        yield from breaches(wrong)
        if not wrong:
            yield from (holds(report) for report in w.reports())


def _request_is_wrong(w: WorldView, report: LogRow) -> Iterator[Breach]:
    if report["old"] is not None or report["new"] != "requested":
        yield report, f"job-requested of {report.run} tells {report['old']} to {report['new']}, not only requested"
    if report.batch is not None:
        yield report, f"job-requested of {report.run} stands in batch {report.batch}"
    beside = w.settle_rows(report.settle) if report.settle is not None else ()
    for row in beside:
        if row.log in ("report-log", "claim-ledger", "state-trace") and row != report:
            yield row, f"a row of {row.log} stands in the settle of the job-requested of {report.run}"


def _move_is_wrong(e: Evidence, report: LogRow) -> Iterator[Breach]:
    name, old, new = report["report"], report["old"], report["new"]
    if old is None or new is None:
        yield report, f"{name} of {report.run} does not carry both an old and a new state"
    elif (old, new) not in MOVES.get(name, ()):
        yield report, f"{name} of {report.run} tells {old} to {new}, which it never does"
    elif e.at(first_of_settle(e, report)).state(str(report.run)) != old:
        known = e.at(first_of_settle(e, report)).state(str(report.run))
        yield report, f"{name} of {report.run} says it was {old}, the state trace says {known}"
    if report.batch is None:
        yield report, f"{name} of {report.run} stands in no batch"
    others = [row for row in e.settle_of(report) if row.log == "report-log" and row.pos < report.pos]
    for row in others:
        yield report, f"{name} of {report.run} shares its settle with {row['report']} of {row.run}"


# -- the two reports without a change of state --------------------------------------------------------------------


@clause(TEMPLATE, 3)
def a_rejection_ends_the_run_and_a_refusal_stays_finished(e: Evidence) -> Iterator[Part]:
    """No state is called rejected, nothing follows a rejection, and a refused destination leaves finished as it is."""
    for w in e.worlds:
        wrong = [*_unknown_states(w), *_owed_rejections(e, w), *_owed_refusals(e, w)]
        for report in w.reports("job-rejected"):
            wrong += _rejection_is_wrong(w, report)
        for report in w.reports("destination-refused"):
            wrong += _refusal_is_wrong(w, report)
        yield from breaches(wrong)
        if not wrong:
            yield from (holds(report) for report in w.reports(("job-rejected", "destination-refused")))


def _unknown_states(w: WorldView) -> Iterator[Breach]:
    for row in w.rows("state-trace"):
        if row["to"] not in STATES:
            yield row, f"{row.run} enters {row['to']}, which is no state"


def _rejection_is_wrong(w: WorldView, report: LogRow) -> Iterator[Breach]:
    if (report["old"], report["new"]) != ("requested", "requested"):
        yield (
            report,
            f"job-rejected of {report.run} tells {report['old']} to {report['new']}, not requested to requested",
        )
    for log in ("report-log", "state-trace", "claim-ledger"):
        for row in w.rows(log, report.run):
            later = row.pos > report.pos
            if later or log == "state-trace":
                yield row, f"a row of {log} tells of {report.run}, which was rejected"


def _refusal_is_wrong(w: WorldView, report: LogRow) -> Iterator[Breach]:
    if (report["old"], report["new"]) != ("finished", "finished"):
        yield (
            report,
            f"destination-refused of {report.run} tells {report['old']} to {report['new']}, not finished twice",
        )
    moves = w.settle_rows(report.settle, "state-trace") if report.settle is not None else ()
    for row in moves:
        yield row, f"{row.run} goes from {row['from']} to {row['to']} in the settle of a refused destination"


def _owed_rejections(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Requests that were left without an answer: too few inputs, or an admission that neither started nor waits."""
    for run, asked in asked_runs(e, w).items():
        if asked.sent.rows_of("report-log", run, report=("job-rejected", "job-waiting", "job-started")):
            continue
        short = e.config.timing is not None and lacking(e, tested_share(e, asked), asked.report)
        may_stay = asked.is_paused or reserves(e, asked)
        if short or not may_stay:
            why = "its inputs were short" if short else "nothing lets it stay requested"
            yield (
                absent("report-log", f"the answer to the request of {run}", 1, asked.report),
                (f"{run} was neither rejected nor admitted, although {why}"),
            )


def _owed_refusals(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Outputs that went along a route without the refusal of each destination that had no room."""
    if e.config.output_full not in ("hold-undelivered", "try-destinations"):
        return
    runs = asked_runs(e, w)
    for report in w.reports("job-finished"):
        asked = runs.get(str(report.run))
        if asked is not None and report.batch is not None:
            yield from _route_is_told(e, w, asked, report)


def _route_is_told(e: Evidence, w: WorldView, asked: Asked, report: LogRow) -> Iterator[Breach]:
    rows = [row for row in w.batch_rows(report.batch or 0, "report-log") if row.run == report.run]
    refused = sum(1 for row in rows if row["report"] == "destination-refused")
    delivered = next((row for row in rows if row["report"] == "job-delivered"), None)
    route = route_of(e, asked)
    if delivered is None and refused < len(route) and not e.config.on_collection:
        yield (
            absent("report-log", f"the refusals of the route of {report.run}", len(rows), report),
            (f"the output of {report.run} is held after {refused} refusals, its route has {len(route)} destinations"),
        )
    elif refused > len(route) or (delivered is not None and refused >= len(route)):
        yield rows[-1], f"{refused} destinations refused the output of {report.run}, its route has {len(route)}"
    elif delivered is not None and route[refused] != delivered["destination"]:
        yield delivered, f"{report.run} is delivered to {delivered['destination']} after {refused} refusals"
