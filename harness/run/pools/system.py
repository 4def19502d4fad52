"""A pool's model as a system under test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from harness.run.pools.events import letter_of
from harness.run.pools.logs import POOL_LOGS, step_rows
from harness.run.pools.port import Pool, Took, View
from harness.run.recording import ACCEPTED, REFUSED, Draft
from harness.run.system import Answer

Writing = Callable[[tuple[str, ...], View, Took, View, int], tuple[Draft, ...]]
"""What one event leaves: the roles, the view before, what was taken, the view after, and the event's number."""


class _Place:
    """A node with its view and with what followed each letter that was sent there."""

    __slots__ = ("followed", "node", "settles", "view")

    def __init__(self, node: Any, view: View, settles: int) -> None:
        self.node = node
        self.view = view
        self.settles = settles
        self.followed: dict[str, tuple[Answer, _Place]] = {}


class PoolSystem:
    """One law's pool behind the port: each event is the exact fact that the bench makes of it.

    The pool is a pure function, so that a beginning that two worlds share is worked out once.
    """

    memory = None

    def __init__(self, pool: Pool, logs: tuple[str, ...] = POOL_LOGS, rows: Writing = step_rows) -> None:
        self._pool = pool
        self._rows = rows
        self._logs = frozenset(logs)
        self._begun: dict[str, _Place] = {}
        self._place: _Place | None = None

    @property
    def observes(self) -> frozenset[str]:
        """Every log of the law; none is derived."""
        return self._logs

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A pool that has not begun."""
        key = json.dumps(world, sort_keys=True)
        if key not in self._begun:
            node = self._pool.construct(world)
            self._begun[key] = _Place(node, self._pool.view(node), 0)
        self._place = self._begun[key]

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One fact; refused where the pool takes nothing in."""
        place = self._place
        if place is None:
            raise ValueError("an event was sent before a world began")
        letter = letter_of(event)
        if letter not in place.followed:
            place.followed[letter] = self._follow(place, letter)
        answer, self._place = place.followed[letter]
        return answer

    def _follow(self, place: _Place, letter: str) -> tuple[Answer, _Place]:
        node, took = self._pool.take(place.node, letter)
        if took.refused is not None:
            return Answer(REFUSED, took.refused, ()), _Place(node, place.view, place.settles)
        view, settle = self._pool.view(node), place.settles + 1
        rows = self._rows(self._pool.roles, place.view, took, view, settle)
        return Answer(ACCEPTED, None, rows), _Place(node, view, settle)

    def end(self) -> None:
        """The world is over."""
        self._place = None
