"""One step of a supervisor: the mode and the kind of the fact say which rule decides, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.draining import Drains
from harness.models.pools.supervisor.state import (
    ENDED,
    Constructed,
    Draining,
    ForcedRetirement,
    Operating,
    State,
    Stopped,
    Terminated,
)
from harness.models.pools.supervisor.values import Allocators, Proxy

OPERATING: Mapping[str, str] = {
    "initialize": "reject",
    "query-status": "query_status",
    "query-capability": "query_capability",
    "shutdown": "shutdown",
    "proxy-committed": "proxy_committed",
    "proxy-fold-rejected": "proxy_rejected",
    "proxy-host-rejected": "proxy_rejected",
    "exit-before-birth": "exited_before_birth",
    "exit-after-birth": "exited_after_birth",
    "input-accepted": "input_accepted",
    "input-rejected": "input_rejected",
    "initial-ready": "initial_outcome",
    "initial-failed": "initial_outcome",
    "replacement-ready": "replacement_outcome",
    "replacement-failed": "replacement_outcome",
    "worker-stopped": "worker_stopped",
    "stop-report-refused": "stop_report_refused",
    "unavailable": "unavailable",
    "shutdown-accepted": "shutdown_settled",
    "shutdown-rejected": "shutdown_settled",
    "workers-prepared": "source_settled",
    "workers-partial": "source_settled",
    "source-rejected": "source_settled",
    "schedule-accepted": "restart_fact",
    "schedule-rejected": "restart_fact",
    "timer-elapsed": "restart_fact",
    "deadline-accepted": "reject",
    "deadline-rejected": "reject",
    "deadline-elapsed": "reject",
    "delivery-settled": "delivery_settled",
}
"""Which method takes which fact while the supervisor operates."""

DRAINING: Mapping[str, str] = {
    **OPERATING,
    "shutdown": "repeat_shutdown",
    "proxy-committed": "drain_committed",
    "proxy-fold-rejected": "drain_rejected",
    "proxy-host-rejected": "drain_rejected",
    "exit-before-birth": "drain_early_exit",
    "exit-after-birth": "drain_exit",
    "input-accepted": "drain_operation",
    "input-rejected": "drain_operation",
    "initial-ready": "drain_operation",
    "initial-failed": "drain_operation",
    "replacement-ready": "drain_operation",
    "replacement-failed": "drain_operation",
    "worker-stopped": "drain_stop",
    "stop-report-refused": "drain_stop",
    "unavailable": "drain_unavailable",
    "shutdown-accepted": "drain_shutdown",
    "shutdown-rejected": "drain_shutdown",
    "workers-prepared": "drain_source",
    "workers-partial": "drain_source",
    "source-rejected": "drain_source",
    "schedule-accepted": "drain_restart",
    "schedule-rejected": "drain_restart",
    "timer-elapsed": "drain_restart",
    "deadline-accepted": "deadline_fact",
    "deadline-rejected": "deadline_fact",
    "deadline-elapsed": "deadline_fact",
}
"""Which method takes which fact while the supervisor ends."""


class SupervisorTurn(Drains):
    """The rules of a supervisor; an inversion is a subclass that breaks one of them."""

    def __init__(self, definition: Definition, state: State) -> None:
        known = isinstance(state, Constructed | Operating | Draining)
        super().__init__(definition, state.allocators if known else Allocators())  # type: ignore[union-attr]  # known has looked
        self.before = state
        if isinstance(state, Operating):
            self.members = {each.role: each for each in state.members}
            self.batches = {each.ticket: each for each in state.batches}
            self.pending = {each.preparation: each for each in state.pending}
            self.admitted = list(state.admitted)
            self.charges = state.charges
        elif isinstance(state, Draining):
            self.draining = {each.role: each for each in state.members}
            self.deadline = state.deadline
            self.cancelled = state.cancelled
            self.sources = state.sources
            self.charges = state.charges

    def take(self, fact: f.Fact) -> bool:
        """Decide one fact; False where the supervisor takes nothing in."""
        if isinstance(self.before, Constructed):
            if not isinstance(fact, f.Initialize):
                return False
            self.initialize(self.before)
            return True
        if isinstance(self.before, ENDED):
            return False
        table = OPERATING if isinstance(self.before, Operating) else DRAINING
        rule: Callable[[Any], None] = getattr(self, table[fact.kind])
        rule(fact)
        if self.terminal is not None and self.forced is None:
            self.leave_to_host()
        return True

    def leave_to_host(self) -> None:
        """A diagnostic ended the supervisor: whoever has not ended is the host's, as it is."""
        for each in self.remaining():
            self.hand_over(each.role, each)

    def remaining(self) -> tuple[m.Member | m.DrainMember, ...]:
        """Whoever has not ended, by role."""
        if self.draining is not None:
            return self.unresolved()
        return tuple(each for each in map(self.at, self.roles) if not isinstance(each, m.Retired))

    # -- management ------------------------------------------------------------------------------------------------

    def shutdown(self, _: f.Shutdown) -> None:
        """The first shutdown."""
        self.begin_drain()

    def repeat_shutdown(self, _: f.Shutdown) -> None:
        """A shutdown of a supervisor that ends already: nothing leaves twice."""

    def query_status(self, fact: f.QueryStatus) -> None:
        """All roles as they are, in declared order."""
        lines = tuple(a.MemberStatus(self.name(role), *self.projection(role)) for role in self.roles)
        self.emit(a.Reply(fact.reply_to, a.Status(lines)))

    def query_capability(self, fact: f.QueryCapability) -> None:
        """The proxy of a ready role, or why there is none."""
        if fact.role not in self.definition.roles:
            return self.emit(a.Reply(fact.reply_to, a.Capability(fact.role, "unknown-role")))
        status, proxy = self.projection(self.definition.roles.index(fact.role))
        if proxy is not None:
            return self.emit(a.Reply(fact.reply_to, a.Capability(fact.role, "ready", proxy)))
        return self.emit(a.Reply(fact.reply_to, a.Capability(fact.role, "unavailable", None, status)))

    def projection(self, role: int) -> tuple[str, Proxy | None]:
        """What others may know of a role."""
        if self.draining is not None:
            return ("retired" if isinstance(self.draining[role], m.Drained) else "stopping"), None
        member = self.at(role)
        if isinstance(member, m.Online):
            return "ready", member.proxy
        if isinstance(member, m.PARTICIPANTS):
            return "recovering", None
        if isinstance(member, m.Starting):
            waits = isinstance(member.initial, m.WaitingForAuthorization)
            return ("waiting-for-activation-authorization" if waits else "awaiting-proxy-outcome"), None
        if isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit):
            return "creating-proxy", None
        return member.phase, None

    # -- deliveries ------------------------------------------------------------------------------------------------

    def delivery_settled(self, fact: f.DeliverySettled) -> None:
        """A refused event or reply is the host's and undoes nothing; a refused diagnostic ends the supervisor."""
        operation = fact.operation
        if operation is None:
            return self.reject(fact)
        own = {"lifecycle-events": self.definition.lifecycle, "diagnostic-deliveries": self.definition.diagnostics}
        if operation.lane in own and operation.route != own[operation.lane]:
            return self.reject(fact)
        if fact.word == "accepted":
            return None
        if isinstance(operation, a.DeliverDiagnostic):
            return self.terminate(a.Diagnostic("undeliverable", (operation.diagnostic, fact.reason)))
        return self.emit(a.TransferRefusal(operation, fact.reason))

    # -- the next state --------------------------------------------------------------------------------------------

    def state(self) -> State:
        """What the supervisor is after the step."""
        if self.forced is not None:
            return ForcedRetirement(tuple(each.role for each in self.unresolved()), *self.forced)
        if self.has_ended():
            return Stopped()
        if self.terminal is not None:
            return Terminated(tuple(each.role for each in self.remaining()), self.terminal)
        if self.draining is not None:
            members = tuple(self.draining[role] for role in self.roles)
            return Draining(members, self.deadline, self.cancelled, self.sources, self.charges, self.allocators)
        return Operating(
            tuple(self.members[role] for role in sorted(self.members)),
            tuple(self.batches[ticket] for ticket in sorted(self.batches)),
            tuple(self.pending[number] for number in sorted(self.pending)),
            tuple(self.admitted),
            self.charges,
            self.allocators,
        )
