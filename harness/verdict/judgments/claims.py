"""claims-keep-their-source: claimed units are out of reach, go back where they came from, or are gone."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import REFUSED, SKIPPED, LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, moved, units_text
from harness.verdict.judgments.admission_events import Breach, breaches, refusal_row
from harness.verdict.judgments.claims_ledgers import OUTSIDE, differing, sources_owed, usable_owed
from harness.verdict.judgments.reports_agreement import ledger_disagrees
from harness.verdict.parts import Part, absent, holds, nothing

TEMPLATE = "claims-keep-their-source"

NO_INPUTS = "the adoption has no inputs, so no run holds a claim"


def _has_units(e: Evidence) -> bool:
    return e.config.timing is not None and any(need.amount for job in e.config.jobs for need in job.needs)


def _logs_differ(w: WorldView, *changes: str) -> Iterator[Breach]:
    """The three logs of the template against each other, where they tell of these changes."""

    def concerns(why: str) -> bool:
        return why in changes

    yield from ledger_disagrees(w, *(each for each in changes if each not in OUTSIDE))
    yield from differing("source-record", w.rows("source-record"), list(sources_owed(w)), concerns, "change")
    yield from differing("usable-inputs", w.rows("usable-inputs"), list(usable_owed(w)), concerns, "why")


# -- claimed units are unavailable --------------------------------------------------------------------------------


@clause(TEMPLATE, 0)
def a_claimed_unit_is_out_of_reach_and_its_source_recorded(e: Evidence) -> Iterator[Part]:
    """Only usable units are claimed, from the job's own sources, and no other rule gets a claimed unit."""
    if not _has_units(e):
        yield nothing(NO_INPUTS)
        return
    for w in e.worlds:
        wrong = [*_logs_differ(w, "claim", *OUTSIDE), *_finished_without_claim(e, w), *_uses_are_wrong(w)]
        runs = asked_runs(e, w)
        for row in w.rows("claim-ledger", change="claim"):
            wrong += _claim_is_wrong(e, runs.get(str(row.run)), row)
        yield from breaches(wrong)
        if not wrong:
            yield from (holds(row) for row in w.rows("source-record", change="claim"))
            yield from (holds(*each.rows_of("usable-inputs")) for each in _tries_at_claims(w))
        yield from _skipped(w, "use")


def _skipped(w: WorldView, kind: str) -> Iterator[Part]:
    for sent in w.sent:
        if sent.kind == kind and sent.outcome == SKIPPED:
            yield nothing(f"the system skipped {kind}: {sent.reason}")


def _claim_is_wrong(e: Evidence, asked: Asked | None, row: LogRow) -> Iterator[Breach]:
    unit, usable = (row["item"], row["source"]), e.at(row).usable(row["item"], row["source"])
    if row["amount"] > usable:
        yield row, f"{row.run} claims {row['amount']} {row['item']} from {row['source']}, where {usable} are usable"
    if asked is not None and unit not in asked.needs:
        yield row, f"{row.run} claims {row['item']} from {row['source']}, which its job does not take"


def _uses_are_wrong(w: WorldView) -> Iterator[Breach]:
    for sent in w.events("use", None):
        usable, amount = _usable(sent), sent.event["amount"]
        told = f"{amount} {sent.event['item']} from {sent.event['source']}, where {usable} are usable"
        if sent.outcome == "accepted" and amount > usable:
            yield refusal_row(w, sent), f"another rule used {told}"
        elif sent.outcome == REFUSED and amount <= usable:
            yield refusal_row(w, sent), f"another rule was refused {told}"


def _usable(sent: SentView) -> int:
    return sent.before.usable(sent.event["item"], sent.event["source"])


def _tries_at_claims(w: WorldView) -> Iterator[SentView]:
    """Uses that were refused because a claim holds the units."""
    for sent in w.events("use", REFUSED):
        if sent.before.claimed(sent.event["item"], sent.event["source"]) and sent.rows_of("usable-inputs"):
            yield sent


def _finished_without_claim(e: Evidence, w: WorldView) -> Iterator[Breach]:
    runs = asked_runs(e, w)
    for report in w.reports("job-finished"):
        asked = runs.get(str(report.run))
        if asked is not None and asked.needs and not w.rows("claim-ledger", report.run, change="claim"):
            yield (
                absent("claim-ledger", f"a claim of {report.run}", 0, report),
                (f"{report.run} finished, but never claimed {units_text(asked.needs)}"),
            )


# -- a release returns what is still claimed ----------------------------------------------------------------------


@clause(TEMPLATE, 1)
def a_release_returns_what_is_still_claimed_to_its_source(e: Evidence) -> Iterator[Part]:
    """No release beyond the claim or to another source; a canceled run keeps nothing."""
    if not _has_units(e):
        yield nothing(NO_INPUTS)
        return
    for w in e.worlds:
        wrong = list(_logs_differ(w, "release"))
        canceled = w.reports("job-canceled")
        for report in canceled:
            wrong += _cancel_is_wrong(e, report)
        yield from breaches(wrong)
        if not wrong:
            yield from (holds(row) for row in w.rows("source-record", change="release"))


def _cancel_is_wrong(e: Evidence, report: LogRow) -> Iterator[Breach]:
    run, settle = str(report.run), e.settle_of(report)
    e.touch("claim-ledger")
    rows = tuple(row for row in settle if row.log == "claim-ledger" and row.run == run)
    first = settle[0] if settle else report
    held, left = e.at(first).held(run), e.after(report).held(run)
    if left:
        yield report, f"{run} was canceled and still holds {units_text(left)}"
    elif e.config.cancel_return == "return-claimed" and moved(rows, "release") != dict(held):
        yield (
            report,
            f"{run} was canceled holding {units_text(held)}, released were {units_text(moved(rows, 'release'))}",
        )


# -- spent and lost units are gone --------------------------------------------------------------------------------


@clause(TEMPLATE, 2)
def a_spent_or_lost_unit_is_gone(e: Evidence) -> Iterator[Part]:
    """Spending and losing take units out of the claim and give them to nobody, also not later."""
    if not _has_units(e):
        yield nothing(NO_INPUTS)
        return
    for w in e.worlds:
        wrong = [*_logs_differ(w, "spend", "lose"), *_released_again(w), *_left_after_finish(e, w)]
        yield from breaches(wrong)
        if not wrong:
            yield from (holds(row) for row in w.rows("source-record", change=("spend", "lose")))


def _released_again(w: WorldView) -> Iterator[Breach]:
    """Releases of units that the run has spent or lost before."""
    held: dict[tuple[str | None, str, str], int] = {}
    removed: dict[tuple[str | None, str, str], int] = {}
    for row in w.rows("claim-ledger"):
        key, amount = (row.run, row["item"], row["source"]), row["amount"]
        if row["change"] == "release" and amount > held.get(key, 0) and removed.get(key):
            yield row, f"{row.run} releases {amount} {row['item']} of which it spent or lost {removed[key]} before"
        if row["change"] in ("spend", "lose"):
            removed[key] = removed.get(key, 0) + amount
        held[key] = held.get(key, 0) + (amount if row["change"] == "claim" else -amount)


def _left_after_finish(e: Evidence, w: WorldView) -> Iterator[Breach]:
    for report in w.reports("job-finished"):
        left = e.after(report).held(str(report.run))
        if left:
            yield report, f"{report.run} finished and still holds {units_text(left)}"
