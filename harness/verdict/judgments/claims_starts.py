"""Claims at the start gate: start-time-claim-is-atomic and progress-claim-starts-with-rounded-share."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.run.recording import LogRow, fraction, fraction_text
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import (
    Asked,
    Units,
    asked_runs,
    lacking,
    moved,
    start_share,
    supporting_share,
    tested_share,
    units_text,
)
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.claims_reservations import reservations_disagree
from harness.verdict.judgments.claims_shares import gate_answers_are_wrong
from harness.verdict.judgments.reports_agreement import ledger_disagrees, reports_disagree
from harness.verdict.parts import Part, absent, holds, nothing

AT_START = "start-time-claim-is-atomic"
PROGRESS = "progress-claim-starts-with-rounded-share"


# -- the claim of a start -----------------------------------------------------------------------------------------


def start_claim_is_wrong(e: Evidence, w: WorldView, asked: Asked, report: LogRow) -> Iterator[Breach]:
    """A start without exactly its share, claimed in one settle of its batch and before job-started.

    After a recoverable failure from waiting the resume takes the claim in the same batch; the start takes none then.
    """
    run, due = asked.run, dict(start_share(e, asked))
    rows = tuple(row for row in w.rows("claim-ledger", run, change="claim") if row.pos < report.pos)
    held = dict(e.after(report).held(run))
    if held != due:
        missing = absent("claim-ledger", f"the claim of {run} at its start", len(rows), report)
        because = f"{run} starts holding {units_text(held)}, due is {units_text(due)}"
        yield rows[0] if rows else missing, because
        return
    resumed = {row.settle for row in w.reports("job-resumed", run, new="waiting") if row.batch == report.batch}
    for row in rows:
        if row.settle != report.settle and row.settle not in resumed:
            yield row, f"{run} claims {row['amount']} {row['item']} before its start gate"
    if rows and moved(rows, "claim") != due:
        yield rows[-1], f"{run} claims {units_text(moved(rows, 'claim'))} up to its start, due is {units_text(due)}"


def stray_claims(w: WorldView, asked: Asked, *reports: str) -> Iterator[Breach]:
    """Claims of the run in a settle that none of these reports stands in (a tick's advance has none)."""
    for row in w.rows("claim-ledger", asked.run, change="claim"):
        beside = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
        if not any(each["report"] in reports and each.run == asked.run for each in beside):
            yield row, f"{asked.run} claims {row['amount']} {row['item']} where it neither starts nor resumes"


@clause(AT_START, 0)
def a_start_claims_the_full_requirement_before_it_reports(e: Evidence) -> Iterator[Part]:
    """Every job-started holds the whole requirement, claimed in one settle; nobody claims anywhere else."""
    yield from event_trouble(e, "request", "admit", "supply")
    for w in e.worlds:
        yield from breaches(reports_disagree(w))
        yield from breaches(wrong := list(ledger_disagrees(w)))
        for run, asked in asked_runs(e, w).items():
            if not asked.needs:
                yield nothing(f"{asked.job.id} needs no unit")
                continue
            yield from breaches(stray := list(stray_claims(w, asked, "job-started", "job-resumed")))
            for report in w.reports("job-started", run):
                found = [*start_claim_is_wrong(e, w, asked, report), *stray]
                yield from breaches(found)
                if not found and not wrong:
                    yield holds(*_claims_before(w, report), report)


def _claims_before(w: WorldView, report: LogRow) -> tuple[LogRow, ...]:
    rows = w.rows("claim-ledger", report.run, change="claim")
    return tuple(row for row in rows if row.batch == report.batch and row.pos < report.pos)


@clause(AT_START, 1)
def a_start_that_cannot_claim_waits_or_is_refused(e: Evidence) -> Iterator[Part]:
    """Lacking units: waiting with inputs-unavailable, or job-limit-full with the reservation given back."""
    yield from event_trouble(e, "use", "request", "admit", "readmit")
    yield from _short_starts(e)


def _short_starts(e: Evidence) -> Iterator[Part]:
    for w in e.worlds:
        wrong = list(reservations_disagree(e, w)) if e.config.output_full == "wait-before-start" else []
        yield from breaches(wrong)
        for asked in asked_runs(e, w).values():
            needed = tested_share(e, asked)
            if not needed:
                continue
            answer, short, found = gate_answers_are_wrong(e, w, asked, needed)
            found += _started_short(e, w, asked, needed)
            yield from breaches(found)
            if answer is not None and short and not found and not wrong:
                yield holds(answer, *_released(e, w, answer))


def _released(e: Evidence, w: WorldView, answer: LogRow) -> tuple[LogRow, ...]:
    """The release of the reservation beside a refusal, where the answer reserves."""
    if e.config.output_full != "wait-before-start":
        return ()
    rows = w.rows("reservation-ledger", answer.run, change="release")
    return tuple(row for row in rows if row.settle == answer.settle)


def _started_short(e: Evidence, w: WorldView, asked: Asked, needed: Units) -> Iterator[Breach]:
    """Later starts out of waiting that the units were not there for."""
    for report in w.reports("job-started", asked.run, old="waiting"):
        settle = e.settle_of(report)
        first = settle[0] if settle else report
        held = e.at(first).held(asked.run)
        rest = {unit: amount - held.get(unit, 0) for unit, amount in needed.items() if amount > held.get(unit, 0)}
        short = lacking(e, rest, first)
        if short:
            yield report, f"{asked.run} starts although {units_text(short)} is lacking at its start gate"


# -- with progress ------------------------------------------------------------------------------------------------


@clause(PROGRESS, 0)
def both_gates_test_the_initial_share_and_not_the_whole(e: Evidence) -> Iterator[Part]:
    """A request with its tested share passes both gates, one without it passes neither."""
    yield from event_trouble(e, "request", "admit", "use", "supply")
    for w in e.worlds:
        yield from breaches(reports_disagree(w))
        for run, asked in asked_runs(e, w).items():
            if not asked.needs:
                yield nothing(f"{asked.job.id} needs no unit")
                continue
            tested = tested_share(e, asked)
            short = lacking(e, tested, asked.report)
            rejected = [
                row
                for row in asked.sent.rows_of("report-log", run, report="job-rejected")
                if "missing-inputs" in row["causes"]
            ]
            found = list(_check_is_wrong(asked, short, rejected))
            answer, _, wrong = gate_answers_are_wrong(e, w, asked, tested)
            found += [] if short else wrong
            yield from breaches([*found, *_started_short(e, w, asked, tested)])
            if not found:
                yield holds(*(rejected if short else [answer or asked.report]))


def _check_is_wrong(asked: Asked, short: Units, rejected: list[LogRow]) -> Iterator[Breach]:
    if short and not rejected:
        missing = absent("report-log", f"job-rejected of {asked.run}", 1, asked.report)
        yield missing, f"{asked.run} passes the availability check although {units_text(short)} is lacking"
    elif rejected and not short and asked.is_own:
        yield rejected[0], f"{asked.run} is rejected although its tested share was usable"


@clause(PROGRESS, 1)
def a_start_claims_the_initial_share_before_it_reports(e: Evidence) -> Iterator[Part]:
    """job-started holds the initial share; work is recorded only where the claim supports it."""
    yield from event_trouble(e, "use", "request", "admit", "readmit")
    for w in e.worlds:
        yield from breaches(wrong := list(ledger_disagrees(w)))
        for run, asked in asked_runs(e, w).items():
            for report in w.reports("job-started", run):
                found = list(start_claim_is_wrong(e, w, asked, report))
                yield from breaches(found)
                if not found and not wrong:
                    yield holds(*_claims_before(w, report), report)
            yield from breaches([*_unsupported(e, w, asked), *_unpaid_ticks(e, w, asked)])
    yield from _short_starts(e)


def _unsupported(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Breach]:
    """Work that a report tells of and that the claim of the run did not support when the settle of it began."""
    for report in w.reports(("job-stopped", "job-finished"), asked.run, old=("working", "started")):
        settle = e.settle_of(report)
        held = e.at(settle[0] if settle else report).held(asked.run)
        work = fraction(report["work-before"]) or Fraction(0)
        due = supporting_share(e, asked, work) if work else {}
        short = {unit: amount - held.get(unit, 0) for unit, amount in due.items() if amount > held.get(unit, 0)}
        if short:
            yield report, f"{asked.run} recorded work {report['work-before']}, its claim lacks {units_text(short)}"


def _unpaid_ticks(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Breach]:
    """Ticks through which the run worked, told by no stop, and whose work point its claim does not support after them.

    The point follows from the last report and the ticks since then: the logs of recorded work are not asked.
    """
    life, at, work = w.life(asked.run), 0, Fraction(0)
    for sent in w.sent:
        known = life[at - 1]["new"] if at else None
        new = [row for row in life[at:] if row.pos <= sent.rows[-1].pos] if sent.rows else []
        if new:
            at += len(new)
            work = fraction(new[-1]["work-after"]) or Fraction(0)
        elif known == "working" and sent.kind == "tick" and sent.outcome == "accepted":
            work = min(work + asked.per_tick, asked.required)
            held = sent.after.held(asked.run)
            due = supporting_share(e, asked, work)
            short = {unit: amount - held.get(unit, 0) for unit, amount in due.items() if amount > held.get(unit, 0)}
            if short:
                missing = absent("report-log", f"job-stopped of {asked.run} at moment {sent.moment + 1}", len(life))
                told = f"worked on to {fraction_text(work)} without {units_text(short)}, and no stop was reported"
                yield missing, f"{asked.run} {told}"
                return
