"""What a pool is built from, and every way in which building it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harness.models.pools.correlations import Allocators, BirthId, Reservation, reserve
from harness.models.pools.timing import Budget

ELIGIBILITIES = ("permanent", "transient", "temporary")
TOPOLOGY_FAILURES = ("retire-role", "stop-pool")
INTERRUPTIONS = ("fail", "retry")


class RecoveryPolicy(NamedTuple):
    """How a role comes back.

    `eligibility` says after which stops (permanent: all, transient: abnormal ones, temporary: none), `budget` how
    often, `delay` after how many ticks (None: at once), `failure` what happens to a role that can't. `source` tells
    whether there is somebody to ask for replacements: all but temporary recovery needs one.
    """

    eligibility: str = "permanent"
    budget: Budget = Budget(3, 100)
    delay: int | None = None
    failure: str = "retire-role"
    source: bool = True


class Definition(NamedTuple):
    """One pool, whole: `roles` in their order, at most `activation_limit` activations at once, a backlog.

    `deadline` is how many ticks a drain may take, None for as long as it takes. `diagnostics` is the route that
    diagnostics go to, None to leave them in custody.
    """

    roles: tuple[str, ...]
    activation_limit: int
    recovery: RecoveryPolicy | None
    backlog: int
    interruption: str
    deadline: int | None = None
    diagnostics: str | None = "operator"
    accepts_assignments: bool = True


class PreparedRole(NamedTuple):
    """What a constructed pool holds for one role before it begins."""

    reservation: BirthId
    definition: str


class ConstructionError(NamedTuple):
    """Why there is no pool. `prepared` is everything that was made ready until then; it goes back to the caller."""

    reason: str
    role: str | None
    prepared: tuple[PreparedRole, ...]


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
    if definition.backlog < 0:
        return "negative-backlog"
    if definition.deadline is not None and definition.deadline < 1:
        return "invalid-deadline"
    if recovery is None or definition.interruption not in INTERRUPTIONS:
        return "missing-policy"
    if recovery.eligibility not in ELIGIBILITIES or recovery.failure not in TOPOLOGY_FAILURES:
        return "missing-policy"
    if recovery.source != (recovery.eligibility != "temporary"):
        return "worker-source-does-not-fit"
    if not definition.accepts_assignments:
        return "protocol-does-not-fit"
    return None


def prepare(
    definition: Definition, factory: Callable[[str], str | None], allocators: Allocators
) -> Preparation | ConstructionError:
    """Call the factory for every role in order, and reserve a birth for each; all of it or nothing.

    A factory that gives None has failed.
    """
    prepared: list[PreparedRole] = []
    for role in definition.roles:
        made = factory(role)
        if made is None:
            return ConstructionError("factory-failed", role, tuple(prepared))
        reservation, births = reserve(allocators.birth)
        allocators = allocators._replace(birth=births)
        if not isinstance(reservation.number, BirthId):
            return ConstructionError(_unavailable(reservation), role, tuple(prepared))
        prepared.append(PreparedRole(reservation.number, made))
    return Preparation(tuple(prepared), allocators)


def _unavailable(reservation: Reservation) -> str:
    return f"birth-{reservation.failure}"
