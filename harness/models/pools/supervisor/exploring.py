"""One step of a walk over a supervisor: model, oracle, audits and bench move together and are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from harness.models.explorer import Bounds
from harness.models.pools.renaming import Shapes
from harness.models.pools.supervisor import bench as host
from harness.models.pools.supervisor.actions import Actions, Capability, Status
from harness.models.pools.supervisor.audits import audit_state
from harness.models.pools.supervisor.bench import Bench, Seat
from harness.models.pools.supervisor.conservation import audit_step
from harness.models.pools.supervisor.facts import Fact
from harness.models.pools.supervisor.ledger import Ledger
from harness.models.pools.supervisor.members import DrainingProxy, phase_of
from harness.models.pools.supervisor.model import Supervisor, construct
from harness.models.pools.supervisor.post import ANSWERS, EMPTY, outline
from harness.models.pools.supervisor.state import Constructed, Draining, Operating, State, all_members, ending
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.values import Allocators
from harness.models.pools.supervisor.walks import SupervisorWalk
from harness.models.pools.supervisor_oracle.book import Book, opening
from harness.models.pools.supervisor_oracle.oracle import difference, predict, seen
from harness.models.pools.walking import Stepping, Walked, walk_warm


class Node(NamedTuple):
    """Where a walk is: the supervisor, the oracle's book, the ledger, the bench, and what was found broken."""

    state: State
    book: Book
    ledger: Ledger
    bench: Bench
    broken: tuple[str, ...] = ()


class Taken(NamedTuple):
    """One letter taken: the node after it, the fact it stood for, and what the supervisor did.

    `acted` says whether the supervisor changed, answered a query, or told of something.
    """

    node: Node
    fact: Fact
    actions: Actions
    acted: bool


class Stepper(Stepping[Node, Taken]):
    """Takes letters along one walk; `turn` is the class whose rules the supervisor follows."""

    def __init__(self, walk: SupervisorWalk, turn: type[SupervisorTurn] = SupervisorTurn) -> None:
        self.walk: SupervisorWalk = walk
        self.supervisor = Supervisor(walk.definition, turn)
        self._is_told = any(each.partition(" ")[0] in ANSWERS for each in walk.letters)

    def construct(self) -> Node:
        """The walk's supervisor before it begins."""
        state = construct(self.walk.definition)
        if not isinstance(state, Constructed):
            raise ValueError(f"the supervisor of {self.walk.name} cannot be built: {state.reason}")
        plans = tuple(each.initial.definition for each in state.roles)
        seats = (Seat(),) * len(plans)
        return Node(state, opening(Allocators(), plans), Ledger(), Bench(seats))

    def take(self, node: Node, letter: str) -> Taken:
        """One letter, all audits, and the oracle."""
        definition = self.walk.definition
        fact = host.fact_of(letter, node.bench, definition.roles)
        transition = self.supervisor.step(node.state, fact)
        after, actions, _ = transition
        book, told = predict(definition, node.book, fact)
        ledger, names = audit_step(definition, node.ledger, node.state, fact, transition)
        differs = difference(told, seen(actions, *ending(transition), definition.roles))
        broken = dict.fromkeys((*audit_state(definition, after), *names, *((differs,) if differs else ())))
        bench = host.after(node.bench, fact, actions, definition.roles)
        if not self._is_told:  # no letter speaks of what was sent, so that it makes no difference to any state
            bench, book, ledger = bench._replace(post=EMPTY), book.without_mail(), ledger.without_mail()
        heard = actions.management_replies or actions.lifecycle_events or actions.delivery_rejections
        acted = after is not node.state or bool(heard)
        return Taken(Node(after, book, ledger, bench, tuple(broken)), fact, actions, acted)


def met(taken: Taken) -> Iterator[tuple[str, str]]:
    """The phases, outcomes and diagnostics that one letter led to."""
    state = taken.node.state
    yield "modes", state.mode
    if isinstance(state, Operating):
        for member in all_members(state):
            yield "phases", phase_of(member)
        for batch in state.batches:
            yield "phases", f"release-{batch.release.word}"
        if state.pending:
            yield "phases", "preparation-pending"
    elif isinstance(state, Draining):
        yield "phases", f"deadline-{state.deadline.phase}"
        for drained in state.members:
            yield "phases", f"drain-{drained.phase}"
            if isinstance(drained, DrainingProxy):
                yield "phases", f"drain-{drained.outstanding.word}"
    for event in taken.actions.events():
        yield "outcomes", event.kind
    for reply in taken.actions.management_replies:
        yield from _answered(reply.answer)
    for diagnostic in taken.actions.diagnostics():
        yield "diagnostics", diagnostic.kind


def _answered(answer: Status | Capability) -> Iterator[tuple[str, str]]:
    if isinstance(answer, Capability):
        yield "outcomes", f"capability/{answer.word}"
    else:
        for line in answer.members:
            yield "outcomes", f"status/{line.status}"


def explore(
    walk: SupervisorWalk,
    bounds: Bounds,
    by_states: bool = False,
    turn: type[SupervisorTurn] = SupervisorTurn,
) -> tuple[tuple[str, ...], Walked]:
    """Walk from the warm start; gives the letters of the start too (see `walk_warm`).

    By states, nodes are one whose supervisor and bench are the same up to the names of correlations; book and ledger
    go along as they are on the first way that leads there.
    """
    shapes = Shapes()

    def same(at: Node) -> Hashable:
        return shapes.key((at.state, at.bench._replace(post=EMPTY), outline(at.bench.post))), at.broken

    return walk_warm(Stepper(walk, turn), met, bounds, same if by_states else None)
