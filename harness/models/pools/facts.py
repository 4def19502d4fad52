"""The inputs of a pool. Each carries what it takes to tell the one fact that is meant from every other."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import BirthId, DispatchId, RecoveryId, RequestId, TicketId, TimerId
from harness.models.pools.values import Authority, Evidence, Stop, Worker


class Initialize(NamedTuple):
    """The one transition that lets a constructed pool begin."""

    kind: str = "initialize"


class Submit(NamedTuple):
    """A customer hands in a job."""

    request: RequestId
    payload: RequestId
    customer: str
    kind: str = "submit"


class Shutdown(NamedTuple):
    """The pool shall end."""

    kind: str = "shutdown"


class BirthCommitted(NamedTuple):
    """The worker exists; `attempt` names its start, whose result is open."""

    role: int
    reservation: BirthId
    worker: Worker
    attempt: int
    kind: str = "birth-committed"


class BirthRejected(NamedTuple):
    """No worker was made."""

    role: int
    reservation: BirthId
    reason: str
    kind: str = "birth-rejected"


class InitReady(NamedTuple):
    """The start went well: here are the permit and the plan for the activation."""

    role: int
    worker: Worker
    attempt: int
    permit: str = "permit"
    plan: str = "plan"
    kind: str = "init-ready"


class InitRejected(NamedTuple):
    """The start's effects were refused; the worker exists all the same."""

    role: int
    worker: Worker
    attempt: int
    reason: str
    kind: str = "init-rejected"


class InitStopped(NamedTuple):
    """The worker chose to stop while it started; its exit follows."""

    role: int
    worker: Worker
    attempt: int
    kind: str = "init-stopped"


class BeginAccepted(NamedTuple):
    """The activation has begun."""

    role: int
    worker: Worker
    ticket: TicketId
    kind: str = "begin-accepted"


class BeginRejected(NamedTuple):
    """The activation could not begin; the request comes back."""

    role: int
    worker: Worker
    ticket: TicketId
    reason: str
    kind: str = "begin-rejected"


class WorkerReady(NamedTuple):
    """The activation is over: the worker can have jobs."""

    role: int
    worker: Worker
    ticket: TicketId
    kind: str = "worker-ready"


class WorkerStopped(NamedTuple):
    """The worker ended."""

    role: int
    stop: Stop
    kind: str = "worker-stopped"


class DeliveryAccepted(NamedTuple):
    """The worker has the assignment."""

    role: int
    child: BirthId
    assignment: DispatchId
    kind: str = "delivery-accepted"


class DeliveryRejected(NamedTuple):
    """The worker never got the assignment; its authority comes back."""

    role: int
    child: BirthId
    assignment: DispatchId
    returned: Authority
    reason: str
    kind: str = "delivery-rejected"


class WorkerCompleted(NamedTuple):
    """A child says that an assignment is done."""

    child: BirthId
    completion: Evidence
    kind: str = "worker-completed"


class SourcePrepared(NamedTuple):
    """The worker source gives a replacement for `replaces`."""

    role: int
    replaces: Worker
    definition: str
    kind: str = "source-prepared"


class SourcePartial(NamedTuple):
    """The worker source gave up at one role; what it had prepared before (`prefix`) comes back."""

    role: int
    replaces: Worker
    prefix: tuple[str, ...]
    reason: str
    kind: str = "source-partial"


class SourceRejected(NamedTuple):
    """The worker source gives nothing."""

    role: int
    replaces: Worker
    reason: str
    kind: str = "source-rejected"


class ScheduleAccepted(NamedTuple):
    """The restart timer runs."""

    role: int
    recovery: RecoveryId
    timer: TimerId
    kind: str = "schedule-accepted"


class ScheduleRejected(NamedTuple):
    """The restart timer was refused."""

    role: int
    recovery: RecoveryId
    timer: TimerId
    reason: str
    kind: str = "schedule-rejected"


class TimerElapsed(NamedTuple):
    """The restart timer went off."""

    role: int
    recovery: RecoveryId
    timer: TimerId
    kind: str = "timer-elapsed"


class ShutdownAccepted(NamedTuple):
    """The worker knows that it shall end."""

    role: int
    worker: Worker
    kind: str = "shutdown-accepted"


class ShutdownRejected(NamedTuple):
    """The worker could not be told to end."""

    role: int
    worker: Worker
    reason: str
    kind: str = "shutdown-rejected"


class DeadlineAccepted(NamedTuple):
    """The drain timer runs."""

    timer: TimerId
    kind: str = "deadline-accepted"


class DeadlineRejected(NamedTuple):
    """The drain timer was refused."""

    timer: TimerId
    reason: str
    kind: str = "deadline-rejected"


class DeadlineElapsed(NamedTuple):
    """The drain timer went off."""

    timer: TimerId
    at: int
    kind: str = "deadline-elapsed"


Fact = (
    Initialize
    | Submit
    | Shutdown
    | BirthCommitted
    | BirthRejected
    | InitReady
    | InitRejected
    | InitStopped
    | BeginAccepted
    | BeginRejected
    | WorkerReady
    | WorkerStopped
    | DeliveryAccepted
    | DeliveryRejected
    | WorkerCompleted
    | SourcePrepared
    | SourcePartial
    | SourceRejected
    | ScheduleAccepted
    | ScheduleRejected
    | TimerElapsed
    | ShutdownAccepted
    | ShutdownRejected
    | DeadlineAccepted
    | DeadlineRejected
    | DeadlineElapsed
)

InitAnswer = InitReady | InitRejected | InitStopped
BeginAnswer = BeginAccepted | BeginRejected
DeliveryAnswer = DeliveryAccepted | DeliveryRejected
SourceAnswer = SourcePrepared | SourcePartial | SourceRejected
RestartFact = ScheduleAccepted | ScheduleRejected | TimerElapsed
ShutdownAnswer = ShutdownAccepted | ShutdownRejected
