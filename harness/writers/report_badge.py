"""A run as the JSON that badge services read from an address (their "endpoint" form)."""

from __future__ import annotations

import json

from harness.base.verdict import Status, Verdict
from harness.writers.report import UNDECIDED, RunReport, errors_of
from harness.writers.run_document import summary


def render(report: RunReport) -> str:
    """How many clauses hold of those that had something to check, in the colour of the worst thing that happened."""
    counts = summary(report.adoptions)
    clauses = counts["clauses"]
    checked = sum(clauses.values()) - clauses.get(Verdict.NOTHING_TO_CHECK, 0)
    badge = {
        "schemaVersion": 1,
        "label": " and ".join(each.id for each in report.contracts),
        "message": f"{clauses.get(Verdict.HOLDS, 0)} of {checked} hold" if checked else "nothing checked",
        "color": _colour(report, counts["scenarios"], checked),
    }
    return json.dumps(badge, ensure_ascii=False, indent=2) + "\n"


def _colour(report: RunReport, scenarios: dict[str, int], checked: int) -> str:
    if scenarios.get(Status.FAIL) or any(errors_of(each) for each in report.adoptions):
        return "red"
    if any(scenarios.get(each) for each in UNDECIDED):
        return "orange"
    if scenarios.get(Status.KNOWN):
        return "yellow"
    return "brightgreen" if checked else "lightgrey"
