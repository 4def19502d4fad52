"""Whether the logs of room agree: decisions with reports and reservations, locations with what was accepted."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import at_place
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.delivery_room import ATTEMPTS, Rooms, attempt_faults, target_of
from harness.verdict.judgments.failures_settles import observed, settled
from harness.verdict.parts import Violated, absent, violated

LEDGER = "reservation-ledger"


# -- delivery-attempts -------------------------------------------------------------------------------------------------


def attempt_log_faults(e: Evidence) -> Iterator[Violated]:
    """Decisions against the room, the same decision twice in a settle, and reports without their decision."""
    for w in e.worlds:
        yield from attempt_faults(e, w, Rooms(e, w), w.rows(ATTEMPTS))
        for sent in w.sent:
            yield from _twice(sent)
            if observed(e, LEDGER):
                yield from _as_reserved(sent)
    for report in e.reports(("destination-refused", "job-delivered", "job-finished")):
        yield from _decided(e, report)


def _twice(sent: SentView) -> Iterator[Violated]:
    seen: dict[tuple[object, ...], LogRow] = {}
    for row in sent.rows_of(ATTEMPTS):
        if row["attempt"] == "reservation":
            continue
        key = (row.run, row.settle, row["attempt"], row["position"])
        if key in seen:
            what = f"the {row['attempt']} of run {row.run} at {row['destination']}"
            yield violated(row, f"{what} is decided twice", seen[key])
        seen.setdefault(key, row)


def _as_reserved(sent: SentView) -> Iterator[Violated]:
    """Each reservation that was tried stands in both logs, with one outcome."""
    tried = [row for row in sent.rows_of(ATTEMPTS) if row["attempt"] == "reservation"]
    kept = sent.rows_of(LEDGER, change=("reserve", "refused"))
    first = [(row.run, row["outcome"] == "accepted") for row in tried]
    second = [(row.run, row["change"] == "reserve") for row in kept]
    if first != second:
        row = (*tried, *kept)[0]
        yield violated(row, f"the decisions on room are {first}, and the reservations {second}")


def _decided(e: Evidence, report: LogRow) -> Iterator[Violated]:
    run, w = str(report.run), e.world_of(report)
    if target_of(e, w, run) is None:
        return
    if report["report"] == "job-finished":
        rows = [row for row in w.rows(ATTEMPTS, run=run, attempt="delivery") if row.pos > report.pos]
        found = [row for row in rows if row.batch == report.batch]
        if e.config.output_full == "wait-until-space":
            gates = w.rows(ATTEMPTS, run=run, attempt="finish-gate", outcome="accepted")
            found = found if any(row.batch == report.batch for row in gates) else []
    elif report["report"] == "job-delivered" and tuple(report["causes"]) != ("accepted",):
        found = [row for row in w.rows(ATTEMPTS, run=run, attempt="delivery") if row["outcome"] == "accepted"]
    else:
        outcome = "refused" if report["report"] == "destination-refused" else "accepted"
        rows = [row for row in settled(e, report, ATTEMPTS) if row["attempt"] == "delivery"]
        found = [row for row in rows if row["outcome"] == outcome]
    if not found:
        missing = absent(ATTEMPTS, f"the decision behind {report['report']} of run {run}", near=report)
        yield violated(missing, f"{report['report']} of run {run}, and no destination decided so", report)


# -- reservation-ledger ------------------------------------------------------------------------------------------------


def reservation_faults(e: Evidence) -> Iterator[Violated]:
    """Reservations agree with the decisions on room, and each comes with what makes or ends it."""
    for w in e.worlds:
        for sent in w.sent:
            if observed(e, ATTEMPTS):
                yield from _as_reserved(sent)
            for row in sent.rows_of(LEDGER):
                yield from _ends_with(e, row)


def _ends_with(e: Evidence, row: LogRow) -> Iterator[Violated]:
    owed = {"use": ("job-delivered",), "release": ("job-rejected", "job-canceled", "job-failed")}.get(row["change"])
    if owed is not None and not [each for each in settled(e, row, "report-log") if each["report"] in owed]:
        yield violated(row, f"the reserved room of run {row.run}: {row['change']}, and it has not ended so")


# -- output-location ---------------------------------------------------------------------------------------------------


def location_faults(e: Evidence) -> Iterator[Violated]:
    """Where each output is: out of reach while held, at the destination that took it, and gone when destroyed."""
    for w in e.worlds:
        for row in w.rows("output-location"):
            yield from _location(e, w, row)
        for report in w.reports("job-delivered"):
            change = "collected" if e.config.on_collection else "delivered"
            rows = [row for row in settled(e, report, "output-location") if row["change"] == change]
            if len(rows) != 1:
                missing = absent("output-location", f"the output of run {report.run}, {change}", near=report)
                first = rows[1] if rows else missing
                yield violated(first, f"run {report.run} is delivered, and its output is {change} {len(rows)} times")


def _location(e: Evidence, w: WorldView, row: LogRow) -> Iterator[Violated]:
    owed = (None, False) if row["change"] in ("held", "destroyed") else (_taken(e, w, row), True)
    first = w.rows("output-location", run=row.run)[0]
    if (row["location"], row["accessible"]) != owed:
        found = f"{row['location']}, accessible: {row['accessible']}"
        yield violated(row, f"the output of run {row.run} is {row['change']} at {found}; it is at {owed[0]}")
    elif row["output"] != first["output"]:
        yield violated(row, f"run {row.run} has {row['output']} beside {first['output']}", first)
    elif observed(e, "output-identity"):
        made = w.rows("output-identity", run=row.run, change="established")
        if made and made[0]["output"] != row["output"]:
            yield violated(row, f"run {row.run} made {made[0]['output']}, and {row['output']} is somewhere", made[0])


def _taken(e: Evidence, w: WorldView, row: LogRow) -> str | None:
    """Where the run's output was accepted; the site of an in-place change."""
    tries = w.rows(ATTEMPTS, run=row.run, attempt="delivery", outcome="accepted") if observed(e, ATTEMPTS) else ()
    if tries:
        return str(tries[-1]["destination"])
    requested = w.reports("job-requested", run=row.run)
    job = e.config.job_rule(str(requested[0]["job"])) if requested else None
    if job is not None and job.site is not None:
        return at_place(job.site, requested[0]["place"])
    named = [each["destination"] for each in w.reports("job-delivered", run=row.run)]
    return str(named[0]) if named else None
