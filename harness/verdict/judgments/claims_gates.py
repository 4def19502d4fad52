"""The claims of the four timings: at the request, at the start, with progress, and at the finish."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, moved, units_text
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.admission_traces import trace_disagrees
from harness.verdict.judgments.claims_shares import claims_by_settle, order_disagrees
from harness.verdict.judgments.reports_agreement import ledger_disagrees
from harness.verdict.parts import Part, absent, holds

AT_REQUEST = "request-time-claim-is-atomic"

_ADMISSION = ("job-waiting", "job-started")


def admission_of(w: WorldView, run: str) -> LogRow | None:
    """The report that admitted the run; None where it was not admitted."""
    return next((row for row in w.reports(_ADMISSION, run) if row["old"] == "requested"), None)


# -- taken at request ---------------------------------------------------------------------------------------------


@clause(AT_REQUEST, 0)
def the_full_requirement_is_claimed_in_the_admission_batch(e: Evidence) -> Iterator[Part]:
    """One settle of the admission claims it all, and no start claims again."""
    yield from event_trouble(e, "request", "admit", "readmit")
    for w in e.worlds:
        wrong = [*trace_disagrees(e, w), *ledger_disagrees(w)]
        yield from breaches(wrong)
        for run, asked in asked_runs(e, w).items():
            admission = admission_of(w, run)
            if admission is None or not asked.needs:
                continue
            yield from breaches(again := list(_claimed_again(w, asked, admission)))
            rows = tuple(row for row in w.settle_rows(admission.settle or 0, "claim-ledger") if row.run == run)
            if moved(rows, "claim") != dict(asked.needs):
                yield from breaches([_short_claim(asked, admission, rows)])
            elif not again and not wrong:
                yield holds(*rows, admission)


def _short_claim(asked: Asked, admission: LogRow, rows: tuple[LogRow, ...]) -> Breach:
    told, needed = units_text(moved(rows, "claim")), units_text(asked.needs)
    missing = absent("claim-ledger", f"the full claim of {asked.run}", len(rows), admission)
    return rows[0] if rows else missing, f"{asked.run} claims {told} at its admission, required is {needed}"


def _claimed_again(w: WorldView, asked: Asked, admission: LogRow) -> Iterator[Breach]:
    for row in w.rows("claim-ledger", asked.run, change="claim"):
        resumed = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
        if row.settle != admission.settle and not any(each["report"] == "job-resumed" for each in resumed):
            yield row, f"{asked.run} claims {row['amount']} {row['item']} outside of its admission and of a resume"


@clause(AT_REQUEST, 1)
def the_claim_precedes_the_reports_of_the_admission(e: Evidence) -> Iterator[Part]:
    """In report-order every claim of the admission stands before job-waiting and before job-started."""
    for w in e.worlds:
        yield from breaches(wrong := list(order_disagrees(w)))
        for run, asked in asked_runs(e, w).items():
            if not asked.needs or wrong:
                continue
            for report in w.reports(_ADMISSION, run):
                late = _claimed_late(w, report) if report["old"] == "requested" else []
                early = w.rows("claim-ledger", run, change="claim")
                if not early or early[0].pos > report.pos:
                    late.append((report, f"{report['report']} of {run} stands before any claim of it"))
                yield from breaches(late)
                if not late:
                    yield holds(*_order_rows(w, report))


def _order_rows(w: WorldView, report: LogRow) -> tuple[LogRow, ...]:
    rows = w.settle_rows(report.settle, "report-order") if report.settle is not None else ()
    return tuple(row for row in rows if row.run == report.run) or (report,)


def _claimed_late(w: WorldView, report: LogRow) -> list[Breach]:
    batch = w.batch_rows(report.batch, "report-order") if report.batch is not None else ()
    mine = [row for row in batch if row.run == report.run]
    told = next((row["position"] for row in mine if row["name"] == report["report"]), 0)
    return [
        (row, f"a claim of {report.run} stands after its {report['report']}")
        for row in mine
        if (row["what"], row["name"]) == ("claim-change", "claim") and row["position"] > told
    ]


@clause(AT_REQUEST, 2)
def no_partial_claim_is_observable(e: Evidence) -> Iterator[Part]:
    """After every settle with a claim the run holds all of it; a run that was not admitted holds nothing."""
    yield from event_trouble(e, "use", "supply")
    for w in e.worlds:
        for run, asked in asked_runs(e, w).items():
            if not asked.needs:
                continue
            admission = admission_of(w, run)
            for rows in claims_by_settle(w, run):
                held = e.after(rows[-1]).held(run)
                if admission is None or (admission.pos < rows[0].pos and not _beside_resume(w, rows[0])):
                    yield from breaches([(rows[0], f"{run} claims {units_text(moved(rows, 'claim'))} unadmitted")])
                elif dict(held) != dict(asked.needs):
                    because = f"{run} holds {units_text(held)} after its claim, required is {units_text(asked.needs)}"
                    yield from breaches([(rows[-1], because)])
                else:
                    yield holds(*rows)
            yield from _held_at_reports(e, w, asked)


def _beside_resume(w: WorldView, row: LogRow) -> bool:
    rows = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
    return any(each["report"] == "job-resumed" for each in rows)


def _held_at_reports(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Part]:
    """What the run holds wherever it is told to wait, start, work or resume; and nothing where it was refused."""
    for report in w.life(asked.run):
        held = dict(e.after(report).held(asked.run))
        name = report["report"]
        if name in ("job-waiting", "job-started", "job-working", "job-resumed") and held != dict(asked.needs):
            because = f"{asked.run} holds {units_text(held)} at its {name}, required is {units_text(asked.needs)}"
            yield from breaches([(report, because)])
        elif name in ("job-requested", "job-rejected") and held:
            yield from breaches([(report, f"{asked.run} holds {units_text(held)} at its {name}")])
        elif name == "job-rejected":
            yield holds(report)
