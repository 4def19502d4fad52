"""A small keyed pool to measure the explorer with: two roles, two keys, one waiting job a role, twelve inputs.

It is not the law of the keyed pool. Its states are flat and small, so that the time of a walk is the explorer's and
not the model's; other model checkers have the same pool, and count the same states. States are plain tuples, the
fastest there is in this language: a rule unpacks one at its top, and its names are there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harness.models.explorer import Bounds, Walk, collector_paused

LIVE, DONE, DROPPED, CANCELED, TWICE = 0, 1, 2, 3, 9
WAITING_MAX = 1
NOWHERE = -1

Line = tuple[int, ...]
Role = tuple[bool, int, int, int, Line]
"""A worker: whether it is up, its generation, its job (0: none), that job's generation, the jobs that wait."""

Pool = tuple[bool, int, tuple[Role, ...], Line, Line, Line]
"""The pool: whether it is closed, the next generation, roles, where each key is bound, each job's key and end."""


class Limits(NamedTuple):
    """Keys that may be bound at once, jobs and generations in all."""

    bindings: int
    jobs: int
    generations: int


START: Pool = (False, 2, ((True, 0, 0, 0, ()), (True, 1, 0, 0, ())), (NOWHERE, NOWHERE), (), ())
INPUTS = (
    *(("submit", 0), ("submit", 1), ("complete", 0), ("complete", 1), ("stop", 0), ("stop", 1)),
    *(("ready", 0), ("ready", 1), ("move", 0), ("unbind", 0), ("unbind", 1), ("shutdown", 0)),
)


def _ended(ends: Line, job: int, how: int) -> Line:
    place = job - 1
    return (*ends[:place], TWICE if ends[place] else how, *ends[job:])


def _at(roles: tuple[Role, ...], place: int, role: Role) -> tuple[Role, ...]:
    return (roles[0], role) if place else (role, roles[1])


def _bound(bound: Line, key: int, place: int) -> Line:
    return (bound[0], place) if key else (place, bound[1])


def _served(up: bool, generation: int, job: int, given: int, line: Line) -> Role:
    """A worker that is up and has nothing to do takes the first job of its line."""
    if up and not job and line:
        return (up, generation, line[0], generation, line[1:])
    return (up, generation, job, given, line)


def _load(role: Role) -> int:
    _, _, job, _, line = role
    return len(line) + (job > 0)


def submit(pool: Pool, limits: Limits, key: int) -> Pool:
    """A job for a key: an unbound key is bound to the role with less to do."""
    closed, fresh, roles, bound, keys, ends = pool
    if closed or len(keys) >= limits.jobs:
        return pool
    place = bound[key]
    if place < 0:
        if len(bound) - bound.count(NOWHERE) >= limits.bindings:
            return pool
        place = 1 if _load(roles[1]) < _load(roles[0]) else 0
        bound = _bound(bound, key, place)
    up, generation, job, given, line = roles[place]
    if (job or not up) and len(line) >= WAITING_MAX:
        return pool
    keys = (*keys, key)
    role = _served(up, generation, job, given, (*line, len(keys)))
    return (closed, fresh, _at(roles, place, role), bound, keys, (*ends, LIVE))


def complete(pool: Pool, _: Limits, place: int) -> Pool:
    """A worker has done its job."""
    closed, fresh, roles, bound, keys, ends = pool
    up, generation, job, _given, line = roles[place]
    if not up or not job:
        return pool
    role = _served(up, generation, 0, 0, line)
    return (closed, fresh, _at(roles, place, role), bound, keys, _ended(ends, job, DONE))


def stop(pool: Pool, _: Limits, place: int) -> Pool:
    """A worker is gone; its job waits again, in order, or is canceled in a closed pool."""
    closed, fresh, roles, bound, keys, ends = pool
    up, generation, job, _given, line = roles[place]
    if not up:
        return pool
    if job and closed:
        ends = _ended(ends, job, CANCELED)
    elif job:
        line = tuple(sorted((*line, job)))
    return (closed, fresh, _at(roles, place, (False, generation, 0, 0, line)), bound, keys, ends)


def ready(pool: Pool, limits: Limits, place: int) -> Pool:
    """A worker comes back as a new one."""
    closed, fresh, roles, bound, keys, ends = pool
    up, _generation, job, given, line = roles[place]
    if up or fresh >= limits.generations:
        return pool
    return (closed, fresh + 1, _at(roles, place, _served(True, fresh, job, given, line)), bound, keys, ends)


def move(pool: Pool, _: Limits, key: int) -> Pool:
    """A key with no running job goes to the second role, and its waiting jobs with it."""
    closed, fresh, roles, bound, keys, ends = pool
    if bound[key] != 0:
        return pool
    up, generation, job, given, line = roles[0]
    if job and keys[job - 1] == key:
        return pool
    moved = tuple([each for each in line if keys[each - 1] == key])
    up_there, generation_there, job_there, given_there, line_there = roles[1]
    if len(moved) + len(line_there) > WAITING_MAX:
        return pool
    if moved:
        kept = (up, generation, job, given, tuple([each for each in line if keys[each - 1] != key]))
        both = tuple(sorted((*line_there, *moved)))
        roles = (kept, _served(up_there, generation_there, job_there, given_there, both))
    return (closed, fresh, roles, _bound(bound, key, 1), keys, ends)


def unbind(pool: Pool, _: Limits, key: int) -> Pool:
    """A key with no running job is free again; its waiting jobs are dropped."""
    closed, fresh, roles, bound, keys, ends = pool
    place = bound[key]
    if place < 0:
        return pool
    up, generation, job, given, line = roles[place]
    if job and keys[job - 1] == key:
        return pool
    kept = tuple([each for each in line if keys[each - 1] != key])
    if len(kept) != len(line):
        for each in line:
            if keys[each - 1] == key:
                ends = _ended(ends, each, DROPPED)
        roles = _at(roles, place, (up, generation, job, given, kept))
    return (closed, fresh, roles, _bound(bound, key, NOWHERE), keys, ends)


def shutdown(pool: Pool, _: Limits, __: int) -> Pool:
    """No more jobs, no more bindings; who waits is canceled."""
    closed, fresh, roles, bound, keys, ends = pool
    if closed:
        return pool
    for _up, _generation, _job, _given, line in roles:
        for job in line:
            ends = _ended(ends, job, CANCELED)
    emptied = tuple([(up, generation, job, given, ()) for up, generation, job, given, _ in roles])
    return (True, fresh, emptied, (NOWHERE,) * len(bound), keys, ends)


RULES: dict[str, Callable[[Pool, Limits, int], Pool]] = {
    "submit": submit,
    "complete": complete,
    "stop": stop,
    "ready": ready,
    "move": move,
    "unbind": unbind,
    "shutdown": shutdown,
}


def broken(pool: Pool, limits: Limits) -> str:
    """The first invariant that does not hold, empty where all do; sets of jobs and generations are bits."""
    _, fresh, roles, bound, keys, ends = pool
    if TWICE in ends or len(bound) - bound.count(NOWHERE) > limits.bindings:
        return "one end for each job, bindings within their limit"
    seen = born = held = 0
    for place, (up, generation, job, given, line) in enumerate(roles):
        if len(line) > WAITING_MAX + 1 or (up and line and not job):
            return "lines are short, and nobody waits beside a free worker"
        if job:
            if not up or given != generation:
                return "jobs are on the worker that got them"
            if seen >> job & 1:
                return "every job has one place"
            seen |= 1 << job
            held += 1
        if generation >= fresh or born >> generation & 1:
            return "generations are fresh"
        born |= 1 << generation
        held += len(line)
        latest = 0
        for each in line:
            if each <= latest or ends[each - 1] or bound[keys[each - 1]] != place:
                return "lines are in order, and stand where their keys are bound"
            if seen >> each & 1:
                return "every job has one place"
            latest = each
            seen |= 1 << each
    if len(keys) != held + len(ends) - ends.count(LIVE):
        return "every job has one place"
    return ""


Taken = tuple[int, Pool, Pool]
"""An input's number and the pool after it, twice: the state, and all that this model tells of the transition."""


def successors(limits: Limits) -> Callable[[Pool], list[Taken]]:
    """Everything that can happen to a pool; an input that leaves the very same pool was not taken."""
    rules = tuple([(number, RULES[word], argument) for number, (word, argument) in enumerate(INPUTS)])

    def taken(pool: Pool) -> list[Taken]:
        return [
            (number, after, after)
            for number, rule, argument in rules
            if (after := rule(pool, limits, argument)) is not pool
        ]

    return taken


def closure(limits: Limits) -> tuple[int, int]:
    """Walk all states there are, each audited once; gives states and transitions. ValueError where one is broken."""
    walk: Walk[Pool, int, Pool] = Walk.through(START, successors(limits), Bounds(10_000, 10_000_000))
    with collector_paused():
        for _, _, pool, _, _ in walk.steps(fresh_only=True):
            if why := broken(pool, limits):
                raise ValueError(why)
    return walk.states, walk.transitions


def bare_loop(limits: Limits) -> tuple[int, int]:
    """The same with no explorer at all: a set of states and nothing to find a way back by."""
    rules = tuple([(RULES[word], argument) for word, argument in INPUTS])
    seen, level, transitions = {START}, [START], 0
    with collector_paused():
        while level:
            following = []
            for pool in level:
                for rule, argument in rules:
                    after = rule(pool, limits, argument)
                    if after is not pool:
                        transitions += 1
                        if after not in seen:
                            if why := broken(after, limits):
                                raise ValueError(why)
                            seen.add(after)
                            following.append(after)
            level = following
    return len(seen), transitions
