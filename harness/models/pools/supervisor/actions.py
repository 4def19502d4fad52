"""What a supervisor does: named operations in closed lanes, lifecycle events, replies, and diagnostics.

The fields of `Actions` stand in the order in which they are interpreted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.models.pools.correlations import BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor.values import Operation, PreparationId, Proxy

# -- what others hear ----------------------------------------------------------------------------------------------


class Started(NamedTuple):
    """The first worker of a role is ready behind its proxy."""

    role: str
    proxy: Proxy
    kind: str = "started"


class Restarted(NamedTuple):
    """A replacement is ready behind the same proxy."""

    role: str
    proxy: Proxy
    recovery: RecoveryId
    kind: str = "restarted"


class StopPublished(NamedTuple):
    """A worker ended; `recovery` is the one that it was admitted to, None for an ineligible stop."""

    role: str
    abnormal: bool
    at: int
    recovery: RecoveryId | None
    kind: str = "worker-stopped"


class Relayed(NamedTuple):
    """A command that the proxy could not serve, whole."""

    role: str
    sender: str
    phase: str
    command: str
    kind: str = "unavailable"


class MemberRetired(NamedTuple):
    """A role is over; the diagnostic before it says why."""

    role: str
    kind: str = "member-retired"


Event = Started | Restarted | StopPublished | Relayed | MemberRetired


class MemberStatus(NamedTuple):
    """One line of a status; the proxy is there only for a ready role."""

    role: str
    status: str
    proxy: Proxy | None


class Status(NamedTuple):
    """All roles in declared order."""

    members: tuple[MemberStatus, ...]
    kind: str = "status"


class Capability(NamedTuple):
    """The answer about one role: `ready` with its proxy, `unavailable` with its status, or `unknown-role`."""

    role: str
    word: str
    proxy: Proxy | None = None
    status: str | None = None
    kind: str = "capability"


class Diagnostic(NamedTuple):
    """Something that failed or fits nothing, with the whole values it speaks of."""

    kind: str
    facts: tuple[Any, ...]


# -- operations ----------------------------------------------------------------------------------------------------


class CreateProxy(NamedTuple):
    """Make the stable proxy of a role."""

    role: str
    reservation: BirthId
    lane: str = "proxy-creations"


class ObserveProxyCreation(NamedTuple):
    """Tell how that creation ended."""

    role: str
    reservation: BirthId
    lane: str = "proxy-creation-observations"


class ObserveProxyEstablished(NamedTuple):
    """Tell the exact capability that it established."""

    role: str
    child: BirthId
    lane: str = "proxy-creation-observations"


class ObserveProxyStop(NamedTuple):
    """Tell when that proxy ends."""

    role: str
    child: BirthId
    lane: str = "proxy-stop-observations"


class PrepareWorkers(NamedTuple):
    """Ask the worker source for one replacement for each of these roles, in order."""

    preparation: PreparationId
    roles: tuple[str, ...]
    lane: str = "worker-preparations"


class InstallInput(NamedTuple):
    """Give a proxy its first worker."""

    proxy: Proxy
    operation: Operation
    lane: str = "proxy-install-inputs"


class ReplaceInput(NamedTuple):
    """Give a proxy a replacement."""

    proxy: Proxy
    operation: Operation
    lane: str = "proxy-replacement-inputs"


class ShutdownProxy(NamedTuple):
    """Ask a proxy to end. No proxy is asked twice, so that the proxy itself tells which answer belongs here."""

    proxy: Proxy
    lane: str = "proxy-shutdowns"


class ScheduleRestart(NamedTuple):
    """Start the timer that releases a recovery; `due` is a time of the clock."""

    recovery: RecoveryId
    timer: TimerId
    due: int
    lane: str = "restart-schedules"


class ScheduleDeadline(NamedTuple):
    """Start the drain timer; `after` is a number of ticks."""

    timer: TimerId
    after: int
    lane: str = "deadline-schedules"


class PublishEvent(NamedTuple):
    """Send a lifecycle event to its route."""

    route: str
    event: Event
    lane: str = "lifecycle-events"


class Reply(NamedTuple):
    """Answer a query."""

    route: str
    answer: Status | Capability
    lane: str = "management-replies"


class DeliverDiagnostic(NamedTuple):
    """Send a diagnostic to its route."""

    route: str
    diagnostic: Diagnostic
    lane: str = "diagnostic-deliveries"


class TerminalDiagnostic(NamedTuple):
    """Hand a diagnostic to terminal settlement; the supervisor ends with it."""

    diagnostic: Diagnostic
    lane: str = "terminal-diagnostics"


class TransferRefusal(NamedTuple):
    """Leave a delivery that was refused with the host, whole."""

    refused: Any
    reason: str
    lane: str = "delivery-rejections"


class TransferResidual(NamedTuple):
    """Leave with the host what the supervisor can't use or finish any more; `role` is None for no one role."""

    role: str | None
    residual: Any
    lane: str = "residual-transfers"


Delivery = PublishEvent | Reply | DeliverDiagnostic


class Actions(NamedTuple):
    """Everything that one step does; each lane keeps the order in which its operations were decided."""

    proxy_creations: tuple[CreateProxy, ...] = ()
    proxy_creation_observations: tuple[ObserveProxyCreation | ObserveProxyEstablished, ...] = ()
    proxy_stop_observations: tuple[ObserveProxyStop, ...] = ()
    worker_preparations: tuple[PrepareWorkers, ...] = ()
    proxy_install_inputs: tuple[InstallInput, ...] = ()
    proxy_replacement_inputs: tuple[ReplaceInput, ...] = ()
    proxy_shutdowns: tuple[ShutdownProxy, ...] = ()
    restart_schedules: tuple[ScheduleRestart, ...] = ()
    deadline_schedules: tuple[ScheduleDeadline, ...] = ()
    lifecycle_events: tuple[PublishEvent, ...] = ()
    management_replies: tuple[Reply, ...] = ()
    diagnostic_deliveries: tuple[DeliverDiagnostic, ...] = ()
    terminal_diagnostics: tuple[TerminalDiagnostic, ...] = ()
    delivery_rejections: tuple[TransferRefusal, ...] = ()
    residual_transfers: tuple[TransferResidual, ...] = ()

    def operations(self) -> Iterator[NamedTuple]:
        """All operations, lane by lane."""
        for lane in self:
            yield from lane

    def inputs(self) -> tuple[InstallInput | ReplaceInput, ...]:
        """What proxies are given."""
        return (*self.proxy_install_inputs, *self.proxy_replacement_inputs)

    def deliveries(self) -> tuple[Delivery, ...]:
        """Everything whose arrival somebody tells of, in the order in which it leaves."""
        return (*self.lifecycle_events, *self.management_replies, *self.diagnostic_deliveries)

    def events(self) -> tuple[Event, ...]:
        """What was published."""
        return tuple(each.event for each in self.lifecycle_events)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was diagnosed, whichever way it leaves."""
        delivered = tuple(each.diagnostic for each in self.diagnostic_deliveries)
        return (*delivered, *(each.diagnostic for each in self.terminal_diagnostics))


NO_ACTIONS = Actions()
