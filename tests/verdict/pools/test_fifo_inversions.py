"""Every inversion of the FIFO pool's law breaks a clause of each claim that it is about."""

from __future__ import annotations

import pytest

from harness.models.pools.fifo.inversions import INVERSIONS
from harness.models.pools.inverting import PoolInversion
from harness.verdict.pools.fifo_breaks import BREAKS, EXPLAINED
from tests.verdict.pools.pool_runs import POOLS, pool


def templates(claim: int) -> tuple[str, ...]:
    return tuple(each for each in pool(POOLS[0]).scenarios if each.startswith(f"claim-{claim:02}-"))


@pytest.mark.parametrize("inversion", INVERSIONS.all(), ids=lambda each: each.name)
def test_inversion_breaks_its_claims(inversion: PoolInversion) -> None:
    """For each claim, some shipped pool violates a clause of that claim's template, and those clauses are listed."""
    broken: set[tuple[str, int]] = set()
    for claim in inversion.claims:
        (template,) = templates(claim)
        found = {(template, at) for name in POOLS for at in pool(name).broken(template, inversion.name)}
        assert found
        broken |= found
    assert set(BREAKS[inversion.name]) == broken


@pytest.mark.parametrize("name", POOLS)
def test_a_breach_is_seen_or_hidden_with_a_reason(name: str) -> None:
    """A pool that says what hides a breach shows none in the claims it is about; every other breach is seen there."""
    for inversion in INVERSIONS.all():
        seen = [each for claim in inversion.claims for each in pool(name).broken(templates(claim)[0], inversion.name)]
        assert bool(seen) == (pool(name).bound.hidden_by(inversion.name) is None), inversion.name


@pytest.mark.deep
def test_the_clauses_that_no_inversion_breaks_are_known() -> None:
    """Over all inversions, pools and templates, exactly the explained clauses stay whole."""
    broken = {
        (template, at)
        for name in POOLS
        for template in pool(name).scenarios
        for inversion in INVERSIONS.all()
        for at in pool(name).broken(template, inversion.name)
    }
    clauses = {(each.template, at) for each in pool(POOLS[0]).scenarios.values() for at in range(len(each.clauses))}
    assert clauses - broken == set(EXPLAINED)
