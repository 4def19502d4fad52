"""One step under audit: the ledger is written, and its sums are compared with the state before and after."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.audits import unissued_inputs
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.ledger import Ledger, Scribe
from harness.models.pools.supervisor.returns import told_in_part
from harness.models.pools.supervisor.state import (
    Constructed,
    Draining,
    Operating,
    State,
    Stopped,
    Terminated,
    Transition,
    all_members,
)
from harness.models.pools.supervisor.values import WorkerStop

READS = (f.QueryStatus, f.QueryCapability)


def audit_step(
    definition: Definition, ledger: Ledger, before: State, fact: f.Fact, transition: Transition
) -> tuple[Ledger, tuple[str, ...]]:
    """The ledger after a step, and the names of what the step broke, each once and in order."""
    if transition.refused is not None:
        return ledger, ()
    scribe = Scribe(definition, ledger)
    if isinstance(before, Constructed):
        scribe.unissued.update((role, each.initial.definition) for role, each in enumerate(before.roles))
    is_open = scribe.note_fact(fact)
    scribe.note_actions(fact, transition.actions)
    after = transition.state
    scribe.names += _published(scribe, fact, transition.actions)
    scribe.names += _effects(before, fact, transition, is_open)
    scribe.names += _queries(before, fact, transition)
    scribe.names += told_in_part(fact, transition.actions)
    if isinstance(before, Operating):
        scribe.names += _admission(scribe, before, fact, transition, is_open)
        scribe.names += _stops(definition, before, fact, transition)
    _compare(scribe, after)
    return scribe.ledger(), tuple(dict.fromkeys(scribe.names))


def _compare(scribe: Scribe, after: State) -> None:
    """What the ledger has open is what the supervisor holds."""
    if isinstance(after, Operating | Draining):
        scribe.expect(unissued_inputs(after) == +scribe.unissued, "input-lost")
    if isinstance(after, Operating):
        scribe.names += _readiness(scribe, after)
        if after.charges:
            scribe.latest = after.charges[-1].at
    else:
        scribe.closed = True
    if isinstance(after, Stopped):
        scribe.expect(not scribe.making and not scribe.alive, "proxy-abandoned")
        scribe.expect(not +scribe.unissued, "input-lost")


def _readiness(scribe: Scribe, after: Operating) -> Iterator[str]:
    """Whoever counts as ready has its one outcome, and its predecessor is known to be gone."""
    for each in after.members:
        if not isinstance(each, m.Online):
            continue
        service = scribe.serving.get(each.proxy)
        if service is None or each.proxy in scribe.given:
            yield "outcome-reconstructed"
        elif service.worker != each.worker or service.ended or service.successor is not None:
            yield "ready-before-report"


def _published(scribe: Scribe, fact: f.Fact, actions: a.Actions) -> Iterator[str]:
    """A start or restart is told with the fact that makes it so, and not before."""
    for event in actions.events():
        if isinstance(event, a.Started | a.Restarted):
            exact = getattr(fact, "proxy", None) == event.proxy and fact.kind in _MAKES_READY[event.kind]
            service = scribe.serving.get(event.proxy)
            if not exact or service is None or service.ended or service.successor is not None:
                yield "ready-before-report"
            if scribe.closed:
                yield "work-after-shutdown"


_MAKES_READY = {
    "started": ("initial-ready",),
    "restarted": ("replacement-ready", "worker-stopped", "stop-report-refused"),
}


def _effects(before: State, fact: f.Fact, transition: Transition, is_open: bool) -> Iterator[str]:
    """A fact that is told as unexpected, or is about nothing open, changes nothing; and no fact passes in silence."""
    changed = transition.state != before and not isinstance(transition.state, Terminated)
    rejected = any(each.kind == "unexpected-input" for each in transition.actions.diagnostics())
    if changed and (rejected or not is_open):
        yield "late-fact-took-effect"
    silent = transition.state == before and not any(transition.actions)
    arrived = isinstance(fact, f.DeliverySettled) and fact.word == "accepted" and is_open
    if silent and not isinstance(fact, f.Shutdown) and not arrived:
        yield "silent-step"


def _queries(before: State, fact: f.Fact, transition: Transition) -> Iterator[str]:
    """A query has one answer and changes nothing; nothing else is answered."""
    asked = isinstance(fact, READS)
    if asked and transition.state != before:
        yield "query-changed-state"
    if len(transition.actions.management_replies) != int(asked):
        yield "query-unanswered"


def _admission(scribe: Scribe, before: Operating, fact: f.Fact, transition: Transition, is_open: bool) -> Iterator[str]:
    """A recovery is admitted whole, by the source's answer alone, and a denied one touches no peer."""
    after = transition.state
    if not isinstance(after, Operating):
        return
    prepared = is_open and isinstance(fact, f.WorkersPrepared)
    denied = any(each.kind == "recovery-denied" for each in transition.actions.diagnostics())
    if after.charges != before.charges and not prepared:
        yield "charged-twice"
    known = {each.ticket for each in before.batches}
    admitted = [each for each in after.batches if each.ticket not in known]
    if not prepared or denied:
        if admitted or (denied and after.charges != before.charges):
            yield "half-admitted"
        if denied or any(each.kind == "worker-preparation-failed" for each in transition.actions.diagnostics()):
            yield from _peers(before, fact, after)
        return
    asked = [scribe.definition.roles.index(each.role) for each in fact.submissions]  # type: ignore[union-attr]  # prepared has looked
    charge = after.charges[-1].replacements if after.charges else 0
    counted = sum(after.admitted) - sum(before.admitted)
    if [[each.role for each in batch.members] for batch in admitted] != [asked] or (charge, counted) != (len(asked), 1):
        yield "half-admitted"


def _peers(before: Operating, fact: f.Fact, after: Operating) -> Iterator[str]:
    """Who worked on beside a recovery that is not to be still does."""
    was = {each.role: each for each in all_members(before)}
    for each in all_members(after):
        stopped = isinstance(fact, f.WorkerStopped) and getattr(each, "proxy", None) == fact.proxy
        if not isinstance(was[each.role], m.Empty) and not stopped and was[each.role] != each:
            yield "peer-changed"


def _stops(definition: Definition, before: Operating, fact: f.Fact, transition: Transition) -> Iterator[str]:
    """A stop that nobody holds any more was published, diagnosed or handed over, or nobody was to hear of it."""
    after = transition.state
    if not isinstance(after, Operating):
        return
    held = _held_stops(before)
    if isinstance(fact, f.WorkerStopped) and after is not before:
        held |= {(each.role, fact.stop) for each in all_members(before) if getattr(each, "proxy", None) == fact.proxy}
    left = _held_stops(after)
    told = {each[:3] for each in transition.actions.events() if isinstance(each, a.StopPublished)}
    others = [each.facts for each in transition.actions.diagnostics()]
    others += [each.residual for each in transition.actions.residual_transfers]
    members = {each.role: each for each in all_members(after)}
    for role, stop in held - left:
        if (definition.roles[role], stop.abnormal, stop.at) in told or any(stop in each for each in others):
            continue
        if definition.lifecycle is not None or not isinstance(members[role], m.Online | m.Empty):
            yield "stop-lost"


def _held_stops(state: Operating) -> set[tuple[int, WorkerStop]]:
    """The stops that the members of a state still need."""
    stops = ((each.role, getattr(each, "stop", None)) for each in all_members(state))
    return {(role, stop) for role, stop in stops if isinstance(stop, WorkerStop)}
