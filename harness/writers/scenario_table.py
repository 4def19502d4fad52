"""Scenarios as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from harness.expansion.scenario import Exclusion, Scenario
from harness.writers.plain import one_line


def render(entries: Sequence[Scenario | Exclusion]) -> str:
    """A line an entry with its id and its title; where exclusions are listed, their reason stands in a last column."""
    from tabulate import tabulate

    headers = ["scenario", "title"]
    if any(isinstance(each, Exclusion) for each in entries):
        headers.append("excluded because")
    rows = [_row(each)[: len(headers)] for each in entries]
    return tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True) + "\n"


def _row(entry: Scenario | Exclusion) -> list[str]:
    if isinstance(entry, Exclusion):
        return [one_line(entry.id), "", one_line(entry.reason)]
    return [one_line(entry.id), one_line(entry.title), ""]
