"""Inversions of whole lives: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, instant

ASK = (e.Request("A", "bake"),)
REFUSED = (*ASK, e.Supply("flour", 3, "larder"))
LACKS = (("water", 1, "tap"),)

CASES = {
    "refused-run-comes-back": Case(config(), REFUSED, row("report-log", "A", report="job-started"), stock=LACKS),
    "refused-request-is-repeated": Case(
        config(), REFUSED, row("report-log", "A-again", report="job-requested"), stock=LACKS
    ),
    "delivery-is-a-batch-of-its-own": Case(instant(), ASK, row("report-log", "A", report="job-delivered", batch=2)),
    # The same rows in another order.
    "report-precedes-its-claims": Case(config(), ASK),
    "finished-run-starts-again": Case(instant(), ASK, row("state-trace", "A", **{"from": "finished", "to": "started"})),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_life_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_life_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("life") == set(CASES)
