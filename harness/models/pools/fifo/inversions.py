"""Deliberate breaches of the FIFO pool's law, at least one for each claim.

Each replaces one rule of the model. Audits and oracle stay as they are, and one of them has to name the violation.
"""

from __future__ import annotations

from typing import Any

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import joins
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId, Correlation
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.inverting import Inversions
from harness.models.pools.values import AssignedJob, Birth, Evidence, Obligation, QueuedJob, Stop

INVERSIONS = Inversions()
CUSTOMER, RECOVERY = "fifo-pool", "fifo-recovery"


@INVERSIONS((1,), "A role that retires moves to the end of the ring.", "roster-changed", RECOVERY)
class RetiredRoleMovesBack(FifoTurn):
    """Breaks the declared order."""

    def retire(self, role: int, reason: str) -> None:
        """The cell leaves its place."""
        super().retire(role, reason)
        self.members.append(self.members.pop(role))


@INVERSIONS((2,), "A replacement gets the number of the worker that it replaces.", "correlation-reissued", CUSTOMER)
class ReplacementReusesBirth(FifoTurn):
    """Breaks the freshness of workers."""

    def create(self, role: int, reservation: BirthId, definition: str, kind: Birth) -> None:
        """The predecessor's evidence is taken for a reservation."""
        super().create(role, kind.replaces or reservation, definition, kind)


@INVERSIONS((2, 10), "Dispatches are all given the same number.", "correlation-reissued", CUSTOMER)
class DispatchNumberStays(FifoTurn):
    """Breaks the freshness of assignments."""

    def reserve(self, kind: str) -> Correlation | None:
        """The dispatch allocator does not move."""
        kept = self.allocators.dispatch
        number = super().reserve(kind)
        self.allocators = self.allocators._replace(dispatch=kept)
        return number


@INVERSIONS((3,), "A result names the worker itself to the customer.", "capability-leaked", CUSTOMER)
class CustomerLearnsTheWorker(FifoTurn):
    """Breaks the privacy of workers."""

    def terminal(self, obligation: Obligation, outcome: a.TerminalOutcome) -> None:
        """The role of a completion becomes the worker that did it."""
        if isinstance(outcome, a.Completed):
            member: Any = self.members[self.definition.roles.index(outcome.role)]
            outcome = a.Completed(outcome.job, member.worker, outcome.result)
        super().terminal(obligation, outcome)


@INVERSIONS((4, 7), "Beside a ready worker, another counts as ready once started.", "assigned-before-ready", RECOVERY)
class ActivationLeftToTheWorker(FifoTurn):
    """Breaks the pool's ownership of activation."""

    def init_settled(self, fact: f.InitAnswer) -> None:
        """No authorization, no activation."""
        member = self.member(fact.role)
        beside = any(isinstance(each, m.Idle | m.Busy) for each in self.members)
        if isinstance(member, m.Initializing) and member.worker == fact.worker and beside:
            self.put(m.Idle(fact.role, fact.worker))
            return self.fill()
        return super().init_settled(fact)


@INVERSIONS((5,), "An interrupted job goes back to its customer and waits as well.", "conservation", CUSTOMER)
class RetryAlsoReturns(FifoTurn):
    """Breaks the single place of a job."""

    def interrupt(self, job: AssignedJob) -> None:
        """Both ways at once."""
        self.return_assigned(job, "worker-stopped")
        super().interrupt(job)


@INVERSIONS((5, 16), "A job that waits is taken in without a word.", "conservation", CUSTOMER)
class AcceptsInSilence(FifoTurn):
    """Breaks the completeness of the product."""

    def emit(self, operation: Any) -> None:
        """An acceptance does not leave."""
        if isinstance(operation, a.DeliverAdmission) and isinstance(operation.outcome, a.Accepted):
            return
        super().emit(operation)


@INVERSIONS((6,), "Running jobs count for the backlog.", "refused-with-room", CUSTOMER)
class BacklogCountsRunning(FifoTurn):
    """Breaks what the capacity limits."""

    def refusal(self) -> str | None:
        """Waiting and running jobs are added up."""
        running = sum(isinstance(each, m.Busy) for each in self.members)
        if len(self.queue) + running >= self.definition.backlog and self.next_idle() is None:
            return "backlog-full"
        return super().refusal()


@INVERSIONS((6,), "New jobs may always wait.", "admission-bound", CUSTOMER)
class BacklogHasNoEnd(FifoTurn):
    """Breaks the bound for new jobs."""

    def refusal(self) -> str | None:
        """A full queue is no reason."""
        reason = super().refusal()
        return None if reason == "backlog-full" else reason


@INVERSIONS((7,), "A worker that has its job gets the next one on top.", "double-assignment", CUSTOMER)
class BusyWorkerTakesMore(FifoTurn):
    """Breaks the single assignment."""

    def next_idle(self) -> int | None:
        """A role with a delivered job will do."""
        idle = super().next_idle()
        busy = (each for each in self.members if isinstance(each, m.Busy) and isinstance(each.join, m.Delivered))
        return next((each.role for each in busy), None) if idle is None else idle


@INVERSIONS((8,), "A worker that has finished waits for the next submission.", "idle-beside-queue", CUSTOMER)
class CompletionDoesNotFill(FifoTurn):
    """Breaks the fold of completion and dispatch."""

    def release(self, member: m.Busy, stop: Stop | None) -> None:
        """The member becomes idle and nothing else happens."""
        if stop is not None:
            return super().release(member, stop)
        return self.put(m.Idle(member.role, member.worker))


@INVERSIONS((9, 11), "Interrupted jobs go to the front of the queue.", "queue-order", CUSTOMER)
class RetryAtTheFront(FifoTurn):
    """Breaks the order of admission: two jobs, interrupted the other way round, change places."""

    def requeue(self, obligation: Obligation, prior: int) -> None:
        """Nobody looks at the ordinal."""
        self.queue.insert(0, QueuedJob(obligation, prior))


@INVERSIONS((9,), "The latest waiting job is dispatched first.", "dispatched-out-of-order", CUSTOMER)
class NewestFirst(FifoTurn):
    """Breaks the order of dispatch."""

    def fill(self) -> None:
        """The queue is emptied from its end, and put back in order."""
        self.queue.reverse()
        super().fill()
        self.queue.sort(key=lambda each: each.obligation.ordinal)


@INVERSIONS((9,), "The cursor never moves.", "assignment-differs", CUSTOMER)
class CursorStays(FifoTurn):
    """Breaks the ring."""

    def assign(self, owed: Obligation, role: int, dispatch: Any) -> None:
        """The next search begins where this one did."""
        before = self.cursor
        super().assign(owed, role, dispatch)
        self.cursor = before


@INVERSIONS((10,), "Whatever a busy child reports completes its present job.", "unauthorized-completion", CUSTOMER)
class AnyCompletionCounts(FifoTurn):
    """Breaks the exactness of completions."""

    def worker_completed(self, fact: f.WorkerCompleted) -> None:
        """Assignment, authority and birth are not looked at."""
        member = self.member_of_child(fact.child)
        if isinstance(member, m.Busy):
            return self.decide(member, joins.on_completion(member.join, fact.completion), fact)
        return super().worker_completed(fact)


@INVERSIONS((10, 12), "A refused delivery needs no matching authority.", "outcome-differs", CUSTOMER)
class AnyAuthorityReunites(FifoTurn):
    """Breaks the reunion of the two halves."""

    def mismatch(self, member: m.Busy, stop: Stop | None, returned: Any) -> None:
        """The job waits again as if the right half had come back."""
        self.give_back(member, stop)


@INVERSIONS((11, 12), "Recovery begins before the delivery is settled.", "recovery-before-resolution", CUSTOMER)
class RecoversAtOnce(FifoTurn):
    """Breaks the order of resolution and recovery."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A replacement is asked for as soon as the stop is seen."""
        super().worker_stopped(fact)
        member = self.member(fact.role)
        if isinstance(member, m.Busy) and isinstance(member.join, m.StopFirst):
            self.emit(a.PrepareWorker(fact.role, member.worker))


@INVERSIONS((11, 15), "A repeated stop asks for a second replacement.", "doubled-recovery", CUSTOMER)
class StopCountsTwice(FifoTurn):
    """Breaks the single use of a stop."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A role in recovery takes its stop again."""
        member = self.member(fact.role)
        if isinstance(member, m.Recovering) and member.predecessor == fact.stop.worker:
            return self.recover(fact.role, fact.stop.worker, fact.stop)
        return super().worker_stopped(fact)


@INVERSIONS((12,), "A completion settles its job before the delivery's answer is in.", "outcome-before-join", CUSTOMER)
class CompletionNeedsNoDelivery(FifoTurn):
    """Breaks the join."""

    def decide(self, member: m.Busy, decision: joins.Decision, fact: f.Fact) -> None:
        """A kept completion is used at once."""
        if isinstance(decision.join, m.CompletionFirst) and decision.join.later_stop is None:
            return self.complete(member, decision.join.completion, None)
        return super().decide(member, decision, fact)


@INVERSIONS((12, 5), "A kept completion is used, and its job waits again as well.", "doubled-outcome", CUSTOMER)
class CompletionLosesToStop(FifoTurn):
    """Breaks the single outcome."""

    def complete(self, member: m.Busy, completion: Evidence, stop: Stop | None) -> None:
        """The outcome leaves twice."""
        role, owed = self.definition.roles[member.role], member.job.obligation
        self.terminal(owed, a.Completed(owed.job, role, completion.result))
        super().complete(member, completion, stop)


@INVERSIONS((13,), "Jobs wait on when no role can do them any more.", "stranded-job", RECOVERY)
class QueueOutlivesTheRoles(FifoTurn):
    """Breaks the answer that every job gets."""

    def return_stranded(self) -> None:
        """Nobody is told."""


@INVERSIONS((14,), "Shutdown forgets the jobs on workers.", "job-kept-after-shutdown", RECOVERY)
class ShutdownKeepsAssigned(FifoTurn):
    """Breaks the return of assigned jobs."""

    def return_all_assigned(self) -> None:
        """Nobody is told."""


@INVERSIONS((14, 4), "Shutdown forgets the workers that are being born.", "worker-abandoned", RECOVERY)
class ShutdownForgetsBirths(FifoTurn):
    """Breaks the drain of pending creations."""

    def drained_form(self, member: m.Member) -> m.DrainMember:
        """A pending creation counts as ended."""
        return m.Drained(member.role) if isinstance(member, m.Creating) else super().drained_form(member)


@INVERSIONS((15,), "A stop that was used already retires the role.", "late-fact-took-effect", CUSTOMER)
class LateStopRetires(FifoTurn):
    """Breaks the harmlessness of late facts."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A role in recovery ends by the same stop."""
        if isinstance(self.member(fact.role), m.Recovering):
            return self.retire(fact.role, "stopped")
        return super().worker_stopped(fact)


@INVERSIONS((16,), "A fact that fits nothing vanishes.", "silent-step", CUSTOMER)
class RejectsInSilence(FifoTurn):
    """Breaks the diagnostic that every rejected fact leaves."""

    def reject(self, fact: f.Fact, reason: str = "not-expected") -> None:
        """Nothing leaves."""
