"""Steering a supervisor, and where its shapes register."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from harness.models.pools.supervisor.definition import Definition, Restarts
from harness.run.pools.piloting import REPEATS, NotConstructibleError, NotReachedError, Pilot, Shape
from harness.run.pools.supervisor.runs import Node, SupervisorRuns
from harness.run.pools.supervisor.view import Rest

NEEDS_STOP = ("recovery-needs-receipt-and-stop", "recovery-needs-stop-and-outcome", "recovery-needs-stop")
_LIVE = ("starting", "online", "empty", "stopping")


class SupervisorPilot(Pilot):
    """A supervisor on its way. It is only told what is open, unless a shape sends something else on purpose."""

    @property
    def definition(self) -> Definition:
        """What is steered."""
        return cast(SupervisorRuns, self.pool).definition

    @property
    def first(self) -> str:
        """The first declared role."""
        return self.roles[0]

    @property
    def is_open(self) -> bool:
        """Whether the supervisor operates."""
        return self.view.mode == "operating"

    def asks(self, role: str) -> bool:
        """Whether a question about the role is open."""
        return bool(cast(Node, self.node).bench.seats[self.roles.index(role)].open)

    def good(self, role: str, count: int = 1) -> None:
        """So many good answers about a role, as long as something is asked."""
        for _ in range(count):
            if self.asks(role):
                self.send(f"advance {role}")

    def grow(self, role: str, *phases: str) -> None:
        """Good answers until the role is in one of these phases; NotReachedError where nothing is asked."""
        for _ in range(REPEATS):
            if self.is_in(role, *phases):
                return
            if not self.asks(role):
                break
            self.send(f"advance {role}")
        if not self.is_in(role, *phases):
            raise NotReachedError(f"{role} is {self.phase(role)} and was to be {' or '.join(phases)}")

    def warm(self) -> None:
        """Every role is online."""
        self.begin()
        for role in self.roles:
            self.grow(role, "online")

    # -- recoveries ------------------------------------------------------------------------------------------------

    @property
    def rest(self) -> Rest:
        """What the supervisor holds besides its roles."""
        return cast(Rest, self.view.rest)

    def chosen(self, trigger: str) -> tuple[str, ...]:
        """Who is replaced with a role."""
        strategy = restarts_of(self).strategy
        if strategy == "one-for-one":
            return (trigger,)
        return self.roles[self.roles.index(trigger) :] if strategy == "rest-for-one" else self.roles

    def peer(self) -> str:
        """An online role that is replaced with the first one."""
        peers = [each for each in self.chosen(self.first) if each != self.first]
        if not peers:
            raise NotConstructibleError("no role of this supervisor is replaced together with another")
        return peers[0]

    def stop_and_prepare(self, trigger: str) -> None:
        """A worker ends, and replacements are made for all that are chosen."""
        self.send(f"stop {trigger}", "advance recovery")

    def release(self) -> None:
        """The timer of the recovery is taken and goes off, where it has one."""
        for _ in range(REPEATS):
            if not any(each.release in ("scheduling", "waiting") for each in self.rest.teams):
                return
            self.send("advance recovery")

    def complete(self) -> None:
        """Every replacement becomes ready behind a predecessor whose stop is told."""
        for _ in range(REPEATS * len(self.roles)):
            role = next((each for each in self.roles if self.phase(each).startswith("recovery-")), None)
            waits = [each for each in self.roles if self.phase(each) in NEEDS_STOP or self.asks(each)]
            if role is None or not waits:
                return
            for each in waits:
                self.send(f"stop {each}" if self.phase(each) in NEEDS_STOP else f"advance {each}")
        raise NotReachedError("a recovery was not completed")

    def recover(self) -> None:
        """The first role stops, and everybody who is chosen is replaced."""
        self.stop_and_prepare(self.first)
        self.release()
        self.complete()

    def replacing(self, role: str, *phases: str) -> None:
        """A warm supervisor whose first role has stopped, until a role's replacement is in one of these phases.

        Replacements that stand before it in the declared order are completed on the way.
        """
        self.warm()
        self.stop_and_prepare(self.first)
        self.release()
        for _ in range(REPEATS * len(self.roles)):
            if self.is_in(role, *phases):
                return
            busy = next((each for each in self.roles if self.asks(each)), None)
            if busy is None:
                break
            self.send(f"advance {busy}")
        raise NotReachedError(f"{role} is {self.phase(role)} and was to be {' or '.join(phases)}")

    # -- the end ---------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Every proxy of a closed supervisor ends."""
        for role in self.roles:
            for _ in range(REPEATS):
                if self.view.mode != "draining" or self.is_in(role, "drained"):
                    break
                self.send(f"advance {role}" if self.is_in(role, "resolving-proxy-birth") else f"exit {role}")
        if self.view.mode == "draining":
            raise NotReachedError("the supervisor did not stop")


Steering = Callable[[SupervisorPilot], None]
SHAPES: list[Shape] = []


def shows(name: str, **numbers: int) -> Callable[[Steering], Steering]:
    """Declares a shape; `numbers` are the last numbers that its world leaves the supervisor, by kind."""

    def declare(steer: Steering) -> Steering:
        world: Mapping[str, Any] = {"numbers": dict(sorted(numbers.items()))} if numbers else {}
        SHAPES.append(Shape(name, cast(Callable[[Pilot], None], steer), world))
        return steer

    return declare


# -- what a definition rules out -----------------------------------------------------------------------------------


def restarts_of(p: SupervisorPilot) -> Restarts:
    """How roles come back; NotConstructibleError where none does."""
    recovery = p.definition.recovery
    if recovery is None or recovery.restarts is None:
        raise NotConstructibleError("workers of this supervisor are never replaced")
    return recovery.restarts


def need_room(p: SupervisorPilot) -> None:
    """A budget that a recovery of the first role fits into."""
    limit = restarts_of(p).budget.restarts
    if limit < len(p.chosen(p.first)):
        raise NotConstructibleError(f"the restart budget of this supervisor is {limit}")


def need_delay(p: SupervisorPilot) -> None:
    """Replacements that wait for a timer."""
    need_room(p)
    if restarts_of(p).timing.kind == "immediate":
        raise NotConstructibleError("replacements of this supervisor leave at once")


def need_deadline(p: SupervisorPilot) -> None:
    """A drain with a limit."""
    if p.definition.deadline is None:
        raise NotConstructibleError("drains of this supervisor have no deadline")


def need_two(p: SupervisorPilot) -> None:
    """More than one role."""
    if len(p.roles) < 2:
        raise NotConstructibleError("the supervisor has 1 role, this needs 2")
