"""Every inversion of the fixed supervisor's law breaks a clause of each claim that it is about."""

from __future__ import annotations

import pytest

from harness.models.pools.inverting import PoolInversion
from harness.models.pools.supervisor.inversions import INVERSIONS
from harness.verdict.pools.supervisor.breaks import BREAKS, EXPLAINED
from tests.verdict.pools.pool_runs import SUPERVISORS, pool
from tests.verdict.pools.supervisor_doctorings import WATCH

SHORT = ("lone-beacon", WATCH, "carillon")
"""The shipped supervisors, those with the shortest runs first."""


def template_of(claim: int) -> str:
    (template,) = (each for each in pool(WATCH).scenarios if each.startswith(f"claim-{claim:02}-"))
    return template


def test_every_inversion_is_listed() -> None:
    """The table of what inversions break has all of them, each with clauses of all of its claims."""
    assert set(BREAKS) == {each.name for each in INVERSIONS.all()}
    for each in INVERSIONS.all():
        assert {template for template, _ in BREAKS[each.name]} == {template_of(claim) for claim in each.claims}
    assert set(SHORT) == set(SUPERVISORS)


@pytest.mark.parametrize("inversion", INVERSIONS.all(), ids=lambda each: each.name)
def test_inversion_breaks_its_claims(inversion: PoolInversion) -> None:
    """For each claim, some shipped supervisor violates clauses of that claim's template, which are listed."""
    for claim in inversion.claims:
        template = template_of(claim)
        shown = (name for name in SHORT if pool(name).bound.hidden_by(inversion.name) is None)
        found = next((found for name in shown if (found := pool(name).broken(template, inversion.name))), ())
        assert found
        assert {(template, at) for at in found} <= set(BREAKS[inversion.name])


@pytest.mark.deep
@pytest.mark.parametrize("inversion", INVERSIONS.all(), ids=lambda each: each.name)
def test_a_breach_is_seen_or_hidden_with_a_reason(inversion: PoolInversion) -> None:
    """What says that it hides a breach shows none in its claims; every other one is seen; the table has all."""
    broken: set[tuple[str, int]] = set()
    for name in SUPERVISORS:
        templates = map(template_of, inversion.claims)
        seen = {(each, at) for each in templates for at in pool(name).broken(each, inversion.name)}
        assert bool(seen) == (pool(name).bound.hidden_by(inversion.name) is None), name
        broken |= seen
    assert set(BREAKS[inversion.name]) == broken


@pytest.mark.deep
def test_the_clauses_that_no_inversion_breaks_are_known() -> None:
    """Over all inversions, supervisors and templates, exactly the explained clauses stay whole."""
    broken = {
        (template, at)
        for name in SUPERVISORS
        for template in pool(name).scenarios
        for inversion in INVERSIONS.all()
        for at in pool(name).broken(template, inversion.name)
    }
    clauses = {(each.template, at) for each in pool(WATCH).scenarios.values() for at in range(len(each.clauses))}
    assert clauses - broken == set(EXPLAINED)
