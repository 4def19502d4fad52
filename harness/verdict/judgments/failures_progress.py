"""Judgments on a recoverable failure of a job whose inputs are claimed with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from harness.run.recording import LogRow, fraction
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.failures_losses import (
    named_losses,
    recovered_releases,
    recovered_work,
    resolved,
    work_after_loss,
)
from harness.verdict.judgments.failures_offers import Firing, firings, recoverable_from_finished, unanswered
from harness.verdict.judgments.failures_settles import (
    by_item,
    claims,
    settled,
    told,
    totals,
    work_faults,
)
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, holds, nothing, violated

PROGRESS = "progress-failure-adjusts-claim-after-loss"

Judge = Callable[[Evidence, Firing], Iterator[Part]]


def _checks_nothing(e: Evidence) -> str | None:
    """Why the whole test checks nothing under this row, None where it does."""
    failure = resolved(e)
    if failure is None or unanswered(e):
        return "failure-result is not answered, so no result is known"
    if failure.ruined:
        return f"the result of {failure.id} is a ruined job"
    if recoverable_from_finished(e) is not None:
        return "a recoverable failure from finished is invalid and never fires"
    if not (failure.loses or failure.loses_work or failure.loses_work_share):
        return f"the rule of {failure.id} names neither an input loss nor a loss of work"
    return None


def _changing(e: Evidence, judge: Judge) -> Iterator[Part]:
    """What the judge says about every firing that loses inputs or work."""
    reason = _checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    for found in firings(e):
        if not isinstance(found, Firing):
            yield found
        elif named_losses(found.failure, found.held) or _loses_work(found):
            yield from judge(e, found)


def _loses_work(f: Firing) -> bool:
    before = f.sent.before.work(f.run)
    return work_after_loss(f.failure, before) < before


@clause(PROGRESS, 0)
def losses_settle_first(e: Evidence) -> Iterator[Part]:
    yield from _changing(e, _losses_first)
    if _checks_nothing(e) is None:
        yield from own_log_faults(e)


def _losses_first(e: Evidence, f: Firing) -> Iterator[Part]:
    rows, work = claims(e, f.report), _work_rows(e, f)
    lost = [row for row in rows if row["change"] == "lose"]
    owed = named_losses(f.failure, f.held)
    if by_item(totals(lost)) != owed:
        first = lost[0] if lost else absent("claim-ledger", f"the loss of {told(owed)}", near=f.report)
        because = f"run {f.run} loses {told(by_item(totals(lost)))}, and {f.failure.id} names {told(owed)}"
        yield violated(first, because, f.report)
        return
    others = [row for row in (*rows, *work) if row not in lost]
    early = [row for row in others if lost and row.pos < lost[-1].pos]
    for row in early:
        yield violated(row, f"run {f.run} settles its claim or work before its losses", lost[-1])
    if not early and (lost or work):
        yield holds(*(lost or work[:1]))


def _work_rows(e: Evidence, f: Firing) -> tuple[LogRow, ...]:
    return tuple(row for row in settled(e, f.report, "work-before-after") if row["why"] == "loss")


@clause(PROGRESS, 1)
def a_held_claim_pulls_work_down_to_what_it_supports(e: Evidence) -> Iterator[Part]:
    if e.config.release_stopped_claims:
        yield nothing("the adoption releases stopped claims")
        return
    yield from _changing(e, _supported)
    if _checks_nothing(e) is None:
        yield from work_faults(e)


def _supported(e: Evidence, f: Firing) -> Iterator[Part]:
    before = f.sent.before.work(f.run)
    yield from _work_is(e, f, before, recovered_work(e.config, f.task, f.failure, before, f.held))
    released = claims(e, f.report, "release")
    found, owed = by_item(totals(released)), recovered_releases(e.config, f.task, f.failure, before, f.held)
    if found != owed:
        first = released[0] if released else absent("claim-ledger", f"the release of {told(owed)}", near=f.report)
        because = f"run {f.run} releases {told(found)}; its remaining claim exceeds the share by {told(owed)}"
        yield violated(first, because, f.report)
    elif released:
        yield holds(*released)


@clause(PROGRESS, 2)
def a_released_claim_leaves_work_to_the_named_loss(e: Evidence) -> Iterator[Part]:
    if not e.config.release_stopped_claims:
        yield nothing("the adoption holds stopped claims")
        return
    yield from _changing(e, _named_loss_alone)
    if _checks_nothing(e) is None:
        yield from work_faults(e)


def _named_loss_alone(e: Evidence, f: Firing) -> Iterator[Part]:
    before = f.sent.before.work(f.run)
    yield from _work_is(e, f, before, work_after_loss(f.failure, before))


def _work_is(e: Evidence, f: Firing, before: Fraction, owed: Fraction) -> Iterator[Part]:
    """The settle's own row of recorded work, once, and the report agreeing with it."""
    rows = _work_rows(e, f)
    if not rows:
        missing = absent("work-before-after", f"the work of run {f.run} after its loss", near=f.report)
        yield violated(missing, f"run {f.run} fails and no row tells its work", f.report)
        return
    for again in rows[1:]:
        yield violated(again, f"the loss of run {f.run} is recorded twice", rows[0])
    row = rows[0]
    if fraction(row["before"]) != before:
        yield violated(row, f"the work of run {f.run} was {before}, and the loss begins at {row['before']}")
    elif fraction(row["after"]) != owed:
        because = f"the work of run {f.run} goes from {before} to {row['after']}; {f.failure.id} leaves {owed}"
        yield violated(row, because, f.report)
    elif fraction(f.report["work-after"]) != owed:
        yield violated(f.report, f"job-failed says work {f.report['work-after']}, and {owed} is left", row)
    else:
        yield holds(row)
