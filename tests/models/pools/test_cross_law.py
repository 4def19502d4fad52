"""Two laws against one account of whose a job is: every order of delivery, completion, exit and shutdown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.actions import DeliverAssignment
from harness.models.pools.correlations import RequestId
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.fifo.inversions import CompletionLosesToStop, ShutdownKeepsAssigned
from harness.models.pools.fifo.model import FifoPool
from harness.models.pools.fifo.state import Operating as FifoOperating
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.fifo_slots import FifoSlots
from harness.models.pools.keyed import inversions_recovery as broken
from harness.models.pools.keyed.definition import KeyedDefinition, choosing
from harness.models.pools.keyed.inputs import Rebalance, Submit
from harness.models.pools.keyed.inversions import OutcomeOfAnotherGeneration
from harness.models.pools.keyed.model import KeyedPool
from harness.models.pools.keyed.outcomes import Accepted
from harness.models.pools.keyed.state import Operating as KeyedOperating
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.keyed_slots import KeyedSlots
from harness.models.pools.values import Admitted, Authority, Evidence, Stop, Worker
from tests.models.pools._custody import BACK, FACTS, Custody, after

ORDERS = tuple(permutations(FACTS))
POLICIES = ("fail", "retry")
ASK = RequestId(1)


class Case(NamedTuple):
    """A pool that has just assigned its one job; `admitted` is what a keyed pool told its customer of the binding."""

    model: Any
    state: Any
    given: DeliverAssignment
    worker: Worker
    admitted: Admitted | None = None

    def fact(self, word: str) -> f.Fact:
        """The exact fact about that job and its worker."""
        role, child, assignment = self.given.role, self.given.child, self.given.assignment
        if word == "delivery":
            return f.DeliveryAccepted(role, child, assignment)
        if word == "completion":
            authority = Authority(assignment, self.worker.evidence)
            return f.WorkerCompleted(child, Evidence(assignment, authority, "done"))
        return f.WorkerStopped(role, Stop(self.worker, True, 0)) if word == "exit" else f.Shutdown()


def fifo(policy: str, turn: type[FifoTurn] = FifoTurn) -> Case:
    """One role, one job."""
    ready = FifoSlots().initial(1).pool
    assert ready is not None
    model = FifoPool(Definition(("slot-1",), 1, RecoveryPolicy(), 1, policy), turn)
    done = model.step(ready, f.Submit(ASK, ASK, "customer"))
    (given,) = done.actions.worker_assignments
    assert isinstance(done.state, FifoOperating)
    return Case(model, done.state, given, worker_of(done.state.members[0]))


def keyed(policy: str, turn: type[KeyedTurn] = KeyedTurn) -> Case:
    """Two roles, one job; its key has moved to the other role since, so that the table says nothing of the job."""
    ready = KeyedSlots().opened(1, ("a", "b"))[0].pool
    workers = Definition(("a", "b"), 2, RecoveryPolicy(), 1, policy)
    model = KeyedPool(KeyedDefinition(workers, choosing({}, "a"), 2), turn)
    done = model.step(ready, Submit(ASK, "a", ASK, "customer"))
    (given,), (told,) = done.actions.role_assignments, done.actions.admission_deliveries
    assert isinstance(told.outcome, Accepted)
    admitted = told.outcome.binding
    moved = model.step(done.state, Rebalance(ASK, "a", admitted.generation, "b", "manager")).state
    assert isinstance(moved, KeyedOperating)
    assert {each.key: each.role for each in moved.table.kept} == {"a": "b", "b": "b"}
    return Case(model, moved, given, worker_of(moved.cells[0].member), admitted)


def worker_of(member: m.Member) -> Worker:
    """The worker that has the job."""
    assert isinstance(member, m.Busy)
    return member.worker


def word_of(outcome: Any) -> str:
    """An outcome as custody says it."""
    reason = getattr(outcome, "reason", None)
    return f"{outcome.kind}/{reason}" if reason else str(outcome.kind)


def held(state: Any) -> Iterator[Admitted | None]:
    """Through which binding the jobs that an open keyed pool holds were admitted."""
    for cell in getattr(state, "cells", ()):
        if isinstance(cell.member, m.Busy):
            yield cell.member.job.obligation.admitted
        yield from (each.obligation.admitted for each in cell.queue)


def differences(case: Case, order: tuple[str, ...], policy: str) -> list[str]:
    """Where a pool tells its customer something else than custody does, or loses what the job was admitted through."""
    custody, state, told, found = Custody(), case.state, list[str](), list[str]()
    for at, word in enumerate(order, 1):
        done = case.model.step(state, case.fact(word))
        state, custody = done.state, after(custody, word, policy == "retry")
        outcomes = [each.outcome for each in done.actions.terminal_customer_deliveries]
        told += [word_of(each) for each in outcomes]
        if told != list(custody.told):
            found.append(f"after {', '.join(order[:at])}: told {told}, and custody says {list(custody.told)}")
        if case.admitted is not None:
            kept = [each for each in held(state) if each != case.admitted]
            kept += [each.binding for each in outcomes if each.binding != case.admitted]
            found += [f"after {word}: {each} is not {case.admitted}" for each in kept]
    if custody.where != BACK or len(told) != 1:
        found.append(f"{len(told)} outcomes, and the job is {custody.where}")
    return found


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
@pytest.mark.parametrize("law", [fifo, keyed])
def test_every_order_ends_with_one_outcome_as_custody_says(law: Any, order: tuple[str, ...], policy: str) -> None:
    """Step by step the customer is told what custody says, once in all.

    A keyed job keeps the generation and the role that it was admitted through until its outcome names them both.
    """
    assert differences(law(policy), order, policy) == []


def test_orders_meet_every_end() -> None:
    """Among the orders are completions, jobs of lost workers, jobs returned from workers and from the shelf."""
    ends: set[str] = set()
    for order in ORDERS:
        for policy in POLICIES:
            custody = Custody()
            for word in order:
                custody = after(custody, word, policy == "retry")
            ends.update(custody.told)
    assert len(ORDERS) == 24
    assert ends == {
        "completed",
        "returned-assigned/worker-stopped",
        "returned-assigned/pool-shutdown",
        "returned-queued/pool-shutdown",
    }


@pytest.mark.parametrize(
    ("law", "turn"),
    [
        (fifo, CompletionLosesToStop),
        (fifo, ShutdownKeepsAssigned),
        (keyed, broken.DuplicateTerminal),
        (keyed, broken.ShutdownKeepsAssigned),
        (keyed, broken.CompletionNeedsNoDelivery),
        (keyed, OutcomeOfAnotherGeneration),
    ],
)
def test_custody_sees_a_breach(law: Any, turn: type[Any]) -> None:
    """A pool that answers twice, never, or too early is told apart in some order."""
    assert any(differences(law(policy, turn), order, policy) for order in ORDERS for policy in POLICIES)


def test_custody_sees_a_job_that_follows_its_key() -> None:
    """A pool that gives a waiting job the binding that its key has now loses what the job was admitted through."""

    class Follows(KeyedTurn):
        def wait_again(self, job: Any, origin: str) -> None:
            now = next(each for each in self.kept.values() if each.key == "a")
            moved = job.obligation._replace(admitted=Admitted(now.generation, now.role))
            super().wait_again(job._replace(obligation=moved), origin)

    found = differences(keyed("retry", Follows), ("delivery", "exit", "completion", "shutdown"), "retry")
    assert any("generation" in each for each in found)
