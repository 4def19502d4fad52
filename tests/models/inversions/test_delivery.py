"""Inversions of deliveries: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Destination
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import instant, named

ASK = (e.Request("A", "bake"),)
RETRY = e.Redeliver("cleared")
HOLDING = instant(output_full="hold-undelivered", redeliveries=named("cleared"))
ROUTE = instant(
    output_full="try-destinations",
    redeliveries=named("cleared"),
    fallbacks=("floor", "yard"),
    destinations=(Destination("shelf", 2), Destination("floor", 2), Destination("yard", 2)),
)
FULL = (("shelf", 0),)
ALL_FULL = (*FULL, ("floor", 0), ("yard", 0))
CLEARED = (*ASK, e.Room("shelf", 1), RETRY)

CASES = {
    "held-output-is-polled": Case(
        HOLDING, (*ASK, e.Tick()), row("report-log", "A", report="destination-refused"), room=FULL
    ),
    "redelivery-is-lost": Case(HOLDING, CLEARED, drops=row("report-log", "A", report="job-delivered"), room=FULL),
    "refusal-is-silent": Case(HOLDING, ASK, drops=row("report-log", "A", report="destination-refused"), room=FULL),
    "repeated-refusal-is-silent": Case(
        HOLDING, (*ASK, RETRY), drops=row("report-log", "A", report="destination-refused"), room=FULL
    ),
    "retry-makes-another-output": Case(HOLDING, CLEARED, row("output-identity", "A", change="established"), room=FULL),
    "retried-delivery-is-reported-twice": Case(
        HOLDING, CLEARED, row("report-log", "A", report="job-delivered"), room=FULL
    ),
    "held-output-is-accessible": Case(
        HOLDING, ASK, row("output-location", "A", change="held", accessible=True), room=FULL
    ),
    "fallbacks-are-tried-backwards": Case(
        ROUTE, ASK, row("report-log", "A", report="job-delivered", destination="yard"), room=FULL
    ),
    "route-goes-on-after-acceptance": Case(ROUTE, ASK, row("delivery-attempts", "A", destination="floor")),
    "full-destination-is-awaited": Case(
        HOLDING, ASK, row("report-log", "A", report="job-stopped", causes=["output-full"]), room=FULL
    ),
    "endless-destination-refuses": Case(
        ROUTE._replace(destinations=(*ROUTE.destinations[:2], Destination("yard", None))),
        ASK,
        row("report-log", "A", report="destination-refused", destination="yard"),
        room=(*FULL, ("floor", 0)),
    ),
    "retry-begins-at-the-end-of-the-route": Case(
        ROUTE, (*ASK, RETRY), drops=row("delivery-attempts", "A", destination="shelf"), room=ALL_FULL
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_delivery_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_delivery_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("delivery") == set(CASES)
