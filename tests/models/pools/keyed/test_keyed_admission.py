"""Admission in its steps, and what becomes of a job: limits, exhaustion, completion, interruption, retries."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import Allocator, BirthId, DispatchId, GenerationId, JobId, TicketId
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.state import Draining, Operating, Waiting
from harness.models.pools.values import Authority, Birth, Stop
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.keyed._cast import KEPT, KEPT_B, busy, completed, exhausted, idle, refused, stopped, worker

# -- admission -----------------------------------------------------------------------------------------------------


def test_room_of_zero_assigns_at_once_and_lets_nobody_wait() -> None:
    """With no room a free worker still gets the job; the next submission is refused and binds nothing."""
    first = p.step(p.operating(idle(0)), p.submission("a1", 1), backlog=0)
    assert [each.job for each in first.actions.role_assignments] == [JobId(6)]
    second = p.step(first.state, p.submission("a2", 2), backlog=0)
    assert p.refusal(second) == "role-backlog-full"
    assert isinstance(first.state, Operating)
    assert isinstance(second.state, Operating)
    assert second.state.cells == first.state.cells
    assert second.state.table.kept == first.state.table.kept == (Binding("a1", GenerationId(6), "a"),)


def test_refused_submission_retires_the_generation_that_it_reserved() -> None:
    """The generation was reserved before the role was looked at; it is issued to nobody."""
    before = p.operating(busy(0, 1))
    done = p.step(before, p.submission("a1"), backlog=0)
    assert isinstance(done.state, Operating)
    assert done.state.table == before.table._replace(generations=Allocator(GenerationId(7)))


@pytest.mark.parametrize(
    ("key", "changes", "reason"),
    [
        ("z1", {}, "unknown-selected-role"),
        ("a2", {"binding_capacity": 1}, "binding-capacity-reached"),
        ("b1", {}, "role-unavailable"),
        ("a1", {"backlog": 1}, "role-backlog-full"),
    ],
)
def test_refusal_gives_the_submission_back_whole(key: str, changes: dict[str, Any], reason: str) -> None:
    """Key, payload, request and route come back; nothing is queued and nothing is bound."""
    before = p.operating(busy(0, 1), m.Retired(1, "test"), queues=((p.waiting(2),),), kept=(KEPT,))
    sent = p.submission(key)
    done = p.step(before, sent, "a", "b", **changes)
    rejected = o.Rejected(sent.request, sent.key, sent.payload, sent.customer, reason)
    assert done.actions == o.KeyedActions(admission_deliveries=(o.DeliverAdmission("customer", rejected),))
    assert isinstance(done.state, Operating)
    assert (done.state.cells, done.state.table.kept) == (before.cells, before.table.kept)


def test_pool_without_recoverable_workers_refuses_before_it_looks_for_the_key() -> None:
    """No selector is asked where no role has a future."""

    def never(key: str) -> str:
        raise AssertionError(key)

    done = p.step(p.operating(m.Retired(0, "test")), p.submission("a1"), selector=never)
    assert p.refusal(done) == "no-recoverable-workers"


@pytest.mark.parametrize(
    ("kinds", "reason"),
    [
        ({"job": JobId}, "job-correlation-unavailable"),
        ({"dispatch": DispatchId}, "assignment-correlation-unavailable"),
    ],
)
def test_admission_without_numbers_is_refused_and_binds_nothing(kinds: dict[str, type], reason: str) -> None:
    """A job that can't be numbered or dispatched is refused; it does not wait instead, and its key stays unbound."""
    before = exhausted(p.operating(idle(0)), **kinds)
    done = p.step(before, p.submission())
    assert p.refusal(done) == reason
    assert isinstance(done.state, Operating)
    assert (done.state.cells, done.state.table.kept) == (before.cells, ())


def test_admission_without_a_generation_is_refused() -> None:
    """A key that can't be bound brings no job in."""
    before = p.operating(idle(0))
    spent = before._replace(table=p.table(generations=Allocator(GenerationId(9), 8)))
    done = p.step(spent, p.submission())
    assert (p.refusal(done), done.state is spent) == ("binding-generation-unavailable", True)


def test_selector_is_asked_once_for_an_unbound_key_and_never_for_a_bound_one() -> None:
    """A bound key goes where it is bound, whatever the selector would say now."""
    asked: list[str] = []

    def selector(key: str) -> str:
        asked.append(key)
        return "b"

    before = p.operating(idle(0), idle(1), kept=(KEPT,))
    bound = p.step(before, p.submission("a1"), "a", "b", selector=selector)
    assert ([each.role for each in bound.actions.role_assignments], asked) == ([0], [])
    fresh = p.step(before, p.submission("a2"), "a", "b", selector=selector)
    assert ([each.role for each in fresh.actions.role_assignments], asked) == ([1], ["a2"])
    p.step(before, p.rebalance("b", KEPT.generation), "a", "b", selector=selector)
    assert asked == ["a2"]


def test_acceptance_leaves_before_its_assignment() -> None:
    """In one step replies and outcomes are interpreted before assignments."""
    done = p.step(p.operating(idle(0)), p.submission())
    assert [type(each) for each in done.actions.operations()] == [o.DeliverAdmission, a.DeliverAssignment]
    assert [each.lane for each in done.actions.role_assignments] == ["role-assignments"]


def test_full_queue_of_one_role_is_no_matter_to_another() -> None:
    """Neither the room nor the idle worker of a neighbour is looked at."""
    queues = ((p.waiting(2), p.waiting(3)),)
    before = p.operating(busy(0, 1), idle(1), queues=queues, kept=(KEPT, KEPT_B))
    assert p.refusal(p.step(before, p.submission("a1"), "a", "b")) == "role-backlog-full"
    given = p.step(before, p.submission("b1"), "a", "b").actions.role_assignments
    assert [each.role for each in given] == [1]


def test_job_admitted_before_the_pool_begins_waits_for_its_worker() -> None:
    """A constructed pool binds keys and lets jobs wait; another role's readiness does not take them."""
    before = p.step(
        p.operating(m.Creating(0, BirthId(1), Birth()), m.Activating(1, worker(1), Birth(), TicketId(1))),
        p.submission("a1"),
        "a",
        "b",
    )
    ready = p.step(before.state, f.WorkerReady(1, worker(1), TicketId(1)), "a", "b")
    assert (p.phases(ready.state), p.jobs(ready.state)) == (("creating", "idle"), [[6], []])


# -- completion, interruption, retries -----------------------------------------------------------------------------


def test_completion_and_next_dispatch_are_one_step_of_one_role() -> None:
    """The outcome leaves first, then the next assignment of the same worker, from its own queue."""
    before = p.operating(busy(0, 1), busy(1, 2), queues=((p.waiting(4),), (p.waiting(3, role="b"),)))
    done = p.step(before, completed(0, 1), "a", "b")
    assert [type(each) for each in done.actions.operations()] == [o.DeliverTerminal, a.DeliverAssignment]
    assert p.jobs(done.state) == [[], [3]]


def test_retried_job_waits_for_its_own_role_before_later_ones_and_beyond_the_room() -> None:
    """Under `retry` a queue may hold one more than its room, and is full then."""
    before = p.operating(busy(0, 1), idle(1), queues=((p.waiting(2),),), kept=(KEPT,))
    done = p.step(before, stopped(0), "a", "b", backlog=1, interruption="retry")
    assert (p.jobs(done.state), done.actions.role_assignments) == ([[1, 2], []], ())
    assert isinstance(done.state, Operating)
    assert done.state.cells[0].queue[0] == Waiting(p.owed(1), "retried")
    more = p.step(done.state, p.submission("a1"), "a", "b", backlog=1)
    assert p.refusal(more) == "role-backlog-full"


def test_retried_job_of_a_role_that_retires_with_the_stop_returns_as_assigned() -> None:
    """It is never called a queued one; those that do wait are."""
    before = p.operating(busy(0, 1), idle(1), queues=((p.waiting(2),),), kept=(KEPT, KEPT_B))
    done = p.step(before, stopped(0, abnormal=False), "a", "b", interruption="retry", eligibility="transient")
    assert p.outcomes(done) == (
        "returned-assigned/role-permanently-unavailable",
        "returned-queued/role-permanently-unavailable",
    )
    assert p.phases(done.state) == ("retired", "idle")


def test_job_of_a_refused_delivery_returns_as_queued_when_its_role_retires() -> None:
    """The worker never had it, so it waited again just before."""
    before = p.operating(busy(0, 1, m.StopFirst(Stop(worker(0), False, 1))), idle(1))
    done = p.step(before, refused(0, 1), "a", "b", eligibility="transient")
    assert p.outcomes(done) == ("returned-queued/role-permanently-unavailable",)


@pytest.mark.parametrize(
    ("origin", "outcome"),
    [
        ("never-assigned", "returned-queued/dispatch-correlation-unavailable"),
        ("retried", "returned-assigned/retry-preparation-rejected"),
    ],
)
def test_job_that_cannot_be_dispatched_goes_back_by_its_origin(origin: str, outcome: str) -> None:
    """Left at the head it would wait for ever beside an idle worker."""
    queues = ((p.waiting(2, origin), p.waiting(3, origin)),)
    before = exhausted(p.operating(busy(0, 1), queues=queues), dispatch=DispatchId)
    done = p.step(before, completed(0, 1))
    assert (p.outcomes(done), p.phases(done.state)) == (("completed", outcome, outcome), ("idle",))


def test_job_of_a_refused_delivery_waits_as_one_that_nobody_had() -> None:
    """Should it then find no dispatch, it returns as queued."""
    done = p.step(p.operating(busy(0, 1, m.AwaitingBoth())), refused(0, 1))
    assert isinstance(done.state, Operating)
    assert done.state.cells[0].queue == (Waiting(p.owed(1), "never-assigned"),)


def test_foreign_authority_of_a_worker_that_has_left_asks_nobody_to_end() -> None:
    """The pool ends over it all the same; the one who left is not told to go."""
    gone = busy(0, 1, m.StopFirst(Stop(worker(0), True, 1)))
    forged = refused(0, 1)._replace(returned=Authority(DispatchId(7), BirthId(1)))
    done = p.step(p.operating(gone, idle(1)), forged, "a", "b")
    assert [each.worker for each in done.actions.worker_shutdowns] == [worker(1)]
    assert isinstance(done.state, Draining)
    assert done.state.members[0] == m.Drained(0)


def test_foreign_authority_of_a_refused_delivery_ends_the_pool() -> None:
    """Neither half is used again: the job returns once, both halves are told, and everything drains."""
    before = p.operating(busy(0, 1, m.AwaitingBoth()), idle(1), queues=((p.waiting(2),),), kept=(KEPT,))
    forged = refused(0, 1)._replace(returned=Authority(DispatchId(7), BirthId(1)))
    done = p.step(before, forged, "a", "b")
    assert p.outcomes(done) == (
        "returned-assigned/contradictory-assignment-settlement",
        "returned-queued/pool-shutdown",
    )
    mismatch = next(each for each in done.actions.diagnostics() if each.kind == "authority-mismatch")
    assert mismatch.facts == (DispatchId(1), forged.returned)
    assert isinstance(done.state, Draining)
    assert [each.worker for each in done.actions.worker_shutdowns] == [worker(0), worker(1)]


ORDERED: dict[str, f.Fact] = {
    "accepted": f.DeliveryAccepted(0, worker(0).child, DispatchId(1)),
    "completed": completed(0, 1),
    "stopped": stopped(0),
    "shutdown": f.Shutdown(),
}


@pytest.mark.parametrize("order", list(permutations(ORDERED)), ids="-".join)
def test_every_order_of_answer_completion_stop_and_shutdown_settles_the_job_once(order: tuple[str, ...]) -> None:
    """Twenty-four orders, one outcome each: the customer's, with the role that admitted the job."""
    state: Any = p.operating(busy(0, 1, m.AwaitingBoth()), kept=(KEPT,))
    told: list[Any] = []
    for name in order:
        done = p.step(state, ORDERED[name])
        told += [each.outcome for each in done.actions.terminal_customer_deliveries]
        state = done.state
    (outcome,) = told
    assert (outcome.job, outcome.role) == (JobId(1), "a")
    before = [name for name in order if order.index(name) < order.index("shutdown")]
    both = {"accepted", "completed"} <= set(before)
    interrupted = "accepted" in before and "stopped" in before
    if both and (not interrupted or order.index("completed") < order.index("stopped")):
        assert outcome.kind == "completed"
    else:
        assert outcome.reason == ("worker-stopped" if interrupted else "pool-shutdown")
