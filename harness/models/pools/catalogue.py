"""The pool laws that can be walked, each with its claims, invariants, violations, walks and inversions."""

from __future__ import annotations

from harness.models.pools.fifo.law import FIFO
from harness.models.pools.keyed.law import KEYED
from harness.models.pools.law import PoolLaw
from harness.models.pools.supervisor.law import SUPERVISOR

LAWS: tuple[PoolLaw, ...] = (FIFO, KEYED, SUPERVISOR)


def law_of(model: str) -> PoolLaw | None:
    """The law that a walk belongs to, None where there is no such walk."""
    return next((law for law in LAWS if model in law.walks), None)


def models() -> tuple[str, ...]:
    """The names of all walks."""
    return tuple(name for law in LAWS for name in law.walks)
