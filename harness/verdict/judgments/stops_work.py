"""What an ordinary stop does to recorded work: kept-work-stays-with-the-job, reset-work-clears-on-ordinary-stop."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.progress_shares import amounts_text, terms_of
from harness.verdict.judgments.stops_claims import ordinary_work, work_row
from harness.verdict.judgments.stops_records import (
    ORDINARY,
    Stop,
    all_stops,
    judged,
    number,
    of_log,
    only,
    settle_rows,
    stop_faults,
    supplied,
)
from harness.verdict.judgments.stops_rows import life_faults, report_work_faults, run_id_faults, work_chain_faults
from harness.verdict.parts import Part, Violated, absent, nothing, violated

_KEPT = "kept-work-stays-with-the-job"
_RESET = "reset-work-clears-on-ordinary-stop"
_NO_WORK = "no run had recorded work when it stopped"


def answer_faults(stop: Stop) -> Iterator[Violated]:
    """The recorded work of the stop, its chain of rows, and the report, against the partial-work answer."""
    run, before, wanted = stop.run, stop.before.work(stop.run), ordinary_work(stop)
    answer = stop.world.evidence.config.partial_work
    rows = work_row(stop)
    yield from stop_faults(stop)
    yield from only(rows, "work-before-after", f"the work of {run} at its stop", stop.row)
    for row in rows:
        if (number(row["before"]), number(row["after"]), row["why"]) != (before, wanted, "stop"):
            told = f"{row['before']} to {row['after']} ({row['why']})"
            yield violated(row, f"{run} stopped at work {before}, {answer} makes it {wanted}; the row says {told}")
    if stop.report is not None:
        yield from report_work_faults(stop.report, before, wanted)


# -- kept-work-stays-with-the-job -------------------------------------------------------------------------------------


@clause(_KEPT, 0)
def the_same_job_keeps_its_work_and_goes_on_from_it(e: Evidence) -> Iterator[Part]:
    """The recorded amount is the same at the stop, at the resume and at the next tick."""
    found: bool | None = None
    for stop in all_stops(e, ORDINARY):
        faults = (
            *answer_faults(stop),
            *work_chain_faults(stop.world, stop.run),
            *run_id_faults(stop.world, stop.run),
            *_while_stopped_faults(stop),
            *_resume_faults(stop),
        )
        had_work = stop.before.work(stop.run) > 0
        found = bool(found) or had_work
        if had_work or faults:
            yield from judged(faults, *work_row(stop), *_resume_rows(stop), *_traces(stop))
    if found is False:
        yield nothing(_NO_WORK)


def _traces(stop: Stop) -> tuple[LogRow, ...]:
    return stop.world.rows("run-id-trace", run=stop.run, report=("job-stopped", "job-resumed"))


def _while_stopped_faults(stop: Stop) -> Iterator[Violated]:
    """Kept work changes by a named loss only, as long as the run is stopped."""
    for row in stop.world.rows("work-before-after", run=stop.run):
        if stop.within(row) and row["why"] not in ("loss", "cancel", "resume"):
            yield violated(row, f"{stop.run} is stopped and its work changes by {row['why']}", stop.row)


def _resume_rows(stop: Stop) -> tuple[LogRow, ...]:
    if stop.end is None:
        return ()
    return of_log(settle_rows(stop.world, stop.end), "work-before-after", stop.run, why="resume")


def _resume_faults(stop: Stop) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    resumed = [row for row in w.reports("job-resumed", run=run) if stop.end and row.settle == stop.end.settle]
    for report in resumed:
        kept = w.snapshot(settle_rows(w, report)[0], before=True).work(run)
        rows = _resume_rows(stop)
        yield from only(rows, "work-before-after", f"the work of {run} at its resume", report)
        for row in rows:
            if (number(row["before"]), number(row["after"])) != (kept, kept):
                yield violated(row, f"{run} kept work {kept} and resumes from {row['after']}", stop.row)
        yield from report_work_faults(report, kept, kept)


@clause(_KEPT, 1)
def no_other_job_receives_the_work(e: Evidence) -> Iterator[Part]:
    """Every run begins with no work, and gains only what its own ticks add."""
    for w in e.worlds:
        stopped = [stop for stop in all_stops(e, ORDINARY) if stop.world is w and stop.before.work(stop.run) > 0]
        for run in w.runs:
            own = [stop for stop in stopped if stop.run != run]
            if own:
                yield from _judge_other(w, run, own[0])
    works = [stop.before.work(stop.run) for stop in all_stops(e, ORDINARY)]
    if works and not any(works):
        yield nothing(_NO_WORK)


def _judge_other(w: WorldView, run: str, stop: Stop) -> Iterator[Part]:
    entered = [row for row in w.rows("work-before-after", run=run, why="enter") if row.pos > stop.row.pos]
    faults = [*work_chain_faults(w, run), *run_id_faults(w, run), *_own_tick_faults(w, run)]
    for report in w.reports("job-working", run=run):
        rows = of_log(settle_rows(w, report), "work-before-after", run, why="enter")
        faults.extend(only(rows, "work-before-after", f"the work that {run} begins with", report))
        for row in rows:
            if number(row["after"]) != 0:
                faults.append(violated(row, f"{run} begins with work {row['after']}, not its own", stop.row))
        faults.extend(report_work_faults(report, Fraction(0), Fraction(0)))
    if entered or faults:
        yield from judged(faults, *entered, *w.rows("run-id-trace", run=run, report="job-working"))


def _own_tick_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """Work rises by one tick's work at a tick of the run's own, and in no other way."""
    terms = terms_of(w, run)
    for row in w.rows("work-before-after", run=run):
        gain = number(row["after"]) - number(row["before"])
        if gain > 0 and row["why"] != "advance":
            yield violated(row, f"{run} gains work {gain} by {row['why']}")
        elif terms is not None and row["why"] == "advance" and gain > terms.per_tick:
            yield violated(
                row, f"one tick adds {gain} to the work of {run}, its own work for a tick is {terms.per_tick}"
            )


# -- reset-work-clears-on-ordinary-stop -------------------------------------------------------------------------------


@clause(_RESET, 0)
def an_ordinary_stop_sets_the_work_to_none(e: Evidence) -> Iterator[Part]:
    """Every ordinary stop, whichever its cause, leaves no recorded work."""
    found: bool | None = None
    for stop in all_stops(e, ORDINARY):
        chain = (*work_chain_faults(stop.world, stop.run), *life_faults(stop.world, stop.run))
        faults = (*answer_faults(stop), *chain)
        had_work = stop.before.work(stop.run) > 0
        found = bool(found) or had_work
        if had_work or faults:
            yield from judged(faults, *work_row(stop), stop.state)
    if found is False:
        yield nothing(_NO_WORK)


@clause(_RESET, 1)
def a_cancellation_leaves_no_work_after_its_snapshot(e: Evidence) -> Iterator[Part]:
    """The snapshot of the claim comes first, with the work as it was; then no work remains."""
    if not e.config.cancellations:
        yield nothing("no cancellation is declared")
        return
    for w in e.worlds:
        for sent in w.events("cancel", outcome=None):
            yield from _owed_cancel(sent)
        for row in w.rows("state-trace", to="canceled"):
            yield from judged(_cancel_faults(w, row), *_cancel_rows(w, row), row)


_CANCELABLE = ("requested", "waiting", "working", "stopped")


def _owed_cancel(sent: SentView) -> Iterator[Part]:
    run = str(sent.event.get("run"))
    legal = is_declared_event(sent) and sent.before.state(run) in _CANCELABLE and not sent.before.ended(run)
    if sent.outcome == "skipped":
        yield nothing(sent.reason or "the system skips the cancellation")
    elif legal and not sent.rows_of("state-trace", run, to="canceled"):
        why = f"was refused: {sent.reason}" if sent.outcome == "refused" else "did not end it"
        gone = absent("state-trace", f"{run} becoming canceled", near=sent.rows[-1] if sent.rows else None)
        yield violated(gone, f"the cancellation of {run}, which is {sent.before.state(run)}, {why}")


def _cancel_rows(w: WorldView, row: LogRow) -> tuple[LogRow, ...]:
    w.evidence.touch("claim-snapshot", "work-before-after")
    rows, run = settle_rows(w, row), str(row.run)
    return (*of_log(rows, "claim-snapshot", run), *of_log(rows, "work-before-after", run, why="cancel"))


def _cancel_faults(w: WorldView, row: LogRow) -> Iterator[Violated]:
    run = str(row.run)
    before = w.snapshot(settle_rows(w, row)[0], before=True)
    found = _cancel_rows(w, row)
    snapshots = [each for each in found if each.log == "claim-snapshot"]
    works = [each for each in found if each.log == "work-before-after"]
    yield from only(snapshots, "claim-snapshot", f"the snapshot of the claim of {run}", row)
    yield from only(works, "work-before-after", f"the work of {run} at its cancellation", row)
    yield from work_chain_faults(w, run)
    yield from life_faults(w, run)
    for snapshot in snapshots:
        yield from _snapshot_faults(w, snapshot, before.work(run))
        if works and works[0].pos < snapshot.pos:
            yield violated(works[0], f"the work of {run} became {works[0]['after']} before the snapshot", snapshot)
    for work in works:
        if number(work["after"]) != 0:
            yield violated(work, f"{run} is canceled and work {work['after']} remains")


def _snapshot_faults(w: WorldView, snapshot: LogRow, work: Fraction) -> Iterator[Violated]:
    run = str(snapshot.run)
    if number(snapshot["work"]) != work:
        yield violated(snapshot, f"{run} had work {work} and the snapshot says {snapshot['work']}")
    if snapshot["cancellation"] not in w.evidence.config.cancellations:
        yield violated(snapshot, f"{snapshot['cancellation']} is no declared cancellation")
    if not supplied(w.evidence, "claim-ledger"):
        return
    held = w.snapshot(settle_rows(w, snapshot)[0], before=True).held(run)
    taken = {(each["item"], each["source"]): each["amount"] for each in snapshot["claim"]}
    if dict(held) != taken:
        told = f"{amounts_text(held)} and the snapshot has {amounts_text(taken)}"
        yield violated(snapshot, f"{run} held {told}")
