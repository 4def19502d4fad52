"""Inversions of requests: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, named, pool

ASK = e.Request("A", "bake")
TWO_ASK = (ASK, e.Request("B", "bake"))
THREE_ASK = (*TWO_ASK, e.Request("C", "bake"))
TOGETHER = tuple(each._replace(pause=True) for each in TWO_ASK)
ONE_OVEN = config(pools=(pool(working=1),))
NO_QUEUE = config(pools=(pool(working=1, waiting=0),))
OPEN_QUEUE = config(pools=(pool(working=1, waiting=None),))
RESERVING = config(output_full="wait-before-start", readmissions=named("shelf-cleared"))
FULL = (("shelf", 0),)
ROOM = (ASK, e.Room("shelf", 1))

CASES = {
    "short-request-passes": Case(config(), (ASK,), row("report-log", "A", report="job-waiting"), stock=()),
    "refused-request-keeps-units": Case(
        config(), (ASK,), row("claim-ledger", "A", change="claim", amount=2), stock=(("flour", 2, "larder"),)
    ),
    "refusal-refunds-another": Case(
        config(),
        TWO_ASK,
        row("claim-ledger", "A", change="release", item="flour"),
        stock=(("flour", 4, "larder"), ("water", 1, "tap")),
    ),
    "short-request-blames-the-queue": Case(
        config(), (ASK,), row("report-log", "A", report="job-rejected", causes=["job-limit-full"]), stock=()
    ),
    "empty-check-is-made": Case(
        config(timing=None), (ASK,), row("admission-trace", "A", step="input-check", outcome="passed")
    ),
    "readmission-is-lost": Case(
        RESERVING,
        (*ROOM, e.Readmit("shelf-cleared")),
        drops=row("reservation-ledger", "A", change="reserve"),
        room=FULL,
    ),
    "room-readmits-by-itself": Case(RESERVING, ROOM, row("reservation-ledger", "A", change="reserve"), room=FULL),
    "refused-request-keeps-its-room": Case(
        NO_QUEUE._replace(output_full="wait-before-start"),
        TWO_ASK,
        drops=row("reservation-ledger", "B", change="release"),
    ),
    "queue-holds-one-more": Case(NO_QUEUE, TWO_ASK, row("report-log", "B", report="job-waiting")),
    "open-queue-is-limited": Case(OPEN_QUEUE, TWO_ASK, row("report-log", "B", report="job-rejected")),
    "free-jobs-never-wait": Case(
        ONE_OVEN._replace(timing=None), TWO_ASK, row("report-log", "B", report="job-rejected")
    ),
    "limit-is-checked-at-the-request": Case(
        ONE_OVEN, (*TOGETHER, e.Admit("A"), e.Admit("B")), row("count-trace", "B", slot="working", used=2, limit=1)
    ),
    "free-slot-is-offered-twice": Case(
        ONE_OVEN, (*THREE_ASK, e.Cancel("A", "called-off")), row("report-log", "C", report="job-started")
    ),
    "waiting-takes-no-slot": Case(ONE_OVEN, TWO_ASK, drops=row("count-trace", "B", slot="waiting", change="take")),
    "immediate-start-queues-first": Case(config(), (ASK,), row("count-trace", "A", slot="waiting", change="take")),
    "first-reason-hides-the-others": Case(
        ONE_OVEN, THREE_ASK, row("report-log", "C", report="job-waiting", causes=["no-free-slot"])
    ),
    "newcomers-pass-the-queue": Case(
        ONE_OVEN, THREE_ASK, row("report-log", "C", report="job-waiting", causes=["no-free-slot"])
    ),
    "waiting-counts-as-work": Case(ONE_OVEN, TWO_ASK, row("report-log", "B", report="job-waiting", work_after="1")),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_requests_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_requests_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("requests") == set(CASES)
