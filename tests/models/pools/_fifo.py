"""Small FIFO pools for tests: one role in any phase, and the exact facts about it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.actions import Completed
from harness.models.pools.correlations import (
    Allocator,
    Allocators,
    BirthId,
    DispatchId,
    JobId,
    Ordinal,
    RecoveryId,
    RequestId,
    TicketId,
    TimerId,
)
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.fifo.model import FifoPool
from harness.models.pools.fifo.state import Operating, State, Transition
from harness.models.pools.timing import Budget
from harness.models.pools.values import AssignedJob, Authority, Birth, Evidence, Obligation, QueuedJob, Stop, Worker

LAW_FILE = Path(__file__).parents[2] / "data" / "laws" / "fifo-pool.yaml"

WORKER = Worker(BirthId(1), BirthId(1))
OTHER = Worker(BirthId(2), BirthId(2))
STOP = Stop(WORKER, True, 10)
AUTHORITY = Authority(DispatchId(1), WORKER.evidence)
EVIDENCE = Evidence(DispatchId(1), AUTHORITY, "done")
OWED = Obligation(JobId(1), Ordinal(1), "customer", RequestId(1))
JOB = AssignedJob(OWED, DispatchId(1), DispatchId(1), WORKER, 0)
TICKET, RECOVERY, TIMER, ATTEMPT = TicketId(1), RecoveryId(1), TimerId(1), 1
PREPARED = m.Prepared("replacement", BirthId(5), 15)
EVERYTHING = m.Outstanding(ATTEMPT, TICKET, TICKET, DispatchId(1), TIMER, True)
WAITING_FOR_TIMER = m.Recovering(0, WORKER, STOP, m.WaitingForTimer(RECOVERY, TIMER, PREPARED))
LATER = Allocators(*(Allocator(type(each.next)(6)) for each in Allocators()))
"""Allocators whose next numbers are beyond all those used here."""

MEMBERS: dict[str, m.Member] = {
    "creating": m.Creating(0, WORKER.child, Birth()),
    "initializing": m.Initializing(0, WORKER, Birth(), ATTEMPT),
    "waiting-authorization": m.WaitingForAuthorization(0, WORKER, Birth(), "permit", "plan"),
    "activation-dispatched": m.ActivationDispatched(0, WORKER, Birth(), TICKET),
    "activating": m.Activating(0, WORKER, Birth(), TICKET),
    "draining-pre-ready": m.DrainingPreReady(0, WORKER, EVERYTHING, None, True, "test", "recover"),
    "idle": m.Idle(0, WORKER),
    "busy-awaiting-both": m.Busy(0, WORKER, JOB, m.AwaitingBoth()),
    "busy-completion-first": m.Busy(0, WORKER, JOB, m.CompletionFirst(EVIDENCE)),
    "busy-stop-first": m.Busy(0, WORKER, JOB, m.StopFirst(STOP)),
    "busy-delivered": m.Busy(0, WORKER, JOB, m.Delivered()),
    "recovering": m.Recovering(0, WORKER, STOP, m.Scheduling(RECOVERY, TIMER, PREPARED)),
    "stopping": m.Stopping(0, WORKER, EVERYTHING, None, "test", "retire-role"),
    "retired": m.Retired(0, "test"),
}
"""One member in each phase of the law, about the same worker wherever there is one."""

COLUMNS: dict[str, tuple[f.Fact, ...]] = {
    "birth": (
        f.BirthCommitted(0, WORKER.child, WORKER, ATTEMPT),
        f.BirthRejected(0, WORKER.child, "refused"),
    ),
    "init": (
        f.InitReady(0, WORKER, ATTEMPT),
        f.InitRejected(0, WORKER, ATTEMPT, "refused"),
        f.InitStopped(0, WORKER, ATTEMPT),
    ),
    "activation": (f.BeginAccepted(0, WORKER, TICKET), f.BeginRejected(0, WORKER, TICKET, "refused")),
    "ready": (f.WorkerReady(0, WORKER, TICKET),),
    "stop": (f.WorkerStopped(0, STOP),),
    "assignment": (
        f.DeliveryAccepted(0, WORKER.child, DispatchId(1)),
        f.DeliveryRejected(0, WORKER.child, DispatchId(1), AUTHORITY, "refused"),
    ),
    "completion": (f.WorkerCompleted(WORKER.child, EVIDENCE),),
    "restart": (
        f.ScheduleAccepted(0, RECOVERY, TIMER),
        f.ScheduleRejected(0, RECOVERY, TIMER, "refused"),
        f.TimerElapsed(0, RECOVERY, TIMER),
    ),
}
"""The exact facts of each column, about that worker and its numbers."""


@cache
def law() -> Any:
    """The law's facts."""
    return yaml.safe_load(LAW_FILE.read_text(encoding="utf-8"))


def definition(*roles: str, **changes: Any) -> Definition:
    """A pool of these roles (one unless said): permanent recovery at once, a backlog of two, `fail`."""
    recovery = RecoveryPolicy(
        eligibility=changes.pop("eligibility", "permanent"),
        budget=changes.pop("budget", Budget(3, 100)),
        delay=changes.pop("delay", None),
        failure=changes.pop("failure", "retire-role"),
        source=changes.pop("source", True),
    )
    plain = Definition(roles or ("a",), 1, recovery, 2, "fail")
    return plain._replace(**changes)


def operating(*members: m.Member, queue: tuple[QueuedJob, ...] = (), cursor: int = 0) -> Operating:
    """An open pool with these members."""
    return Operating(members, queue, cursor, (), LATER)


def step(state: State, fact: f.Fact, *roles: str, **changes: Any) -> Transition:
    """One step of a pool defined as above."""
    return FifoPool(definition(*roles, **changes)).step(state, fact)


def queued(number: int, prior: int | None = None) -> QueuedJob:
    """A waiting job with that number."""
    return QueuedJob(Obligation(JobId(number), Ordinal(number), "customer", RequestId(number)), prior)


def submission(number: int = 9) -> f.Submit:
    """A customer's request."""
    return f.Submit(RequestId(number), RequestId(number), "customer")


def outcomes(done: Transition) -> tuple[str, ...]:
    """The terminal outcomes of a step, with their reasons."""
    found = (each.outcome for each in done.actions.terminal_customer_deliveries)
    return tuple(each.kind if isinstance(each, Completed) else f"{each.kind}/{each.reason}" for each in found)


def kinds(done: Transition) -> tuple[str, ...]:
    """The diagnostics of a step."""
    return tuple(each.kind for each in done.actions.diagnostics())


def phases(state: State) -> tuple[str, ...]:
    """The phases of an open pool's members, or the mode of one that is not open."""
    return tuple(map(m.phase_of, state.members)) if isinstance(state, Operating) else (state.mode,)
