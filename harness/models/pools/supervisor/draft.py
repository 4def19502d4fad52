"""One step while it is being decided: a draft of the roster and of the actions, and what every rule needs.

The draft lives inside one call of `step`; what comes out are values.
"""

from __future__ import annotations

from typing import Any

from harness.models.pools.correlations import Correlation, RecoveryId, reserve
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.definition import Definition, Restarts, fresh_operation
from harness.models.pools.supervisor.facts import Fact
from harness.models.pools.supervisor.timing import Charge
from harness.models.pools.supervisor.values import Allocators, OperationId, PreparationId, Proxy, WorkerStop


class Draft:
    """The roster, allocators and charges of a supervisor, and the operations decided so far."""

    def __init__(self, definition: Definition, allocators: Allocators) -> None:
        self.definition = definition
        self.allocators = allocators
        self.members: dict[int, m.Independent] = {}
        self.batches: dict[RecoveryId, m.Batch] = {}
        self.pending: dict[PreparationId, m.Pending] = {}
        self.admitted: list[int] = []
        self.charges: tuple[Charge, ...] = ()
        self.draining: dict[int, m.DrainMember] | None = None
        self.terminal: str | None = None
        self.lanes: dict[str, list[Any]] = {}

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def restarts(self) -> Restarts:
        """How roles come back; only recoveries that the policy covers ask."""
        recovery = self.definition.recovery
        if recovery is None or recovery.restarts is None:
            raise ValueError("a supervisor without restarts recovers nothing")
        return recovery.restarts

    @property
    def roles(self) -> range:
        """All roles in declared order."""
        return range(len(self.definition.roles))

    def name(self, role: int) -> str:
        """The declared name of a role."""
        return self.definition.roles[role]

    def batch_of(self, role: int) -> m.Batch | None:
        """The recovery that a role takes part in, None where it stands alone."""
        return next((batch for batch in self.batches.values() if any(p.role == role for p in batch.members)), None)

    def pending_of(self, role: int) -> m.Pending | None:
        """The recovery not yet admitted that a role was chosen for."""
        return next((each for each in self.pending.values() if role in each.roles), None)

    def at(self, role: int) -> m.Member:
        """Whatever a role is."""
        batch = self.batch_of(role)
        if batch is None:
            return self.members[role]
        return next(each for each in batch.members if each.role == role)

    def live(self, proxy: Proxy) -> m.Live | None:
        """The member that owns exactly this proxy, while it is there."""
        for role in self.roles:
            member = self.at(role)
            if isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit | m.Retired):
                continue
            if member.proxy == proxy:
                return member
        return None

    def occupied(self) -> int:
        """How many operations are unresolved."""
        return sum(m.holds_activation(self.at(role)) for role in self.roles)

    # -- deciding --------------------------------------------------------------------------------------------------

    def put(self, member: m.Member) -> None:
        """A member takes the place of its role. A participant stays in its batch; an independent one leaves it."""
        batch = self.batch_of(member.role)
        if isinstance(member, m.PARTICIPANTS):
            if batch is None:
                raise ValueError("a participant has a recovery")
            members = tuple(member if each.role == member.role else each for each in batch.members)
            self.batches[batch.ticket] = batch._replace(members=members)
            return
        if batch is not None:
            self.keep(batch._replace(members=tuple(each for each in batch.members if each.role != member.role)))
        self.members[member.role] = member

    def keep(self, batch: m.Batch) -> None:
        """A batch as it is now; without participants it is over."""
        if batch.members:
            self.batches[batch.ticket] = batch
        else:
            del self.batches[batch.ticket]

    def emit(self, operation: Any) -> None:
        """One more operation, on the lane it names."""
        self.lanes.setdefault(operation.lane.replace("-", "_"), []).append(operation)

    def reserve(self, kind: str) -> Correlation | None:
        """A fresh number of that kind; None where there is none to have."""
        reservation, after = reserve(getattr(self.allocators, kind))
        self.allocators = self.allocators._replace(**{kind: after})
        return reservation.number

    def fresh_operation(self) -> OperationId:
        """A new operation pair."""
        number, self.allocators = fresh_operation(self.allocators)
        return number

    def fresh_preparation(self) -> PreparationId:
        """A new preparation; there always is one."""
        number = PreparationId(self.allocators.preparation.next)
        following = self.allocators.preparation._replace(next=PreparationId(number + 1))
        self.allocators = self.allocators._replace(preparation=following)
        return number

    def actions(self) -> a.Actions:
        """Everything that was decided."""
        return a.Actions(**{lane: tuple(each) for lane, each in self.lanes.items()}) if self.lanes else a.NO_ACTIONS

    # -- telling ---------------------------------------------------------------------------------------------------

    def publish(self, event: a.Event) -> None:
        """A lifecycle event, where there is a route for events; otherwise none is built."""
        if self.definition.lifecycle is not None:
            self.emit(a.PublishEvent(self.definition.lifecycle, event))

    def publish_stop(self, role: int, stop: WorkerStop, recovery: RecoveryId | None) -> None:
        """A stop moves into its event."""
        self.publish(a.StopPublished(self.name(role), stop.abnormal, stop.at, recovery))

    def hand_over(self, role: int | None, *residual: Any) -> None:
        """What can't be used any more goes to the host, if there is anything."""
        if residual:
            self.emit(a.TransferResidual(None if role is None else self.name(role), residual))

    def diagnose(self, kind: str, *facts: Any) -> None:
        """One diagnostic; without a route it goes to terminal settlement, and the supervisor with it."""
        diagnostic = a.Diagnostic(kind, facts)
        if self.definition.diagnostics is not None:
            return self.emit(a.DeliverDiagnostic(self.definition.diagnostics, diagnostic))
        return self.terminate(diagnostic)

    def terminate(self, diagnostic: a.Diagnostic) -> None:
        """The diagnostic ends the supervisor once the rest of this step is kept."""
        self.emit(a.TerminalDiagnostic(diagnostic))
        self.terminal = self.terminal or diagnostic.kind

    def reject(self, fact: Fact) -> None:
        """The fact changes nothing and is told once, whole."""
        self.diagnose("unexpected-input", fact)

    # -- roles that are over ---------------------------------------------------------------------------------------

    def begin_drain(self) -> None:
        """Close, and start to end every proxy."""
        raise NotImplementedError

    def issue(self) -> None:
        """Give free activations to who waits for one."""
        raise NotImplementedError

    def fail(self, role: int, proxy: Proxy | None, cause: str) -> None:
        """A role can't go on, and its diagnostic has left: it ends alone, or everything does.

        A diagnostic that ends the supervisor leaves both to the host.
        """
        retired = m.Retired(role, cause)
        self.put(retired if proxy is None else m.Stopping(role, proxy, cause, "not-asked"))
        if self.terminal is not None:
            return
        if self.definition.failure == "stop-supervisor":
            self.begin_drain()
        elif proxy is None:
            self.retire(retired)
        else:
            self.put(m.Stopping(role, proxy, cause, "shutdown-dispatched"))
            self.emit(a.ShutdownProxy(proxy))
        self.issue()

    def retire(self, member: m.Retired) -> None:
        """The role is over while others go on."""
        self.put(member)
        self.publish(a.MemberRetired(self.name(member.role)))
