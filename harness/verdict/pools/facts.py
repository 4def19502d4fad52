"""What an adoption declares about its pool, as the judgments read it, whichever law it follows."""

from __future__ import annotations

from typing import NamedTuple

from harness.contract.shapes import Adoption
from harness.models.pools.timing import Budget
from harness.run.pools.binding import definition_of
from harness.run.pools.keyed_binding import keyed_of


class PoolFacts(NamedTuple):
    """The declared roles and limits.

    `eligibility` says after which stops a worker is replaced, `replaces` whether any ever is. `interruption` is what
    becomes of a job whose worker stops. `deadline` is None for a drain without one, `diagnostics` the route, or None
    for custody, `binding_capacity` how many keys may be bound, or None where jobs have no keys. At most `restarts` are
    made within any `window` ticks, each `delay` ticks after its stop, or at once where that is None.
    """

    roles: tuple[str, ...]
    activation_limit: int
    backlog: int
    eligibility: str
    interruption: str
    deadline: int | None
    diagnostics: str | None
    binding_capacity: int | None = None
    restarts: int = 0
    window: int = 0
    delay: int | None = None

    @property
    def replaces(self) -> bool:
        """Whether a worker of this pool is ever replaced."""
        return self.eligibility != "temporary"

    def covers(self, abnormal: bool) -> bool:
        """Whether a stop of that kind leads to a replacement."""
        return self.eligibility == "permanent" or (self.eligibility == "transient" and abnormal)


def keyed_facts(adoption: Adoption) -> PoolFacts:
    """The facts of an adoption of the keyed-pool contract; ValueError where it describes no pool."""
    return fifo_facts(adoption)._replace(binding_capacity=keyed_of(adoption).definition.binding_capacity)


def fifo_facts(adoption: Adoption) -> PoolFacts:
    """The facts of an adoption of the fifo-pool contract; ValueError where it describes no pool."""
    pool = definition_of(adoption)
    recovery = pool.recovery
    budget = Budget(0, 0) if recovery is None else recovery.budget
    return PoolFacts(
        pool.roles,
        pool.activation_limit,
        pool.backlog,
        adoption.answers["restart"],
        pool.interruption,
        pool.deadline,
        pool.diagnostics,
        restarts=budget.restarts,
        window=budget.window,
        delay=None if recovery is None else recovery.delay,
    )
