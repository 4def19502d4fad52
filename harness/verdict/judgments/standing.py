"""Judgments on a standing order: when its pool is scanned, what a scan looks at, and what it requests."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool, StandingOrder
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.life_records import request_log_wrongs
from harness.verdict.judgments.life_refusals import refusal_wrongs
from harness.verdict.judgments.pools_common import (
    Wrong,
    free_after,
    free_at,
    named,
    places,
    skipped,
    slot_wrongs,
    wrongs,
)
from harness.verdict.judgments.pools_line import REQUESTER, Timeline
from harness.verdict.judgments.pools_ready import Readiness
from harness.verdict.judgments.standing_common import (
    REQUESTING,
    SCAN_LOG,
    Pass,
    eligibility,
    passes,
    scan_rows,
    scan_wrongs,
)
from harness.verdict.parts import Part, absent, holds, nothing, violated

SCANS = "standing-order-scans-are-level-triggered"


def order_and_pool(e: Evidence) -> tuple[StandingOrder, Pool]:
    """The executable standing order of the scenario's row, and the pool it is attached to."""
    order = next((each for each in e.config.standing_orders if e.row is not None and each.id == e.row.id), None)
    pool = e.config.pool(order.pool) if order is not None else None
    if order is None or pool is None:
        raise ValueError("the scenario is not about a standing-orders row with a pool")
    return order, pool


def _logs_agree(e: Evidence, pool: Pool) -> Iterator[Part]:
    """What every clause rests on: the scans, the requests and the counts of the pool contradict each other nowhere."""
    yield from wrongs(slot_wrongs(e, pool))
    yield from wrongs(scan_wrongs(e, pool))
    for w in e.worlds:
        yield from wrongs(refusal_wrongs(w))
        yield from wrongs(request_log_wrongs(w))


@clause(SCANS, 0)
def a_scan_looks_at_rows_in_written_order_after_the_offers(e: Evidence) -> Iterator[Part]:
    """Each scan consults this row in its turn, with no admitted run left that could use the slot."""
    order, pool = order_and_pool(e)
    yield from _logs_agree(e, pool)
    yield from wrongs(_before_offers(e, pool))
    yield from wrongs(_unscanned_slots(e, pool))
    for scan in passes(e, pool):
        rows = scan.of(order.id)
        if rows and scan.whole:
            yield holds(*rows)
    yield from skipped(e)


def _before_offers(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    """A scan at a moment at which an admitted run could still have been offered the slot."""
    for w in e.worlds:
        line, ready = Timeline(w), Readiness(w)
        for row in w.rows(SCAN_LOG, pool=pool.id):
            standing, at = line.before(row), e.at(row)
            if free_at(e, pool, row["place"], row)[0] < 1:
                continue
            for run in standing.order(pool, row["place"]):
                # A stopped run without causes may have been passed over for its claim: the offer log would tell.
                if standing.states.get(run) == "waiting" and ready.eligible(run, standing, at):
                    yield row, f"the scan comes before the offer to {run}, which waits and is eligible"


def _unscanned_slots(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    """A slot that was freed, and stays free after the offers, without a scan."""
    for w in e.worlds:
        for sent in w.events():
            asked = {row.run for row in sent.rows_of("report-log", report="job-requested") if not _own(row)}
            for place in places(pool):
                freed = sent.rows_of("count-trace", pool=pool.id, place=place, slot="working", change="free")
                freed = tuple(row for row in freed if row.run not in asked)
                due = freed and free_after(e, pool, place, sent) > 0
                if due and not any(row.pos > freed[0].pos for row in scan_rows(sent, pool, place)):
                    what = absent(SCAN_LOG, f"the scan of {named((pool.id, place))}", near=sent.rows[-1])
                    yield (
                        what,
                        f"a slot of {named((pool.id, place))} stays free after the offers, and is not scanned for",
                    )


def _own(row: LogRow) -> bool:
    return list(row["causes"]) == [REQUESTER]


@clause(SCANS, 1)
def one_scan_requests_again_while_it_can(e: Evidence) -> Iterator[Part]:
    """A scan goes on with an eligible row until it is not eligible, or no slot is free."""
    order, pool = order_and_pool(e)
    if pool.working * len(places(pool)) < 2:
        yield nothing(f"{pool.id} has one working slot: no scan has free slots for more than one job")
        return
    yield from _logs_agree(e, pool)
    yield from wrongs(_unscanned_requests(e, order))
    for scan in passes(e, pool):
        asked = [row for row in scan.of(order.id) if row["outcome"] in REQUESTING]
        if asked and scan.whole:
            yield holds(*scan.of(order.id), *_took(scan, asked))
    yield from skipped(e)


def _took(scan: Pass, asked: list[LogRow]) -> list[LogRow]:
    """The count rows of the slots that the scan's requests took."""
    taken = scan.sent.rows_of("count-trace", slot="working", change="take", place=scan.place)
    runs = {row["requested"] for row in asked if row["outcome"] == "took-slot"}
    return [row for row in taken if row.run in runs]


def _unscanned_requests(e: Evidence, order: StandingOrder) -> Iterator[Wrong]:
    """A request in the name of this standing order that no scan made."""
    for w in e.worlds:
        for asked in w.rows("request-log", by=order.id):
            if not w.rows(SCAN_LOG, asked.run, requested=asked.run):
                yield asked, f"{asked.run} is requested by {order.id}, and no scan made the request"


@clause(SCANS, 2)
def opening_eligibility_and_refusal_each_cause_a_scan(e: Evidence) -> Iterator[Part]:
    """Each of the three brings a scan that looks at this row, however often it was looked at before."""
    order, pool = order_and_pool(e)
    yield from _logs_agree(e, pool)
    for w in e.worlds:
        for sent in w.events():
            for place in places(pool):
                yield from _due(e, order, pool, sent, place)
    yield from skipped(e)


def _due(e: Evidence, order: StandingOrder, pool: Pool, sent: SentView, place: str | None) -> Iterator[Part]:
    why = _reason(e, order, pool, sent, place)
    if why is None:
        return
    rows = [row for row in scan_rows(sent, pool, place) if row["row"] == order.id]
    if rows:
        yield holds(*rows)
    else:
        near = sent.rows[-1] if sent.rows else None
        what = absent(SCAN_LOG, f"the look at {order.id} in a scan of {named((pool.id, place))}", near=near)
        yield violated(what, f"{why}: {order.id} is not scanned")


def _reason(e: Evidence, order: StandingOrder, pool: Pool, sent: SentView, place: str | None) -> str | None:
    """Which of the three reasons for a scan this event gives at the place; None for none."""
    if sent.kind == "open-pool" and sent.event.get("row") == pool.id:
        return f"{pool.id} was opened"
    if pool.id not in sent.before.open_pools:
        return None
    refused = sent.rows_of("report-log", report="job-rejected", pool=pool.id, place=place)
    if any(_asked_by_requester(sent, row) for row in refused):
        return f"the request {refused[0].run} was refused"
    if _turned(e, order, sent, place):
        return f"{order.id} became eligible"
    return None


def _asked_by_requester(sent: SentView, refusal: LogRow) -> bool:
    asked = sent.world.reports("job-requested", run=refusal.run)
    return bool(asked) and _own(asked[0])


def _turned(e: Evidence, order: StandingOrder, sent: SentView, place: str | None) -> bool:
    """Whether the row became eligible in this event and, as far as is known, was so when scans were due."""
    w = sent.world
    if eligibility(e, w, order, place, sent.before, sent.place - 1) is not False:
        return False
    scans = [row for row in sent.rows if row.log == SCAN_LOG]
    if scans:
        # What turned in consequence of a scan starts no further one.
        return eligibility(e, w, order, place, e.at(scans[0]), sent.place) is True and sent.kind != "tick"
    return eligibility(e, w, order, place, sent.after, sent.place) is True
