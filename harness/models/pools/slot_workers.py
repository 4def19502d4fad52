"""What every pool behind working slots has in common: its recovery, and a world in which all goes well at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from harness.models.pools import facts as f
from harness.models.pools.bench import Bench, Desk, Product, after, fact_of
from harness.models.pools.definition import RecoveryPolicy
from harness.models.pools.timing import Budget
from harness.models.pools.values import Worker

UNLIMITED = RecoveryPolicy("permanent", Budget(2**31, 0))
"""Recovery of a slot's worker: at once, and as often as it takes."""
SOURCE_TO_READY = 5
"""Good answers from an asked worker source to a ready worker: source, birth, start, begin, readiness."""
BIRTH_TO_READY = SOURCE_TO_READY - 1


class Done(Protocol):
    """What one step of a pool gives, whichever law it follows."""

    @property
    def state(self) -> Any:
        """The state after it."""

    @property
    def actions(self) -> Product:
        """What left with it."""


State = TypeVar("State")
Step = Callable[[State, f.Fact], Done]


def all_ready(step: Step[Any], constructed: State, roles: tuple[str, ...]) -> Any:
    """The pool once it has begun and the worker of every role, in their order, is ready."""
    begun = step(constructed, f.Initialize())
    bench = after(Bench((Desk(),) * len(roles)), f.Initialize(), begun.actions)
    state = begun.state
    for role in range(len(roles)):
        state, bench = _answered(step, state, bench, (role, roles), BIRTH_TO_READY)
    return state


def recovered(step: Step[Any], state: State, roles: tuple[str, ...], role: int, predecessor: Worker) -> Any:
    """The pool once the replacement that it has asked for is ready."""
    desks = [Desk()] * len(roles)
    desks[role] = Desk(open=(("source", predecessor),))
    ready, _ = _answered(step, state, Bench(tuple(desks)), (role, roles), SOURCE_TO_READY)
    return ready


def _answered(
    step: Step[Any], state: Any, bench: Bench, whose: tuple[int, tuple[str, ...]], times: int
) -> tuple[Any, Bench]:
    """The good answer to the open question about a role (its number, the roster), so many times."""
    role, roles = whose
    for _ in range(times):
        fact = fact_of(f"advance {roles[role]}", bench, roles)
        done = step(state, fact)
        state, bench = done.state, after(bench, fact, done.actions)
    return state, bench
