"""The inversions as a table: what each breaks, and in which step or claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from harness.writers.plain import one_line


class Listed(Protocol):
    """An inversion as far as it is listed."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def part(self) -> str:
        """The step or the claim of the law that it breaks."""

    @property
    def breach(self) -> str:
        """What it does, in a sentence."""

    @property
    def faults(self) -> Sequence[str]:
        """The faults of real systems that it restates."""


def render(chosen: Sequence[Listed]) -> str:
    """A line for each inversion, in the given order."""
    from tabulate import tabulate

    rows = [[each.part, each.name, one_line(each.breach), " ".join(each.faults)] for each in chosen]
    headers = ["breaks", "inversion", "breach", "faults"]
    return tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True) + "\n"
