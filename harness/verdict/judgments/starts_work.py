"""work-phase-enters-working: the entry into work, its exact points, and the finish gate."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.run.recording import LogRow, fraction, fraction_text
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.reports_agreement import (
    ledger_disagrees,
    states_disagree,
    ticks_without_work,
    work_disagrees,
)
from harness.verdict.parts import Part, absent, holds

TEMPLATE = "work-phase-enters-working"

GATE_CAUSES = frozenset({"output-full", "inputs-unavailable-at-finish"})


def _runs(e: Evidence, w: WorldView) -> Iterator[Asked]:
    """The runs that go through the row's work phase."""
    phase = e.row.id if e.row is not None else None
    return (each for each in asked_runs(e, w).values() if each.phase is not None and each.phase.id == phase)


@clause(TEMPLATE, 0)
def job_working_reports_the_entry_into_working(e: Evidence) -> Iterator[Part]:
    """Each start is followed, in its batch, by started to working, told with the phase as its cause."""
    yield from event_trouble(e, "request", "tick")
    for w in e.worlds:
        yield from breaches(wrong := list(states_disagree(w)))
        for asked in _runs(e, w):
            starts, entries = w.reports("job-started", asked.run), w.reports("job-working", asked.run)
            found = [*_entries_are_wrong(w, asked, starts, entries)]
            yield from breaches(found)
            if not found and not wrong:
                yield from (holds(*_entry_rows(w, row), row) for row in entries)


def _entry_rows(w: WorldView, report: LogRow) -> tuple[LogRow, ...]:
    return w.settle_rows(report.settle, "state-trace") if report.settle is not None else ()


def _entries_are_wrong(
    w: WorldView, asked: Asked, starts: tuple[LogRow, ...], entries: tuple[LogRow, ...]
) -> Iterator[Breach]:
    for start in starts:
        if not any(row.batch == start.batch and row.pos > start.pos for row in entries):
            missing = absent("report-log", f"job-working of {asked.run}", len(entries), start)
            yield missing, f"{asked.run} is started and does not enter working in that batch"
    for row in entries:
        phase = asked.phase.id if asked.phase is not None else None
        if row["causes"] != [phase]:
            yield row, f"job-working of {asked.run} carries {', '.join(row['causes'])}, its phase is {phase}"
        if (row["old"], row["new"]) != ("started", "working"):
            yield row, f"job-working of {asked.run} tells {row['old']} to {row['new']}"


# -- exact points -------------------------------------------------------------------------------------------------


@clause(TEMPLATE, 1)
def work_points_are_exact(e: Evidence) -> Iterator[Part]:
    """Each advance adds the work of one tick as an exact number, up to the required work and never beyond."""
    for w in e.worlds:
        wrong = [*work_disagrees(w), *ticks_without_work(e, w)]
        yield from breaches(wrong)
        for asked in _runs(e, w):
            rows = w.rows("work-before-after", asked.run)
            found = list(_entered_wrongly(w, asked))
            found += [each for row in rows for each in _point_is_wrong(w, asked, row)]
            yield from breaches(found)
            if not found and not wrong:
                yield from (holds(row) for row in rows if row["why"] == "advance")


def _entered_wrongly(w: WorldView, asked: Asked) -> Iterator[Breach]:
    """An entry into work that is not recorded as one from nothing, of the required work."""
    for report in w.reports("job-working", asked.run):
        rows = w.settle_rows(report.settle, "work-before-after") if report.settle is not None else ()
        told = [(row["why"], fraction(row["after"]), fraction(row["required"])) for row in rows]
        if told != [("enter", Fraction(0), asked.required)]:
            missing = absent("work-before-after", f"the entry of {asked.run} into work", len(rows), report)
            due = f"from 0 of {fraction_text(asked.required)}"
            yield rows[0] if rows else missing, f"{asked.run} does not enter its work {due}"


def _point_is_wrong(w: WorldView, asked: Asked, row: LogRow) -> Iterator[Breach]:
    before, after, required = fraction(row["before"]), fraction(row["after"]), fraction(row["required"])
    if before is None or after is None:
        yield row, f"the work of {asked.run} is told as {row['before']} to {row['after']}, which is no exact number"
        return
    if required != asked.required:
        yield row, f"the required work of {asked.run} is {fraction_text(asked.required)}, not {row['required']}"
    if not 0 <= after <= asked.required:
        yield row, f"the work of {asked.run} is {row['after']}, outside of 0 to {fraction_text(asked.required)}"
    if row["why"] != "advance":
        return
    due = min(before + asked.per_tick, asked.required)
    if after != due:
        yield row, f"a tick takes the work of {asked.run} from {row['before']} to {row['after']}, not to {due}"
    if w.sent_of(row).kind != "tick":
        yield row, f"the work of {asked.run} advances without a tick"


# -- the finish gate ----------------------------------------------------------------------------------------------


@clause(TEMPLATE, 2)
def the_required_work_leads_to_the_finish_gate_and_spends_nothing(e: Evidence) -> Iterator[Part]:
    """The last advance neither spends nor creates; the gate follows in the same batch, in a settle of its own."""
    for w in e.worlds:
        yield from breaches(wrong := list(ledger_disagrees(w)))
        for asked in _runs(e, w):
            found = list(_early_effects(w, asked))
            yield from breaches(found)
            for row in w.rows("work-before-after", asked.run, why="advance"):
                if fraction(row["after"]) != asked.required:
                    continue
                gate, late = _gate_of(w, row)
                yield from breaches(late)
                if gate is not None and not late and not found and not wrong:
                    yield holds(row, *_effects_of(w, gate), gate)


def _gate_of(w: WorldView, row: LogRow) -> tuple[LogRow | None, list[Breach]]:
    """The report in which the run meets its gate, later in the batch of the advance that completed its work."""
    batch = w.batch_rows(row.batch, "report-log") if row.batch is not None else ()
    mine = [each for each in batch if each.run == row.run and each.pos > row.pos]
    if not mine:
        missing = absent("report-log", f"{row.run} at its finish gate", len(batch), row)
        return None, [(missing, f"{row.run} completes its work and does not meet the finish gate in that batch")]
    gate = mine[0]
    stopped = gate["report"] == "job-stopped" and set(gate["causes"] or ()) <= GATE_CAUSES
    if gate["report"] != "job-finished" and not stopped:
        return gate, [(gate, f"{gate['report']} of {row.run} follows its completed work, not its finish gate")]
    if gate.settle == row.settle:
        return gate, [(gate, f"the completed work of {row.run} settles together with its {gate['report']}")]
    return gate, []


def _effects_of(w: WorldView, gate: LogRow) -> tuple[LogRow, ...]:
    rows = w.settle_rows(gate.settle, "claim-ledger", "output-identity") if gate.settle is not None else ()
    return tuple(row for row in rows if row.log == "output-identity" or row["change"] == "spend")


def _early_effects(w: WorldView, asked: Asked) -> Iterator[Breach]:
    """Spent units (but for a cancellation) and outputs of the run outside of the settle that finishes it."""
    ends = {"job-finished", "job-canceled"}
    for row in w.rows("claim-ledger", asked.run, change="spend"):
        beside = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
        if not any(each["report"] in ends and each.run == asked.run for each in beside):
            yield row, f"{asked.run} spends {row['amount']} {row['item']} where it does not pass its finish gate"
    made = w.rows("output-identity", asked.run, change="established")
    for row in made:
        beside = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
        if not any(each["report"] == "job-finished" and each.run == asked.run for each in beside):
            yield row, f"an output of {asked.run} is created where it does not pass its finish gate"
    for row in made[1:]:
        yield row, f"{asked.run} creates a second output"
    finished = w.reports("job-finished", asked.run)
    if finished and not made:
        missing = absent("output-identity", f"the output of {asked.run}", 0, finished[0])
        yield missing, f"{asked.run} finished and created no output"
