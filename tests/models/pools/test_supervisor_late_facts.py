"""Facts while a supervisor drains: the exact ones settle what left before, all others are told and change nothing."""

from __future__ import annotations

import pytest

from harness.models.pools.correlations import TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.state import Stopped
from harness.models.pools.supervisor.values import OperationId, WorkerId
from tests.models.pools import _supervisor as s

OTHER_WORKER = s.STOP._replace(worker=WorkerId(9))
STRANGERS: tuple[tuple[str, f.Fact], ...] = (
    ("creating-proxy", f.ProxyCommitted(s.OTHER.birth, s.OTHER)),
    ("creating-proxy", f.ProxyCommitted(s.PROXY.birth, s.OTHER)),
    ("creating-proxy", f.ProxyHostRejected(s.OTHER.birth, "no")),
    ("creating-proxy", f.ExitBeforeBirth(s.OTHER.birth)),
    ("creating-proxy", s.EXIT),
    ("online", s.EARLY_EXIT),
    ("online", f.ExitAfterBirth(s.OTHER)),
    ("online", f.ShutdownAccepted(s.OTHER)),
    ("online", f.Unavailable(s.OTHER, "customer", "starting", "work")),
    ("online", f.WorkerStopped(s.PROXY, s.STOP)),
    ("starting", f.InputAccepted(s.PROXY, OperationId(9))),
    ("starting", f.InputAccepted(s.OTHER, s.TICKET)),
    ("starting", f.InputRejected(s.PROXY, s.REPLACEMENT, "no")),
    ("starting", f.InitialReady(s.PROXY, s.WORKER)),
    ("recovery-needs-receipt", f.InputRejected(s.PROXY, s.INITIAL, "no")),
    ("recovery-needs-receipt", s.READY),
    ("recovery-needs-receipt", f.WorkerStopped(s.PROXY, s.STOP)),
    ("recovery-needs-outcome", f.InputAccepted(s.PROXY, s.TICKET)),
    ("recovery-needs-outcome", f.InitialReady(s.PROXY, s.NEXT)),
    ("recovery-needs-outcome", s.READY._replace(replaces=WorkerId(9))),
    ("recovery-needs-outcome", s.READY._replace(worker=s.WORKER)),
    ("recovery-needs-stop", f.WorkerStopped(s.PROXY, OTHER_WORKER)),
    ("recovery-needs-stop", f.StopReportRefused(s.PROXY, OTHER_WORKER, "closed")),
    ("recovery-waiting", f.WorkerStopped(s.PROXY, s.STOP)),
    ("recovery-waiting", f.ScheduleAccepted(s.RECOVERY, TimerId(9))),
    ("recovery-waiting", f.TimerElapsed(s.RECOVERY, s.TIMER, 14)),
    ("recovery-waiting", f.ScheduleRejected(s.RECOVERY, s.TIMER, "full")),
    ("recovery-waiting", f.SourceRejected(s.PREPARATION, "no")),
)


@pytest.mark.parametrize(("phase", "fact"), STRANGERS)
def test_drain_rejects_what_is_not_exact(phase: str, fact: f.Fact) -> None:
    """A fact about another proxy, operation, worker, timer or request settles nothing, and is told whole."""
    state = s.step(s.operating(s.MEMBERS[phase], release=m.WaitingForTimer(s.TIMER, 15)), f.Shutdown()).state
    done = s.step(state, fact)
    assert (done.state is state, done.actions.diagnostics()) == (True, (a.Diagnostic("unexpected-input", (fact,)),))


def test_refused_operation_comes_back_in_a_drain_too() -> None:
    """It is told whole, and the proxy's exit has nothing more to hand over."""
    state = s.step(s.operating(s.MEMBERS["starting"]), f.Shutdown()).state
    back = s.step(state, f.InputRejected(s.PROXY, s.INITIAL, "full"))
    assert back.actions.diagnostics() == (a.Diagnostic("proxy-input-rejected", ("a", s.INITIAL, "rejected", "full")),)
    assert s.step(back.state, s.EXIT).actions == a.NO_ACTIONS


def test_lost_report_settles_a_drain_and_stays_with_the_host() -> None:
    """The stop counts as known, and its report moves outward."""
    state = s.step(s.operating(s.MEMBERS["recovery-needs-stop"]), f.Shutdown()).state
    done = s.step(state, f.StopReportRefused(s.PROXY, s.STOP, "closed"))
    assert done.actions == a.Actions(delivery_rejections=(a.TransferRefusal(s.STOP, "closed"),))
    assert s.step(done.state, s.EXIT).actions == a.NO_ACTIONS


def test_failed_outcome_is_told_in_a_drain() -> None:
    """Nobody reacts to it: the proxy ends anyway."""
    state = s.step(s.operating(s.MEMBERS["recovery-needs-outcome"]), f.Shutdown()).state
    done = s.step(state, s.FAILED)
    assert (s.kinds(done), done.actions.proxy_shutdowns) == (("proxy-outcome-failed",), ())
    assert s.step(done.state, s.EXIT).state == Stopped()
