"""Recovery of one role at a time, and the one step in which a role is lost for good."""

from __future__ import annotations

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.keyed.settling import Settling
from harness.models.pools.values import Stop, Worker

ENDING = (m.DrainingPreReady, m.Stopping)


class Losing(Settling):
    """Recovery keeps a role's bindings and jobs; its loss returns the jobs and drops the bindings at once."""

    # -- recovery --------------------------------------------------------------------------------------------------

    def recover(self, role: int, worker: Worker, stop: Stop) -> None:
        """A replacement is asked for where the policy covers this stop; the one source serves one role at a time."""
        if not self.is_eligible(stop):
            return self.retire(role, "not-eligible")
        self.put(m.Recovering(role, worker, stop, m.WaitingForSource()))
        return self.release_source()

    def release_source(self) -> None:
        """A source that is free is asked for the first role that waits for it, in declared order."""
        recovering = [each for each in self.members if isinstance(each, m.Recovering)]
        if self.draining is not None or any(isinstance(each.recovery, m.Preparing) for each in recovering):
            return
        first = next((each for each in recovering if isinstance(each.recovery, m.WaitingForSource)), None)
        if first is not None:
            self.put(first._replace(recovery=m.Preparing()))
            self.emit(a.PrepareWorker(first.role, first.predecessor))

    def source_settled(self, fact: f.SourceAnswer) -> None:
        """What the source gave is used, or told as unused; then it is free for the next role."""
        before = self.member(fact.role)
        super().source_settled(fact)
        if not _asked(before, fact):
            return
        now = self.member(fact.role)
        used = isinstance(now, m.Creating) or (isinstance(now, m.Recovering) and isinstance(now.recovery, m.Scheduling))
        if not used and not isinstance(fact, f.SourceRejected):
            self.diagnose("candidate-unused", "no recovery", fact)
        self.release_source()

    def topology_failure(self, role: int, reason: str) -> None:
        """A role that cannot come back; a replacement that was ready is told as unused."""
        self.release_candidate(self.members[role], reason)
        super().topology_failure(role, reason)

    def release_candidate(self, member: m.Member, reason: str) -> None:
        """A replacement that waits for its timer leaves whole in a diagnostic."""
        if isinstance(member, m.Recovering) and isinstance(member.recovery, m.Scheduling | m.WaitingForTimer):
            self.diagnose("candidate-unused", reason, member.recovery.prepared)

    # -- loss for good ---------------------------------------------------------------------------------------------

    def retire(self, role: int, reason: str) -> None:
        """The role ends: nothing waits for it and nothing is bound to it after this step."""
        self.close_role(role, reason)
        self.put(m.Retired(role, reason))

    def close_role(self, role: int, cause: str) -> None:
        """Its queue goes back in order, and its bindings leave the table."""
        self.return_queue(role, "role-permanently-unavailable")
        self.drop_bindings(self.keyed.roles[role], cause)

    def end_before_ready(self, role: int, worker: Worker, cause: str, after: str = "recover") -> None:
        """A worker that will not be ready is asked to end; where nothing follows it the role is lost now."""
        super().end_before_ready(role, worker, cause, after)
        if after == "retire":
            self.close_role(role, cause)

    # -- activation plans ------------------------------------------------------------------------------------------

    def put(self, member: m.Member) -> None:
        """A plan leaves its cell with the activation that begins, or in a diagnostic."""
        before = self.members[member.role]
        super().put(member)
        if isinstance(before, m.WaitingForAuthorization) and not isinstance(member, m.ActivationDispatched):
            self.diagnose("unused-activation", member.phase, before)

    def drained_form(self, member: m.Member) -> m.DrainMember:
        """A worker that waits for its activation will not be activated."""
        if isinstance(member, m.WaitingForAuthorization):
            self.diagnose("unused-activation", "pool-shutdown", member)
        return super().drained_form(member)

    def init_settled(self, fact: f.InitAnswer) -> None:
        """A start that goes well for a worker that ends gives a plan that nobody uses."""
        before = self.member(fact.role)
        super().init_settled(fact)
        settled = self.member(fact.role) is not before
        if isinstance(before, ENDING) and settled and isinstance(fact, f.InitReady):
            self.diagnose("unused-activation", "late", fact)

    def drain_settles(self, fact: f.InitAnswer | f.BeginAnswer | f.WorkerReady | f.ShutdownAnswer) -> None:
        """So does one that goes well after the end."""
        before = self.drain_member(fact.role)
        super().drain_settles(fact)
        if isinstance(fact, f.InitReady) and self.drain_member(fact.role) is not before:
            self.diagnose("unused-activation", "late", fact)

    # -- facts that the law takes otherwise ------------------------------------------------------------------------

    def worker_ready(self, fact: f.WorkerReady) -> None:
        """The readiness of a worker that ends already is out of date, and settles nothing."""
        member = self.member(fact.role)
        if isinstance(member, ENDING):
            open_ = member.outstanding
            if member.worker == fact.worker and fact.ticket in (open_.begin, open_.ready):
                return self.diagnose("stale-readiness", "late", fact)
            return self.reject(fact)
        return super().worker_ready(fact)

    def drain_source(self, fact: f.SourceAnswer) -> None:
        """A replacement that comes after the end is told as unused."""
        member = self.drain_member(fact.role)
        super().drain_source(fact)
        awaited = isinstance(member, m.DrainPreparation) and member.predecessor == fact.replaces
        if awaited and not isinstance(fact, f.SourceRejected):
            self.diagnose("candidate-unused", "late", fact)


def _asked(member: m.Member | None, fact: f.SourceAnswer) -> bool:
    """Whether an answer is the one that this role waits for."""
    if not isinstance(member, m.Recovering) or member.predecessor != fact.replaces:
        return False
    return isinstance(member.recovery, m.Preparing)
