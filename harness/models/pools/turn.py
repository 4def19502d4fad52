"""One step while it is being decided: a draft of the members and of the actions, and what every part of it needs.

The draft lives inside one call of `step`; what comes out are values. The classes that build on it each settle one
group of facts, and a kind of pool joins them with its own ways to admit and dispatch.
"""

from __future__ import annotations

from typing import Any

from harness.models.pools import actions as a
from harness.models.pools.correlations import Allocators, BirthId, Correlation, DispatchId, reserve
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.facts import Fact
from harness.models.pools.members import Busy, Creating, DrainMember, Member, Recovering, Retired
from harness.models.pools.values import AssignedJob, Evidence, Obligation, Stop, Worker


class PoolDraft:
    """The members, allocators and charges of a pool, and the operations decided so far.

    A subclass says what a kind of pool does where its law has a say: `fill`, `requeue`, `return_stranded`,
    `return_everything`.
    """

    def __init__(self, definition: Definition, allocators: Allocators, charges: tuple[int, ...]) -> None:
        self.definition = definition
        self.members: list[Member] = []
        self.draining: list[DrainMember] | None = None
        self.allocators = allocators
        self.charges = charges
        self.lanes: dict[str, list[Any]] = {}

    # -- what a kind of pool adds ----------------------------------------------------------------------------------

    def fill(self) -> None:
        """Dispatch waiting jobs to idle workers."""
        raise NotImplementedError

    def requeue(self, obligation: Obligation, prior: int) -> None:
        """Take a job that a role had back among the waiting ones."""
        raise NotImplementedError

    def return_stranded(self) -> None:
        """Give back the jobs that no role can do any more."""
        raise NotImplementedError

    def begin_drain(self) -> None:
        """Close the pool and start to end its workers."""
        raise NotImplementedError

    def recover(self, role: int, worker: Worker, stop: Stop) -> None:
        """A worker is gone for good: see what becomes of its role."""
        raise NotImplementedError

    # -- reading ---------------------------------------------------------------------------------------------------

    @property
    def recovery(self) -> RecoveryPolicy:
        """The policy; a checked definition has one."""
        policy = self.definition.recovery
        if policy is None:
            raise ValueError("a pool without a recovery policy cannot be built")
        return policy

    def member(self, role: int) -> Member | None:
        """The member of a role, None where there is no such role."""
        return self.members[role] if 0 <= role < len(self.members) else None

    def member_of_child(self, child: BirthId) -> Member | None:
        """The member whose worker (or last worker) a child's report comes from."""
        return next((each for each in self.members if _child(each) == child), None)

    # -- deciding --------------------------------------------------------------------------------------------------

    def put(self, member: Member) -> None:
        """A member takes the place of its role."""
        self.members[member.role] = member

    def emit(self, operation: Any) -> None:
        """One more operation, on the lane it names."""
        self.lanes.setdefault(operation.lane.replace("-", "_"), []).append(operation)

    def reserve(self, kind: str) -> Correlation | None:
        """A fresh number of that kind; None where there is none to have."""
        reservation, after = reserve(getattr(self.allocators, kind))
        self.allocators = self.allocators._replace(**{kind: after})
        return reservation.number

    def actions(self) -> a.Actions:
        """Everything that was decided."""
        return a.Actions(**{lane: tuple(each) for lane, each in self.lanes.items()}) if self.lanes else a.NO_ACTIONS

    # -- telling ---------------------------------------------------------------------------------------------------

    def terminal(self, obligation: Obligation, outcome: a.TerminalOutcome) -> None:
        """The one end of a job."""
        self.emit(a.DeliverTerminal(obligation.customer, outcome))

    def return_assigned(self, job: AssignedJob, reason: str) -> None:
        """A job that a role had goes back to its customer."""
        role = self.definition.roles[job.role]
        owed = job.obligation
        self.terminal(owed, a.ReturnedAssigned(owed.job, role, owed.payload, reason))

    def reject(self, fact: Fact, reason: str = "not-expected") -> None:
        """The fact changes nothing and is told once, whole."""
        diagnostic = a.Diagnostic(reason, (fact,), "rejected-fact")
        route = self.definition.diagnostics
        self.emit(a.TransferRejectedFact(diagnostic) if route is None else a.DeliverDiagnostic(route, diagnostic))

    def diagnose(self, kind: str, reason: str, *facts: Any) -> None:
        """Tell something about facts that were taken, or came too late."""
        diagnostic = a.Diagnostic(reason, facts, kind)
        route = self.definition.diagnostics
        self.emit(a.TransferDiagnostic(diagnostic) if route is None else a.DeliverDiagnostic(route, diagnostic))

    def stale(self, completion: Evidence) -> None:
        """A completion that comes too late keeps its result, as a diagnostic."""
        self.diagnose("stale-completion", "late", completion)

    # -- roles that are over ---------------------------------------------------------------------------------------

    def retire(self, role: int, reason: str) -> None:
        """The role ends; who is left takes over, and jobs that nobody can do go back."""
        self.put(Retired(role, reason))
        self.fill()
        self.return_stranded()

    def topology_failure(self, role: int, reason: str) -> None:
        """A role that cannot come back: it retires alone, or the pool ends with it."""
        if self.recovery.failure == "stop-pool":
            self.put(Retired(role, reason))
            self.begin_drain()
        else:
            self.retire(role, reason)


def _child(member: Member) -> BirthId | None:
    if isinstance(member, Creating):
        return member.reservation
    if isinstance(member, Retired):
        return None
    return member.predecessor.child if isinstance(member, Recovering) else member.worker.child


def is_current(member: Busy, child: BirthId, assignment: DispatchId) -> bool:
    """Whether an answer to a delivery is about what this member has now."""
    return member.worker.child == child and member.job.assignment == assignment
