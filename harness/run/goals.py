"""What a search looks for: goals over one step of a world."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harness.models.lifecycle import events as e
from harness.models.lifecycle.state import Run, State
from harness.models.lifecycle.turn import Draft


class Seen(NamedTuple):
    """What a goal looks at: one step, with its report and state rows. `event` is None before the first step."""

    before: State
    event: e.Event | None
    state: State
    rows: tuple[Draft, ...]

    def run(self, run_id: str) -> Run | None:
        """The run after the step."""
        return self.state.run(run_id)

    def reports(self, name: str | None = None, run: str | None = None, **columns: object) -> list[Draft]:
        """The reports of the step."""
        return [
            row
            for row in self.rows
            if row.log == "report-log"
            and name in (None, row.data["report"])
            and run in (None, row.run)
            and all(row.data[key] == value for key, value in columns.items())
        ]


Goal = Callable[[Seen], bool]


def in_state(run: str, *states: str) -> Goal:
    """The run is in one of these states after the step."""

    def goal(seen: Seen) -> bool:
        found = seen.run(run)
        return found is not None and found.state in states

    return goal


def reported(
    name: str, run: str | None = None, old: str | None = None, new: str | None = None, cause: str | None = None
) -> Goal:
    """The step made such a report."""

    def goal(seen: Seen) -> bool:
        return any(
            old in (None, row.data["old"])
            and new in (None, row.data["new"])
            and (cause is None or cause in row.data["causes"])
            for row in seen.reports(name, run)
        )

    return goal


def both(first: Goal, second: Goal) -> Goal:
    """Both goals at once."""
    return lambda seen: first(seen) and second(seen)


def either(first: Goal, second: Goal) -> Goal:
    """One of the goals."""
    return lambda seen: first(seen) or second(seen)
