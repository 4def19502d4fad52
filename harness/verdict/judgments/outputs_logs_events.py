"""Whether the logs of events, declarations, reviews and needs say what was sent, declared and requested."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.derive.declarations import declaration_record
from harness.run.recording import SKIPPED, LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.parts import Violated, absent, violated

CHANGES = ("bound", "met", "unmet", "ended")


# -- event-log and failure-log -----------------------------------------------------------------------------------------


def event_faults(e: Evidence) -> Iterator[Violated]:
    """Every event is logged once, as it was sent, with its outcome and the reports that it caused."""
    for w in e.worlds:
        for sent in w.sent:
            yield from _event(sent)


def _event(sent: SentView) -> Iterator[Violated]:
    rows, name = sent.rows_of("event-log"), f"event {sent.place + 1}, {sent.kind},"
    reports = [row["report"] for row in sent.rows_of("report-log")]
    if not rows:
        missing = absent("event-log", f"the event {sent.kind}", near=sent.rows[-1] if sent.rows else None)
        yield violated(missing, f"{name} is not logged")
    elif len(rows) > 1:
        yield violated(rows[1], f"{name} is logged twice", rows[0])
    elif (rows[0]["outcome"], rows[0]["reason"]) != (sent.outcome, sent.reason):
        yield violated(rows[0], f"{name} was {sent.outcome}, and event-log has {rows[0]['outcome']}")
    elif list(rows[0]["reports"]) != reports:
        yield violated(rows[0], f"{name} brought {reports}, and event-log has {rows[0]['reports']}")
    elif dict(rows[0]["event"]) != dict(sent.event):
        yield violated(rows[0], f"{name} is logged as another event")


def failure_faults(e: Evidence) -> Iterator[Violated]:
    """Every offered failure is logged once, with the state that it met and what became of it; nothing else is."""
    for w in e.worlds:
        for sent in w.sent:
            yield from _failure(sent)


def _failure(sent: SentView) -> Iterator[Violated]:
    rows, is_offer = sent.rows_of("failure-log"), sent.kind == "fail" and sent.outcome != SKIPPED
    if not is_offer:
        yield from (violated(row, f"a failure is logged at the event {sent.kind}") for row in rows)
        return
    run, name = str(sent.event["run"]), str(sent.event["row"])
    if not rows:
        missing = absent("failure-log", f"the offer of {name} to run {run}", near=sent.rows[-1] if sent.rows else None)
        yield violated(missing, f"the offer of {name} to run {run} is not logged")
    elif len(rows) > 1:
        yield violated(rows[1], f"the offer of {name} to run {run} is logged twice", rows[0])
    else:
        fired = bool(sent.rows_of("report-log", run=run, report="job-failed"))
        declared = next((each for each in sent.world.evidence.config.failures if each.id == name), None)
        from_state = declared.from_state if declared is not None else None
        owed = (run, name, sent.before.state(run), fired, sent.reason, from_state)
        row = rows[0]
        found = (row.run, row["row"], row["offered-in"], row["fired"], row["reason"], row["from-state"])
        if declared is not None and row["result"] != ("ruined" if declared.ruined else "recoverable"):
            yield violated(row, f"the result of {name} is not {row['result']}")
        elif found != owed:
            yield violated(rows[0], f"failure-log has {found}, and the event shows {owed}")


# -- declaration-record and review-record ------------------------------------------------------------------------------


def declaration_faults(e: Evidence) -> Iterator[Violated]:
    """The record says what the adoption declares, in its order, before anything runs."""
    owed = [dict(draft.data) for draft in declaration_record(e.adoption)]
    rows = e.rows("declaration-record")
    for row, data in zip(rows, owed, strict=False):
        if dict(row.data) != data:
            said = f"{row['declares']} {row['name']} {row['value']}"
            yield violated(row, f"the record says {said}; the adoption has {' '.join(str(v) for v in data.values())}")
            return
    if len(rows) < len(owed):
        missing = absent("declaration-record", f"{owed[len(rows)]['declares']} {owed[len(rows)]['name']}", len(rows))
        yield violated(missing, f"the record ends before {owed[len(rows)]['name']}")
    elif len(rows) > len(owed):
        yield violated(rows[len(owed)], f"the record goes on after the adoption: {rows[len(owed)]['name']}")


def review_faults(e: Evidence) -> Iterator[Violated]:
    """One record of review for each declared note, agreeing with its pin, before the first result."""
    rows, declared = e.rows("review-record"), e.adoption.rows("read-first")
    for row, note in zip(rows, declared, strict=False):
        yield from _review(e, row, note.id, note.fields["read-first"])
    if len(rows) < len(declared):
        missing = absent("review-record", f"the review of {declared[len(rows)].id}", len(rows))
        yield violated(missing, f"nothing shows that {declared[len(rows)].id} was reviewed")
    elif len(rows) > len(declared):
        yield violated(rows[len(declared)], f"{rows[len(declared)]['row']} is recorded, and not declared")


def _review(e: Evidence, row: LogRow, note: str, address: str) -> Iterator[Violated]:
    first = next(iter(e.reports()), None)
    digest, pin = row["digest"], e.adoption.pins.get(address)
    matches = None if pin is None or digest is None else pin == digest
    if (row["row"], row["address"], row["pin"], row["matches"]) != (note, address, pin, matches):
        yield violated(row, f"the review of {note} at {address} with pin {pin} is recorded otherwise")
    elif (digest is not None) != (row["resolved"] is True) or row["resolved"] not in (True, False, None):
        yield violated(row, f"the passage of {note} is resolved: {row['resolved']}, and its digest is {digest}")
    elif first is not None and row.pos > first.pos:
        yield violated(row, f"{note} is reviewed after the first result", first)


# -- dependency-trace --------------------------------------------------------------------------------------------------


def dependency_faults(e: Evidence) -> Iterator[Violated]:
    """Needs are bound at the request to the latest open run of their job, and change only as bound, once at a time."""
    for w in e.worlds:
        for report in w.reports("job-requested"):
            yield from _bound(e, w, report)
        yield from _changes(w)


def _bound(e: Evidence, w: WorldView, report: LogRow) -> Iterator[Violated]:
    run, at = str(report.run), e.at(report)
    owed = []
    for need in e.config.needs_of(str(report["job"])):
        candidates = [each for each in at.open_runs if at.job(each) == need]
        owed += [(need, candidates[-1])] if candidates else []
    rows = w.rows("dependency-trace", run=run, change="bound")
    found = [(row["need"], row["bound"]) for row in rows]
    if found != owed:
        missing = absent("dependency-trace", f"the needs {owed} of run {run}", len(rows), report)
        yield violated(rows[0] if rows else missing, f"run {run} is bound to {found}, and needs {owed}", report)


def _changes(w: WorldView) -> Iterator[Violated]:
    last: dict[tuple[str | None, str, str | None], LogRow] = {}
    for row in w.rows("dependency-trace"):
        key = (row.run, row["need"], row["bound"])
        known = last.get(key)
        is_wrong = row["change"] not in CHANGES or (row["change"] != "bound") != (known is not None)
        # A need that stays unmet is told of again at the next cancellation that leaves it so.
        is_again = known is not None and known["change"] == row["change"]
        if is_again and row["change"] == "unmet":
            is_again = w.sent_of(known or row) is w.sent_of(row)
        elif is_again and row["change"] == "met":
            is_again = not _is_lost_between(w, known or row, row)
        if is_wrong or is_again:
            yield violated(row, f"the need {row['need']} of run {row.run}, bound to {row['bound']}, is {row['change']}")
        last[key] = row
    for waiting in w.reports("job-waiting"):
        if "dependency-unmet" in waiting["causes"]:
            yield from _met(w, waiting)


def _is_lost_between(w: WorldView, met: LogRow, again: LogRow) -> bool:
    """Whether a finished run of the needed job was ruined in between: the need is open until another one finishes."""
    ruined = w.reports("job-failed", job=again["need"], old="finished", new="failed")
    return any(met.pos < report.pos < again.pos for report in ruined)


def _met(w: WorldView, waiting: LogRow) -> Iterator[Violated]:
    """A run that waited for a need starts after a row that tells of it being met."""
    life = w.life(str(waiting.run))
    started = [report for report in life if report["report"] == "job-started"]
    rows = w.rows("dependency-trace", run=waiting.run, change="met")
    failed = any(report["report"] == "job-failed" for report in life)
    if started and not failed and not any(row.pos < started[0].pos for row in rows):
        missing = absent("dependency-trace", f"the need of run {waiting.run} met", len(rows), started[0])
        yield violated(missing, f"run {waiting.run} starts, and no row tells that its need is met", started[0])
