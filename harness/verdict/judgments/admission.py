"""The availability check: exact-inputs-required and no-input-check-is-empty."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, Units, asked_runs, lacking, tested_share, units_text
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.admission_gates import INPUTS_UNAVAILABLE, reasons_at, where
from harness.verdict.judgments.admission_traces import trace_disagrees
from harness.verdict.judgments.claims_shares import refusal_is_wrong
from harness.verdict.judgments.reports import unreported_requests
from harness.verdict.judgments.reports_agreement import (
    UNIT_COLUMNS,
    ledger_disagrees,
    reported_units,
    reports_disagree,
    work_disagrees,
)
from harness.verdict.parts import Part, absent, holds, nothing

EXACT = "exact-inputs-required"
EMPTY = "no-input-check-is-empty"

_NOTHING_TESTED = "no job needs a unit, so nothing can be short"


# -- exact inputs -------------------------------------------------------------------------------------------------


@clause(EXACT, 0)
def a_request_short_of_its_tested_share_is_rejected(e: Evidence) -> Iterator[Part]:
    """Short: job-rejected with missing-inputs, and nothing after it. Enough: not rejected for that."""
    yield from event_trouble(e, "request", "use")
    for w in e.worlds:
        yield from breaches(unreported_requests(w))
        yield from breaches(reports_disagree(w))
        for asked in asked_runs(e, w).values():
            tested = tested_share(e, asked)
            if not tested:
                yield nothing(_NOTHING_TESTED)
                continue
            short = lacking(e, tested, asked.report)
            rejected = asked.sent.rows_of("report-log", asked.run, report="job-rejected")
            wrong = list(_rejection_is_wrong(w, asked, short, rejected))
            yield from breaches(wrong)
            if short and not wrong:
                yield holds(*rejected)


def _rejection_is_wrong(w: WorldView, asked: Asked, short: Units, rejected: tuple[LogRow, ...]) -> Iterator[Breach]:
    run = asked.run
    if short and not rejected:
        lack = units_text(short)
        missing = absent("report-log", f"job-rejected of {run}", len(w.life(run)), asked.report)
        yield missing, f"{run} lacks {lack} and is not rejected"
    elif not short:
        # A standing order's request may go on to its claim within the same tick, where a readmission is polled.
        for row in rejected:
            if "missing-inputs" in row["causes"] and asked.is_own:
                yield row, f"{run} is rejected with missing-inputs although its tested share was usable"
    else:
        yield from _must_end(w, run, rejected[0])


def _must_end(w: WorldView, run: str, row: LogRow) -> Iterator[Breach]:
    if row["causes"] != ["missing-inputs"]:
        yield row, f"{run} is rejected with {', '.join(row['causes'])}, not with missing-inputs"
    if (row["old"], row["new"]) != ("requested", "requested"):
        yield row, f"the rejection of {run} tells {row['old']} to {row['new']}"
    for later in w.life(run):
        if later.pos > row.pos:
            yield later, f"{later['report']} follows the rejection of {run}"
        elif later["report"] not in ("job-requested", "job-rejected"):
            yield later, f"{run} was short of its tested share and yet reports {later['report']}"


@clause(EXACT, 1)
def a_rejection_claims_records_and_creates_nothing(e: Evidence) -> Iterator[Part]:
    """The refused request leaves no claim, no work and no output, also not in the claims of other runs."""
    for w in e.worlds:
        agree = [*ledger_disagrees(w), *work_disagrees(w), *_outputs_disagree(w)]
        yield from breaches(agree)
        for asked in asked_runs(e, w).values():
            if not lacking(e, tested_share(e, asked), asked.report):
                continue
            wrong = list(_left_behind(e, w, asked))
            yield from breaches(wrong)
            if not wrong and not agree:
                yield holds(*asked.sent.rows_of("report-log", asked.run))


def _outputs_disagree(w: WorldView) -> Iterator[Breach]:
    """One output of each finished run, established in its finish, and none of any other run."""
    finished = {report.run: report for report in w.reports("job-finished")}
    made: dict[str | None, LogRow] = {}
    for row in w.rows("output-identity", change="established"):
        report = finished.get(row.run)
        if report is None or row.settle != report.settle:
            yield row, f"an output of {row.run} is established where it does not finish"
        elif row.run in made:
            yield row, f"a second output of {row.run} is established"
        made[row.run] = row
    for run, report in finished.items():
        if run not in made:
            yield absent("output-identity", f"the output of {run}", 0, report), f"{run} finished without an output"
    for row in w.rows("output-identity", change=("delivered", "destroyed")):
        if row.run not in made:
            yield row, f"an output of {row.run} is {row['change']} that was never established"


def _left_behind(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Breach]:
    run = asked.run
    for log, what in (("claim-ledger", "claim"), ("work-before-after", "work"), ("output-identity", "output")):
        for row in w.rows(log, run):
            yield row, f"{run} was short of its tested share, yet a row of {log} tells of its {what}"
    for report in w.life(run):
        units = {column: reported_units(report, column) for column in UNIT_COLUMNS}
        if any(units.values()) or (report["work-before"], report["work-after"]) != ("0", "0"):
            yield report, f"{report['report']} of {run} tells of units or of work"
    ends = asked.sent.rows_of("report-log", run, report="job-rejected")
    until = ends[0].pos if ends and e.config.standing_orders else None
    for row in asked.sent.rows_of("claim-ledger"):
        if row.run != run and (until is None or asked.report.pos < row.pos < until):
            yield row, f"the refused request of {run} changes the claim of {row.run}"


# -- no inputs ----------------------------------------------------------------------------------------------------


@clause(EMPTY, 0)
def the_input_check_is_skipped_and_no_units_move(e: Evidence) -> Iterator[Part]:
    """Each request has one skipped check that tests nothing, and nobody claims, releases, spends or loses."""
    yield from event_trouble(e, "request")
    for w in e.worlds:
        for row in w.rows("claim-ledger"):
            yield from breaches([(row, f"{row.run} has a {row['change']} although the job needs no input")])
        for run, asked in asked_runs(e, w).items():
            wrong = [*_check_is_wrong(w, asked), *_units_are_named(w, run)]
            yield from breaches(wrong)
            if not wrong:
                yield holds(*w.rows("admission-trace", run, step="input-check", outcome="skipped"))


def _check_is_wrong(w: WorldView, asked: Asked) -> Iterator[Breach]:
    rows = w.rows("admission-trace", asked.run, step="input-check")
    skipped = [row for row in rows if row["outcome"] == "skipped"]
    if len(skipped) != 1:
        missing = absent("admission-trace", f"the skipped input check of {asked.run}", len(rows), asked.report)
        yield skipped[1] if skipped else missing, f"the skipped check of {asked.run} is traced {len(skipped)} times"
    for row in rows:
        if row["outcome"] not in ("skipped", "paused") or row["tested"]:
            yield row, f"the input check of {asked.run} is {row['outcome']} and tests {row['tested'] or 'nothing'}"


def _units_are_named(w: WorldView, run: str) -> Iterator[Breach]:
    for report in w.life(run):
        if any(report[column] for column in UNIT_COLUMNS):
            yield report, f"{report['report']} of {run} names units although the job needs no input"
        if {"missing-inputs", INPUTS_UNAVAILABLE, "inputs-unavailable-at-finish"} & set(report["causes"] or ()):
            yield report, f"{report['report']} of {run} names inputs as its cause"


@clause(EMPTY, 1)
def the_other_gates_still_decide_the_admission(e: Evidence) -> Iterator[Part]:
    """Slots, order, dependencies, waiting limit and reservation admit, delay or refuse, each as it stands."""
    yield from event_trouble(e, "request", "admit", "readmit")
    for w in e.worlds:
        wrong = list(trace_disagrees(e, w))
        yield from breaches(wrong)
        at = where(e, w)
        for run, asked in asked_runs(e, w).items():
            answer = next((row for row in w.life(run) if row["report"] in _ANSWERS), None)
            if answer is None:
                yield from _unanswered(e, w, asked)
                continue
            reasons = reasons_at(at, asked, answer)
            found = list(_decision_is_wrong(e, w, asked, answer, reasons))
            yield from breaches(found)
            if not found and not wrong:
                yield holds(*w.rows("admission-trace", run, step="admission"), answer)


_ANSWERS = ("job-rejected", "job-waiting", "job-started")


def _decision_is_wrong(
    e: Evidence, w: WorldView, asked: Asked, answer: LogRow, reasons: frozenset[str]
) -> Iterator[Breach]:
    name, told = answer["report"], ", ".join(sorted(reasons)) or "no reason"
    if name == "job-started" and reasons:
        yield answer, f"{asked.run} starts at once although there is {told}"
    elif name == "job-waiting" and set(answer["causes"]) != reasons:
        yield answer, f"{asked.run} waits for {', '.join(answer['causes'])}, there is {told}"
    elif name == "job-rejected" and not reasons:
        yield answer, f"{asked.run} is refused although there is no reason to wait"
    elif name == "job-rejected":
        yield from refusal_is_wrong(e, w, asked, answer)


def _unanswered(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Part]:
    """A run that was requested and not answered: it is paused, blocked for room, or owed an answer."""
    blocked = w.rows("admission-trace", asked.run, step="reservation", outcome="blocked")
    admitted = not asked.is_paused or bool(w.events("admit", run=asked.run))
    if blocked and e.config.output_full == "wait-before-start":
        yield holds(*blocked)
    elif admitted and not w.reports("job-canceled", asked.run):
        missing = absent("report-log", f"the answer to the request of {asked.run}", 1, asked.report)
        yield from breaches([(missing, f"{asked.run} was neither started nor left waiting nor refused")])
