"""The loss of a role in one step, and recovery of one role at a time."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId, TimerId
from harness.models.pools.keyed.state import Operating, Stopped
from harness.models.pools.timing import CLOCK_MAX, Budget
from harness.models.pools.values import Stop
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.keyed._cast import (
    KEPT,
    KEPT_B,
    busy,
    exhausted,
    idle,
    prepared,
    refused,
    sought,
    stopped,
    worker,
)

# -- the loss of a role --------------------------------------------------------------------------------------------


def test_lost_role_returns_its_queue_and_drops_its_bindings_in_one_step() -> None:
    """In order, each once; the other role and its key are not touched, and the room is free at once."""
    queues = ((p.waiting(2), p.waiting(3)), (p.waiting(4, role="b"),))
    before = p.operating(sought(0), busy(1, 5), queues=queues, kept=(KEPT, KEPT_B))
    done = p.step(before, f.SourceRejected(0, worker(0), "none"), "a", "b")
    assert p.outcomes(done) == ("returned-queued/role-permanently-unavailable",) * 2
    assert [each.outcome.job for each in done.actions.terminal_customer_deliveries] == [2, 3]
    assert isinstance(done.state, Operating)
    assert (done.state.table.kept, p.jobs(done.state)) == ((KEPT_B,), [[], [4]])
    (removed,) = done.actions.diagnostics()
    assert (removed.kind, removed.reason, removed.facts) == ("binding-removed", "worker-source-failed", (KEPT,))
    assert p.refusal(p.step(done.state, p.submission("a1"), "a", "b")) == "role-unavailable"
    assert p.answer(p.step(done.state, p.rebalance("b"), "a", "b")).kind == "bound-absent"


def test_last_role_that_is_lost_returns_its_own_queue_by_its_own_reason() -> None:
    """Every other queue was emptied when its role was lost; the pool then refuses all jobs."""
    before = p.operating(sought(0), m.Retired(1, "test"), queues=((p.waiting(2),),))
    done = p.step(before, f.SourceRejected(0, worker(0), "none"), "a", "b")
    assert p.outcomes(done) == ("returned-queued/role-permanently-unavailable",)
    assert p.refusal(p.step(done.state, p.submission("a1"), "a", "b")) == "no-recoverable-workers"


def test_role_in_recovery_keeps_its_bindings_and_its_jobs() -> None:
    """Temporary loss touches neither."""
    before = p.operating(busy(0, 1), queues=((p.waiting(2),),), kept=(KEPT,))
    done = p.step(before, stopped(0))
    assert isinstance(done.state, Operating)
    assert (done.state.table.kept, p.jobs(done.state)) == ((KEPT,), [[2]])


@pytest.mark.parametrize("answer", [f.SourceRejected(0, worker(0), "none"), f.SourcePartial(0, worker(0), (), "none")])
def test_source_that_fails_may_end_the_pool(answer: f.SourceAnswer) -> None:
    """Under `stop-pool` every job and binding of every role goes with it."""
    queues = ((p.waiting(2),), (p.waiting(3, role="b"),))
    before = p.operating(sought(0), busy(1, 4), queues=queues, kept=(KEPT, KEPT_B))
    done = p.step(before, answer, "a", "b", failure="stop-pool")
    assert p.outcomes(done) == (*("returned-queued/pool-shutdown",) * 2, "returned-assigned/pool-shutdown")
    assert p.kinds(done).count("binding-removed") == 2


# -- recovery ------------------------------------------------------------------------------------------------------


def test_source_is_asked_for_one_role_at_a_time_in_declared_order() -> None:
    """Three workers stop, the last declared first: the one that was asked for goes on, then the first declared."""
    state: Any = p.operating(idle(0), idle(1), idle(2))
    asked: list[int] = []
    for fact in (stopped(2), stopped(1), stopped(0), prepared(2), prepared(0), prepared(1)):
        done = p.step(state, fact, "a", "b", "c")
        asked += [each.role for each in done.actions.worker_preparations]
        state = done.state
    assert (asked, p.phases(state)) == ([2, 0, 1], ("creating", "creating", "creating"))


def test_source_that_fails_for_one_role_is_free_for_the_next() -> None:
    """The lost role does not keep it."""
    before = p.operating(sought(0), m.Recovering(1, worker(1), Stop(worker(1), True, 1), m.WaitingForSource()))
    done = p.step(before, f.SourceRejected(0, worker(0), "none"), "a", "b")
    assert [each.role for each in done.actions.worker_preparations] == [1]
    early = p.step(before, prepared(1), "a", "b")
    assert (early.state is before, p.kinds(early)) == (True, ("rejected-input",))


def test_source_that_ends_the_pool_is_not_asked_for_the_next_role() -> None:
    """Under `stop-pool` whoever waited for the source is over with the rest."""
    waits = m.Recovering(1, worker(1), Stop(worker(1), True, 1), m.WaitingForSource())
    done = p.step(p.operating(sought(0), waits), f.SourceRejected(0, worker(0), "none"), "a", "b", failure="stop-pool")
    assert (done.actions.worker_preparations, done.state) == ((), Stopped())


@pytest.mark.parametrize(
    ("changes", "charges", "reason"),
    [
        ({"budget": Budget(1, 10)}, (5,), "restart-budget-exhausted"),
        ({"budget": Budget(3, 10)}, (11,), "clock-regressed"),
        ({"delay": CLOCK_MAX}, (), "delay-overflow"),
    ],
)
def test_replacement_that_cannot_be_had_is_told_as_unused(
    changes: dict[str, Any], charges: tuple[int, ...], reason: str
) -> None:
    """What the source gave is nobody's loss, and nothing is charged for it."""
    before = p.operating(sought(0), kept=(KEPT,))._replace(charges=charges)
    done = p.step(before, prepared(0), **changes)
    assert isinstance(done.state, Operating)
    assert (p.phases(done.state), done.state.charges) == (("retired",), charges)
    told = {each.kind: each for each in done.actions.diagnostics()}
    assert told["candidate-unused"].facts == (prepared(0),)
    assert told["binding-removed"].reason == reason


@pytest.mark.parametrize("kinds", [{"recovery": TimerId}, {"birth": BirthId}, {"timer": TimerId}])
def test_recovery_without_numbers_charges_nothing(kinds: dict[str, type]) -> None:
    """A missing number commits no timer, no creation and no charge."""
    done = p.step(exhausted(p.operating(sought(0)), **kinds), prepared(0), delay=5)
    assert isinstance(done.state, Operating)
    assert (p.phases(done.state), done.state.charges) == (("retired",), ())
    assert p.kinds(done) == ("candidate-unused",)


def test_refused_schedule_tells_the_replacement_as_unused() -> None:
    """It waited for a timer that nobody runs."""
    before = p.operating(p.MEMBERS["recovering"], kept=(KEPT,))
    done = p.step(before, f.ScheduleRejected(0, p.RECOVERY, p.TIMER, "refused"))
    assert p.phases(done.state) == ("retired",)
    assert [each.facts for each in done.actions.diagnostics()] == [(p.PREPARED,), (KEPT,)]


@pytest.mark.parametrize("eligibility", ["permanent", "temporary"])
def test_quarantine_is_left_by_exit_and_answer_in_either_order(eligibility: str) -> None:
    """A worker that did not take its job is recovered or retired only when both are in; until then bindings stay."""
    start = p.step(p.operating(busy(0, 1, m.AwaitingBoth()), kept=(KEPT,)), refused(0, 1)).state
    answer, exit_ = f.ShutdownRejected(0, worker(0), "refused"), stopped(0)
    pairs: tuple[tuple[f.Fact, f.Fact], ...] = ((answer, exit_), (exit_, answer))
    for first, second in pairs:
        half = p.step(start, first, eligibility=eligibility).state
        assert (p.phases(half), p.jobs(half)) == (("quarantined",), [[1]])
        assert isinstance(half, Operating)
        assert half.table.kept == (KEPT,)
        done = p.step(half, second, eligibility=eligibility)
        lost = eligibility == "temporary"
        assert p.phases(done.state) == (("retired",) if lost else ("recovering",))
        assert p.outcomes(done) == (("returned-queued/role-permanently-unavailable",) if lost else ())
