"""What a pool does: named operations in closed lanes, the outcomes a customer gets, and the diagnostics.

The fields of `Actions` stand in the order in which they are interpreted: creations before what depends on them,
admission and terminal outcomes before assignments, diagnostics before forced transfers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.models.pools.correlations import BirthId, DispatchId, JobId, RecoveryId, RequestId, TicketId, TimerId
from harness.models.pools.values import Command, Evidence, Worker

# -- outcomes ------------------------------------------------------------------------------------------------------


class Accepted(NamedTuple):
    """The job is taken."""

    request: RequestId
    job: JobId
    kind: str = "accepted"


class Rejected(NamedTuple):
    """The submission goes back whole."""

    request: RequestId
    payload: RequestId
    reason: str
    kind: str = "rejected"


class Completed(NamedTuple):
    """The job is done."""

    job: JobId
    role: str
    result: str
    kind: str = "completed"


class ReturnedQueued(NamedTuple):
    """A waiting job goes back."""

    job: JobId
    payload: RequestId
    reason: str
    kind: str = "returned-queued"


class ReturnedAssigned(NamedTuple):
    """A job that was assigned goes back; it may have been worked on."""

    job: JobId
    role: str
    payload: RequestId
    reason: str
    kind: str = "returned-assigned"


AdmissionOutcome = Accepted | Rejected
TerminalOutcome = Completed | ReturnedQueued | ReturnedAssigned

# -- operations ----------------------------------------------------------------------------------------------------


class CreateWorker(NamedTuple):
    """Make the worker of a role."""

    role: int
    reservation: BirthId
    definition: str
    lane: str = "worker-creations"


class ObserveWorkerCreation(NamedTuple):
    """Tell how that creation ended."""

    role: int
    reservation: BirthId
    lane: str = "worker-creation-observations"


class ObserveWorkerStop(NamedTuple):
    """Tell when that child ends."""

    role: int
    child: BirthId
    lane: str = "worker-stop-observations"


class PrepareWorker(NamedTuple):
    """Ask the worker source for a replacement."""

    role: int
    replaces: Worker
    lane: str = "worker-preparations"


class BeginActivation(NamedTuple):
    """Begin the activation; the permit and the plan move with it."""

    role: int
    child: BirthId
    ticket: TicketId
    permit: str
    plan: str
    lane: str = "activation-begins"


class CancelActivation(NamedTuple):
    """The activation is not wanted any more."""

    role: int
    child: BirthId
    ticket: TicketId
    lane: str = "activation-cancellations"


class DeliverAdmission(NamedTuple):
    """Tell the customer whether the job was taken."""

    route: str
    outcome: AdmissionOutcome
    lane: str = "admission-deliveries"


class DeliverTerminal(NamedTuple):
    """Tell the customer how the job ended."""

    route: str
    outcome: TerminalOutcome
    lane: str = "terminal-customer-deliveries"


class DeliverAssignment(NamedTuple):
    """Give a worker its job."""

    role: int
    child: BirthId
    assignment: DispatchId
    command: Command
    job: JobId
    lane: str = "worker-assignments"


class ShutdownWorker(NamedTuple):
    """Ask a worker to end."""

    role: int
    worker: Worker
    lane: str = "worker-shutdowns"


class ScheduleRestart(NamedTuple):
    """Start the timer of a delayed restart; `due` is a time of the clock."""

    role: int
    recovery: RecoveryId
    timer: TimerId
    due: int
    lane: str = "restart-schedules"


class ScheduleDeadline(NamedTuple):
    """Start the drain timer; `after` is a number of ticks."""

    timer: TimerId
    after: int
    lane: str = "deadline-schedules"


class Diagnostic(NamedTuple):
    """Something that changed nothing, or that two facts contradict: the whole facts, and why."""

    reason: str
    facts: tuple[Any, ...]
    kind: str


class DeliverDiagnostic(NamedTuple):
    """Send a diagnostic to its route."""

    route: str
    diagnostic: Diagnostic
    lane: str = "diagnostic-deliveries"


class TransferDiagnostic(NamedTuple):
    """Leave a diagnostic in custody."""

    diagnostic: Diagnostic
    lane: str = "terminal-diagnostic-transfers"


class TransferRejectedFact(NamedTuple):
    """Leave a fact that was not taken in custody."""

    diagnostic: Diagnostic
    lane: str = "rejected-fact-transfers"


class TransferResidual(NamedTuple):
    """Leave what a forced drain could not end in custody, as it is."""

    residual: Any
    cause: str
    lane: str = "forced-drain-transfers"


class Actions(NamedTuple):
    """Everything that one step does; each lane keeps the order in which its operations were decided."""

    worker_creations: tuple[CreateWorker, ...] = ()
    worker_creation_observations: tuple[ObserveWorkerCreation, ...] = ()
    worker_stop_observations: tuple[ObserveWorkerStop, ...] = ()
    worker_preparations: tuple[PrepareWorker, ...] = ()
    activation_begins: tuple[BeginActivation, ...] = ()
    activation_cancellations: tuple[CancelActivation, ...] = ()
    admission_deliveries: tuple[DeliverAdmission, ...] = ()
    terminal_customer_deliveries: tuple[DeliverTerminal, ...] = ()
    worker_assignments: tuple[DeliverAssignment, ...] = ()
    worker_shutdowns: tuple[ShutdownWorker, ...] = ()
    restart_schedules: tuple[ScheduleRestart, ...] = ()
    deadline_schedules: tuple[ScheduleDeadline, ...] = ()
    diagnostic_deliveries: tuple[DeliverDiagnostic, ...] = ()
    terminal_diagnostic_transfers: tuple[TransferDiagnostic, ...] = ()
    rejected_fact_transfers: tuple[TransferRejectedFact, ...] = ()
    forced_drain_transfers: tuple[TransferResidual, ...] = ()

    def operations(self) -> Iterator[NamedTuple]:
        """All operations, lane by lane."""
        for lane in self:
            yield from lane

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was diagnosed, whichever way it leaves."""
        return (
            *(each.diagnostic for each in self.diagnostic_deliveries),
            *(each.diagnostic for each in self.terminal_diagnostic_transfers),
            *(each.diagnostic for each in self.rejected_fact_transfers),
        )


NO_ACTIONS = Actions()


class ReportCompletion(NamedTuple):
    """The worker's own lane: it uses its authority up and reports to its parent, who may be closed."""

    child: BirthId
    completion: Evidence
    lane: str = "parent-completion-reports"
