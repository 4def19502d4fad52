"""Keys and bindings: who is asked for a role, what managers do, and what is bound, moved, refused and dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.models.pools.definition import Definition
from harness.run.pools.keyed import KeyedRuns
from harness.run.pools.piloting import NotConstructibleError, Pilot
from harness.run.pools.port import Pool
from harness.run.pools.shapes.registry import (
    Shapes,
    need_backlog,
    need_roles,
)

KEYS = Shapes()


class KeyedPilot(Pilot):
    """A pilot whose plain `submit` hands in a job for each role in turn, with the first key that leads there."""

    def __init__(self, pool: Pool, world: Mapping[str, Any]) -> None:
        super().__init__(pool, world)
        self._turn = 0

    def send(self, *letters: str) -> None:
        """These letters, in order; NotConstructibleError where no key leads to the role whose turn it is."""
        for letter in letters:
            super().send(self._next() if letter == "submit" else letter)

    def _next(self) -> str:
        role = self.roles[self._turn % len(self.roles)]
        self._turn += 1
        key = key_of(self, role)
        bound = {each.key for each in self.view.bindings}
        if key not in bound and len(bound) >= runs_of(self).definition.binding_capacity:
            raise NotConstructibleError(f"the binding capacity is {len(bound)}, this needs more keys to be bound")
        return f"submit {key}"


def runs_of(pilot: Pilot) -> KeyedRuns:
    """The keyed pool that is steered."""
    if not isinstance(pilot.pool, KeyedRuns):
        raise TypeError("only a keyed pool has keys")
    return pilot.pool


def key_of(pilot: Pilot, role: str) -> str:
    """The first key that the selector leads to a role; NotConstructibleError where there is none."""
    runs = runs_of(pilot)
    selector = runs.definition.selector
    found = [key for key in runs.keys if selector is not None and selector(key) == role]
    if not found:
        raise NotConstructibleError(f"the adoption has no key that leads to {role}")
    return found[0]


def lost_key(pilot: Pilot) -> str:
    """A key for which the selector knows no role; NotConstructibleError where there is none."""
    runs = runs_of(pilot)
    selector = runs.definition.selector
    found = [key for key in runs.keys if selector is not None and selector(key) not in runs.roles]
    if not found:
        raise NotConstructibleError("the selector knows a role for every key of the adoption")
    return found[0]


def need_capacity(pilot: Pilot, count: int) -> None:
    """Room for so many bindings."""
    capacity = runs_of(pilot).definition.binding_capacity
    if capacity < count:
        raise NotConstructibleError(f"the binding capacity is {capacity}, this needs {count}")


# -- admission -----------------------------------------------------------------------------------------------------


@KEYS("several jobs of one key")
def _same_key(p: Pilot, d: Definition) -> None:
    p.warm()
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.send(f"submit {key}")
    p.advance(role, "busy-delivered")
    p.send(f"submit {key}", f"complete {role}", f"submit {key}")


@KEYS("jobs before the pool begins")
def _before_beginning(p: Pilot, d: Definition) -> None:
    key = key_of(p, p.roles[0])
    p.send(f"submit {key}", f"rebalance {key} {p.roles[-1]}", f"submit {key}", f"unbind {key}", f"advance {p.roles[0]}")
    p.begin()
    p.advance(p.roles[0], "busy-awaiting-both", "idle")


@KEYS("a key that the selector knows no role for")
def _no_role(p: Pilot, _: Definition) -> None:
    key = lost_key(p)
    p.warm()
    p.send(f"submit {key}", f"rebalance {key} {p.roles[0]}", f"submit {key}", f"unbind {key}", f"submit {key}")


@KEYS("one key more than can be bound")
def _full_table(p: Pilot, _: Definition) -> None:
    runs = runs_of(p)
    selector, capacity = runs.definition.selector, runs.definition.binding_capacity
    known = [key for key in runs.keys if selector is not None and selector(key) in runs.roles]
    if len(known) <= capacity:
        raise NotConstructibleError(f"the adoption has {len(known)} keys with a role, this needs {capacity + 1}")
    p.warm()
    for key in known[:capacity]:
        p.send(f"rebalance {key} {p.roles[-1]}")
    more = known[capacity]
    p.send(f"submit {more}", f"rebalance {more} {p.roles[0]}", f"unbind {known[0]}", f"submit {more}")
    p.send(f"rebalance {known[0]} {p.roles[0]}", f"submit {known[0]}")


@KEYS("waiting jobs and bound keys that are together as many as the binding capacity")
def _together(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    need_capacity(p, 2)
    runs, role = runs_of(p), p.roles[0]
    key, selector = key_of(p, role), runs.definition.selector
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 1))
    for other in runs.keys:
        if other == key or selector is None or selector(other) not in p.roles:
            continue
        if len(p.view.bindings) + d.backlog >= runs.definition.binding_capacity:
            p.send(f"submit {other}")
            return
        p.send(f"rebalance {other} {role}")
    raise NotConstructibleError(f"the adoption has {len(p.view.bindings)} keys with a role, this needs more")


@KEYS("a report of an earlier job")
def _earlier_report(p: Pilot, d: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    for _ in range(2):
        p.send(f"submit {key}")
        p.advance(role, "busy-delivered")
        p.send(f"repeat {role}", f"complete {role}")


@KEYS("one submission more than a role has room for")
def _full_role(p: Pilot, d: Definition) -> None:
    key = key_of(p, p.roles[0])
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 2))


@KEYS("a role whose queue is full beside one that has room")
def _full_beside_room(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    need_backlog(d, 1)
    first, second = p.roles[:2]
    p.warm()
    p.send("submit", "submit")
    p.send(*(f"submit {key_of(p, first)}",) * (d.backlog + 1), f"submit {key_of(p, second)}")


@KEYS("a role whose worker is free beside one that has jobs waiting")
def _free_beside_queue(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    need_backlog(d, 1)
    first, second = p.roles[:2]
    p.begin()
    p.send(*(f"submit {key_of(p, first)}",) * d.backlog)
    p.advance(second, "idle")
    p.advance(first, "busy-awaiting-both")
    p.send(f"submit {key_of(p, first)}", f"submit {key_of(p, second)}")
    p.advance(second, "busy-delivered")
    p.send(f"complete {second}")


@KEYS("a refused job whose key isn't bound")
def _refused_unbound(p: Pilot, d: Definition) -> None:
    role = p.roles[0]
    p.warm()
    p.send(f"submit {key_of(p, role)}", f"refuse {role}", f"unbind {key_of(p, role)}", f"submit {key_of(p, role)}")


# -- commands ------------------------------------------------------------------------------------------------------


@KEYS("a key that is bound, moved, unbound and bound again")
def _moved(p: Pilot, _: Definition) -> None:
    key, first, last = key_of(p, p.roles[0]), p.roles[0], p.roles[-1]
    p.warm()
    p.send(f"unbind {key}", f"rebalance {key} {first}", f"rebalance {key} {first}", f"rebalance {key} {last}")
    p.send(
        f"late {key} {first}", f"unbind {key}", f"late {key} {last}", f"rebalance {key} {last}", f"late {key} {last}"
    )


@KEYS("two keys that are bound in turn")
def _two_keys(p: Pilot, _: Definition) -> None:
    need_capacity(p, 2)
    keys = runs_of(p).keys
    if len(keys) < 2:
        raise NotConstructibleError("the adoption has one key, this needs 2")
    p.begin()
    one, two, role = keys[0], keys[1], p.roles[0]
    p.send(f"rebalance {one} {role}", f"rebalance {two} {role}", f"unbind {two}", f"unbind {one}")
    p.send(f"rebalance {two} {role}", f"rebalance {one} {role}", f"unbind {two}", f"rebalance {two} {role}")


@KEYS("a key that moves while its jobs run and wait")
def _moved_with_jobs(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    need_backlog(d, 1)
    first, second = p.roles[:2]
    key = key_of(p, first)
    p.warm()
    p.send(f"submit {key}", f"submit {key}", f"rebalance {key} {second}", f"submit {key}", f"late {key} {first}")
    p.advance(first, "busy-delivered")
    p.send(f"complete {first}")
    p.advance(first, "busy-delivered")
    p.send(f"stop {first}", f"unbind {key}", f"submit {key}")


@KEYS("a key that is unbound while its jobs run and wait")
def _unbound_with_jobs(p: Pilot, d: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 1), f"unbind {key}", f"unbind {key}")
    p.advance(role, "busy-delivered")
    p.send(f"complete {role}", f"submit {key}")


@KEYS("a key that is bound again while its job runs")
def _rebound_with_a_job(p: Pilot, _: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}", f"unbind {key}", f"rebalance {key} {role}")
    p.advance(role, "busy-delivered")
    p.send(f"complete {role}")


def _stranger(p: Pilot) -> str:
    """A name that no role has."""
    name = "nobody"
    while name in p.roles:
        name += "-else"
    return name


@KEYS("commands about roles in every state")
def _commands(p: Pilot, d: Definition) -> None:
    role, key = p.roles[0], runs_of(p).keys[-1]
    p.warm()
    p.send(f"submit {key_of(p, role)}", f"refuse {role}", f"unbind {key_of(p, role)}", f"rebalance {key} {role}")
    p.settle(role)
    p.send(
        f"rebalance {key} {role}", f"rebalance {key} {_stranger(p)}", f"unbind {key}", f"rebalance {key} {_stranger(p)}"
    )


@KEYS("binding numbers that run out", generation=1)
def _no_generation(p: Pilot, _: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}", f"unbind {key}", f"submit {key}", f"rebalance {key} {role}")


@KEYS("binding numbers that run out for a key that moves", generation=1)
def _no_generation_to_move(p: Pilot, _: Definition) -> None:
    need_roles(p, 2)
    key = key_of(p, p.roles[0])
    p.warm()
    p.send(f"submit {key}", f"rebalance {key} {p.roles[1]}", f"unbind {key}")


@KEYS("a binding number that is taken", taken={"generation": 2})
def _taken_generation(p: Pilot, _: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}", f"unbind {key}", f"rebalance {key} {role}", f"rebalance {key} {role}", f"submit {key}")
