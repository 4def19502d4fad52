"""Where shapes register: a function that steers a pilot, with the name of what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from harness.models.pools.definition import Definition
from harness.run.pools.piloting import NotConstructibleError, Pilot, Shape

Steering = Callable[[Pilot, Definition], None]
Number = int | Callable[[Definition], int]
"""A number of a world, or how it follows from the pool."""


class Shapes:
    """A set of shapes.

    `numbers` of a shape are the last numbers that its world leaves the pool, by kind; `taken` is the one number of
    each kind that is taken already when the pool wants it.
    """

    def __init__(self) -> None:
        self._found: list[tuple[str, Steering, Mapping[str, Number], Mapping[str, Number]]] = []

    def __call__(
        self, name: str, *, taken: Mapping[str, Number] | None = None, **numbers: Number
    ) -> Callable[[Steering], Steering]:
        """Declares a shape."""

        def declare(steer: Steering) -> Steering:
            self._found.append((name, steer, numbers, taken or {}))
            return steer

        return declare

    def of(self, definition: Definition) -> tuple[Shape, ...]:
        """The shapes as they are for one pool."""
        return tuple(
            Shape(name, partial(_steer, steer, definition), _world(definition, numbers, taken))
            for name, steer, numbers, taken in self._found
        )


def _world(definition: Definition, numbers: Mapping[str, Number], taken: Mapping[str, Number]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if numbers:
        found["numbers"] = {kind: _number(definition, numbers[kind]) for kind in sorted(numbers)}
    if taken:
        found["taken"] = {kind: [_number(definition, taken[kind])] for kind in sorted(taken)}
    return found


def _number(definition: Definition, number: Number) -> int:
    return number if isinstance(number, int) else number(definition)


def first_workers(definition: Definition) -> int:
    """The number of the last of the first workers."""
    return len(definition.roles)


def first_replacement(definition: Definition) -> int:
    """The number of the first worker that replaces another."""
    return len(definition.roles) + 1


def _steer(steer: Steering, definition: Definition, pilot: Pilot) -> None:
    steer(pilot, definition)


# -- what a definition rules out -----------------------------------------------------------------------------------


def need_roles(pilot: Pilot, count: int) -> None:
    """So many roles, or the shape can't be."""
    if len(pilot.roles) < count:
        raise NotConstructibleError(f"the pool has {len(pilot.roles)} role, this needs {count}")


def need_backlog(definition: Definition, count: int) -> None:
    """So many places for waiting jobs."""
    if definition.backlog < count:
        raise NotConstructibleError(f"the backlog is {definition.backlog}, this needs {count}")


def need_recovery(definition: Definition) -> None:
    """Workers that are replaced."""
    if not replaces(definition):
        raise NotConstructibleError("workers of this pool are never replaced")


def need_budget(definition: Definition) -> None:
    """Workers that are replaced, at least once."""
    need_recovery(definition)
    if definition.recovery is None or definition.recovery.budget.restarts < 1:
        raise NotConstructibleError("the restart budget of this pool is 0")


def need_delay(definition: Definition) -> None:
    """Replacements that come after a delay."""
    need_budget(definition)
    if definition.recovery is None or definition.recovery.delay is None:
        raise NotConstructibleError("workers of this pool are replaced at once")


def need_lone_retirement(definition: Definition) -> None:
    """A role that can retire without ending the pool."""
    if definition.recovery is not None and definition.recovery.failure == "stop-pool":
        raise NotConstructibleError("in this pool a role that is lost for a failure ends the pool")


def need_deadline(definition: Definition) -> None:
    """A drain with a limit."""
    if definition.deadline is None:
        raise NotConstructibleError("drains of this pool have no deadline")


def replaces(definition: Definition) -> bool:
    """Whether the pool ever replaces a worker."""
    return definition.recovery is not None and definition.recovery.eligibility != "temporary"
