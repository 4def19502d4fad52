"""What a pool's own logs say that it holds: mode, cells, queue, owners and counts, folded event by event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.run.recording import LogRow

STATE_LOGS = ("state-trace", "queue-trace", "ownership-ledger", "count-trace")
"""The logs that a standing is folded from."""

OVER = ("stopped", "forced-retirement")
"""Modes of a pool that has no members any more."""


class Waiting(NamedTuple):
    """A job in the queue, with its ordinal and the role that had it before."""

    job: int
    ordinal: int
    prior: str | None


class Holding(NamedTuple):
    """A place that a job is held at: `queue`, or `worker` with its role."""

    job: int
    holder: str
    role: str | None


@dataclass(slots=True)
class Standing:
    """The latest word of each state log; `cells` are rows of state-trace by role, `counts` the row of count-trace."""

    mode: str = "constructed"
    cells: dict[str, LogRow] = field(default_factory=dict)
    queues: dict[str | None, tuple[Waiting, ...]] = field(default_factory=dict)
    holdings: tuple[Holding, ...] = ()
    counts: LogRow | None = None

    def note(self, row: LogRow) -> None:
        """Take in one row of a state log."""
        if row.log == "state-trace":
            if row["role"] is None:
                self.mode = row["to"]
                if self.mode in OVER:
                    self.cells = {}
            else:
                self.cells[row["role"]] = row
        elif row.log == "queue-trace":
            columns = (row["jobs"], row["ordinals"], row["priors"])
            self.queues[row["role"]] = tuple(Waiting(*each) for each in zip(*columns, strict=False))
        elif row.log == "ownership-ledger":
            held = Holding(row["job"], row["holder"], row["role"])
            if row["change"] == "takes":
                self.holdings = (*self.holdings, held)
            elif held in self.holdings:
                place = self.holdings.index(held)
                self.holdings = self.holdings[:place] + self.holdings[place + 1 :]
        elif row.log == "count-trace":
            self.counts = row

    def with_rows(self, rows: tuple[LogRow, ...]) -> Standing:
        """The standing after the rows of one event; this very one where none of them is of a state log."""
        noted = [row for row in rows if row.log in STATE_LOGS]
        if not noted:
            return self
        after = Standing(self.mode, dict(self.cells), dict(self.queues), self.holdings, self.counts)
        for row in noted:
            after.note(row)
        return after

    @property
    def queue(self) -> tuple[Waiting, ...]:
        """All waiting jobs, queue by queue; a pool with one queue has them in its order."""
        return tuple(each for queue in self.queues.values() for each in queue)

    def queue_of(self, role: str | None) -> tuple[Waiting, ...]:
        """The jobs that wait for a role: its own queue, or the one queue of a pool that has one."""
        return self.queues.get(role, self.queues.get(None, ()))

    def phases(self) -> Mapping[str, str]:
        """The phase of each role."""
        return {role: row["to"] for role, row in self.cells.items()}

    def phase(self, role: str | None) -> str | None:
        """The phase of a role, None for one that never had any."""
        row = None if role is None else self.cells.get(role)
        return None if row is None else str(row["to"])

    def idle(self) -> tuple[str, ...]:
        """The idle roles, in no particular order."""
        return tuple(role for role, row in self.cells.items() if row["to"] == "idle")

    def is_lost(self, role: str) -> bool:
        """Whether a role can never have a ready worker again."""
        row = self.cells.get(role)
        if row is None or row["to"] in ("retired", "stopping"):
            return True
        return bool(row["to"] == "draining-pre-ready" and row["after"] == "retire-role")
