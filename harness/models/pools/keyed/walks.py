"""The two published walks of a keyed pool: their pools, letters, and the letters that lead to their warm start."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.keyed.definition import KeyedDefinition, choosing
from harness.models.pools.timing import Budget


class KeyedWalk(NamedTuple):
    """A walk: which pool, which keys, from which state (reached by the letters of `start`), over which letters."""

    name: str
    says: str
    definition: KeyedDefinition
    keys: tuple[str, ...]
    start: tuple[str, ...]
    letters: tuple[str, ...]


READY = ("advance a",) * 2 + ("advance b",) * 2 + ("advance a",) * 2 + ("advance b",) * 2
"""Both workers of a pool that has begun get ready."""

BINDINGS = KeyedWalk(
    "keyed-pool",
    "bindings and assignments: admission by key, commands of managers, deliveries, completions, stops, retries",
    KeyedDefinition(
        Definition(
            roles=("a", "b"),
            activation_limit=1,
            recovery=RecoveryPolicy("permanent", Budget(2, 100)),
            backlog=1,
            interruption="retry",
        ),
        selector=choosing({"x": "a"}, "b"),
        binding_capacity=2,
    ),
    ("x", "y", "z"),
    ("initialize", *READY, "submit x", "submit y", "advance b", "submit x", "rebalance x b", "rebalance x a"),
    (
        *("submit x", "submit z", "rebalance x b", "unbind x", "late x b", "advance a", "advance b"),
        *("refuse a", "complete a", "complete b", "stop a", "shutdown"),
    ),
)
"""Two ready workers: `b` has its job, `a` waits for the answer to its delivery beside one job; `x` has moved twice."""

RECOVERY = KeyedWalk(
    "keyed-recovery",
    "recovery and shutdown: births, starts, stops of both kinds, one source for all, timers, budget, drain, deadline",
    KeyedDefinition(
        Definition(
            roles=("a", "b"),
            activation_limit=1,
            recovery=RecoveryPolicy("transient", Budget(1, 100), delay=5),
            backlog=1,
            interruption="fail",
            deadline=50,
            diagnostics=None,
        ),
        selector=choosing({"x": "a"}, "b"),
        binding_capacity=2,
    ),
    ("x", "y"),
    ("submit y", "initialize", *("advance a",) * 4, "submit x", "advance a"),
    (
        *("submit x", "advance a", "advance b", "refuse a", "refuse b", "complete a"),
        *("stop a", "leave a", "stop b", "shutdown", "advance deadline", "refuse deadline"),
    ),
)
"""`a` works on a delivered job, `b` is still being born and a job has waited for it since before the beginning."""

WALKS = {each.name: each for each in (BINDINGS, RECOVERY)}
