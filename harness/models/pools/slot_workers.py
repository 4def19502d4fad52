"""What every pool behind working slots has in common: its recovery, and a world in which all goes well at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from harness.models.pools import facts as f
from harness.models.pools.bench import Bench, Desk, Product, Question, after, fact_of
from harness.models.pools.definition import RecoveryPolicy
from harness.models.pools.timing import Budget

UNLIMITED = RecoveryPolicy("permanent", Budget(2**31, 0))
"""Recovery of a slot's worker: at once, and as often as it takes."""
CUSTOMER = "lifecycle"
"""Who hands in the jobs of slots: pools that are alike are equal whichever runs hold their slots."""
STEPS_KEPT = 4096
"""How many steps of pools are kept. A step is a function of the pool, and few pools come up again and again."""
TO_READY = {"source": 5, "birth": 4}
"""Good answers to a ready worker: of its source, its birth, its start, the begin, itself; or without the first."""


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
    for name in roles:
        state, bench = _answered(step, state, bench, name, roles)
    return state


def back_again(step: Step[Any], state: State, roles: tuple[str, ...], role: int, question: Question) -> Any:
    """The pool once a replacement is ready; `question` is what is open: its source, or its birth (as on a bench)."""
    desks = [Desk()] * len(roles)
    desks[role] = Desk(open=(question,))
    ready, _ = _answered(step, state, Bench(tuple(desks)), roles[role], roles)
    return ready


def _answered(step: Step[Any], state: Any, bench: Bench, name: str, roles: tuple[str, ...]) -> tuple[Any, Bench]:
    """The good answers to what is open about a role, until its worker is ready."""
    for _ in range(TO_READY[bench.desks[roles.index(name)].open[0][0]]):
        fact = fact_of(f"advance {name}", bench, roles)
        done = step(state, fact)
        state, bench = done.state, after(bench, fact, done.actions)
    return state, bench
