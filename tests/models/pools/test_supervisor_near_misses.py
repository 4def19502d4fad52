"""Facts of a drain that are right in all but one number: a supervisor takes none of them for the exact one."""

from __future__ import annotations

from harness.models.pools.correlations import RecoveryId, TimerId
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.state import Cancelled, Draining
from harness.models.pools.supervisor.values import OperationId, PreparationId, WorkerId
from tests.models.pools import _supervisor as s

OLD, NEW, NEWEST = WorkerId(4), WorkerId(5), WorkerId(6)


def ending(outstanding: m.Outstanding = m.IDLE) -> m.DrainingProxy:
    """A proxy on its way out, with what its role still owed."""
    return m.DrainingProxy(0, s.PROXY, outstanding, "awaiting-exit")


def rejected(state: Draining, fact: f.Fact) -> bool:
    """Whether the fact changes nothing and is told as one that nobody waits for."""
    done = s.step(state, fact)
    return done.state == state and s.kinds(done) == ("unexpected-input",)


def test_only_the_source_that_was_asked_answers() -> None:
    """A refusal under the number of an earlier or a later preparation leaves the open one open."""
    state = s.draining(ending(), sources=(m.Pending(PreparationId(5), 0, (0,)),))
    for number in (4, 6):
        assert rejected(state, f.SourceRejected(PreparationId(number), "refused"))
    assert not rejected(state, f.SourceRejected(PreparationId(5), "refused"))


def test_only_the_cancelled_timer_is_settled() -> None:
    """Recovery and timer have both to be the ones that were cancelled."""
    state = s.draining(ending(), cancelled=(Cancelled(RecoveryId(5), TimerId(5), 10, "scheduling"),))
    for recovery, timer in ((4, 5), (6, 5), (5, 4), (5, 6)):
        assert rejected(state, f.ScheduleRejected(RecoveryId(recovery), TimerId(timer), "refused"))
    assert not rejected(state, f.ScheduleRejected(RecoveryId(5), TimerId(5), "refused"))


def test_outcome_is_of_the_worker_that_was_to_be_replaced() -> None:
    """A replacement's outcome that names another worker, older or younger, is nobody's."""
    emitted = m.Emitted(OperationId(7), s.RECOVERY, NEW, "outcome")
    state = s.draining(ending(m.Outstanding(emitted=emitted, recovery=s.RECOVERY)))
    for replaced in (OLD, NEWEST):
        assert rejected(state, f.ReplacementReady(s.PROXY, replaced, WorkerId(8)))
    assert not rejected(state, f.ReplacementReady(s.PROXY, NEW, WorkerId(8)))
