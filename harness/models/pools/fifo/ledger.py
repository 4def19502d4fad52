"""Conservation, told from what goes in and what comes out alone.

The ledger writes down every accepted job, every delivery, every worker that was made, and crosses them off by facts
and outcomes. It never looks at how the pool keeps its jobs; only the sums are compared with the state in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools.correlations import (
    BirthId,
    Correlation,
    DispatchId,
    JobId,
    RecoveryId,
    RequestId,
    TicketId,
    TimerId,
)
from harness.models.pools.definition import Definition
from harness.models.pools.fifo.audits import held_jobs
from harness.models.pools.fifo.state import Draining, Operating, State, Stopped, Transition
from harness.models.pools.open_work import OpenWork, is_running
from harness.models.pools.values import Authority, Evidence, Stop, Worker

KINDS: tuple[type[Correlation], ...] = (BirthId, DispatchId, JobId, RecoveryId, TicketId, TimerId)
NONE_YET = tuple(kind(0) for kind in KINDS)


class Entry(NamedTuple):
    """An accepted job that has no outcome yet; `worker` and `dispatch` tell its latest assignment, None for none.

    `delivered` is the delivery's answer (None: open), `stopped` and `completed` whether the exact fact was seen.
    """

    job: JobId
    payload: RequestId
    worker: Worker | None = None
    role: int = 0
    dispatch: DispatchId | None = None
    delivered: bool | None = None
    stopped: bool = False
    completed: bool = False

    @property
    def is_running(self) -> bool:
        """Whether the latest assignment is not over."""
        return is_running(self)


class Ledger(NamedTuple):
    """What is open: jobs, creations (role, birth), live workers (role, worker), who of them is ready or asked to end.

    `replaced` are the workers for which a replacement was asked, `early` stops seen before their birth, `highest` the
    latest number of each kind, in the order of `KINDS`.
    """

    entries: tuple[Entry, ...] = ()
    making: tuple[tuple[int, BirthId], ...] = ()
    alive: tuple[tuple[int, Worker], ...] = ()
    ready: tuple[BirthId, ...] = ()
    asked: tuple[BirthId, ...] = ()
    replaced: tuple[tuple[int, Worker], ...] = ()
    early: tuple[Stop, ...] = ()
    highest: tuple[Correlation, ...] = NONE_YET
    closed: bool = False


class Scribe(OpenWork[Entry]):
    """Writes one step into a draft of the ledger and names what cannot be."""

    REISSUED = "correlation-reissued"

    def __init__(self, definition: Definition, ledger: Ledger) -> None:
        self.definition = definition
        self.before = ledger
        self.entries = {each.job: each for each in ledger.entries}
        self.making = set(ledger.making)
        self.alive = set(ledger.alive)
        self.ready = set(ledger.ready)
        self.asked = set(ledger.asked)
        self.replaced = dict(ledger.replaced)
        self.early = {each.worker.child: each for each in ledger.early}
        self.closed = ledger.closed
        self.begin(ledger.highest)

    def role_of(self, job: Entry) -> int:
        """The role that its assignment named."""
        return job.role

    def ledger(self) -> Ledger:
        """The ledger after the step."""
        return Ledger(
            tuple(self.entries[job] for job in sorted(self.entries)),
            tuple(sorted(self.making)),
            tuple(sorted(self.alive)),
            tuple(sorted(self.ready)),
            tuple(sorted(self.asked)),
            tuple(sorted(self.replaced.items())),
            tuple(self.early[child] for child in sorted(self.early)),
            tuple(self.highest[kind] for kind in KINDS),
            self.closed,
        )

    # -- what goes in ----------------------------------------------------------------------------------------------

    def _birth_committed(self, fact: f.BirthCommitted) -> bool:
        return self.born(fact)

    def _worker_ready(self, fact: f.WorkerReady) -> bool:
        if (fact.role, fact.worker) not in self.alive:
            return True
        self.ready.add(fact.worker.child)
        return True

    # -- what comes out --------------------------------------------------------------------------------------------

    def note_admission(self, fact: f.Fact, outcome: a.AdmissionOutcome, assigned: set[JobId]) -> None:
        """A submission was taken or refused."""
        if not isinstance(fact, f.Submit):
            return self.names.append("unasked-outcome")
        self.expect(outcome.request == fact.request, "payload-changed")
        waiting = sum(not each.is_running for each in self.entries.values())
        if isinstance(outcome, a.Rejected):
            self.expect(outcome.payload == fact.payload, "payload-changed")
            if outcome.reason == "backlog-full":
                self.expect(waiting >= self.definition.backlog, "refused-with-room")
            return None
        self.expect(not self.closed, "admitted-after-shutdown")
        if outcome.job not in assigned:
            self.expect(waiting < self.definition.backlog, "admission-bound")
        self.issue(outcome.job)
        self.entries[outcome.job] = Entry(outcome.job, fact.payload)
        return None

    def note_terminal(self, outcome: a.TerminalOutcome) -> None:
        """A job ends."""
        entry = self.entries.pop(outcome.job, None)
        if entry is None:
            return self.names.append("doubled-outcome")
        if isinstance(outcome, a.Completed):
            self.expect(entry.completed, "unauthorized-completion")
            self.expect(entry.delivered is True, "outcome-before-join")
            return None
        self.expect(outcome.payload == entry.payload, "payload-changed")
        if isinstance(outcome, a.ReturnedQueued):
            return self.expect(not entry.is_running, "job-in-two-places")
        if outcome.reason == "worker-stopped":
            self.expect(entry.delivered is True and entry.stopped, "outcome-before-join")
        return None

    def note_assignment(self, action: a.DeliverAssignment) -> None:
        """A job goes to a worker."""
        self.issue(action.assignment)
        self.expect(not self.closed, "dispatch-after-shutdown")
        self.expect(action.child in self.ready, "assigned-before-ready")
        worker = next((each for role, each in self.alive if (role, each.child) == (action.role, action.child)), None)
        running = [each for each in self.entries.values() if each.is_running]
        self.expect(all(each.worker != worker for each in running), "double-assignment")
        entry = self.entries.get(action.job)
        if entry is None:
            return self.names.append("doubled-outcome")
        self.expect(not entry.is_running, "job-in-two-places")
        self.expect(action.command.payload == entry.payload, "payload-changed")
        earlier = [each for job, each in self.entries.items() if job < action.job and not each.is_running]
        self.expect(not earlier, "dispatched-out-of-order")
        dispatched = Entry(entry.job, entry.payload, worker, action.role, action.assignment)
        self.entries[action.job] = dispatched
        return None

    def note_creation(self, action: a.CreateWorker) -> None:
        """A worker is made."""
        self.issue(action.reservation)
        self.making.add((action.role, action.reservation))
        self.replaced.pop(action.role, None)

    def note_preparation(self, action: a.PrepareWorker) -> None:
        """A replacement is asked for: the worker is gone, and so is what it had to do."""
        worker = action.replaces
        self.expect((action.role, worker) not in self.alive, "recovery-before-resolution")
        held = [each for each in self.entries.values() if each.worker == worker and each.is_running]
        self.expect(not held, "recovery-before-resolution")
        self.expect(self.replaced.get(action.role) != worker, "doubled-recovery")
        self.replaced[action.role] = worker

    def note_shutdown(self, action: a.ShutdownWorker) -> None:
        """A worker is asked to end."""
        self.expect(action.worker.child not in self.asked, "asked-twice-to-end")
        self.asked.add(action.worker.child)

    def note_actions(self, fact: f.Fact, actions: a.Actions) -> None:
        """Everything that leaves with a step, in the order of the lanes."""
        assigned = {each.job for each in actions.worker_assignments}
        for creation in actions.worker_creations:
            self.note_creation(creation)
        for delivery in actions.admission_deliveries:
            self.note_admission(fact, delivery.outcome, assigned)
            self.expect(_is_public(delivery.outcome), "capability-leaked")
        for terminal in actions.terminal_customer_deliveries:
            self.note_terminal(terminal.outcome)
            self.expect(_is_public(terminal.outcome), "capability-leaked")
        for assignment in actions.worker_assignments:
            self.note_assignment(assignment)
        for preparation in actions.worker_preparations:
            self.note_preparation(preparation)
        for shutdown in actions.worker_shutdowns:
            self.note_shutdown(shutdown)
        for begin in actions.activation_begins:
            self.issue(begin.ticket)
        for schedule in actions.restart_schedules:
            self.issue(schedule.recovery)
            self.issue(schedule.timer)
        for deadline in actions.deadline_schedules:
            self.issue(deadline.timer)

    # -- the sums --------------------------------------------------------------------------------------------------

    def compare(self, state: State) -> None:
        """What the ledger has open is what the pool holds, in each mode."""
        owed = tuple(sorted(int(each) for each in self.entries))
        if isinstance(state, Operating):
            self.expect(held_jobs(state) == owed, "conservation")
            return
        self.closed = True
        self.expect(not owed, "job-kept-after-shutdown")
        if isinstance(state, Stopped):
            self.expect(not self.making and not self.alive, "worker-abandoned")
            for_good: set[Any] = set()
            self.making, self.alive, self.ready, self.asked = for_good, set(for_good), set(for_good), set(for_good)


def audit_step(
    definition: Definition, ledger: Ledger, before: State, fact: f.Fact, transition: Transition
) -> tuple[Ledger, tuple[str, ...]]:
    """The ledger after a step, and the names of what the step broke, each once and in order."""
    if transition.refused is not None:
        return ledger, ()
    scribe = Scribe(definition, ledger)
    is_open = scribe.note_fact(fact)
    scribe.note_actions(fact, transition.actions)
    after = transition.state
    if isinstance(after, Operating | Draining | Stopped):
        scribe.compare(after)
    scribe.names += _effects(before, fact, transition, is_open)
    return scribe.ledger(), tuple(dict.fromkeys(scribe.names))


def _effects(before: State, fact: f.Fact, transition: Transition, is_open: bool) -> Iterator[str]:
    """A fact that is told as rejected, or is about nothing open, changes nothing; and no fact passes in silence."""
    changed = transition.state != before
    rejected = any(each.kind == "rejected-fact" for each in transition.actions.diagnostics())
    if changed and (rejected or not is_open):
        yield "late-fact-took-effect"
    if not changed and not any(transition.actions) and not isinstance(fact, f.Shutdown):
        yield "silent-step"


def _is_public(outcome: NamedTuple) -> bool:
    return not any(isinstance(each, Worker | Authority | Evidence | BirthId) for each in outcome)
