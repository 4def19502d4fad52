"""A failing scenario of an outside system made small: the fewest events, then the smallest world.

Each attempt is a replay against the system. An attempt counts only where the same clause is still violated and the
model, sent the same events, does not violate it: what is left shows a fault of the system, not of the shortening.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.base.verdict import Verdict
from harness.run.driver.faults import DriverFault
from harness.run.plan import Plan, PlannedWorld
from harness.run.recording import LogRow
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.judging import Judged
from harness.verdict.parts import Absence

#: Replays against the system for one scenario.
ATTEMPTS_MAX = 80

Event = Mapping[str, Any]
#: A plan, run on the system and judged; and the same on the model.
Judge = Callable[[Plan], Judged]


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest run found for a violated clause. `is_smallest` is false where the bound on replays ended it."""

    clause: int
    world: Mapping[str, Any]
    events: tuple[Event, ...]
    reason: str | None
    is_smallest: bool

    def to_json(self) -> dict[str, Any]:
        """The run as it stands in the scenario's file."""
        return {
            "clause": self.clause,
            "world": dict(self.world),
            "events": [dict(each) for each in self.events],
            "reason": self.reason,
            "smallest": self.is_smallest,
        }


def shrink(judged: Judged, on_system: Judge, on_model: Judge) -> Shrunk | None:
    """The smallest run for the first violated clause; None where none is, or no single world shows it."""
    violated = next((each for each in judged.clauses if each.verdict is Verdict.VIOLATED), None)
    number = _world_of(violated) if violated is not None else None
    if violated is None or number is None:
        return None
    search = _Search(violated.index, on_system, on_model)
    begun = judged.plan.worlds[number - 1]
    try:
        return search.smallest(begun)
    except DriverFault:
        return search.best


def _world_of(clause: ClauseVerdict) -> int | None:
    """The world that the evidence stands in."""
    for each in clause.evidence:
        row = each.near if isinstance(each, Absence) else each
        if isinstance(row, LogRow) and row.world > 0:
            return row.world
    return None


class _Search:
    """Tries smaller and smaller runs, and remembers the smallest that still shows the fault."""

    def __init__(self, clause: int, on_system: Judge, on_model: Judge) -> None:
        self._clause = clause
        self._on_system = on_system
        self._on_model = on_model
        self._left = ATTEMPTS_MAX
        self.best: Shrunk | None = None

    def smallest(self, begun: PlannedWorld) -> Shrunk | None:
        """From a world of the plan, which alone may not show the fault: then there is nothing to shrink."""
        if not self._shows(begun.world, begun.events):
            return None
        self._drop_events()
        self._lower_numbers()
        return self.best

    def _drop_events(self) -> None:
        """Leave out runs of events, half of them first, then ever shorter ones, until no single one can go."""
        length = max(1, len(self._events) // 2)
        while True:
            dropped = self._drop_runs_of(length)
            if length == 1 and not dropped:
                return
            length = length if dropped and length == 1 else max(1, length // 2)
            if self._left <= 0:
                return

    def _drop_runs_of(self, length: int) -> bool:
        dropped, at = False, len(self._events) - length
        while at >= 0:
            if self._shows(self._world, (*self._events[:at], *self._events[at + length :])):
                dropped = True
            at -= length
            at = min(at, len(self._events) - length)
        return dropped

    def _lower_numbers(self) -> None:
        for smaller in list(_smaller_worlds(self._world)):
            world = smaller(self._world)
            if world != self._world:
                self._shows(world, self._events)

    @property
    def _world(self) -> Mapping[str, Any]:
        return self.best.world if self.best is not None else {}

    @property
    def _events(self) -> tuple[Event, ...]:
        return self.best.events if self.best is not None else ()

    def _shows(self, world: Mapping[str, Any], events: Sequence[Event]) -> bool:
        if self._left <= 0:
            if self.best is not None:
                self.best = Shrunk(self._clause, self.best.world, self.best.events, self.best.reason, False)
            return False
        self._left -= 1
        plan = Plan((PlannedWorld(world, tuple(events)),))
        found = self._on_system(plan).clauses[self._clause]
        if found.verdict is not Verdict.VIOLATED:
            return False
        if self._on_model(plan).clauses[self._clause].verdict is Verdict.VIOLATED:
            return False
        self.best = Shrunk(self._clause, world, tuple(events), found.reason, True)
        return True


Smaller = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _smaller_worlds(world: Mapping[str, Any]) -> Iterator[Smaller]:
    """Ways to make a world smaller: parts left out, then amounts of stock lowered, by division and one by one."""
    for part in ("eligible", "room", "stock"):
        for at in reversed(range(len(world.get(part, ())))):
            yield partial(_without, part, at)
    for at, _ in enumerate(world.get("stock", ())):
        for divisor, less in ((8, 0), (4, 0), (2, 0), (2, 0), (1, 1), (1, 1), (1, 1)):
            yield partial(_with_fewer, at, divisor, less)


def _without(part: str, at: int, world: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**world, part: [each for place, each in enumerate(world.get(part, ())) if place != at]}


def _with_fewer(at: int, divisor: int, less: int, world: Mapping[str, Any]) -> Mapping[str, Any]:
    """A world with less of one item at one source, never with none."""
    stock = [dict(each) for each in world.get("stock", ())]
    if at < len(stock):
        stock[at]["amount"] = max(1, stock[at]["amount"] // divisor - less)
    return {**world, "stock": stock}
