"""The two published walks of a FIFO pool: their pools, their letters, and the letters that lead to their warm start."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.timing import Budget


class PoolWalk(NamedTuple):
    """A walk: which pool, from which state (reached by the letters of `start`), over which letters."""

    name: str
    says: str
    definition: Definition
    start: tuple[str, ...]
    letters: tuple[str, ...]


CUSTOMER = PoolWalk(
    "fifo-pool",
    "what customers see: admission, the ring, deliveries, completions and stops in every order, retries",
    Definition(
        roles=("a", "b"),
        activation_limit=1,
        recovery=RecoveryPolicy("permanent", Budget(2, 100)),
        backlog=2,
        interruption="retry",
    ),
    (
        *("initialize", "advance a", "advance a", "advance b", "advance b"),
        *("advance a", "advance a", "advance b", "advance b"),
        *("submit", "submit", "advance a", "complete a", "submit", "advance b"),
    ),
    (
        *("submit", "advance a", "advance b", "refuse a", "refuse b", "complete a", "complete b"),
        *("stop a", "stop b", "repeat b", "forge a", "shutdown"),
    ),
)
"""Two ready workers: `b` has its job, `a` the third one without an answer to its delivery; the cursor is at `b`.

With the cursor beyond the first role, four letters tell a ring from a list: both jobs done, and one more handed in.
"""

RECOVERY = PoolWalk(
    "fifo-recovery",
    "recovery and shutdown: births, starts, stops of both kinds, timers, budget, drain and its deadline",
    Definition(
        roles=("a", "b"),
        activation_limit=1,
        recovery=RecoveryPolicy("transient", Budget(1, 100), delay=5),
        backlog=1,
        interruption="fail",
        deadline=50,
        diagnostics=None,
    ),
    ("initialize", "advance a", "advance a", "advance a", "advance a", "submit", "advance a"),
    (
        *("submit", "advance a", "advance b", "refuse a", "refuse b", "complete a"),
        *("stop a", "leave a", "stop b", "shutdown", "advance deadline", "refuse deadline"),
    ),
)
"""`a` works on a delivered job, `b` is still being born."""

WALKS = {each.name: each for each in (CUSTOMER, RECOVERY)}
