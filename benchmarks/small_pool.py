"""A small keyed pool to measure the explorer with: two roles, two keys, one waiting job a role, twelve inputs.

It is not the law of the keyed pool. Its states are flat and small, so that the time of a walk is the explorer's and
not the model's; other model checkers have the same pool, and count the same states.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.explorer import Bounds, Walk

LIVE, DONE, DROPPED, CANCELED, TWICE = 0, 1, 2, 3, 9
WAITING_MAX = 1
NOWHERE = -1


class Role(NamedTuple):
    """A worker: whether it is up, its generation, its job (0: none), that job's generation, the jobs that wait."""

    up: bool
    generation: int
    job: int
    given: int
    line: tuple[int, ...]


class Pool(NamedTuple):
    """The pool: whether it is closed, the next generation, roles, where each key is bound, each job's key and end."""

    closed: bool
    fresh: int
    roles: tuple[Role, ...]
    bound: tuple[int, ...]
    keys: tuple[int, ...]
    ends: tuple[int, ...]


class Limits(NamedTuple):
    """Keys that may be bound at once, jobs and generations in all."""

    bindings: int
    jobs: int
    generations: int


class Step(NamedTuple):
    """What an input did; an input that is not taken is refused."""

    state: Pool
    refused: str | None


START = Pool(False, 2, (Role(True, 0, 0, 0, ()), Role(True, 1, 0, 0, ())), (NOWHERE, NOWHERE), (), ())
INPUTS = (
    *(("submit", 0), ("submit", 1), ("complete", 0), ("complete", 1), ("stop", 0), ("stop", 1)),
    *(("ready", 0), ("ready", 1), ("move", 0), ("unbind", 0), ("unbind", 1), ("shutdown", 0)),
)


def _ended(ends: tuple[int, ...], job: int, how: int) -> tuple[int, ...]:
    place = job - 1
    return (*ends[:place], TWICE if ends[place] else how, *ends[job:])


def _at(roles: tuple[Role, ...], place: int, role: Role) -> tuple[Role, ...]:
    return (role, roles[1]) if place == 0 else (roles[0], role)


def _served(up: bool, generation: int, job: int, given: int, line: tuple[int, ...]) -> Role:
    """A worker that is up and has nothing to do takes the first job of its line."""
    if up and not job and line:
        return Role(up, generation, line[0], generation, line[1:])
    return Role(up, generation, job, given, line)


def submit(pool: Pool, limits: Limits, key: int) -> Pool:
    """A job for a key: an unbound key is bound to the role with less to do."""
    closed, fresh, roles, bound, keys, ends = pool
    if closed or len(keys) >= limits.jobs:
        return pool
    place = bound[key]
    if place < 0:
        if len(bound) - bound.count(NOWHERE) >= limits.bindings:
            return pool
        loads = [len(each.line) + (each.job > 0) for each in roles]
        place = loads.index(min(loads))
        bound = (place, bound[1]) if key == 0 else (bound[0], place)
    up, generation, job, given, line = roles[place]
    if (job or not up) and len(line) >= WAITING_MAX:
        return pool
    keys = (*keys, key)
    role = _served(up, generation, job, given, (*line, len(keys)))
    return Pool(closed, fresh, _at(roles, place, role), bound, keys, (*ends, LIVE))


def complete(pool: Pool, _: Limits, place: int) -> Pool:
    """A worker has done its job."""
    closed, fresh, roles, bound, keys, ends = pool
    up, generation, job, _given, line = roles[place]
    if not up or not job:
        return pool
    role = _served(up, generation, 0, 0, line)
    return Pool(closed, fresh, _at(roles, place, role), bound, keys, _ended(ends, job, DONE))


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
    return Pool(closed, fresh, _at(roles, place, Role(False, generation, 0, 0, line)), bound, keys, ends)


def ready(pool: Pool, limits: Limits, place: int) -> Pool:
    """A worker comes back as a new one."""
    closed, fresh, roles, bound, keys, ends = pool
    up, _generation, job, given, line = roles[place]
    if up or fresh >= limits.generations:
        return pool
    return Pool(closed, fresh + 1, _at(roles, place, _served(True, fresh, job, given, line)), bound, keys, ends)


def move(pool: Pool, _: Limits, key: int) -> Pool:
    """A key with no running job goes to the second role, and its waiting jobs with it."""
    closed, fresh, roles, bound, keys, ends = pool
    source = bound[key]
    if source != 0:
        return pool
    up, generation, job, given, line = roles[0]
    if job and keys[job - 1] == key:
        return pool
    moved = tuple([each for each in line if keys[each - 1] == key])
    other = roles[1]
    if len(moved) + len(other.line) > WAITING_MAX:
        return pool
    if moved:
        kept = Role(up, generation, job, given, tuple([each for each in line if keys[each - 1] != key]))
        both = tuple(sorted((*other.line, *moved)))
        roles = (kept, _served(other.up, other.generation, other.job, other.given, both))
    return Pool(closed, fresh, roles, (1, bound[1]) if key == 0 else (bound[0], 1), keys, ends)


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
    for each in line:
        if keys[each - 1] == key:
            ends = _ended(ends, each, DROPPED)
    if len(kept) != len(line):
        roles = _at(roles, place, Role(up, generation, job, given, kept))
    return Pool(closed, fresh, roles, (NOWHERE, bound[1]) if key == 0 else (bound[0], NOWHERE), keys, ends)


def shutdown(pool: Pool, _: Limits, __: int) -> Pool:
    """No more jobs, no more bindings; who waits is canceled."""
    closed, fresh, roles, bound, keys, ends = pool
    if closed:
        return pool
    for each in roles:
        for job in each.line:
            ends = _ended(ends, job, CANCELED)
    emptied = tuple([Role(up, generation, job, given, ()) for up, generation, job, given, _ in roles])
    return Pool(True, fresh, emptied, (NOWHERE,) * len(bound), keys, ends)


RULES = {
    "submit": submit,
    "complete": complete,
    "stop": stop,
    "ready": ready,
    "move": move,
    "unbind": unbind,
    "shutdown": shutdown,
}


def broken(pool: Pool, limits: Limits) -> str:
    """The first invariant that does not hold, empty where all do."""
    _, fresh, roles, bound, keys, ends = pool
    if TWICE in ends or len(bound) - bound.count(NOWHERE) > limits.bindings:
        return "one end for each job, bindings within their limit"
    seen: list[int] = []
    generations: list[int] = []
    for place, (up, generation, job, given, line) in enumerate(roles):
        if len(line) > WAITING_MAX + 1 or (up and line and not job):
            return "lines are short, and nobody waits beside a free worker"
        if job and (not up or given != generation):
            return "jobs are on the worker that got them"
        generations.append(generation)
        seen += (job, *line) if job else line
        if tuple(sorted(line)) != line or any(ends[each - 1] or bound[keys[each - 1]] != place for each in line):
            return "lines are in order, and stand where their keys are bound"
    if max(generations) >= fresh or generations[0] == generations[1]:
        return "generations are fresh"
    if len(set(seen)) != len(seen) or len(keys) != len(seen) + len(ends) - ends.count(LIVE):
        return "every job has one place"
    return ""


def closure(limits: Limits) -> tuple[int, int]:
    """Walk all states there are, each audited once; gives states and transitions. ValueError where one is broken."""
    rules = tuple([(RULES[word], number) for word, number in INPUTS])

    def step(pool: Pool, number: int) -> Step:
        rule, argument = rules[number]
        after = rule(pool, limits, argument)
        return Step(after, "not taken" if after is pool else None)

    numbers = tuple(range(len(INPUTS)))
    walk = Walk(START, lambda _: numbers, step, Bounds(10_000, 10_000_000))
    for edge in walk:
        if edge.fresh and (why := broken(edge.transition.state, limits)):
            raise ValueError(why)
    return walk.states, walk.transitions
