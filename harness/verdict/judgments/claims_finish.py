"""finish-time-inputs-stay-at-source: before the finish gate nothing is claimed, and all inputs are for everyone."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, lacking, moved, units_text
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.claims_ledgers import differing, usable_owed
from harness.verdict.judgments.reports_agreement import ledger_disagrees
from harness.verdict.parts import Part, absent, holds, nothing

TEMPLATE = "finish-time-inputs-stay-at-source"


@clause(TEMPLATE, 0)
def all_inputs_stay_at_their_source_until_the_finish_gate(e: Evidence) -> Iterator[Part]:
    """No claim before the settle that passes the gate; what is usable falls only by what others take."""
    yield from event_trouble(e, "request", "admit", "use", "tick")
    for w in e.worlds:
        usable = differing("usable-inputs", w.rows("usable-inputs"), list(usable_owed(w)), lambda why: True, "why")
        wrong = [*ledger_disagrees(w), *usable]
        yield from breaches(wrong)
        for run, asked in asked_runs(e, w).items():
            if not asked.needs:
                yield nothing(f"{asked.job.id} needs no unit")
                continue
            found = [*_early_claims(w, run), *_gate_is_wrong(e, w, asked)]
            yield from breaches(found)
            if not found and not wrong:
                yield from _points(e, w, asked)


def _passes_gate(w: WorldView, row: LogRow) -> bool:
    """Whether the row stands in the settle of job-finished, or of a resume that the finish follows in its batch."""
    beside = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
    names = {each["report"] for each in beside if each.run == row.run}
    if "job-finished" in names:
        return True
    batch = w.batch_rows(row.batch, "report-log") if row.batch is not None else ()
    finishes = any(each["report"] == "job-finished" and each.run == row.run for each in batch)
    return "job-resumed" in names and finishes


def _early_claims(w: WorldView, run: str) -> Iterator[Breach]:
    for row in w.rows("claim-ledger", run):
        if not _passes_gate(w, row):
            yield row, f"the ledger has a {row['change']} of {run} where it does not pass its finish gate"


def _gate_is_wrong(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Breach]:
    """A finish that the units were not there for, or that did not claim them."""
    for report in w.reports("job-finished", asked.run):
        rows = tuple(row for row in w.rows("claim-ledger", asked.run, change="claim") if row.batch == report.batch)
        settle = e.settle_of(report)
        first = rows[0] if rows else (settle[0] if settle else report)
        short = lacking(e, asked.needs, first)
        if short:
            yield report, f"{asked.run} finishes although {units_text(short)} is lacking at its source"
        elif moved(rows, "claim") != dict(asked.needs):
            missing = absent("claim-ledger", f"the claim of {asked.run} at its finish gate", len(rows), report)
            told, due = units_text(moved(rows, "claim")), units_text(asked.needs)
            yield rows[0] if rows else missing, f"{asked.run} claims {told} at its finish gate, required is {due}"


_POINTS = ("job-waiting", "job-started", "job-working")


def _points(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Part]:
    """Each point that the run was told to reach before its gate: it holds nothing there."""
    for report in w.reports(_POINTS, asked.run):
        if not e.after(report).held(asked.run):
            yield holds(*_last_usable(w, asked, report), report)


def _last_usable(w: WorldView, asked: Asked, report: LogRow) -> Iterator[LogRow]:
    """The last row before the report that tells what is usable of each input."""
    for item, source in asked.needs:
        rows = [row for row in w.rows("usable-inputs", item=item, source=source) if row.pos < report.pos]
        yield from rows[-1:]
