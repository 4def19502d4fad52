"""Arbitrary histories of arbitrary pools: model, oracle and audits agree after every input.

Facts are drawn around what the bench knows: the good and the bad answer to any open question, exact and slightly wrong
ones, repeated ones, at times that may run backwards, under numbers that may run out or clash.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from harness.models.pools import facts as f
from harness.models.pools.bench import Bench, Desk, after, fact_of
from harness.models.pools.correlations import Allocator, Allocators, BirthId, Correlation, DispatchId
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.fifo.audits import audit_state
from harness.models.pools.fifo.inversions import INVERSIONS
from harness.models.pools.fifo.ledger import Ledger, audit_step
from harness.models.pools.fifo.model import FifoPool, construct
from harness.models.pools.fifo.state import Constructed, State
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.fifo_oracle.book import Book, opening
from harness.models.pools.fifo_oracle.oracle import difference, predict, seen
from harness.models.pools.timing import CLOCK_MAX, Budget

ROLES = ("a", "b", "c")


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    """Sound pools of one to three roles, with every policy."""
    eligibility = draw(st.sampled_from(("permanent", "transient", "temporary")))
    recovery = RecoveryPolicy(
        eligibility,
        Budget(draw(st.integers(0, 2)), draw(st.integers(0, 5))),
        draw(st.sampled_from((None, 0, 3))),
        draw(st.sampled_from(("retire-role", "stop-pool"))),
        eligibility != "temporary",
    )
    return Definition(
        roles=ROLES[: draw(st.integers(1, 3))],
        activation_limit=draw(st.integers(1, 2)),
        recovery=recovery,
        backlog=draw(st.integers(0, 2)),
        interruption=draw(st.sampled_from(("fail", "retry"))),
        deadline=draw(st.sampled_from((None, 9))),
        diagnostics=draw(st.sampled_from((None, "operator"))),
    )


@st.composite
def allocators(draw: st.DrawFn) -> Allocators:
    """Numbers that mostly never end; one kind may run out early or clash, births not before the first fleet."""
    plain = Allocators()
    kind = draw(st.sampled_from((*(None,) * 6, *Allocators._fields)))
    if kind is None:
        return plain
    fewest = 3 if kind == "birth" else 0
    number = fewest + draw(st.integers(1, 3))
    first = getattr(plain, kind).next
    limited = draw(st.sampled_from((Allocator(first, number - 1), Allocator(first, None, (number,)))))
    return plain._replace(**{kind: limited})


def distorted(fact: Any, place: int) -> Any:
    """A fact with one of its correlations changed to one that nobody has."""
    return _replace_at(fact, [place], lambda each: type(each)(each + 50))


def _replace_at(value: Any, left: list[int], change: Any) -> Any:
    items = []
    for each in value:
        if isinstance(each, Correlation):
            items.append(change(each) if left[0] == 0 else each)
            left[0] -= 1
        else:
            items.append(_replace_at(each, left, change) if isinstance(each, tuple) else each)
    return tuple.__new__(type(value), items)


_ENDS = ("shutdown", "advance deadline", "refuse deadline")


class FifoMachine(RuleBasedStateMachine):
    """One pool under arbitrary facts."""

    turn: type[FifoTurn] = FifoTurn

    @initialize(
        definition=definitions(),
        numbers=allocators(),
        ready=st.sampled_from((True, True, True, False)),
        jobs=st.integers(0, 4),
    )
    def begin(self, definition: Definition, numbers: Allocators, ready: bool, jobs: int) -> None:
        """A pool is built and begins, with or without its first fleet ready and a few jobs handed in."""
        self.definition = definition
        state = construct(definition, allocators=numbers)
        assert isinstance(state, Constructed)
        self.pool = FifoPool(definition, self.turn)
        self.state: State = state
        self.book: Book = opening(numbers, tuple(each.definition for each in state.roles))
        self.ledger = Ledger()
        self.bench = Bench((Desk(),) * len(definition.roles))
        self.told: list[f.Fact] = []
        self.take(f.Initialize())
        for role in range(len(definition.roles)) if ready else ():
            for _ in range(4):
                self.take(self.fact("advance", role))
        for _ in range(jobs):
            self.submit()

    def take(self, fact: f.Fact) -> None:
        """One input: the audits and the oracle look at it."""
        done = self.pool.step(self.state, fact)
        predicted = predict(self.definition, self.book, fact)
        self.ledger, broken = audit_step(self.definition, self.ledger, self.state, fact, done)
        assert broken == ()
        assert difference(predicted.told, seen(done.actions)) is None, (predicted.told, seen(done.actions))
        self.bench = after(self.bench, fact, done.actions)
        self.book, self.state = predicted.book, done.state
        self.told.append(fact)

    @rule(
        word=st.sampled_from(("advance", "advance", "advance", "refuse", "complete", "repeat", "cross", "forge")),
        role=st.integers(0, 2),
    )
    def answer(self, word: str, role: int) -> None:
        """An answer to an open question, or a report about an assignment."""
        self.take(self.fact(word, role))

    @rule(role=st.integers(0, 2), abnormal=st.booleans(), at=st.sampled_from((0, 1, 2, 4, 8, CLOCK_MAX)))
    def stop(self, role: int, abnormal: bool, at: int) -> None:
        """A worker ends, at any time."""
        fact: Any = self.fact("stop", role)
        self.take(fact._replace(stop=fact.stop._replace(abnormal=abnormal, at=at)))

    @rule()
    def submit(self) -> None:
        """A customer comes."""
        self.take(fact_of("submit", self.bench, self.definition.roles))

    @rule(word=st.sampled_from((*_ENDS, "initialize")), now=st.integers(0, 4))
    def end(self, word: str, now: int) -> None:
        """The pool is told to end (not too often), its drain timer is answered, or it is told to begin once more."""
        if word == "shutdown" and now:
            return
        self.take(fact_of(word, self.bench, self.definition.roles))

    @rule(word=st.sampled_from(("advance", "complete", "stop")), role=st.integers(0, 2), place=st.integers(0, 4))
    def nearly(self, word: str, role: int, place: int) -> None:
        """A fact that is right but for one number."""
        self.take(distorted(self.fact(word, role), place))

    @rule(number=st.integers(0, 200))
    def again(self, number: int) -> None:
        """A fact that was told before, unless it is a customer's."""
        fact = self.told[number % len(self.told)]
        if not isinstance(fact, f.Submit):
            self.take(fact)

    @rule(role=st.integers(0, 2))
    def choose_to_stop(self, role: int) -> None:
        """A worker that starts says that it stops; a source gives up half-way."""
        desk = self.bench.desks[role % len(self.bench.desks)]
        question = desk.open[0] if desk.open else ("none",)
        if question[0] == "init":
            self.take(f.InitStopped(role % len(self.bench.desks), question[1], question[2]))
        elif question[0] == "source":
            self.take(f.SourcePartial(role % len(self.bench.desks), question[1], ("made",), "refused"))

    def fact(self, word: str, role: int) -> f.Fact:
        """A letter of the bench about a role of this pool."""
        roles = self.definition.roles
        return fact_of(f"{word} {roles[role % len(roles)]}", self.bench, roles)

    @invariant()
    def nothing_is_broken(self) -> None:
        """Every invariant holds of every state."""
        if hasattr(self, "state"):
            assert tuple(audit_state(self.definition, self.state)) == ()


def bounds(examples: int, shrink: bool = True) -> settings:
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    return settings(
        max_examples=examples,
        stateful_step_count=40,
        deadline=None,
        derandomize=True,
        phases=phases,
        suppress_health_check=slow,
    )


def test_fifo_model_and_oracle_agree_on_arbitrary_histories() -> None:
    """No history of inputs breaks an invariant, or tells the model and the oracle apart."""
    run_state_machine_as_test(FifoMachine, settings=bounds(60))


@pytest.mark.deep
def test_fifo_model_and_oracle_agree_on_thousands_of_histories() -> None:
    """The same over five thousand sequences."""
    run_state_machine_as_test(FifoMachine, settings=bounds(5_000))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("completion-does-not-fill", marks=pytest.mark.deep),  # found after the most histories
        "rejects-in-silence",
        "recovers-at-once",
    ],
)
def test_arbitrary_histories_show_a_breach(name: str) -> None:
    """The machine is able to fail: under a breach it finds one of its own accord."""
    broken = INVERSIONS.named(name)
    assert broken is not None
    machine = type("Broken", (FifoMachine,), {"turn": broken.turn})
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=bounds(200, shrink=False))


def test_distorted_fact_differs_in_one_number() -> None:
    """Only the number at the place is another; a place beyond the numbers changes nothing."""
    fact = f.DeliveryAccepted(0, BirthId(1), DispatchId(2))
    assert distorted(fact, 1) == f.DeliveryAccepted(0, BirthId(1), DispatchId(52))
    assert distorted(fact, 9) == fact
