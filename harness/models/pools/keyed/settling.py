"""Where a keyed pool's law goes its own way with assignments: interruption, refused deliveries, late completions."""

from __future__ import annotations

from typing import Any

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import joins
from harness.models.pools import members as m
from harness.models.pools.keyed.admission import Admission
from harness.models.pools.keyed.state import Waiting
from harness.models.pools.values import AssignedJob, Authority, Evidence, Stop


class Settling(Admission):
    """Facts about assignments, inside one role's cell."""

    def worker_completed(self, fact: f.WorkerCompleted) -> None:
        """A result counts for the exact running assignment; one of a worker that has none is out of date."""
        member, done = self.member_of_child(fact.child), fact.completion
        if isinstance(member, m.Idle | m.Quarantined | m.Stopping | m.Recovering):
            worker = member.predecessor if isinstance(member, m.Recovering) else member.worker
            return self.stale(done) if done.authority.birth == worker.evidence else self.reject(fact)
        if not isinstance(member, m.Busy) or not joins.matches(member.job, done):
            return self.reject(fact)
        return self.decide(member, joins.on_completion(member.join, done), fact)

    def decide(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """The join's word; an exact end that it has already is told as a repeat."""
        if decision.word == "reject" and isinstance(fact, f.WorkerCompleted | f.WorkerStopped):
            return self.diagnose("duplicate", "seen already", fact)
        return super().decide(member, decision, fact)

    def interrupted(self, member: m.Busy, stop: Stop, completion: Evidence | None) -> None:
        """The worker ended under its job: the job is settled once, then the role's recovery is looked at."""
        self.interrupt_by(member.job, stop)
        if completion is not None:
            self.diagnose("stale-completion", "kept", completion)
        self.recover(member.role, member.worker, stop)

    def interrupt_by(self, job: AssignedJob, stop: Stop) -> None:
        """`fail` gives the job back; `retry` lets it wait for its own role, unless this very stop ends the role."""
        if self.definition.interruption == "fail":
            return self.return_assigned(job, "worker-stopped")
        if not self.is_eligible(stop):
            return self.return_assigned(job, "role-permanently-unavailable")
        return self.wait_again(job, "retried")

    def wait_again(self, job: AssignedJob, origin: str) -> None:
        """A job that a worker had goes back to its role's queue; the bound for new jobs is not asked."""
        self.enqueue(job.role, Waiting(job.obligation, origin))

    def give_back(self, member: m.Busy, stop: Stop | None) -> None:
        """The worker never had the job, so it safely waits again; the worker itself is not trusted any more."""
        role, worker, job, _, _ = member
        self.wait_again(job, "never-assigned")
        if stop is not None:
            return self.recover(role, worker, stop)
        return self.quarantine(role, worker)

    def mismatch(self, member: m.Busy, stop: Stop | None, returned: Authority) -> None:
        """What came back is not the other half: both are told, the job goes back once, and the pool ends."""
        self.return_assigned(member.job, "contradictory-assignment-settlement")
        self.diagnose("authority-mismatch", "not the kept half", member.job.token, returned)
        self.put(m.Idle(member.role, member.worker) if stop is None else m.Retired(member.role, "authority-mismatch"))
        self.begin_drain()

    # -- what the shared rules ask for -----------------------------------------------------------------------------

    def requeue(self, obligation: Any, prior: int) -> None:
        """No shared rule that is left takes a job back."""
        raise NotImplementedError

    def return_stranded(self) -> None:
        """Nothing to do: a role's jobs went back in the step that lost the role."""

    def reject(self, fact: Any, reason: str = "not-expected") -> None:
        """The input changes nothing and is told once, whole."""
        diagnostic = a.Diagnostic(reason, (fact,), "rejected-input")
        route = self.definition.diagnostics
        if route is None:
            return self.emit(a.TransferRejectedFact(diagnostic, "rejected-input-transfers"))
        return self.emit(a.DeliverDiagnostic(route, diagnostic))
