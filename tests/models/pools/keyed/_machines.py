"""What the state machines about keyed pools share: one pool, its audits, its oracles and its bench."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from harness.models.pools.correlations import Allocator, Allocators
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.keyed import bench as host
from harness.models.pools.keyed.account import audit_step
from harness.models.pools.keyed.audits import audit_state
from harness.models.pools.keyed.definition import KeyedDefinition, choosing
from harness.models.pools.keyed.exploring import Overheard, selector_faults
from harness.models.pools.keyed.inputs import Input
from harness.models.pools.keyed.ledger import Ledger
from harness.models.pools.keyed.model import KeyedPool, construct
from harness.models.pools.keyed.state import ENDED, Constructed, State, Table, Transition
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.keyed_oracle.compare import differences, seen
from harness.models.pools.keyed_oracle.records import opening, predict
from harness.models.pools.timing import Budget

ROLES = ("a", "b", "c")
KEYS = ("a1", "a2", "b1", "c1", "z1")
CHOICES = {key: key[0] for key in KEYS}
"""The selector gives each key to the role that it begins with; `z1` goes to a role that there is not."""


@st.composite
def definitions(draw: st.DrawFn, most: int = 3) -> KeyedDefinition:
    """Sound pools of one to `most` roles, with every policy."""
    eligibility = draw(st.sampled_from(("permanent", "transient", "temporary")))
    recovery = RecoveryPolicy(
        eligibility,
        Budget(draw(st.integers(0, 2)), draw(st.integers(0, 5))),
        draw(st.sampled_from((None, 0, 3))),
        draw(st.sampled_from(("retire-role", "stop-pool"))),
        eligibility != "temporary",
    )
    workers = Definition(
        roles=ROLES[: draw(st.integers(1, most))],
        activation_limit=draw(st.integers(1, 2)),
        recovery=recovery,
        backlog=draw(st.integers(0, 2)),
        interruption=draw(st.sampled_from(("fail", "retry"))),
        deadline=draw(st.sampled_from((None, 9))),
        diagnostics=draw(st.sampled_from((None, "operator"))),
    )
    return KeyedDefinition(workers, choosing(CHOICES, "nobody"), draw(st.integers(1, 3)))


def limited(draw: st.DrawFn, plain: Allocator, fewest: int = 0) -> Allocator:
    """The same allocator, with an early end or a clash."""
    number = fewest + draw(st.integers(1, 3))
    return draw(st.sampled_from((Allocator(plain.next, number - 1), Allocator(plain.next, None, (number,)))))


@st.composite
def allocators(draw: st.DrawFn) -> Allocators:
    """Numbers that mostly never end; one kind may run out early or clash, births not before the first fleet."""
    plain = Allocators()
    kind = draw(st.sampled_from((*(None,) * 6, *Allocators._fields)))
    if kind is None:
        return plain
    return plain._replace(**{kind: limited(draw, getattr(plain, kind), 3 if kind == "birth" else 0)})


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """An empty table, sometimes with generations that run out or clash."""
    plain = Table()
    if draw(st.integers(0, 4)):
        return plain
    return plain._replace(generations=limited(draw, plain.generations))


def bounds(examples: int, steps: int = 40, shrink: bool = True) -> settings:
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        phases=phases,
        report_multiple_bugs=shrink,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


class KeyedMachine(RuleBasedStateMachine):
    """One pool, looked at by all audits and both oracles after every input; it is given none once it has ended."""

    turn: type[KeyedTurn] = KeyedTurn

    def build(self, definition: KeyedDefinition, numbers: Allocators, table: Table) -> None:
        """A pool that has not begun."""
        self.definition = definition
        self.asked = Overheard(definition.selector)
        self.pool = KeyedPool(definition._replace(selector=self.asked), self.turn)
        state = construct(definition, allocators=numbers, table=table)
        assert isinstance(state, Constructed)
        self.state: State = state
        plans = tuple(each.member.definition for each in state.cells)
        self.records = opening(definition, numbers, table.generations, plans)
        self.ledger = Ledger()
        self.bench = host.opening(len(definition.roles), KEYS)
        self.told: list[Input] = []

    @property
    def has_ended(self) -> bool:
        """Whether the pool takes nothing in any more."""
        return isinstance(getattr(self, "state", None), ENDED)

    def take(self, fact: Input) -> Transition | None:
        """One input; nothing is told to a pool that has ended."""
        if self.has_ended:
            return None
        self.asked.keys.clear()
        before = self.state
        done = self.pool.step(before, fact)
        self.records, told = predict(self.definition, self.records, fact)
        self.ledger, broken = audit_step(self.definition, self.ledger, before, fact, done)
        assert broken == ()
        assert tuple(selector_faults(before, fact, self.asked.keys)) == ()
        assert tuple(differences(told, done.actions)) == (), (told, tuple(seen(done.actions)))
        assert tuple(audit_state(self.definition, done.state)) == ()
        self.bench = host.after(self.bench, fact, done.actions)
        self.state = done.state
        self.told.append(fact)
        return done

    def fact(self, letter: str) -> Any:
        """The input that a letter stands for now."""
        return host.fact_of(letter, self.bench, self.definition.roles)

    def role(self, number: int) -> str:
        """One of this pool's roles."""
        return self.definition.roles[number % len(self.definition.roles)]
