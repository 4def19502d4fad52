"""Inversions of collection: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import instant, named

ASK = (e.Request("A", "bake"),)
COLLECTING = instant(on_collection=True, collections=named("fetched"))
COLLECTED = (*ASK, e.Collect("fetched"))

CASES = {
    "delivery-is-reported-twice": Case(instant(), ASK, row("report-log", "A", report="job-delivered")),
    "stalled-run-finishes-twice": Case(instant(), ASK, row("report-log", "A", report="job-finished")),
    "accepted-output-waits-for-the-tick": Case(instant(), ASK, drops=row("report-log", "A", report="job-delivered")),
    "acceptance-delivers": Case(COLLECTING, ASK, row("report-log", "A", report="job-delivered")),
    "accepted-output-is-locked-away": Case(
        COLLECTING, ASK, row("output-location", "A", change="accepted", accessible=False)
    ),
    "collection-delivers-nothing": Case(COLLECTING, COLLECTED, drops=row("report-log", "A", report="job-delivered")),
    "collected-output-is-collected-again": Case(COLLECTING, COLLECTED, row("output-location", "A", change="collected")),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_collection_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_collection_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("collection") == set(CASES)
