"""What a supervisor is built from, and every way in which building it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harness.models.pools.correlations import BirthId, reserve
from harness.models.pools.supervisor.timing import TIMINGS, Timing
from harness.models.pools.supervisor.values import Allocators, Initial, Operation, OperationId
from harness.models.pools.timing import CLOCK_MAX, Budget

STRATEGIES = ("one-for-one", "one-for-all", "rest-for-one")
FAILURES = ("retire-member", "stop-supervisor")


class Restarts(NamedTuple):
    """How roles come back: who comes with whom, how often, and after how long. There is a source of workers."""

    strategy: str
    budget: Budget
    timing: Timing


class Recovery(NamedTuple):
    """After which stops a role comes back: all (permanent), abnormal ones (transient), none (temporary).

    Temporary recovery has no restarts at all, the other two have them.
    """

    eligibility: str
    restarts: Restarts | None


class Definition(NamedTuple):
    """One supervisor, whole: `roles` in their order, at most `activation_limit` unresolved operations at once.

    `failure` says what a role that can't go on does to the rest. `deadline` is how many ticks a drain may take, None
    for as long as it takes. `diagnostics` is the route that diagnostics go to, None to terminate with the first.
    `lifecycle` is the route of lifecycle events, None to build none.
    """

    roles: tuple[str, ...]
    activation_limit: int
    recovery: Recovery | None
    failure: str = "retire-member"
    deadline: int | None = None
    diagnostics: str | None = "operator"
    lifecycle: str | None = "observer"


class PreparedRole(NamedTuple):
    """What a constructed supervisor holds for one role before it begins."""

    reservation: BirthId
    initial: Operation


class ConstructionError(NamedTuple):
    """Why there is no supervisor. `returned` are the worker definitions made until then, in order."""

    reason: str
    role: str | None
    returned: tuple[str, ...]


class Preparation(NamedTuple):
    """All roles made ready, and the allocators after it."""

    roles: tuple[PreparedRole, ...]
    allocators: Allocators


def check(definition: Definition) -> str | None:
    """The first reason why a definition is none, None where it is sound."""
    recovery = definition.recovery
    if not definition.roles:
        return "empty-roster"
    if len(set(definition.roles)) != len(definition.roles):
        return "duplicate-role"
    if definition.activation_limit < 1:
        return "no-activation-limit"
    if definition.deadline is not None and not 1 <= definition.deadline <= CLOCK_MAX:
        return "invalid-timing"
    if recovery is None or recovery.eligibility not in ("permanent", "transient", "temporary"):
        return "missing-policy"
    if definition.failure not in FAILURES:
        return "missing-policy"
    if (recovery.restarts is None) != (recovery.eligibility == "temporary"):
        return "worker-source-does-not-fit"
    return None if recovery.restarts is None else _check_restarts(recovery.restarts)


def _check_restarts(restarts: Restarts) -> str | None:
    strategy, budget, timing = restarts
    if strategy not in STRATEGIES:
        return "missing-policy"
    if timing.kind not in TIMINGS or (timing.base < 1) != (timing.kind == "immediate"):
        return "invalid-timing"
    if budget.restarts < 0 or budget.window < 0:
        return "invalid-timing"
    return None


def prepare(
    definition: Definition, factory: Callable[[str], str | None], allocators: Allocators
) -> Preparation | ConstructionError:
    """Make every first worker ready, then reserve a birth and an operation for each role; all of it or nothing.

    A factory that gives None has failed. The factory is not kept.
    """
    made: list[str] = []
    for role in definition.roles:
        worker = factory(role)
        if worker is None:
            return ConstructionError("factory-failed", role, tuple(made))
        made.append(worker)
    prepared: list[PreparedRole] = []
    for role, worker in zip(definition.roles, made, strict=True):
        reservation, births = reserve(allocators.birth)
        ticket, allocators = fresh_operation(allocators._replace(birth=births))
        if not isinstance(reservation.number, BirthId):
            return ConstructionError(f"birth-{reservation.failure}", role, tuple(made))
        prepared.append(PreparedRole(reservation.number, Operation(ticket, Initial(), worker)))
    return Preparation(tuple(prepared), allocators)


def fresh_operation(allocators: Allocators) -> tuple[OperationId, Allocators]:
    """A new operation pair; there always is one."""
    number = OperationId(allocators.operation.next)
    following = allocators.operation._replace(next=OperationId(number + 1))
    return number, allocators._replace(operation=following)
