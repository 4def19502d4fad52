"""Admission to a keyed pool in nine steps, the queue of each role, and the filling of its worker.

No role ever looks at another role's queue or worker.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools import actions as a
from harness.models.pools import members as m
from harness.models.pools.correlations import DispatchId, JobId, Ordinal
from harness.models.pools.keyed.binding import BindingTable, evidence
from harness.models.pools.keyed.eligibility import ASSIGNABLE, UNAVAILABLE, admission_of
from harness.models.pools.keyed.inputs import Binding, Submit
from harness.models.pools.keyed.outcomes import (
    Accepted,
    Completed,
    DeliverAdmission,
    DeliverTerminal,
    Rejected,
    ReturnedAssigned,
    ReturnedQueued,
    TerminalOutcome,
)
from harness.models.pools.keyed.state import Waiting
from harness.models.pools.values import Admitted, AssignedJob, Authority, Command, Obligation


class Chosen(NamedTuple):
    """The binding that a submission goes through; `proposed` where it is bound with the job or not at all."""

    binding: Binding
    proposed: bool


class Admission(BindingTable):
    """Submissions and queues; `queues` is this step's draft, one list for each role."""

    queues: list[list[Waiting]]

    # -- a submission ----------------------------------------------------------------------------------------------

    def submit(self, fact: Submit) -> None:
        """Steps 1 to 9; whatever fails gives the whole submission back and keeps neither binding nor job."""
        if self.is_lost():
            return self.refuse(fact, "no-recoverable-workers")
        chosen = self.choose(fact.key)
        if isinstance(chosen, str):
            return self.refuse(fact, chosen)
        role = self.keyed.roles.index(chosen.binding.role)
        refused = self.refusal(role)
        if refused is not None:
            return self.refuse(fact, refused)
        number = self.reserve("job")
        if not isinstance(number, JobId):
            return self.refuse(fact, "job-correlation-unavailable")
        admitted = evidence(chosen.binding)
        owed = Obligation(number, Ordinal(number), fact.customer, fact.payload, admitted)
        immediate = admission_of(self.role_member(role)) == ASSIGNABLE
        dispatch = self.reserve("dispatch") if immediate else None
        if immediate and not isinstance(dispatch, DispatchId):
            return self.refuse(fact, "assignment-correlation-unavailable")
        if chosen.proposed:
            self.bind(chosen.binding)
        self.emit(DeliverAdmission(fact.customer, Accepted(fact.request, number, admitted)))
        if isinstance(dispatch, DispatchId):
            return self.assign(owed, role, dispatch)
        return self.enqueue(role, Waiting(owed, "never-assigned"))

    def is_lost(self) -> bool:
        """Whether no role has a worker or may get one."""
        return not self.unsent and all(m.is_lost(each) for each in self.members)

    def choose(self, key: str) -> Chosen | str:
        """Steps 2 to 4: the kept binding, or one proposed by the selector, or why there is none."""
        kept = self.kept.get(key)
        if kept is not None:
            return Chosen(kept, False)
        role = self.select(key)
        if role not in self.keyed.roles:
            return "unknown-selected-role"
        if not self.has_room():
            return "binding-capacity-reached"
        generation = self.reserve_generation(key)
        return "binding-generation-unavailable" if generation is None else Chosen(Binding(key, generation, role), True)

    def select(self, key: str) -> str:
        """Ask the selector."""
        if self.keyed.selector is None:
            raise ValueError("a keyed pool without a selector cannot be built")
        return self.keyed.selector(key)

    def refusal(self, role: int) -> str | None:
        """Step 5: why this role takes no job now; only its own phase and queue are looked at."""
        eligibility = admission_of(self.role_member(role))
        if eligibility == UNAVAILABLE:
            return "role-unavailable"
        if eligibility != ASSIGNABLE and len(self.queues[role]) >= self.definition.backlog:
            return "role-backlog-full"
        return None

    def refuse(self, fact: Submit, reason: str) -> None:
        """The submission goes back whole."""
        outcome = Rejected(fact.request, fact.key, fact.payload, fact.customer, reason)
        self.emit(DeliverAdmission(fact.customer, outcome))

    def refuse_closed(self, fact: Submit) -> None:
        """A submission to a pool that ends."""
        self.refuse(fact, "shutting-down")

    # -- the queues ------------------------------------------------------------------------------------------------

    def enqueue(self, role: int, job: Waiting) -> None:
        """A job takes its place in its role's queue by its ordinal."""
        queue = self.queues[role]
        queue.insert(sum(each.obligation.ordinal < job.obligation.ordinal for each in queue), job)

    def fill(self) -> None:
        """Each idle worker takes the earliest job of its own role, in declared order."""
        for role in range(len(self.members)):
            while self.draining is None and isinstance(self.members[role], m.Idle) and self.queues[role]:
                self.dispatch(role, self.queues[role].pop(0))

    def dispatch(self, role: int, job: Waiting) -> None:
        """One waiting job goes to the idle worker, or back to its customer by its origin where it has no number."""
        number = self.reserve("dispatch")
        if isinstance(number, DispatchId):
            return self.assign(job.obligation, role, number)
        if job.origin == "retried":
            return self.give_assigned(job.obligation, role, "retry-preparation-rejected")
        return self.return_queued(role, job, "dispatch-correlation-unavailable")

    def assign(self, owed: Obligation, role: int, dispatch: DispatchId) -> None:
        """The job is this worker's."""
        worker = self.members[role].worker  # type: ignore[union-attr]  # only idle members are given a job
        self.put(m.Busy(role, worker, AssignedJob(owed, dispatch, dispatch, worker, role), m.AwaitingBoth()))
        command = Command(owed.payload, Authority(dispatch, worker.evidence))
        self.emit(a.DeliverAssignment(role, worker.child, dispatch, command, owed.job, "role-assignments"))

    # -- jobs that go back -----------------------------------------------------------------------------------------

    def return_queued(self, role: int, job: Waiting, reason: str) -> None:
        """A waiting job goes back to its customer."""
        owed = job.obligation
        self.end(owed, ReturnedQueued(owed.job, self.binding_of(owed, self.keyed.roles[role]), owed.payload, reason))

    def give_assigned(self, owed: Obligation, role: int, reason: str) -> None:
        """A job that a worker had goes back to its customer."""
        self.end(owed, ReturnedAssigned(owed.job, self.binding_of(owed, self.keyed.roles[role]), owed.payload, reason))

    def return_queue(self, role: int, reason: str) -> None:
        """A role's queue empties in its order."""
        queue, self.queues[role] = self.queues[role], []
        for each in queue:
            self.return_queued(role, each, reason)

    def binding_of(self, owed: Obligation, role: str) -> Admitted:
        """What an outcome says: the generation that the job was admitted through, and the role where the job is."""
        if owed.admitted is None:
            raise ValueError("a job of a keyed pool is admitted through a binding")
        return Admitted(owed.admitted.generation, role)

    def end(self, owed: Obligation, outcome: TerminalOutcome) -> None:
        """The one end of a job."""
        self.emit(DeliverTerminal(owed.customer, outcome))

    def terminal(self, obligation: Obligation, outcome: a.TerminalOutcome) -> None:
        """The shared rules end jobs by a completion, or return what a worker had."""
        if isinstance(outcome, a.ReturnedQueued):
            return None
        binding = self.binding_of(obligation, outcome.role)
        if isinstance(outcome, a.Completed):
            return self.end(obligation, Completed(outcome.job, binding, outcome.result))
        return self.end(obligation, ReturnedAssigned(outcome.job, binding, outcome.payload, outcome.reason))
