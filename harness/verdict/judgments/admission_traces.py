"""Whether admission-trace agrees with the events, the reports and what was usable, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, Units, asked_runs, reserves, tested_share
from harness.verdict.judgments.admission_events import Breach
from harness.verdict.parts import absent

#: What each outcome of admission-trace has to be followed by, in the same event.
_REPORT = {
    ("input-check", "short"): ("job-rejected", ["missing-inputs"]),
    ("claim", "refused"): ("job-rejected", ["missing-inputs"]),
    ("admission", "refused"): ("job-rejected", ["job-limit-full"]),
    ("admission", "waiting"): ("job-waiting", None),
    ("admission", "immediate"): ("job-started", None),
}

_STEPS = frozenset(
    {
        *_REPORT,
        ("input-check", "skipped"),
        ("input-check", "passed"),
        ("input-check", "paused"),
        ("reservation", "reserved"),
        ("reservation", "blocked"),
        ("reasons", "changed"),
    }
)


#: The outcomes that carry the reasons to wait, and those that carry what was tested.
_WITH_REASONS = frozenset(
    {("admission", "waiting"), ("admission", "refused"), ("claim", "refused"), ("reasons", "changed")}
)
_WITH_TEST = frozenset({("input-check", "passed"), ("input-check", "short"), ("claim", "refused")})


def trace_disagrees(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """The trace of every run of the world against its reports, and the reports against the trace."""
    for run, asked in asked_runs(e, w).items():
        rows = w.rows("admission-trace", run)
        yield from _input_check(e, asked, rows)
        for row in rows:
            yield from _row_is_wrong(e, w, asked, row)
        yield from _untraced(w, asked, rows)
        yield from _repeated(rows)


def _input_check(e: Evidence, asked: Asked, rows: tuple[LogRow, ...]) -> Iterator[Breach]:
    """Exactly one availability check, in the event of the request; one `paused` row where the request pauses."""
    checks = [row for row in rows if row["step"] == "input-check" and row["outcome"] != "paused"]
    if len(checks) != 1:
        missing = absent("admission-trace", f"the input check of {asked.run}", len(rows), asked.report)
        yield checks[1] if checks else missing, f"the input check of {asked.run} is traced {len(checks)} times"
        return
    check = checks[0]
    due = {"skipped"} if e.config.timing is None else {"passed", "short"}
    if check["outcome"] not in due:
        yield check, f"the input check of {asked.run} is {check['outcome']}, which it cannot be here"
    wanted: Units = {} if e.config.timing is None else tested_share(e, asked)
    yield from _tested_is_wrong(e, check, wanted)
    paused = [row for row in rows if row["outcome"] == "paused"]
    if len(paused) != int(asked.is_paused and check["outcome"] != "short"):
        missing = absent("admission-trace", f"the pause of {asked.run}", len(rows), asked.report)
        yield paused[-1] if paused else missing, f"the pause of {asked.run} is traced {len(paused)} times"


def _tested_is_wrong(e: Evidence, row: LogRow, wanted: Units) -> Iterator[Breach]:
    tested: list[dict[str, Any]] = row["tested"] or []
    told = {(each["item"], each["source"]): each["amount"] for each in tested if each["amount"]}
    if told != dict(wanted):
        yield row, f"the {row['step']} of {row.run} tests {told}, due is {dict(wanted)}"
    before = e.at(row)
    for each in tested:
        usable = before.usable(each["item"], each["source"])
        if each["usable"] != usable:
            yield row, f"{usable} {each['item']} are usable at {each['source']}, the trace says {each['usable']}"


def _row_is_wrong(e: Evidence, w: WorldView, asked: Asked, row: LogRow) -> Iterator[Breach]:
    step, outcome = row["step"], row["outcome"]
    if (step, outcome) not in _STEPS:
        yield row, f"admission-trace has a step {step} with the outcome {outcome}"
    elif step == "reservation" and not reserves(e, asked):
        yield row, f"a reservation of {row.run} is traced, but the answer reserves nothing"
    due = _REPORT.get((step, outcome))
    if due is not None:
        name, causes = due if due[1] is not None else (due[0], row["reasons"])
        told = [each for each in w.sent_of(row).rows_of("report-log", row.run, report=name) if each.pos > row.pos]
        if not told:
            yield row, f"the trace says {step} {outcome} of {row.run}, but no {name} follows"
        elif name != "job-started" and list(told[0]["causes"]) != list(causes or ()):
            yield row, f"the trace gives {row.run} {', '.join(row['reasons'])}, {name} {', '.join(told[0]['causes'])}"
    if row["reasons"] and (step, outcome) not in _WITH_REASONS:
        yield row, f"the {step} of {row.run} is {outcome}, yet the trace gives it {', '.join(row['reasons'])}"
    if row["tested"] and (step, outcome) not in _WITH_TEST:
        yield row, f"the {step} of {row.run} is {outcome}, yet the trace tells of tested units"


def _untraced(w: WorldView, asked: Asked, rows: tuple[LogRow, ...]) -> Iterator[Breach]:
    """Reports of an admission that no row of the trace precedes in their event."""
    for report in w.reports(("job-rejected", "job-waiting", "job-started"), asked.run):
        if report["old"] != "requested":
            continue
        steps = {key for key, (name, _) in _REPORT.items() if name == report["report"]}
        before = [row for row in rows if (row["step"], row["outcome"]) in steps and row.pos < report.pos]
        if not before:
            yield (
                absent("admission-trace", f"the decision on {asked.run}", len(rows), report),
                (f"{report['report']} of {asked.run} comes without a decision in the admission trace"),
            )


def _repeated(rows: tuple[LogRow, ...]) -> Iterator[Breach]:
    """A second decision on the admission, which is made once."""
    decisions = [
        row for row in rows if row["step"] == "admission" or (row["step"], row["outcome"]) == ("claim", "refused")
    ]
    for row in decisions[1:]:
        yield row, f"the admission of {row.run} is decided a second time"
