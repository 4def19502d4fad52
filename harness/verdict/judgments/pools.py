"""Judgments on a work-limits row: its offers, the order of stopped runs, and when slots are freed."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.life_agreement import report_wrongs
from harness.verdict.judgments.life_refusals import refusal_wrongs
from harness.verdict.judgments.pools_common import free_at, row_pool, skipped, slot_wrongs, wrongs
from harness.verdict.judgments.pools_freeing import (
    after_offers,
    ends_free_slots,
    freed_by_success,
    freed_slots,
    offered_after,
    scanned_after,
    success_frees,
)
from harness.verdict.judgments.pools_line import is_declared
from harness.verdict.judgments.pools_offers import Offers
from harness.verdict.judgments.standing_common import scan_rows, scan_wrongs
from harness.verdict.parts import Part, holds, nothing, violated

WORK_LIMIT = "work-limit-offers-room-and-releases-counts"


@clause(WORK_LIMIT, 0)
def a_free_slot_goes_first_to_admitted_runs_in_order(e: Evidence) -> Iterator[Part]:
    """Every offer is right, every freed slot and cleared reason brings one, before any scan or newcomer."""
    pool = row_pool(e)
    yield from wrongs(slot_wrongs(e, pool))
    for w in e.worlds:
        offers = Offers(w, pool)
        yield from wrongs(refusal_wrongs(w))
        yield from wrongs(offers.row_wrongs())
        yield from wrongs(offers.idle_wrongs())
        yield from _newcomers(offers)
        yield from _before_scans(offers)
        for row in offers.given():
            yield holds(row)
    for freed in freed_slots(e, pool):
        for found in (offered_after(e, pool, freed), scanned_after(e, pool, freed)):
            if isinstance(found, tuple):
                yield violated(*found)
    yield from skipped(e)


def _newcomers(offers: Offers) -> Iterator[Part]:
    """A request may not take a slot at once while an admitted run that could use it stands before it."""
    for report in offers.w.reports("job-started", pool=offers.pool.id, old="requested"):
        standing, at = offers.line.before(report), offers.e.at(report)
        order = standing.with_newcomer(str(report.run)).order(offers.pool, report["place"])
        ahead = order[: order.index(str(report.run))] if report.run in order else []
        for run in ahead:
            if offers.owed_a_slot(run, standing, at, offers.w.sent_of(report)):
                yield violated(report, f"{report.run} starts at once although {run} was eligible and stands before it")


def _before_scans(offers: Offers) -> Iterator[Part]:
    """A scan looks at standing orders only once no admitted run could use the slot."""
    for sent in offers.w.sent:
        for place in offers.pool.places or (None,):
            for row in scan_rows(sent, offers.pool, place):
                yield from _left_at_scan(offers, sent, row)


def _left_at_scan(offers: Offers, sent: SentView, row: LogRow) -> Iterator[Part]:
    standing, at = offers.line.before(row), offers.e.at(row)
    if free_at(offers.e, offers.pool, row["place"], row)[0] < 1:
        return
    for run in standing.order(offers.pool, row["place"]):
        if offers.owed_a_slot(run, standing, at, sent):
            yield violated(row, f"standing orders are scanned while {run} is eligible and a slot is free")


@clause(WORK_LIMIT, 1)
def a_stopped_run_joins_at_its_stop_behind_its_displacer(e: Evidence) -> Iterator[Part]:
    """The order in offers has each run that an instruction stopped at its stop, and never before its displacer."""
    if not e.config.interruptions:
        yield nothing("the adoption declares no interruption")
        return
    pool = row_pool(e)
    for w in e.worlds:
        offers = Offers(w, pool)
        yield from wrongs(refusal_wrongs(w))
        for row in offers.rows:
            yield from _displacers(offers, row)
            yield from wrongs(offers.order_wrongs(row))
            stops = [each for run in row["order"] for each in _instructed_stop(offers, run, row)]
            if stops:
                yield holds(row, *stops)
    yield from skipped(e)


def _displacers(offers: Offers, row: LogRow) -> Iterator[Part]:
    order = list(row["order"])
    for run, displacer in offers.line.before(row).displaced:
        if run in order and displacer in order and order.index(run) < order.index(displacer):
            yield violated(row, f"{run} stands before {displacer}, which displaced it")


def _instructed_stop(offers: Offers, run: str, row: LogRow) -> list[LogRow]:
    """The stop by instruction that put a stopped run into this order, where there is one."""
    if offers.line.before(row).states.get(run) != "stopped":
        return []
    stops = offers.w.reports("job-stopped", run=run, old=("working", "started"))
    last = [each for each in stops if each.pos < row.pos][-1:]
    return [each for each in last if _by_instruction(offers.e, each)]


def _by_instruction(e: Evidence, stop: LogRow) -> bool:
    sent = e.sent_of(stop)
    return sent.kind == "worker-stop" or (sent.kind == "instruct" and is_declared(e.config, sent.event["instruction"]))


@clause(WORK_LIMIT, 2)
def a_terminal_state_frees_every_slot(e: Evidence) -> Iterator[Part]:
    """Canceled, failed for good or delivered: no slot is held after that settle."""
    pool = row_pool(e)
    yield from wrongs(slot_wrongs(e, pool))
    yield from ends_free_slots(e, pool)
    yield from skipped(e)


@clause(WORK_LIMIT, 3)
def success_frees_the_slot_where_the_row_says(e: Evidence) -> Iterator[Part]:
    """The slot goes directly after the selected report; offers and scans follow."""
    pool = row_pool(e)
    yield from wrongs(report_wrongs(e))
    yield from wrongs(slot_wrongs(e, pool))
    yield from wrongs(scan_wrongs(e, pool))
    yield from success_frees(e, pool)
    for freed in freed_by_success(e, pool):
        yield from after_offers(e, pool, freed)
    yield from skipped(e)


@clause("pool-releases-at-finished", 0)
@clause("pool-releases-at-delivered", 0)
def the_slot_is_freed_after_the_selected_report(e: Evidence) -> Iterator[Part]:
    """A success keeps its slot until the report of the row, and frees it directly after."""
    pool = row_pool(e)
    yield from wrongs(slot_wrongs(e, pool))
    yield from success_frees(e, pool)
    yield from skipped(e)


@clause("pool-releases-at-finished", 1)
@clause("pool-releases-at-delivered", 1)
def the_offer_and_the_scan_run_after_that_report(e: Evidence) -> Iterator[Part]:
    """The freed slot is offered, then scanned for, after the report; never before it."""
    pool = row_pool(e)
    yield from wrongs(report_wrongs(e))
    yield from wrongs(slot_wrongs(e, pool))
    yield from wrongs(scan_wrongs(e, pool))
    for w in e.worlds:
        offers = Offers(w, pool)
        yield from wrongs(offers.row_wrongs())
        yield from wrongs(offers.idle_wrongs())
    for freed in freed_by_success(e, pool):
        yield from after_offers(e, pool, freed)
    yield from skipped(e)
