"""Steering a pool to what a run is to show, letter by letter, on the sound model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.run.pools.port import Pool, View

#: How often one letter is repeated before a goal counts as not reached.
REPEATS = 12


class NotConstructibleError(Exception):
    """Why this pool can never show a thing."""


class NotReachedError(Exception):
    """What was aimed at and not met within the bounds."""


class Shape(NamedTuple):
    """A run by what it shows; `build` steers a pilot there, or says that no run of this pool can show it.

    `world` limits the pool's numbers, as in `{"numbers": {"dispatch": 1}}`.
    """

    name: str
    build: Callable[[Pilot], None]
    world: Mapping[str, Any]


class Pilot:
    """A pool on its way; `letters` is what was sent so far."""

    def __init__(self, pool: Pool, world: Mapping[str, Any]) -> None:
        self.pool = pool
        self.letters: list[str] = []
        self.node: Any = pool.construct(world)
        self.view: View = pool.view(self.node)

    # -- sending ---------------------------------------------------------------------------------------------------

    def send(self, *letters: str) -> None:
        """These letters, in order."""
        for letter in letters:
            self.node, _ = self.pool.take(self.node, letter)
            self.letters.append(letter)
            self.view = self.pool.view(self.node)

    def until(self, letter: str, wanted: Callable[[], bool], what: str) -> None:
        """Repeat a letter until something is so; NotReachedError after `REPEATS`."""
        for _ in range(REPEATS):
            if wanted():
                return
            self.send(letter)
        if not wanted():
            raise NotReachedError(f"{what} was not met after {REPEATS} times {letter}")

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def roles(self) -> tuple[str, ...]:
        """The declared roles."""
        return self.pool.roles

    def phase(self, role: str) -> str:
        """The phase of a role, with its part: `recovering-preparing`."""
        cell = next((each for each in self.view.cells if each.role == role), None)
        if cell is None:
            return self.view.mode
        return f"{cell.phase}-{cell.within}" if cell.phase == "recovering" else cell.phase

    def is_in(self, role: str, *phases: str) -> bool:
        """Whether a role is in one of these phases."""
        return self.phase(role) in phases

    # -- goals -----------------------------------------------------------------------------------------------------

    def advance(self, role: str, *phases: str) -> None:
        """Good answers for a role until it is in one of these phases."""
        self.until(f"advance {role}", lambda: self.is_in(role, *phases), f"{role} {' or '.join(phases)}")

    def begin(self) -> None:
        """The pool begins."""
        self.send("initialize")

    def warm(self) -> None:
        """Every worker is ready."""
        self.begin()
        for role in self.roles:
            self.advance(role, "idle")

    def submit(self, count: int = 1) -> None:
        """So many jobs are handed in."""
        self.send(*("submit",) * count)

    def occupied(self) -> None:
        """Every worker is ready and has a job, whose delivery is settled."""
        self.warm()
        self.submit(len(self.roles))
        for role in self.roles:
            self.advance(role, "busy-delivered")

    def end(self) -> None:
        """Every worker of a closed pool ends."""
        for role in self.roles:
            for _ in range(REPEATS):
                if self.view.mode not in ("draining",) or self.is_in(role, "drained"):
                    break
                self.send(f"leave {role}" if self.is_in(role, "worker") else f"advance {role}")
        if self.view.mode == "draining":
            raise NotReachedError("the pool did not stop")

    def settle(self, role: str) -> None:
        """Good answers and the exit of a worker that ends, until its role is on its way to a new one or is over."""
        for _ in range(REPEATS):
            if not self.is_in(role, "draining-pre-ready", "quarantined", "stopping"):
                return
            cell = next(each for each in self.view.cells if each.role == role)
            self.send(f"stop {role}" if "stop" not in cell.kept and not cell.open else f"advance {role}")
        raise NotReachedError(f"the worker of {role} did not end")
