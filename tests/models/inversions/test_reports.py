"""Inversions of reports: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, job, pool

ASK = e.Request("A", "bake")
FOUR_TICKS = (e.Tick(), e.Tick(), e.Tick(), e.Tick())
TO_THE_END = (ASK, *FOUR_TICKS)
CANCEL = e.Cancel("A", "called-off")
AT_DOORS = config(pools=(pool(places=("east", "west"), assignment="requested"),))
UNITS = [
    {"item": "flour", "amount": 3, "source": "larder"},
    {"item": "water", "amount": 1, "source": "tap"},
]

CASES = {
    "rule-is-read-again-at-the-start": Case(config(), (ASK,), row("job-rule-read-log", "A", job="bake")),
    "last-pool-takes-the-request": Case(
        config(pools=(pool(), pool("spare"))), (ASK,), row("report-log", "A", report="job-requested", pool="spare")
    ),
    "first-place-takes-the-request": Case(
        AT_DOORS, (ASK._replace(place="west"),), row("report-log", "A", report="job-requested", place="east")
    ),
    "reports-name-the-main-job": Case(
        config(jobs=(job(), job("ice"))),
        (ASK._replace(job="ice"),),
        row("report-log", "A", report="job-started", job="bake"),
    ),
    "reports-forget-the-destination": Case(
        config(), TO_THE_END, row("report-log", "A", report="job-delivered", destination=None)
    ),
    "finish-repeats-the-claims": Case(
        config(), TO_THE_END, row("report-log", "A", report="job-finished", claimed=UNITS)
    ),
    "cancel-names-the-requester": Case(
        config(), (ASK, CANCEL), row("report-log", "A", report="job-canceled", causes=["requester"])
    ),
    "start-forgets-the-wait": Case(
        config(pools=(pool(working=1),)),
        (ASK, e.Request("B", "bake"), CANCEL),
        row("report-log", "B", report="job-started", old="requested"),
    ),
    "request-opens-the-batch": Case(config(), (ASK,), row("report-log", "A", report="job-requested", batch=1)),
    "rejection-is-a-state": Case(config(), (ASK,), row("state-trace", "A", to="canceled"), stock=()),
    "refused-delivery-looks-stopped": Case(
        config(output_full="hold-undelivered"),
        TO_THE_END,
        row("report-log", "A", report="destination-refused", new="stopped"),
        room=(("shelf", 0),),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_reports_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_reports_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("reports") == set(CASES)
