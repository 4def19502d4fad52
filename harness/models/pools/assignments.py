"""Settling what a worker was given: the delivery's answer, the completion and the stop, in whatever order they come."""

from __future__ import annotations

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import joins
from harness.models.pools import members as m
from harness.models.pools.startup import Startup
from harness.models.pools.turn import is_current
from harness.models.pools.values import AssignedJob, Authority, Evidence, Stop, Worker


class Assignments(Startup):
    """Facts about assignments of an operating pool."""

    # -- the three facts -------------------------------------------------------------------------------------------

    def delivery_settled(self, fact: f.DeliveryAnswer) -> None:
        """The worker has the assignment, or never got it."""
        member = self.member(fact.role)
        if isinstance(member, m.Stopping):
            if member.worker.child == fact.child and member.outstanding.delivery == fact.assignment:
                return self.settle(member, member.outstanding._replace(delivery=None))
            return self.reject(fact)
        if not isinstance(member, m.Busy) or not is_current(member, fact.child, fact.assignment):
            return self.reject(fact)
        if isinstance(fact, f.DeliveryAccepted):
            return self.decide(member, joins.on_delivery_accepted(member.join), fact)
        decision = joins.on_delivery_rejected(member.join)
        if decision.word == "return" and not joins.reunites(member.job, fact.returned):
            return self.mismatch(member, decision.stop, fact.returned)
        return self.decide(member, decision, fact)

    def worker_completed(self, fact: f.WorkerCompleted) -> None:
        """A child reports a result: only the exact assignment of that very worker is done by it."""
        member = self.member_of_child(fact.child)
        if member is None or isinstance(member, m.Recovering | m.Stopping):
            return self.stale(fact.completion)
        if not isinstance(member, m.Busy) or not joins.matches(member.job, fact.completion):
            return self.reject(fact)
        return self.decide(member, joins.on_completion(member.join, fact.completion), fact)

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A worker ended; only the exact worker of the role counts, and only once."""
        member = self.member(fact.role)
        stop = fact.stop
        if isinstance(member, m.Creating):
            is_early = member.early_stop is None and stop.worker.child == member.reservation
            return self.stop_before_ready(member, fact) if is_early else self.reject(fact)
        if member is None or isinstance(member, m.Recovering | m.Retired) or member.worker != stop.worker:
            return self.reject(fact)
        if isinstance(member, m.DrainingPreReady | m.Quarantined | m.Stopping):
            return self.stop_of_ending(member, stop) if member.stop is None else self.reject(fact)
        if isinstance(member, m.Idle):
            return self.recover(fact.role, stop.worker, stop)
        if isinstance(member, m.Busy):
            return self.decide(member, joins.on_stop(member.join, stop), fact)
        return self.stop_before_ready(member, fact)

    # -- what the join decided -------------------------------------------------------------------------------------

    def decide(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """Do what the join says."""
        if decision.join is not None:
            return self.put(member._replace(join=decision.join))
        if decision.word == "complete" and decision.completion is not None:
            return self.complete(member, decision.completion, decision.stop)
        if decision.word == "interrupt" and decision.stop is not None:
            return self.interrupted(member, decision.stop, decision.completion)
        if decision.word == "return":
            return self.give_back(member, decision.stop)
        if decision.word == "contradict":
            return self.contradict(member, decision, fact)
        return self.reject(fact)

    def complete(self, member: m.Busy, completion: Evidence, stop: Stop | None) -> None:
        """The job is done: its one outcome leaves, and the worker is free for the next unless it has stopped."""
        role, owed = self.definition.roles[member.role], member.job.obligation
        self.terminal(owed, a.Completed(owed.job, role, completion.result))
        self.release(member, stop)

    def release(self, member: m.Busy, stop: Stop | None) -> None:
        """The member has no job any more."""
        if stop is not None:
            return self.recover(member.role, member.worker, stop)
        self.put(m.Idle(member.role, member.worker))
        return self.fill()

    def interrupted(self, member: m.Busy, stop: Stop, completion: Evidence | None) -> None:
        """The worker ended under its job: the job is settled once, then the role's recovery is looked at."""
        role, worker, job, _, _ = member
        self.put(m.Recovering(role, worker, stop, m.Preparing()))
        self.interrupt(job)
        if completion is not None:
            self.diagnose("stale-completion", "kept", completion)
        self.recover(role, worker, stop)
        if self.draining is None:
            self.fill()

    def interrupt(self, job: AssignedJob) -> None:
        """`fail` gives the job back; `retry` lets it wait again, in the order of its admission."""
        if self.definition.interruption == "fail":
            self.return_assigned(job, "worker-stopped")
        else:
            self.requeue(job.obligation, job.role)

    def give_back(self, member: m.Busy, stop: Stop | None) -> None:
        """The worker never had the job, so it can safely wait again; the worker itself is not trusted any more."""
        role, worker, job, _, _ = member
        self.requeue(job.obligation, role)
        if stop is not None:
            self.recover(role, worker, stop)
        else:
            self.quarantine(role, worker)
        if self.draining is None:
            self.fill()
            self.return_stranded()

    def quarantine(self, role: int, worker: Worker) -> None:
        """Ask the worker to end; its exit and its answer, in either order, lead to recovery."""
        self.put(m.Quarantined(role, worker, m.Outstanding(shutdown=True), None))
        self.emit(a.ShutdownWorker(role, worker))

    # -- facts that contradict each other --------------------------------------------------------------------------

    def contradict(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """Completed and yet never delivered: the job goes back, both facts are kept, and the pool ends."""
        self.return_assigned(member.job, "contradictory-assignment-settlement")
        self.diagnose("contradiction", "completed, yet never delivered", fact, decision.completion)
        if decision.stop is not None:
            self.put(m.Retired(member.role, "contradiction"))
        else:
            self.put(m.Idle(member.role, member.worker))
        self.begin_drain()

    def mismatch(self, member: m.Busy, stop: Stop | None, returned: Authority) -> None:
        """What came back is not the other half: neither is used again, the job goes back, and the role ends."""
        role, worker, job, _, _ = member
        self.return_assigned(job, "contradictory-assignment-settlement")
        self.diagnose("authority-mismatch", "not the kept half", job.token, returned)
        if stop is not None:
            return self.topology_failure(role, "authority-mismatch")
        after = self.recovery.failure
        self.put(m.Stopping(role, worker, m.Outstanding(shutdown=True), None, "authority-mismatch", after))
        self.emit(a.ShutdownWorker(role, worker))
        return self.return_stranded()
