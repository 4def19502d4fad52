"""A pool's model as a system under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.run.memory import Answer
from harness.run.pools.events import letter_of
from harness.run.pools.logs import POOL_LOGS, step_rows
from harness.run.pools.port import Pool, Took, View
from harness.run.recording import ACCEPTED, REFUSED, Draft

Writing = Callable[[tuple[str, ...], View, Took, View, int], tuple[Draft, ...]]
"""What one event leaves: the roles, the view before, what was taken, the view after, and the event's number."""


class _At(NamedTuple):
    """A node with its view, and the number of the events that were taken in."""

    node: Any
    view: View
    settles: int


class PoolSteps:
    """One law's pool, event by event: each is the exact fact that the bench makes of it."""

    def __init__(self, pool: Pool, logs: tuple[str, ...] = POOL_LOGS, rows: Writing = step_rows) -> None:
        self._pool = pool
        self._rows = rows
        self.observes = frozenset(logs)

    def start(self, world: Mapping[str, Any]) -> _At:
        """A pool that has not begun."""
        node = self._pool.construct(world)
        return _At(node, self._pool.view(node), 0)

    def take(self, at: _At, event: Mapping[str, Any]) -> tuple[Answer, _At]:
        """One fact; refused where the pool takes nothing in."""
        node, took = self._pool.take(at.node, letter_of(event))
        if took.refused is not None:
            return Answer(REFUSED, took.refused, ()), _At(node, at.view, at.settles)
        view, settle = self._pool.view(node), at.settles + 1
        rows = self._rows(self._pool.roles, at.view, took, view, settle)
        return Answer(ACCEPTED, None, rows), _At(node, view, settle)
