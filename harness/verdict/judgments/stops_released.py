"""Claims of stopped runs that go back and must be had again: stopped-job-releases-and-reclaims."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.progress_shares import amounts_text, missing
from harness.verdict.judgments.resumes_owed import lacks, resume_reports, wanted_share
from harness.verdict.judgments.stops_claims import claim_faults
from harness.verdict.judgments.stops_held import claimed_stops, fall_parts, ledger_at
from harness.verdict.judgments.stops_records import (
    Stop,
    all_stops,
    causes_now,
    events_within,
    judged,
    of_log,
    settle_rows,
    stop_faults,
)
from harness.verdict.judgments.stops_rows import (
    changed,
    ledger_faults,
    life_faults,
    reported_units_faults,
    units_faults,
)
from harness.verdict.parts import Part, Violated, absent, violated

_RELEASES = "stopped-job-releases-and-reclaims"


@clause(_RELEASES, 0)
def a_fall_of_work_leaves_the_claim_released(e: Evidence) -> Iterator[Part]:
    """What is released already is not released again, and nothing is claimed for the lower work."""
    yield from fall_parts(e)


@clause(_RELEASES, 1)
def every_claim_is_released_after_its_reduction(e: Evidence) -> Iterator[Part]:
    """A whole claim and a progress claim both go back, to the sources that they came from."""
    for stop in claimed_stops(e):
        logs = (*life_faults(stop.world, stop.run), *units_faults(stop.world, stop.run))
        faults = (*stop_faults(stop), *logs, *claim_faults(stop))
        yield from judged(faults, *ledger_at(stop), stop.state)


@clause(_RELEASES, 2)
def the_claim_stays_released_while_stopped(e: Evidence) -> Iterator[Part]:
    """The units are usable by others, and the run takes none back before it resumes."""
    for stop in claimed_stops(e):
        yield from judged((*_release_faults(stop), *_staying_released_faults(stop)), *ledger_at(stop), stop.state)


def _release_faults(stop: Stop) -> Iterator[Violated]:
    """The stop gives back all that a loss did not take."""
    rows, held = ledger_at(stop), stop.before.held(stop.run)
    lost, back = changed(rows, "lose"), changed(rows, "release")
    left = missing(held, lost)
    if dict(back) != dict(left):
        because = f"{stop.run} stopped with {amounts_text(left)} and released {amounts_text(back)}"
        gone = absent("claim-ledger", f"the release of {amounts_text(left)} by {stop.run}", near=stop.row)
        yield violated(rows[0] if rows else gone, because, stop.row)


def _staying_released_faults(stop: Stop) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    yield from ledger_faults(w, run, w.rows("claim-ledger", run=run))
    for row in w.rows("claim-ledger", run=run):
        in_end = stop.end is not None and row.settle is not None and row.settle == stop.end.settle
        if stop.within(row) and not in_end:
            yield violated(
                row, f"{run} is stopped with its claim released and {row['change']}s {row['item']}", stop.row
            )
    for sent in w.events("use", outcome="refused"):
        if _while_stopped(stop, sent):
            usable = sent.before.usable(sent.event["item"], sent.event["source"])
            if usable >= sent.event["amount"]:
                gone = absent("claim-ledger", f"{sent.event['item']} being usable again", near=stop.row)
                yield violated(gone, f"{usable} {sent.event['item']} are usable and their use was refused", stop.row)


def _while_stopped(stop: Stop, sent: SentView) -> bool:
    return stop.world.sent_of(stop.row).place < sent.place and (
        stop.end is None or sent.place < stop.world.sent_of(stop.end).place
    )


@clause(_RELEASES, 3)
def a_resume_reclaims_or_the_run_stays_stopped(e: Evidence) -> Iterator[Part]:
    """With the share usable it is claimed before the report; without it the run stays stopped and has no slot."""
    for row, because in e.bad_counts():
        yield violated(row, because)
    claimed = {(stop.world.number, stop.row.pos) for stop in claimed_stops(e)}
    for stop in all_stops(e):
        if (stop.world.number, stop.row.pos) in claimed:
            yield from _judge_reclaims(stop)
            yield from _judge_lacking(e, stop)


def _judge_reclaims(stop: Stop) -> Iterator[Part]:
    for report in resume_reports(stop):
        rows = of_log(settle_rows(stop.world, report), "claim-ledger", stop.run)
        yield from judged(_reclaim_faults(stop, report, rows), *rows, report)


def _reclaim_faults(stop: Stop, report: LogRow, rows: tuple[LogRow, ...]) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    before = w.snapshot(settle_rows(w, report)[0], before=True)
    wanted = missing(wanted_share(stop, before), before.held(run))
    taken = changed(rows, "claim")
    yield from ledger_faults(w, run, rows)
    yield from reported_units_faults(w, report)
    if dict(taken) != dict(wanted):
        gone = absent("claim-ledger", f"the claim of {amounts_text(wanted)} by {run}", near=report)
        because = f"{run} must hold {amounts_text(wanted)} more to resume and claimed {amounts_text(taken)}"
        yield violated(rows[0] if rows else gone, because, report)
    for row in rows:
        if row.pos > report.pos:
            yield violated(row, f"{run} was reported resumed before it claimed {row['item']}", report)
    if not any(each["to"] != "stopped" for each in of_log(settle_rows(w, report), "state-trace", run)):
        yield violated(absent("state-trace", f"{run} leaving stopped", near=report), f"{run} resumed and did not move")
    if before.pool(run) is not None and not w.snapshot(settle_rows(w, report)[-1], before=False).has_slot(run):
        gone = absent("count-trace", f"the working slot of {run}", near=report)
        yield violated(gone, f"{run} resumed without a working slot of {before.pool(run)}", report)


def _judge_lacking(e: Evidence, stop: Stop) -> Iterator[Part]:
    """After each event that left no cause and no share: stopped still, and without a slot."""
    w, run = stop.world, stop.run
    first = w.sent_of(stop.row)
    for sent in (first, *events_within(stop)):
        after = sent.after
        if after.state(run) != "stopped" or causes_now(e, after, run):
            continue
        lack = lacks(stop, after)
        if not lack:
            continue
        faults = []
        if after.has_slot(run):
            gone = absent("count-trace", f"the freeing of the working slot of {run}", near=stop.row)
            faults.append(
                violated(gone, f"{run} cannot claim {amounts_text(lack)} and keeps its working slot", stop.row)
            )
        moved = absent("state-trace", f"{run} leaving stopped without {amounts_text(lack)}", rows=len(sent.rows))
        yield from judged(faults, stop.row, moved)
