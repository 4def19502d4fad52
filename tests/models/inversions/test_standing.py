"""Inversions of standing orders: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, pool, standing

WANTED = e.Eligible("daily", True)
ONE_OVEN = config(pools=(pool(working=1),), standing_orders=(standing(),))
TWO_OVENS = config(standing_orders=(standing(),))
TWO_ROWS = config(
    pools=(pool(working=1),), standing_orders=(standing(), standing(name="weekly", usable=(("flour", 3),)))
)

CASES = {
    # The same rows in another order.
    "scan-reads-rows-backwards": Case(TWO_ROWS, ()),
    "met-order-goes-on-requesting": Case(TWO_OVENS, (), row("report-log", "S1", report="job-started")),
    "scan-comes-before-the-offers": Case(
        ONE_OVEN,
        (e.Request("A", "bake"), e.Request("B", "bake"), WANTED, e.Cancel("A", "called-off")),
        row("report-log", "S1", report="job-waiting"),
    ),
    "scan-makes-one-request": Case(TWO_OVENS, (WANTED,), drops=row("report-log", "S2", report="job-started")),
    "standing-order-is-used-up": Case(TWO_OVENS, (WANTED,), drops=row("report-log", "S2", report="job-started")),
    "opening-starts-no-scan": Case(
        TWO_OVENS, (), drops=row("standing-order-scan-log", None, why="pool-opened", outcome="not-eligible")
    ),
    "eligibility-starts-no-scan": Case(TWO_OVENS, (WANTED,), drops=row("report-log", "S1", report="job-started")),
    "refusal-starts-no-scan": Case(
        TWO_OVENS,
        (e.Use("flour", 12, "larder"), e.Request("A", "bake")),
        drops=row("standing-order-scan-log", None, why="refusal"),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_standing_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_standing_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("standing") == set(CASES)
