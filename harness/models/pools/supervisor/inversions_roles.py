"""Deliberate breaches of what the law says of roles, proxies, readiness, activations and queries."""

from __future__ import annotations

from typing import Any

from harness.models.pools.correlations import BirthId
from harness.models.pools.inverting import Inversions
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.recovery import Commit
from harness.models.pools.supervisor.state import Constructed, Operating, State
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.values import OperationId, Proxy, Submission, WorkerId

INVERSIONS = Inversions()
FIRST, JOIN = "fixed-supervisor", "supervisor-replacement"


@INVERSIONS((1,), "A role that retires leaves the roster.", "roster-changed", FIRST)
class RetiredRoleLeaves(SupervisorTurn):
    """Breaks the fixed roster."""

    def state(self) -> State:
        """Nobody keeps its place."""
        after = super().state()
        if not isinstance(after, Operating):
            return after
        return after._replace(members=tuple(each for each in after.members if not isinstance(each, m.Retired)))


@INVERSIONS((1,), "The proxies are created last role first.", "created-out-of-order", FIRST)
class LastRoleFirst(SupervisorTurn):
    """Breaks the declared order."""

    def initialize(self, before: Constructed) -> None:
        """The creations are turned round."""
        super().initialize(before)
        self.lanes["proxy_creations"].reverse()


@INVERSIONS((2,), "A recovery makes new proxies.", "proxy-made-twice", FIRST)
class RecoveryMakesProxies(SupervisorTurn):
    """Breaks the stability of proxies."""

    def commit(self, pending: m.Pending, submissions: tuple[Submission, ...], commit: Commit) -> None:
        """Every participant gets a second one."""
        super().commit(pending, submissions, commit)
        for role in pending.roles:
            birth = self.reserve("birth")
            if isinstance(birth, BirthId):
                self.emit(a.CreateProxy(self.name(role), birth))


@INVERSIONS((2,), "A start is told with the worker instead of its proxy.", "capability-leaked", FIRST)
class StartNamesTheWorker(SupervisorTurn):
    """Breaks the privacy of workers."""

    def publish(self, event: a.Event) -> None:
        """The evidence leaves."""
        if isinstance(event, a.Started):
            member: Any = self.at(self.definition.roles.index(event.role))
            event = event._replace(proxy=member.worker)
        super().publish(event)


@INVERSIONS((2,), "All roles stand behind the first proxy.", "proxy-shared", FIRST)
class OneProxyForAll(SupervisorTurn):
    """Breaks the one proxy of each role."""

    def proxy_committed(self, fact: f.ProxyCommitted) -> None:
        """Whatever was born, the first one is used."""
        member = self.creating(fact.reservation)
        super().proxy_committed(fact)
        after = None if member is None else self.at(member.role)
        if isinstance(after, m.Starting):
            self.put(after._replace(proxy=Proxy(BirthId(1))))


@INVERSIONS((3, 4), "A proxy that took its first worker counts as ready.", "outcome-reconstructed", FIRST)
class ReceiptIsTheOutcome(SupervisorTurn):
    """Breaks the single outcome: readiness is put together from a receipt."""

    def input_accepted(self, fact: f.InputAccepted) -> None:
        """Some worker will be there."""
        member = self.live(fact.proxy)
        if isinstance(member, m.Starting) and member.initial == m.Dispatched(fact.ticket):
            self.put(m.Online(member.role, member.proxy, WorkerId(0)))
            return self.issue()
        return super().input_accepted(fact)


@INVERSIONS((4,), "A committed proxy is told as started.", "ready-before-report", FIRST)
class BirthIsAStart(SupervisorTurn):
    """Breaks readiness by report."""

    def proxy_committed(self, fact: f.ProxyCommitted) -> None:
        """Observers hear of it at once."""
        super().proxy_committed(fact)
        member = self.live(fact.proxy)
        if member is not None:
            self.publish(a.Started(self.name(member.role), fact.proxy))


@INVERSIONS((4, 3), "A replacement is online before its predecessor's stop.", "ready-before-report", JOIN)
class StopNeedNotBeKnown(SupervisorTurn):
    """Breaks the join of outcome and stop."""

    def join(self, member: m.Replacing) -> None:
        """The outcome alone will do."""
        if isinstance(member.response, m.OutcomeReturned):
            self.close(member, member.response.outcome)
            return self.issue()
        return super().join(member)


@INVERSIONS((4,), "A restart is told without the stop before it.", "event-differs", JOIN)
class RestartHidesTheStop(SupervisorTurn):
    """Breaks the order of lifecycle events."""

    def close(self, member: m.Replacing, outcome: f.ReplacementOutcome) -> None:
        """Only the second event leaves."""
        super().close(member, outcome)
        self.lanes["lifecycle_events"] = [
            each for each in self.lanes.get("lifecycle_events", []) if not isinstance(each.event, a.StopPublished)
        ]


@INVERSIONS((5,), "The activation limit is not looked at.", "activation-bound", FIRST)
class LimitIsForgotten(SupervisorTurn):
    """Breaks the bound."""

    def occupied(self) -> int:
        """There is always a free activation."""
        return 0


@INVERSIONS((5,), "A replacement leaves twice.", "operation-doubled", JOIN)
class ReplacementLeavesTwice(SupervisorTurn):
    """Breaks the one operation of a proxy."""

    def issue_to(self, role: int) -> None:
        """Every operation that leaves is repeated."""
        already = len(self.lanes.get("proxy_replacement_inputs", []))
        super().issue_to(role)
        for each in self.lanes.get("proxy_replacement_inputs", [])[already:]:
            self.emit(each)


@INVERSIONS((5, 8), "All operations have the same ticket.", "correlation-reissued", JOIN)
class TicketStays(SupervisorTurn):
    """Breaks the freshness of operations."""

    def fresh_operation(self) -> OperationId:
        """The allocator does not move."""
        return OperationId(1)


@INVERSIONS((9,), "A query counts as a recovery of the first role.", "query-changed-state", FIRST)
class QueryCounts(SupervisorTurn):
    """Breaks the read-only query."""

    def query_status(self, fact: f.QueryStatus) -> None:
        """Somebody counts along."""
        super().query_status(fact)
        self.admitted = [each + 1 for each in self.admitted]


@INVERSIONS((9, 11), "A query about one role has no answer.", "query-unanswered", JOIN)
class QueryIsNotAnswered(SupervisorTurn):
    """Breaks the one reply."""

    def query_capability(self, fact: f.QueryCapability) -> None:
        """Nothing leaves."""


@INVERSIONS((9, 4), "An empty role is shown as ready.", "projection-differs", FIRST)
class EmptyLooksReady(SupervisorTurn):
    """Breaks the projection."""

    def projection(self, role: int) -> tuple[str, Proxy | None]:
        """Its proxy is there, after all."""
        member = self.at(role) if self.draining is None else None
        return ("ready", member.proxy) if isinstance(member, m.Empty) else super().projection(role)
