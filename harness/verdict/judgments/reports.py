"""reports-identify-the-run: what every report carries."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow, fraction
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, is_own_request
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble, refusal_row
from harness.verdict.judgments.reports_agreement import ledger_disagrees, ticks_without_work, work_disagrees
from harness.verdict.judgments.reports_causes import cause_is_wrong
from harness.verdict.judgments.reports_destinations import destinations_are_wrong
from harness.verdict.parts import Part, absent, holds

TEMPLATE = "reports-identify-the-run"


# -- the request --------------------------------------------------------------------------------------------------


@clause(TEMPLATE, 0)
def the_request_reads_its_rule_once_and_takes_one_place(e: Evidence) -> Iterator[Part]:
    """One read of the cited rule, one pool, one place, and then one job-requested."""
    yield from event_trouble(e, "request")
    for w in e.worlds:
        yield from breaches(unreported_requests(w))
        yield from breaches(_stray_reads(w))
        runs = asked_runs(e, w)
        for report in w.reports("job-requested"):
            wrong = list(_read_is_wrong(e, w, report))
            if (asked := runs.get(str(report.run))) is not None:
                wrong += _assignment_is_wrong(e, w, asked, report)
            yield from breaches(wrong)
            if not wrong:
                yield holds(*w.rows("job-rule-read-log", report.run), report)


def unreported_requests(w: WorldView) -> Iterator[Breach]:
    """Accepted requests without their job-requested, and runs that are requested twice."""
    for sent in w.events("request"):
        run = str(sent.event["run"])
        if not sent.rows_of("report-log", run, report="job-requested"):
            near = sent.rows[0] if sent.rows else None
            yield absent("report-log", f"job-requested of {run}", 0, near), f"the request of {run} was not reported"
    seen: set[str | None] = set()
    for report in w.reports("job-requested"):
        if report.run in seen:
            yield report, f"{report.run} is reported as requested a second time"
        seen.add(report.run)


def _stray_reads(w: WorldView) -> Iterator[Breach]:
    known = set(w.runs)
    for row in w.rows("job-rule-read-log"):
        if row.run not in known:
            yield row, f"a job rule is read for {row.run}, which was never requested"


def _read_is_wrong(e: Evidence, w: WorldView, report: LogRow) -> Iterator[Breach]:
    run, job = report.run, str(report["job"])
    rule = e.config.job_rule(job)
    if rule is None:
        yield report, f"{run} is requested for {job}, which no rule declares"
        return
    reads = w.rows("job-rule-read-log", run)
    if len(reads) != 1:
        missing = absent("job-rule-read-log", f"the one read of the rule of {job} for {run}", len(reads), report)
        yield reads[1] if reads else missing, f"the rule of {job} is read {len(reads)} times for {run}, not once"
        return
    read, addresses = reads[0], {rule.address}
    if job == e.config.job:
        addresses.add(e.adoption.job["job-declared-in"])
    if read["job"] != job or read["address"] not in addresses:
        yield read, f"{run} reads {read['address']} for {read['job']}, the rule of {job} is at {rule.address}"
    elif read.pos > report.pos:
        yield read, f"the rule of {job} is read only after {run} was reported as requested"


def _assignment_is_wrong(e: Evidence, w: WorldView, asked: Asked, report: LogRow) -> Iterator[Breach]:
    run, sent = report.run, w.sent_of(report)
    if is_own_request(sent, report):
        if sent.event.get("job") != report["job"]:
            yield report, f"{run} was asked for {sent.event.get('job')}, reported is {report['job']}"
        covering = e.config.covering_pool(asked.job.id, tuple((sent.event.get("fields") or {}).items()))
        wanted = covering.id if covering is not None else None
        if report["pool"] != wanted:
            yield report, f"{run} is assigned the pool {report['pool']}, the first that covers it is {wanted}"
    yield from _place_is_wrong(asked)
    for later in w.life(str(run))[1:]:
        if (later["pool"], later["place"]) != (report["pool"], report["place"]):
            yield (
                later,
                f"{run} was assigned {report['pool']} {report['place']}, later {later['pool']} {later['place']}",
            )


def _place_is_wrong(asked: Asked) -> Iterator[Breach]:
    report, place, pool = asked.report, asked.place, asked.pool
    places = pool.places if pool is not None else ()
    if not places and place is not None:
        yield report, f"{asked.run} is assigned the place {place}, but its pool cites no places"
    elif places and place not in places:
        yield report, f"{asked.run} is assigned the place {place}, which is none of {', '.join(places)}"
    elif places and pool is not None and pool.assignment == "requested" and asked.is_own:
        named = asked.sent.event.get("place")
        if place != named:
            yield report, f"{asked.run} asked for the place {named}, assigned is {place}"


# -- what every report carries ------------------------------------------------------------------------------------


@clause(TEMPLATE, 1)
def every_report_carries_run_job_cause_work_units_and_destination(e: Evidence) -> Iterator[Part]:
    """Each report names its run and job, and tells what the ledgers tell."""
    yield from event_trouble(e, "tick", "cancel", "fail", "instruct", "readmit", "admit")
    for w in e.worlds:
        wrong = [*_silent_events(w), *ledger_disagrees(w), *work_disagrees(w), *ticks_without_work(e, w)]
        wrong += destinations_are_wrong(e, w)
        runs = asked_runs(e, w)
        for report in w.reports():
            wrong += _report_is_wrong(e, w, report, runs)
        for row in w.rows("work-before-after"):
            asked = runs.get(str(row.run))
            if asked is not None and fraction(row["required"]) != asked.required:
                wrong.append((row, f"the required work of {row.run} is {asked.required}, not {row['required']}"))
        yield from breaches(wrong)
        if not wrong:
            yield from (holds(report) for report in w.reports())


def _report_is_wrong(e: Evidence, w: WorldView, report: LogRow, runs: dict[str, Asked]) -> Iterator[Breach]:
    asked = runs.get(str(report.run))
    if asked is None or asked.report.pos > report.pos:
        yield report, f"{report['report']} names the run {report.run}, which was not requested"
        return
    if report["job"] != asked.job.id:
        yield report, f"{report['report']} of {report.run} names the job {report['job']}, requested was {asked.job.id}"
    if fraction(report["work-before"]) is None or fraction(report["work-after"]) is None:
        yield report, f"{report['report']} of {report.run} tells no exact work"
    because = cause_is_wrong(e, w.sent_of(report), report, asked)
    if because is not None:
        yield report, because


def _silent_events(w: WorldView) -> Iterator[Breach]:
    """Accepted cancels and failures that no report tells of."""
    for kind, name in (("cancel", "job-canceled"), ("fail", "job-failed")):
        for sent in w.events(kind):
            run = str(sent.event.get("run"))
            if not sent.rows_of("report-log", run, report=name):
                yield refusal_row(w, sent), f"the {kind} of {run} was accepted, but no {name} tells of it"
