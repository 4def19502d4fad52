"""Judgments on when a declared failure fires, and on adoptions that declare none."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.failures_losses import resolved
from harness.verdict.judgments.failures_offers import (
    Offer,
    each_firing,
    log_faults,
    offers,
    pointer,
    recoverable_from_finished,
    skipped,
    unanswered,
)
from harness.verdict.judgments.failures_offers import did_not_fire as not_fired
from harness.verdict.judgments.failures_results import RECOVERABLE, RUINED
from harness.verdict.judgments.failures_settles import claims, settled
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, declared, holds, nothing, violated

FIRES = "failure-row-fires-from-its-state"


# -- failure-row-fires-from-its-state ----------------------------------------------------------------------------------


@clause(FIRES, 0)
def a_failure_fires_only_from_its_state(e: Evidence) -> Iterator[Part]:
    yield from skipped(e)
    known: set[int] = set()
    for offer in offers(e):
        known.update(row.pos for row in offer.reports)
        yield from log_faults(offer)
        yield from _offer(e, offer)
    yield from _reports_without_offer(e, known)
    yield from own_log_faults(e)


def _offer(e: Evidence, offer: Offer) -> Iterator[Part]:
    failure, run = offer.failure, offer.run
    if offer.must_fire:
        if not offer.reports:
            yield not_fired(offer)
        else:
            yield from _fired(e, offer)
    elif offer.reports and offer.state != failure.from_state:
        because = f"{failure.id} fired on run {run} in {offer.state}; it fires only from {failure.from_state}"
        yield violated(offer.reports[0], because, *offer.logged)
    elif offer.reports and failure.from_state != "finished":
        because = f"{failure.id} fired on run {run}, whose claim its losses are no strict subset of"
        yield violated(offer.reports[0], because, *offer.logged)
    elif offer.reports:
        yield nothing(f"{failure.id} has a recoverable result from finished, which the contract calls invalid")
    else:
        moved = [row for row in offer.sent.rows if row.run == run and row.log in ("state-trace", "claim-ledger")]
        if moved:
            yield violated(moved[0], f"the refused {failure.id} changed run {run}")
        elif offer.logged:
            yield holds(offer.logged[0])


def _fired(e: Evidence, offer: Offer) -> Iterator[Part]:
    """One report, and everything that the failure did in the one settle of that report."""
    report, run = offer.reports[0], offer.run
    for again in offer.reports[1:]:
        yield violated(again, f"{offer.failure.id} reports job-failed more than once for run {run}", report)
    if tuple(report["causes"]) != (offer.failure.id,):
        yield violated(report, f"job-failed names {report['causes']} as its causes, not {offer.failure.id}")
    if report["old"] != offer.state:
        yield violated(report, f"job-failed leaves {report['old']}, and run {run} was {offer.state}")
    yield from _atomic(e, offer, report)


def _atomic(e: Evidence, offer: Offer, report: LogRow) -> Iterator[Part]:
    run, event_rows = offer.run, offer.sent.rows
    mine = claims(e, report)
    for row in event_rows:
        if row.log == "claim-ledger" and row.run == run and row not in mine:
            yield violated(row, f"a claim change of run {run} outside the settle of its failure", report)
    for row in e.settle_of(report):
        if row.log in ("state-trace", "claim-ledger", "report-log") and row.run != run:
            yield violated(row, f"run {row.run} changes within the settle of run {run}'s failure", report)
    moves = settled(e, report, "state-trace")
    owed = 0 if report["old"] == report["new"] else 1
    if len(moves) > owed:
        yield violated(moves[owed], f"more than one state change in the failure of run {run}", report)
    elif len(moves) < owed:
        what = f"the change of run {run} from {report['old']} to {report['new']}"
        yield violated(absent("state-trace", what, near=report), f"the failure of run {run} changes no state")
    else:
        yield holds(offer.logged[0] if offer.logged else report, report, *moves, *mine)


def _reports_without_offer(e: Evidence, known: set[int]) -> Iterator[Part]:
    failure = resolved(e)
    if failure is None:
        return
    for report in e.reports("job-failed"):
        if failure.id in report["causes"] and report.pos not in known:
            yield violated(report, f"run {report.run} reports {failure.id}, which nobody offered then")


@clause(FIRES, 1)
def a_declared_result_is_judged_by_its_own_test(e: Evidence) -> Iterator[Part]:
    if e.row is not None and e.row.get("result") is not None:
        yield nothing(f"the result that {e.row.id} declares is judged by its own test")
    else:
        yield nothing("the row leaves its result to the failure-result answer")


@clause(FIRES, 2)
def a_row_without_result_follows_the_answer(e: Evidence) -> Iterator[Part]:
    if e.row is None or e.row.get("result") is not None:
        yield nothing("the row declares its own result, which is judged by its own test")
        return
    if unanswered(e):
        yield nothing("failure-result is not answered, so no result is known")
        return
    invalid = recoverable_from_finished(e)
    if invalid is not None:
        yield invalid
        return
    failure = resolved(e)
    for judge in RUINED if failure is not None and failure.ruined else RECOVERABLE:
        yield from each_firing(e, judge)


@clause(FIRES, 3)
def a_failure_from_finished_is_terminal(e: Evidence) -> Iterator[Part]:
    failure = resolved(e)
    if failure is None or failure.from_state != "finished":
        yield nothing("the row does not fire from finished")
        return
    if unanswered(e):
        yield nothing("failure-result is not answered, so no result is known")
        return
    invalid = recoverable_from_finished(e)
    if invalid is not None:
        yield invalid
        return
    yield holds(declared(pointer(e)))
    for offer in offers(e):
        for report in offer.reports:
            if report["new"] != "failed":
                yield violated(report, f"{failure.id} fires from finished and leaves run {offer.run} {report['new']}")
            else:
                yield holds(report)


# -- no-failure-without-a-failure-row ----------------------------------------------------------------------------------


@clause("no-failure-without-a-failure-row", 0)
def nothing_fails_without_a_declared_failure(e: Evidence) -> Iterator[Part]:
    if e.adoption.rows("failures"):
        yield nothing("the adoption has a failures row")
        return
    reports = e.reports()
    for report in reports:
        if report["report"] == "job-failed" or report["new"] == "failed":
            yield violated(report, f"run {report.run} reports {report['report']}, and no failure is declared")
    yield from own_log_faults(e)
    for w in e.worlds:
        for run in w.runs:
            life = w.life(run)
            yield holds(absent("report-log", f"a job-failed of run {run}", rows=len(life), near=life[-1]), life[-1])
