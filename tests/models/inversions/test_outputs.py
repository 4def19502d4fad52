"""Inversions of outputs: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import instant, job

ASK = (e.Request("A", "bake"),)
TWO_ASK = (*ASK, e.Request("B", "bake"))
RESERVING = instant(output_full="wait-before-start")
FULL = (("shelf", 0),)
WALL = instant(in_place=True, jobs=(job(destination=None, site="wall"),))

CASES = {
    "finish-forgets-to-spend": Case(instant(), ASK, drops=row("claim-ledger", "A", change="spend", item="flour")),
    "one-finish-makes-two": Case(instant(), ASK, row("output-identity", "A", output="A-output-2")),
    "delivery-loses-a-part": Case(instant(), ASK, row("output-identity", "A", change="delivered", size=0)),
    "in-place-change-is-carried-away": Case(WALL, ASK, row("delivery-attempts", "A", destination="wall")),
    "change-happens-elsewhere": Case(WALL, ASK, row("output-identity", "A", site="wall-next-door")),
    "never-full-destination-refuses": Case(instant(), TWO_ASK, row("delivery-attempts", "B", outcome="refused")),
    "output-without-room-is-thrown-away": Case(
        instant(output_full="hold-undelivered"), ASK, row("output-location", "A", change="destroyed"), room=FULL
    ),
    "unreserved-request-is-admitted": Case(RESERVING, ASK, row("report-log", "A", report="job-started"), room=FULL),
    "reservation-is-one-short": Case(RESERVING, ASK, row("reservation-ledger", "A", change="reserve", amount=0)),
    "reservation-ends-at-the-finish": Case(RESERVING, ASK, row("reservation-ledger", "A", change="release")),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_outputs_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_outputs_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("outputs") == set(CASES)
