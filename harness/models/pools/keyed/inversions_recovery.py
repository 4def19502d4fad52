"""Deliberate breaches of the keyed pool's law, second half: settlement, recovery, loss of roles, shutdown."""

from __future__ import annotations

from typing import Any

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import joins
from harness.models.pools import members as m
from harness.models.pools.keyed.inversions import BINDINGS, RECOVERY
from harness.models.pools.keyed.inversions import INVERSIONS as INVERSIONS
from harness.models.pools.keyed.state import Waiting
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.values import AssignedJob, Evidence, Stop, Worker


@INVERSIONS((10,), "A completion settles its job before the delivery's answer is in.", "OutcomeBeforeJoin", BINDINGS)
class CompletionNeedsNoDelivery(KeyedTurn):
    """Breaks the join."""

    def decide(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """A kept completion is used at once."""
        if isinstance(decision.join, m.CompletionFirst) and decision.join.later_stop is None:
            return self.complete(member, decision.join.completion, None)
        return super().decide(member, decision, fact)


@INVERSIONS((10,), "A refused delivery needs no matching authority.", "OutcomeDiffers", BINDINGS)
class AnyAuthorityReunites(KeyedTurn):
    """Breaks the reunion of the two halves: a contradicted return is taken for a safe one."""

    def contradict(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """The job waits again as if nothing had been reported."""
        self.give_back(member, decision.stop)


@INVERSIONS((11, 13, 14), "A completed job's outcome leaves twice.", "DuplicateTerminal", BINDINGS)
class DuplicateTerminal(KeyedTurn):
    """Breaks the single outcome."""

    def complete(self, member: m.Busy, completion: Evidence, stop: Stop | None) -> None:
        """Once more before."""
        role, owed = self.definition.roles[member.role], member.job.obligation
        self.terminal(owed, a.Completed(owed.job, role, completion.result))
        super().complete(member, completion, stop)


@INVERSIONS((11, 6), "An interrupted job goes back to its customer and waits as well.", "Conservation", BINDINGS)
class RetryAlsoReturns(KeyedTurn):
    """Breaks the single place of a job."""

    def interrupt_by(self, job: AssignedJob, stop: Stop) -> None:
        """Both ways at once."""
        self.return_assigned(job, "worker-stopped")
        super().interrupt_by(job, stop)


@INVERSIONS((6,), "Interrupted jobs go to the end of their queue.", "QueueOrder", BINDINGS)
class RetryAtTheEnd(KeyedTurn):
    """Breaks the order of admission."""

    def wait_again(self, job: AssignedJob, origin: str) -> None:
        """Nobody looks at the ordinal."""
        self.queues[job.role].append(Waiting(job.obligation, origin))


@INVERSIONS((13,), "A role that retires keeps its bindings.", "RetiredRoleBound", RECOVERY)
class RetirementKeepsBindings(KeyedTurn):
    """Breaks the release of a lost role's keys."""

    def close_role(self, role: int, cause: str) -> None:
        """Only the queue goes back."""
        self.return_queue(role, "role-permanently-unavailable")


@INVERSIONS((13,), "A role that retires keeps its waiting jobs.", "RetiredRoleQueued", RECOVERY)
class RetirementKeepsQueue(KeyedTurn):
    """Breaks the answer that a lost role's jobs get."""

    def close_role(self, role: int, cause: str) -> None:
        """Only the bindings go."""
        self.drop_bindings(self.keyed.roles[role], cause)


@INVERSIONS((13,), "A role in recovery loses its bindings.", "BindingDiffers", RECOVERY)
class RecoveryDropsBindings(KeyedTurn):
    """Breaks the life of bindings through a temporary recovery."""

    def recover(self, role: int, worker: Worker, stop: Stop) -> None:
        """They go as if the role were lost."""
        self.drop_bindings(self.keyed.roles[role], "recovering")
        super().recover(role, worker, stop)


@INVERSIONS((13, 15), "Removed bindings are told to nobody.", "BindingLost", RECOVERY)
class BindingsVanish(KeyedTurn):
    """Breaks the diagnostic of every removed binding."""

    def drop_bindings(self, role: str | None, cause: str) -> None:
        """They are taken out in silence."""
        self.kept = {key: each for key, each in self.kept.items() if role not in (None, each.role)}


@INVERSIONS((13,), "Every role asks the one worker source at once.", "SourceShared", RECOVERY)
class SourceServesAll(KeyedTurn):
    """Breaks the order of recoveries."""

    def recover(self, role: int, worker: Worker, stop: Stop) -> None:
        """Nobody waits for his turn."""
        if not self.is_eligible(stop):
            return self.retire(role, "not-eligible")
        self.put(m.Recovering(role, worker, stop, m.Preparing()))
        return self.emit(a.PrepareWorker(role, worker))


@INVERSIONS((13, 10), "Recovery begins before the delivery is settled.", "RecoveryBeforeResolution", BINDINGS)
class RecoversAtOnce(KeyedTurn):
    """Breaks the order of resolution and recovery."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A replacement is asked for as soon as the stop is seen."""
        super().worker_stopped(fact)
        member = self.member(fact.role)
        if isinstance(member, m.Busy) and isinstance(member.join, m.StopFirst):
            self.emit(a.PrepareWorker(fact.role, member.worker))


@INVERSIONS((14,), "Shutdown forgets the jobs on workers.", "JobKeptAfterShutdown", RECOVERY)
class ShutdownKeepsAssigned(KeyedTurn):
    """Breaks the return of assigned jobs."""

    def return_all_assigned(self) -> None:
        """Nobody is told."""


@INVERSIONS((14,), "Shutdown forgets the workers that are being born.", "WorkerAbandoned", RECOVERY)
class ShutdownForgetsBirths(KeyedTurn):
    """Breaks the drain of pending creations."""

    def drained_form(self, member: m.Member) -> m.DrainMember:
        """A pending creation counts as ended."""
        return m.Drained(member.role) if isinstance(member, m.Creating) else super().drained_form(member)


@INVERSIONS((14,), "A replacement that waits for its timer vanishes at shutdown.", "CandidateLost", RECOVERY)
class CandidateLoss(KeyedTurn):
    """Breaks the custody of replacements."""

    def release_candidates(self) -> None:
        """Nobody gets them."""


@INVERSIONS((14,), "A replacement that is offered after shutdown is made.", "RestartAfterShutdown", RECOVERY)
class RestartAfterShutdown(KeyedTurn):
    """Breaks the end of all recovery."""

    def drain_source(self, fact: f.SourceAnswer) -> None:
        """The creation leaves all the same."""
        super().drain_source(fact)
        if isinstance(fact, f.SourcePrepared) and isinstance(self.drain_member(fact.role), m.Drained):
            number: Any = self.reserve("birth")
            self.emit(a.CreateWorker(fact.role, number, fact.definition))


@INVERSIONS((14,), "A plan that is not needed any more vanishes.", "PlanLost", RECOVERY)
class PlanVanishes(KeyedTurn):
    """Breaks the custody of activations."""

    def diagnose(self, kind: str, reason: str, *facts: Any) -> None:
        """Nobody gets it."""
        if kind != "unused-activation":
            super().diagnose(kind, reason, *facts)


@INVERSIONS((15,), "A stop that was used already retires the role.", "LateFactTookEffect", RECOVERY)
class LateStopRetires(KeyedTurn):
    """Breaks the harmlessness of late facts."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A role in recovery ends by the same stop."""
        if isinstance(self.member(fact.role), m.Recovering):
            return self.retire(fact.role, "stopped")
        return super().worker_stopped(fact)


@INVERSIONS((15,), "An end that was seen already is told as a foreign one.", "LateFactDiffers", BINDINGS)
class RepeatsAreForeign(KeyedTurn):
    """Breaks the stated diagnostic of a repeat."""

    def decide(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """It is rejected like anything else."""
        return self.reject(fact) if decision.word == "reject" else super().decide(member, decision, fact)
