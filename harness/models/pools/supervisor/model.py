"""The fixed supervisor as a pure model: `construct`, `step`, and nothing that happens on the side."""

from __future__ import annotations

from collections.abc import Callable

from harness.models.pools.supervisor.actions import NO_ACTIONS
from harness.models.pools.supervisor.definition import ConstructionError, Definition, check, prepare
from harness.models.pools.supervisor.facts import Fact
from harness.models.pools.supervisor.state import Constructed, State, Transition
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.values import Allocators


class Supervisor:
    """The model of one definition; it holds no state. `turn` is the class that decides (an inversion gives another)."""

    def __init__(self, definition: Definition, turn: type[SupervisorTurn] = SupervisorTurn) -> None:
        self.definition = definition
        self.turn = turn

    def step(self, state: State, fact: Fact) -> Transition:
        """One input: the next state, and everything that leaves with it.

        A fact that fits nothing leaves the very same state and one diagnostic; where diagnostics terminate, it ends
        the supervisor. One that has not begun or is over takes nothing in (`refused`).
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
    """A supervisor that has not begun, or why there is none.

    `factory` gives the first worker of a role, None where it fails; it is used here and nowhere later.
    """
    reason = check(definition)
    if reason is not None:
        return ConstructionError(reason, None, ())
    prepared = prepare(definition, factory, allocators or Allocators())
    if isinstance(prepared, ConstructionError):
        return prepared
    return Constructed(prepared.roles, prepared.allocators)
