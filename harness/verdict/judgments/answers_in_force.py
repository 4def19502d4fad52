"""Which answer the runs show to be in force, where it is another one than the adoption gives.

A pairing's clause says under which answer a row is legal, and has that answer checked. It is checked as it is declared
and as the system acts: a run that does what only another answer lets it do shows that the row stands beside that other
answer. Only such a run counts. A run that follows the answer badly contradicts other clauses, not the pairing.

Each question yields the first row that shows another answer, and why. A log that the system does not supply is not
looked at: the declaration was checked all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.cancels import canceling
from harness.verdict.judgments.cancels_claims import returned
from harness.verdict.judgments.failures_settles import claims, observed, totals
from harness.verdict.judgments.progress_shares import Terms, initial_share, terms_of
from harness.verdict.judgments.stops_claims import work_after
from harness.verdict.judgments.stops_records import ORDINARY, Stop, all_stops, number
from harness.verdict.judgments.stops_reversal_falls import falls
from harness.verdict.parts import Absence, Holds, Part, absent, violated

#: What shows another answer, and why.
Shown: TypeAlias = tuple[LogRow | Absence, str]


def in_force(parts: Iterable[Part], others: Iterable[Shown]) -> Iterator[Part]:
    """A pairing's parts; where the declaration is as it must be, what shows another answer is a violation."""
    found = tuple(parts)
    yield from found
    if any(isinstance(part, Holds) for part in found):
        yield from (violated(exhibit, because) for exhibit, because in others)


# -- input-claim-timing ------------------------------------------------------------------------------------------------


def not_with_progress(e: Evidence) -> Iterator[Shown]:
    """Claims that don't follow the work at all (lifecycle: steps 5, 7, 9 and 13)."""
    if not observed(e, "claim-ledger"):
        return
    for w in e.worlds:
        for run in w.runs:
            terms = terms_of(w, run)
            if terms is not None and terms.follows_work and terms.whole:
                yield from _another_timing(e, w, terms)


def _another_timing(e: Evidence, w: WorldView, terms: Terms) -> Iterator[Shown]:
    run, first, whole = terms.run, dict(initial_share(terms)), dict(terms.whole)
    for report in w.reports("job-waiting", run=run, old="requested"):
        if taken := e.after(report).held(run):
            yield report, f"run {run} waits and holds {sum(taken.values())} units: they are taken at the request"
    for report in w.reports("job-started", run=run):
        taken = totals(claims(e, report, "claim"))
        if first != whole and taken == whole:
            yield report, f"run {run} claims all that it needs when it starts, before any work: taken-at-start"
    for report in w.reports("job-finished", run=run):
        taken = totals(claims(e, report, "claim"))
        if first and taken == whole:
            yield report, f"run {run} claims all that it needs when its work is done: taken-at-finish"


# -- partial-work ------------------------------------------------------------------------------------------------------


def not_reversing(e: Evidence) -> Iterator[Shown]:
    """Stops that reset the work, and stops through which it stood (lifecycle: step 10)."""
    if not observed(e, "reversal-log"):
        return
    for stop in all_stops(e, ORDINARY):
        if stop.report is None or number(stop.report["work-before"]) <= 0:
            continue
        run, work = stop.run, stop.report["work-before"]
        if work_after(stop) <= 0:
            yield stop.report, f"run {run} stops at work {work} and has none left: reset-at-stop"
        elif (missing := _still(stop)) is not None:
            yield missing, f"run {run} is stopped, and its work of {work} stands still: keep-with-job"


def _still(stop: Stop) -> Absence | None:
    """The fall that never came, where the work was due to fall and did not as long as the run was stopped."""
    due = [fall for fall in falls(stop) if fall.due and fall.after < fall.before]
    if not due or any(fall.rows for fall in due):
        return None
    near = due[-1].sent.rows[-1] if due[-1].sent.rows else stop.row
    return absent("reversal-log", f"a fall of the work of {stop.run} in {len(due)} ticks", near=near)


# -- output-full -------------------------------------------------------------------------------------------------------


def not_reserving(e: Evidence) -> Iterator[Shown]:
    """Requests that are admitted whether or not room was reserved (lifecycle: step 3)."""
    if not observed(e, "reservation-ledger"):
        return
    for report in e.reports(("job-waiting", "job-started"), old="requested"):
        tried = [row for row in e.world_of(report).rows("reservation-ledger", run=report.run) if row.pos < report.pos]
        if not tried:
            missing = absent("reservation-ledger", f"a reservation for run {report.run}", near=report)
            yield missing, f"run {report.run} is admitted, and its room was never asked for"
        elif tried[-1]["change"] == "refused":
            yield report, f"run {report.run} is admitted, and its room was refused: no answer of wait-before-start"


def not_retrying(e: Evidence) -> Iterator[Shown]:
    """Outputs that are not refused and tried again: room is reserved before the start, or awaited before the finish."""
    for report in e.reports("job-stopped"):
        if "output-full" in report["causes"]:
            yield report, f"run {report.run} stops at its finish gate for room: wait-until-space"
    if observed(e, "reservation-ledger"):
        for row in e.rows("reservation-ledger"):
            yield row, f"room for the output of run {row.run} is asked for before it starts: wait-before-start"


# -- delivery-trigger --------------------------------------------------------------------------------------------------


def not_on_collection(e: Evidence) -> Iterator[Shown]:
    """Outputs that are delivered by their acceptance (lifecycle: step 15)."""
    for report in e.reports("job-delivered", causes=["accepted"]):
        yield report, f"run {report.run} is delivered because its output was accepted: automatic"


# -- cancel-return -----------------------------------------------------------------------------------------------------


def not_by_rule(e: Evidence) -> Iterator[Shown]:
    """Cancellations that give all back, or nothing, where the rule says otherwise (lifecycle: step 17)."""
    if not observed(e, "claim-ledger"):
        return
    for w in e.worlds:
        for sent in w.events("cancel"):
            for report in sent.rows_of("report-log", run=sent.event["run"], report="job-canceled"):
                c = canceling(sent, report)
                owed = returned(e.config, str(sent.event["row"]), c.held)
                back, spent = totals(claims(e, report, "release")), totals(claims(e, report, "spend"))
                if owed is None or not c.held or back == owed:
                    continue
                if back == c.held:
                    yield report, f"the whole claim of run {c.run} comes back: return-claimed"
                elif not back and spent == c.held:
                    yield report, f"nothing of the claim of run {c.run} comes back: return-nothing"
