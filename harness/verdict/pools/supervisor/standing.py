"""What a supervisor's own logs say that it holds, folded event by event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from harness.run.recording import LogRow
from harness.verdict.pools.standing import Standing

STATE_LOGS = ("state-trace", "recovery-trace", "budget-trace", "ownership-ledger", "count-trace")
"""The logs that a standing is folded from."""

OVER = ("stopped", "forced-retirement", "terminated")
"""Modes of a supervisor that has no members any more."""

TEAM = ("asked", "admitted", "changed", "cancelled")


class Held(NamedTuple):
    """An input that a role holds."""

    role: str
    ticket: int
    definition: str


@dataclass(slots=True)
class SupervisorStanding(Standing):
    """The latest word of each state log: `teams` are rows of recovery-trace by their number, `budget` the last row."""

    teams: dict[tuple[int | None, int | None], LogRow] = field(default_factory=dict)
    budget: LogRow | None = None
    inputs: tuple[Held, ...] = ()

    def note(self, row: LogRow) -> None:
        """Take in one row of a state log."""
        if row.log == "state-trace":
            self._note_state(row)
        elif row.log == "recovery-trace":
            number = (row["preparation"], row["recovery"])
            if row["change"] == "ended":
                self.teams.pop(number, None)
            else:
                self.teams[number] = row
        elif row.log == "budget-trace":
            self.budget = row
        elif row.log == "ownership-ledger":
            self._note_input(row)
        elif row.log == "count-trace":
            self.counts = row

    def _note_state(self, row: LogRow) -> None:
        if row["role"] is not None:
            self.cells[row["role"]] = row
            return
        self.mode = row["to"]
        if self.mode in OVER:
            self.cells = {}

    def _note_input(self, row: LogRow) -> None:
        held = Held(row["role"], row["ticket"], row["definition"])
        if row["change"] == "takes":
            self.inputs = (*self.inputs, held)
        elif held in self.inputs:
            place = self.inputs.index(held)
            self.inputs = self.inputs[:place] + self.inputs[place + 1 :]

    def with_rows(self, rows: tuple[LogRow, ...]) -> SupervisorStanding:
        """The standing after the rows of one event; this very one where none of them is of a state log."""
        noted = [row for row in rows if row.log in STATE_LOGS]
        if not noted:
            return self
        after = SupervisorStanding(
            self.mode,
            dict(self.cells),
            counts=self.counts,
            teams=dict(self.teams),
            budget=self.budget,
            inputs=self.inputs,
        )
        for row in noted:
            after.note(row)
        return after

    # -- reading ---------------------------------------------------------------------------------------------------

    def within(self, role: str) -> str | None:
        """The part of a role's phase."""
        row = self.cells.get(role)
        return None if row is None else row["within"]

    def kept(self, role: str) -> tuple[str, ...]:
        """The facts that a role keeps."""
        row = self.cells.get(role)
        return () if row is None else tuple(row["kept"])

    def role_of(self, proxy: int | None, reservation: int | None) -> str | None:
        """The role that holds a proxy or a reservation."""
        for role, row in self.cells.items():
            if proxy is not None and row["proxy"] == proxy:
                return role
            if reservation is not None and row["reservation"] == reservation:
                return role
        return None

    def team_of(self, role: str) -> LogRow | None:
        """The admitted recovery that a role takes part in."""
        return next(
            (row for (_, number), row in self.teams.items() if number is not None and role in row["roles"]), None
        )

    def asked_for(self, role: str) -> LogRow | None:
        """The recovery that workers are being prepared for, where the role is among them."""
        return next((row for (_, number), row in self.teams.items() if number is None and role in row["roles"]), None)
