"""Every cell of the law's matrices, driven: what the model does is compared with what the cell says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.models.pools.correlations import BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.state import Deadline, Operating, State, Stopped, Terminated, Transition
from harness.models.pools.supervisor.values import OperationId, Proxy, WorkerId, WorkerStop
from tests.models.pools import _supervisor as s

MATRIX = s.law()["member_matrix"]
PARTS = s.law()["parts"]
WITH_PARTS: dict[str, dict[str, m.Member]] = {
    "starting": {word: m.Starting(0, s.PROXY, phase) for word, phase in s.INITIALS.items()},
    "recovery-awaiting-initial": {
        word: m.AwaitingInitial(0, s.PROXY, phase, s.PREPARED) for word, phase in s.INITIALS.items()
    },
    "recovery-waiting": {
        "online": m.Waiting(0, s.PROXY, s.WORKER, None, s.PREPARED),
        "stopped": m.Waiting(0, s.PROXY, s.WORKER, s.STOP, s.PREPARED),
    },
}
PART_COLUMNS = ("input-settlement", "initial-outcome", "worker-stopped")


def parts_of(phase: str) -> tuple[str, ...]:
    """The parts of a phase that the law tells apart; one without a name where there are none."""
    return tuple(WITH_PARTS.get(phase, ("",)))


def belongs(phase: str, fact: f.Fact) -> bool:
    """Whether a fact is of the kind that a phase's own operation or birth can have."""
    if isinstance(fact, f.ExitBeforeBirth | f.ExitAfterBirth):
        return isinstance(fact, f.ExitBeforeBirth) == phase.startswith("creating")
    if isinstance(fact, f.InputRejected):
        return (fact.operation == s.INITIAL) != phase.startswith("recovery-needs")
    return True


def cells() -> Iterator[tuple[str, str, str, int]]:
    """Every cell, once for each part of its row and each exact fact of its column."""
    for phase, row in MATRIX.items():
        for column in row:
            for part in parts_of(phase):
                for number, fact in enumerate(s.COLUMNS[column]):
                    if belongs(phase, fact):
                        yield phase, part, column, number


def expected(phase: str, part: str, column: str) -> str:
    """What a cell says, for one part of its row."""
    says = str(MATRIX[phase][column])
    takes = PARTS.get(phase, {}).get(part)
    return (
        "reject" if says == "apply" and takes is not None and column in PART_COLUMNS and column not in takes else says
    )


def before_of(phase: str, part: str) -> Operating:
    """A supervisor of one role in a phase; its recovery is not released, so that nothing leaves on its own."""
    member = WITH_PARTS[phase][part] if part else s.MEMBERS[phase]
    return s.operating(member, release=m.WaitingForTimer(s.TIMER, 15))


def observed(before: Operating, done: Transition) -> str:
    """What a step did, in the words of the matrix."""
    unexpected = "unexpected-input" in s.kinds(done)
    if done.state is before:
        if s.events(done) == ("unavailable",) and not unexpected:
            return "relay"
        return "reject" if unexpected and len(tuple(done.actions.operations())) == 1 else "?"
    return "?" if unexpected else "apply"


def test_matrix_has_every_phase_and_every_column() -> None:
    """The table is total: fourteen phases by seven columns."""
    assert list(MATRIX) == list(s.MEMBERS)
    assert all(list(row) == list(s.COLUMNS) for row in MATRIX.values())
    assert sum(map(len, MATRIX.values())) == 98
    assert {(phase, column) for phase, _, column, _ in cells()} == {(x, y) for x in MATRIX for y in MATRIX[x]}


@pytest.mark.parametrize(("phase", "part", "column", "number"), tuple(cells()))
def test_cell_does_what_the_law_says(phase: str, part: str, column: str, number: int) -> None:
    """An exact fact does to a member what its cell says."""
    before = before_of(phase, part)
    done = s.step(before, s.COLUMNS[column][number])
    assert done.refused is None
    assert observed(before, done) == expected(phase, part, column)


@pytest.mark.parametrize(("phase", "part", "column", "number"), tuple(cells()))
def test_cell_rejects_the_same_fact_of_a_stranger(phase: str, part: str, column: str, number: int) -> None:
    """A fact of another proxy, birth or number changes nothing, wherever it comes, and is told whole."""
    before = before_of(phase, part)
    for fact in foreign(s.COLUMNS[column][number]):
        done = s.step(before, fact)
        assert done.state is before
        assert done.actions.diagnostics() == (a.Diagnostic("unexpected-input", (fact,)),)


def foreign(fact: Any) -> Iterator[f.Fact]:
    """The same kind of fact, about a source or a number that is not this role's."""
    if hasattr(fact, "reservation"):
        yield fact._replace(reservation=s.OTHER.birth)
    if isinstance(fact, f.ProxyCommitted) or hasattr(fact, "proxy"):
        yield fact._replace(proxy=s.OTHER)
    if hasattr(fact, "ticket"):
        yield fact._replace(ticket=OperationId(9))
    if isinstance(fact, f.InputRejected):
        yield fact._replace(operation=fact.operation._replace(ticket=OperationId(9)))
    if isinstance(fact, f.ReplacementReady | f.ReplacementFailed):
        yield fact._replace(replaces=WorkerId(9))
    if isinstance(fact, f.ReplacementReady):
        yield fact._replace(worker=fact.replaces)
    if isinstance(fact, f.WorkerStopped):
        yield fact._replace(stop=fact.stop._replace(worker=WorkerId(9)))


@pytest.mark.parametrize("phase", list(MATRIX))
def test_cell_rejects_the_other_kind(phase: str) -> None:
    """An exit that knows no proxy doesn't end one, and an operation of the other kind doesn't come back as this one."""
    before = before_of(phase, parts_of(phase)[0])
    for column in MATRIX[phase]:
        for fact in s.COLUMNS[column]:
            if not belongs(phase, fact):
                done = s.step(before, fact)
                assert (done.state is before, s.kinds(done)) == (True, ("unexpected-input",))


@pytest.mark.parametrize("phase", list(MATRIX))
def test_reject_ends_a_supervisor_whose_diagnostics_terminate(phase: str) -> None:
    """Without a route the diagnostic goes to terminal settlement, and the roles that live go to the host."""
    before = before_of(phase, parts_of(phase)[0])
    fact = f.WorkerStopped(s.OTHER, s.STOP)
    done = s.step(before, fact, diagnostics=None)
    assert done.actions.terminal_diagnostics == (a.TerminalDiagnostic(a.Diagnostic("unexpected-input", (fact,))),)
    left = () if phase == "retired" else (0,)
    assert done.state == Terminated(left, "unexpected-input")
    assert len(done.actions.residual_transfers) == len(left)


@pytest.mark.parametrize("phase", [phase for phase, row in MATRIX.items() if row["unavailable"] == "relay"])
def test_relay_is_a_diagnostic_where_nobody_hears_events(phase: str) -> None:
    """Without lifecycle publication the command is not lost."""
    before = before_of(phase, parts_of(phase)[0])
    (fact,) = s.COLUMNS["unavailable"]
    done = s.step(before, fact, lifecycle=None)
    assert done.actions == a.Actions(
        diagnostic_deliveries=(a.DeliverDiagnostic("operator", a.Diagnostic("proxy-unavailable", ("a", fact))),)
    )


# -- modes ---------------------------------------------------------------------------------------------------------

MODES: dict[str, State] = {
    "operating": s.operating(s.MEMBERS["recovery-needs-outcome"]),
    "draining": s.draining(
        m.DrainingProxy(0, s.PROXY, m.IDLE, "shutdown-dispatched"), deadline=Deadline("scheduling", TimerId(1), 9)
    ),
    "stopped": Stopped(),
}
SENT = a.PublishEvent("observer", a.MemberRetired("a"))
GROUPS: dict[str, f.Fact] = {
    "status-query": f.QueryStatus("customer"),
    "capability-query": f.QueryCapability("a", "customer"),
    "shutdown": f.Shutdown(),
    "proxy-birth-exit": s.EXIT,
    "proxy-input-report": s.READY,
    "recovery-timer": f.ScheduleAccepted(s.RECOVERY, s.TIMER),
    "drain-timer": f.DeadlineAccepted(TimerId(1)),
    "delivery-settlement": f.DeliverySettled(SENT, "rejected", "closed"),
}


def mode_word(before: State, group: str, done: Transition) -> str:
    """What a step did, in the words of the mode matrix."""
    if done.refused:
        assert (done.state, done.actions) == (before, a.NO_ACTIONS)
        return done.refused
    if group.endswith("query"):
        return "answer" if done.state is before and len(done.actions.management_replies) == 1 else "?"
    if group == "shutdown":
        silent = done.state is before and done.actions == a.NO_ACTIONS
        return "repeat" if silent else "begin-drain" if done.actions.proxy_shutdowns else "?"
    if group == "delivery-settlement":
        return "settle" if done.actions == a.Actions(delivery_rejections=(a.TransferRefusal(SENT, "closed"),)) else "?"
    if group == "drain-timer":
        return "reject" if s.kinds(done) == ("unexpected-input",) and done.state is before else "apply"
    return "by-batch" if group == "recovery-timer" else "by-member"


@pytest.mark.parametrize("group", list(GROUPS))
@pytest.mark.parametrize("mode", list(MODES))
def test_mode_does_what_the_law_says(mode: str, group: str) -> None:
    """Every mode by every group of inputs does what its cell says."""
    table = s.law()["mode_matrix"]
    assert sum(map(len, table.values())) == len(MODES) * len(GROUPS) == 24
    done = s.step(MODES[mode], GROUPS[group], deadline=9)
    assert mode_word(MODES[mode], group, done) == table[mode][group]


def test_recovery_timer_belongs_to_its_exact_batch() -> None:
    """The timer of the batch is taken, any other is rejected; a drain settles what it cancelled, and once."""
    before = s.operating(s.MEMBERS["recovery-waiting"], release=m.Scheduling(s.TIMER, 15))
    assert s.step(before, f.ScheduleAccepted(s.RECOVERY, s.TIMER)).state is not before
    assert s.step(before, f.ScheduleAccepted(RecoveryId(9), s.TIMER)).state is before
    closing = s.step(before, f.Shutdown()).state
    settled = s.step(closing, f.ScheduleAccepted(s.RECOVERY, s.TIMER))
    assert settled.state is not closing
    assert settled.actions == a.NO_ACTIONS
    rang = s.step(settled.state, f.TimerElapsed(s.RECOVERY, s.TIMER, 15))
    assert rang.actions == a.NO_ACTIONS
    assert s.kinds(s.step(rang.state, f.TimerElapsed(s.RECOVERY, s.TIMER, 15))) == ("unexpected-input",)


# -- the replacement join ------------------------------------------------------------------------------------------

JOIN = s.law()["replacement_join"]
JOIN_FACTS: dict[str, f.Fact] = {
    "input-accepted": f.InputAccepted(s.PROXY, s.TICKET),
    "input-rejected": f.InputRejected(s.PROXY, s.REPLACEMENT, "refused"),
    "worker-stopped": f.WorkerStopped(s.PROXY, s.STOP),
    "outcome-ready": s.READY,
    "outcome-failed": s.FAILED,
    "proxy-exit": s.EXIT,
}


def join_cells() -> Iterator[tuple[str, str, f.ReplacementOutcome]]:
    """Every cell; a kept outcome is once a good one and once a bad one."""
    for row in JOIN:
        for fact in JOIN_FACTS:
            for kept in (s.READY, s.FAILED) if row == "needs-stop" else (s.READY,):
                yield row, fact, kept


@pytest.mark.parametrize(("row", "fact", "kept"), tuple(join_cells()))
def test_join_does_what_the_law_says(row: str, fact: str, kept: f.ReplacementOutcome) -> None:
    """Receipt, outcome and stop meet in thirty ways; each has one next need or one result."""
    assert sum(map(len, JOIN.values())) == 30
    member: Any = s.MEMBERS[f"recovery-{row}"]
    if row == "needs-stop":
        member = member._replace(response=m.OutcomeReturned(kept))
    before = s.operating(member)
    done = s.step(before, JOIN_FACTS[fact])
    cell = JOIN[row][fact]
    if cell == "reject":
        assert (done.state is before, s.kinds(done)) == (True, ("unexpected-input",))
        return
    result = s.law()["results"].get("restarted" if kept == s.READY else "proxy-failed") if cell == "close" else None
    result = result or s.law()["results"].get(cell)
    if result is None:
        assert (s.phases(done.state), done.actions) == ((f"recovery-{cell}",), a.NO_ACTIONS)
        return
    told = ["worker-stopped"] if member.stop is not None or fact == "worker-stopped" else []
    assert s.phases(done.state) == (result["phase"],)
    assert list(s.events(done)) == told + result["events"]
    assert list(s.kinds(done)) == result["diagnostics"]
    assert isinstance(done.state, Operating)
    assert done.state.batches == ()


@pytest.mark.parametrize("row", list(JOIN))
def test_lost_report_closes_the_join_without_a_stop(row: str) -> None:
    """Where the stop is missing its refused report will do; no stop is told, and the report is the host's."""
    before = s.operating(s.MEMBERS[f"recovery-{row}"])
    done = s.step(before, f.StopReportRefused(s.PROXY, s.STOP, "closed"))
    if JOIN[row]["worker-stopped"] == "reject":
        assert (done.state is before, s.kinds(done)) == (True, ("unexpected-input",))
        return
    assert done.actions.delivery_rejections == (a.TransferRefusal(s.STOP, "closed"),)
    after = JOIN[row]["worker-stopped"]
    assert s.phases(done.state) == ("online" if after == "close" else f"recovery-{after}",)
    assert s.events(done) == (("restarted",) if after == "close" else ())


# -- prerequisites, projections, eligibility -----------------------------------------------------------------------


@pytest.mark.parametrize("row", s.law()["prerequisites"], ids=lambda row: "-".join(str(each) for each in row.values()))
def test_replacement_leaves_with_all_three_needs(row: Any) -> None:
    """Readiness, timing and authorization: eight combinations, and only the last one issues, in that same step."""
    waiting = m.Waiting(0, s.PROXY, s.WORKER, s.STOP, s.PREPARED)
    member = waiting if row["readiness"] else m.AwaitingInitial(0, s.PROXY, m.AwaitingOutcome(s.TICKET), s.PREPARED)
    release: m.Release = m.Ready() if row["timing"] else m.WaitingForTimer(s.TIMER, 15)
    beside = Proxy(s.OTHER.birth)
    other = m.Online(1, beside, s.NEXT) if row["authorization"] else m.Starting(1, beside, m.Dispatched(OperationId(5)))
    last = m.Empty(2, Proxy(BirthId(8)), WorkerId(3), "ineligible", None)
    limit = 1 if row["readiness"] else 2
    done = s.step(
        s.operating(member, other, last, release=release),
        f.ExitAfterBirth(last.proxy),
        *("a", "b", "c"),
        activation_limit=limit,
    )
    issued = [each.operation for each in done.actions.proxy_replacement_inputs]
    assert issued == ([s.REPLACEMENT._replace(ticket=s.PREPARED.ticket)] if row["result"] == "issue" else [])
    assert s.phases(done.state)[0] == ("recovery-needs-receipt" if issued else m.phase_of(member))


DRAIN: dict[str, m.DrainMember] = {
    "any-drain-member": m.DrainingProxy(0, s.PROXY, m.IDLE, "awaiting-exit"),
    "drained-member": m.Drained(0, "graceful"),
}


@pytest.mark.parametrize("row", list(s.law()["projections"]))
def test_projection_shows_what_the_law_says(row: str) -> None:
    """Every state by both queries: the status, the proxy only of a ready role, and nothing is changed."""
    expect = s.law()["projections"][row]
    assert len(s.law()["projections"]) == 18
    name, _, part = row.rstrip(")").partition("(")
    before: State
    if row in DRAIN:
        before = s.draining(DRAIN[row], m.DrainingProxy(1, s.OTHER, m.IDLE, "awaiting-exit"))
    else:
        other = m.Online(1, s.OTHER, s.NEXT)
        before = s.operating(WITH_PARTS[name][part] if part else s.MEMBERS[name], other)
    shown = s.PROXY if expect["shown"] else None
    status = s.step(before, f.QueryStatus("customer"), "a", "b")
    capability = s.step(before, f.QueryCapability("a", "customer"), "a", "b")
    assert status.state is capability.state is before
    (reply,) = status.actions.management_replies
    assert isinstance(reply.answer, a.Status)
    assert reply.answer.members[0] == a.MemberStatus("a", expect["status"], shown)
    assert [each.role for each in reply.answer.members] == ["a", "b"]
    word = "ready" if shown else "unavailable"
    answer = a.Capability("a", word, shown, None if shown else expect["status"])
    assert capability.actions == a.Actions(management_replies=(a.Reply("customer", answer),))


def test_unknown_role_is_named_as_it_was_asked_for() -> None:
    """A role that nobody declared has no capability, and the name comes back."""
    done = s.step(s.operating(s.MEMBERS["online"]), f.QueryCapability("z", "customer"))
    assert done.actions.management_replies == (a.Reply("customer", a.Capability("z", "unknown-role")),)


@pytest.mark.parametrize("lifecycle", ["observer", None])
@pytest.mark.parametrize("stop", ["normal", "abnormal"])
@pytest.mark.parametrize("policy", list(s.law()["eligibility"]))
def test_eligibility_is_what_the_law_says(policy: str, stop: str, lifecycle: str | None) -> None:
    """Each policy by each way to stop asks for workers, or leaves the role empty behind its living proxy."""
    fact = f.WorkerStopped(s.PROXY, WorkerStop(s.WORKER, stop == "abnormal", 10))
    done = s.step(s.operating(s.MEMBERS["online"]), fact, eligibility=policy, lifecycle=lifecycle)
    assert isinstance(done.state, Operating)
    assert s.phases(done.state) == ("empty",)
    assert (s.kinds(done), done.state.charges) == ((), ())
    if s.law()["eligibility"][policy][stop] == "eligible":
        assert [each.roles for each in done.actions.worker_preparations] == [("a",)]
        assert s.events(done) == ()
    else:
        told = a.PublishEvent("observer", a.StopPublished("a", stop == "abnormal", 10, None))
        assert done.actions == a.Actions(lifecycle_events=(told,) if lifecycle else ())
