"""Building a pool: every way to fail, and never half a fleet."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools import facts as f
from harness.models.pools.correlations import Allocator, Allocators, BirthId
from harness.models.pools.definition import ConstructionError, Definition
from harness.models.pools.fifo.model import FifoPool, construct
from harness.models.pools.fifo.state import Constructed
from tests.models.pools._fifo import definition, phases

UNSOUND: dict[str, Definition] = {
    "empty-roster": definition()._replace(roles=()),
    "duplicate-role": definition("a", "b", "a"),
    "no-activation-limit": definition(activation_limit=0),
    "negative-backlog": definition(backlog=-1),
    "invalid-deadline": definition(deadline=0),
    "missing-policy": definition(recovery=None),
    "worker-source-does-not-fit": definition(eligibility="temporary"),
    "protocol-does-not-fit": definition(accepts_assignments=False),
}


@pytest.mark.parametrize("reason", list(UNSOUND))
def test_unsound_definition_builds_nothing(reason: str) -> None:
    """Each fault of a definition has its reason, and nothing was prepared for it."""
    assert construct(UNSOUND[reason]) == ConstructionError(reason, None, ())


@pytest.mark.parametrize("changes", [{"interruption": "later"}, {"eligibility": "often"}, {"failure": "ignore"}])
def test_unknown_policy_is_a_missing_one(changes: dict[str, Any]) -> None:
    """A policy that is none of the law's is missing."""
    assert construct(definition(**changes)) == ConstructionError("missing-policy", None, ())


def test_temporary_recovery_has_no_source() -> None:
    """Where nothing is ever replaced there is nobody to ask."""
    assert isinstance(construct(definition(eligibility="temporary", source=False)), Constructed)


@pytest.mark.parametrize("failing", ["a", "b", "c"])
def test_failed_factory_gives_back_what_was_prepared(failing: str) -> None:
    """The factory is asked in declared order; its failure leaves no pool, and owns all that came before."""
    asked: list[str] = []

    def factory(role: str) -> str | None:
        asked.append(role)
        return None if role == failing else role

    built = construct(definition("a", "b", "c"), factory)
    assert isinstance(built, ConstructionError)
    assert (built.reason, built.role) == ("factory-failed", failing)
    assert [each.definition for each in built.prepared] == asked[:-1]


@pytest.mark.parametrize(("place", "births"), [(0, Allocator(BirthId(1), 0)), (1, Allocator(BirthId(1), 1))])
def test_exhausted_births_give_back_what_was_prepared(place: int, births: Allocator) -> None:
    """A birth that can't be reserved fails the whole construction at its role."""
    built = construct(definition("a", "b"), allocators=Allocators(birth=births))
    assert isinstance(built, ConstructionError)
    assert (built.reason, built.role, len(built.prepared)) == ("birth-exhausted", "ab"[place], place)


def test_clashing_birth_fails_the_construction() -> None:
    """A number that is taken already is no reservation."""
    births = Allocator(BirthId(1), None, (2,))
    built = construct(definition("a", "b"), allocators=Allocators(birth=births))
    assert isinstance(built, ConstructionError)
    assert (built.reason, built.role) == ("birth-collision", "b")


def test_constructed_pool_takes_its_beginning_only() -> None:
    """Before it begins a pool admits nothing; then every creation leaves in declared order."""
    built = construct(definition("a", "b"))
    assert isinstance(built, Constructed)
    pool = FifoPool(definition("a", "b"))
    assert pool.step(built, f.Shutdown()).refused == "not-admitted"
    begun = pool.step(built, f.Initialize())
    assert phases(begun.state) == ("creating", "creating")
    assert [each.role for each in begun.actions.worker_creations] == [0, 1]
    again = pool.step(begun.state, f.Initialize())
    assert again.state is begun.state
