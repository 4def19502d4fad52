"""What a state holds, to be compared with what the ledger has open: jobs, activations, restart timers, replacements."""

from __future__ import annotations

from harness.models.pools import members as m
from harness.models.pools.keyed.ledger import Ask
from harness.models.pools.keyed.state import Constructed, Operating, State
from harness.models.pools.values import Worker


def held_jobs(state: State) -> tuple[int, ...]:
    """The jobs that a state holds, in order of their numbers."""
    if not isinstance(state, Constructed | Operating):
        return ()
    jobs = {int(each.obligation.job) for cell in state.cells for each in cell.queue}
    jobs |= {int(each.member.job.obligation.job) for each in state.cells if isinstance(each.member, m.Busy)}
    return tuple(sorted(jobs))


def timed(state: Constructed | Operating) -> set[Ask]:
    """The restart timers that a state waits for."""
    phases = [(each.member.role, each.member.recovery) for each in state.cells if isinstance(each.member, m.Recovering)]
    asked = [(role, each) for role, each in phases if isinstance(each, m.Scheduling)]
    runs = [(role, each) for role, each in phases if isinstance(each, m.WaitingForTimer)]
    found: set[Ask] = {("schedule", role, each.recovery, each.timer) for role, each in asked}
    return found | {("timer", role, each.recovery, each.timer) for role, each in runs}


def planned(state: Constructed | Operating) -> set[tuple[int, Worker]]:
    """The activations that a state holds."""
    members = [each.member for each in state.cells]
    return {(each.role, each.worker) for each in members if isinstance(each, m.WaitingForAuthorization)}


def prepared(state: Constructed | Operating) -> tuple[tuple[int, str], ...]:
    """The replacements that a state holds, by role."""
    members = [each.member for each in state.cells]
    held = [each for each in members if isinstance(each, m.Recovering)]
    ready = [each for each in held if isinstance(each.recovery, m.Scheduling | m.WaitingForTimer)]
    return tuple(sorted((each.role, _definition(each.recovery)) for each in ready))


def _definition(recovery: m.Recovery) -> str:
    return recovery.prepared.definition if isinstance(recovery, m.Scheduling | m.WaitingForTimer) else ""
