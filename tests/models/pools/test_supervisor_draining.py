"""The end of a supervisor: shutdown from every phase, both failure reactions, the limit, and what leaves with it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools.correlations import Allocator, BirthId, TimerId
from harness.models.pools.settlement import Answer, settle_batch
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.model import Supervisor, construct
from harness.models.pools.supervisor.state import (
    Constructed,
    Deadline,
    Draining,
    ForcedRetirement,
    Stopped,
    Terminated,
)
from harness.models.pools.supervisor.timing import Charge
from harness.models.pools.supervisor.values import OperationId, Proxy, Submission, WorkerId
from harness.models.pools.timing import CLOCK_MAX
from tests.models.pools import _supervisor as s

OUTSTANDING: dict[str, str] = {
    "creating-proxy": "",
    "creating-proxy-after-exit": "",
    "starting": "initial-emitted",
    "online": "idle",
    "empty": "idle",
    "recovery-awaiting-initial": "initial-emitted",
    "recovery-waiting": "recovery-waiting",
    "recovery-needs-receipt-and-stop": "replacement-emitted",
    "recovery-needs-receipt": "replacement-emitted",
    "recovery-needs-stop-and-outcome": "replacement-emitted",
    "recovery-needs-outcome": "replacement-emitted",
    "recovery-needs-stop": "replacement-emitted",
    "stopping": "idle",
    "retired": "",
}
"""What a proxy still owes at shutdown, by the phase that it was in."""


@pytest.mark.parametrize("phase", list(s.MEMBERS))
def test_shutdown_drains_every_phase_exactly_once(phase: str) -> None:
    """One request for each living proxy, none for the rest; the exit ends the role, and a second shutdown is silent."""
    before = s.operating(s.MEMBERS[phase], release=m.WaitingForTimer(s.TIMER, 15))
    done = s.step(before, f.Shutdown())
    asked = phase not in ("creating-proxy", "creating-proxy-after-exit", "stopping", "retired")
    assert done.actions == a.Actions(proxy_shutdowns=(a.ShutdownProxy(s.PROXY),) if asked else ())
    if phase == "retired":
        assert done.state == Stopped()
        return
    assert isinstance(done.state, Draining)
    (member,) = done.state.members
    if isinstance(member, m.DrainingProxy):
        assert member.outstanding.word == OUTSTANDING[phase]
        ended = s.step(done.state, s.EXIT)
        owed = () if member.outstanding == m.IDLE else (a.TransferResidual("a", (member.outstanding,)),)
        assert (ended.state, ended.actions.residual_transfers) == (Stopped(), owed)
    again = s.step(done.state, f.Shutdown())
    assert (again.state is done.state, again.actions) == (True, a.NO_ACTIONS)


def test_proxy_that_is_born_while_draining_is_asked_to_end() -> None:
    """Its first worker never leaves."""
    closing = s.step(s.operating(s.MEMBERS["creating-proxy"]), f.Shutdown())
    born = s.step(closing.state, f.ProxyCommitted(s.PROXY.birth, s.PROXY))
    assert born.actions == a.Actions(proxy_shutdowns=(a.ShutdownProxy(s.PROXY),))
    assert s.step(born.state, s.EXIT).state == Stopped()


@pytest.mark.parametrize(
    ("first", "answer", "kinds"),
    [
        (True, f.ProxyCommitted(s.PROXY.birth, s.PROXY), ("proxy-died",)),
        (True, f.ProxyFoldRejected(s.PROXY.birth, "no"), ("proxy-creation-rejected",)),
        (False, f.ProxyFoldRejected(s.PROXY.birth, "no"), ("proxy-creation-rejected",)),
    ],
)
def test_birth_resolves_a_drain_in_every_order(first: bool, answer: f.BirthAnswer, kinds: tuple[str, ...]) -> None:
    """A dead proxy is counted out and not asked; a rejected one never was; the first worker goes back."""
    state = s.step(s.operating(s.MEMBERS["creating-proxy"]), f.Shutdown()).state
    if first:
        state = s.step(state, s.EARLY_EXIT).state
        assert s.step(state, s.EARLY_EXIT).state is state
    done = s.step(state, answer)
    assert (done.state, s.kinds(done), done.actions.proxy_shutdowns) == (Stopped(), kinds, ())
    assert done.actions.residual_transfers == (a.TransferResidual("a", (s.INITIAL,)),)


def test_refused_request_is_no_end() -> None:
    """The refusal is told and kept, and the exit is still waited for."""
    closing = s.step(s.operating(s.MEMBERS["online"]), f.Shutdown()).state
    refused = s.step(closing, f.ShutdownRejected(s.PROXY, "busy"))
    assert s.kinds(refused) == ("proxy-shutdown-rejected",)
    assert isinstance(refused.state, Draining)
    assert s.step(refused.state, f.ShutdownAccepted(s.PROXY)).state is refused.state
    assert s.step(refused.state, s.EXIT).state == Stopped()


def test_operation_that_left_is_settled_and_makes_nobody_ready() -> None:
    """Receipt, outcome and stop still come to their one end, and no event is told."""
    state = s.step(s.operating(s.MEMBERS["recovery-needs-receipt-and-stop"]), f.Shutdown()).state
    words = []
    for fact in (f.InputAccepted(s.PROXY, s.TICKET), s.READY, f.WorkerStopped(s.PROXY, s.STOP)):
        done = s.step(state, fact)
        assert done.actions == a.NO_ACTIONS
        assert isinstance(done.state, Draining)
        (member,) = done.state.members
        assert isinstance(member, m.DrainingProxy)
        words.append(member.outstanding.word)
        assert s.step(done.state, fact).state is done.state
        state = done.state
    assert words == ["replacement-emitted", "replacement-emitted", "idle"]


def test_workers_that_come_too_late_go_to_the_host() -> None:
    """The whole answer moves outward, once; nothing is replaced."""
    asked = s.step(s.operating(s.MEMBERS["online"]), f.WorkerStopped(s.PROXY, s.STOP))
    closing = s.step(asked.state, f.Shutdown())
    number = asked.actions.worker_preparations[0].preparation
    answer = f.WorkersPrepared(number, (Submission("a", "new"),))
    done = s.step(closing.state, answer)
    assert done.actions == a.Actions(residual_transfers=(a.TransferResidual(None, (answer,)),))
    assert s.kinds(s.step(done.state, answer)) == ("unexpected-input",)


def test_children_of_others_are_left_alone() -> None:
    """Only proxies of the roster are asked to end, and an exit of a stranger is rejected."""
    two = s.operating(s.MEMBERS["online"], m.Online(1, s.OTHER, WorkerId(5)))
    done = s.step(two, f.Shutdown(), "a", "b")
    assert done.actions.proxy_shutdowns == (a.ShutdownProxy(s.PROXY), a.ShutdownProxy(s.OTHER))
    stranger = s.step(done.state, f.ExitAfterBirth(Proxy(BirthId(77))), "a", "b")
    assert (stranger.state is done.state, s.kinds(stranger)) == (True, ("unexpected-input",))


# -- failure reactions ---------------------------------------------------------------------------------------------

FAILURES: dict[str, tuple[m.Member, f.Fact]] = {
    "proxy-creation-rejected": (s.MEMBERS["creating-proxy"], f.ProxyHostRejected(s.PROXY.birth, "no")),
    "proxy-input-rejected": (s.MEMBERS["starting"], f.InputRejected(s.PROXY, s.INITIAL, "no")),
    "proxy-outcome-failed": (m.Starting(0, s.PROXY, m.AwaitingOutcome(s.TICKET)), f.InitialFailed(s.PROXY, "no")),
    "proxy-died": (s.MEMBERS["online"], s.EXIT),
    "worker-preparation-failed": (
        m.Empty(0, s.PROXY, s.WORKER, "stopped", s.STOP),
        f.SourceRejected(s.PREPARATION, "no"),
    ),
    "recovery-denied": (
        m.Empty(0, s.PROXY, s.WORKER, "stopped", s.STOP),
        f.WorkersPrepared(s.PREPARATION, (Submission("a", "new"),)),
    ),
    "restart-schedule-rejected": (
        m.Waiting(0, s.PROXY, s.WORKER, s.STOP, s.PREPARED),
        f.ScheduleRejected(s.RECOVERY, s.TIMER, "no"),
    ),
}


@pytest.mark.parametrize("reaction", ["retire-member", "stop-supervisor", "terminate"])
@pytest.mark.parametrize("kind", list(FAILURES))
def test_failure_is_told_first_and_then_reacted_to(kind: str, reaction: str) -> None:
    """One diagnostic; then the role ends alone, or all end, or the host takes all where diagnostics terminate."""
    member, fact = FAILURES[kind]
    pending = (m.Pending(s.PREPARATION, 0, (0,)),) if isinstance(member, m.Empty) else ()
    other = m.Online(1, s.OTHER, WorkerId(5))
    before = s.operating(member, other, release=m.Scheduling(s.TIMER, 15), pending=pending)
    before = before._replace(charges=(Charge(10, 9),))
    changes: dict[str, Any] = {"failure": "stop-supervisor" if reaction == "stop-supervisor" else "retire-member"}
    if reaction == "terminate":
        changes["diagnostics"] = None
    done = s.step(before, fact, "a", "b", **changes)
    assert s.kinds(done) == (kind,)
    has_proxy = kind not in ("proxy-creation-rejected", "proxy-died")
    mine = [s.PROXY] if has_proxy else []
    asked = [each.proxy for each in done.actions.proxy_shutdowns]
    if reaction == "retire-member":
        assert s.phases(done.state) == ("stopping" if has_proxy else "retired", "online")
        assert asked == mine
        assert ("member-retired" in s.events(done)) == (not has_proxy)
    elif reaction == "stop-supervisor":
        assert isinstance(done.state, Draining)
        assert asked == [*mine, s.OTHER]
        assert "member-retired" not in s.events(done)
    else:
        assert done.state == Terminated((0, 1) if has_proxy else (1,), kind)
        assert asked == []
        assert len(done.actions.terminal_diagnostics) == 1


def test_refused_diagnostic_ends_the_supervisor_and_is_not_told_again() -> None:
    """One terminal diagnostic owns the first, and the roles go to the host."""
    before = s.operating(s.MEMBERS["online"])
    sent = a.DeliverDiagnostic("operator", a.Diagnostic("proxy-died", ("a",)))
    done = s.step(before, f.DeliverySettled(sent, "rejected", "closed"))
    told = a.TerminalDiagnostic(a.Diagnostic("undeliverable", (sent.diagnostic, "closed")))
    assert done.actions == a.Actions(
        terminal_diagnostics=(told,), residual_transfers=(a.TransferResidual("a", (before.members[0],)),)
    )
    assert done.state == Terminated((0,), "undeliverable")
    assert s.step(done.state, s.EXIT).refused == "not-admitted"
    accepted = s.step(before, f.DeliverySettled(sent, "accepted"))
    assert (accepted.state is before, accepted.actions) == (True, a.NO_ACTIONS)
    elsewhere = s.step(before, f.DeliverySettled(sent._replace(route="elsewhere"), "rejected"))
    assert (elsewhere.state is before, s.kinds(elsewhere)) == (True, ("unexpected-input",))


def test_without_publication_no_event_is_built() -> None:
    """A whole restart leaves no event, and a failed one leaves the stop with the host."""
    ready = s.step(s.operating(s.MEMBERS["recovery-needs-outcome"]), s.READY, lifecycle=None)
    assert (s.phases(ready.state), ready.actions) == (("online",), a.NO_ACTIONS)
    failed = s.step(s.operating(s.MEMBERS["recovery-needs-outcome"]), s.FAILED, lifecycle=None)
    assert failed.actions.residual_transfers == (a.TransferResidual("a", (s.STOP,)),)
    assert failed.actions.lifecycle_events == ()


# -- the limit -----------------------------------------------------------------------------------------------------


def test_limit_asks_for_one_timer() -> None:
    """The timer is asked for once; its acceptance lets it run."""
    done = s.step(s.operating(s.MEMBERS["online"]), f.Shutdown(), deadline=9)
    assert done.actions.deadline_schedules == (a.ScheduleDeadline(TimerId(20), 9),)
    assert isinstance(done.state, Draining)
    assert done.state.deadline == Deadline("scheduling", TimerId(20), 9)
    runs = s.step(done.state, f.DeadlineAccepted(TimerId(20)), deadline=9)
    assert isinstance(runs.state, Draining)
    assert runs.state.deadline.phase == "waiting"


@pytest.mark.parametrize(
    ("phase", "fact", "cause"),
    [
        ("scheduling", f.DeadlineRejected(s.TIMER, "full"), "deadline-not-scheduled"),
        ("waiting", f.DeadlineElapsed(s.TIMER, 19), "deadline-elapsed"),
    ],
)
def test_limit_hands_over_who_has_not_ended(phase: str, fact: Any, cause: str) -> None:
    """Each residual leaves whole and is told once; the cause stands once; no end, start or event is invented."""
    left = m.DrainingProxy(0, s.PROXY, m.Outstanding((s.INITIAL,)), "awaiting-exit")
    unborn = m.ResolvingProxyBirth(1, s.OTHER.birth, s.INITIAL, None)
    before = s.draining(left, unborn, m.Drained(2, "graceful"), deadline=Deadline(phase, s.TIMER, 19))
    done = s.step(before, fact, "a", "b", "c", deadline=9)
    assert done.actions == a.Actions(
        diagnostic_deliveries=tuple(
            a.DeliverDiagnostic("operator", a.Diagnostic("forced-retirement", (role, word, cause)))
            for role, word in (("a", "draining-proxy"), ("b", "resolving-proxy-birth"))
        ),
        residual_transfers=(a.TransferResidual("a", (left,)), a.TransferResidual("b", (unborn,))),
    )
    assert done.state == ForcedRetirement((0, 1), cause, fact)
    assert s.step(done.state, s.EXIT, "a", "b", "c").refused == "not-admitted"


@pytest.mark.parametrize(
    ("phase", "fact"),
    [
        ("waiting", f.DeadlineElapsed(s.TIMER, 18)),
        ("waiting", f.DeadlineElapsed(TimerId(9), 19)),
        ("waiting", f.DeadlineAccepted(s.TIMER)),
        ("waiting", f.DeadlineRejected(s.TIMER, "full")),
        ("scheduling", f.DeadlineElapsed(s.TIMER, 19)),
        ("waiting-without-deadline", f.DeadlineElapsed(s.TIMER, 19)),
    ],
)
def test_early_wrong_and_repeated_limits_are_unexpected(phase: str, fact: f.Fact) -> None:
    """Only the exact timer forces anybody, and not before its time."""
    timer = None if phase == "waiting-without-deadline" else s.TIMER
    before = s.draining(m.DrainingProxy(0, s.PROXY, m.IDLE, "awaiting-exit"), deadline=Deadline(phase, timer, 19))
    done = s.step(before, fact, deadline=9)
    assert (done.state is before, s.kinds(done)) == (True, ("unexpected-input",))


def test_limit_counts_from_the_latest_time_that_is_known() -> None:
    """A charge tells that the shutdown came later; the clock's end bounds the time."""
    charged = s.operating(s.MEMBERS["online"])._replace(charges=(Charge(30, 1),))
    assert s.step(charged, f.Shutdown(), deadline=9).state.deadline.due == 39  # type: ignore[union-attr]  # it drains
    assert s.step(charged, f.Shutdown(), deadline=CLOCK_MAX).state.deadline.due == CLOCK_MAX  # type: ignore[union-attr]


def test_limit_without_a_number_ends_the_drain_at_once() -> None:
    """A limit that can't be armed doesn't turn into none."""
    state = s.operating(s.MEMBERS["online"])
    spent = state._replace(allocators=state.allocators._replace(timer=Allocator(TimerId(9), 8)))
    done = s.step(spent, f.Shutdown(), deadline=9)
    assert done.state == ForcedRetirement((0,), "deadline-correlation-unavailable", None)
    assert s.kinds(done) == ("forced-retirement",)


# -- whole actions -------------------------------------------------------------------------------------------------


def test_lanes_stand_in_the_order_of_the_law() -> None:
    """Creations, preparations, operations, schedules, events, replies, diagnostics."""
    order = [
        *("proxy_creations", "proxy_creation_observations", "proxy_stop_observations", "worker_preparations"),
        *("proxy_install_inputs", "proxy_replacement_inputs", "proxy_shutdowns"),
        *("restart_schedules", "deadline_schedules", "lifecycle_events", "management_replies"),
        *("diagnostic_deliveries", "terminal_diagnostics", "delivery_rejections", "residual_transfers"),
    ]
    assert list(a.Actions._fields) == order


def test_refused_creation_blocks_its_own_observations_only() -> None:
    """The batch of the beginning: a refused proxy's observations come back untouched, the other's are taken."""
    built = construct(s.definition("a", "b"))
    assert isinstance(built, Constructed)
    batch = tuple(Supervisor(s.definition("a", "b")).step(built, f.Initialize()).actions.operations())
    settled = settle_batch(batch, lambda each: Answer("rejected" if each == batch[0] else "accepted", "no"))
    words = ["rejected", "accepted", "blocked", "blocked", "accepted", "accepted", "blocked", "accepted"]
    assert [each.word for each in settled.items] == words
    assert settled.returned == (batch[0], batch[2], batch[3], batch[6])


def test_events_and_replies_show_the_stable_proxy_only() -> None:
    """No evidence of a worker stands in anything that others get, whatever happens to the role."""
    started = s.step(s.operating(m.Starting(0, s.PROXY, m.AwaitingOutcome(s.TICKET))), f.InitialReady(s.PROXY, s.NEXT))
    restarted = s.step(s.operating(s.MEMBERS["recovery-needs-outcome"]), s.READY)
    assert started.actions.events() == (a.Started("a", s.PROXY),)
    assert restarted.actions.events() == (
        a.StopPublished("a", True, 10, s.RECOVERY),
        a.Restarted("a", s.PROXY, s.RECOVERY),
    )


def test_refused_reply_is_the_hosts() -> None:
    """It changes no snapshot, and comes back whole."""
    before = s.operating(s.MEMBERS["online"])
    (reply,) = s.step(before, f.QueryStatus("customer")).actions.management_replies
    done = s.step(before, f.DeliverySettled(reply, "not-attempted", "gone"))
    assert (done.state is before, done.actions.delivery_rejections) == (True, (a.TransferRefusal(reply, "gone"),))


def test_ticket_of_a_settled_operation_is_settled_once() -> None:
    """A receipt that comes again, or with another ticket, frees and moves nothing."""
    taken = s.step(s.operating(s.MEMBERS["starting"]), f.InputAccepted(s.PROXY, s.TICKET))
    for fact in (f.InputAccepted(s.PROXY, s.TICKET), f.InputAccepted(s.PROXY, OperationId(9))):
        again = s.step(taken.state, fact)
        assert (again.state is taken.state, s.kinds(again)) == (True, ("unexpected-input",))
