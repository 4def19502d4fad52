"""start-counts-settle-before-report: slots, reservation and the boundary that a start crosses."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, first_of_settle
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.admission_slots import bad_slots
from harness.verdict.judgments.claims_reservations import reservations_disagree
from harness.verdict.judgments.reports_agreement import reports_disagree
from harness.verdict.parts import Part, absent, holds, nothing

TEMPLATE = "start-counts-settle-before-report"


# -- slots --------------------------------------------------------------------------------------------------------


@clause(TEMPLATE, 0)
def slots_settle_before_job_started(e: Evidence) -> Iterator[Part]:
    """The waiting slot is freed and the working slot taken in the settle of job-started, before the report."""
    yield from event_trouble(e, "open-pool", "request", "admit")
    yield from breaches(wrong := [each for pool in e.config.pools for each in bad_slots(e, pool)])
    for w in e.worlds:
        yield from breaches(left := [*_left_slots(e, w), *_unstarted(e, w)])
        runs = asked_runs(e, w)
        for report in w.reports("job-started"):
            asked = runs.get(str(report.run))
            if asked is None:
                continue
            found = list(_slots_are_wrong(e, w, asked, report))
            yield from breaches(found)
            if not found and not wrong and not left:
                yield holds(*_counts(w, report), report)


def _counts(w: WorldView, report: LogRow) -> tuple[LogRow, ...]:
    rows = w.settle_rows(report.settle, "count-trace") if report.settle is not None else ()
    return tuple(row for row in rows if row.run == report.run)


def _slots_are_wrong(e: Evidence, w: WorldView, asked: Asked, report: LogRow) -> Iterator[Breach]:
    run, rows = asked.run, _counts(w, report)
    if asked.pool is None:
        for row in rows:
            yield row, f"{run} has no pool, yet a slot is counted for it"
        return
    late = [row for row in rows if row.pos > report.pos]
    for row in late:
        yield row, f"the {row['slot']} slot of {run} is counted only after its job-started"
    for row in rows:
        if (row["pool"], row["place"]) != (report["pool"], report["place"]):
            yield row, f"{run} starts in {report['pool']} {report['place']}, counted is {row['pool']} {row['place']}"
    before, after = e.at(first_of_settle(e, report)), e.after(report)
    if after.has_slot(run, "waiting"):
        missing = absent("count-trace", f"the waiting slot of {run} freed", len(rows), report)
        yield missing, f"{run} is started and still holds its waiting slot"
    if not after.has_slot(run, "working"):
        missing = absent("count-trace", f"the working slot of {run} taken", len(rows), report)
        yield missing, f"{run} is started without a working slot"
    took = [row for row in rows if (row["slot"], row["change"]) == ("working", "take")]
    if len(took) > (0 if before.has_slot(run, "working") else 1):
        yield took[-1], f"{run} takes a second working slot at its start"


def _left_slots(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Slots that ended runs hold once an event has settled."""
    for sent in w.sent:
        after = sent.after
        for pool in e.config.pools:
            for place in pool.places or (None,):
                for slot in ("working", "waiting"):
                    for run in after.in_slot(pool.id, place, slot):
                        if after.ended(run) and sent.rows:
                            missing = absent("count-trace", f"the {slot} slot of {run} freed", 0, sent.rows[-1])
                            yield missing, f"{run} has ended and still holds a {slot} slot of {pool.id}"
                            return


def _unstarted(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Runs that work, stopped or finished without a job-started."""
    for run in w.runs:
        life = w.life(run)
        beyond = [row for row in life if row["report"] in ("job-working", "job-finished")]
        if beyond and not any(row["report"] == "job-started" and row.pos < beyond[0].pos for row in life):
            missing = absent("report-log", f"job-started of {run}", len(life), beyond[0])
            yield missing, f"{run} reports {beyond[0]['report']} without a job-started before it"


# -- reservations -------------------------------------------------------------------------------------------------


@clause(TEMPLATE, 1)
def a_reservation_stays_until_delivery(e: Evidence) -> Iterator[Part]:
    """A started run has reserved its output before, and uses the reservation at its delivery and not earlier."""
    if e.config.output_full != "wait-before-start":
        yield nothing(f"output-full is {e.config.output_full}, which reserves nothing before the start")
        return
    yield from event_trouble(e, "readmit", "room")
    for w in e.worlds:
        yield from breaches(wrong := list(reservations_disagree(e, w)))
        runs = asked_runs(e, w)
        for report in w.reports("job-started"):
            asked = runs.get(str(report.run))
            if asked is None:
                continue
            if not asked.makes_thing:
                yield nothing(f"the output of {asked.job.id} changes its site in place and takes no room")
                continue
            found = list(_reservation_is_wrong(w, asked, report))
            yield from breaches(found)
            if not found and not wrong:
                yield holds(*w.rows("reservation-ledger", asked.run, change=("reserve", "use")), report)


_ENDS = {"job-delivered": "use", "job-canceled": "release", "job-failed": "release"}


def _reservation_is_wrong(w: WorldView, asked: Asked, report: LogRow) -> Iterator[Breach]:
    run = asked.run
    rows = w.rows("reservation-ledger", run)
    reserved = [row for row in rows if row["change"] == "reserve" and row.pos < report.pos]
    if not reserved:
        missing = absent("reservation-ledger", f"the reservation of {run}", len(rows), report)
        yield missing, f"{run} starts without a reservation"
        return
    end = next((row for row in w.life(run) if row["new"] in ("delivered", "canceled", "failed")), None)
    ended = [row for row in rows if row["change"] in ("release", "use")]
    due = _ENDS.get(end["report"]) if end is not None else None
    for row in ended:
        if end is None or row.settle != end.settle:
            yield row, f"the reservation of {run} ends by a {row['change']} before the run does"
        elif row["change"] != due:
            yield row, f"the reservation of {run} ends by a {row['change']} at its {end['report']}, due is a {due}"
    if end is not None and not ended:
        missing = absent("reservation-ledger", f"the {due} of the reservation of {run}", len(rows), end)
        yield missing, f"the reservation of {run} is not ended by its {end['report']}"


# -- the boundary -------------------------------------------------------------------------------------------------


@clause(TEMPLATE, 2)
def no_run_stays_in_started(e: Evidence) -> Iterator[Part]:
    """After job-started the run works, finishes or stops at its gate in the same batch."""
    for w in e.worlds:
        yield from breaches(left := list(_unstarted(e, w)))
        yield from breaches(reports_disagree(w))
        for report in w.reports(new="started"):
            later = [row for row in w.life(str(report.run)) if row.pos > report.pos]
            if not later or later[0].batch != report.batch:
                near = later[0] if later else report
                missing = absent("report-log", f"what follows {report['report']} of {report.run}", len(later), near)
                yield from breaches([(missing, f"{report.run} stays in started after its {report['report']}")])
            elif later[0]["report"] not in ("job-working", "job-finished", "job-stopped"):
                because = f"{later[0]['report']} of {report.run} follows while it is started"
                yield from breaches([(later[0], because)])
            elif not left:
                yield holds(report, later[0])
