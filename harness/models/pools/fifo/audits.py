"""What must hold of every state of a FIFO pool, looked at in one pass and without a look at how it came about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from harness.models.pools import members as m
from harness.models.pools.definition import Definition
from harness.models.pools.fifo.state import Draining, Operating, State

CLAIMS: dict[str, int] = {
    "roster-changed": 1,
    "correlation-reissued": 2,
    "worker-shared": 2,
    "capability-leaked": 3,
    "assigned-before-ready": 4,
    "worker-abandoned": 4,
    "job-in-two-places": 5,
    "conservation": 5,
    "payload-changed": 5,
    "refused-with-room": 6,
    "admission-bound": 6,
    "queue-bound": 6,
    "double-assignment": 7,
    "assignment-misplaced": 7,
    "activation-limit": 7,
    "activation-unused": 4,
    "idle-beside-queue": 8,
    "queue-order": 9,
    "dispatched-out-of-order": 9,
    "cursor-off-ring": 9,
    "assignment-differs": 9,
    "unauthorized-completion": 10,
    "completion-shared": 10,
    "recovery-before-resolution": 11,
    "doubled-recovery": 11,
    "outcome-before-join": 12,
    "doubled-outcome": 12,
    "outcome-differs": 12,
    "stranded-job": 13,
    "job-kept-after-shutdown": 14,
    "dispatch-after-shutdown": 14,
    "admitted-after-shutdown": 14,
    "asked-twice-to-end": 14,
    "late-fact-took-effect": 15,
    "late-fact-differs": 15,
    "silent-step": 16,
    "unasked-outcome": 16,
    "product-differs": 16,
}
"""Every violation's name with the claim of the law that it breaks; `…-differs` are the oracle's."""


def audit_state(definition: Definition, state: State) -> Iterator[str]:
    """The names of what does not hold of a state."""
    if isinstance(state, Operating):
        yield from _roster(definition, state)
        yield from _queue(definition, state)
        yield from _places(state)
        yield from _workers(definition, state)
    elif isinstance(state, Draining) and [each.role for each in state.members] != list(range(len(definition.roles))):
        yield "roster-changed"


def _roster(definition: Definition, state: Operating) -> Iterator[str]:
    if [each.role for each in state.members] != list(range(len(definition.roles))):
        yield "roster-changed"
    if not 0 <= state.cursor < len(definition.roles):
        yield "cursor-off-ring"


def _queue(definition: Definition, state: Operating) -> Iterator[str]:
    ordinals = [each.obligation.ordinal for each in state.queue]
    if any(later <= earlier for earlier, later in pairwise(ordinals)):
        yield "queue-order"
    if len(ordinals) > definition.backlog + len(definition.roles):
        yield "queue-bound"
    if ordinals and any(isinstance(each, m.Idle) for each in state.members):
        yield "idle-beside-queue"
    if ordinals and all(m.is_lost(each) for each in state.members):
        yield "stranded-job"


def _places(state: Operating) -> Iterator[str]:
    busy = [each for each in state.members if isinstance(each, m.Busy)]
    jobs = [each.obligation.job for each in state.queue] + [each.job.obligation.job for each in busy]
    if len(set(jobs)) != len(jobs):
        yield "job-in-two-places"
    if len({each.job.token for each in busy}) != len(busy):
        yield "completion-shared"
    if any((each.job.worker, each.job.role) != (each.worker, each.role) for each in busy):
        yield "assignment-misplaced"


def _workers(definition: Definition, state: Operating) -> Iterator[str]:
    born = [
        each.worker.evidence for each in state.members if not isinstance(each, m.Creating | m.Recovering | m.Retired)
    ]
    if len(set(born)) != len(born):
        yield "worker-shared"
    tickets = [each.ticket for each in state.members if isinstance(each, m.ActivationDispatched | m.Activating)]
    if len(tickets) > definition.activation_limit or len(set(tickets)) != len(tickets):
        yield "activation-limit"
    waiting = any(isinstance(each, m.WaitingForAuthorization) for each in state.members)
    if waiting and len(tickets) < definition.activation_limit:
        yield "activation-unused"


def held_jobs(state: State) -> tuple[int, ...]:
    """The jobs that a state holds, in order of their numbers."""
    if not isinstance(state, Operating):
        return ()
    queued = [int(each.obligation.job) for each in state.queue]
    busy = [int(each.job.obligation.job) for each in state.members if isinstance(each, m.Busy)]
    return tuple(sorted({*queued, *busy}))
