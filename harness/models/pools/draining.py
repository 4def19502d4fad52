"""The end of a pool's workers: every member becomes one that only ends, and is counted out by exact facts."""

from __future__ import annotations

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId
from harness.models.pools.recovery import Recoveries
from harness.models.pools.values import Worker


class Drains(Recoveries):
    """Facts about the workers of a draining pool; `draining` holds its members."""

    # -- reshaping -------------------------------------------------------------------------------------------------

    def drained_form(self, member: m.Member) -> m.DrainMember:
        """What a member becomes when the pool ends; a worker is asked to end once, and only if it wasn't yet."""
        role = member.role
        if isinstance(member, m.Creating):
            return m.DrainCreation(role, member.reservation, member.kind, member.early_stop)
        if isinstance(member, m.Recovering):
            return _drained_recovery(member)
        if isinstance(member, m.Retired):
            return m.Drained(role)
        if isinstance(member, m.DrainingPreReady | m.Quarantined | m.Stopping):
            if member.stop is not None:
                return m.Drained(role)
            if isinstance(member, m.DrainingPreReady) and not member.asked:
                return self.ask(role, member.worker, member.phase, member.outstanding)
            return m.DrainWorker(role, member.worker, member.phase, member.outstanding)
        if isinstance(member, m.Busy) and _has_stopped(member.join):
            return m.Drained(role)
        if isinstance(member, m.ActivationDispatched | m.Activating):
            self.emit(a.CancelActivation(role, member.worker.child, member.ticket))
        return self.ask(role, member.worker, m.phase_of(member), _open_work(member))

    def ask(self, role: int, worker: Worker, work: str, open_: m.Outstanding) -> m.DrainWorker:
        """One request to end."""
        self.emit(a.ShutdownWorker(role, worker))
        return m.DrainWorker(role, worker, work, open_._replace(shutdown=True))

    # -- facts while draining --------------------------------------------------------------------------------------

    def drain_member(self, role: int) -> m.DrainMember | None:
        """The member of a role, None where there is no such role."""
        drains = self.draining or []
        return drains[role] if 0 <= role < len(drains) else None

    def put_drained(self, member: m.DrainMember) -> None:
        """A member takes the place of its role."""
        if self.draining is not None:
            self.draining[member.role] = member

    def drain_birth(self, fact: f.BirthCommitted | f.BirthRejected) -> None:
        """A pending creation ends. A worker that comes into being now starts nothing and is asked to end."""
        member = self.drain_member(fact.role)
        if not isinstance(member, m.DrainCreation) or member.reservation != fact.reservation:
            return self.reject(fact)
        early = member.early_stop
        if isinstance(fact, f.BirthRejected):
            if early is not None:
                self.diagnose("contradiction", "stopped, yet never born", fact, early)
            return self.put_drained(m.Drained(fact.role))
        if fact.worker.child != member.reservation:
            return self.reject(fact)
        if early is not None and early.worker == fact.worker:
            self.diagnose("unused-activation", "stopped before its birth was known", fact)
            return self.put_drained(m.Drained(fact.role))
        if early is not None:
            self.diagnose("foreign-stop", "another birth", early)
        self.emit(a.ObserveWorkerStop(fact.role, fact.worker.child))
        return self.put_drained(self.ask(fact.role, fact.worker, "created", m.Outstanding(init=fact.attempt)))

    def drain_stop(self, fact: f.WorkerStopped) -> None:
        """The exact exit ends the member; answers that are still open stay with the host."""
        member = self.drain_member(fact.role)
        worker = fact.stop.worker
        if isinstance(member, m.DrainCreation) and member.early_stop is None and member.reservation == worker.child:
            return self.put_drained(member._replace(early_stop=fact.stop))
        if isinstance(member, m.DrainWorker) and member.worker == worker:
            return self.put_drained(m.Drained(fact.role))
        return self.reject(fact)

    def drain_settles(self, fact: f.InitAnswer | f.BeginAnswer | f.WorkerReady | f.ShutdownAnswer) -> None:
        """An open answer of a worker comes in; it leads to nothing but its own end."""
        member = self.drain_member(fact.role)
        if not isinstance(member, m.DrainWorker) or member.worker != fact.worker:
            return self.reject(fact)
        after = _without(member.outstanding, fact)
        if after == member.outstanding:
            return self.reject(fact)
        if isinstance(fact, f.WorkerReady):
            self.diagnose("stale-readiness", "late", fact)
        return self.put_drained(member._replace(outstanding=after))

    def drain_delivery(self, fact: f.DeliveryAnswer) -> None:
        """The answer to a delivery whose job has gone back already."""
        member = self.drain_member(fact.role)
        if not isinstance(member, m.DrainWorker) or not _delivers(member, fact.child, fact):
            return self.reject(fact)
        return self.put_drained(member._replace(outstanding=member.outstanding._replace(delivery=None)))

    def drain_restart(self, fact: f.RestartFact) -> None:
        """The answer to a restart timer that nobody wants any more."""
        member = self.drain_member(fact.role)
        if not isinstance(member, m.DrainSchedule) or isinstance(fact, f.TimerElapsed):
            return self.reject(fact)
        if (member.recovery, member.timer) != (fact.recovery, fact.timer):
            return self.reject(fact)
        return self.put_drained(m.Drained(fact.role))

    def drain_source(self, fact: f.SourceAnswer) -> None:
        """The worker source's answer to a replacement that nobody wants any more."""
        member = self.drain_member(fact.role)
        if not isinstance(member, m.DrainPreparation) or member.predecessor != fact.replaces:
            return self.reject(fact)
        return self.put_drained(m.Drained(fact.role))


def _drained_recovery(member: m.Recovering) -> m.DrainMember:
    phase = member.recovery
    if isinstance(phase, m.Preparing):
        return m.DrainPreparation(member.role, member.predecessor)
    if isinstance(phase, m.Scheduling):
        return m.DrainSchedule(member.role, phase.recovery, phase.timer)
    return m.Drained(member.role)


def _has_stopped(join: m.Join) -> bool:
    return isinstance(join, m.StopFirst) or (isinstance(join, m.CompletionFirst) and join.later_stop is not None)


def _open_work(member: m.Member) -> m.Outstanding:
    """What a worker's host still has to answer."""
    if isinstance(member, m.Initializing):
        return m.Outstanding(init=member.attempt)
    if isinstance(member, m.ActivationDispatched):
        return m.Outstanding(begin=member.ticket)
    if isinstance(member, m.Activating):
        return m.Outstanding(ready=member.ticket)
    if isinstance(member, m.Busy) and not isinstance(member.join, m.Delivered):
        return m.Outstanding(delivery=member.job.assignment)
    return m.Outstanding()


def _without(
    open_: m.Outstanding, fact: f.InitAnswer | f.BeginAnswer | f.WorkerReady | f.ShutdownAnswer
) -> m.Outstanding:
    """The open answers after this one; the same where it is not among them."""
    if isinstance(fact, f.ShutdownAccepted | f.ShutdownRejected):
        return open_._replace(shutdown=False)
    if isinstance(fact, f.WorkerReady):
        return open_._replace(ready=None) if open_.ready == fact.ticket else open_
    if isinstance(fact, f.BeginAccepted):
        return open_._replace(begin=None, ready=fact.ticket) if open_.begin == fact.ticket else open_
    if isinstance(fact, f.BeginRejected):
        return open_._replace(begin=None) if open_.begin == fact.ticket else open_
    return open_._replace(init=None) if open_.init == fact.attempt else open_


def _delivers(member: m.DrainWorker, child: BirthId, fact: f.DeliveryAnswer) -> bool:
    return member.worker.child == child and member.outstanding.delivery == fact.assignment
