"""Whether count-trace, claim-snapshot and resume-point agree with the states, the claims and the reports."""

from __future__ import annotations

from collections.abc import Iterator

from harness.contract.rules import field_rule
from harness.run.recording import LogRow, fraction
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.failures_settles import claims, listed, settled, told
from harness.verdict.parts import Violated, absent, violated

_FINISH_GATE = frozenset({"output-full", "inputs-unavailable-at-finish"})
_LIMITS = {"working": "working-limit-key", "waiting": "waiting-limit-key"}


# -- count-trace -------------------------------------------------------------------------------------------------------


def slot_faults(e: Evidence) -> Iterator[Violated]:
    """Counts that don't add up, slots of another pool than the run's, and slots that a state should or cannot have."""
    yield from (violated(row, why) for row, why in e.bad_counts())
    for row in e.rows("count-trace"):
        yield from _own_pool(e, row)
    for w in e.worlds:
        for sent in w.sent:
            yield from _held_by_state(e, sent)


def _own_pool(e: Evidence, row: LogRow) -> Iterator[Violated]:
    at, run = e.at(row), str(row.run)
    pool = e.config.pool(str(row["pool"]))
    if row["slot"] not in _LIMITS or row["change"] not in ("take", "free"):
        yield violated(row, f"run {run} cannot {row['change']} a {row['slot']} slot")
        return
    if pool is None or (at.pool(run), at.place(run)) != (row["pool"], row["place"]):
        yield violated(row, f"run {run} belongs to {at.pool(run)}, and a slot of {row['pool']} is counted")
        return
    limits = {"working": pool.working, "waiting": pool.waiting}
    declared = e.adoption.row("work-limits", pool.id).get(_LIMITS[row["slot"]])
    written = field_rule(e.adoption, "work-limits", pool.id, _LIMITS[row["slot"]]) if declared else None
    if row["limit"] not in (limits[row["slot"]], written):
        yield violated(row, f"the {row['slot']} limit of {pool.id} is {limits[row['slot']]}, not {row['limit']}")
    elif (row["change"] == "take") == at.has_slot(run, row["slot"]):
        verb = "takes a second" if row["change"] == "take" else "frees a"
        yield violated(row, f"run {run} {verb} {row['slot']} slot" + ("" if verb[0] == "t" else " that it never took"))


def _held_by_state(e: Evidence, sent: SentView) -> Iterator[Violated]:
    """At the end of an event: a waiting run has its waiting slot, a working one its working slot, an ended one none."""
    touched = {str(row.run) for row in sent.rows if row.run is not None}
    for run in sent.after.runs:
        pool = e.config.pool(sent.after.pool(run) or "")
        if run not in touched or pool is None:
            continue
        state = "ended" if sent.after.ended(run) else sent.after.state(run)
        held = sorted(kind for _, _, kind in sent.after.slots(run))
        owed = {"waiting": ["waiting"], "working": ["working"], "requested": [], "ended": []}.get(state or "")
        if state == "finished":
            owed = ["working"] if pool.releases_at == "delivered" else []
        if (owed is not None and held != owed) or (state == "stopped" and "waiting" in held):
            rows = [row for row in sent.rows if row.run == run]
            what = absent("count-trace", f"the slots of run {run}, which is {state}", near=rows[-1])
            yield violated(what, f"run {run} is {state} and holds {held or 'no slot'}", rows[-1])


# -- claim-snapshot ----------------------------------------------------------------------------------------------------


def snapshot_faults(e: Evidence) -> Iterator[Violated]:
    """One snapshot in the settle of each job-canceled, as the run was before it, and none elsewhere."""
    for row in e.rows("claim-snapshot"):
        if not [each for each in settled(e, row, "report-log") if each["report"] == "job-canceled"]:
            yield violated(row, f"the claim of run {row.run} is taken down, and it is not canceled")
    for report in e.reports("job-canceled"):
        yield from _snapshot(e, report)


def _snapshot(e: Evidence, report: LogRow) -> Iterator[Violated]:
    rows, run = settled(e, report, "claim-snapshot"), report.run
    if not rows:
        missing = absent("claim-snapshot", f"the claim of run {run} at its cancellation", near=report)
        yield violated(missing, f"run {run} is canceled without a snapshot of its claim")
        return
    first = min((*claims(e, report), rows[0]), key=lambda row: row.pos)
    held, sent = dict(e.at(first).held(str(run))), e.sent_of(report)
    if len(rows) > 1:
        yield violated(rows[1], f"the claim of run {run} is taken down twice", rows[0])
    elif listed(rows[0], "claim") != held:
        yield violated(rows[0], f"the snapshot says {told(listed(rows[0], 'claim'))}, and run {run} holds {told(held)}")
    elif fraction(rows[0]["work"]) != fraction(report["work-before"]):
        yield violated(rows[0], f"the snapshot says work {rows[0]['work']}, not {report['work-before']}", report)
    elif sent.kind == "cancel" and rows[0]["cancellation"] != sent.event["row"]:
        yield violated(rows[0], f"the snapshot names {rows[0]['cancellation']}, and {sent.event['row']} came")


# -- resume-point ------------------------------------------------------------------------------------------------------


def point_faults(e: Evidence) -> Iterator[Violated]:
    """A point recorded with each stop and returned to with each resume, the same one, with the work of its report."""
    for row in e.rows("resume-point"):
        yield from _beside_report(e, row)
    for report in e.reports(("job-stopped", "job-failed", "job-resumed")):
        is_first_stop = report["new"] == "stopped" and report["old"] != "stopped"
        owed = "recorded" if is_first_stop else ("returned" if report["report"] == "job-resumed" else None)
        rows = [row for row in settled(e, report, "resume-point") if row["change"] == owed]
        if owed is not None and not rows:
            missing = absent("resume-point", f"the point of run {report.run}, {owed}", near=report)
            yield violated(missing, f"{report['report']} of run {report.run}: no resume point is {owed}", report)
        for again in rows[1:]:
            yield violated(again, f"the resume point of run {report.run} is {owed} twice", rows[0])


def _beside_report(e: Evidence, row: LogRow) -> Iterator[Violated]:
    reports = settled(e, row, "report-log")
    if not reports:
        yield violated(row, f"a resume point of run {row.run} that no report stands beside")
        return
    report = reports[0]
    if fraction(row["work"]) != fraction(report["work-after"]):
        yield violated(row, f"the point of run {row.run} has work {row['work']}, not {report['work-after']}", report)
    owed = _point(e, row, report)
    if owed is not None and row["point"] != owed:
        yield violated(row, f"the resume point of run {row.run} is the {owed}, not the {row['point']}", report)


def _point(e: Evidence, row: LogRow, report: LogRow) -> str | None:
    """The point that a stop records by its first causes, or that the row before it recorded."""
    earlier = [each for each in e.world_of(row).rows("resume-point", run=row.run) if each.pos < row.pos]
    if report["report"] == "job-stopped" and report["old"] != "stopped":
        return "finish-gate" if set(report["causes"]) <= _FINISH_GATE else "work-point"
    if report["report"] == "job-failed" and report["old"] != "stopped":
        return "start-gate" if report["old"] == "waiting" else "work-point"
    return str(earlier[-1]["point"]) if earlier else None
