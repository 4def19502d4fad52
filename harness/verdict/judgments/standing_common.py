"""Scans of standing orders as the scan log tells them, held against eligibility, counts and reports.

A pass is one scan of one pool at one place: its rows in written order, each with any number of requests that took a
slot and one row that ends its turn (lifecycle: Standing orders).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.models.lifecycle.config import Pool, StandingOrder, at_place
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.pools_common import Wrong, free_at, named, observes, places
from harness.verdict.parts import absent
from harness.verdict.snapshot import Snapshot

SCAN_LOG = "standing-order-scan-log"
#: Outcomes after which a row is out for the rest of the scan.
ENDING = frozenset({"refused", "waiting", "blocked", "not-eligible", "no-slot"})
REQUESTING = frozenset({"took-slot", "refused", "waiting", "blocked"})


class Pass(NamedTuple):
    """One scan: its rows in order. `whole` is false where rows are missing or out of order."""

    sent: SentView
    place: str | None
    rows: tuple[LogRow, ...]
    whole: bool

    def of(self, order: str) -> tuple[LogRow, ...]:
        """The rows of one standing order in this scan."""
        return tuple(row for row in self.rows if row["row"] == order)


def orders_of(e: Evidence, pool: str) -> tuple[StandingOrder, ...]:
    """The standing orders of a pool in written order."""
    return tuple(each for each in e.config.standing_orders if each.pool == pool)


def scan_rows(sent: SentView, pool: Pool, place: str | None) -> tuple[LogRow, ...]:
    """The scan rows of one event for a pool and place."""
    return sent.rows_of(SCAN_LOG, pool=pool.id, place=place)


def passes(e: Evidence, pool: Pool) -> Iterator[Pass]:
    """Every scan of the pool, in order of event and place."""
    for w in e.worlds:
        for sent in w.sent:
            for place in places(pool):
                rows = scan_rows(sent, pool, place)
                while rows:
                    found = _pass(e, sent, pool, place, rows)
                    yield found
                    rows = rows[max(1, len(found.rows)) :]


def _pass(e: Evidence, sent: SentView, pool: Pool, place: str | None, rows: tuple[LogRow, ...]) -> Pass:
    """The rows that one scan takes of those that are left."""
    at = 0
    for order in orders_of(e, pool.id):
        while True:
            if at >= len(rows) or rows[at]["row"] != order.id or rows[at]["why"] != rows[0]["why"]:
                return Pass(sent, place, rows[: max(1, at)], False)
            at += 1
            if rows[at - 1]["outcome"] in ENDING:
                break
    return Pass(sent, place, rows[:at], True)


# -- what can be wrong with scans -----------------------------------------------------------------------------------


def scan_wrongs(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    """Everything that contradicts the written order, the eligibility, the free slots or the requests of a scan."""
    if not orders_of(e, pool.id):
        return
    mine = {each.id for each in orders_of(e, pool.id)}
    for row in e.rows(SCAN_LOG):
        strange = row["place"] not in places(pool) or row["row"] not in mine
        if (row["pool"] == pool.id and strange) or (row["row"] in mine and row["pool"] != pool.id):
            yield row, f"{row['row']} is no standing order of {named((row['pool'], row['place']))}"
    yield from _second_scans(e, pool)
    for scan in passes(e, pool):
        yield from order_wrongs(e, pool, scan)
        yield from count_wrongs(e, pool, scan)
        for row in scan.rows:
            yield from consult_wrongs(e, row)
            yield from request_wrongs(e, row)


def _second_scans(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    """A second scan of one place in one batch: nothing that a scan brings about starts another."""
    last: dict[tuple[int, int, str | None], LogRow] = {}
    for scan in passes(e, pool):
        key, first = (scan.sent.world.number, scan.sent.place, scan.place), scan.rows[0]
        before = last.get(key)
        # A tick may hold several batches; scans of two of them have rows between them.
        if before is not None and (scan.sent.kind != "tick" or first.pos == before.pos + 1):
            yield first, f"{named((pool.id, scan.place))} is scanned a second time in one batch"
        last[key] = scan.rows[-1]


def order_wrongs(e: Evidence, pool: Pool, scan: Pass) -> Iterator[Wrong]:
    """A scan that leaves a row out, or looks at one out of its turn; a reason for the scan that the event is not."""
    if not scan.whole:
        due = _due(e, pool, scan)
        what = f"{due} in its turn in the scan of {named((pool.id, scan.place))}"
        yield absent(SCAN_LOG, what, len(scan.rows), scan.rows[-1]), f"the scan does not look at {due} where it is due"
    if not _why_fits(e, scan, pool):
        yield scan.rows[0], f"a scan for {scan.rows[0]['why']}, at {scan.sent.kind}: the event gives no such reason"


def _due(e: Evidence, pool: Pool, scan: Pass) -> str:
    seen = [row["row"] for row in scan.rows if row["outcome"] in ENDING]
    return next((each.id for each in orders_of(e, pool.id) if each.id not in seen), "the next row")


def _why_fits(e: Evidence, scan: Pass, pool: Pool) -> bool:
    sent, why = scan.sent, scan.rows[0]["why"]
    if why == "pool-opened":
        return sent.kind == "open-pool" and sent.event.get("row") == pool.id
    if why == "refusal":
        return bool(_before(sent.rows_of("report-log", report="job-rejected", pool=pool.id), scan.rows[0]))
    if why == "slot-free":
        # After whatever made offers due: what counts is that they left a slot free.
        return bool(scan.rows[0]["free"] >= 1)
    return why == "eligible" and any(may_have_turned(e, each, scan) for each in orders_of(e, pool.id))


def may_have_turned(e: Evidence, order: StandingOrder, scan: Pass) -> bool:
    """Whether the row can have become eligible in the event of this scan, as far as the logs tell."""
    # What is due is settled before the first scan of the event: an earlier place's scan may have undone it since.
    sent = scan.sent
    first = sent.rows_of(SCAN_LOG)[0]
    if sent.kind == "tick":
        # What turned within a tick may have turned between two of its batches.
        return True
    before = eligibility(e, sent.world, order, scan.place, sent.before, sent.place - 1)
    return before is not True and eligibility(e, sent.world, order, scan.place, e.at(first), sent.place) is not False


def _before(rows: tuple[LogRow, ...], limit: LogRow) -> tuple[LogRow, ...]:
    return tuple(row for row in rows if row.pos < limit.pos)


def count_wrongs(e: Evidence, pool: Pool, scan: Pass) -> Iterator[Wrong]:
    """Free slots that the counts don't have, and turns that end, or go on, against the free slots."""
    taken, at_first = 0, scan.rows[0]["free"]
    for row in scan.rows:
        free = free_at(e, pool, scan.place, row)
        if row["free"] not in free:
            yield row, f"the scan sees {row['free']} free slots, the counts make {free[0]}"
        left = min(row["free"], at_first - taken)
        if row["outcome"] in REQUESTING and left < 1:
            yield row, f"{row['row']} requests although this scan has no free slot left"
        elif row["outcome"] == "no-slot" and left >= 1:
            yield row, f"the scan leaves {row['row']} although a slot is free"
        taken += row["outcome"] == "took-slot"


def consult_wrongs(e: Evidence, row: LogRow) -> Iterator[Wrong]:
    """A scan row that says another eligibility than the cited rule gives, or acts against the one it says."""
    order = next((each for each in e.config.standing_orders if each.id == row["row"]), None)
    if order is None:
        return
    sent = e.sent_of(row)
    true = eligibility(e, sent.world, order, row["place"], e.at(row), sent.place)
    if true is not None and row["eligible"] is not true:
        yield row, f"the scan takes {order.id} as eligible: {row['eligible']}, its cited rule gives {true}"
    elif (row["outcome"] == "not-eligible") is row["eligible"]:
        yield row, f"{order.id} is eligible: {row['eligible']}, and the scan says {row['outcome']}"


def request_wrongs(e: Evidence, row: LogRow) -> Iterator[Wrong]:
    """A scan row whose request is missing, is for another job, or came to something else."""
    order = next((each for each in e.config.standing_orders if each.id == row["row"]), None)
    run, outcome = row["requested"], row["outcome"]
    if row.run != run or (run is not None and outcome not in REQUESTING):
        yield row, f"the scan row names the request {run} with the outcome {outcome}"
        return
    if run is None:
        if outcome in REQUESTING - {"blocked"}:
            yield row, f"the outcome is {outcome}, but no request is named"
        return
    sent = e.sent_of(row)
    asked = [each for each in sent.rows_of("report-log", run, report="job-requested") if each.pos > row.pos]
    if not asked:
        yield absent("report-log", f"the job-requested of {run}", near=row), f"{row['row']} requests {run}: no report"
    elif order is not None:
        yield from _asked_wrongs(row, asked[0], order)
        yield from _outcome_wrongs(row, sent, str(run))


def _asked_wrongs(row: LogRow, asked: LogRow, order: StandingOrder) -> Iterator[Wrong]:
    if asked["causes"] != [order.id]:
        yield asked, f"{asked.run} is requested by {asked['causes']}, the scan says by {order.id}"
    elif asked["job"] != order.job:
        yield asked, f"{order.id} requests {asked['job']}, its cited rule names {order.job}"
    elif asked["place"] != row["place"]:
        yield asked, f"the slot is free at {row['place']}, the request goes to {asked['place']}"


_CAME_TO = (("job-rejected", "refused"), ("job-started", "took-slot"), ("job-waiting", "waiting"))


def _outcome_wrongs(row: LogRow, sent: SentView, run: str) -> Iterator[Wrong]:
    """What the request came to, the offers after it included, before the scan went on."""
    later = [each.pos for each in sent.rows_of(SCAN_LOG) if each.pos > row.pos]
    until = min(later, default=sent.rows[-1].pos + 1)
    reports = {each["report"] for each in sent.rows_of("report-log", run) if each.pos < until}
    owed = next((outcome for report, outcome in _CAME_TO if report in reports), "blocked")
    later_batch = row["outcome"] == "blocked" and sent.kind == "tick"
    if owed != row["outcome"] and not later_batch:
        yield row, f"the scan has {run} as {row['outcome']}, its reports make that {owed}"


# -- eligibility --------------------------------------------------------------------------------------------------


def eligibility(
    e: Evidence, w: WorldView, order: StandingOrder, place: str | None, at: Snapshot, event: int
) -> bool | None:
    """Whether the cited rule holds at this place and moment; `event` is the index of the event that has entered.

    None where the rule rests on units and the system does not supply the claim ledger.
    """
    rule = order.eligible
    if rule.conditions and not condition(w, order.id, place, event):
        return False
    if rule.no_open_run and _has_open_run(order.job, place, at):
        return False
    if not rule.below and not rule.usable:
        return True
    if not observes(e, "claim-ledger"):
        return None
    below = all(_usable_anywhere(w, item, at) < amount for item, amount in rule.below)
    return below and all(_usable_for(w, order.job, place, item, at) >= amount for item, amount in rule.usable)


def condition(w: WorldView, order: str, place: str | None, event: int) -> bool:
    """Whether the named condition of a standing order holds once that event has entered."""
    known = [each for each in w.world.get("eligible", ()) if (each["row"], each.get("place")) == (order, place)]
    value = bool(known) and bool(known[-1]["value"])
    for sent in w.sent[: event + 1]:
        if sent.kind != "eligible" or sent.outcome != "accepted":
            continue
        if (sent.event["row"], sent.event.get("place")) == (order, place):
            value = bool(sent.event["value"])
    return value


def _has_open_run(job: str, place: str | None, at: Snapshot) -> bool:
    return any(at.job(run) == job and at.place(run) == place for run in at.open_runs)


def _usable_anywhere(w: WorldView, item: str, at: Snapshot) -> int:
    return sum(at.usable(item, source) for source in _sources(w, item))


def _usable_for(w: WorldView, job: str, place: str | None, item: str, at: Snapshot) -> int:
    """Usable units where the job takes them from; anywhere, for an item that it does not take."""
    rule = w.evidence.config.job_rule(job)
    for need in rule.needs if rule is not None else ():
        if need.item == item:
            return at.usable(item, at_place(need.source, place))
    return _usable_anywhere(w, item, at)


def _sources(w: WorldView, item: str) -> tuple[str, ...]:
    """Every source that can hold units of the item in this world."""
    config = w.evidence.config
    where = [place for pool in config.pools for place in places(pool)] + [None]
    needs = [need for job in config.jobs for need in job.needs if need.item == item]
    found = [each["source"] for each in w.world.get("stock", ()) if each["item"] == item]
    return tuple(dict.fromkeys([*found, *(at_place(need.source, place) for need in needs for place in where)]))
