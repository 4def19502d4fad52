"""One step of a walk over a FIFO pool: model, oracle, audits and bench move together and are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from harness.models.explorer import Bounds
from harness.models.pools import bench as host
from harness.models.pools.actions import Actions, AdmissionOutcome, TerminalOutcome
from harness.models.pools.bench import Bench, Desk
from harness.models.pools.correlations import Allocators
from harness.models.pools.facts import Fact
from harness.models.pools.fifo.audits import audit_state
from harness.models.pools.fifo.ledger import Ledger, audit_step
from harness.models.pools.fifo.model import FifoPool, construct
from harness.models.pools.fifo.sameness import Sameness
from harness.models.pools.fifo.state import Constructed, Draining, Operating, State
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.fifo.walks import PoolWalk
from harness.models.pools.fifo_oracle.book import Book, opening
from harness.models.pools.fifo_oracle.oracle import difference, predict, seen
from harness.models.pools.members import Recovering, phase_of
from harness.models.pools.walking import Stepping, Walked, walk_warm


class Node(NamedTuple):
    """Where a walk is: the pool, the oracle's book, the ledger, the bench, and what was found broken on the way."""

    state: State
    book: Book
    ledger: Ledger
    bench: Bench
    broken: tuple[str, ...] = ()


class Taken(NamedTuple):
    """One letter taken: the node after it, the fact it stood for, and what the pool did.

    `acted` says whether the pool changed or a customer heard of it.
    """

    node: Node
    fact: Fact
    actions: Actions
    acted: bool


class Stepper(Stepping[Node, Taken]):
    """Takes letters along one walk; `turn` is the class whose rules the pool follows."""

    def __init__(self, walk: PoolWalk, turn: type[FifoTurn] = FifoTurn) -> None:
        self.walk: PoolWalk = walk
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

    def take(self, node: Node, letter: str) -> Taken:
        """One letter, all audits, and the oracle.

        A letter after which everything is as before gives the very same node. The audit of a state looks at nothing
        but the state: where the pool gives the very same one, it was audited when it was reached, and found sound.
        """
        definition = self.walk.definition
        fact = host.fact_of(letter, node.bench, definition.roles)
        transition = self.pool.step(node.state, fact)
        after, actions, _ = transition
        book, told = predict(definition, node.book, fact)
        ledger, names = audit_step(definition, node.ledger, node.state, fact, transition)
        differs = difference(told, seen(actions))
        stays = after is node.state
        standing = () if stays and not node.broken else tuple(audit_state(definition, after))
        broken = dict.fromkeys((*standing, *names, *((differs,) if differs else ())))
        reached = Node(after, book, ledger, host.after(node.bench, fact, actions), tuple(broken))
        acted = not stays or bool(actions.admission_deliveries)
        return Taken(node if stays and reached == node else reached, fact, actions, acted)


def met(taken: Taken) -> Iterator[tuple[str, str]]:
    """The phases, outcomes and diagnostics that one letter led to."""
    state = taken.node.state
    yield "modes", state.mode
    if isinstance(state, Operating):
        for member in state.members:
            yield "phases", phase_of(member)
            if isinstance(member, Recovering):
                yield "phases", f"recovering-{member.recovery.name}"
    elif isinstance(state, Draining):
        yield "phases", f"deadline-{state.deadline.phase}"
        for drained in state.members:
            yield "phases", f"drain-{drained.phase}"
    for admission in taken.actions.admission_deliveries:
        yield "outcomes", _named(admission.outcome)
    for terminal in taken.actions.terminal_customer_deliveries:
        yield "outcomes", _named(terminal.outcome)
    for diagnostic in taken.actions.diagnostics():
        yield "diagnostics", diagnostic.kind


def _named(outcome: AdmissionOutcome | TerminalOutcome) -> str:
    reason = getattr(outcome, "reason", None)
    return f"{outcome.kind}/{reason}" if reason else outcome.kind


def explore(
    walk: PoolWalk,
    bounds: Bounds,
    by_states: bool = False,
    turn: type[FifoTurn] = FifoTurn,
) -> tuple[tuple[str, ...], Walked]:
    """Walk from the warm start; gives the letters of the start too (see `walk_warm`)."""
    sameness = Sameness(walk.letters, walk.definition.roles)

    def shaped(at: Node) -> Hashable:
        return sameness.key(*at)

    return walk_warm(Stepper(walk, turn), met, bounds, shaped if by_states else None)
