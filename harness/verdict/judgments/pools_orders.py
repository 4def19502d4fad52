"""Judgments on the waiting order of a pool: who is offered first, and who must wait although a slot is free."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.life_refusals import refusal_wrongs
from harness.verdict.judgments.pools_common import (
    Wrong,
    free_at,
    observes,
    places,
    row_pool,
    skipped,
    slot_wrongs,
    wrongs,
)
from harness.verdict.judgments.pools_freeing import freed_slots, offered_after
from harness.verdict.judgments.pools_line import Standing, Timeline
from harness.verdict.judgments.pools_offers import Offers
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.snapshot import Snapshot

REQUEST_ORDER = "request-order-pool-offers-in-admission-order"
GAME_RULE = "game-rule-pool-offers-in-cited-order"
ORDER_LOG = "waiting-order-record"
_ENTERING = frozenset({"waiting", "stopped"})


@clause(REQUEST_ORDER, 0)
@clause(GAME_RULE, 0)
def the_first_eligible_run_of_the_order_is_offered_first(e: Evidence) -> Iterator[Part]:
    """Where two runs could use a free slot, the one that the order places first is offered it."""
    pool = row_pool(e)
    for w in e.worlds:
        offers = Offers(w, pool)
        yield from wrongs(refusal_wrongs(w))
        yield from wrongs(record_wrongs(w, pool, offers.line))
        yield from wrongs(offers.row_wrongs())
        for row in offers.given():
            yield from _contested(offers, row)
    if observes(e, "count-trace"):
        yield from _counted(e, pool)
    yield from skipped(e)


def _counted(e: Evidence, pool: Pool) -> Iterator[Part]:
    """What the counts add: slots that were free and not offered."""
    yield from wrongs(slot_wrongs(e, pool))
    for w in e.worlds:
        yield from wrongs(Offers(w, pool).idle_wrongs())
    for freed in freed_slots(e, pool):
        found = offered_after(e, pool, freed)
        if isinstance(found, tuple):
            yield violated(*found)


def _contested(offers: Offers, row: LogRow) -> Iterator[Part]:
    """An offer that two runs could have taken shows the order; a displaced run never stands before its displacer."""
    order = list(row["order"])
    for run, displacer in offers.line.before(row).displaced:
        if run in order and displacer in order and order.index(run) < order.index(displacer):
            yield violated(row, f"{run} stands before {displacer}, which displaced it")
    if len(row["eligible"]) > 1:
        yield holds(row)


# -- the record of the order ------------------------------------------------------------------------------------------


def record_wrongs(w: WorldView, pool: Pool, line: Timeline) -> Iterator[Wrong]:
    """Rows of the order record that are wrong, repeated or missing, held against the reports of the runs."""
    for row in w.rows(ORDER_LOG, pool=pool.id):
        yield from _record(w, pool, line, row)
    for report in w.reports(pool=pool.id):
        change = owed_change(line.before(report), report)
        if change is not None and not any(row["change"] == change for row in _beside(w, report)):
            what = f"the {change} of {report.run} at its {report['report']}"
            yield (
                absent(ORDER_LOG, what, near=report),
                f"{report['report']} of {report.run} leaves no row in the record of the order",
            )


def _record(w: WorldView, pool: Pool, line: Timeline, row: LogRow) -> Iterator[Wrong]:
    report = _report_of(w, row)
    if report is None:
        yield row, f"the order changes at {row.run}, and its settle has no report that changes it"
        return
    owed = owed_change(line.before(report), report)
    true = line.after(report).order(pool, row["place"])
    if row["change"] != owed:
        yield row, f"the record says {row['change']}, {report['report']} of {row.run} makes it {owed}"
    elif row["place"] not in places(pool) or row["place"] != report["place"]:
        yield row, f"the record puts {row.run} at {row['place']}, its report at {report['place']}"
    elif list(row["order"]) != true:
        yield row, f"the record has {', '.join(row['order'])}; admissions and stops make {', '.join(true)}"
    elif any(each.pos < row.pos for each in _beside(w, report)):
        yield row, f"the same {row['change']} of {row.run} is recorded twice"


def _report_of(w: WorldView, row: LogRow) -> LogRow | None:
    rows = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
    return next((each for each in rows if each.run == row.run), None)


def _beside(w: WorldView, report: LogRow) -> tuple[LogRow, ...]:
    rows = w.settle_rows(report.settle, ORDER_LOG) if report.settle is not None else ()
    here = (report.run, report["pool"], report["place"])
    return tuple(each for each in rows if (each.run, each["pool"], each["place"]) == here)


def owed_change(before: Standing, report: LogRow) -> str | None:
    """What a report does to the order: enter, leave or move; None where it leaves the run's place as it is."""
    run, old, new = str(report.run), report["old"], report["new"]
    inside = run in before.line
    if new in _ENTERING and report["report"] != "job-resumed":
        if old == new:
            return None
        return "move" if inside else "enter"
    return "leave" if inside else None


# -- a request behind an earlier run --------------------------------------------------------------------------------


@clause(REQUEST_ORDER, 1)
@clause(GAME_RULE, 1)
def a_request_waits_behind_an_earlier_run_though_a_slot_is_free(e: Evidence) -> Iterator[Part]:
    """A free slot is not for a newcomer while the order places an earlier admitted run before it."""
    pool = row_pool(e)
    if observes(e, "count-trace"):
        yield from wrongs(slot_wrongs(e, pool))
    for w in e.worlds:
        offers = Offers(w, pool)
        yield from wrongs(refusal_wrongs(w))
        yield from wrongs(record_wrongs(w, pool, offers.line))
        yield from wrongs(offers.row_wrongs())
        for report in w.reports(("job-started", "job-waiting"), pool=pool.id, old="requested"):
            yield from _admitted(offers, report)
    yield from skipped(e)


def _admitted(offers: Offers, report: LogRow) -> Iterator[Part]:
    """A request that was admitted with a free slot behind a waiting run, or a stopped one without causes."""
    run, e = str(report.run), offers.e
    at, standing = e.at(first_row(e, report)), offers.line.before(report)
    if not _slot_was_free(offers, report):
        return
    order = standing.with_newcomer(run).order(offers.pool, report["place"])
    ahead = order[: order.index(run)] if run in order else []
    first = next((each for each in ahead if blocks(offers, each, standing, at)), None)
    if first is None:
        return
    if report["report"] == "job-started":
        yield violated(report, f"{run} starts at once although {first} was admitted earlier and stands before it")
        return
    entered = [row for row in _beside(offers.w, report) if row["change"] == "enter"]
    if "earlier-job-first" not in report["causes"]:
        yield violated(report, f"{run} waits behind {first}, and earlier-job-first is not among its reasons", *entered)
    else:
        yield holds(*entered, report)


def _slot_was_free(offers: Offers, report: LogRow) -> bool:
    """Whether a slot was free at an admission: by the counts; where they are not supplied, by the report."""
    if observes(offers.e, "count-trace"):
        return free_at(offers.e, offers.pool, report["place"], first_row(offers.e, report))[0] > 0
    return report["report"] == "job-started" or "no-free-slot" not in report["causes"]


def blocks(offers: Offers, run: str, standing: Standing, at: Snapshot) -> bool:
    """Whether a run keeps newcomers behind it: it waits, eligible or not, or is stopped without causes."""
    return standing.states.get(run) == "waiting" or offers.ready.without_causes(run, at) is True


def first_row(e: Evidence, report: LogRow) -> LogRow:
    """The first row of the settle of a report: what was true before it was true when the settle began."""
    return (e.settle_of(report) or (report,))[0]
