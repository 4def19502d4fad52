"""What is to be run for a scenario, and what is known beforehand about the clauses it cannot show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Impossible:
    """Why some clauses have nothing to check under this adoption; `clauses` None means every clause."""

    reason: str
    clauses: tuple[int, ...] | None = None

    def bears_on(self, index: int) -> bool:
        """Whether this speaks about the clause with that index."""
        return self.clauses is None or index in self.clauses


@dataclass(frozen=True, slots=True)
class Unreached:
    """A shape not found within the bounds of the search, and why; `clauses` None means every clause rests on it."""

    shape: str
    reason: str
    clauses: tuple[int, ...] | None = None

    def bears_on(self, index: int) -> bool:
        """Whether the clause with that index needs the shape."""
        return self.clauses is None or index in self.clauses


@dataclass(frozen=True, slots=True)
class PlannedWorld:
    """A world and the events to send into it, in order; `shapes` names what the run is to show."""

    world: Mapping[str, Any]
    events: tuple[Mapping[str, Any], ...]
    shapes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of one scenario, with what cannot be constructed and what the search did not reach.

    `walked` says how far a walk over all that the adoption can do went, where the scenario has one.
    """

    worlds: tuple[PlannedWorld, ...] = ()
    impossible: tuple[Impossible, ...] = ()
    unreached: tuple[Unreached, ...] = ()
    walked: str | None = None

    def impossible_for(self, index: int) -> tuple[Impossible, ...]:
        """The notes on what cannot be constructed that bear on the clause, in order."""
        return tuple(each for each in self.impossible if each.bears_on(index))

    def unreached_for(self, index: int) -> tuple[Unreached, ...]:
        """The unreached shapes that bear on the clause, in order."""
        return tuple(each for each in self.unreached if each.bears_on(index))
