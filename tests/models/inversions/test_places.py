"""Inversions of places and orders: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import by_field, config, pool

ASK = tuple(e.Request(name, "bake") for name in "ABCD")
AT_LEFT = tuple(each._replace(place="left") for each in ASK)
CANCEL = e.Cancel("A", "called-off")
ONE_OVEN = config(pools=(pool(working=1),))
TWO_PLACES = config(pools=(pool(working=1, places=("left", "right"), assignment="requested"),))
BY_RANK = config(pools=(pool(working=1, order=by_field()),))
TWO_BY_RANK = config(pools=(pool(working=2, order=by_field()),))
RANKED = (ASK[0], ASK[1]._replace(fields=(("rank", 2),)), ASK[2]._replace(fields=(("rank", 1),)))

CASES = {
    "idle-place-takes-the-run": Case(
        TWO_PLACES, AT_LEFT[:2], row("report-log", "B", report="job-started", place="right")
    ),
    "places-share-one-limit": Case(
        TWO_PLACES, (AT_LEFT[0], ASK[1]._replace(place="right")), row("report-log", "B", report="job-waiting")
    ),
    "prefetch-passes-the-limit": Case(
        ONE_OVEN, ASK[:2], row("count-trace", "B", slot="working", change="take", used=2, limit=1)
    ),
    "cited-order-is-read-backwards": Case(BY_RANK, (*RANKED, CANCEL), row("report-log", "B", report="job-started")),
    "each-slot-reads-its-own-order": Case(
        TWO_BY_RANK,
        (*RANKED, ASK[3]._replace(fields=(("rank", 0),)), CANCEL),
        row("report-log", "C", report="job-started"),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_places_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_places_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("places") == set(CASES)
