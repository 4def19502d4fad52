"""One step of a walk over a keyed pool: model, oracles, audits and bench move together and are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from harness.models.explorer import Bounds
from harness.models.pools.correlations import Allocators
from harness.models.pools.keyed import bench as host
from harness.models.pools.keyed.account import OPEN, audit_step
from harness.models.pools.keyed.audits import audit_state
from harness.models.pools.keyed.bench import KeyedBench
from harness.models.pools.keyed.inputs import Input, Submit
from harness.models.pools.keyed.ledger import Ledger
from harness.models.pools.keyed.model import KeyedPool, construct
from harness.models.pools.keyed.outcomes import KeyedActions
from harness.models.pools.keyed.sameness import Sameness
from harness.models.pools.keyed.state import Constructed, Draining, Operating, State, Table
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.keyed.walks import KeyedWalk
from harness.models.pools.keyed_oracle.compare import differences
from harness.models.pools.keyed_oracle.records import Records, opening, predict
from harness.models.pools.members import Recovering, phase_of
from harness.models.pools.walking import Stepping, Walked, walk_warm


class Node(NamedTuple):
    """Where a walk is: the pool, the oracles' records, the ledger, the bench, and what was broken on the way."""

    state: State
    records: Records
    ledger: Ledger
    bench: KeyedBench
    broken: tuple[str, ...] = ()


class Taken(NamedTuple):
    """One letter taken: the node after it, the input it stood for, and what the pool did.

    `acted` says whether the pool changed, or a customer or manager heard of it.
    """

    node: Node
    fact: Input
    actions: KeyedActions
    acted: bool


class Overheard:
    """A selector that lets the audits know which keys it was asked for."""

    def __init__(self, selector: Any) -> None:
        self.selector = selector
        self.keys: list[str] = []

    def __call__(self, key: str) -> str:
        """The role for a key."""
        self.keys.append(key)
        role: str = self.selector(key)
        return role


def selector_faults(before: State, fact: Input, asked: list[str]) -> Iterator[str]:
    """A selector is asked once at most, and only for the key of a submission that has no binding."""
    bound = {each.key for each in before.table.kept} if isinstance(before, OPEN) else set()
    wanted = [fact.key] if isinstance(fact, Submit) and fact.key not in bound and isinstance(before, OPEN) else []
    if asked and asked != wanted:
        yield "SelectorMisused"


class Stepper(Stepping[Node, Taken]):
    """Takes letters along one walk; `turn` is the class whose rules the pool follows."""

    def __init__(self, walk: KeyedWalk, turn: type[KeyedTurn] = KeyedTurn) -> None:
        self.walk: KeyedWalk = walk
        self.asked = Overheard(walk.definition.selector)
        self.pool = KeyedPool(walk.definition._replace(selector=self.asked), turn)

    def construct(self) -> Node:
        """The walk's pool before it begins."""
        definition = self.walk.definition
        state = construct(definition)
        if not isinstance(state, Constructed):
            raise ValueError(f"the pool of {self.walk.name} cannot be built: {state.reason}")
        plans = tuple(each.member.definition for each in state.cells)
        records = opening(definition, Allocators(), Table().generations, plans)
        return Node(state, records, Ledger(), host.opening(len(definition.roles), self.walk.keys))

    def take(self, node: Node, letter: str) -> Taken:
        """One letter, all audits, and the oracles.

        A letter after which everything is as before gives the very same node. A state that the pool leaves as it was
        has been audited, and found sound, when it was reached.
        """
        definition = self.walk.definition
        fact = host.fact_of(letter, node.bench, definition.roles)
        self.asked.keys.clear()
        transition = self.pool.step(node.state, fact)
        after, actions, _ = transition
        records, told = predict(definition, node.records, fact)
        ledger, names = audit_step(definition, node.ledger, node.state, fact, transition)
        misused = selector_faults(node.state, fact, self.asked.keys)
        stays = after is node.state
        standing = () if stays and not node.broken else tuple(audit_state(definition, after))
        broken = dict.fromkeys((*standing, *names, *misused, *differences(told, actions)))
        reached = Node(after, records, ledger, host.after(node.bench, fact, actions), tuple(broken))
        acted = not stays or bool(actions.admission_deliveries or actions.management_deliveries)
        return Taken(node if stays and reached == node else reached, fact, actions, acted)


def met(taken: Taken) -> Iterator[tuple[str, str]]:
    """The phases, outcomes and diagnostics that one letter led to."""
    state, actions = taken.node.state, taken.actions
    yield "modes", state.mode
    if isinstance(state, Operating):
        for cell in state.cells:
            yield "phases", phase_of(cell.member)
            if isinstance(cell.member, Recovering):
                yield "phases", f"recovering-{cell.member.recovery.name}"
    elif isinstance(state, Draining):
        yield "phases", f"deadline-{state.deadline.phase}"
        for drained in state.members:
            yield "phases", f"drain-{drained.phase}"
    elif isinstance(state, Constructed):
        yield "phases", "prepared"
    for admission in actions.admission_deliveries:
        yield "outcomes", _named("admission", admission.outcome)
    for management in actions.management_deliveries:
        yield "outcomes", _named("management", management.outcome)
    for terminal in actions.terminal_customer_deliveries:
        yield "outcomes", _named("terminal", terminal.outcome)
    for diagnostic in actions.diagnostics():
        yield "diagnostics", diagnostic.kind


def _named(group: str, outcome: Any) -> str:
    reason = getattr(outcome, "reason", None)
    return f"{group}/{outcome.kind}/{reason}" if reason else f"{group}/{outcome.kind}"


def explore(
    walk: KeyedWalk,
    bounds: Bounds,
    by_states: bool = False,
    turn: type[KeyedTurn] = KeyedTurn,
) -> tuple[tuple[str, ...], Walked]:
    """Walk from the warm start; gives the letters of the start too (see `walk_warm`)."""
    sameness = Sameness()

    def shaped(at: Node) -> Hashable:
        return sameness.key(*at)

    return walk_warm(Stepper(walk, turn), met, bounds, shaped if by_states else None)
