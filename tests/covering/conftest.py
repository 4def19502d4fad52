"""What the covering runs cost and what came of them, told at the end of the session."""

from __future__ import annotations

import json
from collections import Counter

import pytest

PROPERTY = "covering"
WORDS = ("holds", "nothing-to-check", "blind", "unreached", "error", "violated")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line of cost, then how often each verdict word fell, by template."""
    told = [
        json.loads(str(value))
        for reports in terminalreporter.stats.values()
        for each in reports
        for name, value in getattr(each, "user_properties", ())
        if name == PROPERTY and each.when == "call"
    ]
    if not told:
        return
    clauses = Counter(f"{template}\t{word}" for each in told for template, word in each["clauses"])
    seconds = sum(each["seconds"] for each in told)
    scenarios = sum(each["scenarios"] for each in told)
    terminalreporter.write_sep("-", "covering runs")
    terminalreporter.write_line(
        f"{len(told)} adoptions, {scenarios} scenarios, {clauses.total()} clauses, {seconds:.1f} seconds"
    )
    terminalreporter.write_line(table(clauses))


def table(clauses: Counter[str]) -> str:
    """A row for each template, a column for each word, and the sums."""
    from tabulate import tabulate

    templates = sorted({each.split("\t")[0] for each in clauses})
    rows = [[name, *(clauses[f"{name}\t{word}"] or "" for word in WORDS)] for name in templates]
    sums = [sum(clauses[f"{name}\t{word}"] for name in templates) for word in WORDS]
    return tabulate([*rows, ["all", *sums]], headers=["template", *WORDS])
