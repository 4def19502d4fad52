"""Judgments on a declared cancellation: one job ends, its claim settles by the answer, everything else stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.run.recording import SKIPPED, LogRow, fraction
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.cancels_claims import Unit, remaining, returned
from harness.verdict.judgments.failures_settles import (
    claims,
    count_faults,
    listed,
    observed,
    settled,
    told,
    totals,
    work_faults,
)
from harness.verdict.judgments.outputs_declared import answered
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.judgments.pools_line import Timeline
from harness.verdict.parts import Part, absent, holds, nothing, violated

CANCELS = "declared-cancellation-settles-one-job"
LEGAL = frozenset({"requested", "waiting", "working", "stopped"})


class Canceling(NamedTuple):
    """One cancellation that settled: the event, its run with the state before, its first report, its claim before."""

    sent: SentView
    run: str
    state: str | None
    report: LogRow
    held: dict[Unit, int]


def offers(e: Evidence) -> Iterator[SentView]:
    """Every event that offers the scenario's cancellation, skipped ones left out."""
    wanted = e.row.id if e.row is not None else None
    for w in e.worlds:
        yield from (sent for sent in w.events("cancel", outcome=None, row=wanted) if sent.outcome != SKIPPED)


def skipped(e: Evidence) -> Iterator[Part]:
    """The cancellations that the system could not be given, each with its reason."""
    for w in e.worlds:
        for sent in w.events("cancel", outcome=SKIPPED):
            yield nothing(f"the system skips the cancellation: {sent.reason}")


def is_legal(sent: SentView) -> bool:
    """Whether a cancellation may end the run where it stands."""
    run = str(sent.event["run"])
    return sent.before.state(run) in LEGAL and not sent.before.ended(run)


def reports_of(sent: SentView) -> tuple[LogRow, ...]:
    """The job-canceled reports of the run that the event names."""
    return sent.rows_of("report-log", run=str(sent.event["run"]), report="job-canceled")


def canceling(sent: SentView, report: LogRow) -> Canceling:
    """The settled cancellation of an event."""
    run = str(sent.event["run"])
    return Canceling(sent, run, sent.before.state(run), report, dict(sent.before.held(run)))


def each_canceling(e: Evidence, *judges: Callable[[Evidence, Canceling], Iterator[Part]]) -> Iterator[Part]:
    """What the judges say about every legal cancellation; one that did not settle is a violation."""
    yield from skipped(e)
    for sent in offers(e):
        if not is_legal(sent):
            continue
        reports = reports_of(sent)
        if reports:
            for judge in judges:
                yield from judge(e, canceling(sent, reports[0]))
        else:
            run, why = sent.event["run"], f" ({sent.reason})" if sent.reason else ""
            missing = absent("report-log", f"job-canceled of run {run}", near=sent.rows[-1] if sent.rows else None)
            yield violated(missing, f"{sent.event['row']} is legal for run {run} and does not settle{why}")


# -- snapshot, slots, answer, end --------------------------------------------------------------------------------------


@clause(CANCELS, 0)
def a_cancellation_settles_the_claim_and_ends_the_job(e: Evidence) -> Iterator[Part]:
    # What fewer logs tell comes first: a system that takes no snapshots is still held to the rest.
    yield from each_canceling(e, claim_follows_answer, ends_canceled, slots_are_freed)
    for sent in offers(e):
        if not is_legal(sent):
            run = sent.event["run"]
            for report in reports_of(sent):
                was = "had ended" if sent.before.ended(str(run)) else f"was {sent.before.state(str(run))}"
                yield violated(report, f"run {run} is canceled, and it {was}")
    yield from each_canceling(e, snapshot_is_taken_first)
    yield from own_log_faults(e)
    if observed(e, "work-before-after"):
        yield from work_faults(e)


def snapshot_is_taken_first(e: Evidence, c: Canceling) -> Iterator[Part]:
    """One snapshot of the claim as it was, before any of it settles."""
    rows = settled(e, c.report, "claim-snapshot")
    if not rows:
        missing = absent("claim-snapshot", f"the claim of run {c.run} at its cancellation", near=c.report)
        yield violated(missing, f"run {c.run} is canceled without a snapshot of its claim")
        return
    for again in rows[1:]:
        yield violated(again, f"the claim of run {c.run} is taken down twice", rows[0])
    row, claim = rows[0], listed(rows[0], "claim")
    early = [each for each in claims(e, c.report) if each.pos < row.pos]
    if claim != c.held:
        yield violated(row, f"the snapshot says {told(claim)}, and run {c.run} holds {told(c.held)}")
    elif row["cancellation"] != c.sent.event["row"]:
        yield violated(row, f"the snapshot names {row['cancellation']}, and {c.sent.event['row']} cancels run {c.run}")
    elif fraction(row["work"]) != fraction(c.report["work-before"]):
        yield violated(row, f"the snapshot says work {row['work']}, and it was {c.report['work-before']}", c.report)
    elif early:
        yield violated(early[0], f"the claim of run {c.run} settles before its snapshot is taken", row)
    else:
        yield holds(row)


def slots_are_freed(e: Evidence, c: Canceling) -> Iterator[Part]:
    """Every slot that the run held is free before its report."""
    pool = c.report["pool"]
    if pool is None:
        return
    yield from count_faults(e, [pool])
    held, kept = c.sent.before.slots(c.run), e.at(c.report).slots(c.run)
    freed = [row for row in settled(e, c.report, "count-trace") if row["change"] == "free"]
    if c.state in ("waiting", "working") and not any(kind == c.state for _, _, kind in held):
        missing = absent("count-trace", f"the {c.state} slot that run {c.run} took", near=c.report)
        yield violated(missing, f"run {c.run} was {c.state} in {pool} and held no {c.state} slot", c.report)
    elif kept:
        missing = absent("count-trace", f"the {kept[0][2]} slot of run {c.run} freed", near=c.report)
        yield violated(missing, f"run {c.run} is canceled and keeps a {kept[0][2]} slot of {pool}", c.report)
    elif freed:
        yield holds(*freed)


def claim_follows_answer(e: Evidence, c: Canceling) -> Iterator[Part]:
    """What goes back and what is spent of the claim, by the cancel-return answer."""
    if answered(e, "cancel-return") is None:
        yield nothing("cancel-return was not asked: the adoption's jobs claim no inputs")
        return
    owed = returned(e.config, str(c.sent.event["row"]), c.held)
    if owed is None:
        yield nothing(f"no cancel-return rule is for {c.sent.event['row']}")
        return
    faults = list(_settled_otherwise(e, c, {"release": owed, "spend": remaining(c.held, owed)}))
    yield from faults
    if not faults:
        shown = claims(e, c.report)
        nothing_held = absent("claim-ledger", f"a claim of run {c.run} to settle", near=c.report)
        yield holds(*shown) if shown else holds(nothing_held, c.report)


def _settled_otherwise(e: Evidence, c: Canceling, owed: dict[str, dict[Unit, int]]) -> Iterator[Part]:
    for change in ("claim", "lose", "release", "spend"):
        rows, wanted = claims(e, c.report, change), owed.get(change, {})
        found = totals(rows)
        if found != wanted:
            first = rows[0] if rows else absent("claim-ledger", f"{change} of {told(wanted)}", near=c.report)
            because = f"run {c.run} held {told(c.held)}; its cancellation owes a {change} of {told(wanted)}"
            yield violated(first, f"{because}, and settles {told(found)}", c.report)


def ends_canceled(e: Evidence, c: Canceling) -> Iterator[Part]:
    """The run enters canceled, then reports it once; no other run is part of that settle."""
    report, row_id = c.report, c.sent.event["row"]
    for again in reports_of(c.sent)[1:]:
        yield violated(again, f"run {c.run} reports job-canceled twice", report)
    if (report["old"], report["new"]) != (c.state, "canceled") or tuple(report["causes"]) != (row_id,):
        said = f"from {report['old']} to {report['new']} by {', '.join(report['causes'])}"
        yield violated(report, f"run {c.run} was {c.state} when {row_id} came, and reports a cancellation {said}")
        return
    for row in e.settle_of(report):
        if row.log in ("state-trace", "report-log", "claim-ledger", "work-before-after") and row.run != c.run:
            yield violated(row, f"the cancellation of run {c.run} changes run {row.run}", report)
    yield from _enters_first(e, c)


def _enters_first(e: Evidence, c: Canceling) -> Iterator[Part]:
    if not observed(e, "state-trace"):
        yield holds(c.report)
        return
    moves = settled(e, c.report, "state-trace")
    if not moves or moves[0]["to"] != "canceled" or moves[0].pos > c.report.pos:
        missing = absent("state-trace", f"run {c.run} entering canceled", near=c.report)
        yield violated(moves[0] if moves else missing, f"run {c.run} reports job-canceled before it is canceled")
    else:
        yield holds(c.report, moves[0])


# -- no more than the claim --------------------------------------------------------------------------------------------


@clause(CANCELS, 1)
def a_cancellation_moves_only_what_the_run_holds(e: Evidence) -> Iterator[Part]:
    if e.config.timing is None:
        yield nothing("the adoption's jobs take no inputs, so there is no claim to return")
        return
    yield from each_canceling(e, _within_the_claim)


def _within_the_claim(e: Evidence, c: Canceling) -> Iterator[Part]:
    rows = list(c.sent.rows_of("claim-ledger", run=c.run))
    beyond = list(_beyond(c, rows))
    later = [row for row in c.sent.world.rows("claim-ledger", run=c.run) if row.pos > c.report.pos and row not in rows]
    yield from beyond
    for row in later:
        yield violated(row, f"the claim of run {c.run} changes after it was canceled", c.report)
    if not beyond and not later:
        moved = absent("claim-ledger", f"a unit that run {c.run} did not hold", rows=len(rows), near=c.report)
        yield holds(*(rows or (moved, c.report)))


def _beyond(c: Canceling, rows: list[LogRow]) -> Iterator[Part]:
    left = dict(c.held)
    for row in rows:
        unit = (row["item"], row["source"])
        left[unit] = left.get(unit, 0) - row["amount"]
        if row["change"] == "claim":
            yield violated(row, f"the cancellation of run {c.run} claims {row['amount']} {unit[0]}", c.report)
        elif left[unit] < 0:
            because = (
                f"run {c.run} held {c.held.get(unit, 0)} {unit[0]} from {unit[1]}, and its cancellation moves more"
            )
            yield violated(row, because, c.report)


# -- no output is made or undone ---------------------------------------------------------------------------------------


@clause(CANCELS, 2)
def a_cancellation_neither_makes_nor_undoes_an_output(e: Evidence) -> Iterator[Part]:
    yield from each_canceling(e, _makes_no_output, _leaves_finished_runs)
    for sent in offers(e):
        run = str(sent.event["run"])
        if sent.before.state(run) in ("finished", "delivered"):
            yield from not_undone(sent, run)


def _makes_no_output(e: Evidence, c: Canceling) -> Iterator[Part]:
    w, at = c.sent.world, c.sent.before
    later = [row for row in w.reports(("job-finished", "job-delivered"), run=c.run) if row.pos > c.report.pos]
    if observed(e, "output-identity"):
        later += w.rows("output-identity", run=c.run)
    for row in later:
        yield violated(row, f"run {c.run} was canceled from {at.state(c.run)}, and an output of it is made", c.report)
    if not later:
        yield holds(absent("report-log", f"an output of run {c.run}", near=c.report), c.report)


def _leaves_finished_runs(e: Evidence, c: Canceling) -> Iterator[Part]:
    for run in c.sent.before.runs:
        if c.sent.before.state(run) in ("finished", "delivered") and run != c.run:
            yield from not_undone(c.sent, run)


def not_undone(sent: SentView, run: str) -> Iterator[Part]:
    """A run that was finished or delivered when the cancellation came is so still, and its output is there."""
    logs = [log for log in ("output-identity", "output-location") if observed(sent.world.evidence, log)]
    for gone in (row for log in logs for row in sent.rows_of(log, run, change="destroyed")):
        yield violated(gone, f"run {run} was {sent.before.state(run)}, and a cancellation destroys its output")
        return
    changed = [row for row in sent.rows_of("report-log", run=run) if row["new"] != "delivered"]
    life = sent.world.life(run)
    if changed:
        yield violated(changed[0], f"run {run} was {sent.before.state(run)}, and a cancellation changes it")
    elif sent.before.state(run) != sent.after.state(run) and sent.after.state(run) != "delivered":
        missing = absent("report-log", f"run {run} still {sent.before.state(run)}", near=life[-1] if life else None)
        yield violated(missing, f"run {run} was {sent.before.state(run)} and is {sent.after.state(run)}")
    elif shown := [row for row in life if row["new"] in ("finished", "delivered")]:
        yield holds(shown[-1])


# -- later jobs --------------------------------------------------------------------------------------------------------


@clause(CANCELS, 3)
def later_waiting_jobs_stay_in_place(e: Evidence) -> Iterator[Part]:
    if e.adoption.rows("dependent-cancellations"):
        yield nothing("the adoption declares a dependent-cancellations row")
        return
    yield from each_canceling(e, _later_jobs_stay)


def _later_jobs_stay(e: Evidence, c: Canceling) -> Iterator[Part]:
    runs = list(c.sent.before.runs)
    at = runs.index(c.run) + 1 if c.run in runs else len(runs)
    later = [run for run in runs[at:] if c.sent.before.state(run) == "waiting"]
    if not later:
        return
    moved = [row for row in e.settle_of(c.report) if row.run in later]
    ended = [row for row in c.sent.rows_of("report-log", report="job-canceled") if row.run in later]
    for row in (*moved, *ended):
        yield violated(row, f"run {row.run} waited behind run {c.run}, whose cancellation moves it", c.report)
    if not moved and not ended:
        yield from _order_stays(e, c, later)


def _order_stays(e: Evidence, c: Canceling, later: list[str]) -> Iterator[Part]:
    shown = [row for run in later for row in c.sent.world.reports("job-waiting", run=run)]
    if not observed(e, "waiting-order-record"):
        yield holds(c.report, *shown)
        return
    left = settled(e, c.report, "waiting-order-record")
    for row in left:
        where = {"pool": row["pool"], "place": row["place"]}
        before = [each for each in c.sent.world.rows("waiting-order-record", **where) if each.pos < row.pos]
        was = [run for run in _order_before(e, c, row, before[-1] if before else None) if run != c.run]
        if [run for run in row["order"] if run in was] != [run for run in was if run in row["order"]]:
            yield violated(
                row, f"the cancellation of run {c.run} changes the order of {was} to {row['order']}", c.report
            )
            return
    yield holds(c.report, *shown, *left)


def _order_before(e: Evidence, c: Canceling, row: LogRow, last: LogRow | None) -> list[str]:
    """The order that the cancellation found: the last one on record, or the cited one where fields changed since."""
    w = c.sent.world
    if last is None:
        return []
    recorded = w.sent_of(last).place
    pool = e.config.pool(str(row["pool"]))
    if pool is None or not any(recorded < sent.place <= c.sent.place for sent in w.events("set-fields")):
        return list(last["order"])
    return Timeline(w).before(row).order(pool, row["place"])
