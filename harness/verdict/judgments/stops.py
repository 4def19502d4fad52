"""Who can stop work, and how a stop is recorded: declared-interruption-stops-once, unnamed-instructions-cannot-stop."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.progress_declared import declaration
from harness.verdict.judgments.resumes_owed import resume_reports
from harness.verdict.judgments.stops_claims import claim_faults, ordinary_work, work_row
from harness.verdict.judgments.stops_records import (
    FINISH_GATE_CAUSES,
    ORDINARY,
    RECOVERY,
    UNABLE,
    Stop,
    all_stops,
    joins,
    judged,
    number,
    of_log,
    only,
    stop_faults,
    supplied,
)
from harness.verdict.judgments.stops_rows import cause_faults, life_faults, report_work_faults, work_chain_faults
from harness.verdict.parts import Part, Violated, absent, holds, nothing, violated

_ONCE = "declared-interruption-stops-once"
_WORKER_STOPPED = "worker-stopped"


def cause_of(e: Evidence, sent: SentView) -> str | None:
    """The interruptions row that the event's instruction belongs to; None for no instruction or an unnamed one."""
    given = {"instruct": sent.event.get("instruction"), "worker-stop": _WORKER_STOPPED}.get(sent.kind)
    return next((row.id for row in e.config.interruptions if given in row.instructions), None)


def _without_work(e: Evidence) -> Iterator[Part]:
    """The interruption makes an adoption without a work phase invalid."""
    if e.row is not None and not e.adoption.rows("work-phases"):
        yield violated(declaration(e.row), f"the interruption {e.row.id} is declared and there is no work phase")


# -- declared-interruption-stops-once ---------------------------------------------------------------------------------


@clause(_ONCE, 0)
def the_first_cause_stops_the_job_once(e: Evidence) -> Iterator[Part]:
    """One move to stopped with its cause, its resume point and the answers applied, and then the report."""
    invalid = tuple(_without_work(e))
    yield from invalid
    if invalid or e.row is None:
        return
    for w in e.worlds:
        yield from _owed_stops(e, w, e.row.id)
    for stop in all_stops(e, ORDINARY):
        if e.row.id in stop.causes or stop.report is None:
            yield from judged(_first_cause_faults(stop, e.row.id), stop.report, stop.state, *_evidence_rows(stop))


def _owed_stops(e: Evidence, w: WorldView, cause: str) -> Iterator[Part]:
    """The declared instruction to a working job that was refused, or after which nothing stopped."""
    for sent in w.events("instruct", outcome=None):
        run = str(sent.event.get("run"))
        if cause_of(e, sent) != cause or not is_declared_event(sent) or sent.before.state(run) != "working":
            continue
        if sent.outcome == "skipped":
            yield nothing(sent.reason or f"the system skips the instruction {sent.event.get('instruction')}")
        elif not sent.rows_of("report-log", run, report="job-stopped"):
            why = f"was refused: {sent.reason}" if sent.outcome == "refused" else "did not stop it"
            gone = absent("report-log", f"the stop of {run} by {cause}", near=sent.rows[-1] if sent.rows else None)
            yield violated(gone, f"{cause} reached the working run {run} and {why}")


def _evidence_rows(stop: Stop) -> tuple[LogRow, ...]:
    return (*of_log(stop.rows, "stop-causes", stop.run), *work_row(stop))


def _first_cause_faults(stop: Stop, cause: str) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    yield from stop_faults(stop)
    if stop.report is None:
        return
    if stop.report["causes"] != [cause] or stop.report["old"] != "working":
        told = f"{stop.report['old']} with causes {', '.join(stop.report['causes'])}"
        yield violated(stop.report, f"{cause} was the first cause of {run} and the report says {told}")
    if len(again := [row for row in stop.rows if _is_stop_report(row, run)]) > 1:
        yield violated(again[1], f"the stop of {run} is reported {len(again)} times", again[0])
    yield from cause_faults(w, run)
    yield from life_faults(w, run)
    yield from _first_record_faults(stop, cause)
    yield from _work_faults(stop)
    yield from claim_faults(stop)
    yield from _waiting_slot_faults(stop)
    yield from _report_last_faults(stop)


def _is_stop_report(row: LogRow, run: str) -> bool:
    return row.log == "report-log" and row.run == run and row["report"] == "job-stopped"


def _first_record_faults(stop: Stop, cause: str) -> Iterator[Violated]:
    """The cause and the resume point that entry to stopped records."""
    run = stop.run
    stop.world.evidence.touch("stop-causes")
    rows = of_log(stop.rows, "stop-causes", run)
    yield from only(rows, "stop-causes", f"the first cause of {run}", stop.row)
    for row in rows:
        if (row["change"], row["cause"], row["first"]) != ("add", cause, "ordinary"):
            told = f"{row['change']} of {row['cause']} to a stop that began as {row['first']}"
            yield violated(row, f"{cause} began an ordinary stop of {run} and the row says {told}")
    if supplied(stop.world.evidence, "resume-point"):
        points = of_log(stop.rows, "resume-point", run)
        yield from only(points, "resume-point", f"the resume point of {run}", stop.row)
        work = stop.after.work(run)
        for row in points:
            if (row["change"], row["point"], number(row["work"])) != ("recorded", "work-point", work):
                yield violated(row, f"{run} stopped at work {work}; its point is {row['point']}, work {row['work']}")
    for resumed in resume_reports(stop):
        if resumed["new"] != "working":
            yield violated(resumed, f"{run} was stopped at work and resumes to {resumed['new']}", stop.row)


def _work_faults(stop: Stop) -> Iterator[Violated]:
    """The partial-work answer, applied once."""
    run, before, wanted = stop.run, stop.before.work(stop.run), ordinary_work(stop)
    rows = work_row(stop)
    yield from work_chain_faults(stop.world, run)
    yield from only(rows, "work-before-after", f"the work of {run} at its stop", stop.row)
    for row in rows:
        if (number(row["before"]), number(row["after"])) != (before, wanted) or row["why"] != "stop":
            answer = stop.world.evidence.config.partial_work
            yield violated(row, f"{answer} makes the work of {run} {wanted}; the row says {row['after']}, {row['why']}")
    if stop.report is not None:
        yield from report_work_faults(stop.report, before, wanted)


def _waiting_slot_faults(stop: Stop) -> Iterator[Violated]:
    if stop.before.pool(stop.run) is not None and stop.after.has_slot(stop.run, "waiting"):
        gone = absent("count-trace", f"the freeing of the waiting slot of {stop.run}", near=stop.row)
        yield violated(gone, f"{stop.run} is stopped and still holds a waiting slot", stop.row)


_BEFORE_REPORT = ("state-trace", "stop-causes", "resume-point", "work-before-after", "claim-ledger")


def _report_last_faults(stop: Stop) -> Iterator[Violated]:
    """The report tells of what has settled, so nothing of the stop comes after it."""
    for row in stop.rows:
        late = stop.report is not None and row.pos > stop.report.pos and row.run == stop.run
        waiting = row.log == "count-trace" and row["slot"] == "waiting"
        if late and (row.log in _BEFORE_REPORT or waiting):
            yield violated(row, f"the stop of {stop.run} was reported before this settled")


@clause(_ONCE, 1)
def a_later_cause_only_joins(e: Evidence) -> Iterator[Part]:
    """Stopped to stopped, and the recorded work is as it was."""
    invalid = tuple(_without_work(e))
    yield from invalid
    if invalid or e.row is None:
        return
    if len(e.config.interruptions) < 2:
        yield nothing("no other interruption is declared that could join")
        return
    for stop in all_stops(e, ORDINARY):
        if e.row.id in stop.causes:
            yield from _judge_joins(e, stop)


def _judge_joins(e: Evidence, stop: Stop) -> Iterator[Part]:
    w, run = stop.world, stop.run
    reported = {w.sent_of(row).place: row for row in joins(stop)}
    for sent in w.events("instruct", outcome=None, run=run):
        cause = cause_of(e, sent)
        if cause is None or not is_declared_event(sent) or sent.before.state(run) != "stopped":
            continue
        if sent.place <= w.sent_of(stop.row).place:
            continue
        if (stop.end is not None and sent.place > w.sent_of(stop.end).place) or cause in sent.before.causes(run):
            continue
        if sent.outcome == "skipped":
            yield nothing(sent.reason or f"the system skips the instruction {sent.event.get('instruction')}")
        elif sent.place not in reported:
            why = f"was refused: {sent.reason}" if sent.outcome == "refused" else "was not reported"
            gone = absent("report-log", f"{cause} joining the stop of {run}", near=sent.rows[-1] if sent.rows else None)
            yield violated(gone, f"{cause} reached the stopped run {run} and {why}")
        else:
            report = reported[sent.place]
            rows = sent.rows_of("stop-causes", run)
            yield from judged(_join_faults(w, sent, report, cause), report, *rows)


def _join_faults(w: WorldView, sent: SentView, report: LogRow, cause: str) -> Iterator[Violated]:
    run = str(report.run)
    if report["causes"] != [cause]:
        yield violated(report, f"{cause} joined the stop of {run} and the report names {', '.join(report['causes'])}")
    if len(again := sent.rows_of("report-log", run, report="job-stopped")) > 1:
        yield violated(again[1], f"{cause} is reported {len(again)} times", again[0])
    yield from cause_faults(w, run)
    yield from only(sent.rows_of("stop-causes", run), "stop-causes", f"{cause} of {run}", report)
    moves = sent.rows_of("state-trace", run)
    if moves:
        yield violated(moves[0], f"{run} was stopped when {cause} joined and its state changed", report)
    work = sent.before.work(run)
    for row in sent.rows_of("work-before-after", run):
        yield violated(row, f"{cause} joined the stop of {run} and the work answer was applied again", report)
    yield from report_work_faults(report, work, work)


# -- unnamed-instructions-cannot-stop ---------------------------------------------------------------------------------


@clause("unnamed-instructions-cannot-stop", 0)
def an_unnamed_instruction_changes_nothing(e: Evidence) -> Iterator[Part]:
    """No cause, no report and no loss of work by it; and every stop there is has a named cause."""
    if not e.config.phases:
        yield nothing("without a work phase there is no working state")
        return
    for w in e.worlds:
        for sent in w.events("instruct", outcome=None):
            run = str(sent.event.get("run"))
            if cause_of(e, sent) is None and sent.before.state(run) == "working":
                yield from _judge_unnamed(e, w, sent, run)
        for run in w.runs:
            yield from _named_causes_faults(e, w, run)


def _judge_unnamed(e: Evidence, w: WorldView, sent: SentView, run: str) -> Iterator[Part]:
    name = sent.event.get("instruction")
    if sent.outcome == "skipped":
        yield nothing(sent.reason or f"the system skips the instruction {name}")
        return
    e.touch("stop-causes", "report-log")
    moved = [row for row in sent.rows if row.run == run and row.log in _UNMOVED]
    for row in moved:
        yield violated(row, f"{name} is no declared instruction, and {_what(row)} of {run} followed from it")
    if supplied(e, "work-before-after"):
        yield from _lost_work_faults(w, sent, run)
    if not moved:
        reports, causes = w.reports(run=run), w.rows("stop-causes", run=run)
        yield holds(
            absent("report-log", f"a report of {run} by {name}", rows=len(reports)),
            absent("stop-causes", f"a cause of {run} by {name}", rows=len(causes)),
        )


_UNMOVED = {
    "stop-causes": "a stop cause",
    "report-log": "a report",
    "state-trace": "a change of state",
    "work-before-after": "a change of work",
    "claim-ledger": "a claim change",
    "count-trace": "a slot change",
}


def _what(row: LogRow) -> str:
    return f"the report {row['report']}" if row.log == "report-log" else _UNMOVED[row.log]


def _lost_work_faults(w: WorldView, sent: SentView, run: str) -> Iterator[Violated]:
    """The work that a run had when the instruction came is what its next row goes on from."""
    later = [row for other in w.sent[sent.place :] for row in other.rows_of("work-before-after", run)]
    had = sent.before.work(run)
    if later and number(later[0]["before"]) != had:
        name = sent.event.get("instruction")
        yield violated(later[0], f"{run} had work {had} when {name} came, and goes on from {later[0]['before']}")


def _named_causes_faults(e: Evidence, w: WorldView, run: str) -> Iterator[Violated]:
    """Every cause is a declared interruption that was given, or one of the lifecycle's own."""
    yield from cause_faults(w, run)
    if supplied(e, "state-trace"):
        yield from life_faults(w, run)
    own = FINISH_GATE_CAUSES | {UNABLE, RECOVERY}
    for report in w.reports("job-stopped", run=run):
        sent = w.sent_of(report)
        given = cause_of(e, sent)
        for cause in report["causes"]:
            # A worker's stop names no run; the run on its slot is the one that the report tells of.
            about = sent.kind == "worker-stop" or sent.event.get("run") == run
            if cause not in own and not (cause == given and about):
                yield violated(report, f"{run} is stopped by {cause}, which no declared instruction gave it")
