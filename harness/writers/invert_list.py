"""The inversions as a table: what each breaks, and in which step."""

from __future__ import annotations

from collections.abc import Sequence

from harness.models.inversions.registry import Inversion
from harness.writers.plain import one_line


def render(chosen: Sequence[Inversion]) -> str:
    """A line for each inversion, by step and name."""
    from tabulate import tabulate

    rows = [[str(each.step), each.name, one_line(each.breach), " ".join(each.faults)] for each in chosen]
    headers = ["step", "inversion", "breach", "faults"]
    return tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True) + "\n"
