"""Arbitrary histories of arbitrary supervisors: model, oracle and audits agree after every input.

Facts are drawn around what the bench knows: the good and the bad answer to any open question, exact and slightly wrong
ones, repeated ones, at times that may run backwards, under numbers that may run out or clash.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from harness.models.pools.correlations import Allocator, Correlation
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.audits import audit_state
from harness.models.pools.supervisor.bench import Bench, Seat, after, fact_of
from harness.models.pools.supervisor.conservation import audit_step
from harness.models.pools.supervisor.definition import FAILURES, STRATEGIES, Definition, Recovery, Restarts
from harness.models.pools.supervisor.inversions import INVERSIONS
from harness.models.pools.supervisor.ledger import Ledger
from harness.models.pools.supervisor.model import Supervisor, construct
from harness.models.pools.supervisor.state import ENDED, Constructed, State, ending
from harness.models.pools.supervisor.timing import TIMINGS, Timing
from harness.models.pools.supervisor.turn import OPERATING, SupervisorTurn
from harness.models.pools.supervisor.values import Allocators, DeliveryId, Submission
from harness.models.pools.supervisor_oracle.book import Book, opening
from harness.models.pools.supervisor_oracle.oracle import difference, predict, seen
from harness.models.pools.timing import CLOCK_MAX, Budget

ROLES = ("a", "b", "c")
LIKELY = (*("advance",) * 18, *("recover",) * 12, *("stop",) * 6, "refuse", "leave", "lose", "exit")
MOSTLY_NOW = (*(None,) * 40, 0, 1, 2, 4, 8, CLOCK_MAX - 3, CLOCK_MAX)


UNLIKELY = (
    *("status", "capability", "call", "exit", "exit", "cross", "shutdown", "initialize"),
    *("advance deadline", "advance deadline", "refuse deadline", "refuse recovery"),
    *("nearly", "nearly", "again", "again", "half_prepared", "refuse_otherwise", "refuse_otherwise", "settle"),
)


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    """Sound supervisors of one to three roles, with every policy."""
    eligibility = draw(st.sampled_from((*("permanent",) * 4, "transient", "transient", "temporary")))
    kind = draw(st.sampled_from(TIMINGS))
    timing = Timing(kind, 0 if kind == "immediate" else draw(st.sampled_from((1, 3, 3, CLOCK_MAX // 2))))
    budget = Budget(draw(st.sampled_from((9, 9, 3, 2, 0))), draw(st.integers(0, 5)))
    restarts = Restarts(draw(st.sampled_from(STRATEGIES)), budget, timing)
    return Definition(
        roles=ROLES[: draw(st.integers(1, 3))],
        activation_limit=draw(st.integers(1, 2)),
        recovery=Recovery(eligibility, None if eligibility == "temporary" else restarts),
        failure=draw(st.sampled_from(("retire-member", *FAILURES))),
        deadline=draw(st.sampled_from((None, 9))),
        diagnostics=draw(st.sampled_from((*("operator",) * 7, None))),
        lifecycle=draw(st.sampled_from(("observer", "observer", None))),
    )


@st.composite
def allocators(draw: st.DrawFn) -> Allocators:
    """Numbers that mostly never end; recoveries or timers may run out early or clash."""
    kind = draw(st.sampled_from((None, None, None, "recovery", "timer")))
    if kind is None:
        return Allocators()
    number = draw(st.integers(1, 3))
    first = getattr(Allocators(), kind).next
    limited = draw(st.sampled_from((Allocator(first, number - 1), Allocator(first, None, (number,)))))
    return Allocators()._replace(**{kind: limited})


def distorted(fact: Any, place: int) -> Any:
    """A fact with one of its correlations changed to one that nobody has."""
    return _replace_at(fact, [place])


def _replace_at(value: Any, left: list[int]) -> Any:
    items = []
    for each in value:
        if isinstance(each, Correlation):
            items.append(type(each)(each + 50) if left[0] == 0 else each)
            left[0] -= 1
        else:
            items.append(_replace_at(each, left) if isinstance(each, tuple) else each)
    return tuple.__new__(type(value), items)


class SupervisorMachine(RuleBasedStateMachine):
    """One supervisor under arbitrary facts."""

    turn: type[SupervisorTurn] = SupervisorTurn
    kinds: set[str] = set()  # noqa: RUF012  # what all histories of one test have met

    @initialize(definition=definitions(), numbers=allocators(), ready=st.sampled_from((3, 3, 3, 1, 0)))
    def begin(self, definition: Definition, numbers: Allocators, ready: int) -> None:
        """A supervisor is built and begins, its first workers ready, on their way, or not yet."""
        self.definition = definition
        state = construct(definition, allocators=numbers)
        assert isinstance(state, Constructed)
        self.supervisor = Supervisor(definition, self.turn)
        self.state: State = state
        self.book: Book = opening(numbers, tuple(each.initial.definition for each in state.roles))
        self.ledger = Ledger()
        self.bench = Bench((Seat(),) * len(definition.roles))
        self.told: list[f.Fact] = []
        self.sent, self.open = 0, dict[int, Any]()
        self.take(f.Initialize())
        for role in range(len(definition.roles)):
            for _ in range(ready):
                self.take(self.fact("advance", role))

    def take(self, fact: f.Fact) -> None:
        """One input: the audits and the oracle look at it. A settlement has what its ticket still stands for."""
        if isinstance(fact, f.DeliverySettled):
            fact = fact._replace(operation=self.open.pop(int(fact.ticket), None))
        done = self.supervisor.step(self.state, fact)
        predicted = predict(self.definition, self.book, fact)
        self.ledger, broken = audit_step(self.definition, self.ledger, self.state, fact, done)
        assert broken == ()
        observed = seen(done.actions, *ending(done), self.definition.roles)
        assert difference(predicted.told, observed) is None, (predicted.told, observed)
        self.bench = after(self.bench, fact, done.actions, self.definition.roles)
        self.book, self.state = predicted.book, done.state
        self.told.append(fact)
        self.kinds.add(fact.kind)
        for each in done.actions.deliveries():
            self.sent += 1
            self.open[self.sent] = each

    def fact(self, word: str, role: int) -> f.Fact:
        """A letter of the bench about a role of this supervisor."""
        roles = self.definition.roles
        return fact_of(f"{word} {roles[role % len(roles)]}", self.bench, roles)

    def is_over(self) -> bool:
        """Whether nothing is taken in any more."""
        return isinstance(self.state, ENDED)

    # -- likely facts ----------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.is_over())
    @rule(
        moves=st.lists(
            st.tuples(st.sampled_from(LIKELY), st.integers(0, 11), st.sampled_from(MOSTLY_NOW)), min_size=4, max_size=8
        )
    )
    def go_on(self, moves: list[tuple[str, int, int | None]]) -> None:
        """Several likely facts, one after the other: answers to what is open, and workers that end."""
        for word, number, at in moves:
            self.take(self.likely(word, number, at))

    def likely(self, word: str, number: int, at: int | None) -> f.Fact:
        """An answer to something that is open, where anything is; otherwise some worker ends."""
        asked = [role for role, seat in enumerate(self.bench.seats) if seat.open]
        recovers = bool(self.bench.recoveries) and (word == "recover" or not asked or number == 11)
        if word not in ("stop", "leave", "lose", "exit") and recovers:
            letter = "refuse recovery" if word == "refuse" else "advance recovery"
            fact: Any = fact_of(letter, self.bench, self.definition.roles)
            return fact if at is None or not hasattr(fact, "at") else fact._replace(at=at)  # type: ignore[no-any-return]  # a fact stays one
        if word in ("advance", "refuse", "recover") and asked:
            return self.fact("advance" if word == "recover" else word, asked[number % len(asked)])
        living = [role for role, seat in enumerate(self.bench.seats) if seat.living]
        if word == "exit" or not living:
            return self.fact(word if word == "exit" else "call", number)
        fact = self.fact(word if word in ("leave", "lose") else "stop", living[number % len(living)])
        return fact if at is None else fact._replace(stop=fact.stop._replace(at=at))  # type: ignore[no-any-return]  # a fact stays one

    # -- unlikely facts --------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.is_over())
    @rule(word=st.sampled_from(UNLIKELY), role=st.integers(0, 2), number=st.integers(0, 200))
    def around(self, word: str, role: int, number: int) -> None:
        """Whatever else there is, none of it often."""
        plain = ("status", "shutdown", "initialize", "advance deadline", "refuse deadline", "refuse recovery")
        if word in plain:
            self.take(fact_of(word, self.bench, self.definition.roles))
        elif word in ("exit", "call", "capability", "cross"):
            self.take(self.fact(word, role))
        else:
            getattr(self, word)(role, number)

    def nearly(self, role: int, number: int) -> None:
        """A fact that is right but for one number."""
        word = ("advance", "refuse", "stop", "exit")[number % 4]
        self.take(distorted(self.fact(word, role), number // 4 % 5))

    def again(self, _: int, number: int) -> None:
        """A fact that was told before."""
        self.take(self.told[number % len(self.told)])

    def half_prepared(self, _: int, number: int) -> None:
        """The source gives up at some role or altogether, or gives workers for the wrong roles."""
        question = self.bench.recoveries[0] if self.bench.recoveries else ("nothing",)
        if question[0] != "source":
            return
        at = number % len(question[2])
        made = tuple(Submission(role, "made") for role in question[2][:at])
        answers = (
            f.WorkersPrepared(question[1], made),
            f.SourceRejected(question[1], "refused"),
            f.WorkersPartial(question[1], made, question[2][at], "refused", question[2][at + 1 :]),
        )
        self.take(answers[number // 3 % 3])

    def refuse_otherwise(self, role: int, number: int) -> None:
        """The other ways to refuse a birth or an operation."""
        fact: Any = self.fact("refuse", role)
        if isinstance(fact, f.ProxyHostRejected) and number % 2:
            fact = f.ProxyFoldRejected(fact.reservation, "refused")
        elif isinstance(fact, f.InputRejected):
            fact = fact._replace(word=("corrupt", "not-attempted")[number % 2])
        self.take(fact)

    def settle(self, _: int, number: int) -> None:
        """Something that was sent arrived, or came back, or was settled before; diagnostics mostly arrive."""
        ticket = number % (self.sent + 2)
        word = ("accepted", "rejected", "corrupt", "not-attempted")[number % 4]
        if isinstance(self.open.get(ticket), a.DeliverDiagnostic) and number % 8:
            word = "accepted"
        self.take(f.DeliverySettled(None, word, "closed", DeliveryId(ticket)))

    @precondition(lambda self: self.is_over())
    @rule()
    def after_the_end(self) -> None:
        """Nothing is taken in any more."""
        assert self.supervisor.step(self.state, f.Shutdown()).refused == "not-admitted"

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
        stateful_step_count=12,
        deadline=None,
        derandomize=True,
        phases=phases,
        suppress_health_check=slow,
    )


def test_supervisor_model_and_oracle_agree_on_arbitrary_histories() -> None:
    """No history of inputs breaks an invariant, or tells the model and the oracle apart."""
    run_state_machine_as_test(SupervisorMachine, settings=bounds(60))


@pytest.mark.deep
def test_supervisor_model_and_oracle_agree_on_thousands_of_histories() -> None:
    """The same over five thousand sequences, which meet every kind of input."""
    SupervisorMachine.kinds.clear()
    run_state_machine_as_test(SupervisorMachine, settings=bounds(5_000))
    assert SupervisorMachine.kinds == set(OPERATING)


@pytest.mark.parametrize("name", ["rejects-in-silence", "unused-workers-vanish", "limit-is-forgotten"])
def test_arbitrary_histories_show_a_breach_of_a_supervisor(name: str) -> None:
    """The machine is able to fail: under a breach it finds one of its own accord."""
    broken = INVERSIONS.named(name)
    assert broken is not None
    machine = type("Broken", (SupervisorMachine,), {"turn": broken.turn})
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=bounds(300, shrink=False))
