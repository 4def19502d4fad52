"""The FIFO pool as a pure model: `construct`, `step`, and nothing that happens on the side."""

from __future__ import annotations

from collections.abc import Callable

from harness.models.pools.actions import NO_ACTIONS
from harness.models.pools.correlations import Allocators
from harness.models.pools.definition import ConstructionError, Definition, check, prepare
from harness.models.pools.facts import Fact
from harness.models.pools.fifo.state import Constructed, State, Transition
from harness.models.pools.fifo.turn import FifoTurn


class FifoPool:
    """The model of one definition; it holds no state. `turn` is the class that decides (an inversion gives another)."""

    def __init__(self, definition: Definition, turn: type[FifoTurn] = FifoTurn) -> None:
        self.definition = definition
        self.turn = turn

    def step(self, state: State, fact: Fact) -> Transition:
        """One input: the next state, and everything that leaves with it.

        A fact that fits nothing leaves the very same state and one diagnostic. A pool that has not begun or is over
        takes nothing in (`refused`).
        """
        turn = self.turn(self.definition, state)
        if not turn.take(fact):
            return Transition(state, NO_ACTIONS, "not-admitted")
        after = turn.state()
        return Transition(state if after == state else after, turn.actions())


def construct(
    definition: Definition,
    factory: Callable[[str], str | None] = lambda role: f"worker of {role}",
    allocators: Allocators | None = None,
) -> Constructed | ConstructionError:
    """A pool that has not begun, or why there is none; `factory` gives the worker of a role, None where it fails."""
    reason = check(definition)
    if reason is not None:
        return ConstructionError(reason, None, ())
    prepared = prepare(definition, factory, allocators or Allocators())
    if isinstance(prepared, ConstructionError):
        return prepared
    return Constructed(prepared.roles, prepared.allocators)
