"""Waiting: waiting-admission-uses-pool-capacity and waiting-records-every-current-reason."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool
from harness.run.recording import LogRow, fraction
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, first_of_settle, moved, reserves, units_text
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.admission_gates import free_slots, reasons_at, where
from harness.verdict.judgments.admission_slots import bad_slots, pools_disagree
from harness.verdict.judgments.reports_agreement import (
    ledger_disagrees,
    report_without_move,
    reports_disagree,
    states_disagree,
)
from harness.verdict.parts import Part, absent, holds, nothing

CAPACITY = "waiting-admission-uses-pool-capacity"
REASONS = "waiting-records-every-current-reason"


# -- slots of one pool --------------------------------------------------------------------------------------------


def _pool(e: Evidence) -> Pool | None:
    return e.config.pool(e.row.id) if e.row is not None else None


def _mine(e: Evidence, w: WorldView, pool: Pool) -> Iterator[Asked]:
    return (each for each in asked_runs(e, w).values() if each.report["pool"] == pool.id)


def _admission(w: WorldView, run: str) -> LogRow | None:
    """The report that answered the admission; None where the run did not get that far."""
    answers = w.reports(("job-waiting", "job-started", "job-rejected"), run, old="requested")
    return answers[0] if answers and "missing-inputs" not in answers[0]["causes"] else None


@clause(CAPACITY, 0)
def a_waiting_admission_takes_one_waiting_slot_and_an_immediate_start_none(e: Evidence) -> Iterator[Part]:
    """One `take` of a waiting slot in the settle of job-waiting; none in that of an immediate job-started."""
    pool = _pool(e)
    if pool is None:
        return
    yield from event_trouble(e, "open-pool", "request", "admit")
    yield from breaches(wrong := list(bad_slots(e, pool)))
    for w in e.worlds:
        yield from breaches(pools := list(pools_disagree(e, w, pool)))
        yield from breaches(reports_disagree(w))
        for asked in _mine(e, w, pool):
            report = _admission(w, asked.run)
            if report is None or report["report"] == "job-rejected":
                continue
            rows = _waiting_takes(w, asked, report)
            found = list(_take_is_wrong(asked, pool, report, rows))
            yield from breaches(found)
            if not found and not wrong and not pools:
                yield holds(*rows, report)


def _waiting_takes(w: WorldView, asked: Asked, report: LogRow) -> tuple[LogRow, ...]:
    rows = w.settle_rows(report.settle, "count-trace") if report.settle is not None else ()
    return tuple(row for row in rows if (row.run, row["slot"], row["change"]) == (asked.run, "waiting", "take"))


def _take_is_wrong(asked: Asked, pool: Pool, report: LogRow, rows: tuple[LogRow, ...]) -> Iterator[Breach]:
    due = 1 if report["report"] == "job-waiting" else 0
    if len(rows) != due:
        missing = absent("count-trace", f"the waiting slot of {asked.run}", len(rows), report)
        told = f"{report['report']} of {asked.run} comes with {len(rows)} waiting slots taken, due is {due}"
        yield rows[due] if len(rows) > due else missing, told
    for row in rows:
        if (row["pool"], row["place"]) != (pool.id, asked.place):
            yield row, f"{asked.run} takes a waiting slot of {row['pool']} {row['place']}, it belongs to {pool.id}"


@clause(CAPACITY, 1)
def a_request_beyond_the_waiting_limit_is_refused(e: Evidence) -> Iterator[Part]:
    """With the limit full, a request that would wait is refused with job-limit-full; before that it is not."""
    pool = _pool(e)
    if pool is None:
        return
    if pool.waiting is None:
        yield nothing(f"the pool {pool.id} declares no waiting limit")
        return
    yield from breaches(wrong := list(bad_slots(e, pool)))
    for w in e.worlds:
        for asked in _mine(e, w, pool):
            report = _admission(w, asked.run)
            if report is None:
                yield from breaches(_owed_answer(e, w, asked, pool))
                continue
            first = first_of_settle(e, report)
            used = e.at(first).used(pool.id, asked.place, "waiting")
            found = list(_limit_is_wrong(e, w, asked, report, used))
            yield from breaches(found)
            if not found and not wrong and report["report"] == "job-rejected":
                yield holds(report)


def _limit_is_wrong(e: Evidence, w: WorldView, asked: Asked, report: LogRow, used: int) -> Iterator[Breach]:
    name, limit = report["report"], asked.pool.waiting if asked.pool is not None else 0
    if name == "job-rejected" and used < (limit or 0):
        yield report, f"{asked.run} is refused while {used} of {limit} waiting slots are used"
    elif name == "job-waiting" and used >= (limit or 0):
        yield report, f"{asked.run} waits although {used} of {limit} waiting slots are used"
    elif name == "job-started" and free_slots(e, w, asked, first_of_settle(e, report)) < 1:
        yield report, f"{asked.run} starts although no working slot is free"
    elif name == "job-rejected":
        for later in w.life(asked.run):
            if later.pos > report.pos:
                yield later, f"{later['report']} follows the refusal of {asked.run}"


def _owed_answer(e: Evidence, w: WorldView, asked: Asked, pool: Pool) -> Iterator[Breach]:
    """A request that had to wait or be refused, and about which nothing is reported."""
    told = w.reports(("job-rejected", "job-canceled"), asked.run)
    if told or asked.is_paused or reserves(e, asked):
        return
    missing = absent("report-log", f"the answer to the request of {asked.run}", 1, asked.report)
    yield missing, f"{asked.run} was neither started nor left waiting nor refused in {pool.id}"


@clause(CAPACITY, 2)
def waiting_slots_without_a_limit_refuse_nobody(e: Evidence) -> Iterator[Part]:
    """No request of a pool without a waiting limit is refused with job-limit-full."""
    pool = _pool(e)
    if pool is None:
        return
    if pool.waiting is not None:
        yield nothing(f"the pool {pool.id} declares a waiting limit")
        return
    yield from breaches(wrong := list(bad_slots(e, pool)))
    for w in e.worlds:
        for asked in _mine(e, w, pool):
            if _admission(w, asked.run) is None:
                yield from breaches(_owed_answer(e, w, asked, pool))
        for row in w.reports("job-rejected", pool=pool.id):
            if "job-limit-full" in row["causes"]:
                yield from breaches([(row, f"{row.run} is refused with job-limit-full, {pool.id} has no such limit")])
        waiting = w.reports("job-waiting", pool=pool.id)
        if not wrong:
            yield from (holds(row) for row in waiting)


# -- reasons ------------------------------------------------------------------------------------------------------


@clause(REASONS, 0)
def job_waiting_reports_every_current_reason(e: Evidence) -> Iterator[Part]:
    """The causes of job-waiting are the reasons that hold at the admission: no more, no fewer, none twice."""
    yield from event_trouble(e, "request", "admit", "readmit", "use")
    for w in e.worlds:
        at = where(e, w)
        yield from breaches(reports_disagree(w))
        for run, asked in asked_runs(e, w).items():
            answers = w.reports(("job-waiting", "job-started"), run, old="requested")
            if not answers:
                yield from breaches(_owed_answer_anywhere(e, w, asked))
                continue
            report, due = answers[0], reasons_at(at, asked, answers[0])
            wrong = [*_reasons_are_wrong(report, due), *report_without_move(w, report)]
            yield from breaches(wrong)
            if not wrong and report["report"] == "job-waiting":
                yield holds(report)


def _reasons_are_wrong(report: LogRow, due: frozenset[str]) -> Iterator[Breach]:
    told, run = list(report["causes"] or ()), report.run
    if report["report"] == "job-started":
        if due:
            yield report, f"{run} starts at once although it has to wait for {', '.join(sorted(due))}"
        return
    missing, extra = sorted(due - set(told)), sorted(set(told) - due)
    if missing:
        yield report, f"job-waiting of {run} does not report {', '.join(missing)}"
    elif extra:
        yield report, f"job-waiting of {run} reports {', '.join(extra)}, which does not hold"
    elif len(set(told)) < len(told):
        yield report, f"job-waiting of {run} reports a reason twice: {', '.join(told)}"


def _owed_answer_anywhere(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Breach]:
    told = w.reports(("job-rejected", "job-canceled"), asked.run)
    admitted = w.events("admit", run=asked.run)
    if told or reserves(e, asked) or (asked.is_paused and not admitted):
        return
    near = admitted[0].rows[0] if admitted and admitted[0].rows else asked.report
    missing = absent("report-log", f"the answer to the admission of {asked.run}", 1, near)
    yield missing, f"{asked.run} was neither started nor left waiting nor refused"


@clause(REASONS, 1)
def waiting_records_no_work_and_claims_nothing(e: Evidence) -> Iterator[Part]:
    """No work from job-waiting to the next report, and no claim there but that of the request."""
    for w in e.worlds:
        wrong = [*states_disagree(w), *ledger_disagrees(w, "claim")]
        yield from breaches(wrong)
        runs = asked_runs(e, w)
        for report in w.reports("job-waiting"):
            asked = runs.get(str(report.run))
            found = list(_waiting_is_wrong(e, w, asked, report)) if asked is not None else []
            yield from breaches(found)
            if not found and not wrong:
                yield holds(report)


def _waiting_is_wrong(e: Evidence, w: WorldView, asked: Asked, report: LogRow) -> Iterator[Breach]:
    run, life = asked.run, w.life(asked.run)
    later = next((row for row in life if row.pos > report.pos), None)
    for row, column in ((report, "work-before"), (report, "work-after"), (later, "work-before")):
        if row is not None and fraction(row[column]) != 0:
            yield row, f"{row['report']} of {run} tells work {row[column]}, although it was waiting"
    rows = tuple(row for row in w.rows("claim-ledger", run, change="claim"))
    beside = tuple(row for row in rows if row.settle == report.settle)
    due = dict(asked.needs) if e.config.timing == "taken-at-request" else {}
    if moved(beside, "claim") != due:
        told = units_text(moved(beside, "claim"))
        yield beside[0] if beside else report, f"{run} claims {told} at job-waiting, due is {units_text(due)}"
    for row in rows:
        outside = later is None or (row.pos < later.pos and row.settle != later.settle)
        if row.settle != report.settle and row.pos > report.pos and outside:
            yield row, f"{run} claims {row['amount']} {row['item']} while it waits"
    for row in rows:
        if row.pos < report.pos and row.settle != report.settle:
            yield row, f"{run} claims {row['amount']} {row['item']} before it was admitted"
