"""Whether report-log makes lives: legal moves that join, causes that exist, one job and place, the recorded work."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import PLACE, at_place
from harness.run.derive.paths import REPORT_MOVES
from harness.run.recording import LogRow, fraction
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.delivery_room import ATTEMPTS
from harness.verdict.judgments.failures_settles import is_ending, observed, settled, trace_faults, unit_faults
from harness.verdict.parts import Violated, absent, violated

_REASONS = frozenset({"no-free-slot", "earlier-job-first", "inputs-unavailable", "dependency-unmet"})
_STOPS = frozenset({"output-full", "inputs-unavailable-at-finish", "unable-to-advance"})
_FIXED = {
    "job-rejected": frozenset({"missing-inputs", "job-limit-full"}),
    "job-resumed": frozenset({"causes-cleared"}),
    "job-finished": frozenset({"finish-gate-passed"}),
    "destination-refused": frozenset({"no-room"}),
    "job-started": frozenset({"slot-offered", "no-pool"}),
    "job-waiting": _REASONS,
}
_PLURAL = frozenset({"job-waiting", "job-stopped"})
_DELIVERING = frozenset({"destination-refused", "job-delivered"})


def report_faults(e: Evidence) -> Iterator[Violated]:
    """Everything that is wrong with the reports by themselves, and beside the recorded work where that is known."""
    for w in e.worlds:
        yield from _unreported(w)
        lives: dict[str, list[LogRow]] = {}
        for report in w.reports():
            lives.setdefault(str(report.run), []).append(report)
        for life in lives.values():
            yield from _life(life)
            yield from _as_asked(e, w, life[0])
            yield from _one_run(e, w, life)
            for report in life:
                yield from _causes(e, report)
        if observed(e, "work-before-after"):
            yield from _work(w)
        if observed(e, ATTEMPTS):
            yield from _refusals(e, w)
        if observed(e, "admission-trace"):
            yield from _reasons(w)
    if observed(e, "claim-ledger"):
        yield from unit_faults(e)
    if observed(e, "state-trace"):
        yield from trace_faults(e)


def _unreported(w: WorldView) -> Iterator[Violated]:
    for sent in w.events("request"):
        run = str(sent.event.get("run"))
        if not sent.rows_of("report-log", run=run, report="job-requested"):
            what = f"job-requested of run {run}"
            yield violated(absent("report-log", what), f"the accepted request {run} was never reported")


def _life(life: list[LogRow]) -> Iterator[Violated]:
    state, is_over = None, False
    for report in life:
        name, old, new = report["report"], report["old"], report["new"]
        if is_over:
            yield violated(report, f"{name} of run {report.run} after its end")
        elif old != state:
            yield violated(report, f"{name} of run {report.run} leaves {old}, and its report before left it in {state}")
        elif (old, new) not in REPORT_MOVES.get(name, ()):
            yield violated(report, f"{name} of run {report.run} goes from {old} to {new}")
        state, is_over = new, is_ending(report)


def _as_asked(e: Evidence, w: WorldView, first: LogRow) -> Iterator[Violated]:
    """The run is what its request, or its standing order, asked for."""
    asked = w.events("request", run=first.run)
    order = next((row for row in e.config.standing_orders if [row.id] == list(first["causes"])), None)
    if first["report"] != "job-requested" or not (asked or order):
        return
    job = asked[0].event["job"] if asked else (order.job if order is not None else None)
    fields = tuple(asked[0].event.get("fields", {}).items()) if asked else ()
    pool = e.config.covering_pool(str(job), fields) if asked else e.config.pool(order.pool if order else "")
    owed = (job, pool.id if pool is not None else None)
    places = pool.places if pool is not None else ()
    named = asked[0].event.get("place") if asked and pool is not None and pool.assignment == "requested" else None
    is_there = first["place"] in places if places else first["place"] is None
    if (first["job"], first["pool"]) != owed or not is_there or named not in (None, first["place"]):
        found = f"{first['job']} in {first['pool']} at {first['place']}"
        yield violated(first, f"run {first.run} was asked for as {owed[0]} in {owed[1]}, and is requested as {found}")


def _reasons(w: WorldView) -> Iterator[Violated]:
    """A run waits for the reasons that its admission found."""
    for report in w.reports("job-waiting"):
        rows = [row for row in w.rows("admission-trace", run=report.run, outcome="waiting") if row.pos < report.pos]
        if rows and list(rows[-1]["reasons"]) != list(report["causes"]):
            because = f"run {report.run} waits for {report['causes']}, and its admission found {rows[-1]['reasons']}"
            yield violated(report, because, rows[-1])


def _refusals(e: Evidence, w: WorldView) -> Iterator[Violated]:
    """A refused delivery is reported once where the answer holds the output, and never elsewhere."""
    owed = 1 if e.config.output_full in ("hold-undelivered", "try-destinations") else 0
    for row in w.rows(ATTEMPTS, attempt="delivery", outcome="refused"):
        reports = [each for each in settled(e, row, "report-log") if each["report"] == "destination-refused"]
        if len(reports) != owed:
            missing = absent("report-log", f"destination-refused of run {row.run}", near=row)
            first = reports[-1] if reports else missing
            yield violated(first, f"a refusal of run {row.run} is reported {len(reports)} times", row)


def _one_run(e: Evidence, w: WorldView, life: list[LogRow]) -> Iterator[Violated]:
    """One job, one pool and place, and one destination once it is chosen."""
    first = life[0]
    chosen: str | None = None
    for report in life:
        for column in ("job", "pool", "place"):
            if report[column] != first[column]:
                was = f"run {report.run} was requested with {column} {first[column]}"
                yield violated(report, f"{was}, and is told of {report[column]}", first)
                return
        if report["report"] in _DELIVERING:
            chosen = report["destination"]
            if chosen not in _route(e, report):
                yield violated(report, f"run {report.run} delivers to {chosen}, which is not on its route")
                return
        elif report["destination"] not in (_taken_at(e, w, report) or _expected(e, report, chosen)):
            yield violated(report, f"{report['report']} of run {report.run} names {report['destination']}")
            return


def _route(e: Evidence, report: LogRow) -> tuple[str | None, ...]:
    job = e.config.job_rule(str(report["job"]))
    if job is None or job.destination is None:
        return (None,)
    fallbacks = e.config.fallbacks if e.config.output_full == "try-destinations" else ()
    place = report["place"]
    return tuple(at_place(each, place) if PLACE in each else each for each in (job.destination, *fallbacks))


def _taken_at(e: Evidence, w: WorldView, report: LogRow) -> tuple[str | None, ...]:
    """Where the output lies until it is collected: no report tells of the attempt that took it there.

    Where the attempts are not known either, it may lie anywhere on the run's route from the last refusal on.
    """
    if report["old"] != "finished" or not e.config.on_collection:
        return ()
    if observed(e, ATTEMPTS):
        taken = w.rows(ATTEMPTS, run=report.run, attempt="delivery", outcome="accepted")
        return tuple(row["destination"] for row in taken if row.pos < report.pos)[-1:]
    refused = [row for row in w.reports("destination-refused", run=report.run) if row.pos < report.pos]
    route = _route(e, report)
    return route[route.index(refused[-1]["destination"]) :] if refused else ()


def _expected(e: Evidence, report: LogRow, chosen: str | None) -> tuple[str | None, ...]:
    """The destination that a report may name: the one chosen, which a reservation chooses before the admission."""
    if chosen is not None:
        return (chosen,)
    if e.config.output_full != "wait-before-start" or report["report"] == "job-requested":
        # An attempt that a never-full destination refused has chosen it, and no report tells of the attempt.
        return (*_route(e, report), None) if report["old"] == "finished" else (None,)
    if report["report"] in ("job-rejected", "job-canceled"):
        return (None, *_route(e, report)[:1])
    return _route(e, report)[:1]


def _causes(e: Evidence, report: LogRow) -> Iterator[Violated]:
    """The causes are those that the report can have, at least one, and several only where there can be several."""
    name, causes = report["report"], list(report["causes"])
    known = _known(e, report)
    if known is None:
        return
    wrong = [cause for cause in causes if cause not in known]
    if wrong or not causes or (len(causes) > 1 and name not in _PLURAL) or len(set(causes)) < len(causes):
        yield violated(report, f"{name} of run {report.run} has the causes {causes}")


def _known(e: Evidence, report: LogRow) -> frozenset[str] | None:
    config, name = e.config, report["report"]
    if name == "job-started":
        return frozenset({"no-pool"} if report["pool"] is None else {"slot-offered"})
    declared = {
        "job-requested": {"requester", *(row.id for row in config.standing_orders)},
        "job-working": {phase.id for phase in config.phases},
        "job-stopped": {*_STOPS, *(row.id for row in config.interruptions)},
        "job-delivered": {"accepted", *(row.id for row in config.collections)},
        "job-failed": {row.id for row in config.failures},
        "job-canceled": {"dependency-ended", *config.cancellations},
    }
    return _FIXED.get(name) or (frozenset(declared[name]) if name in declared else None)


def _work(w: WorldView) -> Iterator[Violated]:
    """The work in a report is what its settle records, or what was recorded last."""
    last: dict[str | None, LogRow] = {}
    settles: dict[tuple[str | None, int | None], LogRow] = {}
    for sent in w.sent:
        for row in sent.rows:
            if row.log == "work-before-after":
                last[row.run] = row
                settles.setdefault((row.run, row.settle), row)
            elif row.log == "report-log":
                yield from _told_work(row, last.get(row.run), settles.get((row.run, row.settle)))


def _told_work(report: LogRow, last: LogRow | None, own: LogRow | None) -> Iterator[Violated]:
    after = fraction(last["after"]) if last is not None else 0
    before = fraction(own["before"]) if own is not None and report.settle is not None else after
    if fraction(report["work-after"]) != after or fraction(report["work-before"]) != before:
        told = f"work {report['work-before']} to {report['work-after']}"
        because = f"{report['report']} of run {report.run} tells of {told}; recorded is {before} to {after}"
        yield violated(report, because, *([last] if last is not None else []))
