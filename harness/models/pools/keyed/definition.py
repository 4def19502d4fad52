"""What a keyed pool is built from, and every way in which building it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from harness.models.pools import definition as shared
from harness.models.pools.definition import Definition

Selector = Callable[[str], str]
"""From a key to a role; it sees nothing else and chooses nothing else."""


class KeyedDefinition(NamedTuple):
    """One keyed pool: its workers and policies, who chooses a role for a key, and how many keys may be bound.

    `workers.backlog` is how many jobs may wait for each role.
    """

    workers: Definition
    selector: Selector | None
    binding_capacity: int

    @property
    def roles(self) -> tuple[str, ...]:
        """The roster, in its order."""
        return self.workers.roles


def choosing(roles: Mapping[str, str], rest: str) -> Selector:
    """A selector that knows the role of some keys; any other key goes to `rest`."""
    return lambda key: roles.get(key, rest)


def check(definition: KeyedDefinition) -> str | None:
    """The first reason why a definition is none, None where it is sound."""
    reason = shared.check(definition.workers)
    if reason is not None:
        return reason
    if definition.binding_capacity < 1:
        return "no-binding-capacity"
    return "missing-selector" if definition.selector is None else None
