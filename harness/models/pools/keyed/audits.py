"""What must hold of every state of a keyed pool, looked at in one pass and without a look at how it came about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from harness.models.pools import members as m
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.state import Constructed, Draining, Operating, State, Waiting

CLAIMS: dict[str, int] = {
    "RosterChanged": 1,
    "CorrelationReissued": 2,
    "WorkerShared": 2,
    "SelectorMisused": 3,
    "BindingApart": 4,
    "BindingBound": 5,
    "AdmissionBound": 5,
    "QueueBound": 5,
    "RefusedWithRoom": 5,
    "QueueLocation": 6,
    "QueueOrder": 6,
    "DispatchedOutOfOrder": 6,
    "AssignmentRole": 7,
    "AssignmentDiffers": 7,
    "AdmissionDiffers": 8,
    "IdleBesideQueue": 9,
    "AssignmentMisplaced": 10,
    "DoubleAssignment": 10,
    "AssignedBeforeReady": 10,
    "UnauthorizedCompletion": 10,
    "OutcomeBeforeJoin": 10,
    "OutcomeDiffers": 10,
    "JobInTwoPlaces": 11,
    "Conservation": 11,
    "DuplicateTerminal": 11,
    "PayloadChanged": 11,
    "ManagementMovedWork": 11,
    "ManagementDiffers": 11,
    "StaleMutation": 12,
    "GenerationReused": 12,
    "BindingRepeated": 12,
    "RetiredRoleBound": 13,
    "RetiredRoleQueued": 13,
    "BindingLost": 13,
    "BindingDiffers": 13,
    "RecoveryBeforeResolution": 13,
    "DoubledRecovery": 13,
    "SourceShared": 13,
    "TimerShared": 13,
    "JobKeptAfterShutdown": 14,
    "DispatchAfterShutdown": 14,
    "AdmittedAfterShutdown": 14,
    "RestartAfterShutdown": 14,
    "CandidateLost": 14,
    "PlanLost": 14,
    "AskedTwiceToEnd": 14,
    "WorkerAbandoned": 14,
    "ActivationLimit": 14,
    "ActivationUnused": 14,
    "LateFactTookEffect": 15,
    "LateFactDiffers": 15,
    "SilentStep": 16,
    "UnaskedOutcome": 16,
    "ProductDiffers": 16,
}
"""Every violation's name with the claim of the law that it breaks; `…Differs` are the oracles'."""


def audit_state(definition: KeyedDefinition, state: State) -> Iterator[str]:
    """The names of what does not hold of a state."""
    if isinstance(state, Constructed | Operating):
        if [each.member.role for each in state.cells] != list(range(len(definition.roles))):
            yield "RosterChanged"
        yield from _queues(definition, state)
        yield from _table(definition, state)
        yield from _places(state)
    if isinstance(state, Operating):
        yield from _roles(definition, state)
        yield from _workers(definition, state)
    if isinstance(state, Draining) and [each.role for each in state.members] != list(range(len(definition.roles))):
        yield "RosterChanged"


def _queues(definition: KeyedDefinition, state: Constructed | Operating) -> Iterator[str]:
    queues: list[tuple[Waiting, ...]] = [each.queue for each in state.cells]
    for role, queue in zip(definition.roles, queues, strict=False):
        if any(each.obligation.admitted is None or each.obligation.admitted.role != role for each in queue):
            yield "QueueLocation"
        ordinals = [each.obligation.ordinal for each in queue]
        if any(later <= earlier for earlier, later in pairwise(ordinals)):
            yield "QueueOrder"
        if len(ordinals) > definition.workers.backlog + 1:
            yield "QueueBound"


def _table(definition: KeyedDefinition, state: Constructed | Operating) -> Iterator[str]:
    kept = state.table.kept
    if len(kept) > definition.binding_capacity:
        yield "BindingBound"
    keys, generations = {each.key for each in kept}, {each.generation for each in kept}
    if (
        len(keys) != len(kept)
        or len(generations) != len(kept)
        or any(each.role not in definition.roles for each in kept)
    ):
        yield "BindingRepeated"


def _places(state: Constructed | Operating) -> Iterator[str]:
    busy = [each.member for each in state.cells if isinstance(each.member, m.Busy)]
    jobs = [each.obligation.job for cell in state.cells for each in cell.queue]
    jobs += [each.job.obligation.job for each in busy]
    if len(set(jobs)) != len(jobs):
        yield "JobInTwoPlaces"


def _roles(definition: KeyedDefinition, state: Operating) -> Iterator[str]:
    bound = {each.role for each in state.table.kept}
    for role, (member, queue) in zip(definition.roles, state.cells, strict=False):
        if queue and isinstance(member, m.Idle):
            yield "IdleBesideQueue"
        if isinstance(member, m.Busy):
            admitted = member.job.obligation.admitted
            if admitted is None or admitted.role != role:
                yield "AssignmentRole"
            if (member.job.worker, member.job.role) != (member.worker, member.role):
                yield "AssignmentMisplaced"
        if m.is_lost(member) and role in bound:
            yield "RetiredRoleBound"
        if m.is_lost(member) and queue:
            yield "RetiredRoleQueued"


def _workers(definition: KeyedDefinition, state: Operating) -> Iterator[str]:
    members = [each.member for each in state.cells]
    born = [each.worker.evidence for each in members if not isinstance(each, m.Creating | m.Recovering | m.Retired)]
    if len(set(born)) != len(born):
        yield "WorkerShared"
    tickets = [each.ticket for each in members if isinstance(each, m.ActivationDispatched | m.Activating)]
    limit = definition.workers.activation_limit
    if len(tickets) > limit or len(set(tickets)) != len(tickets):
        yield "ActivationLimit"
    if any(isinstance(each, m.WaitingForAuthorization) for each in members) and len(tickets) < limit:
        yield "ActivationUnused"
    recoveries = [each.recovery for each in members if isinstance(each, m.Recovering)]
    asked = sum(isinstance(each, m.Preparing) for each in recoveries)
    if asked > 1 or (not asked and any(isinstance(each, m.WaitingForSource) for each in recoveries)):
        yield "SourceShared"
