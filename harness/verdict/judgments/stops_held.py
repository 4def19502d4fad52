"""Claims of stopped runs that stay: stopped-job-holds-claim, unasked-stopped-claim-answer-holds."""

from __future__ import annotations

from collections.abc import Iterator

from harness.contract.questions import asked
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.progress_shares import Amounts, amounts_text, lowest, share_at, terms_of
from harness.verdict.judgments.stops_claims import claim_faults, holds_faults, kept_claim
from harness.verdict.judgments.stops_records import (
    FAILURE,
    FINISH_GATE,
    ORDINARY,
    Stop,
    all_stops,
    events_within,
    judged,
    of_log,
    settle_rows,
    stop_faults,
)
from harness.verdict.judgments.stops_reversal_falls import Fall, falls
from harness.verdict.judgments.stops_rows import cause_faults, ledger_faults, units_faults
from harness.verdict.parts import Part, Violated, absent, nothing, violated

_HOLDS = "stopped-job-holds-claim"
_UNASKED = "unasked-stopped-claim-answer-holds"

WHOLE = "a whole claim does not change with work"
NOT_REVERSING = "work does not reverse while a job is stopped"


def claimed_stops(e: Evidence) -> Iterator[Stop]:
    """The stops of runs that held a claim when they stopped."""
    for stop in all_stops(e):
        terms = terms_of(stop.world, stop.run)
        if terms is not None and terms.claims_early and stop.before.held(stop.run):
            yield stop


def ledger_at(stop: Stop) -> tuple[LogRow, ...]:
    """The claim changes of the stop's settle."""
    stop.world.evidence.touch("claim-ledger")
    return of_log(stop.rows, "claim-ledger", stop.run)


def causes_at(stop: Stop) -> tuple[LogRow, ...]:
    """The rows of stop-causes in the stop's settle."""
    stop.world.evidence.touch("stop-causes")
    return of_log(stop.rows, "stop-causes", stop.run)


# -- claim changes that reversing work brings -------------------------------------------------------------------------


def fall_parts(e: Evidence) -> Iterator[Part]:
    """At each fall of stopped work, the claim is what the answer makes of the reduced work."""
    if e.config.partial_work != "reverse-while-stopped":
        yield nothing(NOT_REVERSING)
    elif e.config.timing != "with-progress":
        yield nothing(WHOLE)
    else:
        for stop in all_stops(e, ORDINARY):
            for fall in falls(stop):
                if fall.due:
                    yield from _judge_fall(e, stop, fall)


def _judge_fall(e: Evidence, stop: Stop, fall: Fall) -> Iterator[Part]:
    terms = terms_of(stop.world, stop.run)
    before = fall.sent.before.held(stop.run)
    rows = tuple(row for row in fall.sent.rows_of("claim-ledger", stop.run) if _before_end(stop, row))
    if terms is None or not terms.follows_work:
        return
    wanted: Amounts = {} if e.config.release_stopped_claims else lowest(before, share_at(terms, fall.after))
    faults = list(ledger_faults(stop.world, stop.run, rows))
    faults += [
        violated(row, f"the work of {stop.run} fell and it made a {row['change']}")
        for row in rows
        if row["change"] != "release"
    ]
    held = stop.world.snapshot(rows[-1], before=False).held(stop.run) if rows else before
    if dict(held) != dict(wanted):
        because = (
            f"the work of {stop.run} fell to {fall.after}: it holds {amounts_text(held)}, not {amounts_text(wanted)}"
        )
        near = fall.sent.rows[-1] if fall.sent.rows else None
        faults.append(
            violated(rows[-1] if rows else absent("claim-ledger", f"a release of {stop.run}", near=near), because)
        )
    if faults or rows:
        yield from judged(faults, *rows)
    elif e.config.release_stopped_claims:
        fallen = fall.sent.rows_of("report-log", stop.run) or (stop.row,)
        yield from judged((), absent("claim-ledger", f"a claim change of {stop.run} by its fall"), fallen[0])


def _before_end(stop: Stop, row: LogRow) -> bool:
    """Whether the row settled before the run left stopped; a resume's own claims are no change by the fall."""
    return stop.end is None or row.settle is None or stop.end.settle is None or row.settle < stop.end.settle


# -- claims that stay -------------------------------------------------------------------------------------------------


@clause(_HOLDS, 0)
def a_fall_of_work_reduces_the_held_claim(e: Evidence) -> Iterator[Part]:
    """The share that the lower work no longer needs goes back, the rest is held."""
    yield from fall_parts(e)


@clause(_HOLDS, 1)
def every_claim_follows_the_answer_after_its_reduction(e: Evidence) -> Iterator[Part]:
    """A whole claim is held as it is; a progress claim is held at the share of the recorded work."""
    for stop in claimed_stops(e):
        logs = (*cause_faults(stop.world, stop.run), *units_faults(stop.world, stop.run))
        faults = (*stop_faults(stop), *logs, *claim_faults(stop))
        yield from judged(faults, *_kept_evidence(stop), *causes_at(stop))


def _kept_evidence(stop: Stop) -> tuple[LogRow, ...]:
    """The reductions of the stop, else the claims that it left alone."""
    rows = ledger_at(stop)
    if rows:
        return rows
    return tuple(row for row in stop.world.rows("claim-ledger", run=stop.run) if row.pos < stop.row.pos)


@clause(_HOLDS, 2)
def the_held_claim_stays_assigned_and_unavailable(e: Evidence) -> Iterator[Part]:
    """Until another step settles it, nobody gives it back, spends it or takes it."""
    for stop in claimed_stops(e):
        terms = terms_of(stop.world, stop.run)
        if terms is not None and kept_claim(stop, terms):
            yield from _judge_staying(stop)


def _judge_staying(stop: Stop) -> Iterator[Part]:
    rows = stop.world.rows("claim-ledger", run=stop.run)
    faults = (*cause_faults(stop.world, stop.run), *staying_faults(stop), *elsewhere_faults(stop))
    during = [row for row in rows if stop.within(row)]
    quiet = absent("claim-ledger", f"any other change of the claim of {stop.run} while it is stopped", rows=len(rows))
    yield from judged(faults, *causes_at(stop), *during, *([] if during else [quiet]))


def staying_faults(stop: Stop) -> Iterator[Violated]:
    """Claim changes of a stopped run that no other step of the lifecycle accounts for."""
    w, run = stop.world, stop.run
    yield from ledger_faults(w, run, w.rows("claim-ledger", run=run))
    for row in w.rows("claim-ledger", run=run):
        if stop.within(row) and not _settled_by_another_step(stop, row):
            yield violated(row, f"{run} is stopped and {row['change']}s {row['amount']} {row['item']}", stop.row)
        elif stop.end is not None and _resumes(stop) and row.settle == stop.end.settle and row["change"] != "claim":
            yield violated(row, f"{run} resumes and {row['change']}s {row['amount']} {row['item']}", stop.row)


def _resumes(stop: Stop) -> bool:
    return stop.end is not None and any(
        row.log == "report-log" and row.run == stop.run and row["report"] == "job-resumed"
        for row in settle_rows(stop.world, stop.end)
    )


def _settled_by_another_step(stop: Stop, row: LogRow) -> bool:
    """Whether the change belongs to the resume, the end, a failure, or a fall of the stopped work."""
    if stop.end is not None and row.settle is not None and row.settle == stop.end.settle:
        return True
    reports = of_log(settle_rows(stop.world, row), "report-log", stop.run)
    if any(report["report"] in ("job-failed", "job-canceled", "job-resumed") for report in reports):
        return True
    return row["change"] == "release" and _falls_now(stop, row)


def _falls_now(stop: Stop, row: LogRow) -> bool:
    """Whether the row's tick is one at which the stopped work falls by its reversal rule."""
    sent = stop.world.sent_of(row)
    if sent.kind != "tick" or stop.world.evidence.config.partial_work != "reverse-while-stopped":
        return False
    return any(fall.due and fall.sent.place == sent.place for fall in falls(stop))


def elsewhere_faults(stop: Stop) -> Iterator[Violated]:
    """Units that somebody else claimed or used while this run still held them."""
    w = stop.world
    for row in w.rows("claim-ledger", change="claim"):
        usable = w.snapshot(row, before=True).usable(row["item"], row["source"])
        if stop.within(row) and row.run != stop.run and usable < row["amount"]:
            yield violated(row, f"{row.run} claims {row['amount']} {row['item']} where {usable} are usable", stop.row)
    for sent in events_within(stop, "use"):
        if (usable := _usable(sent)) < sent.event["amount"]:
            told = f"{sent.event['amount']} {sent.event['item']} are used where {usable} are usable"
            gone = absent("claim-ledger", f"a release of {sent.event['item']}", near=stop.row)
            yield violated(gone, f"{told}; {stop.run} holds the rest", stop.row)


def _usable(sent: SentView) -> int:
    return sent.before.usable(sent.event["item"], sent.event["source"])


# -- where nobody asked -----------------------------------------------------------------------------------------------


@clause(_UNASKED, 0)
def a_request_time_claim_is_held_where_nobody_asked(e: Evidence) -> Iterator[Part]:
    """Stopped from waiting or at the finish gate, the run keeps what it claimed at its request."""
    if asked(e.adoption, "stopped-claims"):
        yield nothing("stopped-claims was asked and answered")
        return
    if e.config.timing != "taken-at-request":
        yield nothing("no claim is made at the request")
        return
    for stop in claimed_stops(e):
        from_waiting = stop.began == FAILURE and stop.report is not None and stop.report["old"] == "waiting"
        if from_waiting or stop.began == FINISH_GATE or stop.report is None:
            yield from _judge_unasked(stop)


def _judge_unasked(stop: Stop) -> Iterator[Part]:
    terms = terms_of(stop.world, stop.run)
    wanted = kept_claim(stop, terms) if terms is not None else {}
    faults = (
        *stop_faults(stop),
        *cause_faults(stop.world, stop.run),
        *units_faults(stop.world, stop.run),
        *claim_faults(stop),
        *holds_faults(stop.after, stop.run, wanted, stop.row),
        *staying_faults(stop),
        *elsewhere_faults(stop),
    )
    yield from judged(faults, *_kept_evidence(stop), *causes_at(stop))
