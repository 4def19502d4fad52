"""The ownership table: for each value, who has it before an operation leaves and who has it afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.models.pools.settlement import Answer, settle_batch
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.state import Draining, Operating, Stopped
from harness.models.pools.supervisor.timing import Charge
from harness.models.pools.supervisor.values import Submission
from tests.models.pools import _supervisor as s


def held(state: object) -> str:
    """The whole state as text, to look whether a value still stands in it."""
    return repr(state)


def initial_definition_and_activation() -> None:
    done = s.step(s.operating(s.MEMBERS["creating-proxy"]), f.ProxyCommitted(s.PROXY.birth, s.PROXY))
    assert [each.operation for each in done.actions.proxy_install_inputs] == [s.INITIAL]
    assert s.INITIAL.definition not in held(done.state)
    back = s.step(done.state, f.InputRejected(s.PROXY, s.INITIAL, "full"))
    assert back.actions.diagnostics()[0].facts[1] == s.INITIAL


def proxy_reservation() -> None:
    born = s.step(s.operating(s.MEMBERS["creating-proxy"]), f.ProxyCommitted(s.PROXY.birth, s.PROXY))
    again = s.step(born.state, f.ProxyCommitted(s.PROXY.birth, s.PROXY))
    assert (again.state is born.state, s.kinds(again)) == (True, ("unexpected-input",))


def exact_proxy() -> None:
    gone = s.step(s.operating(s.MEMBERS["online"]), s.EXIT)
    asked = s.step(gone.state, f.QueryCapability("a", "customer"))
    assert asked.actions.management_replies[0].answer == a.Capability("a", "unavailable", None, "retired")
    assert repr(s.PROXY) not in held(gone.state)


def activation_slot() -> None:
    waiting = m.Starting(1, s.OTHER, s.WAITING_INPUT)
    for fact in (f.InitialReady(s.PROXY, s.WORKER), f.InitialFailed(s.PROXY, "no"), s.EXIT):
        first = m.Starting(0, s.PROXY, m.AwaitingOutcome(s.TICKET))
        done = s.step(s.operating(first, waiting), fact, "a", "b")
        assert [each.proxy for each in done.actions.proxy_install_inputs] == [s.OTHER]
        assert s.step(done.state, fact, "a", "b").actions.proxy_install_inputs == ()


def prepared_replacement() -> None:
    before = s.operating(s.MEMBERS["recovery-waiting"], release=m.WaitingForTimer(s.TIMER, 15))
    done = s.step(before, f.TimerElapsed(s.RECOVERY, s.TIMER, 15))
    assert [each.operation.definition for each in done.actions.proxy_replacement_inputs] == ["replacement"]
    assert s.PREPARED.definition not in held(done.state)
    exited = s.step(before, s.EXIT)
    assert exited.actions.residual_transfers == (a.TransferResidual("a", (s.PREPARED,)),)


def recovery_decision() -> None:
    asked = s.step(s.operating(s.MEMBERS["online"]), f.WorkerStopped(s.PROXY, s.STOP))
    assert isinstance(asked.state, Operating)
    assert (asked.state.batches, asked.state.charges) == ((), ())
    done = s.step(asked.state, f.WorkersPrepared(asked.state.pending[0].preparation, (Submission("a", "new"),)))
    assert isinstance(done.state, Operating)
    assert (len(done.state.batches), done.state.charges, done.state.pending) == (1, (Charge(10, 1),), ())


def timer_request() -> None:
    before = s.operating(s.MEMBERS["recovery-waiting"]._replace(stop=s.STOP), release=m.Scheduling(s.TIMER, 15))  # type: ignore[call-arg]  # a waiting member has a stop
    refused = f.ScheduleRejected(s.RECOVERY, s.TIMER, "full")
    done = s.step(before, refused)
    assert done.actions.diagnostics() == (a.Diagnostic("restart-schedule-rejected", ("a", refused)),)
    assert s.step(done.state, f.TimerElapsed(s.RECOVERY, s.TIMER, 15)).state is done.state


def worker_stop() -> None:
    stopped = s.step(s.operating(s.MEMBERS["recovery-needs-stop"]), f.WorkerStopped(s.PROXY, s.STOP))
    assert s.events(stopped) == ("worker-stopped", "restarted")
    assert repr(s.STOP) not in held(stopped.state)
    closing = s.step(s.operating(s.MEMBERS["recovery-needs-receipt"]), f.Shutdown())
    assert repr(s.STOP) in held(closing.state)


def proxy_report() -> None:
    before = s.operating(s.MEMBERS["online"], m.Online(1, s.OTHER, s.NEXT))
    foreign = f.WorkerStopped(s.OTHER, s.STOP)
    done = s.step(before, foreign, "a", "b")
    assert (done.state is before, done.actions.diagnostics()) == (True, (a.Diagnostic("unexpected-input", (foreign,)),))


def query_route() -> None:
    before = s.operating(s.MEMBERS["online"])
    done = s.step(before, f.QueryStatus("customer"))
    assert [each.route for each in done.actions.management_replies] == ["customer"]
    assert "customer" not in held(done.state)


def lifecycle_event_route() -> None:
    done = s.step(s.operating(s.MEMBERS["online"]), s.EXIT)
    (event,) = done.actions.lifecycle_events
    refused = s.step(done.state, f.DeliverySettled(event, "rejected", "closed"))
    assert (refused.state is done.state, s.events(refused)) == (True, ())
    assert refused.actions.delivery_rejections == (a.TransferRefusal(event, "closed"),)


def diagnostic() -> None:
    done = s.step(s.operating(s.MEMBERS["retired"]), s.EXIT)
    settled = settle_batch(done.actions.operations(), lambda _: Answer("rejected", "closed"))
    assert settled.returned == done.actions.diagnostic_deliveries
    ended = s.step(done.state, f.DeliverySettled(done.actions.diagnostic_deliveries[0], "rejected", "closed"))
    assert s.kinds(ended) == ("undeliverable",)


def delayed_work_at_shutdown() -> None:
    before = s.operating(s.MEMBERS["recovery-waiting"], release=m.WaitingForTimer(s.TIMER, 15))
    closing = s.step(before, f.Shutdown())
    assert isinstance(closing.state, Draining)
    (member,) = closing.state.members
    assert isinstance(member, m.DrainingProxy)
    assert member.outstanding.unissued == (s.PREPARED,)
    late = s.step(closing.state, f.TimerElapsed(s.RECOVERY, s.TIMER, 15))
    assert late.actions == a.NO_ACTIONS


def outstanding_child_drain() -> None:
    closing = s.step(s.operating(s.MEMBERS["starting"]), f.Shutdown())
    done = s.step(closing.state, s.EXIT)
    assert done.state == Stopped()
    (left,) = done.actions.residual_transfers
    assert left.residual == (m.Outstanding((), m.Emitted(s.TICKET, None, None, "receipt")),)


OWNED: dict[str, Callable[[], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        initial_definition_and_activation,
        proxy_reservation,
        exact_proxy,
        activation_slot,
        prepared_replacement,
        recovery_decision,
        timer_request,
        worker_stop,
        proxy_report,
        query_route,
        lifecycle_event_route,
        diagnostic,
        delayed_work_at_shutdown,
        outstanding_child_drain,
    )
}


def test_every_row_of_the_supervisor_table_is_checked() -> None:
    """No value of the ownership table is without a check."""
    assert list(OWNED) == s.law()["ownership"]


@pytest.mark.parametrize("value", list(OWNED))
def test_supervisor_value_has_one_owner(value: str) -> None:
    """Before and after the operation that moves it, the value is where its row says, and nowhere else."""
    OWNED[value]()
