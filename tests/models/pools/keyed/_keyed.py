"""Small keyed pools for tests: one role in any phase, the exact facts about it, and commands about one key."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import (
    Allocator,
    Allocators,
    BirthId,
    DispatchId,
    GenerationId,
    JobId,
    Ordinal,
    RecoveryId,
    RequestId,
    TicketId,
    TimerId,
)
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.keyed.definition import KeyedDefinition, choosing
from harness.models.pools.keyed.inputs import Binding, Input, Rebalance, Submit, Unbind
from harness.models.pools.keyed.model import KeyedPool
from harness.models.pools.keyed.outcomes import Completed
from harness.models.pools.keyed.state import Cell, Constructed, Operating, State, Table, Transition, Unsent, Waiting
from harness.models.pools.timing import Budget
from harness.models.pools.values import (
    Admitted,
    AssignedJob,
    Authority,
    Birth,
    Evidence,
    Obligation,
    Stop,
    Worker,
)

LAW_FILE = Path(__file__).parents[3] / "data" / "laws" / "keyed-pool.yaml"

WORKER = Worker(BirthId(1), BirthId(1))
OTHER = Worker(BirthId(2), BirthId(2))
STOP = Stop(WORKER, True, 10)
AUTHORITY = Authority(DispatchId(1), WORKER.evidence)
EVIDENCE = Evidence(DispatchId(1), AUTHORITY, "done")
GENERATION = GenerationId(1)
ADMITTED = Admitted(GENERATION, "a")
TICKET, RECOVERY, TIMER, ATTEMPT = TicketId(1), RecoveryId(1), TimerId(1), 1
PREPARED = m.Prepared("replacement", BirthId(5), 15)
EVERYTHING = m.Outstanding(ATTEMPT, TICKET, TICKET, DispatchId(1), TIMER, True)
WAITING_FOR_TIMER = m.Recovering(0, WORKER, STOP, m.WaitingForTimer(RECOVERY, TIMER, PREPARED))
LATER = Allocators(*(Allocator(type(each.next)(6)) for each in Allocators()))
"""Allocators whose next numbers are beyond all those used here."""
FRESH = Allocator(GenerationId(6))


def owed(number: int, role: str = "a") -> Obligation:
    """What the pool owes for the job of that number, admitted to a role."""
    admitted = Admitted(GENERATION, role)
    return Obligation(JobId(number), Ordinal(number), "customer", RequestId(number), admitted)


def waiting(number: int, origin: str = "never-assigned", role: str = "a") -> Waiting:
    """A waiting job with that number."""
    return Waiting(owed(number, role), origin)


JOB = AssignedJob(owed(1), DispatchId(1), DispatchId(1), WORKER, 0)
UNSENT = Unsent(0, WORKER.child, "worker of a")

MEMBERS: dict[str, m.Member] = {
    "creating": m.Creating(0, WORKER.child, Birth()),
    "initializing": m.Initializing(0, WORKER, Birth(), ATTEMPT),
    "waiting-authorization": m.WaitingForAuthorization(0, WORKER, Birth(), "permit", "plan"),
    "activation-dispatched": m.ActivationDispatched(0, WORKER, Birth(), TICKET),
    "activating": m.Activating(0, WORKER, Birth(), TICKET),
    "draining-pre-ready": m.DrainingPreReady(0, WORKER, EVERYTHING, None, True, "test", "recover"),
    "idle": m.Idle(0, WORKER),
    "busy-awaiting-both": m.Busy(0, WORKER, JOB, m.AwaitingBoth()),
    "busy-completion-first": m.Busy(0, WORKER, JOB, m.CompletionFirst(EVIDENCE)),
    "busy-stop-first": m.Busy(0, WORKER, JOB, m.StopFirst(STOP)),
    "busy-delivered": m.Busy(0, WORKER, JOB, m.Delivered()),
    "recovering": m.Recovering(0, WORKER, STOP, m.Scheduling(RECOVERY, TIMER, PREPARED)),
    "stopping": m.Stopping(0, WORKER, EVERYTHING, None, "test", "retire-role"),
    "retired": m.Retired(0, "test"),
}
"""One member in each phase of an open pool, about the same worker wherever there is one."""

COLUMNS: dict[str, tuple[f.Fact, ...]] = {
    "birth": (
        f.BirthCommitted(0, WORKER.child, WORKER, ATTEMPT),
        f.BirthRejected(0, WORKER.child, "refused"),
    ),
    "init": (
        f.InitReady(0, WORKER, ATTEMPT),
        f.InitRejected(0, WORKER, ATTEMPT, "refused"),
        f.InitStopped(0, WORKER, ATTEMPT),
    ),
    "activation": (f.BeginAccepted(0, WORKER, TICKET), f.BeginRejected(0, WORKER, TICKET, "refused")),
    "ready": (f.WorkerReady(0, WORKER, TICKET),),
    "stop": (f.WorkerStopped(0, STOP),),
    "assignment": (
        f.DeliveryAccepted(0, WORKER.child, DispatchId(1)),
        f.DeliveryRejected(0, WORKER.child, DispatchId(1), AUTHORITY, "refused"),
    ),
    "completion": (f.WorkerCompleted(WORKER.child, EVIDENCE),),
    "restart": (
        f.ScheduleAccepted(0, RECOVERY, TIMER),
        f.ScheduleRejected(0, RECOVERY, TIMER, "refused"),
        f.TimerElapsed(0, RECOVERY, TIMER),
    ),
}
"""The exact facts of each column, about that worker and its numbers."""


@cache
def law() -> Any:
    """The law's facts."""
    return yaml.safe_load(LAW_FILE.read_text(encoding="utf-8"))


def definition(*roles: str, **changes: Any) -> KeyedDefinition:
    """A pool of these roles (one unless said): permanent recovery at once, room for two each, `fail`, two bindings.

    The selector gives a key that begins with a role's name to that role, any other to nobody.
    """
    recovery = RecoveryPolicy(
        eligibility=changes.pop("eligibility", "permanent"),
        budget=changes.pop("budget", Budget(3, 100)),
        delay=changes.pop("delay", None),
        failure=changes.pop("failure", "retire-role"),
        source=changes.pop("source", True),
    )
    names = roles or ("a",)
    choose = choosing({f"{role}{number}": role for role in names for number in range(9)}, "nobody")
    selector = changes.pop("selector", choose)
    capacity = changes.pop("binding_capacity", 2)
    plain = Definition(names, 1, recovery, 2, "fail")
    return KeyedDefinition(plain._replace(**changes), selector, capacity)


def table(*kept: Binding, generations: Allocator = FRESH) -> Table:
    """A table with these bindings."""
    return Table(kept, generations)


def operating(*members: m.Member, queues: tuple[tuple[Waiting, ...], ...] = (), kept: tuple[Binding, ...] = ()) -> Any:
    """An open pool with these members; queues by role, none where there are fewer."""
    padded = (*queues, *((),) * (len(members) - len(queues)))
    cells = tuple(Cell(member, queue) for member, queue in zip(members, padded, strict=True))
    return Operating(cells, table(*kept), (), LATER)


def step(state: State, fact: Input, *roles: str, **changes: Any) -> Transition:
    """One step of a pool defined as above."""
    return KeyedPool(definition(*roles, **changes)).step(state, fact)


def submission(key: str = "a1", number: int = 9) -> Submit:
    """A customer's request."""
    return Submit(RequestId(number), key, RequestId(number), "customer")


def rebalance(target: str, expected: GenerationId | None = None, key: str = "a1") -> Rebalance:
    """A manager's command to bind."""
    return Rebalance(RequestId(8), key, expected, target, "manager")


def unbind(expected: GenerationId | None = None, key: str = "a1") -> Unbind:
    """A manager's command to unbind."""
    return Unbind(RequestId(8), key, expected, "manager")


def outcomes(done: Transition) -> tuple[str, ...]:
    """The terminal outcomes of a step, with their reasons."""
    found = (each.outcome for each in done.actions.terminal_customer_deliveries)
    return tuple(each.kind if isinstance(each, Completed) else f"{each.kind}/{each.reason}" for each in found)


def refusal(done: Transition) -> str:
    """Why a submission was refused; empty where it was taken."""
    (told,) = done.actions.admission_deliveries
    return str(getattr(told.outcome, "reason", ""))


def answer(done: Transition) -> Any:
    """The one answer to a command."""
    (told,) = done.actions.management_deliveries
    return told.outcome


def kinds(done: Transition) -> tuple[str, ...]:
    """The diagnostics of a step."""
    return tuple(each.kind for each in done.actions.diagnostics())


def members(state: State) -> tuple[m.Member, ...]:
    """The members of an open pool."""
    assert isinstance(state, Operating)
    return tuple(each.member for each in state.cells)


def phases(state: State) -> tuple[str, ...]:
    """The phases of an open pool's members, or the mode of one that is not open."""
    if isinstance(state, Constructed):
        return tuple(each.member.phase for each in state.cells)
    return tuple(m.phase_of(each.member) for each in state.cells) if isinstance(state, Operating) else (state.mode,)


def jobs(state: State) -> list[list[int]]:
    """The numbers of the jobs that wait, role by role."""
    assert isinstance(state, Constructed | Operating)
    return [[int(each.obligation.job) for each in cell.queue] for cell in state.cells]
