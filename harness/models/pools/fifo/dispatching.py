"""What makes a pool a FIFO pool: admission, one queue by ordinal, the ring, the filling of idle workers, the end."""

from __future__ import annotations

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import DispatchId, JobId, Ordinal
from harness.models.pools.deadlines import Deadlines
from harness.models.pools.values import AssignedJob, Authority, Command, Obligation, QueuedJob


class Dispatching(Deadlines):
    """Admission and dispatch; `queue` and `cursor` are this step's draft of them."""

    queue: list[QueuedJob]
    cursor: int

    # -- admission -------------------------------------------------------------------------------------------------

    def submit(self, fact: f.Submit) -> None:
        """Classify first, reserve only for what can be taken; whatever fails refuses the whole submission."""
        refused = self.refusal()
        if refused is not None:
            return self.refuse(fact, refused)
        role = self.next_idle()
        number = self.reserve("job")
        if not isinstance(number, JobId):
            return self.refuse(fact, "job-correlation-unavailable")
        owed = Obligation(number, Ordinal(number), fact.customer, fact.payload)
        accepted = a.DeliverAdmission(fact.customer, a.Accepted(fact.request, number))
        if role is None:
            self.emit(accepted)
            return self.enqueue(QueuedJob(owed, None))
        dispatch = self.reserve("dispatch")
        if not isinstance(dispatch, DispatchId):
            return self.refuse(fact, "dispatch-correlation-unavailable")
        self.emit(accepted)
        return self.assign(owed, role, dispatch)

    def refusal(self) -> str | None:
        """Why a submission can't be taken, before anything is reserved for it."""
        if all(m.is_lost(each) for each in self.members):
            return "no-recoverable-workers"
        if self.next_idle() is None and len(self.queue) >= self.definition.backlog:
            return "backlog-full"
        return None

    def refuse(self, fact: f.Submit, reason: str) -> None:
        """The submission goes back whole."""
        self.emit(a.DeliverAdmission(fact.customer, a.Rejected(fact.request, fact.payload, reason)))

    # -- the queue -------------------------------------------------------------------------------------------------

    def enqueue(self, job: QueuedJob) -> None:
        """A waiting job takes its place by its ordinal, behind all earlier ones and before all later ones."""
        place = sum(each.obligation.ordinal < job.obligation.ordinal for each in self.queue)
        self.queue.insert(place, job)

    def requeue(self, obligation: Obligation, prior: int) -> None:
        """A job comes back; the bound for new jobs is not asked."""
        self.enqueue(QueuedJob(obligation, prior))

    def next_idle(self) -> int | None:
        """The first idle role from the cursor on, once around the declared ring."""
        size = len(self.members)
        ring = ((self.cursor + step) % size for step in range(size))
        return next((role for role in ring if isinstance(self.members[role], m.Idle)), None)

    def fill(self) -> None:
        """While a job waits and a worker is idle, the earliest job goes to the first idle role."""
        while self.queue and self.draining is None and (role := self.next_idle()) is not None:
            dispatch = self.reserve("dispatch")
            head = self.queue.pop(0)
            if isinstance(dispatch, DispatchId):
                self.assign(head.obligation, role, dispatch)
            else:
                self.return_undispatched(head)

    def assign(self, owed: Obligation, role: int, dispatch: DispatchId) -> None:
        """The job is this worker's; the cursor moves on to the role behind it."""
        worker = self.members[role].worker  # type: ignore[union-attr]  # next_idle gave the role of an idle member
        self.put(m.Busy(role, worker, AssignedJob(owed, dispatch, dispatch, worker, role), m.AwaitingBoth()))
        self.cursor = (role + 1) % len(self.members)
        command = Command(owed.payload, Authority(dispatch, worker.evidence))
        self.emit(a.DeliverAssignment(role, worker.child, dispatch, command, owed.job))

    # -- jobs that go back -----------------------------------------------------------------------------------------

    def return_undispatched(self, job: QueuedJob) -> None:
        """No correlation for a dispatch: the job goes back by its origin, since it would wait beside an idle worker."""
        if job.prior is None:
            return self.return_queued(job, "dispatch-correlation-failed")
        owed, role = job.obligation, self.definition.roles[job.prior]
        outcome = a.ReturnedAssigned(owed.job, role, owed.payload, "retry-preparation-rejected")
        return self.terminal(owed, outcome)

    def return_queued(self, job: QueuedJob, reason: str) -> None:
        """A waiting job goes back to its customer."""
        owed = job.obligation
        self.terminal(owed, a.ReturnedQueued(owed.job, owed.payload, reason))

    def return_stranded(self) -> None:
        """With no role left that has or may get a worker, nobody may wait any more."""
        if self.draining is None and all(m.is_lost(each) for each in self.members):
            self.return_all_queued("no-recoverable-workers")

    def return_all_queued(self, reason: str) -> None:
        """The queue empties in its order."""
        for each in self.queue:
            self.return_queued(each, reason)
        self.queue = []

    # -- the end ---------------------------------------------------------------------------------------------------

    def begin_drain(self) -> None:
        """Close: every job goes back once, and every member becomes one that only ends."""
        self.return_all_queued("pool-shutdown")
        self.return_all_assigned()
        self.draining = [m.Drained(each.role) for each in self.members]
        for each in self.members:
            self.put_drained(self.drained_form(each))
        self.arm_deadline()

    def return_all_assigned(self) -> None:
        """Jobs on workers go back, in the order of the roles."""
        for each in self.members:
            if isinstance(each, m.Busy):
                self.return_assigned(each.job, "pool-shutdown")
