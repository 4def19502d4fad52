"""What leaves a keyed pool: its outcomes for customers and managers, and its lanes.

The fields of `KeyedActions` stand in the order in which they are interpreted: creations before what depends on them,
replies and terminal outcomes before assignments, diagnostics before forced transfers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.models.pools import actions as a
from harness.models.pools.correlations import GenerationId, JobId, RequestId
from harness.models.pools.keyed.inputs import Binding, Command
from harness.models.pools.values import Admitted

# -- admission -----------------------------------------------------------------------------------------------------


class Accepted(NamedTuple):
    """The job is taken, through that binding."""

    request: RequestId
    job: JobId
    binding: Admitted
    kind: str = "accepted"


class Rejected(NamedTuple):
    """The submission goes back whole, its own route included."""

    request: RequestId
    key: str
    payload: RequestId
    customer: str
    reason: str
    kind: str = "rejected"


AdmissionOutcome = Accepted | Rejected

# -- management ----------------------------------------------------------------------------------------------------


class BoundAbsent(NamedTuple):
    """The key had no binding and has one now."""

    request: RequestId
    current: Admitted
    kind: str = "bound-absent"


class Rebalanced(NamedTuple):
    """The key is bound to another role, under a new generation."""

    request: RequestId
    prior: Admitted
    current: Admitted
    kind: str = "rebalanced"


class RebalanceUnchanged(NamedTuple):
    """The key was bound to that role already and keeps its generation."""

    request: RequestId
    current: Admitted
    kind: str = "rebalance-unchanged"


class Unbound(NamedTuple):
    """The binding is gone and leaves whole, its key with it."""

    request: RequestId
    removed: Binding
    kind: str = "unbound"


class AlreadyUnbound(NamedTuple):
    """There was nothing to unbind, as the command expected."""

    command: Command
    kind: str = "already-unbound"


class Refused(NamedTuple):
    """The command goes back whole; `actual` is what a stale expectation met, None for no binding."""

    command: Command
    reason: str
    actual: GenerationId | None = None
    kind: str = "rejected"


ManagementOutcome = BoundAbsent | Rebalanced | RebalanceUnchanged | Unbound | AlreadyUnbound | Refused

# -- the end of a job ----------------------------------------------------------------------------------------------


class Completed(NamedTuple):
    """The job is done, through that binding; `role` is the one that had it."""

    job: JobId
    binding: Admitted
    result: str
    kind: str = "completed"

    @property
    def role(self) -> str:
        """The role that had the job."""
        return self.binding.role

    @property
    def generation(self) -> GenerationId:
        """The generation that the job was admitted through."""
        return self.binding.generation


class ReturnedQueued(NamedTuple):
    """A waiting job goes back; `role` is the one that it waited for."""

    job: JobId
    binding: Admitted
    payload: RequestId
    reason: str
    kind: str = "returned-queued"

    @property
    def role(self) -> str:
        """The role that the job waited for."""
        return self.binding.role

    @property
    def generation(self) -> GenerationId:
        """The generation that the job was admitted through."""
        return self.binding.generation


class ReturnedAssigned(NamedTuple):
    """A job that was assigned goes back; it may have been worked on."""

    job: JobId
    binding: Admitted
    payload: RequestId
    reason: str
    kind: str = "returned-assigned"

    @property
    def role(self) -> str:
        """The role that had the job."""
        return self.binding.role

    @property
    def generation(self) -> GenerationId:
        """The generation that the job was admitted through."""
        return self.binding.generation


TerminalOutcome = Completed | ReturnedQueued | ReturnedAssigned
"""Each tells the generation of the binding that its job was admitted through, and the role where the job was."""

# -- operations ----------------------------------------------------------------------------------------------------


class DeliverAdmission(NamedTuple):
    """Tell the customer whether the job was taken."""

    route: str
    outcome: AdmissionOutcome
    lane: str = "admission-deliveries"


class DeliverManagement(NamedTuple):
    """Tell the manager what became of the command."""

    route: str
    outcome: ManagementOutcome
    lane: str = "management-deliveries"


class DeliverTerminal(NamedTuple):
    """Tell the customer how the job ended."""

    route: str
    outcome: TerminalOutcome
    lane: str = "terminal-customer-deliveries"


class KeyedActions(NamedTuple):
    """Everything that one step does; each lane keeps the order in which its operations were decided."""

    worker_creations: tuple[a.CreateWorker, ...] = ()
    worker_creation_observations: tuple[a.ObserveWorkerCreation, ...] = ()
    worker_stop_observations: tuple[a.ObserveWorkerStop, ...] = ()
    worker_preparations: tuple[a.PrepareWorker, ...] = ()
    activation_begins: tuple[a.BeginActivation, ...] = ()
    activation_cancellations: tuple[a.CancelActivation, ...] = ()
    management_deliveries: tuple[DeliverManagement, ...] = ()
    admission_deliveries: tuple[DeliverAdmission, ...] = ()
    terminal_customer_deliveries: tuple[DeliverTerminal, ...] = ()
    role_assignments: tuple[a.DeliverAssignment, ...] = ()
    worker_shutdowns: tuple[a.ShutdownWorker, ...] = ()
    restart_schedules: tuple[a.ScheduleRestart, ...] = ()
    deadline_schedules: tuple[a.ScheduleDeadline, ...] = ()
    diagnostic_deliveries: tuple[a.DeliverDiagnostic, ...] = ()
    terminal_diagnostic_transfers: tuple[a.TransferDiagnostic, ...] = ()
    rejected_input_transfers: tuple[a.TransferRejectedFact, ...] = ()
    forced_drain_transfers: tuple[a.TransferResidual, ...] = ()

    def operations(self) -> Iterator[NamedTuple]:
        """All operations, lane by lane."""
        for lane in self:
            yield from lane

    def diagnostics(self) -> tuple[a.Diagnostic, ...]:
        """What was diagnosed, whichever way it leaves."""
        return (
            *(each.diagnostic for each in self.diagnostic_deliveries),
            *(each.diagnostic for each in self.terminal_diagnostic_transfers),
            *(each.diagnostic for each in self.rejected_input_transfers),
        )


NO_ACTIONS = KeyedActions()
