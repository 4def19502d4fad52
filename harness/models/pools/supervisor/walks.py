"""The walks of a supervisor: their definitions, their letters, and the letters that lead to their warm starts."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.supervisor.definition import Definition, Recovery, Restarts
from harness.models.pools.supervisor.timing import Timing
from harness.models.pools.timing import Budget


class SupervisorWalk(NamedTuple):
    """A walk: which supervisor, from which state (reached by the letters of `start`), over which letters."""

    name: str
    says: str
    definition: Definition
    start: tuple[str, ...]
    letters: tuple[str, ...]


SUPERVISOR = SupervisorWalk(
    "fixed-supervisor",
    "first starts, recoveries of one and of both roles, the replacement join, timers, exits, queries, the drain",
    Definition(
        roles=("a", "b"),
        activation_limit=1,
        recovery=Recovery("transient", Restarts("rest-for-one", Budget(2, 100), Timing("linear", 5))),
        deadline=50,
    ),
    ("initialize", "advance a", "advance a", "advance a", "advance b"),
    (
        *("advance a", "advance b", "refuse a", "stop a", "stop b", "leave a", "exit a"),
        *("advance recovery", "refuse recovery", "status", "shutdown", "advance deadline"),
    ),
)
"""`a` is online, `b` has its first worker on the way."""

REPLACEMENT = SupervisorWalk(
    "supervisor-replacement",
    "the replacement join in every order, stop reports that get lost, commands nobody serves, and the end of all roles",
    Definition(
        roles=("a", "b"),
        activation_limit=1,
        recovery=Recovery("permanent", Restarts("one-for-all", Budget(4, 100), Timing("exponential", 5))),
        failure="stop-supervisor",
    ),
    (
        *("initialize", "advance a", "advance a", "advance a", "advance b", "advance b", "advance b"),
        *("stop a", "advance recovery", "advance recovery", "advance recovery"),
    ),
    (
        *("advance a", "advance b", "refuse a", "refuse b", "stop a", "stop b", "lose b", "exit b"),
        *("exit a", "call a", "capability b", "shutdown"),
    ),
)
"""The replacement of `a` is on its way, `b` is online and waits for a free activation to be replaced as well."""

SETTLEMENT = SupervisorWalk(
    "supervisor-settlement",
    "answers of every kind: forged and untried operations, proxies never made, half a recovery, refused deliveries",
    Definition(
        roles=("a", "b", "c"),
        activation_limit=1,
        recovery=Recovery("permanent", Restarts("rest-for-one", Budget(2, 100), Timing("immediate", 0))),
    ),
    ("initialize", *("advance b",) * 3, "advance c"),
    (
        *("advance c", "forge c", "disown c", "withhold c", "abort a", "stop b", "cut recovery", "deny recovery"),
        *("bounce event", "drop reply", "bounce diagnostic", "unknown"),
    ),
)
"""`a` has no proxy yet, `b` is online, and the first worker of `c` has left for its proxy."""

WALKS = {each.name: each for each in (SUPERVISOR, REPLACEMENT, SETTLEMENT)}
