"""The audits are able to fail: each name is given for a state or a step that is broken in that way."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import (
    BirthId,
    DispatchId,
    GenerationId,
    JobId,
    RecoveryId,
    RequestId,
    TicketId,
    TimerId,
)
from harness.models.pools.deadlines import NO_DEADLINE
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.account import audit_step
from harness.models.pools.keyed.audits import CLAIMS, audit_state
from harness.models.pools.keyed.exploring import selector_faults
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.ledger import Entry, Ledger
from harness.models.pools.keyed.state import Draining, State, Stopped, Transition
from harness.models.pools.values import Admitted, Birth, Command, Stop
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.keyed._cast import KEPT, KEPT_B, busy, idle, worker

# -- states --------------------------------------------------------------------------------------------------------

RETIRED = m.Retired(0, "test")
STATES: list[tuple[str, State]] = [
    ("RosterChanged", p.operating(idle(1), idle(0))),
    ("RosterChanged", Draining((m.Drained(1), m.Drained(0)), NO_DEADLINE, p.LATER)),
    ("QueueLocation", p.operating(busy(0, 1), busy(1, 2), queues=((p.waiting(3, role="b"),),))),
    ("QueueOrder", p.operating(busy(0, 1), busy(1, 2), queues=((p.waiting(4), p.waiting(3)),))),
    ("QueueBound", p.operating(busy(0, 1), idle(1), queues=(tuple(map(p.waiting, range(2, 6))),))),
    ("BindingBound", p.operating(idle(0), idle(1), kept=(KEPT, KEPT_B, Binding("c1", GenerationId(3), "a")))),
    ("BindingRepeated", p.operating(idle(0), idle(1), kept=(KEPT, KEPT._replace(generation=GenerationId(2))))),
    ("BindingRepeated", p.operating(idle(0), idle(1), kept=(KEPT, Binding("c1", KEPT.generation, "b")))),
    ("BindingRepeated", p.operating(idle(0), idle(1), kept=(Binding("c1", GenerationId(3), "c"),))),
    ("JobInTwoPlaces", p.operating(busy(0, 2), idle(1), queues=((p.waiting(2),),))),
    ("IdleBesideQueue", p.operating(idle(0), idle(1), queues=((p.waiting(2),),))),
    ("AssignmentRole", p.operating(busy(0, 1)._replace(job=busy(1, 1).job), idle(1))),
    ("AssignmentMisplaced", p.operating(busy(0, 1)._replace(worker=worker(3)), idle(1))),
    ("RetiredRoleBound", p.operating(RETIRED, idle(1), kept=(KEPT,))),
    ("RetiredRoleQueued", p.operating(RETIRED, idle(1), queues=((p.waiting(2),),))),
    ("WorkerShared", p.operating(idle(0), m.Idle(1, worker(0)))),
    ("ActivationLimit", p.operating(*(m.Activating(each, worker(each), Birth(), TicketId(each)) for each in (0, 1)))),
    ("ActivationUnused", p.operating(m.WaitingForAuthorization(0, worker(0), Birth(), "permit", "plan"), idle(1))),
    ("SourceShared", p.operating(*(m.Recovering(each, worker(each), p.STOP, m.Preparing()) for each in (0, 1)))),
    ("SourceShared", p.operating(m.Recovering(0, worker(0), p.STOP, m.WaitingForSource()), idle(1))),
]


@pytest.mark.parametrize(("name", "state"), STATES, ids=lambda each: each if isinstance(each, str) else "")
def test_broken_state_is_named(name: str, state: State) -> None:
    """A state that breaks one invariant is called by it."""
    assert name in set(audit_state(p.definition("a", "b"), state))


def test_sound_states_are_not_named() -> None:
    """No phase that the tests use is broken of itself."""
    for phase, member in p.MEMBERS.items():
        waits = phase == "waiting-authorization"
        found = set(audit_state(p.definition(), p.operating(member)))
        assert found == ({"ActivationUnused"} if waits else set())


# -- steps ---------------------------------------------------------------------------------------------------------

WORKER = worker(0)
ALIVE = Ledger(alive=((0, WORKER),), ready=(WORKER.child,))
ONE, TWO = GenerationId(1), GenerationId(2)
ADMITTED = Admitted(ONE, "a")
ENTRY = Entry(JobId(1), RequestId(1), ADMITTED)
RUNNING = ENTRY._replace(worker=WORKER, dispatch=DispatchId(1), delivered=True)
OPEN, CLOSED = p.operating(idle(0), idle(1)), Draining((m.Drained(0), m.Drained(1)), NO_DEADLINE, p.LATER)
NOTHING = f.Shutdown()


def given(job: int = 1, dispatch: int = 1, role: int = 0, load: int = 1) -> a.DeliverAssignment:
    command = Command(RequestId(load), p.AUTHORITY)
    return a.DeliverAssignment(role, worker(role).child, DispatchId(dispatch), command, JobId(job))


def taken(job: int, key: Any = None) -> o.DeliverAdmission:
    return o.DeliverAdmission("customer", o.Accepted(RequestId(9), JobId(job), key or Admitted(GenerationId(1), "a")))


def ended(outcome: o.TerminalOutcome) -> o.KeyedActions:
    return o.KeyedActions(terminal_customer_deliveries=(o.DeliverTerminal("customer", outcome),))


def does(**lanes: Any) -> o.KeyedActions:
    return o.KeyedActions(**{lane: (each,) for lane, each in lanes.items()})


def managed(outcome: Any) -> o.KeyedActions:
    return does(management_deliveries=o.DeliverManagement("manager", outcome))


def diagnosed(kind: str, *facts: Any) -> o.KeyedActions:
    return does(diagnostic_deliveries=a.DeliverDiagnostic("operator", a.Diagnostic("test", facts, kind)))


DONE = o.Completed(JobId(1), ADMITTED, "done")
BACK = o.ReturnedQueued(JobId(1), ADMITTED, RequestId(1), "pool-shutdown")
BROKEN_OFF = o.ReturnedAssigned(JobId(1), ADMITTED, RequestId(1), "worker-stopped")
REFUSED = o.Rejected(RequestId(9), "a1", RequestId(9), "customer", "role-backlog-full")
STOPPED = f.WorkerStopped(0, Stop(WORKER, True, 1))

STEPS: list[tuple[str, Ledger, Any, o.KeyedActions, State]] = [
    ("UnaskedOutcome", Ledger(), NOTHING, does(admission_deliveries=taken(1)), OPEN),
    ("UnaskedOutcome", Ledger(), NOTHING, managed(o.AlreadyUnbound(p.unbind())), OPEN),
    ("PayloadChanged", Ledger(), p.submission("a2"), does(admission_deliveries=o.DeliverAdmission("", REFUSED)), OPEN),
    ("PayloadChanged", Ledger(), p.unbind(), managed(o.Refused(p.rebalance("a"), "unknown-target")), OPEN),
    ("PayloadChanged", Ledger(entries=(ENTRY,)), NOTHING, ended(BACK._replace(payload=RequestId(2))), OPEN),
    ("PayloadChanged", ALIVE._replace(entries=(ENTRY,)), NOTHING, does(role_assignments=given(load=2)), OPEN),
    ("AdmittedAfterShutdown", Ledger(closed=True), p.submission(), does(admission_deliveries=taken(1)), CLOSED),
    (
        "AdmissionBound",
        Ledger(entries=(ENTRY, ENTRY._replace(job=JobId(2)))),
        p.submission(),
        does(admission_deliveries=taken(3)),
        OPEN,
    ),
    (
        "RefusedWithRoom",
        Ledger(bound=(KEPT,)),
        p.submission(),
        does(admission_deliveries=o.DeliverAdmission("", REFUSED)),
        OPEN,
    ),
    (
        "RefusedWithRoom",
        Ledger(),
        p.submission(),
        does(admission_deliveries=o.DeliverAdmission("", REFUSED._replace(reason="binding-capacity-reached"))),
        OPEN,
    ),
    (
        "BindingApart",
        Ledger(bound=(KEPT,)),
        p.submission(),
        does(admission_deliveries=taken(1, Admitted(GenerationId(2), "b"))),
        OPEN,
    ),
    ("GenerationReused", Ledger(highest=(GenerationId(3),)), p.submission(), does(admission_deliveries=taken(1)), OPEN),
    ("StaleMutation", Ledger(bound=(KEPT,)), p.unbind(), managed(o.Unbound(RequestId(8), KEPT)), OPEN),
    ("BindingLost", Ledger(bound=(KEPT,)), p.unbind(KEPT.generation), managed(o.Unbound(RequestId(8), KEPT_B)), OPEN),
    ("BindingLost", Ledger(), NOTHING, diagnosed("binding-removed", KEPT), OPEN),
    ("BindingLost", Ledger(bound=(KEPT,)), NOTHING, o.NO_ACTIONS, CLOSED),
    ("DuplicateTerminal", Ledger(), NOTHING, ended(DONE), OPEN),
    ("DuplicateTerminal", ALIVE, NOTHING, does(role_assignments=given()), OPEN),
    ("AssignmentRole", Ledger(entries=(ENTRY,)), NOTHING, ended(BACK._replace(binding=Admitted(ONE, "b"))), OPEN),
    ("StaleMutation", Ledger(entries=(ENTRY,)), NOTHING, ended(BACK._replace(binding=Admitted(TWO, "a"))), OPEN),
    ("AssignmentRole", ALIVE._replace(entries=(ENTRY,)), NOTHING, does(role_assignments=given(role=1)), OPEN),
    ("UnauthorizedCompletion", Ledger(entries=(RUNNING,)), NOTHING, ended(DONE), OPEN),
    (
        "OutcomeBeforeJoin",
        Ledger(entries=(RUNNING._replace(delivered=None, completed=True),)),
        NOTHING,
        ended(DONE),
        OPEN,
    ),
    ("OutcomeBeforeJoin", Ledger(entries=(RUNNING,)), NOTHING, ended(BROKEN_OFF), OPEN),
    ("JobInTwoPlaces", Ledger(entries=(RUNNING,)), NOTHING, ended(BACK), OPEN),
    ("JobInTwoPlaces", ALIVE._replace(entries=(RUNNING,)), NOTHING, does(role_assignments=given(dispatch=2)), OPEN),
    (
        "CorrelationReissued",
        ALIVE._replace(entries=(ENTRY,), highest=(DispatchId(4),)),
        NOTHING,
        does(role_assignments=given()),
        OPEN,
    ),
    (
        "DispatchAfterShutdown",
        ALIVE._replace(entries=(ENTRY,), closed=True),
        NOTHING,
        does(role_assignments=given()),
        CLOSED,
    ),
    (
        "AssignedBeforeReady",
        Ledger(entries=(ENTRY,), alive=((0, WORKER),)),
        NOTHING,
        does(role_assignments=given()),
        OPEN,
    ),
    (
        "DoubleAssignment",
        ALIVE._replace(entries=(RUNNING, ENTRY._replace(job=JobId(2)))),
        NOTHING,
        does(role_assignments=given(2, 2)),
        OPEN,
    ),
    (
        "DispatchedOutOfOrder",
        ALIVE._replace(entries=(ENTRY, ENTRY._replace(job=JobId(2)))),
        NOTHING,
        does(role_assignments=given(2, 2)),
        OPEN,
    ),
    ("RecoveryBeforeResolution", ALIVE, NOTHING, does(worker_preparations=a.PrepareWorker(0, WORKER)), OPEN),
    (
        "DoubledRecovery",
        Ledger(replaced=((0, WORKER),)),
        NOTHING,
        does(worker_preparations=a.PrepareWorker(0, WORKER)),
        OPEN,
    ),
    (
        "SourceShared",
        Ledger(sought=((1, worker(1)),)),
        NOTHING,
        does(worker_preparations=a.PrepareWorker(0, WORKER)),
        OPEN,
    ),
    (
        "TimerShared",
        Ledger(asks=(("timer", 0, p.RECOVERY, p.TIMER),)),
        NOTHING,
        does(restart_schedules=a.ScheduleRestart(0, RecoveryId(2), TimerId(2), 5)),
        OPEN,
    ),
    ("TimerShared", Ledger(asks=(("schedule", 0, p.RECOVERY, p.TIMER),)), NOTHING, o.NO_ACTIONS, OPEN),
    ("LateFactTookEffect", Ledger(), p.COLUMNS["restart"][0], o.NO_ACTIONS, p.operating(RETIRED, idle(1))),
    ("LateFactTookEffect", Ledger(), p.COLUMNS["activation"][0], o.NO_ACTIONS, p.operating(RETIRED, idle(1))),
    ("LateFactTookEffect", Ledger(), f.ShutdownAccepted(0, WORKER), o.NO_ACTIONS, p.operating(RETIRED, idle(1))),
    (
        "AskedTwiceToEnd",
        ALIVE._replace(asked=(WORKER.child,)),
        NOTHING,
        does(worker_shutdowns=a.ShutdownWorker(0, WORKER)),
        OPEN,
    ),
    (
        "CandidateLost",
        Ledger(replaced=((0, WORKER),)),
        NOTHING,
        does(worker_creations=a.CreateWorker(0, BirthId(3), "replacement")),
        OPEN,
    ),
    ("CandidateLost", Ledger(), NOTHING, diagnosed("candidate-unused", p.PREPARED), OPEN),
    ("CandidateLost", Ledger(candidates=((0, "replacement"),)), NOTHING, o.NO_ACTIONS, CLOSED),
    ("PlanLost", Ledger(), NOTHING, diagnosed("unused-activation", p.MEMBERS["waiting-authorization"]), OPEN),
    ("PlanLost", Ledger(plans=((0, WORKER),)), NOTHING, o.NO_ACTIONS, CLOSED),
    ("Conservation", Ledger(entries=(ENTRY,)), NOTHING, o.NO_ACTIONS, OPEN),
    ("JobKeptAfterShutdown", Ledger(entries=(ENTRY,)), NOTHING, o.NO_ACTIONS, CLOSED),
    ("RestartAfterShutdown", Ledger(), NOTHING, does(worker_creations=a.CreateWorker(0, BirthId(3), "plan")), CLOSED),
    ("LateFactTookEffect", Ledger(), STOPPED, o.NO_ACTIONS, p.operating(RETIRED, idle(1))),
    ("SilentStep", Ledger(), STOPPED, o.NO_ACTIONS, OPEN),
    ("ManagementMovedWork", Ledger(), p.unbind(), managed(o.AlreadyUnbound(p.unbind())), p.operating(RETIRED, idle(1))),
]


@pytest.mark.parametrize(("name", "ledger", "fact", "actions", "after"), STEPS, ids=[each[0] for each in STEPS])
def test_broken_step_is_named(name: str, ledger: Ledger, fact: Any, actions: o.KeyedActions, after: State) -> None:
    """A step that does what it must not, told from the ledger, is called by what it breaks."""
    kinds = {type(each): each for each in Ledger().highest} | {type(each): each for each in ledger.highest}
    whole = ledger._replace(highest=tuple(kinds.values()))
    _, names = audit_step(p.definition("a", "b"), whole, OPEN, fact, Transition(after, actions))
    assert name in names


def test_every_name_of_an_audit_is_given_somewhere() -> None:
    """No audit is there that nothing can make speak; the last two are the end of a worker and the selector's."""
    named = {each[0] for each in (*STATES, *STEPS)} | {"WorkerAbandoned", "SelectorMisused"}
    assert named == {each for each in CLAIMS if not each.endswith("Differs")}


@pytest.mark.parametrize("left", [{"making": ((0, BirthId(1)),)}, {"alive": ((0, WORKER),)}])
def test_worker_that_is_left_when_all_is_over_is_named(left: dict[str, Any]) -> None:
    """Unborn or alive, it was abandoned."""
    done = Transition(Stopped(), o.NO_ACTIONS)
    _, names = audit_step(p.definition("a", "b"), Ledger(**left), CLOSED, NOTHING, done)
    assert names == ("WorkerAbandoned",)


@pytest.mark.parametrize(
    ("fact", "asked", "faults"),
    [
        (p.submission("a2"), ["a2"], []),
        (p.submission("a2"), [], []),
        (p.submission("a2"), ["a2", "a2"], ["SelectorMisused"]),
        (p.submission("a1"), ["a1"], ["SelectorMisused"]),
        (p.rebalance("a", key="a2"), ["a2"], ["SelectorMisused"]),
        (NOTHING, ["a2"], ["SelectorMisused"]),
    ],
)
def test_use_of_the_selector_is_looked_at(fact: Any, asked: list[str], faults: list[str]) -> None:
    """Once, for the key of a submission without a binding; never otherwise."""
    assert list(selector_faults(p.operating(idle(0), idle(1), kept=(KEPT,)), fact, asked)) == faults
