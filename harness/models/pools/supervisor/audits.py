"""What must hold of every state of a supervisor, looked at in one pass and without a look at how it came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.state import Draining, Operating, State, all_members

CLAIMS: dict[str, int] = {
    "roster-changed": 1,
    "created-out-of-order": 1,
    "proxy-shared": 2,
    "proxy-made-twice": 2,
    "capability-leaked": 2,
    "outcome-reconstructed": 3,
    "ready-before-report": 4,
    "event-differs": 4,
    "activation-bound": 5,
    "operation-doubled": 5,
    "correlation-reissued": 5,
    "half-admitted": 6,
    "peer-changed": 6,
    "recovery-overlap": 6,
    "budget-exceeded": 6,
    "issued-before-release": 7,
    "replacement-without-predecessor": 7,
    "held-back": 7,
    "late-fact-took-effect": 8,
    "late-fact-differs": 8,
    "late-fact-in-part": 8,
    "charged-twice": 8,
    "join-left-open": 8,
    "query-changed-state": 9,
    "query-unanswered": 9,
    "projection-differs": 9,
    "work-after-shutdown": 10,
    "asked-twice-to-end": 10,
    "stranger-asked-to-end": 10,
    "proxy-abandoned": 10,
    "silent-step": 11,
    "input-lost": 11,
    "stop-lost": 11,
    "product-differs": 11,
}
"""Every violation's name with the claim of the law that it breaks; `…-differs` are the oracle's."""


def audit_state(definition: Definition, state: State) -> Iterator[str]:
    """The names of what does not hold of a state."""
    if isinstance(state, Operating):
        members = all_members(state)
        yield from _roster(definition, members)
        yield from _activations(definition, state, members)
        yield from _recoveries(state)
        yield from _budget(definition, state)
    elif isinstance(state, Draining) and [each.role for each in state.members] != list(range(len(definition.roles))):
        yield "roster-changed"


def _roster(definition: Definition, members: tuple[m.Member, ...]) -> Iterator[str]:
    if [each.role for each in members] != list(range(len(definition.roles))):
        yield "roster-changed"
    proxies = [
        each.reservation if isinstance(each, m.CreatingProxy | m.CreatingProxyAfterExit) else each.proxy.birth
        for each in members
        if not isinstance(each, m.Retired)
    ]
    if len(set(proxies)) != len(proxies):
        yield "proxy-shared"


def _activations(definition: Definition, state: Operating, members: tuple[m.Member, ...]) -> Iterator[str]:
    used = sum(map(m.holds_activation, members))
    if used > definition.activation_limit:
        yield "activation-bound"
    released = {each.role for batch in state.batches if isinstance(batch.release, m.Ready) for each in batch.members}
    if used < definition.activation_limit and any(_waits_alone_for_a_place(each, released) for each in members):
        yield "held-back"


def _waits_alone_for_a_place(member: m.Member, released: set[int]) -> bool:
    """Whether nothing but a free activation is missing for a member's operation to leave."""
    if isinstance(member, m.Starting | m.AwaitingInitial):
        return isinstance(member.initial, m.WaitingForAuthorization)
    return isinstance(member, m.Waiting) and member.role in released


def _recoveries(state: Operating) -> Iterator[str]:
    owners = Counter(role for pending in state.pending for role in pending.roles)
    owners.update(each.role for batch in state.batches for each in batch.members)
    if any(count > 1 for count in owners.values()):
        yield "recovery-overlap"
    for batch in state.batches:
        roles = [each.role for each in batch.members]
        if not roles or roles != sorted(roles):
            yield "half-admitted"
        if any(_is_terminal(each) for each in batch.members):
            yield "join-left-open"


def _is_terminal(member: m.Participant) -> bool:
    """Whether a replacement has both its stop and its outcome, and so should have left."""
    if not isinstance(member, m.Replacing) or member.stop is None:
        return False
    return isinstance(member.response, m.OutcomeReturned)


def _budget(definition: Definition, state: Operating) -> Iterator[str]:
    recovery = definition.recovery
    limit = recovery.restarts.budget.restarts if recovery is not None and recovery.restarts is not None else 0
    if sum(each.replacements for each in state.charges) > limit:
        yield "budget-exceeded"


def unissued_inputs(state: Operating | Draining) -> Counter[tuple[int, str]]:
    """The definitions that a state holds for roles and has not given to a proxy, by role and text."""
    held: Counter[tuple[int, str]] = Counter()
    for member in all_members(state) if isinstance(state, Operating) else state.members:
        for each in _unissued(member):
            held[member.role, each] += 1
    return held


def _unissued(member: m.Member | m.DrainMember) -> Iterator[str]:
    if isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit | m.ResolvingProxyBirth):
        yield member.initial.definition
    elif isinstance(member, m.DrainingProxy):
        yield from (each.definition for each in member.outstanding.unissued)
    elif isinstance(member, m.Starting | m.AwaitingInitial | m.Waiting):
        if not isinstance(member, m.Waiting) and isinstance(member.initial, m.WaitingForAuthorization):
            yield member.initial.input.definition
        if not isinstance(member, m.Starting):
            yield member.prepared.definition
