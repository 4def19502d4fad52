"""Rows that fit together: recorded work, claim changes, and stop causes, each against what else is known.

Every check here yields the rows that are wrong by themselves or contradict another log; clauses that rest on such a
log yield these faults for the runs they speak of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from harness.run.recording import LogRow
from harness.verdict.evidence import WorldView
from harness.verdict.judgments.progress_shares import Amounts, amounts_text, terms_of
from harness.verdict.judgments.stops_records import RECOVERY, number, of_log, settle_rows
from harness.verdict.parts import Violated, absent, violated

#: Reports whose settle has a row of recorded work, and why that row is written.
_WORK_ROWS = {"job-working": "enter", "job-resumed": "resume", "job-canceled": "cancel", "job-stopped": "stop"}


def work_chain_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """Rows of recorded work that don't go on from each other, pass their bounds, or differ from the run's reports."""
    last, settles = Fraction(0), set[int]()
    terms = terms_of(w, run)
    works, life = w.rows("work-before-after", run=run), w.life(run)
    for row in sorted((*works, *life), key=lambda row: row.pos):
        if row.log == "report-log":
            yield from _told_work_faults(w, row, last)
            continue
        before, after = number(row["before"]), number(row["after"])
        if before != last:
            yield violated(row, f"the work of {run} was {last} and this row begins at {row['before']}")
        elif row.settle is not None and row.settle in settles:
            yield violated(row, f"the work of {run} is recorded twice in one settle")
        elif after < 0 or (terms is not None and after > terms.required):
            yield violated(row, f"the recorded work of {run} is {row['after']}")
        elif terms is not None and number(row["required"]) != terms.required:
            yield violated(row, f"{run} requires {terms.required} and the row says {row['required']}")
        last = after
        if row.settle is not None:
            settles.add(row.settle)


def _told_work_faults(w: WorldView, report: LogRow, recorded: Fraction) -> Iterator[Violated]:
    """A report that tells other work than is recorded by its settle, or whose settle lacks the row that it owes."""
    run = str(report.run)
    rows = of_log(settle_rows(w, report), "work-before-after", run)
    told = number(report["work-after"])
    if told != recorded and not any(number(row["after"]) == told for row in rows if row.pos > report.pos):
        yield violated(report, f"{run} is reported with work {report['work-after']}, recorded is {recorded}")
    why = _WORK_ROWS.get(report["report"])
    joins = report["report"] == "job-stopped" and report["old"] == "stopped"
    if why is not None and not joins and not any(row["why"] == why for row in rows):
        gone = absent("work-before-after", f"the work of {run} at {report['report']}", near=report)
        yield violated(gone, f"{report['report']} of {run} has no row of recorded work", report)


def report_work_faults(report: LogRow, before: Fraction, after: Fraction) -> Iterator[Violated]:
    """A report whose work differs from what was recorded."""
    if (number(report["work-before"]), number(report["work-after"])) != (before, after):
        told = f"{report['work-before']} to {report['work-after']}"
        yield violated(report, f"the report of {report.run} says work {told}, recorded is {before} to {after}")


def ledger_faults(w: WorldView, run: str, rows: Iterable[LogRow]) -> Iterator[Violated]:
    """Ledger rows of the run among these whose `held-after` is not what the changes so far add up to."""
    for row in of_log(rows, "claim-ledger", run):
        held = w.snapshot(row, before=False).held(run).get((row["item"], row["source"]), 0)
        if held < 0:
            yield violated(row, f"{run} gives back {row['item']} that it does not hold from {row['source']}")
        elif row["held-after"] != held:
            yield violated(row, f"{run} holds {held} {row['item']} and the row says {row['held-after']}")


def reported_units_faults(w: WorldView, report: LogRow) -> Iterator[Violated]:
    """A report whose units are not the claim changes of its settle."""
    if report.settle is None:
        return
    rows = of_log(settle_rows(w, report), "claim-ledger", str(report.run))
    columns = (("claim", "claimed"), ("release", "released"), ("spend", "spent"), ("lose", "lost"))
    for change, column in columns:
        told: dict[tuple[str, str], int] = {}
        for unit in report[column]:
            told[unit["item"], unit["source"]] = told.get((unit["item"], unit["source"]), 0) + unit["amount"]
        made = changed(rows, change)
        if told != made:
            text = f"the report says {column} {amounts_text(told)}, the ledger {amounts_text(made)}"
            yield violated(report, f"{report.run}: {text}", *rows)


def changed(rows: Iterable[LogRow], change: str) -> Amounts:
    """The units that ledger rows changed in that way."""
    total: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.log == "claim-ledger" and row["change"] == change:
            total[row["item"], row["source"]] = total.get((row["item"], row["source"]), 0) + row["amount"]
    return total


# -- stop causes


def cause_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """Rows of stop-causes that contradict each other, or the reports of the run."""
    active: frozenset[str] = frozenset()
    ends = [row.pos for row in w.reports(run=run, old="stopped") if row["new"] != "stopped"]
    last = -1
    for group in _cause_groups(w, run):
        if any(last < pos < group[0].pos for pos in ends):
            active = frozenset()
        yield from _group_faults(w, run, group, active)
        active, last = frozenset(group[-1]["active"]), group[-1].pos
    yield from _unrecorded_faults(w, run)
    for report in w.reports("job-resumed", run=run):
        if left := w.snapshot(report, before=True).causes(run):
            yield violated(report, f"{run} resumes and {_named(left)} was never cleared")


def _cause_groups(w: WorldView, run: str) -> Iterator[tuple[LogRow, ...]]:
    """The run's cause rows; the ones that one settle adds stand together, because they name one active set."""
    group: list[LogRow] = []
    for row in w.rows("stop-causes", run=run):
        same = group and row.settle is not None and row.settle == group[-1].settle
        if not (same and row["change"] != "clear" and group[-1]["change"] == row["change"]):
            if group:
                yield tuple(group)
            group = []
        group.append(row)
    if group:
        yield tuple(group)


def _group_faults(w: WorldView, run: str, group: Sequence[LogRow], active: frozenset[str]) -> Iterator[Violated]:
    named = frozenset(row["cause"] for row in group)
    after = active - named if group[0]["change"] == "clear" else active | named
    expected = {"add": not active, "join": True, "clear": named <= active}
    for row in group:
        if not expected.get(row["change"], False):
            yield violated(row, f"{row['cause']} cannot {row['change']} while {_named(active)} stop {run}")
        elif frozenset(row["active"]) != after:
            yield violated(row, f"{run} is stopped by {_named(after)} and the row says {_named(row['active'])}")
    if group[0]["change"] != "clear" and (named & active or len(named) < len(group)):
        yield violated(group[-1], f"a cause of {run} is recorded again while it is active")
    if group[0]["change"] != "clear" and not _reporting(w, run, group):
        report = absent("report-log", f"a report of {_named(named)} for {run}", near=group[0])
        yield violated(group[0], f"{_named(named)} is recorded for {run} and no report names it", report)


def _reporting(w: WorldView, run: str, group: Sequence[LogRow]) -> bool:
    """Whether the settle reports exactly these causes: job-stopped names them, a failure brings recovery."""
    named = frozenset(row["cause"] for row in group)
    reports = [row for row in settle_rows(w, group[0]) if row.log == "report-log" and row.run == run]
    for row in reports:
        if row["report"] == "job-stopped" and frozenset(row["causes"]) == named:
            return True
        if row["report"] == "job-failed" and row["new"] == "stopped" and named == {RECOVERY}:
            return True
    return False


def _unrecorded_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """Reported causes that no row of stop-causes has."""
    for report in w.reports("job-stopped", run=run):
        rows = of_log(settle_rows(w, report), "stop-causes", run)
        named = {row["cause"] for row in rows if row["change"] != "clear"}
        lacking = [cause for cause in report["causes"] if cause not in named]
        if lacking:
            gone = absent("stop-causes", f"{_named(lacking)} of {run}", near=report)
            yield violated(gone, f"{run} is reported stopped by {_named(lacking)}, which no cause row has", report)
    for report in w.reports("job-failed", run=run, new="stopped"):
        if RECOVERY not in w.snapshot(settle_rows(w, report)[-1], before=False).causes(run):
            gone = absent("stop-causes", f"{RECOVERY} of {run}", near=report)
            yield violated(gone, f"the failure of {run} brought no {RECOVERY}", report)


def _named(causes: Iterable[str]) -> str:
    return " and ".join(sorted(causes)) or "nothing"


# -- the life of a run ------------------------------------------------------------------------------------------------


def run_id_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """Rows of run-id-trace that are not the run's own reports, one for one, in one life of one job."""
    life, traces = w.life(run), w.rows("run-id-trace", run=run)
    by = next(iter(life[0]["causes"]), None) if life else None
    ended = False
    for place, (report, trace) in enumerate(zip(life, traces, strict=False), start=1):
        told = (trace["report"], trace["nth"], trace["job"], trace["ended-before"], trace["requested-by"])
        if told != (report["report"], place, life[0]["job"], ended, by):
            yield violated(trace, f"report {place} of {run} is {report['report']}; the trace says {told[0]}, {told[1]}")
        elif ended:
            yield violated(trace, f"{run} had ended and {report['report']} is reported of it")
        ended = ended or report["report"] == "job-rejected" or report["new"] in ("delivered", "canceled", "failed")
    if len(traces) > len(life):
        yield violated(traces[len(life)], f"the trace has {len(traces)} reports of {run}, the report log {len(life)}")
    elif len(traces) < len(life):
        report = life[len(traces)]
        gone = absent("run-id-trace", f"{report['report']} of {run}", rows=len(traces), near=report)
        yield violated(gone, f"the report {report['report']} of {run} is missing in the trace", report)


def life_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """States of the run that don't follow each other, or that its reports tell otherwise; reports made twice."""
    state, reported = "requested", set[tuple[int, str]]()
    for row in w.rows("state-trace", run=run):
        if row["from"] != state:
            yield violated(row, f"{run} was {state} and this row leaves {row['from']}")
        elif not any(_tells(report, row) for report in settle_rows(w, row)):
            gone = absent("report-log", f"the report of {run} becoming {row['to']}", near=row)
            yield violated(row, f"{run} becomes {row['to']} and no report tells of it", gone)
        state = row["to"]
    for report in w.life(run):
        moves = report["old"] not in (None, report["new"])
        if moves and not any(_tells(report, row) for row in settle_rows(w, report)):
            gone = absent("state-trace", f"{run} becoming {report['new']}", near=report)
            yield violated(gone, f"{report['report']} of {run} comes without its change of state", report)
        key = (report.settle or 0, report["report"])
        if report.settle is not None and key in reported and report["report"] != "destination-refused":
            yield violated(report, f"{report['report']} of {run} is reported twice in one settle")
        reported.add(key)


def _tells(first: LogRow, second: LogRow) -> bool:
    """Whether one row is a report and the other the state row of the same change of the same run."""
    report, state = (first, second) if first.log == "report-log" else (second, first)
    if (report.log, state.log) != ("report-log", "state-trace") or report.run != state.run:
        return False
    return bool((report["old"], report["new"]) == (state["from"], state["to"]))


def units_faults(w: WorldView, run: str) -> Iterator[Violated]:
    """Reports of the run whose units are not the claim changes of their settles, and rows whose sums are wrong."""
    yield from ledger_faults(w, run, w.rows("claim-ledger", run=run))
    for report in w.life(run):
        yield from reported_units_faults(w, report)
