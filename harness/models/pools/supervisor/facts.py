"""The inputs of a supervisor. Each carries the exact source or number that it takes to belong to one role alone."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor.actions import Delivery
from harness.models.pools.supervisor.values import (
    DeliveryId,
    Operation,
    OperationId,
    PreparationId,
    Proxy,
    Submission,
    WorkerId,
    WorkerStop,
)

# -- management ----------------------------------------------------------------------------------------------------


class Initialize(NamedTuple):
    """The one transition that lets a constructed supervisor begin."""

    kind: str = "initialize"


class QueryStatus(NamedTuple):
    """Somebody wants to know how all roles are."""

    reply_to: str
    kind: str = "query-status"


class QueryCapability(NamedTuple):
    """Somebody wants the proxy of one role."""

    role: str
    reply_to: str
    kind: str = "query-capability"


class Shutdown(NamedTuple):
    """The supervisor shall end."""

    kind: str = "shutdown"


# -- proxies -------------------------------------------------------------------------------------------------------


class ProxyCommitted(NamedTuple):
    """The proxy exists."""

    reservation: BirthId
    proxy: Proxy
    kind: str = "proxy-committed"


class ProxyFoldRejected(NamedTuple):
    """No proxy was made: its first step failed."""

    reservation: BirthId
    error: str
    kind: str = "proxy-fold-rejected"


class ProxyHostRejected(NamedTuple):
    """No proxy was made: its host refused it, and its first actions were not taken."""

    reservation: BirthId
    reason: str
    kind: str = "proxy-host-rejected"


class ExitBeforeBirth(NamedTuple):
    """A proxy ended whose birth is not answered yet."""

    reservation: BirthId
    reason: str = "exited"
    kind: str = "exit-before-birth"


class ExitAfterBirth(NamedTuple):
    """A committed proxy ended."""

    proxy: Proxy
    reason: str = "exited"
    kind: str = "exit-after-birth"


class InputAccepted(NamedTuple):
    """The proxy has the operation."""

    proxy: Proxy
    ticket: OperationId
    kind: str = "input-accepted"


class InputRejected(NamedTuple):
    """The proxy never had the operation, which comes back whole; `word` is rejected, corrupt or not-attempted."""

    proxy: Proxy
    operation: Operation
    reason: str
    word: str = "rejected"
    kind: str = "input-rejected"


class InitialReady(NamedTuple):
    """The proxy's first worker is ready."""

    proxy: Proxy
    worker: WorkerId
    kind: str = "initial-ready"


class InitialFailed(NamedTuple):
    """The proxy's first worker is not to be."""

    proxy: Proxy
    reason: str
    kind: str = "initial-failed"


class ReplacementReady(NamedTuple):
    """The worker that replaces another is ready."""

    proxy: Proxy
    replaces: WorkerId
    worker: WorkerId
    kind: str = "replacement-ready"


class ReplacementFailed(NamedTuple):
    """The replacement of a worker is not to be."""

    proxy: Proxy
    replaces: WorkerId
    reason: str
    kind: str = "replacement-failed"


class WorkerStopped(NamedTuple):
    """A worker ended behind its proxy."""

    proxy: Proxy
    stop: WorkerStop
    kind: str = "worker-stopped"


class StopReportRefused(NamedTuple):
    """The report of a stop was refused on its way; the host has it."""

    proxy: Proxy
    stop: WorkerStop
    reason: str
    kind: str = "stop-report-refused"


class Unavailable(NamedTuple):
    """A command that the proxy could not serve."""

    proxy: Proxy
    sender: str
    phase: str
    command: str
    kind: str = "unavailable"


class ShutdownAccepted(NamedTuple):
    """The proxy knows that it shall end."""

    proxy: Proxy
    kind: str = "shutdown-accepted"


class ShutdownRejected(NamedTuple):
    """The proxy could not be told to end."""

    proxy: Proxy
    reason: str
    kind: str = "shutdown-rejected"


# -- recovery and drain --------------------------------------------------------------------------------------------


class WorkersPrepared(NamedTuple):
    """The source gives a replacement for every role it was asked for."""

    preparation: PreparationId
    submissions: tuple[Submission, ...]
    kind: str = "workers-prepared"


class WorkersPartial(NamedTuple):
    """The source gave up at one role: what it had made before, and the roles it didn't come to."""

    preparation: PreparationId
    prefix: tuple[Submission, ...]
    refused: str
    reason: str
    remaining: tuple[str, ...]
    kind: str = "workers-partial"


class SourceRejected(NamedTuple):
    """The source gives nothing."""

    preparation: PreparationId
    reason: str
    kind: str = "source-rejected"


class ScheduleAccepted(NamedTuple):
    """The restart timer runs."""

    recovery: RecoveryId
    timer: TimerId
    kind: str = "schedule-accepted"


class ScheduleRejected(NamedTuple):
    """The restart timer was refused."""

    recovery: RecoveryId
    timer: TimerId
    reason: str
    kind: str = "schedule-rejected"


class TimerElapsed(NamedTuple):
    """The restart timer went off; `at` is the interpreter's own clock."""

    recovery: RecoveryId
    timer: TimerId
    at: int
    kind: str = "timer-elapsed"


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
    """The drain timer went off; `at` is the interpreter's own clock."""

    timer: TimerId
    at: int
    kind: str = "deadline-elapsed"


class DeliverySettled(NamedTuple):
    """How an event, a reply or a diagnostic left: `word` is accepted, rejected, corrupt or not-attempted.

    `operation` is what left under the ticket, whole; None where the ticket is not open, as for one that is told again.
    """

    operation: Delivery | None
    word: str
    reason: str = ""
    ticket: DeliveryId = DeliveryId(0)
    kind: str = "delivery-settled"


BirthAnswer = ProxyCommitted | ProxyFoldRejected | ProxyHostRejected
InitialOutcome = InitialReady | InitialFailed
ReplacementOutcome = ReplacementReady | ReplacementFailed
SourceAnswer = WorkersPrepared | WorkersPartial | SourceRejected
RestartFact = ScheduleAccepted | ScheduleRejected | TimerElapsed
DeadlineFact = DeadlineAccepted | DeadlineRejected | DeadlineElapsed
ShutdownAnswer = ShutdownAccepted | ShutdownRejected

Fact = (
    Initialize
    | QueryStatus
    | QueryCapability
    | Shutdown
    | BirthAnswer
    | ExitBeforeBirth
    | ExitAfterBirth
    | InputAccepted
    | InputRejected
    | InitialOutcome
    | ReplacementOutcome
    | WorkerStopped
    | StopReportRefused
    | Unavailable
    | ShutdownAnswer
    | SourceAnswer
    | RestartFact
    | DeadlineFact
    | DeliverySettled
)
