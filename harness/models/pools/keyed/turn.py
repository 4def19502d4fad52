"""One step of a keyed pool: the mode and the kind of the input say which rule decides, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import Allocators
from harness.models.pools.deadlines import NO_DEADLINE
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.inputs import Input
from harness.models.pools.keyed.losing import Losing
from harness.models.pools.keyed.outcomes import NO_ACTIONS, KeyedActions
from harness.models.pools.keyed.state import (
    ENDED,
    Cell,
    Constructed,
    Draining,
    ForcedRetirement,
    Operating,
    State,
    Stopped,
    Table,
    UnsentCell,
)

_MEMBER: Mapping[str, tuple[str, str]] = {
    "birth-committed": ("birth_committed", "drain_birth"),
    "birth-rejected": ("birth_rejected", "drain_birth"),
    "init-ready": ("init_settled", "drain_settles"),
    "init-rejected": ("init_settled", "drain_settles"),
    "init-stopped": ("init_settled", "drain_settles"),
    "begin-accepted": ("begin_settled", "drain_settles"),
    "begin-rejected": ("begin_settled", "drain_settles"),
    "worker-ready": ("worker_ready", "drain_settles"),
    "worker-stopped": ("worker_stopped", "drain_stop"),
    "delivery-accepted": ("delivery_settled", "drain_delivery"),
    "delivery-rejected": ("delivery_settled", "drain_delivery"),
    "worker-completed": ("worker_completed", "drain_completion"),
    "source-prepared": ("source_settled", "drain_source"),
    "source-partial": ("source_settled", "drain_source"),
    "source-rejected": ("source_settled", "drain_source"),
    "schedule-accepted": ("restart_fact", "drain_restart"),
    "schedule-rejected": ("restart_fact", "drain_restart"),
    "timer-elapsed": ("restart_fact", "drain_restart"),
    "shutdown-accepted": ("shutdown_settled", "drain_settles"),
    "shutdown-rejected": ("shutdown_settled", "drain_settles"),
}
_TIMER = ("deadline-accepted", "deadline-rejected", "deadline-elapsed")

OPERATING: Mapping[str, str] = {
    "initialize": "reject",
    "submit": "submit",
    "rebalance": "manage",
    "unbind": "manage",
    "shutdown": "shutdown",
    **{kind: rules[0] for kind, rules in _MEMBER.items()},
    **dict.fromkeys(_TIMER, "reject"),
}
"""Which method takes which input while the pool is open."""

CONSTRUCTED: Mapping[str, str] = {
    "initialize": "initialize",
    "submit": "submit",
    "rebalance": "manage",
    "unbind": "manage",
    "shutdown": "shutdown",
    **dict.fromkeys((*_MEMBER, *_TIMER), "reject"),
}
"""Before the pool begins: no creation has left, so that no fact about a worker can fit."""

DRAINING: Mapping[str, str] = {
    "initialize": "reject",
    "submit": "refuse_closed",
    "rebalance": "refuse_command",
    "unbind": "refuse_command",
    "shutdown": "repeat_shutdown",
    **{kind: rules[1] for kind, rules in _MEMBER.items()},
    **dict.fromkeys(_TIMER, "deadline_fact"),
}
"""Which method takes which input while the pool ends."""


class KeyedTurn(Losing):
    """The rules of a keyed pool; an inversion is a subclass that breaks one of them."""

    def __init__(self, definition: KeyedDefinition, state: State) -> None:
        allocators = Allocators() if isinstance(state, ENDED) else state.allocators
        super().__init__(definition.workers, allocators, state.charges if isinstance(state, Operating) else ())
        self.keyed = definition
        self.before = state
        self.unsent = tuple(each.member for each in state.cells) if isinstance(state, Constructed) else ()
        self.members = [each.member for each in state.cells] if isinstance(state, Operating) else []
        cells = state.cells if isinstance(state, Constructed | Operating) else ()
        self.queues = [list(each.queue) for each in cells]
        table = state.table if isinstance(state, Constructed | Operating) else Table()
        self.kept = {each.key: each for each in table.kept}
        self.generations = table.generations
        self.draining = list(state.members) if isinstance(state, Draining) else None
        self.deadline = state.deadline if isinstance(state, Draining) else NO_DEADLINE

    def take(self, fact: Input) -> bool:
        """Decide one input; False where the pool takes nothing in."""
        if isinstance(self.before, ENDED):
            return False
        table = DRAINING if isinstance(self.before, Draining) else CONSTRUCTED if self.unsent else OPERATING
        rule: Callable[[Any], None] = getattr(self, table[fact.kind])
        rule(fact)
        return True

    # -- inputs about the pool itself ------------------------------------------------------------------------------

    def initialize(self, _: f.Initialize) -> None:
        """Every prepared creation leaves, in declared order."""
        unsent, self.unsent = self.unsent, ()
        self.members = [None] * len(unsent)  # type: ignore[list-item]  # create fills every place
        for each in unsent:
            self.create(each.role, each.reservation, each.definition, each.kind)

    def shutdown(self, _: f.Shutdown) -> None:
        """The first shutdown."""
        self.begin_drain()

    def repeat_shutdown(self, _: f.Shutdown) -> None:
        """A shutdown of a pool that ends already: nothing leaves twice."""

    def drain_completion(self, fact: f.WorkerCompleted) -> None:
        """A late completion is never a job again; its result is told."""
        self.stale(fact.completion)

    # -- the end ---------------------------------------------------------------------------------------------------

    def begin_drain(self) -> None:
        """Close: every binding leaves, every job goes back once, and every member becomes one that only ends."""
        self.drop_bindings(None, "pool-shutdown")
        for role in range(len(self.queues)):
            self.return_queue(role, "pool-shutdown")
        self.return_all_assigned()
        self.release_candidates()
        self.draining = [m.Drained(role) for role in range(len(self.keyed.roles))]
        for each in self.members:
            self.put_drained(self.drained_form(each))
        self.arm_deadline()

    def return_all_assigned(self) -> None:
        """Jobs on workers go back in the order of the roles; a completion that was kept is out of date."""
        for each in self.members:
            if not isinstance(each, m.Busy):
                continue
            self.return_assigned(each.job, "pool-shutdown")
            kept = each.join
            if isinstance(kept, m.CompletionFirst):
                self.diagnose("stale-completion", "kept", kept.completion)
            if isinstance(kept, m.StopFirst) and kept.later_completion is not None:
                self.diagnose("stale-completion", "kept", kept.later_completion)

    def release_candidates(self) -> None:
        """Replacements that are ready will not be made."""
        for each in self.members:
            self.release_candidate(each, "pool-shutdown")

    # -- the next state --------------------------------------------------------------------------------------------

    def state(self) -> State:
        """What the pool is after the step."""
        if self.forced is not None:
            return ForcedRetirement(self.unresolved(), self.forced)
        if self.has_ended():
            return Stopped()
        if self.draining is not None:
            return Draining(tuple(self.draining), self.deadline, self.allocators)
        if self.unsent:
            waiting = zip(self.unsent, self.queues, strict=True)
            unsent = tuple(UnsentCell(member, tuple(queue)) for member, queue in waiting)
            return Constructed(unsent, self.table(), self.allocators)
        # An inversion may take a cell out of its place; the audits, not this line, have to say so.
        cells = tuple(Cell(member, tuple(queue)) for member, queue in zip(self.members, self.queues, strict=True))
        return Operating(cells, self.table(), self.charges, self.allocators)

    def product(self) -> KeyedActions:
        """Everything that was decided, on the lanes of a keyed pool."""
        return KeyedActions(**{lane: tuple(each) for lane, each in self.lanes.items()}) if self.lanes else NO_ACTIONS
