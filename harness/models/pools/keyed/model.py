"""The keyed pool as a pure model: `construct`, `step`, and nothing that happens on the side."""

from __future__ import annotations

from collections.abc import Callable

from harness.models.pools.correlations import Allocators
from harness.models.pools.definition import ConstructionError, prepare
from harness.models.pools.keyed.definition import KeyedDefinition, check
from harness.models.pools.keyed.inputs import Input
from harness.models.pools.keyed.outcomes import NO_ACTIONS
from harness.models.pools.keyed.state import Constructed, State, Table, Transition, Unsent, UnsentCell
from harness.models.pools.keyed.turn import KeyedTurn


class KeyedPool:
    """The model of one definition; it holds no state. `turn` is the class that decides (an inversion gives another)."""

    def __init__(self, definition: KeyedDefinition, turn: type[KeyedTurn] = KeyedTurn) -> None:
        self.definition = definition
        self.turn = turn

    def step(self, state: State, fact: Input) -> Transition:
        """One input: the next state, and everything that leaves with it.

        An input that fits nothing leaves the very same state and one diagnostic. A pool that is over takes nothing in
        (`refused`).
        """
        turn = self.turn(self.definition, state)
        if not turn.take(fact):
            return Transition(state, NO_ACTIONS, "not-admitted")
        after = turn.state()
        return Transition(state if after == state else after, turn.product())


def construct(
    definition: KeyedDefinition,
    factory: Callable[[str], str | None] = lambda role: f"worker of {role}",
    allocators: Allocators | None = None,
    table: Table | None = None,
) -> Constructed | ConstructionError:
    """A pool that has not begun, or why there is none; `factory` gives the worker of a role, None where it fails.

    `table` holds no binding and says which generations there are.
    """
    reason = check(definition)
    if reason is not None:
        return ConstructionError(reason, None, ())
    prepared = prepare(definition.workers, factory, allocators or Allocators())
    if isinstance(prepared, ConstructionError):
        return prepared
    unsent = (Unsent(role, each.reservation, each.definition) for role, each in enumerate(prepared.roles))
    return Constructed(tuple(map(UnsentCell, unsent)), table or Table(), prepared.allocators)
