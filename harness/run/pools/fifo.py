"""The FIFO pool as runs see it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from harness.models.pools import bench as host
from harness.models.pools.bench import Bench, Desk
from harness.models.pools.correlations import Allocator, Allocators
from harness.models.pools.definition import Definition
from harness.models.pools.fifo.model import FifoPool, construct
from harness.models.pools.fifo.state import Constructed, Draining, Operating, State
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.renaming import shape
from harness.run.pools.cells import assigned_of, cells_of, tickets_of
from harness.run.pools.events import letters_of
from harness.run.pools.port import Held, Took, View


class Node(NamedTuple):
    """A FIFO pool and the bench around it."""

    state: State
    bench: Bench


class FifoRuns:
    """One FIFO pool; `turn` is the class whose rules it follows."""

    def __init__(self, definition: Definition, turn: type[FifoTurn] = FifoTurn) -> None:
        self.definition = definition
        self._pool = FifoPool(definition, turn)
        self._letters = letters_of(definition.roles, definition.deadline is not None)

    @property
    def roles(self) -> tuple[str, ...]:
        """The declared roles."""
        return self.definition.roles

    @property
    def letters(self) -> tuple[str, ...]:
        """Every letter of its bench."""
        return self._letters

    def construct(self, world: Mapping[str, Any]) -> Node:
        """A pool with the numbers that the world leaves it."""
        state = construct(self.definition, allocators=allocators_of(world))
        if not isinstance(state, Constructed):
            raise ValueError(f"no pool can be built: {state.reason}")
        return Node(state, Bench((Desk(),) * len(self.definition.roles), window=window_of(self.definition)))

    def take(self, node: Node, letter: str) -> tuple[Node, Took]:
        """One letter."""
        fact = host.fact_of(letter, node.bench, self.definition.roles)
        state, actions, refused = self._pool.step(node.state, fact)
        return Node(state, host.after(node.bench, fact, actions)), Took(fact, actions, refused)

    def view(self, node: Node) -> View:
        """What the logs tell of it."""
        state, roles = node.state, self.definition.roles
        if isinstance(state, Operating):
            queue = tuple(
                Held(
                    int(each.obligation.job),
                    int(each.obligation.ordinal),
                    "queue",
                    None,
                    None if each.prior is None else roles[each.prior],
                )
                for each in state.queue
            )
            cells, running = cells_of(state.members, roles), assigned_of(state.members, roles)
            tickets = tickets_of(state.members)
            return View(state.mode, cells, queue, running, state.cursor, tickets, state.charges)
        if isinstance(state, Draining):
            return View(state.mode, cells_of(state.members, roles), (), (), None, 0, (), state.deadline.phase)
        return View(state.mode, (), (), (), None, 0, ())

    def shape(self, node: Node) -> Hashable:
        """Pool and bench but for the names of correlations."""
        return shape(node)


def window_of(definition: Definition) -> int:
    """The window in which restarts are counted, in ticks; 0 where nobody is replaced."""
    return 0 if definition.recovery is None else definition.recovery.budget.window


def allocators_of(world: Mapping[str, Any]) -> Allocators:
    """Allocators that end after the numbers that a world allows, by kind, and clash with those that it has taken."""
    fresh = Allocators()
    return fresh._replace(**{kind: allocator_of(getattr(fresh, kind), world, kind) for kind in fresh._fields})


def allocator_of(fresh: Allocator, world: Mapping[str, Any], kind: str) -> Allocator:
    """The allocator of one kind as a world has it; unlimited where that says nothing."""
    taken = world.get("taken", {}).get(kind, ())
    return fresh._replace(last=world.get("numbers", {}).get(kind), clashes=tuple(taken))
