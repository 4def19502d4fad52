"""When slots are freed, and what must follow: the offers of the freed slot, and the scans after them."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.pools_common import Wrong, first_of_settle, last_of_settle, named, workers_away
from harness.verdict.judgments.pools_offers import OFFER_LOG
from harness.verdict.judgments.standing_common import SCAN_LOG, orders_of, scan_rows
from harness.verdict.parts import Part, absent, holds, violated

RELEASING = {"finished": "job-finished", "delivered": "job-delivered"}


def ends_free_slots(e: Evidence, pool: Pool) -> Iterator[Part]:
    """Entry to a terminal state frees every slot within its settle."""
    ends = ("job-canceled", "job-failed", "job-delivered")
    for report in e.reports(ends, pool=pool.id, new=("canceled", "failed", "delivered")):
        run = str(report.run)
        left = e.after(last_of_settle(e, report)).slots(run)
        if left:
            where, place, kind = left[0]
            because = f"{run} entered {report['new']} and still holds a {kind} slot of {named((where, place))}"
            yield violated(report, because)
            continue
        frees = [row for row in e.settle_of(report) if row.log == "count-trace" and row.run == run]
        had = e.at(first_of_settle(e, report)).slots(run)
        yield holds(report, *frees) if len(frees) >= len(had) else _unwritten(report)


def _unwritten(report: LogRow) -> Part:
    what = f"the freeing of every slot of {report.run} at {report['report']}"
    return violated(absent("count-trace", what, near=report), f"{report.run} ended and keeps a slot that it held")


# -- success --------------------------------------------------------------------------------------------------------


def success_frees(e: Evidence, pool: Pool) -> Iterator[Part]:
    """The working slot of a successful run is freed directly after the report that the row selects, not before."""
    owed = RELEASING[pool.releases_at]
    for finish in e.reports("job-finished", pool=pool.id):
        run, w = str(finish.run), e.world_of(finish)
        rows = w.rows("count-trace", run, pool=pool.id, slot="working", change="free")
        frees = [row for row in rows if row.pos > first_of_settle(e, finish).pos]
        report = next((row for row in w.reports(owed, run=run) if row.pos >= finish.pos), None)
        early = next((row for row in frees if report is None or row.pos < report.pos), None)
        if early is not None and not _ended_otherwise(e, early):
            yield violated(early, f"the slot of {run} is freed before {owed}, after which the row frees it", finish)
        elif report is not None:
            yield _freed_after(e, report, frees)


def _ended_otherwise(e: Evidence, row: LogRow) -> bool:
    """Whether the slot went because the run failed from finished: terminal entry frees every slot."""
    told = [each for each in e.settle_of(row) if each.log == "report-log" and each.run == row.run]
    return any(each["report"] == "job-failed" for each in told)


def _freed_after(e: Evidence, report: LogRow, frees: list[LogRow]) -> Part:
    found = [row for row in frees if row.pos > report.pos]
    if not found or found[0].settle != report.settle:
        what = f"the working slot of {report.run} freed after {report['report']}"
        because = f"{report['report']} of {report.run} is not followed by the freeing of its working slot"
        return violated(absent("count-trace", what, len(frees), report), because)
    if len(found) > 1:
        return violated(found[1], f"the working slot of {report.run} is freed a second time", report)
    return holds(report, found[0])


# -- what follows a freed slot --------------------------------------------------------------------------------------


def freed_slots(e: Evidence, pool: Pool) -> Iterator[LogRow]:
    """Every count row that frees a working slot of the pool."""
    yield from e.rows("count-trace", pool=pool.id, slot="working", change="free")


def freed_by_success(e: Evidence, pool: Pool) -> Iterator[LogRow]:
    """The count rows that free the slot of a successful run at the report that the row selects."""
    for row in freed_slots(e, pool):
        told = [each for each in e.settle_of(row) if each.log == "report-log" and each.run == row.run]
        if any(each["report"] == RELEASING[pool.releases_at] and each.pos < row.pos for each in told):
            yield row


def offered_after(e: Evidence, pool: Pool, freed: LogRow) -> LogRow | Wrong | None:
    """The first offer after a freed slot; what is wrong where it is missing; None where no slot was left to offer."""
    sent = e.sent_of(freed)
    offers = [row for row in sent.rows_of(OFFER_LOG, pool=pool.id, place=freed["place"]) if row.pos > freed.pos]
    left = pool.working - sent.after.used(pool.id, freed["place"], "working") - _away(sent, freed)
    if offers and (left < 1 or any(row["offer"] == "nobody" for row in offers)):
        return offers[0]
    if not offers and pool.working - e.after(freed).used(pool.id, freed["place"], "working") - _away(sent, freed) < 1:
        return None
    what = f"the offer of the slot that {freed.run} freed at {named((pool.id, freed['place']))}"
    return absent(OFFER_LOG, what, near=sent.rows[-1]), f"the slot that {freed.run} freed is not offered to anyone"


def scanned_after(e: Evidence, pool: Pool, freed: LogRow) -> LogRow | Wrong | None:
    """The first scan row after a freed slot; what is wrong where it is owed and missing; None where none is owed.

    A scan is owed where standing orders are attached and the slot is still free after the offers; not for a slot that
    a request of a scan itself freed.
    """
    if not orders_of(e, pool.id):
        return None
    sent = e.sent_of(freed)
    scans = scan_rows(sent, pool, freed["place"])
    after = [row for row in scans if row.pos > freed.pos]
    if after:
        return after[0]
    free = pool.working - sent.after.used(pool.id, freed["place"], "working") - _away(sent, freed)
    if free < 1 or freed.run in _requested_by_scans(e, sent):
        return None
    what = f"the scan after the slot that {freed.run} freed at {named((pool.id, freed['place']))}"
    return absent(SCAN_LOG, what, len(scans), sent.rows[-1]), "a slot stays free after the offers: no scan follows"


def _requested_by_scans(e: Evidence, sent: SentView) -> set[str | None]:
    orders = {each.id for each in e.config.standing_orders}
    asked = sent.rows_of("report-log", report="job-requested")
    return {row.run for row in asked if orders.intersection(row["causes"])}


def _away(sent: SentView, freed: LogRow) -> int:
    return workers_away(sent.world, freed["pool"], freed["place"], sent.place)


def after_offers(e: Evidence, pool: Pool, freed: LogRow) -> Iterator[Part]:
    """The offers of a freed slot, and the scan after them, in that order."""
    offer, scan = offered_after(e, pool, freed), scanned_after(e, pool, freed)
    for found in (offer, scan):
        if isinstance(found, tuple):
            yield violated(*found)
    shown = [found for found in (offer, scan) if isinstance(found, LogRow)]
    if shown:
        yield holds(freed, *shown)
