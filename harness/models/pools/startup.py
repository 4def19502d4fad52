"""The life of a directly owned worker until it is ready, and of one that ends before that.

Birth, start, authorization within the limit, activation, readiness. Nothing here knows a queue: a ready worker is
handed to `fill`, which may give it a job in the same step.
"""

from __future__ import annotations

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId, TicketId
from harness.models.pools.turn import PoolDraft
from harness.models.pools.values import Birth, Stop, Worker


class Startup(PoolDraft):
    """Facts about births, starts and activations of an operating pool."""

    def create(self, role: int, reservation: BirthId, definition: str, kind: Birth) -> None:
        """The creation leaves, and the member waits for its answer."""
        self.put(m.Creating(role, reservation, kind))
        self.emit(a.CreateWorker(role, reservation, definition))
        self.emit(a.ObserveWorkerCreation(role, reservation))

    # -- birth -----------------------------------------------------------------------------------------------------

    def birth_committed(self, fact: f.BirthCommitted) -> None:
        """The worker exists. A stop that was seen before meets its birth here, and the worker never becomes ready."""
        member = self.member(fact.role)
        if not isinstance(member, m.Creating) or not _is_birth_of(member.reservation, fact):
            return self.reject(fact)
        worker, early = fact.worker, member.early_stop
        self.emit(a.ObserveWorkerStop(fact.role, worker.child))
        if early is not None and early.worker == worker:
            open_ = m.Outstanding(init=fact.attempt)
            self.put(m.DrainingPreReady(fact.role, worker, open_, early, False, "stopped-before-birth", "recover"))
            return None
        if early is not None:
            self.diagnose("foreign-stop", "another birth", early)
        return self.put(m.Initializing(fact.role, worker, member.kind, fact.attempt))

    def birth_rejected(self, fact: f.BirthRejected) -> None:
        """No worker: the role cannot come back. A stop that was seen before contradicts that, and both are told."""
        member = self.member(fact.role)
        if not isinstance(member, m.Creating) or member.reservation != fact.reservation:
            return self.reject(fact)
        if member.early_stop is not None:
            self.diagnose("contradiction", "stopped, yet never born", fact, member.early_stop)
        return self.topology_failure(fact.role, "creation-rejected")

    # -- start -----------------------------------------------------------------------------------------------------

    def init_settled(self, fact: f.InitAnswer) -> None:
        """The result of the start, or of one whose worker is ending already."""
        member = self.member(fact.role)
        if isinstance(member, m.DrainingPreReady | m.Stopping):
            if member.worker == fact.worker and member.outstanding.init == fact.attempt:
                return self.settle(member, member.outstanding._replace(init=None))
            return self.reject(fact)
        if not isinstance(member, m.Initializing) or (member.worker, member.attempt) != (fact.worker, fact.attempt):
            return self.reject(fact)
        if isinstance(fact, f.InitReady):
            self.put(m.WaitingForAuthorization(fact.role, fact.worker, member.kind, fact.permit, fact.plan))
            return self.authorize()
        if isinstance(fact, f.InitRejected):
            return self.end_before_ready(fact.role, fact.worker, "initialization-rejected")
        return self.put(
            m.DrainingPreReady(
                fact.role, fact.worker, m.Outstanding(), None, False, "stopped-while-initializing", "recover"
            )
        )

    def end_before_ready(self, role: int, worker: Worker, cause: str, after: str = "recover") -> None:
        """A worker that exists but will not be ready is asked to end; nothing recovers while it is there."""
        self.put(m.DrainingPreReady(role, worker, m.Outstanding(shutdown=True), None, True, cause, after))
        self.emit(a.ShutdownWorker(role, worker))
        if after == "retire":
            self.return_stranded()

    # -- activation ------------------------------------------------------------------------------------------------

    def authorize(self) -> None:
        """Free places go to the waiting roles in declared order: ticket, phase and begin in one step."""
        for member in list(self.members):
            if not isinstance(member, m.WaitingForAuthorization) or self.occupied() >= self.definition.activation_limit:
                continue
            role, worker, kind, permit, plan, _ = member
            ticket = self.reserve("ticket")
            if not isinstance(ticket, TicketId):
                self.end_before_ready(role, worker, "activation-ticket-unavailable", "retire")
                continue
            self.put(m.ActivationDispatched(role, worker, kind, ticket))
            self.emit(a.BeginActivation(role, worker.child, ticket, permit, plan))

    def occupied(self) -> int:
        """How many members hold a ticket."""
        return sum(isinstance(each, m.ActivationDispatched | m.Activating) for each in self.members)

    def begin_settled(self, fact: f.BeginAnswer) -> None:
        """The activation has begun, or could not."""
        member = self.member(fact.role)
        if isinstance(member, m.DrainingPreReady | m.Stopping):
            if member.worker == fact.worker and member.outstanding.begin == fact.ticket:
                return self.settle(member, member.outstanding._replace(begin=None))
            return self.reject(fact)
        if not _holds(member, m.ActivationDispatched, fact.worker, fact.ticket):
            return self.reject(fact)
        if isinstance(fact, f.BeginAccepted):
            return self.put(m.Activating(fact.role, fact.worker, member.kind, fact.ticket))  # type: ignore[union-attr]  # _holds has looked
        self.end_before_ready(fact.role, fact.worker, "activation-rejected")
        return self.authorize()

    def worker_ready(self, fact: f.WorkerReady) -> None:
        """The exact worker is ready: its place is free again, and a waiting job is its at once."""
        member = self.member(fact.role)
        if isinstance(member, m.DrainingPreReady | m.Stopping):
            if member.worker == fact.worker and fact.ticket in (member.outstanding.begin, member.outstanding.ready):
                self.diagnose("stale-readiness", "late", fact)
                return self.settle(member, member.outstanding._replace(begin=None, ready=None))
            return self.reject(fact)
        if not _holds(member, m.Activating, fact.worker, fact.ticket):
            return self.reject(fact)
        self.put(m.Idle(fact.role, fact.worker))
        self.fill()
        return self.authorize()

    # -- a worker that ends ----------------------------------------------------------------------------------------

    def stop_before_ready(self, member: m.Member, fact: f.WorkerStopped) -> None:
        """A worker stops on its way to readiness; what its host still has to answer is waited for."""
        role, stop = fact.role, fact.stop
        if isinstance(member, m.Creating):
            return self.put(member._replace(early_stop=stop))
        if isinstance(member, m.Initializing):
            open_ = m.Outstanding(init=member.attempt)
            return self.put(m.DrainingPreReady(role, stop.worker, open_, stop, False, "stopped", "recover"))
        if isinstance(member, m.ActivationDispatched):
            open_ = m.Outstanding(begin=member.ticket)
            self.put(m.DrainingPreReady(role, stop.worker, open_, stop, False, "stopped", "recover"))
        else:
            self.recover(role, stop.worker, stop)
        return self.authorize() if self.draining is None else None

    def stop_of_ending(self, member: m.DrainingPreReady | m.Quarantined | m.Stopping, stop: Stop) -> None:
        """The awaited exit of a worker that ends."""
        after = member._replace(stop=stop)
        self.put(after)
        self.settle(after, after.outstanding)

    def shutdown_settled(self, fact: f.ShutdownAnswer) -> None:
        """The worker was told to end, or could not be; either way only its exit ends it."""
        member = self.member(fact.role)
        ending = isinstance(member, m.DrainingPreReady | m.Quarantined | m.Stopping)
        if not ending or member.worker != fact.worker or not member.outstanding.shutdown:  # type: ignore[union-attr]  # ending has looked
            return self.reject(fact)
        return self.settle(member, member.outstanding._replace(shutdown=False))  # type: ignore[union-attr,arg-type]

    def settle(self, member: m.DrainingPreReady | m.Quarantined | m.Stopping, outstanding: m.Outstanding) -> None:
        """One open answer less; with the exit and all answers in, what was to follow does."""
        self.put(member._replace(outstanding=outstanding))
        if member.stop is None or not outstanding.is_settled:
            return
        if isinstance(member, m.Quarantined):
            self.recover(member.role, member.worker, member.stop)
        elif isinstance(member, m.DrainingPreReady):
            if member.after == "recover":
                self.recover(member.role, member.worker, member.stop)
            else:
                self.retire(member.role, member.cause)
        elif member.after == "stop-pool":
            self.put(m.Retired(member.role, member.reason))
            self.begin_drain()
        else:
            self.retire(member.role, member.reason)


def _is_birth_of(reservation: BirthId, fact: f.BirthCommitted) -> bool:
    return fact.reservation == reservation and fact.worker.child == reservation


def _holds(member: m.Member | None, phase: type, worker: Worker, ticket: TicketId) -> bool:
    return (
        isinstance(member, m.ActivationDispatched | m.Activating)
        and isinstance(member, phase)
        and member.worker == worker
        and member.ticket == ticket
    )
