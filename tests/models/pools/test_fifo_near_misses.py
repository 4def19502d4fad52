"""Facts that are right in all but one number: a pool takes none of them for the exact one."""

from __future__ import annotations

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId, DispatchId
from harness.models.pools.timing import due
from harness.models.pools.values import Birth, Worker
from tests.models.pools import _fifo as p

YOUNG = Worker(BirthId(3), BirthId(3))
OPEN = m.Outstanding(delivery=DispatchId(1), shutdown=True)


def rejected(member: m.Member, fact: f.Fact) -> bool:
    """Whether the fact changes nothing and is told as one that nobody waits for."""
    state = p.operating(member)
    done = p.step(state, fact)
    return done.state == state and p.kinds(done) == ("rejected-fact",)


@pytest.mark.parametrize("child", [2, 4])
def test_stopping_worker_has_only_its_own_delivery_answered(child: int) -> None:
    """The number of the assignment is not enough: the answer is about the worker that it was sent to."""
    stopping = m.Stopping(0, YOUNG, OPEN, None, "test", "retire-role")
    assert rejected(stopping, f.DeliveryAccepted(0, BirthId(child), DispatchId(1)))
    assert not rejected(stopping, f.DeliveryAccepted(0, YOUNG.child, DispatchId(1)))


def test_schedule_that_was_taken_is_not_taken_again() -> None:
    """A second answer to the schedule, while the timer runs, is nobody's; only its end is waited for."""
    for again in (f.ScheduleAccepted(0, p.RECOVERY, p.TIMER), f.ScheduleRejected(0, p.RECOVERY, p.TIMER, "late")):
        assert rejected(p.WAITING_FOR_TIMER, again)
    assert not rejected(p.WAITING_FOR_TIMER, f.TimerElapsed(0, p.RECOVERY, p.TIMER))


@pytest.mark.parametrize("make", [f.ShutdownAccepted, lambda role, worker: f.ShutdownRejected(role, worker, "refused")])
def test_shutdown_is_answered_once_and_for_its_own_worker(make: type[f.ShutdownAccepted]) -> None:
    """Another worker's answer is rejected while this one's is open, and this one's once it is no longer."""
    stopping = m.Stopping(0, YOUNG, OPEN, None, "test", "retire-role")
    assert rejected(stopping, make(0, p.WORKER))
    assert not rejected(stopping, make(0, YOUNG))
    assert rejected(stopping._replace(outstanding=OPEN._replace(shutdown=False)), make(0, YOUNG))


def test_last_time_of_the_clock_is_a_time() -> None:
    """The clock counts to the largest whole number of 64 bits, which a delay may reach and not pass."""
    assert due(2**63 - 2, 1) == 2**63 - 1
    assert due(2**63 - 1, 1) is None


def test_worker_that_stopped_before_it_was_ready_is_not_asked_to_end() -> None:
    """What is gone needs no order: it waits for the answer to its begin, and nothing else is open."""
    dispatched = m.ActivationDispatched(0, p.WORKER, Birth(), p.TICKET)
    done = p.step(p.operating(dispatched), f.WorkerStopped(0, p.STOP))
    assert done.state.members == (  # type: ignore[union-attr]  # one stop leaves the pool open
        m.DrainingPreReady(0, p.WORKER, m.Outstanding(begin=p.TICKET), p.STOP, False, "stopped", "recover"),
    )
