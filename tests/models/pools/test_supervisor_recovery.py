"""Recoveries of a supervisor: who is chosen, what is committed, what it costs, when it is released, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools.correlations import Allocator, BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.definition import STRATEGIES
from harness.models.pools.supervisor.state import Operating, Transition
from harness.models.pools.supervisor.timing import COUNT_MAX, Charge, Timing, charge, delay
from harness.models.pools.supervisor.values import Denial, OperationId, Proxy, Submission, WorkerId, WorkerStop
from harness.models.pools.timing import CLOCK_MAX, Budget
from tests.models.pools import _supervisor as s

FOUR = ("a", "b", "c", "d")


def proxy(role: int) -> Proxy:
    return Proxy(BirthId(role + 1))


def online(role: int) -> m.Online:
    return m.Online(role, proxy(role), WorkerId(role + 1))


def stopped(role: int, at: int = 10) -> f.WorkerStopped:
    return f.WorkerStopped(proxy(role), WorkerStop(WorkerId(role + 1), True, at))


def prepared(done: Transition) -> f.WorkersPrepared:
    """The good answer to the one preparation that a step asked for."""
    (asked,) = done.actions.worker_preparations
    return f.WorkersPrepared(asked.preparation, tuple(Submission(role, f"new {role}") for role in asked.roles))


def admitted(state: Operating, *roles: str, at: int = 10, **changes: Any) -> Transition:
    """The first role stops, and its workers are prepared."""
    asked = s.step(state, stopped(0, at), *roles, **changes)
    return s.step(asked.state, prepared(asked), *roles, **changes)


def denial(done: Transition) -> Denial:
    """Why the one recovery of a step was denied."""
    (told,) = done.actions.diagnostics()
    assert told.kind == "recovery-denied"
    reason: Denial = told.facts[2]
    return reason


# -- who is chosen -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategy_chooses_whom_the_law_says(strategy: str) -> None:
    """The second of four roles stops, and one batch of the roles of the strategy is asked for and admitted."""
    names = s.law()["selection"][strategy]
    before = s.operating(*map(online, range(4)))
    asked = s.step(before, stopped(1), *FOUR, strategy=strategy)
    assert [list(each.roles) for each in asked.actions.worker_preparations] == [names]
    assert s.phases(asked.state) == ("online", "empty", "online", "online")
    done = s.step(asked.state, prepared(asked), *FOUR, strategy=strategy, activation_limit=4)
    assert isinstance(done.state, Operating)
    (batch,) = done.state.batches
    assert [FOUR[each.role] for each in batch.members] == names
    assert (batch.trigger, done.state.charges) == (1, (Charge(10, len(names)),))
    assert [FOUR[each.proxy.birth - 1] for each in done.actions.proxy_replacement_inputs] == names
    needs = {FOUR[each.role]: m.phase_of(each) for each in batch.members}
    assert needs == {role: "recovery-needs-receipt" + ("" if role == "b" else "-and-stop") for role in names}


PEERS: dict[str, m.Member] = {
    "creating-proxy": m.CreatingProxy(1, BirthId(2), s.INITIAL),
    "starting": m.Starting(1, proxy(1), m.AwaitingOutcome(OperationId(5))),
    "online": online(1),
    "empty": m.Empty(1, proxy(1), WorkerId(2), "ineligible", None),
    "stopping": m.Stopping(1, proxy(1), "test", "awaiting-exit"),
    "retired": m.Retired(1, "test"),
    "in-recovery": m.Waiting(1, proxy(1), WorkerId(2), None, s.PREPARED),
    "asked-for": m.Empty(1, proxy(1), WorkerId(2), "stopped", WorkerStop(WorkerId(2), True, 1)),
}


@pytest.mark.parametrize("peer", list(PEERS))
def test_needed_role_joins_refuses_or_is_over(peer: str) -> None:
    """The set never shrinks for a role that can't join now; roles that are over for good are not in it."""
    pending = (m.Pending(s.PREPARATION, 1, (1,)),) if peer == "asked-for" else ()
    before = s.operating(online(0), PEERS[peer], trigger=1, release=m.Scheduling(s.TIMER, 15), pending=pending)
    done = s.step(before, stopped(0), "a", "b", strategy="one-for-all")
    says = s.law()["needed"][peer]
    if says == "refuses":
        assert denial(done) == Denial("role-not-restartable", (), "b")
        assert s.phases(done.state) == ("stopping", s.phases(before)[1])
        assert done.actions.worker_preparations == ()
    else:
        assert [each.roles for each in done.actions.worker_preparations] == [("a", "b") if says == "joins" else ("a",)]


def test_disjoint_recoveries_go_side_by_side() -> None:
    """Two roles that stop one by one have a recovery each, with a ticket and a charge of its own."""
    state = s.operating(online(0), online(1))
    first = s.step(state, stopped(0), "a", "b")
    second = s.step(first.state, stopped(1), "a", "b")
    done = s.steps(second.state, (prepared(second), prepared(first)), "a", "b")
    assert isinstance(done.state, Operating)
    assert [(each.ticket, each.trigger) for each in done.state.batches] == [(RecoveryId(20), 1), (RecoveryId(21), 0)]
    assert done.state.charges == (Charge(10, 1), Charge(10, 1))


def test_first_worker_on_its_way_joins_and_is_replaced_once_ready() -> None:
    """Its start is told, and in the same step it is ready to be replaced."""
    start = m.Starting(1, proxy(1), m.AwaitingOutcome(OperationId(5)))
    joined = admitted(s.operating(online(0), start), "a", "b", strategy="one-for-all", activation_limit=2)
    assert s.phases(joined.state) == ("recovery-needs-receipt", "recovery-awaiting-initial")
    done = s.step(joined.state, f.InitialReady(proxy(1), WorkerId(7)), "a", "b", activation_limit=2)
    assert s.events(done) == ("started",)
    assert [each.operation.kind.replaces for each in done.actions.proxy_replacement_inputs] == [WorkerId(7)]  # type: ignore[union-attr]  # replacements have it
    assert s.phases(done.state)[1] == "recovery-needs-receipt-and-stop"


def test_first_worker_that_fails_leaves_its_recovery_alone() -> None:
    """The participant fails by itself, its replacement goes back, and the rest of the recovery goes on."""
    start = m.Starting(1, proxy(1), m.AwaitingOutcome(OperationId(5)))
    joined = admitted(s.operating(online(0), start), "a", "b", strategy="one-for-all", activation_limit=2)
    done = s.step(joined.state, f.InitialFailed(proxy(1), "refused"), "a", "b", activation_limit=2)
    assert s.phases(done.state) == ("recovery-needs-receipt", "stopping")
    (left,) = done.actions.residual_transfers
    assert [each.definition for each in left.residual] == ["new b"]


# -- while the source is asked -------------------------------------------------------------------------------------


def test_peer_that_stops_while_the_source_is_asked_joins_as_stopped() -> None:
    """Its stop opens no second recovery and waits for the first."""
    asked = s.step(s.operating(online(0), online(1)), stopped(0), "a", "b", strategy="one-for-all")
    second = s.step(asked.state, stopped(1), "a", "b", strategy="one-for-all")
    assert second.actions == a.NO_ACTIONS
    done = s.step(second.state, prepared(asked), "a", "b", strategy="one-for-all", activation_limit=2)
    assert s.phases(done.state) == ("recovery-needs-receipt", "recovery-needs-receipt")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_source_that_gives_up_changes_no_peer(place: int) -> None:
    """At each position: what was made, the reason and the rest are told once, nothing is charged, the trigger fails."""
    roles = ("a", "b", "c")
    asked = s.step(s.operating(*map(online, range(3))), stopped(0), *roles, strategy="one-for-all")
    made = tuple(Submission(role, "made") for role in roles[:place])
    fact = f.WorkersPartial(
        asked.actions.worker_preparations[0].preparation, made, roles[place], "no", roles[place + 1 :]
    )
    done = s.step(asked.state, fact, *roles, strategy="one-for-all")
    told = a.Diagnostic("worker-preparation-failed", ("a", made, (roles[place], "no"), roles[place + 1 :]))
    assert done.actions.diagnostics() == (told,)
    assert isinstance(done.state, Operating)
    assert s.phases(done.state) == ("stopping", "online", "online")
    assert (done.state.charges, done.state.admitted, done.actions.inputs()) == ((), (0, 0, 0), ())


def test_peer_that_stopped_meanwhile_recovers_by_itself_when_the_source_gives_up() -> None:
    """Its stop was kept, and is decided on its own now."""
    changes: dict[str, Any] = {"strategy": "rest-for-one"}
    asked = s.step(s.operating(online(0), online(1)), stopped(0), "a", "b", **changes)
    kept = s.step(asked.state, stopped(1), "a", "b", **changes)
    refused = f.SourceRejected(asked.actions.worker_preparations[0].preparation, "no")
    done = s.step(kept.state, refused, "a", "b", **changes)
    assert s.phases(done.state) == ("stopping", "empty")
    assert [each.roles for each in done.actions.worker_preparations] == [("b",)]


@pytest.mark.parametrize("roles", [("b",), ("b", "a"), ("a", "b", "b"), ()])
def test_answer_about_other_roles_is_no_answer(roles: tuple[str, ...]) -> None:
    """The source has to answer for exactly the roles it was asked for, in their order."""
    asked = s.step(s.operating(online(0), online(1)), stopped(0), "a", "b", strategy="one-for-all")
    number = asked.actions.worker_preparations[0].preparation
    wrong = f.WorkersPrepared(number, tuple(Submission(role, "made") for role in roles))
    done = s.step(asked.state, wrong, "a", "b", strategy="one-for-all")
    assert (done.state is asked.state, s.kinds(done)) == (True, ("unexpected-input",))


def test_trigger_whose_proxy_is_gone_denies_its_recovery() -> None:
    """The prepared worker goes back, and the role that is over does not fail twice."""
    asked = s.step(s.operating(online(0)), stopped(0))
    gone = s.step(asked.state, f.ExitAfterBirth(proxy(0)))
    done = s.step(gone.state, prepared(asked))
    assert denial(done) == Denial("role-not-restartable", (), "a")
    assert s.phases(done.state) == ("retired",)
    assert done.actions.residual_transfers == (a.TransferResidual("a", (Submission("a", "new a"),)),)


# -- budget and numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charges", "at", "requested", "expected"),
    [
        ((), 5, 2, ((Charge(5, 2),), None)),
        ((), 5, 4, ((), Denial("restart-limit-reached", (0, 4, 3)))),
        ((Charge(0, 2),), 10, 1, ((Charge(0, 2), Charge(10, 1)), None)),
        ((Charge(0, 2),), 10, 2, ((Charge(0, 2),), Denial("restart-limit-reached", (2, 2, 3)))),
        ((Charge(0, 2),), 11, 2, ((Charge(11, 2),), None)),
        ((Charge(0, 2), Charge(9, 1)), 8, 1, ((Charge(0, 2), Charge(9, 1)), Denial("clock-regressed", (9, 8)))),
    ],
)
def test_charge_is_whole_and_its_window_inclusive(
    charges: tuple[Charge, ...], at: int, requested: int, expected: tuple[tuple[Charge, ...], Denial | None]
) -> None:
    """Three replacements in ten ticks: a charge of exactly ten ticks ago still counts, and a denial prunes nothing."""
    assert charge(charges, at, requested, Budget(3, 10)) == expected


DENIALS: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int, ...], str]] = {
    "recovery-tickets-exhausted": ({"recovery": Allocator(RecoveryId(9), 8)}, {}, (), ""),
    "restart-timers-exhausted": ({"timer": Allocator(TimerId(9), 8)}, {"timing": Timing("constant", 1)}, (), ""),
    "restart-limit-reached": ({}, {"budget": Budget(0, 9)}, (0, 1, 0), ""),
    "clock-regressed": ({"charges": (Charge(11, 1),)}, {}, (11, 10), ""),
    "recovery-count-exhausted": ({"admitted": (COUNT_MAX,)}, {}, (COUNT_MAX,), ""),
    "release-calculation-failed": (
        {"admitted": (2,)},
        {"timing": Timing("linear", CLOCK_MAX // 2)},
        (),
        "delay-overflow",
    ),
}


@pytest.mark.parametrize("reason", list(DENIALS))
def test_denied_recovery_owns_its_stop_and_costs_nothing(reason: str) -> None:
    """Each reason has its numbers; no event is built for the stop, nothing is charged, and the trigger's proxy ends."""
    start, changes, numbers, detail = DENIALS[reason]
    state = s.operating(online(0))
    fields = {name: value for name, value in start.items() if name in ("charges", "admitted")}
    spent = {name: value for name, value in start.items() if name not in fields}
    state = state._replace(allocators=state.allocators._replace(**spent), **fields)
    done = admitted(state, "a", **changes)
    assert denial(done) == Denial(reason, numbers, detail)
    assert done.actions.diagnostics()[0].facts[1] == WorkerStop(WorkerId(1), True, 10)
    assert (s.events(done), s.phases(done.state)) == ((), ("stopping",))
    assert done.actions.residual_transfers == (a.TransferResidual("a", (Submission("a", "new a"),)),)
    assert isinstance(done.state, Operating)
    assert (done.state.charges, done.state.admitted) == (state.charges, state.admitted)


def test_earlier_step_decides_which_reason_is_told() -> None:
    """Numbers are reserved before the clock is looked at, the clock before the budget, the budget before the count."""
    state = s.operating(online(0))._replace(charges=(Charge(11, 1),), admitted=(COUNT_MAX,))
    without = state._replace(allocators=state.allocators._replace(recovery=Allocator(RecoveryId(9), 8)))
    none_left: dict[str, Any] = {"budget": Budget(0, 9)}
    assert denial(admitted(without, "a", **none_left)).reason == "recovery-tickets-exhausted"
    assert denial(admitted(state, "a", **none_left)).reason == "clock-regressed"
    assert denial(admitted(state, "a", at=12, **none_left)).reason == "restart-limit-reached"
    assert denial(admitted(state, "a", at=12)).reason == "recovery-count-exhausted"


# -- release -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("timing", "delays"),
    [
        (Timing(), [None, None, None]),
        (Timing("constant", 5), [5, 5, 5]),
        (Timing("linear", 5), [5, 10, 15]),
        (Timing("exponential", 5), [5, 10, 20]),
    ],
)
def test_delay_is_counted_by_a_one_based_ordinal(timing: Timing, delays: list[int | None]) -> None:
    """The first recovery has the base itself; the ordinal is the trigger's own and is never reset."""
    assert [delay(timing, ordinal) for ordinal in (1, 2, 3)] == delays


@pytest.mark.parametrize(
    ("timing", "last"),
    [(Timing("linear", 2), CLOCK_MAX // 2), (Timing("exponential", 1), 63), (Timing("constant", CLOCK_MAX), COUNT_MAX)],
)
def test_delay_beyond_the_clock_is_none(timing: Timing, last: int) -> None:
    """The last ordinal that fits gives a delay; a clock can't hold one more."""
    assert delay(timing, last) in range(1, CLOCK_MAX + 1)
    for ordinal in (last + 1, 10 * last) if timing.kind != "constant" else ():
        with pytest.raises(ValueError, match="delay-overflow"):
            delay(timing, ordinal)


def test_due_time_beyond_the_clock_denies() -> None:
    """A delay that fits may still end where the clock has no time."""
    done = admitted(s.operating(online(0)), "a", at=CLOCK_MAX - 3, timing=Timing("constant", 4))
    assert denial(done) == Denial("release-calculation-failed", (), "deadline-overflow")


def test_delay_uses_the_ordinal_of_the_trigger_alone() -> None:
    """Peers with a longer history change nothing."""
    state = s.operating(online(0), online(1))._replace(admitted=(1, 7))
    done = admitted(state, "a", "b", strategy="one-for-all", timing=Timing("linear", 5))
    assert [each.due for each in done.actions.restart_schedules] == [20]
    assert isinstance(done.state, Operating)
    assert done.state.admitted == (2, 7)


def test_timer_releases_once_and_not_early() -> None:
    """Only the exact timer, at or after its time and not before what is known, releases its recovery, and once."""
    done = admitted(s.operating(online(0)), "a", timing=Timing("constant", 5))
    (asked,) = done.actions.restart_schedules
    due = f.TimerElapsed(asked.recovery, asked.timer, asked.due)
    assert s.step(done.state, due).state is done.state
    runs = s.step(done.state, f.ScheduleAccepted(asked.recovery, asked.timer))
    for wrong in (due._replace(at=14), due._replace(timer=TimerId(1)), due._replace(recovery=RecoveryId(1))):
        assert s.step(runs.state, wrong).state is runs.state
    assert isinstance(runs.state, Operating)
    later = runs.state._replace(charges=(*runs.state.charges, Charge(16, 1)))
    assert s.step(later, due).state is later
    released = s.step(runs.state, due)
    assert [each.operation.ticket for each in released.actions.proxy_replacement_inputs] == [OperationId(20)]
    again = s.step(released.state, due)
    assert (again.state is released.state, s.kinds(again)) == (True, ("unexpected-input",))


def test_refused_timer_fails_the_trigger_and_gives_the_rest_back() -> None:
    """Nothing had left: peers are as before, their workers go back, and a peer that stopped recovers by itself."""
    roles = ("a", "b", "c")
    changes: dict[str, Any] = {"strategy": "one-for-all", "timing": Timing("constant", 5)}
    done = admitted(s.operating(*map(online, range(3))), *roles, **changes)
    (asked,) = done.actions.restart_schedules
    peer = s.step(done.state, stopped(1, 12), *roles, **changes)
    refused = f.ScheduleRejected(asked.recovery, asked.timer, "full")
    after = s.step(peer.state, refused, *roles, strategy="rest-for-one")
    assert after.actions.diagnostics() == (a.Diagnostic("restart-schedule-rejected", ("a", refused)),)
    assert s.phases(after.state) == ("stopping", "empty", "online")
    assert [each.roles for each in after.actions.worker_preparations] == [("b", "c")]
    assert [each.residual[0].definition for each in after.actions.residual_transfers] == ["new a", "new b", "new c"]
    (event,) = after.actions.events()
    assert event == a.StopPublished("a", True, 10, asked.recovery)


def test_recovery_ends_with_its_last_participant() -> None:
    """The trigger's return leaves the batch its name; the ticket is not used again."""
    state = s.operating(online(0), online(1))
    done = admitted(state, "a", "b", strategy="one-for-all")
    ticket = done.actions.proxy_replacement_inputs[0].operation.ticket
    facts = (f.InputAccepted(proxy(0), ticket), f.ReplacementReady(proxy(0), WorkerId(1), WorkerId(8)))
    done = s.steps(done.state, facts, "a", "b", strategy="one-for-all")
    assert isinstance(done.state, Operating)
    assert [(each.trigger, len(each.members)) for each in done.state.batches] == [(0, 1)]
    assert s.events(done) == ("worker-stopped", "restarted")
    left = s.step(done.state, f.ExitAfterBirth(proxy(1)), "a", "b")
    assert isinstance(left.state, Operating)
    assert left.state.batches == ()
    assert left.state.allocators.recovery.next == RecoveryId(21)
