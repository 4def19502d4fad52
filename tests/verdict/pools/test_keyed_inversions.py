"""Every inversion of the keyed pool's law breaks a clause of each claim that it is about."""

from __future__ import annotations

import pytest

from harness.models.pools.inverting import PoolInversion
from harness.models.pools.keyed.inversions_recovery import INVERSIONS
from harness.verdict.pools.keyed_breaks import BREAKS, EXPLAINED
from tests.verdict.pools.keyed_doctorings import HALL
from tests.verdict.pools.pool_runs import KEYED_POOLS, pool

SHORT = ("one-kiln", HALL, "tide-gauges")
"""The shipped pools, those with the shortest runs first."""


def template_of(claim: int) -> str:
    (template,) = (each for each in pool(HALL).scenarios if each.startswith(f"claim-{claim:02}-"))
    return template


def test_every_inversion_is_listed() -> None:
    """The table of what inversions break has all of them, each with clauses of all of its claims."""
    assert set(BREAKS) == {each.name for each in INVERSIONS.all()}
    for each in INVERSIONS.all():
        assert {template for template, _ in BREAKS[each.name]} == {template_of(claim) for claim in each.claims}
    assert set(SHORT) == set(KEYED_POOLS)


@pytest.mark.parametrize("inversion", INVERSIONS.all(), ids=lambda each: each.name)
def test_inversion_breaks_its_claims(inversion: PoolInversion) -> None:
    """For each claim, some shipped pool violates clauses of that claim's template, which are listed."""
    for claim in inversion.claims:
        template = template_of(claim)
        found = next((found for name in SHORT if (found := pool(name).broken(template, inversion.name))), ())
        assert found
        assert {(template, at) for at in found} <= set(BREAKS[inversion.name])


@pytest.mark.deep
@pytest.mark.parametrize("inversion", INVERSIONS.all(), ids=lambda each: each.name)
def test_a_breach_is_seen_or_hidden_with_a_reason(inversion: PoolInversion) -> None:
    """A pool that says what hides a breach shows none in its claims; every other one is seen; the table has all."""
    broken: set[tuple[str, int]] = set()
    for name in KEYED_POOLS:
        templates = map(template_of, inversion.claims)
        seen = {(each, at) for each in templates for at in pool(name).broken(each, inversion.name)}
        assert bool(seen) == (pool(name).bound.hidden_by(inversion.name) is None), name
        broken |= seen
    assert set(BREAKS[inversion.name]) == broken


@pytest.mark.deep
def test_the_clauses_that_no_inversion_breaks_are_known() -> None:
    """The explained clauses are broken by no inversion in any pool, and every other clause by some."""
    whole = {(each.template, at) for each in pool(HALL).scenarios.values() for at in range(len(each.clauses))}
    for template in pool(HALL).scenarios:
        for name in SHORT:
            for inversion in INVERSIONS.all():
                if any(each == template for each, _ in whole):
                    whole -= {(template, at) for at in pool(name).broken(template, inversion.name)}
    assert whole == set(EXPLAINED)
