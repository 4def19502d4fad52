"""Whether logs that tell of the same thing agree: reports with states, claims and work, and chains with themselves.

A clause that rests on a log is not shown by that log where another log of the same runs contradicts it. Every
function yields the rows that are wrong, or the rows that are missing, with why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from harness.run.recording import LogRow, fraction, fraction_text, whole
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.fold import Unit
from harness.verdict.judgments.admission_asked import Units, moved, units_text
from harness.verdict.judgments.admission_events import Breach
from harness.verdict.parts import absent

#: The columns of a report that list units, with the change of the claim ledger that each of them tells.
UNIT_COLUMNS = {"claimed": "claim", "released": "release", "spent": "spend", "lost": "lose"}

#: Reports that may leave the run in the state it was in.
STANDING = frozenset({"job-rejected", "destination-refused", "job-stopped", "job-failed"})


#: Each report with the changes of state that it may tell of.
MOVES: dict[str, frozenset[tuple[str, str]]] = {
    "job-rejected": frozenset({("requested", "requested")}),
    "job-waiting": frozenset({("requested", "waiting")}),
    "job-started": frozenset({("requested", "started"), ("waiting", "started")}),
    "job-working": frozenset({("started", "working")}),
    "job-stopped": frozenset((old, "stopped") for old in ("working", "started", "stopped")),
    "job-resumed": frozenset(("stopped", new) for new in ("waiting", "working", "started")),
    "job-finished": frozenset({("working", "finished"), ("started", "finished")}),
    "destination-refused": frozenset({("finished", "finished")}),
    "job-delivered": frozenset({("finished", "delivered")}),
    "job-failed": frozenset((old, "stopped") for old in ("waiting", "working", "stopped"))
    | frozenset((old, "failed") for old in ("waiting", "working", "stopped", "finished")),
    "job-canceled": frozenset((old, "canceled") for old in ("requested", "waiting", "working", "stopped")),
}


# -- reports -------------------------------------------------------------------------------------------------------


def reports_disagree(w: WorldView) -> Iterator[Breach]:
    """The reports of every run of a world against each other: one life, of one job, from state to state."""
    for run in dict.fromkeys(row.run for row in w.reports()):
        life = w.reports(run=run)
        first = life[0]
        if first["report"] != "job-requested":
            yield first, f"{first['report']} of {run} comes before any job-requested of it"
        known = first["new"]
        for row in life[1:]:
            if (row["job"], row["pool"], row["place"]) != (first["job"], first["pool"], first["place"]):
                yield row, f"{row['report']} of {run} names another job, pool or place than its job-requested"
            if (row["old"], row["new"]) not in MOVES.get(row["report"], ()):
                yield row, f"{row['report']} of {run} tells {row['old']} to {row['new']}, which it never does"
            elif row["old"] != known:
                yield row, f"{row['report']} of {run} says it was {row['old']}, the report before it left it {known}"
            known = row["new"]


# -- states --------------------------------------------------------------------------------------------------------


def states_disagree(w: WorldView) -> Iterator[Breach]:
    """State-trace against itself and against report-log, in one world."""
    known: dict[str | None, str] = {}
    for row in _in_order(w.rows("state-trace"), w.reports("job-requested")):
        if row.log == "report-log":
            known.setdefault(row.run, "requested")
            continue
        if known.get(row.run) != row["from"]:
            yield row, f"{row.run} leaves {row['from']}, but it was {known.get(row.run) or 'not requested'}"
        known[row.run] = row["to"]
        if not any(_move(each) == (row.run, row["from"], row["to"]) for each in _reports_beside(w, row)):
            yield row, f"no report tells that {row.run} went from {row['from']} to {row['to']}"
    for report in w.reports():
        yield from report_without_move(w, report)


def report_without_move(w: WorldView, report: LogRow) -> Iterator[Breach]:
    """A report whose change of state the state trace does not have in its settle, or has where none is reported."""
    if report["report"] == "job-requested":
        return
    old, new = report["old"], report["new"]
    moves = [row for row in _settle(w, report, "state-trace") if row.run == report.run]
    if old == new and report["report"] in STANDING:
        for row in moves:
            yield row, f"{report['report']} of {report.run} changes no state, yet {row['from']} became {row['to']}"
    elif not any((row["from"], row["to"]) == (old, new) for row in moves):
        yield report, f"the state trace of {report.run} has no change from {old} to {new} at its {report['report']}"


def _move(report: LogRow) -> tuple[str | None, str | None, str | None]:
    return report.run, report["old"], report["new"]


def _settle(w: WorldView, row: LogRow, log: str) -> tuple[LogRow, ...]:
    return w.settle_rows(row.settle, log) if row.settle is not None else ()


def _reports_beside(w: WorldView, row: LogRow) -> tuple[LogRow, ...]:
    return _settle(w, row, "report-log")


def _in_order(*groups: Iterable[LogRow]) -> list[LogRow]:
    return sorted((row for rows in groups for row in rows), key=lambda row: row.pos)


# -- claims -------------------------------------------------------------------------------------------------------


def ledger_disagrees(w: WorldView, *changes: str) -> Iterator[Breach]:
    """The claim ledger against itself and against the units that reports name, for these changes (none: all)."""
    asked = changes or tuple(UNIT_COLUMNS.values())
    yield from _ledger_chain(w, asked)
    for report in w.reports():
        for column, change in UNIT_COLUMNS.items():
            if change in asked:
                yield from _units_differ(w, report, column, change)
    for row in w.rows("claim-ledger", change=asked):
        if not any(each.run == row.run for each in _reports_beside(w, row)) and w.sent_of(row).kind != "tick":
            yield row, f"no report tells of this {row['change']} of {row.run}, and no tick brought it"


def _ledger_chain(w: WorldView, asked: tuple[str, ...]) -> Iterator[Breach]:
    held: dict[tuple[str | None, Unit], int] = {}
    for row in w.rows("claim-ledger"):
        key = (row.run, (row["item"], row["source"]))
        before = held.get(key, 0)
        amount = whole(row["amount"])
        held[key] = before + (amount if row["change"] == "claim" else -amount)
        if row["change"] not in asked:
            continue
        if held[key] < 0:
            yield (
                row,
                f"{row.run} held {before} {row['item']} from {row['source']}: no {row['change']} of {row['amount']}",
            )
        elif row["held-after"] != held[key]:
            yield row, f"{row.run} holds {held[key]} {row['item']} from {row['source']}, not {row['held-after']}"


def reported_units(report: LogRow, column: str) -> Units:
    """The units that a report names in one of its columns, by item and source."""
    total: dict[Unit, int] = {}
    for each in report.get(column) or ():
        unit = (each["item"], each["source"])
        total[unit] = total.get(unit, 0) + each["amount"]
    return {unit: amount for unit, amount in total.items() if amount}


def _units_differ(w: WorldView, report: LogRow, column: str, change: str) -> Iterator[Breach]:
    rows = tuple(row for row in _settle(w, report, "claim-ledger") if row.run == report.run)
    told, settled = reported_units(report, column), moved(rows, change)
    if told != settled:
        yield (
            report,
            f"{report['report']} of {report.run} names {units_text(told)} as {column}, "
            f"the ledger has {units_text(settled)} in its settle",
        )


# -- work ---------------------------------------------------------------------------------------------------------

#: Which row of recorded work each report brings with it, where that does not rest on its states.
_OWED_WORK = {"job-working": "enter", "job-resumed": "resume", "job-canceled": "cancel"}


def work_disagrees(w: WorldView) -> Iterator[Breach]:
    """Recorded work against itself and against the work that reports name, in one world."""
    work: dict[str | None, Fraction] = {}
    for row in _in_order(w.rows("work-before-after"), w.reports()):
        if row.log == "report-log":
            yield from _report_of_work(w, row, work.get(row.run, Fraction(0)))
            continue
        before, after = fraction(row["before"]), fraction(row["after"])
        if before is None or after is None:
            yield row, f"the work of {row.run} is no exact number"
            continue
        yield from _work_row_is_wrong(w, row)
        if before != work.get(row.run, Fraction(0)):
            last = fraction_text(work.get(row.run, Fraction(0)))
            yield row, f"the work of {row.run} was {last}, not {row['before']}"
        work[row.run] = after


def _report_of_work(w: WorldView, report: LogRow, known: Fraction) -> Iterator[Breach]:
    rows = [row for row in _settle(w, report, "work-before-after") if row.run == report.run]
    before, after = fraction(report["work-before"]), fraction(report["work-after"])
    first = fraction(rows[0]["before"]) if rows else known
    last = fraction(rows[-1]["after"]) if rows else known
    if (before, after) != (first, last):
        told = f"{report['work-before']} to {report['work-after']}"
        yield report, f"{report['report']} of {report.run} tells work {told}, recorded is {first} to {last}"
    why = owed_work(report)
    if why is not None and not any(row["why"] == why for row in rows):
        yield (
            absent("work-before-after", f"the {why} row of {report.run}", len(rows), report),
            (f"{report['report']} of {report.run} comes without a row of work for {why}"),
        )


def _work_row_is_wrong(w: WorldView, row: LogRow) -> Iterator[Breach]:
    """A second row of work in a settle, or one that tells another reason than the report beside it."""
    beside = [each for each in _settle(w, row, "work-before-after") if each.run == row.run]
    if beside and beside[0].pos < row.pos:
        yield row, f"the work of {row.run} is recorded twice in one settle"
    reports = [each for each in _reports_beside(w, row) if each.run == row.run]
    due = {owed_work(each) for each in reports} or {"advance", "reversal"}
    if row["why"] not in due:
        yield row, f"work of {row.run} is recorded for {row['why']}, which its settle does not bring"


def owed_work(report: LogRow) -> str | None:
    """The kind of work row that is owed beside this report, None where none is."""
    name, old, new = report["report"], report["old"], report["new"]
    if name == "job-stopped" and old != "stopped":
        return "stop"
    if name == "job-failed" and new == "stopped":
        return "loss"
    return _OWED_WORK.get(name)


def ticks_without_work(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Working runs that a tick left without a row of work and without a stop."""
    for sent in w.events("tick"):
        for run in sent.before.in_state("working"):
            advanced = sent.rows_of("work-before-after", run, why="advance")
            stopped = sent.rows_of("report-log", run, report="job-stopped", old="working")
            if len(advanced) > 1:
                yield advanced[1], f"{run} advances twice in one tick"
            elif not advanced and not stopped:
                yield (
                    absent("work-before-after", f"an advance of {run}", 0, _first(sent.rows)),
                    (f"{run} was working when the tick entered, and neither advanced nor stopped"),
                )


def _first(rows: tuple[LogRow, ...]) -> LogRow | None:
    return rows[0] if rows else None
