"""Building a keyed pool: every way to fail, and what a pool that has not begun already does."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools import facts as f
from harness.models.pools.correlations import Allocator, Allocators, BirthId
from harness.models.pools.definition import ConstructionError
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.model import KeyedPool, construct
from harness.models.pools.keyed.state import Constructed
from tests.models.pools.keyed import _keyed as p

UNSOUND: dict[str, KeyedDefinition] = {
    "empty-roster": p.definition()._replace(workers=p.definition().workers._replace(roles=())),
    "duplicate-role": p.definition("a", "b", "a"),
    "no-activation-limit": p.definition(activation_limit=0),
    "negative-backlog": p.definition(backlog=-1),
    "invalid-deadline": p.definition(deadline=0),
    "missing-policy": p.definition(recovery=None),
    "worker-source-does-not-fit": p.definition(eligibility="temporary"),
    "protocol-does-not-fit": p.definition(accepts_assignments=False),
    "no-binding-capacity": p.definition(binding_capacity=0),
    "missing-selector": p.definition(selector=None),
}


@pytest.mark.parametrize("reason", list(UNSOUND))
def test_unsound_definition_builds_nothing(reason: str) -> None:
    """Each fault of a definition has its reason, and nothing was prepared for it."""
    assert construct(UNSOUND[reason]) == ConstructionError(reason, None, ())


def test_room_for_no_waiting_job_is_sound() -> None:
    """A pool may assign at once or not at all."""
    assert isinstance(construct(p.definition(backlog=0)), Constructed)


@pytest.mark.parametrize("failing", ["a", "b", "c"])
def test_failed_factory_gives_back_what_was_prepared(failing: str) -> None:
    """The factory is asked in declared order; its failure leaves no pool, and owns all that came before."""
    asked: list[str] = []

    def factory(role: str) -> str | None:
        asked.append(role)
        return None if role == failing else role

    built = construct(p.definition("a", "b", "c"), factory)
    assert isinstance(built, ConstructionError)
    assert (built.reason, built.role) == ("factory-failed", failing)
    assert [each.definition for each in built.prepared] == asked[:-1]


@pytest.mark.parametrize(("place", "births"), [(0, Allocator(BirthId(1), 0)), (1, Allocator(BirthId(1), 1))])
def test_exhausted_births_give_back_what_was_prepared(place: int, births: Allocator) -> None:
    """A birth that can't be reserved fails the whole construction at its role."""
    built = construct(p.definition("a", "b"), allocators=Allocators(birth=births))
    assert isinstance(built, ConstructionError)
    assert (built.reason, built.role, len(built.prepared)) == ("birth-exhausted", "ab"[place], place)


def test_constructed_pool_begins_once_and_keeps_what_waited() -> None:
    """Keys are bound and jobs wait before the beginning; then every creation leaves in declared order."""
    pool, state = KeyedPool(p.definition("a", "b")), construct(p.definition("a", "b"))
    assert isinstance(state, Constructed)
    taken: Any = state
    for sent in (p.submission("b1"), p.rebalance("a", key="a1"), p.submission("a1")):
        taken = pool.step(taken, sent).state
    assert (p.phases(taken), p.jobs(taken)) == (("prepared", "prepared"), [[2], [1]])
    begun = pool.step(taken, f.Initialize())
    assert (p.phases(begun.state), p.jobs(begun.state)) == (("creating", "creating"), [[2], [1]])
    assert [each.role for each in begun.actions.worker_creations] == [0, 1]
    again = pool.step(begun.state, f.Initialize())
    assert (again.state is begun.state, p.kinds(again)) == (True, ("rejected-input",))
