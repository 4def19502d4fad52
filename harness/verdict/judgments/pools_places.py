"""Judgments on the scope of a pool: separate slots for each place, or one shared set."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.life_records import assignment_wrongs, covering
from harness.verdict.judgments.life_refusals import refusal_wrongs
from harness.verdict.judgments.pools_common import (
    Wrong,
    first_of_settle,
    free_at,
    last_of_settle,
    named,
    observes,
    places,
    row_pool,
    skipped,
    slot_wrongs,
    wrongs,
)
from harness.verdict.parts import Part, absent, holds, violated

EACH_PLACE = "each-place-pool-assigns-one-place"


@clause(EACH_PLACE, 0)
def a_request_has_one_place_and_uses_only_its_slots(e: Evidence) -> Iterator[Part]:
    """Every covered request is assigned one cited place, the one that the assignment names, and stays there."""
    pool = row_pool(e)
    yield from _counts_and_assignments(e, pool)
    for w in e.worlds:
        for asked in w.rows("pool-assignment", pool=pool.id):
            if asked["place"] not in pool.places:
                yield violated(asked, f"{asked.run} is at {asked['place']}, which is no place of {pool.id}")
                continue
            yield from wrongs(_wrong_place(w, pool, asked))
            yield from _only_there(w, pool, asked)
    yield from skipped(e)


def _counts_and_assignments(e: Evidence, pool: Pool) -> Iterator[Part]:
    yield from wrongs(slot_wrongs(e, pool))
    for w in e.worlds:
        yield from wrongs(refusal_wrongs(w))
        yield from wrongs(assignment_wrongs(e, w))
        yield from wrongs(_uncovered(e, w, pool))


def _uncovered(e: Evidence, w: WorldView, pool: Pool) -> Iterator[Wrong]:
    """Requests that this row is the first to cover and that went elsewhere, or came here though it is not."""
    for report in w.reports("job-requested"):
        first = next(iter(covering(e, w, report)), None)
        if (first == pool.id) != (report["pool"] == pool.id):
            yield report, f"{report.run} belongs to {report['pool']}; the first row that covers it is {first}"


def _only_there(w: WorldView, pool: Pool, asked: LogRow) -> Iterator[Part]:
    """Every slot that the run ever takes or frees is one of its own pool and place."""
    rows = w.rows("count-trace", asked.run)
    stray = [row for row in rows if (row["pool"], row["place"]) != (pool.id, asked["place"])]
    for row in stray:
        there = named((row["pool"], row["place"]))
        yield violated(
            row, f"{asked.run} belongs to {named((pool.id, asked['place']))} and uses a slot of {there}", asked
        )
    if not stray:
        yield holds(asked, *rows)


def _wrong_place(w: WorldView, pool: Pool, asked: LogRow) -> Iterator[Wrong]:
    """A place that the cited assignment does not name for this request."""
    sent = w.sent_of(asked)
    if sent.kind != "request" or sent.event.get("run") != asked.run:
        return
    true = _assigned(w, pool, asked, sent.event.get("place"))
    if asked["place"] != true:
        yield asked, f"{asked.run} is assigned {asked['place']}; {pool.assignment} names {true}"


def _assigned(w: WorldView, pool: Pool, asked: LogRow, named_place: str | None) -> str | None:
    e = w.evidence
    if pool.assignment == "first-free":
        free = (place for place in pool.places if free_at(e, pool, place, asked)[0] > 0)
        return next(free, pool.places[0])
    if pool.assignment == "fewest-waiting":
        before = e.at(asked)
        return min(pool.places, key=lambda place: before.used(pool.id, place, "waiting"))
    if pool.assignment == "round-robin":
        earlier = [row for row in w.reports("job-requested", pool=pool.id) if row.run != asked.run]
        return pool.places[len([row for row in earlier if row.pos < asked.pos]) % len(pool.places)]
    return named_place


@clause(EACH_PLACE, 1)
def a_free_slot_at_one_place_leaves_the_others(e: Evidence) -> Iterator[Part]:
    """Neither a slot that is freed nor one that stays free changes what another place holds."""
    pool = row_pool(e)
    yield from _counts_and_assignments(e, pool)
    for row in e.rows("count-trace", pool=pool.id, change="free"):
        yield from _others_stay(e, pool, row)
    for w in e.worlds:
        for asked in w.rows("pool-assignment", pool=pool.id):
            yield from _full_beside_free(e, pool, asked)
        yield from wrongs(_free_all_the_same(e, w, pool))
    yield from skipped(e)


def _free_all_the_same(e: Evidence, w: WorldView, pool: Pool) -> Iterator[Wrong]:
    """Requests that find no slot at their place although one is free: another place's slots are not theirs."""
    for report in w.reports("job-waiting", pool=pool.id):
        if "no-free-slot" in report["causes"] and max(free_at(e, pool, report["place"], report)) > 0:
            yield report, f"{report.run} waits for a slot at {report['place']}, where one is free"
    for row in w.rows("admission-trace", outcome="refused") if observes(e, "admission-trace") else ():
        place = e.at(row).place(str(row.run))
        mine = e.at(row).pool(str(row.run)) == pool.id and "no-free-slot" in row["reasons"]
        if mine and max(free_at(e, pool, place, row)) > 0:
            yield row, f"{row.run} is refused for want of a slot at {place}, where one is free"


def _others_stay(e: Evidence, pool: Pool, freed: LogRow) -> Iterator[Part]:
    before, after = e.at(first_of_settle(e, freed)), e.after(last_of_settle(e, freed))
    for place in places(pool):
        for slot in ("working", "waiting"):
            now, then = after.in_slot(pool.id, place, slot), before.in_slot(pool.id, place, slot)
            if place != freed["place"] and now != then:
                yield violated(freed, f"a slot freed at {freed['place']} changes the {slot} slots of {place}")
                return
    yield holds(freed)


def _full_beside_free(e: Evidence, pool: Pool, asked: LogRow) -> Iterator[Part]:
    """A request for a full place while another place has a free slot: it must not start."""
    here = free_at(e, pool, asked["place"], asked)[0]
    others = [place for place in pool.places if place != asked["place"]]
    free = [place for place in others if free_at(e, pool, place, asked)[0] > 0]
    if here > 0 or not free:
        return
    w = e.world_of(asked)
    reports = w.sent_of(asked).rows_of("report-log", asked.run, report=("job-started", "job-waiting", "job-rejected"))
    if not reports:
        return
    first = reports[0]
    if first["report"] == "job-started" and first["old"] == "requested":
        yield violated(first, f"{asked.run} starts at {asked['place']}, which is full, while {free[0]} has a free slot")
    else:
        yield holds(asked, first)


@clause("shared-pool-uses-one-count", 0)
def every_request_uses_the_same_slots(e: Evidence) -> Iterator[Part]:
    """Requests of every job and origin count into one set of working and waiting slots, without places."""
    pool = row_pool(e)
    yield from _counts_and_assignments(e, pool)
    for w in e.worlds:
        for asked in w.rows("pool-assignment", pool=pool.id):
            if asked["place"] is not None:
                yield violated(asked, f"{asked.run} is given the place {asked['place']} in a shared pool")
                continue
            yield from _only_there(w, pool, asked)
        for report in w.reports(("job-started", "job-waiting"), pool=pool.id):
            if not w.rows("pool-assignment", report.run):
                what = f"the assignment of {report.run}"
                yield violated(absent("pool-assignment", what, near=report), f"{report.run} was assigned no pool")
    yield from skipped(e)
