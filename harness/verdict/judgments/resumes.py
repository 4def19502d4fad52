"""Back to work: resume-waits-for-every-cause."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.finish_gate_arrivals import failing_conditions
from harness.verdict.judgments.progress_shares import amounts_text, missing, next_point, terms_of, tick_share
from harness.verdict.judgments.resumes_owed import (
    AT_FINISH_GATE,
    START_GATE,
    WORK_POINT,
    at_finish_gate,
    end_faults,
    events_of_stay,
    gate_lacks,
    has_a_slot_to_go_on,
    lacks,
    point_of,
    resume_reports,
    to_claim,
    unmet_needs,
    without_causes,
    work_now,
)
from harness.verdict.judgments.stops_records import (
    FINISH_GATE_CAUSES,
    RECOVERY,
    UNABLE,
    Stop,
    all_stops,
    causes_now,
    events_within,
    joins,
    judged,
    number,
    of_log,
    only,
    settle_rows,
    stop_faults,
    stops,
    supplied,
)
from harness.verdict.judgments.stops_rows import cause_faults, life_faults, report_work_faults, run_id_faults
from harness.verdict.parts import Absence, Part, Violated, absent, nothing, violated
from harness.verdict.snapshot import Snapshot

_RESUMES = "resume-waits-for-every-cause"


# -- no resume while a cause remains ----------------------------------------------------------------------------------


@clause(_RESUMES, 0)
def no_resume_while_a_cause_remains(e: Evidence) -> Iterator[Part]:
    """Every cause that was given is cleared before the run resumes."""
    for stop in all_stops(e):
        shown = () if resume_reports(stop) else (stop.row, _no_resume(stop))
        yield from judged((*stop_faults(stop), *cause_faults(stop.world, stop.run)), *shown)
        for report in resume_reports(stop):
            yield from judged(_remaining_faults(e, stop, report), *_clear_rows(stop), report)
        for sent in events_within(stop, "clear"):
            left = causes_now(e, sent.after, stop.run)
            if sent.event.get("run") == stop.run and left and not _stops_anew(stop, sent):
                yield from _still_stopped(stop, sent, left)
    yield from _stray_resumes(e)


def _no_resume(stop: Stop) -> Absence:
    return absent("report-log", f"a resume of {stop.run}", rows=len(stop.world.life(stop.run)))


def _clear_rows(stop: Stop) -> tuple[LogRow, ...]:
    return tuple(row for row in stop.world.rows("stop-causes", run=stop.run, change="clear") if row.pos > stop.row.pos)


def _remaining_faults(e: Evidence, stop: Stop, report: LogRow) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    left = w.snapshot(report, before=True).causes(run)
    if left:
        yield violated(report, f"{run} resumes while {' and '.join(sorted(left))} remains")
    for cause in _given_causes(e, stop):
        if not _was_cleared(stop, cause, report):
            yield violated(report, f"{run} resumes and no event cleared {cause}", stop.row)


def _given_causes(e: Evidence, stop: Stop) -> tuple[str, ...]:
    """The reported causes of the stop that only an event takes away."""
    declared = {row.id for row in e.config.interruptions}
    named = [*stop.causes, *(cause for row in joins(stop) for cause in row["causes"])]
    failed = [row for row in stop.world.reports("job-failed", run=stop.run, new="stopped") if stop.within(row)]
    named += [RECOVERY] * len(failed)
    return tuple(sorted({cause for cause in named if cause in declared or cause == RECOVERY}))


def _was_cleared(stop: Stop, cause: str, report: LogRow) -> bool:
    last = stop.world.sent_of(report).place
    for sent in stop.world.events():
        if stop.world.sent_of(stop.row).place < sent.place <= last:
            if sent.kind == "clear" and (sent.event["run"], sent.event["cause"]) == (stop.run, cause):
                return True
            if sent.kind == "worker-ready" and sent.rows_of("stop-causes", stop.run, change="clear", cause=cause):
                return True
    return False


def _stops_anew(stop: Stop, sent: SentView) -> bool:
    """Whether the run stops again later in the event that ended this stop: the causes left are that next stop's."""
    last = sent.rows[-1].pos if sent.rows else -1
    ended = stop.end is not None and stop.end.pos <= last
    return ended and any(stop.row.pos < each.row.pos <= last for each in stops(stop.world) if each.run == stop.run)


def _still_stopped(stop: Stop, sent: SentView, left: frozenset[str]) -> Iterator[Part]:
    cleared = sent.rows_of("stop-causes", stop.run, change="clear")
    resumed = sent.rows_of("report-log", stop.run, report="job-resumed")
    faults = [violated(row, f"{stop.run} resumes while {' and '.join(sorted(left))} remains") for row in resumed]
    cause = sent.event.get("cause")
    faults.extend(only(cleared, "stop-causes", f"the clearing of {cause} of {stop.run}", stop.row))
    yield from judged(faults, *cleared)


def _stray_resumes(e: Evidence) -> Iterator[Part]:
    """A resume of a run that no stop is known of."""
    known = {(stop.world.number, row.pos) for stop in all_stops(e) for row in resume_reports(stop)}
    for row in e.reports("job-resumed"):
        if (row.world, row.pos) not in known:
            yield violated(row, f"{row.run} resumes and was not stopped, or resumes twice")


# -- the same job, by its pool, on success only -----------------------------------------------------------------------


@clause(_RESUMES, 1)
def the_same_job_resumes_once_nothing_keeps_it(e: Evidence) -> Iterator[Part]:
    """With no cause left, a passing gate, its share and a slot it resumes in that batch, as the run it is."""
    for row, because in e.bad_counts() if supplied(e, "count-trace") else ():
        yield violated(row, because)
    for stop in all_stops(e):
        yield from end_faults(stop)
        for report in resume_reports(stop):
            shown = (report, *_returned(stop, report), *_traced(stop, report))
            yield from judged(_resume_faults(stop, report), *shown)
        for sent in without_causes(e, stop):
            yield from _owed_faults(stop, sent)
        yield from _uncleared_faults(e, stop)
        yield from _overtaken_faults(stop)


def _returned(stop: Stop, report: LogRow) -> tuple[LogRow, ...]:
    stop.world.evidence.touch("resume-point")
    return of_log(settle_rows(stop.world, report), "resume-point", stop.run, change="returned")


def _traced(stop: Stop, report: LogRow) -> tuple[LogRow, ...]:
    stop.world.evidence.touch("run-id-trace")
    return of_log(settle_rows(stop.world, report), "run-id-trace", stop.run, report="job-resumed")


def _resume_faults(stop: Stop, report: LogRow) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    rows = settle_rows(w, report)
    after = w.snapshot(rows[-1], before=False)
    if (report["old"], report["causes"]) != ("stopped", ["causes-cleared"]):
        told = f"from {report['old']} by {', '.join(report['causes'])}"
        yield violated(report, f"{run} resumes from stopped once its causes cleared; the report says {told}")
    yield from run_id_faults(w, run)
    if supplied(w.evidence, "state-trace"):
        yield from life_faults(w, run)
    yield from _new_request_faults(w, report)
    yield from _point_faults(stop, report)
    if (lack := to_claim(stop, after)) and not _goes_on_to_finish(stop, report):
        yield violated(report, f"{run} is reported resumed without {amounts_text(lack)}")
    if supplied(w.evidence, "count-trace") and after.pool(run) is not None and not after.has_slot(run):
        gone = absent("count-trace", f"the working slot of {run}", near=report)
        yield violated(gone, f"{run} resumes without a working slot of {after.pool(run)}", report)


def _goes_on_to_finish(stop: Stop, report: LogRow) -> bool:
    """Whether a system without numbers for settles has already spent the claim by the end of the event."""
    return report.settle is None and stop.world.sent_of(report).after.state(stop.run) in ("finished", "delivered")


def _new_request_faults(w: WorldView, report: LogRow) -> Iterator[Violated]:
    sent, run = w.sent_of(report), report.run
    requests = w.reports("job-requested", run=run)
    if len(requests) != 1:
        yield violated(requests[-1] if requests else report, f"{run} is requested {len(requests)} times", report)
    for row in sent.rows_of("report-log", report="job-requested"):
        if row["causes"] == ["requester"] and sent.kind != "request":
            yield violated(row, f"the resume of {run} came with a request of {row.run}", report)


def _point_faults(stop: Stop, report: LogRow) -> Iterator[Violated]:
    """The run recorded the point of its stop, and returns to it and to the state of that point."""
    w, run, point = stop.world, stop.run, point_of(stop)
    recorded = [row for row in w.rows("resume-point", run=run, change="recorded") if row.pos < report.pos]
    first = of_log(stop.rows, "resume-point", run, change="recorded")
    returned = _returned(stop, report)
    yield from only(first, "resume-point", f"the resume point of {run}", stop.row)
    yield from only(returned, "resume-point", f"the return of {run} to its resume point", report)
    for row in (*recorded[-1:], *returned):
        if row["point"] != point:
            yield violated(row, f"{run} is stopped at the {point} and the row says {row['point']}", stop.row)
    for row, told in ((row, stop.report) for row in first):
        if told is not None and number(row["work"]) != number(told["work-after"]):
            yield violated(row, f"{run} stopped at work {told['work-after']}, its point has work {row['work']}", told)
    for row in returned:
        if number(row["work"]) != number(report["work-after"]):
            yield violated(
                row, f"{run} resumes at work {report['work-after']}, its point has work {row['work']}", report
            )
    terms = terms_of(w, run)
    at_gate = "started" if terms is not None and terms.phase is None else "working"
    if report["new"] != {START_GATE: "waiting", WORK_POINT: "working", AT_FINISH_GATE: at_gate}[point]:
        yield violated(report, f"{run} resumes at the {point} and becomes {report['new']}", *returned)


def _owed_faults(stop: Stop, sent: SentView) -> Iterator[Part]:
    """After an event that left nothing in the way, the run must not be stopped."""
    after = sent.after
    slots_known = supplied(stop.world.evidence, "count-trace") or after.pool(stop.run) is None
    if lacks(stop, after) or gate_lacks(stop, after) or unmet_needs(stop, after):
        return
    if not slots_known or not has_a_slot_to_go_on(stop, sent):
        return
    near = sent.rows[-1] if sent.rows else stop.row
    gone = absent("report-log", f"the resume of {stop.run}", near=near)
    yield violated(gone, f"no cause stops {stop.run}, nothing it needs is missing, and {sent.kind} did not resume it")


def _overtaken_faults(stop: Stop) -> Iterator[Part]:
    """In request order, a run that stands behind takes a slot that this run, which lacks nothing, was waiting for."""
    w, run = stop.world, stop.run
    pool = w.evidence.config.pool(stop.before.pool(run) or "")
    displaced = any("displaced-by" in sent.event for sent in w.events("instruct"))
    if pool is None or pool.order or displaced or not supplied(w.evidence, "count-trace"):
        return
    takes = w.rows("count-trace", pool=pool.id, place=stop.before.place(run), slot="working", change="take")
    for row in takes:
        if row.run in (None, run) or not stop.within(row) or _entered_line(w, row) < stop.row.pos:
            continue
        at = w.snapshot(row, before=True)
        if at.state(run) == "stopped" and not causes_now(w.evidence, at, run) and not _in_the_way(stop, at):
            yield violated(row, f"{row.run} takes the slot that {run} competes for, and stands behind it", stop.row)


def _entered_line(w: WorldView, row: LogRow) -> int:
    """Where the run that takes the slot took its place: at its stop or its wait, else now."""
    entries = w.reports(("job-waiting", "job-stopped", "job-failed"), run=row.run)
    places = [each.pos for each in entries if each.pos < row.pos and each["old"] != "stopped"]
    return places[-1] if places else row.pos


def _uncleared_faults(e: Evidence, stop: Stop) -> Iterator[Part]:
    """Units arrived that make the next work point possible, and the run is still held unable to advance."""
    terms = terms_of(stop.world, stop.run)
    if terms is None or UNABLE not in stop.causes or not supplied(e, "stop-causes"):
        return
    for sent in events_of_stay(stop):
        after = sent.after
        if sent.kind == "supply" and UNABLE in after.causes(stop.run):
            point = next_point(terms, work_now(stop, after))
            lack = missing(tick_share(terms, point), after.held(stop.run))
            if all(after.usable(*unit) >= amount for unit, amount in lack.items()):
                gone = absent("stop-causes", f"the clearing of {UNABLE} of {stop.run}", near=stop.row)
                yield violated(gone, f"the share of the next work point of {stop.run} is usable and {UNABLE} remains")


# -- gates and claims that fail ---------------------------------------------------------------------------------------


@clause(_RESUMES, 2)
def a_failing_gate_or_claim_keeps_the_job_stopped(e: Evidence) -> Iterator[Part]:
    """Without its share, or with a gate that fails at the recheck, it stays stopped and has no working slot."""
    if e.config.pools:
        for row, because in e.bad_counts():
            yield violated(row, because)
    for stop in all_stops(e):
        for sent in without_causes(e, stop):
            if why := _in_the_way(stop, sent.after):
                yield from _judge_waiting(stop, sent, why)
        for sent, causes in _rejoined(stop):
            yield from _judge_waiting(stop, sent, f"meets {causes} again")
        for report in resume_reports(stop):
            at = stop.world.snapshot(settle_rows(stop.world, report)[0], before=True)
            if why := _in_the_way(stop, at) or _shut_gate(stop, report, at):
                yield violated(report, f"{stop.run} resumes although it {why}")


def _in_the_way(stop: Stop, at: Snapshot) -> str | None:
    """The claim or the start gate that a resume would fail at now, None where both would pass."""
    if lack := lacks(stop, at):
        return f"cannot claim {amounts_text(lack)}"
    if lack := gate_lacks(stop, at):
        return f"does not find {amounts_text(lack)} at its start gate"
    if needs := unmet_needs(stop, at):
        return f"still needs {' and '.join(needs)}"
    return None


def _shut_gate(stop: Stop, report: LogRow, at: Snapshot) -> str | None:
    """The conditions of the finish gate that fail as the run resumes at it, None where both hold."""
    w, terms = stop.world, terms_of(stop.world, stop.run)
    if terms is None or not at_finish_gate(stop, at):
        return None
    first, place = settle_rows(w, report)[0].pos, w.sent_of(report).place
    failing = tuple(failing_conditions(w, terms, at, first, place))
    return f"meets {' and '.join(failing)} again" if failing else None


def _rejoined(stop: Stop) -> Iterator[tuple[SentView, str]]:
    """Events at whose recheck a gate condition joined again, after another cause had freed the slot."""
    w = stop.world
    for row in joins(stop):
        sent = w.sent_of(row)
        cleared = sent.rows_of("stop-causes", stop.run, change="clear")
        others = [each["cause"] for each in cleared if each["cause"] not in FINISH_GATE_CAUSES]
        if others and FINISH_GATE_CAUSES.issuperset(row["causes"]):
            yield sent, " and ".join(row["causes"])


def _judge_waiting(stop: Stop, sent: SentView, why: str) -> Iterator[Part]:
    run, after = stop.run, sent.after
    faults = [
        violated(row, f"{run} {why} and resumes all the same")
        for row in sent.rows_of("report-log", run, report="job-resumed")
    ]
    if after.pool(run) is not None and after.has_slot(run):
        gone = absent("count-trace", f"the freeing of the working slot of {run}", near=stop.row)
        faults.append(violated(gone, f"{run} {why} and keeps a working slot", stop.row))
    reports = sent.rows_of("report-log", run)
    yield from judged(
        faults, *sent.rows_of("stop-causes", run), absent("report-log", f"a resume of {run}", len(reports))
    )


# -- where it resumes -------------------------------------------------------------------------------------------------


@clause(_RESUMES, 3)
def a_resume_returns_to_its_work_point_or_to_the_start_gate(e: Evidence) -> Iterator[Part]:
    """Interrupted work goes on from the recorded amount; a failure from waiting starts again at the start gate."""
    for stop in all_stops(e):
        point = point_of(stop)
        if point == AT_FINISH_GATE:
            yield nothing("a stop at the finish gate interrupts no work")
            continue
        for report in resume_reports(stop):
            faults = [*_point_faults(stop, report), *_work_faults(stop, report)]
            shown: tuple[LogRow, ...] = (report, *_returned(stop, report))
            if point == START_GATE:
                started = stop.world.sent_of(report).rows_of("report-log", stop.run, report="job-started")
                faults.extend(only(started, "report-log", f"the start of {stop.run} after its resume", report))
                shown += started
            yield from judged(faults, *shown)


def _work_faults(stop: Stop, report: LogRow) -> Iterator[Violated]:
    """The resume changes no work."""
    at = stop.world.snapshot(settle_rows(stop.world, report)[0], before=True)
    if supplied(stop.world.evidence, "work-before-after"):
        yield from report_work_faults(report, at.work(stop.run), at.work(stop.run))
    elif (work := report["work-after"]) != report["work-before"]:
        yield violated(report, f"the resume takes {stop.run} from work {report['work-before']} to {work}")
