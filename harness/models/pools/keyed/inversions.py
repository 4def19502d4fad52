"""Deliberate breaches of the keyed pool's law, first half: roles, bindings, admission, management, dispatch.

Each replaces one rule of the model. Audits and oracles stay as they are, and one of them has to name the violation.
"""

from __future__ import annotations

from typing import Any

from harness.models.pools import facts as f
from harness.models.pools import joins
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId, Correlation, GenerationId
from harness.models.pools.inverting import Inversions
from harness.models.pools.keyed.admission import Chosen
from harness.models.pools.keyed.eligibility import ADMISSIBLE, admission_of
from harness.models.pools.keyed.inputs import Command, Rebalance, Unbind
from harness.models.pools.keyed.outcomes import Accepted, DeliverAdmission, ManagementOutcome, Rebalanced
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.values import Admitted, Birth, Obligation, Stop

INVERSIONS = Inversions()
BINDINGS, RECOVERY = "keyed-pool", "keyed-recovery"


@INVERSIONS((1,), "A role that retires moves to the end of the roster.", "RosterChanged", RECOVERY)
class RetiredRoleMovesBack(KeyedTurn):
    """Breaks the declared order."""

    def retire(self, role: int, reason: str) -> None:
        """The cell leaves its place."""
        super().retire(role, reason)
        self.members.append(self.members.pop(role))


@INVERSIONS((2,), "A replacement gets the number of the worker that it replaces.", "CorrelationReissued", BINDINGS)
class ReplacementReusesBirth(KeyedTurn):
    """Breaks the freshness of workers."""

    def create(self, role: int, reservation: BirthId, definition: str, kind: Birth) -> None:
        """The predecessor's evidence is taken for a reservation."""
        super().create(role, kind.replaces or reservation, definition, kind)


@INVERSIONS((2, 10), "Dispatches are all given the same number.", "CorrelationReissued", BINDINGS)
class DispatchNumberStays(KeyedTurn):
    """Breaks the freshness of assignments."""

    def reserve(self, kind: str) -> Correlation | None:
        """The dispatch allocator does not move."""
        kept = self.allocators.dispatch
        number = super().reserve(kind)
        self.allocators = self.allocators._replace(dispatch=kept)
        return number


@INVERSIONS((3,), "The selector is asked for a key that is bound.", "SelectorMisused", BINDINGS)
class SelectorAskedForBoundKey(KeyedTurn):
    """Breaks the single use of the selector."""

    def choose(self, key: str) -> Chosen | str:
        """Its answer is not even used."""
        self.select(key)
        return super().choose(key)


@INVERSIONS((3,), "Managers' commands ask the selector too.", "SelectorMisused", BINDINGS)
class SelectorAskedByManagers(KeyedTurn):
    """Breaks the separation of selection and management."""

    def rebalance(self, command: Rebalance) -> ManagementOutcome:
        """Its answer is not even used."""
        self.select(command.key)
        return super().rebalance(command)


@INVERSIONS((4,), "A key is bound before it is known whether its job can be taken.", "BindingApart", BINDINGS)
class BindingBeforeTheJob(KeyedTurn):
    """Breaks the common commit of binding and job."""

    def choose(self, key: str) -> Chosen | str:
        """The proposed binding is kept at once."""
        chosen = super().choose(key)
        if isinstance(chosen, Chosen) and chosen.proposed:
            self.bind(chosen.binding)
        return chosen


@INVERSIONS((4,), "A job is taken and its key is not bound.", "BindingApart", BINDINGS)
class JobWithoutBinding(KeyedTurn):
    """Breaks the common commit the other way round."""

    def choose(self, key: str) -> Chosen | str:
        """What is proposed is never kept."""
        chosen = super().choose(key)
        return chosen._replace(proposed=False) if isinstance(chosen, Chosen) else chosen


@INVERSIONS((5,), "New jobs may always wait.", "AdmissionBound", BINDINGS)
class BacklogHasNoEnd(KeyedTurn):
    """Breaks the bound for new jobs."""

    def refusal(self, role: int) -> str | None:
        """A full queue is no reason."""
        reason = super().refusal(role)
        return None if reason == "role-backlog-full" else reason


@INVERSIONS((5,), "Waiting jobs take up the room of bindings.", "RefusedWithRoom", BINDINGS)
class BoundsAreOne(KeyedTurn):
    """Breaks the separation of the two limits."""

    def has_room(self) -> bool:
        """Both are added up."""
        waiting = sum(map(len, self.queues))
        return len(self.kept) + waiting < self.keyed.binding_capacity


@INVERSIONS((5,), "Keys are bound without end.", "BindingBound", BINDINGS)
class TableHasNoEnd(KeyedTurn):
    """Breaks the bound of the table."""

    def has_room(self) -> bool:
        """There always is."""
        return True


@INVERSIONS((6,), "A job that waits follows its key to another role.", "QueueLocation", BINDINGS)
class AcceptedWorkRetargeting(KeyedTurn):
    """Breaks the permanence of a job's role."""

    def rebalance(self, command: Rebalance) -> ManagementOutcome:
        """The queue of the old role goes to the new one."""
        outcome = super().rebalance(command)
        if isinstance(outcome, Rebalanced):
            old, new = (self.keyed.roles.index(each.role) for each in (outcome.prior, outcome.current))
            moved, self.queues[old] = self.queues[old], []
            for each in moved:
                self.enqueue(new, each)
        return outcome


@INVERSIONS((6, 7), "An idle worker takes the job of another role.", "AssignmentRole", BINDINGS)
class CrossRoleConsumption(KeyedTurn):
    """Breaks the separation of the roles' work."""

    def fill(self) -> None:
        """Whoever is idle looks into every queue."""
        super().fill()
        for role, member in enumerate(self.members):
            source = next((queue for queue in self.queues if queue), None)
            if self.draining is None and isinstance(member, m.Idle) and source is not None:
                self.dispatch(role, source.pop(0))


@INVERSIONS((7, 5), "The roles share the room for waiting jobs.", "RefusedWithRoom", BINDINGS)
class RolesShareRoom(KeyedTurn):
    """Breaks the separation of the roles' room."""

    def refusal(self, role: int) -> str | None:
        """The queues are added up."""
        full = sum(map(len, self.queues)) >= self.definition.backlog
        waits = admission_of(self.role_member(role)) == ADMISSIBLE
        return "role-backlog-full" if full and waits else super().refusal(role)


@INVERSIONS((8,), "A role whose worker is being replaced takes no jobs.", "AdmissionDiffers", BINDINGS)
class RecoveryClosesTheRole(KeyedTurn):
    """Breaks the projection of a recovering role."""

    def refusal(self, role: int) -> str | None:
        """It counts as unavailable."""
        member = self.member(role)
        return "role-unavailable" if isinstance(member, m.Recovering) else super().refusal(role)


@INVERSIONS((8,), "A role whose worker isn't trusted takes jobs.", "AdmissionDiffers", BINDINGS)
class QuarantineIsOpen(KeyedTurn):
    """Breaks the projection of a quarantined role."""

    def refusal(self, role: int) -> str | None:
        """It counts as one whose jobs can wait."""
        reason = super().refusal(role)
        quarantined = isinstance(self.member(role), m.Quarantined)
        return None if quarantined and len(self.queues[role]) < self.definition.backlog + 1 else reason


@INVERSIONS((9,), "A worker that has finished waits for the next submission.", "IdleBesideQueue", BINDINGS)
class CompletionDoesNotFill(KeyedTurn):
    """Breaks the fold of completion and dispatch."""

    def release(self, member: m.Busy, stop: Stop | None) -> None:
        """The member becomes idle and nothing else happens."""
        if stop is not None:
            return super().release(member, stop)
        return self.put(m.Idle(member.role, member.worker))


@INVERSIONS((10,), "A report counts for whoever is first at work.", "UnauthorizedCompletion", BINDINGS)
class AnyCompletionCounts(KeyedTurn):
    """Breaks the exactness of completions."""

    def worker_completed(self, fact: f.WorkerCompleted) -> None:
        """Assignment, authority and birth are not looked at, nor who reports."""
        busy = [each for each in self.members if isinstance(each, m.Busy)]
        if busy and not joins.matches(busy[0].job, fact.completion):
            done = fact.completion
            return self.decide(busy[0], joins.on_completion(busy[0].join, done), fact)
        return super().worker_completed(fact)


@INVERSIONS((11, 12), "A command's expectation is not looked at.", "StaleMutation", BINDINGS)
class StaleMutation(KeyedTurn):
    """Breaks the guard of every command."""

    def is_expected(self, command: Command) -> bool:
        """Any expectation will do."""
        return True


@INVERSIONS((11,), "An unbind gives the waiting jobs of its role back.", "ManagementMovedWork", BINDINGS)
class UnbindReturnsJobs(KeyedTurn):
    """Breaks the indifference of jobs to bindings."""

    def unbind(self, command: Unbind) -> ManagementOutcome:
        """Its role's queue is emptied."""
        kept = self.kept.get(command.key)
        if kept is not None:
            self.return_queue(self.keyed.roles.index(kept.role), "role-permanently-unavailable")
        return super().unbind(command)


@INVERSIONS((12,), "A key that is bound again gets a generation that was used.", "GenerationReused", BINDINGS)
class GenerationReuse(KeyedTurn):
    """Breaks the freshness of generations: each key counts for itself."""

    def reserve_generation(self, key: str) -> GenerationId | None:
        """Removing a binding gives its number free."""
        super().reserve_generation(key)
        return GenerationId(max((each.generation for each in self.kept.values() if each.key != key), default=0) + 1)


@INVERSIONS((12, 11), "A rebalance to the same role changes the generation.", "ManagementDiffers", BINDINGS)
class SameRoleChangesGeneration(KeyedTurn):
    """Breaks the stability of a binding that a command leaves where it is."""

    def rebalance(self, command: Rebalance) -> ManagementOutcome:
        """The binding is made anew."""
        kept = self.kept.get(command.key)
        if kept is None or kept.role != command.target or self.target_fault(command.target):
            return super().rebalance(command)
        generation = self.reserve_generation(command.key)
        if generation is None:
            return super().rebalance(command)
        current = self.bind(kept._replace(generation=generation))
        return Rebalanced(command.request, current._replace(generation=kept.generation), current)


@INVERSIONS((12,), "An outcome tells the generation that was given out last.", "StaleMutation", BINDINGS)
class OutcomeOfAnotherGeneration(KeyedTurn):
    """Breaks what an outcome retains: the job was admitted through an earlier binding."""

    def binding_of(self, owed: Obligation, role: str) -> Admitted:
        """Whatever the allocator gave last."""
        return super().binding_of(owed, role)._replace(generation=GenerationId(self.generations.next - 1))


@INVERSIONS((16, 11), "A job that waits is taken in without a word.", "Conservation", BINDINGS)
class AcceptsInSilence(KeyedTurn):
    """Breaks the completeness of the product."""

    def emit(self, operation: Any) -> None:
        """An acceptance does not leave."""
        if isinstance(operation, DeliverAdmission) and isinstance(operation.outcome, Accepted):
            return
        super().emit(operation)


@INVERSIONS((16,), "An input that fits nothing vanishes.", "SilentStep", BINDINGS)
class RejectsInSilence(KeyedTurn):
    """Breaks the diagnostic that every rejected input leaves."""

    def reject(self, fact: Any, reason: str = "not-expected") -> None:
        """Nothing leaves."""
