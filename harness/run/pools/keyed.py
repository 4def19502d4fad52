"""The keyed pool as runs see it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from harness.models.pools.correlations import Allocator, GenerationId
from harness.models.pools.keyed import bench as host
from harness.models.pools.keyed.bench import KeyedBench
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.model import KeyedPool, construct
from harness.models.pools.keyed.state import Cell, Constructed, Draining, Operating, State, Table, UnsentCell
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.renaming import shape
from harness.run.pools.cells import assigned_of, cells_of, tickets_of
from harness.run.pools.events import keyed_letters_of
from harness.run.pools.fifo import allocator_of, allocators_of, window_of
from harness.run.pools.port import Bound, Held, Took, View


class Node(NamedTuple):
    """A keyed pool and the bench around it."""

    state: State
    bench: KeyedBench


class _Asked:
    """A selector that notes what it was asked for and what it said."""

    def __init__(self, selector: Any) -> None:
        self._selector = selector
        self.noted: list[tuple[str, str]] = []

    def __call__(self, key: str) -> str:
        """The role for a key."""
        role: str = self._selector(key)
        self.noted.append((key, role))
        return role


class KeyedRuns:
    """One keyed pool, whose jobs have these keys; `turn` is the class whose rules it follows."""

    def __init__(self, definition: KeyedDefinition, keys: tuple[str, ...], turn: type[KeyedTurn] = KeyedTurn) -> None:
        self.definition = definition
        self.keys = keys
        self._asked = _Asked(definition.selector)
        self._pool = KeyedPool(definition._replace(selector=self._asked), turn)
        self._letters = keyed_letters_of(definition.roles, keys, definition.workers.deadline is not None)

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
        table = Table((), allocator_of(Allocator(GenerationId(1)), world, "generation"))
        state = construct(self.definition, allocators=allocators_of(world), table=table)
        if not isinstance(state, Constructed):
            raise ValueError(f"no pool can be built: {state.reason}")
        return Node(state, host.opening(len(self.roles), self.keys, window_of(self.definition.workers)))

    def take(self, node: Node, letter: str) -> tuple[Node, Took]:
        """One letter."""
        fact = host.fact_of(letter, node.bench, self.roles)
        self._asked.noted.clear()
        state, actions, refused = self._pool.step(node.state, fact)
        took = Took(fact, actions, refused, tuple(self._asked.noted))
        return Node(state, host.after(node.bench, fact, actions)), took

    def view(self, node: Node) -> View:
        """What the logs tell of it."""
        state, roles = node.state, self.roles
        if isinstance(state, Constructed):
            return View(state.mode, (), self._queues(state.cells), (), None, 0, (), bindings=_bindings(state.table))
        if isinstance(state, Operating):
            members = [each.member for each in state.cells]
            cells, running = cells_of(members, roles), assigned_of(members, roles)
            queues, bindings = self._queues(state.cells), _bindings(state.table)
            return View(state.mode, cells, queues, running, None, tickets_of(members), state.charges, bindings=bindings)
        if isinstance(state, Draining):
            return View(state.mode, cells_of(state.members, roles), (), (), None, 0, (), state.deadline.phase)
        return View(state.mode, (), (), (), None, 0, ())

    def shape(self, node: Node) -> Hashable:
        """Pool and bench but for the names of correlations."""
        return shape(node)

    def _queues(self, cells: tuple[UnsentCell | Cell, ...]) -> tuple[Held, ...]:
        return tuple(
            Held(
                int(each.obligation.job),
                int(each.obligation.ordinal),
                "queue",
                role,
                role if each.origin == "retried" else None,
            )
            for role, cell in zip(self.roles, cells, strict=True)
            for each in cell.queue
        )


def _bindings(table: Table) -> tuple[Bound, ...]:
    return tuple(Bound(each.key, each.role, int(each.generation)) for each in table.kept)
