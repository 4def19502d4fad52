"""Arbitrary histories of keyed pools: bindings alone, assignments with retirement, and everything at once.

After every input the audits hold and both oracles agree. No pool is given an input after its end.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from harness.models.pools import facts as f
from harness.models.pools.correlations import Allocators, BirthId, GenerationId, RequestId
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.keyed.definition import KeyedDefinition, choosing
from harness.models.pools.keyed.inputs import Input, Rebalance, Submit, Unbind
from harness.models.pools.keyed.inversions import INVERSIONS
from harness.models.pools.keyed.law import KEYED
from harness.models.pools.keyed.outcomes import Completed
from harness.models.pools.keyed.state import Operating, Table, Transition
from harness.models.pools.timing import CLOCK_MAX, Budget
from harness.models.pools.values import Admitted, Stop, Worker
from tests.models.pools.keyed._machines import (
    CHOICES,
    KEYS,
    KeyedMachine,
    allocators,
    bounds,
    definitions,
    tables,
)
from tests.models.pools.test_fifo_stateful import distorted

FEW, MANY = 20, 5_000
NOBODY = Worker(BirthId(99), BirthId(99))

# -- bindings alone ------------------------------------------------------------------------------------------------


class BindingMachine(KeyedMachine):
    """Commands of managers to a pool without jobs; a directory says what must come of each."""

    @initialize(capacity=st.integers(1, 3), table=tables())
    def begin(self, capacity: int, table: Table) -> None:
        """Three roles, of which the last is lost."""
        recovery = RecoveryPolicy("permanent", Budget(0, 0))
        workers = Definition(("a", "b", "c"), 1, recovery, 0, "fail")
        self.build(KeyedDefinition(workers, choosing(CHOICES, "a"), capacity), Allocators(), table)
        self.directory: dict[str, tuple[GenerationId, str]] = {}
        self.issued: dict[str, list[GenerationId]] = {key: [] for key in KEYS}
        self.take(f.Initialize())
        self.take(f.BirthRejected(2, BirthId(3), "refused"))

    @rule(
        key=st.sampled_from(KEYS[:3]),
        role=st.sampled_from(("a", "b", "c", "nobody", None)),
        expects=st.sampled_from(("right", "right", "right", "absent", "stale", "foreign")),
    )
    def command(self, key: str, role: str | None, expects: str) -> None:
        """A rebalance, or an unbind where there is no role, with any expectation."""
        kept = self.directory.get(key)
        older = [each for each in self.issued[key] if kept is None or each != kept[0]]
        expected = {
            "right": kept[0] if kept else None,
            "absent": None,
            "stale": older[-1] if older else GenerationId(70),
            "foreign": GenerationId(80),
        }[expects]
        number = RequestId(len(self.told) + 1)
        sent = Unbind(number, key, expected, "m") if role is None else Rebalance(number, key, expected, role, "m")
        done = self.take(sent)
        assert done is not None
        (reply,) = done.actions.management_deliveries
        self.expect(sent, kept, reply.outcome)
        assert isinstance(self.state, Operating)
        assert {each.key: (each.generation, each.role) for each in self.state.table.kept} == self.directory

    def expect(self, sent: Rebalance | Unbind, kept: tuple[GenerationId, str] | None, outcome: Any) -> None:
        """What the directory says of one answer; an answer that binds is written into it."""
        reason = getattr(outcome, "reason", None)
        if sent.expected != (kept[0] if kept else None):
            assert (reason, outcome.actual) == ("stale-expectation", kept[0] if kept else None)
        elif isinstance(sent, Unbind):
            assert outcome.kind == ("unbound" if self.directory.pop(sent.key, None) else "already-unbound")
        elif sent.target in ("c", "nobody"):
            assert reason == ("target-unavailable" if sent.target == "c" else "unknown-target")
        elif kept is not None and kept[1] == sent.target:
            assert (outcome.kind, outcome.current) == ("rebalance-unchanged", Admitted(*kept))
        elif kept is None and len(self.directory) == self.definition.binding_capacity:
            assert reason == "binding-capacity-exhausted"
        elif reason is not None:
            assert (reason, outcome.command) == ("generation-reservation-rejected", sent)
        else:
            assert outcome.kind == ("bound-absent" if kept is None else "rebalanced")
            generation = outcome.current.generation
            assert all(generation not in each for each in self.issued.values())
            assert outcome.current.role == sent.target
            self.issued[sent.key].append(generation)
            self.directory[sent.key] = (generation, sent.target)


def test_bindings_follow_a_directory() -> None:
    """Same-role stability, freshness after a move or an unbind, and the refusal of stale and foreign expectations."""
    run_state_machine_as_test(BindingMachine, settings=bounds(FEW))


@pytest.mark.deep
def test_bindings_follow_a_directory_over_thousands_of_histories() -> None:
    """The same over five thousand sequences."""
    run_state_machine_as_test(BindingMachine, settings=bounds(MANY))


# -- assignments with retirement -----------------------------------------------------------------------------------


class AssignmentMachine(KeyedMachine):
    """One ready worker with one accepted job; its customer is told exactly one end."""

    @initialize(
        eligibility=st.sampled_from(("permanent", "transient", "temporary")),
        interruption=st.sampled_from(("fail", "retry")),
        failure=st.sampled_from(("retire-role", "stop-pool")),
        deadline=st.sampled_from((None, 9)),
    )
    def begin(self, eligibility: str, interruption: str, failure: str, deadline: int | None) -> None:
        """The worker gets ready and has the job; nothing is known of its delivery."""
        recovery = RecoveryPolicy(eligibility, Budget(1, 5), None, failure, eligibility != "temporary")
        workers = Definition(("a",), 1, recovery, 1, interruption, deadline)
        self.build(KeyedDefinition(workers, choosing(CHOICES, "a"), 1), Allocators(), Table())
        self.ends: list[Any] = []
        for letter in ("initialize", *("advance a",) * 4, "submit a1"):
            super().take(self.fact(letter))
        given = self.bench.workers.desks[0].latest
        assert given is not None
        self.first = given

    def take(self, fact: Input) -> Transition | None:
        """One input, and what the customer hears; until then the pool owes the very same job."""
        done = super().take(fact)
        if done is None:
            return None
        self.ends += [each.outcome for each in done.actions.terminal_customer_deliveries]
        owed = [each for each in self.ledger.entries if each.job == self.first.job]
        assert len(owed) + len(self.ends) == 1
        for entry in owed:
            assert (entry.payload, entry.admitted) == (self.first.command.payload, Admitted(GenerationId(1), "a"))
        for outcome in self.ends:
            assert (outcome.job, outcome.binding) == (self.first.job, Admitted(GenerationId(1), "a"))
            completed = isinstance(outcome, Completed)
            assert completed or outcome.payload == self.first.command.payload
            assert not completed or outcome.result == "done"
        return done

    @rule(word=st.sampled_from(("advance a", "refuse a", "complete a", "repeat a", "forge a")))
    def settle(self, word: str) -> None:
        """A delivery is answered, or a job reported, also with a forged half."""
        self.take(self.fact(word))

    @rule(abnormal=st.booleans(), foreign=st.booleans(), at=st.sampled_from((0, 3, 9)))
    def stop(self, abnormal: bool, foreign: bool, at: int) -> None:
        """The worker ends, or one that nobody knows."""
        worker = NOBODY if foreign else self.bench.workers.desks[0].worker
        self.take(f.WorkerStopped(0, Stop(worker, abnormal, at)))

    @rule(word=st.sampled_from(("shutdown", "advance deadline", "refuse deadline")), now=st.integers(0, 3))
    def end(self, word: str, now: int) -> None:
        """The pool is told to end (not too often), and its drain timer is answered."""
        if word != "shutdown" or not now:
            self.take(self.fact(word))

    @rule(number=st.integers(0, 60))
    def replay(self, number: int) -> None:
        """A fact that was told before, once more; a customer does not ask twice."""
        fact = self.told[number % len(self.told)]
        if not isinstance(fact, Submit):
            self.take(fact)

    @rule()
    def unbind(self) -> None:
        """The binding goes; the job does not care."""
        self.take(self.fact("unbind a1"))


def test_assignments_settle_once_whatever_comes() -> None:
    """The job, its payload or result, its role and generation are the same to its one end."""
    run_state_machine_as_test(AssignmentMachine, settings=bounds(FEW, 25))


@pytest.mark.deep
def test_assignments_settle_once_over_thousands_of_histories() -> None:
    """The same over five thousand sequences."""
    run_state_machine_as_test(AssignmentMachine, settings=bounds(MANY, 25))


# -- everything at once --------------------------------------------------------------------------------------------


class WholeMachine(KeyedMachine):
    """Any pool under arbitrary inputs, exact, nearly exact, and repeated."""

    @initialize(
        definition=definitions(),
        numbers=allocators(),
        table=tables(),
        ready=st.sampled_from((True, True, True, False)),
        early=st.lists(st.sampled_from(KEYS), max_size=2),
        jobs=st.lists(st.sampled_from(KEYS), max_size=3),
    )
    def begin(
        self,
        definition: KeyedDefinition,
        numbers: Allocators,
        table: Table,
        ready: bool,
        early: list[str],
        jobs: list[str],
    ) -> None:
        """Jobs before the beginning, the beginning, a fleet that is ready or not, and more jobs."""
        self.build(definition, numbers, table)
        for key in early:
            self.submit(key)
        self.take(f.Initialize())
        for role in definition.roles if ready else ():
            for _ in range(4):
                self.take(self.fact(f"advance {role}"))
        for key in jobs:
            self.submit(key)

    @rule(
        word=st.sampled_from(("advance", "advance", "advance", "refuse", "complete", "repeat", "cross", "forge")),
        role=st.integers(0, 2),
    )
    def answer(self, word: str, role: int) -> None:
        """An answer to an open question, or a report about an assignment."""
        self.take(self.fact(f"{word} {self.role(role)}"))

    @rule(role=st.integers(0, 2), abnormal=st.booleans(), at=st.sampled_from((0, 1, 2, 4, 8, CLOCK_MAX)))
    def stop(self, role: int, abnormal: bool, at: int) -> None:
        """A worker ends, at any time."""
        fact = self.fact(f"stop {self.role(role)}")
        self.take(fact._replace(stop=fact.stop._replace(abnormal=abnormal, at=at)))

    @rule(key=st.sampled_from(KEYS))
    def submit(self, key: str) -> None:
        """A customer comes."""
        self.take(self.fact(f"submit {key}"))

    @rule(word=st.sampled_from(("rebalance", "late", "unbind")), key=st.sampled_from(KEYS[:3]), role=st.integers(0, 2))
    def manage(self, word: str, key: str, role: int) -> None:
        """A manager's command, as it is right now or too late."""
        self.take(self.fact(f"{word} {key}" if word == "unbind" else f"{word} {key} {self.role(role)}"))

    @rule(
        word=st.sampled_from(("shutdown", "advance deadline", "refuse deadline", "initialize")), now=st.integers(0, 4)
    )
    def end(self, word: str, now: int) -> None:
        """The pool is told to end (not too often), its drain timer is answered, or it is told to begin once more."""
        if word != "shutdown" or not now:
            self.take(self.fact(word))

    @rule(word=st.sampled_from(("advance", "complete", "stop")), role=st.integers(0, 2), place=st.integers(0, 4))
    def nearly(self, word: str, role: int, place: int) -> None:
        """A fact that is right but for one number."""
        self.take(distorted(self.fact(f"{word} {self.role(role)}"), place))

    @rule(number=st.integers(0, 200))
    def again(self, number: int) -> None:
        """An input that was told before, unless it is a customer's or a manager's."""
        fact = self.told[number % len(self.told)]
        if not isinstance(fact, Submit | Rebalance | Unbind):
            self.take(fact)

    @rule(role=st.integers(0, 2))
    def choose_to_stop(self, role: int) -> None:
        """A worker that starts says that it stops; a source gives up half-way."""
        place = self.definition.roles.index(self.role(role))
        desk = self.bench.workers.desks[place]
        question = desk.open[0] if desk.open else ("none",)
        if question[0] == "init":
            self.take(f.InitStopped(place, question[1], question[2]))
        elif question[0] == "source":
            self.take(f.SourcePartial(place, question[1], ("made",), "refused"))


def test_keyed_model_and_oracles_agree_on_arbitrary_histories() -> None:
    """No history of inputs breaks an invariant, or tells the model and an oracle apart."""
    run_state_machine_as_test(WholeMachine, settings=bounds(FEW))


@pytest.mark.deep
def test_keyed_model_and_oracles_agree_on_thousands_of_histories() -> None:
    """The same over five thousand sequences."""
    run_state_machine_as_test(WholeMachine, settings=bounds(MANY))


@pytest.mark.parametrize(
    ("machine", "name"),
    [
        (BindingMachine, "stale-mutation"),
        (BindingMachine, "generation-reuse"),
        (AssignmentMachine, "completion-needs-no-delivery"),
        (AssignmentMachine, "shutdown-keeps-assigned"),
        (WholeMachine, "bindings-vanish"),
    ],
)
def test_arbitrary_histories_show_a_breach(machine: type[KeyedMachine], name: str) -> None:
    """The machines are able to fail: under a breach each finds one of its own accord."""
    broken = INVERSIONS.named(name)
    assert broken is not None
    assert broken in KEYED.inversions.all()
    target = type("Broken", (machine,), {"turn": broken.turn})
    with pytest.raises(AssertionError):
        run_state_machine_as_test(target, settings=bounds(200, shrink=False))
