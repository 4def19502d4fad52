"""Facts about nothing that is open, and facts against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence, Step
from harness.verdict.pools.rules.completions import CONTRADICTORY, EVIDENCE

DIAGNOSTIC_LANES = (
    "diagnostic-deliveries",
    "terminal-diagnostic-transfers",
    "rejected-fact-transfers",
    "rejected-input-transfers",
)
_STATE_LOGS = ("state-trace", "ownership-ledger", "queue-trace")
_COUNTS = ("mode", "queued", "assigned", "idle", "tickets", "cursor", "charges")


def changes_nothing(e: PoolEvidence) -> Iterator[Part]:
    """No row of state, no other counts, and no operation but a diagnostic."""
    for step in e.steps():
        if not step.is_expected:
            yield from unchanged(step)


def unchanged(step: Step) -> Iterator[Part]:
    """Judges that an event left everything as it was."""
    moved = [row for log in _STATE_LOGS for row in step.of(log)]
    left = [row for row in step.of("action-lanes") if row["lane"] not in DIAGNOSTIC_LANES]
    for row in (*moved, *left):
        yield violated(row, f"{step.kind} is about nothing that is open, and this followed", step.input)
    counts, before = step.of("count-trace"), step.before.counts
    for row in counts if before is not None else ():
        if any(row[name] != before[name] for name in _COUNTS):  # type: ignore[index]  # there is a row before
            yield violated(row, f"{step.kind} is about nothing that is open, and the counts are others", step.input)
    if not moved and not left:
        yield holds(step.input, *counts)


def told_once_and_whole(e: PoolEvidence) -> Iterator[Part]:
    """One diagnostic has the whole fact, on the declared way."""
    for step in e.steps():
        if not step.is_expected:
            yield from told_whole(e, step)


def told_whole(e: PoolEvidence, step: Step) -> Iterator[Part]:
    """Judges that an event was told once, whole, and on the declared way."""
    rows = step.of("diagnostics")
    if len(rows) != 1:
        gone = absent("diagnostics", f"the rejected {step.kind}", near=step.input)
        yield violated(rows[0] if rows else gone, f"{step.kind} is told {len(rows)} times", step.input)
        return
    row = rows[0]
    if not any(_is_whole(step.input, fact) for fact in row["facts"]):
        yield violated(row, f"not all of {step.kind} is told", step.input)
    elif row["route"] != e.pool.diagnostics:
        declared = e.pool.diagnostics or "custody"
        yield violated(row, f"diagnostics go to {declared}, and this one went to {row['route'] or 'custody'}")
    else:
        yield holds(step.input, row)


def _is_whole(fact: LogRow, told: Mapping[str, Any]) -> bool:
    if told.get("input") == "completion":
        return fact["input"] == "worker-completed" and all(told.get(name) == fact[name] for name in EVIDENCE)
    return all(told.get(name) == value for name, value in fact.data.items() if value is not None)


def contradictions_are_told(e: PoolEvidence) -> Iterator[Part]:
    """Both facts stand in one diagnostic, and the job between them ends once."""
    for step in e.steps():
        for row in step.of("diagnostics"):
            if row["diagnostic"] not in ("contradiction", "authority-mismatch"):
                continue
            ends = step.outcomes(reason=CONTRADICTORY)
            wanted = 0 if step.kind == "birth-rejected" else 1
            if len(row["facts"]) < 2:
                yield violated(row, "a contradiction is told without what it contradicts", step.input)
            elif len(ends) != wanted:
                yield violated(row, f"the contradiction ended {len(ends)} jobs", *ends)
            else:
                yield holds(row, *ends)
        yield from _untold(step)


def _untold(step: Step) -> Iterator[Part]:
    """A job that goes back as contradictory without the facts that contradict each other."""
    for row in step.outcomes(reason=CONTRADICTORY):
        told = step.of("diagnostics", diagnostic=("contradiction", "authority-mismatch"))
        if not told:
            gone = absent("diagnostics", f"the contradiction about job {row['job']}", near=row)
            yield violated(gone, f"job {row['job']} went back as contradictory, and no facts are told", row)
