"""Conservation: what outcomes and operations write into the ledger, and the comparison with the state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools.correlations import GenerationId, JobId
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.holdings import held_jobs, planned, prepared, timed
from harness.models.pools.keyed.inputs import Binding, Input, Rebalance, Submit, Unbind
from harness.models.pools.keyed.ledger import Entry, Ledger, Reader
from harness.models.pools.keyed.outcomes import (
    Accepted,
    AdmissionOutcome,
    BoundAbsent,
    Completed,
    KeyedActions,
    ManagementOutcome,
    Rebalanced,
    Refused,
    ReturnedQueued,
    TerminalOutcome,
    Unbound,
)
from harness.models.pools.keyed.state import Constructed, Operating, State, Stopped, Transition
from harness.models.pools.values import Admitted, Worker

OPEN = (Constructed, Operating)
CLOCKS = ("schedule", "timer")


class Scribe(Reader):
    """Writes one step into the ledger and names what cannot be."""

    # -- admission and management ----------------------------------------------------------------------------------

    def note_admission(self, fact: Input, outcome: AdmissionOutcome, assigned: set[JobId]) -> None:
        """A submission was taken or refused."""
        if not isinstance(fact, Submit):
            return self.names.append("UnaskedOutcome")
        if not isinstance(outcome, Accepted):
            whole = (outcome.request, outcome.key, outcome.payload, outcome.customer)
            self.expect(whole == (fact.request, fact.key, fact.payload, fact.customer), "PayloadChanged")
            if outcome.reason == "binding-capacity-reached":
                self.expect(len(self.bound) >= self.definition.binding_capacity, "RefusedWithRoom")
            if outcome.reason == "role-backlog-full" and fact.key in self.bound:
                full = self.waiting(self.bound[fact.key].role) >= self.definition.workers.backlog
                self.expect(full, "RefusedWithRoom")
            return None
        self.expect(outcome.request == fact.request, "PayloadChanged")
        self.expect(not self.closed, "AdmittedAfterShutdown")
        self.note_binding(fact.key, outcome.binding)
        if outcome.job not in assigned:
            self.expect(self.waiting(outcome.binding.role) < self.definition.workers.backlog, "AdmissionBound")
        self.issue(outcome.job)
        self.entries[outcome.job] = Entry(outcome.job, fact.payload, outcome.binding)
        return None

    def note_binding(self, key: str, told: Admitted) -> None:
        """An acceptance names the binding that is kept, or a new one."""
        kept = self.bound.get(key)
        if kept is not None:
            return self.expect((kept.generation, kept.role) == told, "BindingApart")
        return self.note_bound(key, told)

    def note_bound(self, key: str, told: Admitted) -> None:
        """A binding is made, under a generation that none ever had."""
        self.issue(told.generation, "GenerationReused")
        self.bound[key] = Binding(key, told.generation, told.role)

    def waiting(self, role: str) -> int:
        """How many jobs of a role wait."""
        return sum(not each.is_running and each.admitted.role == role for each in self.entries.values())

    def note_management(self, fact: Input, outcome: ManagementOutcome) -> None:
        """A command was answered; what it expected tells whether it could change anything."""
        if not isinstance(fact, Rebalance | Unbind):
            return self.names.append("UnaskedOutcome")
        if isinstance(outcome, Refused):
            return self.expect(outcome.command == fact, "PayloadChanged")
        actual = self.generation(fact.key)
        self.expect(fact.expected == actual, "StaleMutation")
        if isinstance(outcome, BoundAbsent | Rebalanced):
            self.note_bound(fact.key, outcome.current)
        elif isinstance(outcome, Unbound):
            self.expect(self.bound.pop(fact.key, None) == outcome.removed, "BindingLost")
        return None

    def generation(self, key: str) -> GenerationId | None:
        """What a key is bound under, None where it isn't."""
        kept = self.bound.get(key)
        return None if kept is None else kept.generation

    # -- jobs ------------------------------------------------------------------------------------------------------

    def note_terminal(self, outcome: TerminalOutcome) -> None:
        """A job ends."""
        entry = self.entries.pop(outcome.job, None)
        if entry is None:
            return self.names.append("DuplicateTerminal")
        self.expect(outcome.role == entry.admitted.role, "AssignmentRole")
        self.expect(outcome.binding.generation == entry.admitted.generation, "StaleMutation")
        if isinstance(outcome, Completed):
            self.expect(entry.completed, "UnauthorizedCompletion")
            return self.expect(entry.delivered is True, "OutcomeBeforeJoin")
        self.expect(outcome.payload == entry.payload, "PayloadChanged")
        if isinstance(outcome, ReturnedQueued):
            return self.expect(not entry.is_running, "JobInTwoPlaces")
        if outcome.reason == "worker-stopped":
            self.expect(entry.delivered is True and entry.stopped, "OutcomeBeforeJoin")
        return None

    def note_assignment(self, action: a.DeliverAssignment) -> None:
        """A job goes to a worker."""
        self.issue(action.assignment)
        self.expect(not self.closed, "DispatchAfterShutdown")
        self.expect(action.child in self.ready, "AssignedBeforeReady")
        worker = next((each for role, each in self.alive if (role, each.child) == (action.role, action.child)), None)
        running = [each for each in self.entries.values() if each.is_running]
        self.expect(all(each.worker != worker for each in running), "DoubleAssignment")
        entry = self.entries.get(action.job)
        if entry is None:
            return self.names.append("DuplicateTerminal")
        self.expect(self.definition.roles[action.role] == entry.admitted.role, "AssignmentRole")
        self.expect(not entry.is_running, "JobInTwoPlaces")
        self.expect(action.command.payload == entry.payload, "PayloadChanged")
        earlier = [each for job, each in self.entries.items() if job < action.job and not each.is_running]
        self.expect(all(each.admitted.role != entry.admitted.role for each in earlier), "DispatchedOutOfOrder")
        self.entries[action.job] = Entry(entry.job, entry.payload, entry.admitted, worker, action.assignment)
        return None

    # -- workers ---------------------------------------------------------------------------------------------------

    def note_creation(self, action: a.CreateWorker) -> None:
        """A worker is made."""
        self.issue(action.reservation)
        self.making.add((action.role, action.reservation))
        if self.replaced.pop(action.role, None) is not None:
            self.expect(self.candidates.pop(action.role, None) == action.definition, "CandidateLost")

    def note_preparation(self, action: a.PrepareWorker) -> None:
        """A replacement is asked for: the worker is gone, and so is what it had to do."""
        worker = action.replaces
        self.expect((action.role, worker) not in self.alive, "RecoveryBeforeResolution")
        held = [each for each in self.entries.values() if each.worker == worker and each.is_running]
        self.expect(not held, "RecoveryBeforeResolution")
        self.expect(self.replaced.get(action.role) != worker, "DoubledRecovery")
        self.expect(not self.sought, "SourceShared")
        self.replaced[action.role] = self.sought[action.role] = worker

    def note_shutdown(self, action: a.ShutdownWorker) -> None:
        """A worker is asked to end."""
        self.expect(action.worker.child not in self.asked, "AskedTwiceToEnd")
        self.asked.add(action.worker.child)
        self.asks.add(("shutdown", action.role, *action.worker))

    def note_timers(self, actions: KeyedActions) -> None:
        """Activations and restart timers are asked for; a role has one timer at most."""
        for begin in actions.activation_begins:
            self.issue(begin.ticket)
            self.asks.add(("begin", begin.role, begin.child, begin.ticket))
            for role, worker in [each for each in self.plans if (each[0], each[1].child) == (begin.role, begin.child)]:
                self.note_plan(role, worker)
        for schedule in actions.restart_schedules:
            self.issue(schedule.recovery)
            self.issue(schedule.timer)
            self.expect(all(each[:2] not in _clocks(schedule.role) for each in self.asks), "TimerShared")
            self.asks.add(("schedule", schedule.role, schedule.recovery, schedule.timer))
        for deadline in actions.deadline_schedules:
            self.issue(deadline.timer)

    def note_diagnostic(self, fact: Any, told: a.Diagnostic) -> None:
        """A removed binding, or a replacement that nobody uses, leaves in a diagnostic."""
        if told.kind == "binding-removed":
            binding: Binding = told.facts[0]
            self.expect(self.bound.pop(binding.key, None) == binding, "BindingLost")
        elif told.kind == "candidate-unused":
            value = told.facts[0]
            offered = " ".join(value.prefix) if isinstance(value, f.SourcePartial) else value.definition
            roles = [role for role, candidate in self.candidates.items() if candidate == offered]
            spoken = getattr(fact, "role", None)
            role = spoken if spoken in roles else min(roles, default=None)
            self.expect(role is not None, "CandidateLost")
            if role is not None:
                del self.candidates[role]
        elif told.kind == "unused-activation" and not isinstance(told.facts[0], f.BirthCommitted):
            self.note_plan(told.facts[0].role, told.facts[0].worker)
        elif told.kind == "rejected-input" and isinstance(fact, f.InitReady):
            self.plans.discard((fact.role, fact.worker))

    def note_plan(self, role: int, worker: Worker) -> None:
        """An activation begins, or is told as unused."""
        self.expect((role, worker) in self.plans, "PlanLost")
        self.plans.discard((role, worker))

    # -- one step --------------------------------------------------------------------------------------------------

    def note_actions(self, fact: Input, actions: KeyedActions) -> None:
        """Everything that leaves with a step, in the order of the lanes."""
        assigned = {each.job for each in actions.role_assignments}
        for creation in actions.worker_creations:
            self.note_creation(creation)
        for reply in actions.management_deliveries:
            self.note_management(fact, reply.outcome)
        for delivery in actions.admission_deliveries:
            self.note_admission(fact, delivery.outcome, assigned)
        for terminal in actions.terminal_customer_deliveries:
            self.note_terminal(terminal.outcome)
        for assignment in actions.role_assignments:
            self.note_assignment(assignment)
        for diagnostic in actions.diagnostics():
            self.note_diagnostic(fact, diagnostic)
        for preparation in actions.worker_preparations:
            self.note_preparation(preparation)
        for shutdown in actions.worker_shutdowns:
            self.note_shutdown(shutdown)
        self.note_timers(actions)

    def compare(self, state: State) -> None:
        """What the ledger has open is what the pool holds, in each mode."""
        owed = tuple(sorted(int(each) for each in self.entries))
        if isinstance(state, OPEN):
            self.expect(held_jobs(state) == owed, "Conservation")
            self.expect(state.table.kept == tuple(self.bound[key] for key in sorted(self.bound)), "BindingLost")
            self.expect(planned(state) == self.plans, "PlanLost")
            self.expect(timed(state) == {each for each in self.asks if each[0] in CLOCKS}, "TimerShared")
            self.expect(prepared(state) == tuple(sorted(self.candidates.items())), "CandidateLost")
            return
        self.closed = True
        self.expect(not owed, "JobKeptAfterShutdown")
        self.expect(not self.bound, "BindingLost")
        self.expect(not self.candidates, "CandidateLost")
        self.expect(not self.plans, "PlanLost")
        living = {each.child for _, each in self.alive}
        self.asks = {each for each in self.asks if each[0] == "schedule" or (each[0] != "timer" and each[2] in living)}
        if isinstance(state, Stopped):
            self.expect(not self.making and not self.alive, "WorkerAbandoned")


def audit_step(
    definition: KeyedDefinition, ledger: Ledger, before: State, fact: Input, transition: Transition
) -> tuple[Ledger, tuple[str, ...]]:
    """The ledger after a step, and the names of what the step broke, each once and in order."""
    if transition.refused is not None:
        return ledger, ()
    scribe = Scribe(definition, ledger)
    is_open = scribe.note_fact(fact)
    scribe.note_actions(fact, transition.actions)
    scribe.compare(transition.state)
    scribe.names += [*_effects(before, fact, transition, is_open), *_tables(before, fact, transition)]
    return scribe.ledger(), tuple(dict.fromkeys(scribe.names))


def _effects(before: State, fact: Input, transition: Transition, is_open: bool) -> Iterator[str]:
    """An input that is told as rejected, or is about nothing open, changes nothing; and none passes in silence."""
    after, actions, _ = transition
    changed = after != before
    rejected = any(each.kind == "rejected-input" for each in actions.diagnostics())
    if changed and (rejected or not is_open):
        yield "LateFactTookEffect"
    if not changed and not any(actions) and not isinstance(fact, f.Shutdown):
        yield "SilentStep"
    begun = actions.worker_creations or actions.worker_preparations or actions.activation_begins
    if (begun or actions.restart_schedules) and not isinstance(after, OPEN):
        yield "RestartAfterShutdown"


def _tables(before: State, fact: Input, transition: Transition) -> Iterator[str]:
    """A binding and its job come together; a command touches the table and no work."""
    after, actions, _ = transition
    if not isinstance(before, OPEN) or not isinstance(after, OPEN):
        return
    if isinstance(fact, Submit):
        kept, was = set(after.table.kept), set(before.table.kept)
        accepted = [each.outcome for each in actions.admission_deliveries if isinstance(each.outcome, Accepted)]
        through = {Binding(fact.key, *each.binding) for each in accepted}
        if kept != was | through:
            yield "BindingApart"
    if isinstance(fact, Rebalance | Unbind):
        moved = actions.terminal_customer_deliveries or actions.role_assignments
        if moved or after.cells != before.cells:
            yield "ManagementMovedWork"


def _clocks(role: int) -> tuple[tuple[str, int], ...]:
    return tuple((word, role) for word in CLOCKS)
