"""One step of a FIFO pool: the mode and the kind of the fact say which rule decides, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.models.pools.correlations import Allocators
from harness.models.pools.deadlines import NO_DEADLINE
from harness.models.pools.definition import Definition
from harness.models.pools.facts import Fact, Initialize, Shutdown, Submit
from harness.models.pools.fifo.dispatching import Dispatching
from harness.models.pools.fifo.state import (
    Constructed,
    Draining,
    ForcedRetirement,
    Operating,
    State,
    Stopped,
)
from harness.models.pools.values import Birth

OPERATING: Mapping[str, str] = {
    "initialize": "reject",
    "submit": "submit",
    "shutdown": "shutdown",
    "birth-committed": "birth_committed",
    "birth-rejected": "birth_rejected",
    "init-ready": "init_settled",
    "init-rejected": "init_settled",
    "init-stopped": "init_settled",
    "begin-accepted": "begin_settled",
    "begin-rejected": "begin_settled",
    "worker-ready": "worker_ready",
    "worker-stopped": "worker_stopped",
    "delivery-accepted": "delivery_settled",
    "delivery-rejected": "delivery_settled",
    "worker-completed": "worker_completed",
    "source-prepared": "source_settled",
    "source-partial": "source_settled",
    "source-rejected": "source_settled",
    "schedule-accepted": "restart_fact",
    "schedule-rejected": "restart_fact",
    "timer-elapsed": "restart_fact",
    "shutdown-accepted": "shutdown_settled",
    "shutdown-rejected": "shutdown_settled",
    "deadline-accepted": "reject",
    "deadline-rejected": "reject",
    "deadline-elapsed": "reject",
}
"""Which method takes which fact while the pool is open."""

DRAINING: Mapping[str, str] = {
    "initialize": "reject",
    "submit": "refuse_closed",
    "shutdown": "repeat_shutdown",
    "birth-committed": "drain_birth",
    "birth-rejected": "drain_birth",
    "init-ready": "drain_settles",
    "init-rejected": "drain_settles",
    "init-stopped": "drain_settles",
    "begin-accepted": "drain_settles",
    "begin-rejected": "drain_settles",
    "worker-ready": "drain_settles",
    "worker-stopped": "drain_stop",
    "delivery-accepted": "drain_delivery",
    "delivery-rejected": "drain_delivery",
    "worker-completed": "drain_completion",
    "source-prepared": "drain_source",
    "source-partial": "drain_source",
    "source-rejected": "drain_source",
    "schedule-accepted": "drain_restart",
    "schedule-rejected": "drain_restart",
    "timer-elapsed": "drain_restart",
    "shutdown-accepted": "drain_settles",
    "shutdown-rejected": "drain_settles",
    "deadline-accepted": "deadline_fact",
    "deadline-rejected": "deadline_fact",
    "deadline-elapsed": "deadline_fact",
}
"""Which method takes which fact while the pool ends."""


class FifoTurn(Dispatching):
    """The rules of a FIFO pool; an inversion is a subclass that breaks one of them."""

    def __init__(self, definition: Definition, state: State) -> None:
        open_ = isinstance(state, Operating)
        allocators = state.allocators if isinstance(state, Constructed | Operating | Draining) else Allocators()
        super().__init__(definition, allocators, state.charges if isinstance(state, Operating) else ())
        self.before = state
        self.members = list(state.members) if isinstance(state, Operating) else []
        self.queue = list(state.queue) if isinstance(state, Operating) else []
        self.cursor = state.cursor if isinstance(state, Operating) else 0
        self.draining = list(state.members) if isinstance(state, Draining) else None
        self.deadline = state.deadline if isinstance(state, Draining) else NO_DEADLINE
        self.is_open = open_

    def take(self, fact: Fact) -> bool:
        """Decide one fact; False where the pool takes nothing in."""
        if isinstance(self.before, Constructed):
            if not isinstance(fact, Initialize):
                return False
            self.initialize(self.before)
            return True
        if isinstance(self.before, ForcedRetirement | Stopped):
            return False
        table = OPERATING if self.is_open else DRAINING
        rule: Callable[[Any], None] = getattr(self, table[fact.kind])
        rule(fact)
        return True

    # -- facts about the pool itself -------------------------------------------------------------------------------

    def initialize(self, before: Constructed) -> None:
        """Every prepared creation leaves, in declared order."""
        self.members = [None] * len(before.roles)  # type: ignore[list-item]  # create fills every place
        for role, prepared in enumerate(before.roles):
            self.create(role, prepared.reservation, prepared.definition, Birth())

    def shutdown(self, _: Shutdown) -> None:
        """The first shutdown."""
        self.begin_drain()

    def repeat_shutdown(self, _: Shutdown) -> None:
        """A shutdown of a pool that ends already: nothing leaves twice."""

    def refuse_closed(self, fact: Submit) -> None:
        """A submission to a pool that ends."""
        self.refuse(fact, "shutting-down")

    def drain_completion(self, fact: Any) -> None:
        """A late completion is never a job again; its result is told."""
        self.stale(fact.completion)

    # -- the next state --------------------------------------------------------------------------------------------

    def state(self) -> State:
        """What the pool is after the step."""
        if self.forced is not None:
            return ForcedRetirement(self.unresolved(), self.forced)
        if self.has_ended():
            return Stopped()
        if self.draining is not None:
            return Draining(tuple(self.draining), self.deadline, self.allocators)
        return Operating(tuple(self.members), tuple(self.queue), self.cursor, self.charges, self.allocators)
