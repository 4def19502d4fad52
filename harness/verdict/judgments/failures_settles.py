"""What one settle did, and whether the logs that tell of it agree: the ground of the judgments on claims and ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from harness.run.recording import LogRow, fraction, whole
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.parts import Violated, absent, violated

#: An item at the source that its units come from.
Unit = tuple[str, str]

_COLUMNS = {"claim": "claimed", "release": "released", "spend": "spent", "lose": "lost"}
_ENDING = frozenset({"job-rejected", "job-delivered", "job-canceled"})


# -- units -------------------------------------------------------------------------------------------------------------


def totals(rows: Iterable[LogRow]) -> dict[Unit, int]:
    """The amounts of claim-ledger rows by (item, source); nothing stands in it for none."""
    found: dict[Unit, int] = {}
    for row in rows:
        unit = (row["item"], row["source"])
        found[unit] = found.get(unit, 0) + row["amount"]
    return {unit: amount for unit, amount in found.items() if amount}


def listed(report: LogRow, column: str) -> dict[Unit, int]:
    """The units that a report lists under `claimed`, `released`, `spent` or `lost`, by (item, source)."""
    found: dict[Unit, int] = {}
    for each in report.get(column) or ():
        unit = (each["item"], each["source"])
        found[unit] = found.get(unit, 0) + each["amount"]
    return {unit: amount for unit, amount in found.items() if amount}


def by_item(amounts: Mapping[Unit, int]) -> dict[str, int]:
    """The amounts by item, over all sources; nothing stands in it for none."""
    found: dict[str, int] = {}
    for (item, _), amount in amounts.items():
        found[item] = found.get(item, 0) + amount
    return {item: amount for item, amount in found.items() if amount}


def told(amounts: Mapping[Unit, int] | Mapping[str, int]) -> str:
    """Amounts in words, in a fixed order; "nothing" for none."""
    parts = []
    for key, amount in sorted(amounts.items(), key=str):
        parts.append(f"{amount} {key}" if isinstance(key, str) else f"{amount} {key[0]} from {key[1]}")
    return ", ".join(parts) or "nothing"


# -- settles -----------------------------------------------------------------------------------------------------------


def settled(e: Evidence, report: LogRow, log: str) -> tuple[LogRow, ...]:
    """The rows of one log that belong to the report's run and settle, in order."""
    if report.settle is None:
        e.touch(log)
        return ()
    rows = e.world_of(report).settle_rows(report.settle, log)
    return tuple(row for row in rows if row.run == report.run)


def claims(e: Evidence, report: LogRow, *changes: str) -> tuple[LogRow, ...]:
    """The claim changes (of these kinds; none named: of all) in the report's settle."""
    return tuple(row for row in settled(e, report, "claim-ledger") if not changes or row["change"] in changes)


def observed(e: Evidence, log: str) -> bool:
    """Whether the system supplies the log: a supporting log is looked at only where it is known."""
    return log in e.recording.observes


def is_ending(report: LogRow) -> bool:
    """Whether the report ends its run."""
    name = report["report"]
    return name in _ENDING or (name == "job-failed" and report["new"] == "failed")


# -- logs that contradict themselves or each other ---------------------------------------------------------------------


def ledger_faults(e: Evidence) -> Iterator[Violated]:
    """Claim changes that don't add up, and reports that tell of other units than the ledger of their settle."""
    for w in e.worlds:
        for row in w.rows("claim-ledger"):
            yield from _ledger_row(w, row)
    yield from unit_faults(e)


def unit_faults(e: Evidence) -> Iterator[Violated]:
    """Reports that tell of other units than the ledger of their settle."""
    for report in e.reports():
        yield from _report_units(e, report)


def _ledger_row(w: WorldView, row: LogRow) -> Iterator[Violated]:
    run, unit, change = str(row.run), (row["item"], row["source"]), row["change"]
    held = w.snapshot(row, before=True).held(run).get(unit, 0)
    after = held + (whole(row["amount"]) if change == "claim" else -whole(row["amount"]))
    what = f"{change} of {row['amount']} {unit[0]} from {unit[1]}"
    if after < 0:
        yield violated(row, f"{what} by run {run}, which holds {held}")
    elif row["held-after"] != after:
        yield violated(row, f"after the {what} run {run} holds {after}, and the ledger says {row['held-after']}")


def _report_units(e: Evidence, report: LogRow) -> Iterator[Violated]:
    for change, column in _COLUMNS.items():
        rows = claims(e, report, change)
        ledger, reported = totals(rows), listed(report, column)
        if ledger != reported:
            because = (
                f"{report['report']} of run {report.run} says {column}: {told(reported)}; "
                f"the ledger of its settle says {told(ledger)}"
            )
            yield violated(report, because, *rows)


def trace_faults(e: Evidence) -> Iterator[Violated]:
    """State changes that don't join, and state changes and reports that don't tell of each other."""
    for w in e.worlds:
        for row in w.rows("state-trace"):
            known = w.snapshot(row, before=True).state(str(row.run))
            if known != row["from"]:
                yield violated(row, f"run {row.run} leaves {row['from']}, but it was {known}")
            elif not _reports_of(w, row):
                yield violated(row, f"no report tells that run {row.run} went from {row['from']} to {row['to']}")
        for report in w.reports():
            yield from _untraced(e, report)


def _reports_of(w: WorldView, row: LogRow) -> bool:
    if row.settle is None:
        return False
    reports = w.settle_rows(row.settle, "report-log")
    return any((r.run, r["old"], r["new"]) == (row.run, row["from"], row["to"]) and r.pos > row.pos for r in reports)


def _untraced(e: Evidence, report: LogRow) -> Iterator[Violated]:
    old, new = report["old"], report["new"]
    if old is None or old == new:
        return
    if not any((row["from"], row["to"]) == (old, new) for row in settled(e, report, "state-trace")):
        what = f"the change of run {report.run} from {old} to {new} that {report['report']} tells of"
        yield violated(absent("state-trace", what, near=report), f"no state change stands behind it: {what}")


def count_faults(e: Evidence, pools: Iterable[str | None]) -> Iterator[Violated]:
    """Count rows of these pools that are wrong by themselves."""
    for pool in dict.fromkeys(pools):
        if pool is not None:
            yield from (violated(row, why) for row, why in e.bad_counts(pool))


def work_faults(e: Evidence) -> Iterator[Violated]:
    """Rows of recorded work that don't join: each begins where the run's row before it ended, the first at none."""
    for w in e.worlds:
        last: dict[str | None, LogRow] = {}
        for row in w.rows("work-before-after"):
            earlier = last.get(row.run)
            known = fraction(earlier["after"]) if earlier is not None else Fraction(0)
            if fraction(row["before"]) != known:
                because = f"the work of run {row.run} was {known}, and this row begins at {row['before']}"
                yield violated(row, because, *([earlier] if earlier is not None else []))
            last[row.run] = row
