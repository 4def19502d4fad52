"""One step of a walk over a FIFO pool: model, oracle, audits and bench move together and are compared."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools import bench as host
from harness.models.pools.actions import Actions
from harness.models.pools.bench import Bench, Desk
from harness.models.pools.correlations import Allocators
from harness.models.pools.facts import Fact
from harness.models.pools.fifo.audits import audit_state
from harness.models.pools.fifo.ledger import Ledger, audit_step
from harness.models.pools.fifo.model import FifoPool, construct
from harness.models.pools.fifo.state import Constructed, State
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.fifo.walks import PoolWalk
from harness.models.pools.fifo_oracle.book import Book, opening
from harness.models.pools.fifo_oracle.oracle import difference, predict, seen
from harness.models.pools.renaming import shape


class Node(NamedTuple):
    """Where a walk is: the pool, the oracle's book, the ledger, the bench, and what was found broken on the way."""

    state: State
    book: Book
    ledger: Ledger
    bench: Bench
    broken: tuple[str, ...] = ()


class Shaped:
    """A node that equals every other whose pool and bench are the same up to the names of correlations.

    Book and ledger go along as they are on the first way that leads here.
    """

    __slots__ = ("key", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.key = shape((node.state, node.bench, node.broken))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shaped) and self.key == other.key


class Taken(NamedTuple):
    """One letter taken: the node after it, the fact it stood for, and what the pool did.

    `acted` says whether the pool changed or a customer heard of it.
    """

    node: Node
    fact: Fact
    actions: Actions
    acted: bool


class Stepper:
    """Takes letters along one walk; `turn` is the class whose rules the pool follows."""

    def __init__(self, walk: PoolWalk, turn: type[FifoTurn] = FifoTurn) -> None:
        self.walk = walk
        self.pool = FifoPool(walk.definition, turn)

    def construct(self) -> Node:
        """The walk's pool before it begins."""
        state = construct(self.walk.definition)
        if not isinstance(state, Constructed):
            raise ValueError(f"the pool of {self.walk.name} cannot be built: {state.reason}")
        desks = (Desk(),) * len(self.walk.definition.roles)
        return Node(
            state, opening(Allocators(), tuple(each.definition for each in state.roles)), Ledger(), Bench(desks)
        )

    def initial(self) -> Node:
        """The stated warm start."""
        node = self.construct()
        for letter in self.walk.start:
            node = self.take(node, letter).node
        return node

    def enabled(self, node: Node) -> tuple[str, ...]:
        """Every letter, until something is broken."""
        return () if node.broken else self.walk.letters

    def take(self, node: Node, letter: str) -> Taken:
        """One letter, all audits, and the oracle."""
        definition = self.walk.definition
        fact = host.fact_of(letter, node.bench, definition.roles)
        transition = self.pool.step(node.state, fact)
        after, actions, _ = transition
        book, told = predict(definition, node.book, fact)
        ledger, names = audit_step(definition, node.ledger, node.state, fact, transition)
        differs = difference(told, seen(actions))
        broken = dict.fromkeys((*audit_state(definition, after), *names, *((differs,) if differs else ())))
        reached = Node(after, book, ledger, host.after(node.bench, fact, actions), tuple(broken))
        acted = after is not node.state or bool(actions.admission_deliveries)
        return Taken(reached, fact, actions, acted)
