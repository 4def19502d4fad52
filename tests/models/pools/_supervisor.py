"""Small supervisors for tests: one role in any phase, and the exact facts about it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.models.pools.correlations import Allocator, BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.definition import Definition, Recovery, Restarts
from harness.models.pools.supervisor.model import Supervisor
from harness.models.pools.supervisor.state import NO_DEADLINE, Draining, Operating, State, Transition, all_members
from harness.models.pools.supervisor.timing import Timing
from harness.models.pools.supervisor.values import (
    Allocators,
    Initial,
    Operation,
    OperationId,
    PreparationId,
    Prepared,
    Proxy,
    Replacement,
    WorkerId,
    WorkerStop,
)
from harness.models.pools.timing import Budget

LAW_FILE = Path(__file__).parents[2] / "data" / "laws" / "fixed-supervisor.yaml"

PROXY, OTHER = Proxy(BirthId(1)), Proxy(BirthId(9))
WORKER, NEXT = WorkerId(1), WorkerId(2)
STOP = WorkerStop(WORKER, True, 10)
TICKET, RECOVERY, TIMER, PREPARATION = OperationId(1), RecoveryId(1), TimerId(1), PreparationId(1)
INITIAL = Operation(TICKET, Initial(), "first")
REPLACEMENT = Operation(TICKET, Replacement(RECOVERY, WORKER), "replacement")
PREPARED = Prepared(OperationId(2), "replacement")
EARLY_EXIT, EXIT = f.ExitBeforeBirth(PROXY.birth), f.ExitAfterBirth(PROXY)
READY, FAILED = f.ReplacementReady(PROXY, WORKER, NEXT), f.ReplacementFailed(PROXY, WORKER, "refused")
WAITING_INPUT = m.WaitingForAuthorization(INITIAL)
LATER = Allocators(*(Allocator(type(each.next)(20)) for each in Allocators()))
"""Allocators whose next numbers are beyond all those used here."""

INITIALS: dict[str, m.InitialPhase] = {
    "waiting-for-authorization": WAITING_INPUT,
    "dispatched": m.Dispatched(TICKET),
    "awaiting-outcome": m.AwaitingOutcome(TICKET),
}

MEMBERS: dict[str, m.Member] = {
    "creating-proxy": m.CreatingProxy(0, PROXY.birth, INITIAL),
    "creating-proxy-after-exit": m.CreatingProxyAfterExit(0, PROXY.birth, INITIAL, EARLY_EXIT),
    "starting": m.Starting(0, PROXY, m.Dispatched(TICKET)),
    "online": m.Online(0, PROXY, WORKER),
    "empty": m.Empty(0, PROXY, WORKER, "ineligible", None),
    "recovery-awaiting-initial": m.AwaitingInitial(0, PROXY, m.Dispatched(TICKET), PREPARED),
    "recovery-waiting": m.Waiting(0, PROXY, WORKER, None, PREPARED),
    "recovery-needs-receipt-and-stop": m.Replacing(0, PROXY, WORKER, None, m.InputPending(TICKET)),
    "recovery-needs-receipt": m.Replacing(0, PROXY, WORKER, STOP, m.InputPending(TICKET)),
    "recovery-needs-stop-and-outcome": m.Replacing(0, PROXY, WORKER, None, m.OutcomePending(TICKET)),
    "recovery-needs-outcome": m.Replacing(0, PROXY, WORKER, STOP, m.OutcomePending(TICKET)),
    "recovery-needs-stop": m.Replacing(0, PROXY, WORKER, None, m.OutcomeReturned(READY)),
    "stopping": m.Stopping(0, PROXY, "test", "shutdown-dispatched"),
    "retired": m.Retired(0, "test"),
}
"""One member in each phase of the law, about the same proxy and worker."""

COLUMNS: dict[str, tuple[f.Fact, ...]] = {
    "proxy-birth": (
        f.ProxyCommitted(PROXY.birth, PROXY),
        f.ProxyFoldRejected(PROXY.birth, "refused"),
        f.ProxyHostRejected(PROXY.birth, "refused"),
    ),
    "proxy-exit": (EARLY_EXIT, EXIT),
    "input-settlement": (
        f.InputAccepted(PROXY, TICKET),
        f.InputRejected(PROXY, INITIAL, "refused"),
        f.InputRejected(PROXY, REPLACEMENT, "refused"),
    ),
    "initial-outcome": (f.InitialReady(PROXY, NEXT), f.InitialFailed(PROXY, "refused")),
    "replacement-outcome": (READY, FAILED),
    "worker-stopped": (f.WorkerStopped(PROXY, STOP),),
    "unavailable": (f.Unavailable(PROXY, "customer", "starting", "work"),),
}
"""The exact facts of each column, about that proxy and its numbers; a phase takes those of its own kind."""


@cache
def law() -> Any:
    """The law's facts."""
    return yaml.safe_load(LAW_FILE.read_text(encoding="utf-8"))


def definition(*roles: str, **changes: Any) -> Definition:
    """A supervisor of these roles (one unless said): permanent recovery, one for one, at once."""
    restarts = Restarts(
        strategy=changes.pop("strategy", "one-for-one"),
        budget=changes.pop("budget", Budget(9, 100)),
        timing=changes.pop("timing", Timing()),
    )
    eligibility = changes.pop("eligibility", "permanent")
    recovery = Recovery(eligibility, None if eligibility == "temporary" else restarts)
    return Definition(roles or ("a",), 1, recovery)._replace(**changes)


def operating(
    *members: m.Member, release: m.Release | None = None, trigger: int = 0, pending: tuple[m.Pending, ...] = ()
) -> Operating:
    """An open supervisor with these members, those in recovery as one released batch unless said otherwise."""
    taking_part = tuple(each for each in members if isinstance(each, m.PARTICIPANTS))
    alone: Any = tuple(each for each in members if not isinstance(each, m.PARTICIPANTS))
    batches = (m.Batch(RECOVERY, trigger, release or m.Ready(), taking_part),) if taking_part else ()
    return Operating(alone, batches, pending, (0,) * len(members), (), LATER)


def step(state: State, fact: f.Fact, *roles: str, **changes: Any) -> Transition:
    """One step of a supervisor defined as above."""
    return Supervisor(definition(*roles, **changes)).step(state, fact)


def steps(state: State, facts: tuple[f.Fact, ...], *roles: str, **changes: Any) -> Transition:
    """Several steps; the last transition is given."""
    done = Transition(state, step(state, f.Shutdown()).actions)
    for fact in facts:
        done = step(done.state, fact, *roles, **changes)
    return done


def kinds(done: Transition) -> tuple[str, ...]:
    """The diagnostics of a step."""
    return tuple(each.kind for each in done.actions.diagnostics())


def events(done: Transition) -> tuple[str, ...]:
    """The lifecycle events of a step."""
    return tuple(each.kind for each in done.actions.events())


def phases(state: State) -> tuple[str, ...]:
    """The phases of all members by role, or the mode of a supervisor that does not operate."""
    if isinstance(state, Operating):
        return tuple(map(m.phase_of, all_members(state)))
    return (state.mode,)


def draining(*members: m.DrainMember, **changes: Any) -> Draining:
    """A supervisor that drains, without a limit."""
    return Draining(members, NO_DEADLINE, (), (), (), LATER)._replace(**changes)
