"""Judgments on what a cancellation means for waiting jobs that needed the canceled one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.models.lifecycle.config import Dependents
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.cancels import not_undone
from harness.verdict.judgments.cancels_claims import remaining, returned
from harness.verdict.judgments.failures_settles import claims, observed, settled, told, totals
from harness.verdict.judgments.outputs_declared import answered
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.judgments.outputs_logs_order import order_before
from harness.verdict.parts import Part, absent, holds, nothing, violated
from harness.verdict.snapshot import Snapshot

TEMPLATE = "dependent-cancellation-follows-answer"
ENDED = "dependency-ended"


class Loss(NamedTuple):
    """A cancellation that takes away what waiting runs need: the event, its report, and those runs in waiting order."""

    sent: SentView
    report: LogRow
    dependents: tuple[str, ...]


# -- who depends on whom -----------------------------------------------------------------------------------------------


def bound_needs(w: WorldView, run: str) -> tuple[tuple[str, str], ...]:
    """The run's needs as (job, run that it was bound to), from dependency-trace."""
    return tuple((row["need"], row["bound"]) for row in w.rows("dependency-trace", run=run, change="bound"))


def jobs_reaching(row: Dependents, job: str) -> set[str]:
    """The jobs whose chain of needs, by this row's links, reaches `job`."""
    reached: set[str] = set()
    pending = [job]
    while pending:
        wanted = pending.pop()
        for link in row.links:
            if wanted in link.needs and link.job not in reached:
                reached.add(link.job)
                pending.append(link.job)
    return reached


def _bound_or_later(at: Snapshot, job: str, bound: str) -> list[str]:
    runs = list(at.runs)
    start = runs.index(bound) if bound in runs else len(runs)
    return [run for run in runs[start:] if at.job(run) == job]


def is_met(at: Snapshot, job: str, bound: str) -> bool:
    """Whether the bound run, or a later one of that job, is finished."""
    return any(at.state(run) in ("finished", "delivered") for run in _bound_or_later(at, job, bound))


def is_lost(w: WorldView, at: Snapshot, run: str, gone: set[str]) -> bool:
    """Whether one of the run's needs can no longer be met once the `gone` runs have ended."""

    def lost(job: str, bound: str) -> bool:
        candidates = _bound_or_later(at, job, bound)
        is_open = any(not at.ended(each) and each not in gone for each in candidates)
        return not is_open and not is_met(at, job, bound)

    return any(lost(job, bound) for job, bound in bound_needs(w, run))


def losses(e: Evidence) -> Iterator[Loss]:
    """Every cancellation of the row's kind that left waiting runs with a need that nothing can meet."""
    row = _row(e)
    if row is None:
        return
    for w in e.worlds:
        for sent in w.events("cancel", row=row.cancellation):
            run = str(sent.event["run"])
            reports = sent.rows_of("report-log", run=run, report="job-canceled")
            reached = jobs_reaching(row, sent.before.job(run) or "")
            waiting = [each for each in _waiting(e, sent) if sent.before.job(each) in reached]
            lost = _lost(w, sent.before, run, waiting)
            if reports and lost:
                yield Loss(sent, reports[0], lost)


def _row(e: Evidence) -> Dependents | None:
    wanted = e.row.id if e.row is not None else None
    return next((each for each in e.config.dependents if each.id == wanted), None)


def _waiting(e: Evidence, sent: SentView) -> list[str]:
    """Waiting runs before the event, in the order of their pools and places."""
    return [run for run in order_before(e, sent) if sent.before.state(run) == "waiting"]


def _lost(w: WorldView, at: Snapshot, canceled: str, waiting: list[str]) -> tuple[str, ...]:
    """Those whose need is lost with the canceled run, or with another of them; in waiting order."""
    gone: set[str] = {canceled}
    while True:
        lost = tuple(run for run in waiting if is_lost(w, at, run, gone))
        if gone == {canceled, *lost}:
            return lost
        gone = {canceled, *lost}


# -- the answer --------------------------------------------------------------------------------------------------------


@clause(TEMPLATE, 0)
def dependents_follow_the_answer(e: Evidence) -> Iterator[Part]:
    if answered(e, "cancel-dependents") is None:
        yield nothing("cancel-dependents is not answered")
        return
    for sent in _skipped(e):
        yield nothing(f"the system skips the cancellation: {sent.reason}")
    for loss in losses(e):
        yield from (_end(e, loss) if e.config.end_dependents else _leave(e, loss))
    yield from own_log_faults(e)


def _skipped(e: Evidence) -> Iterator[SentView]:
    for w in e.worlds:
        yield from w.events("cancel", outcome="skipped")


def _end(e: Evidence, loss: Loss) -> Iterator[Part]:
    reports = loss.sent.rows_of("report-log", report="job-canceled")
    others = tuple(row for row in reports if row.run != loss.report.run)
    canceled = tuple(str(row.run) for row in others)
    for row in others:
        if row.run not in loss.dependents:
            yield violated(row, f"run {row.run} is canceled with run {loss.report.run}, and needs nothing that is lost")
    for run in loss.dependents:
        if run not in canceled:
            missing = absent("report-log", f"job-canceled of run {run}", rows=len(reports), near=loss.report)
            yield violated(missing, f"run {run} waits for run {loss.report.run}, which is gone, and is not canceled")
    if set(canceled) == set(loss.dependents) and canceled != loss.dependents:
        because = f"the dependents are canceled in the order {canceled}; the waiting order is {loss.dependents}"
        yield violated(others[0], because)
    yield from _before_offers(loss, others)
    for row in others:
        if row.run in loss.dependents:
            yield from _own_settlement(e, loss, row)


def _before_offers(loss: Loss, others: tuple[LogRow, ...]) -> Iterator[Part]:
    offered = loss.sent.rows_of("report-log", report=("job-started", "job-resumed"))
    for row in others:
        early = [each for each in offered if each.pos < row.pos]
        if early:
            yield violated(early[0], f"an offer is made before the dependent run {row.run} is canceled", row)
        elif row.pos < loss.report.pos or row.settle == loss.report.settle:
            yield violated(row, f"run {row.run} is canceled before run {loss.report.run} has settled", loss.report)


def _own_settlement(e: Evidence, loss: Loss, row: LogRow) -> Iterator[Part]:
    """Its own settle, cause, row of the lost need, and settlement of the claim."""
    run, cancellation = str(row.run), str(loss.sent.event["row"])
    if tuple(row["causes"]) != (ENDED,) or (row["old"], row["new"]) != ("waiting", "canceled"):
        yield violated(row, f"run {run} ends with its need by {row['causes']}, from {row['old']} to {row['new']}")
        return
    ended = loss.sent.rows_of("dependency-trace", run=run, change="ended")
    if not ended:
        missing = absent("dependency-trace", f"the end of what run {run} needs", near=row)
        yield violated(missing, f"run {run} is canceled, and no row tells which need ended", row)
        return
    held = dict(loss.sent.before.held(run))
    owed = returned(e.config, cancellation, held) if answered(e, "cancel-return") else None
    for change, wanted in (("release", owed or {}), ("spend", remaining(held, owed or {}))):
        rows = claims(e, row, change)
        if totals(rows) != wanted:
            first = rows[0] if rows else absent("claim-ledger", f"{change} of {told(wanted)}", near=row)
            yield violated(first, f"run {run} held {told(held)} and owes a {change} of {told(wanted)}", row)
            return
    left = settled(e, row, "waiting-order-record")
    kept = e.after(e.settle_of(row)[-1]).slots(run) if observed(e, "count-trace") else ()
    if kept:
        yield violated(row, f"run {run} is canceled and still holds a {kept[0][2]} slot")
    elif not left:
        missing = absent("waiting-order-record", f"run {run} leaving", near=row)
        yield violated(missing, f"run {run} is canceled and stays in the waiting order", row)
    else:
        yield holds(row, *ended, *claims(e, row), *left)


def _leave(e: Evidence, loss: Loss) -> Iterator[Part]:
    for row in loss.sent.rows_of("report-log", report="job-canceled"):
        if row.run != loss.report.run:
            yield violated(
                row, f"run {row.run} is canceled with run {loss.report.run}; dependents are left", loss.report
            )
    for run in loss.dependents:
        unmet = loss.sent.rows_of("dependency-trace", run=run, change="unmet")
        ends = [row for row in loss.sent.world.reports(run=run) if row.pos > loss.report.pos]
        wrong = _leaves_early(loss, run, ends)
        if wrong is not None:
            yield violated(wrong, f"run {run} does not wait on once run {loss.report.run} is canceled", loss.report)
        elif not unmet:
            missing = absent("dependency-trace", f"the unmet need of run {run}", near=loss.report)
            yield violated(missing, f"no row tells that the need of run {run} is unmet", loss.report)
        else:
            yield holds(loss.report, *unmet, *ends[:1])
            yield from _met_again(loss, run, ends)


def _leaves_early(loss: Loss, run: str, ends: list[LogRow]) -> LogRow | None:
    """How the wait ends other than by a need that is met again, or by an event that names the dependent itself."""
    w = loss.sent.world
    for row in ends[:1]:
        sent = w.sent_of(row)
        is_own = sent is not loss.sent and sent.event.get("run") == run and sent.kind in ("cancel", "fail")
        is_met_again = row["report"] == "job-started" and _all_met(loss, w.snapshot(row, before=True), run)
        return None if is_own or is_met_again else row
    moved = [row for row in w.rows("state-trace", run=run) if row.pos > loss.report.pos]
    return moved[0] if moved else None


def _met_again(loss: Loss, run: str, ends: list[LogRow]) -> Iterator[Part]:
    started = [row for row in ends if row["report"] == "job-started"]
    rows = list(loss.sent.world.rows("dependency-trace", run=run, change="met"))
    told_so = [row for row in rows if started and loss.report.pos < row.pos < started[0].pos]
    if started and not told_so:
        missing = absent("dependency-trace", f"the need of run {run} met", rows=len(rows), near=started[0])
        yield violated(missing, f"run {run} starts, and no row tells that its need is met again", started[0])
    elif started:
        yield holds(*told_so, started[0])


def _all_met(loss: Loss, at: Snapshot, run: str) -> bool:
    return all(is_met(at, job, bound) for job, bound in bound_needs(loss.sent.world, run))


# -- what is done stays done -------------------------------------------------------------------------------------------


@clause(TEMPLATE, 1)
def what_is_done_stays_done(e: Evidence) -> Iterator[Part]:
    row = _row(e)
    for w in e.worlds:
        for sent in w.events("cancel", row=row.cancellation if row is not None else None):
            if sent.rows_of("report-log", report="job-canceled"):
                for run in sent.before.runs:
                    if sent.before.state(run) in ("finished", "delivered"):
                        yield from not_undone(sent, run)
