"""Inversions of pools: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, instant, job, pool

A, B, C = (e.Request(name, "bake") for name in "ABC")
TICK = e.Tick()
CUT = e.Instruct("A", "power-cut")
ONE_OVEN = config(pools=(pool(working=1),))
UNTIL_DELIVERED = config(pools=(pool(working=1, releases_at="delivered"),))
TWO_JOBS = config(jobs=(job(), job("toast", needs=())), pools=(pool(working=1),), cancel_return="return-nothing")
NO_POOL = config(pools=())
TO_THE_END = (A, B, TICK, TICK, TICK, TICK)
FIRST_STOPS = (A, CUT, B, C)

CASES = {
    "slot-leaks-on-cancel": Case(
        ONE_OVEN, (A, e.Cancel("A", "called-off")), drops=row("count-trace", "A", slot="working", change="free")
    ),
    "slot-is-released-twice": Case(
        ONE_OVEN,
        (A, CUT, B, e.Cancel("A", "called-off")),
        row("count-trace", "A", slot="working", change="free", used=0),
    ),
    "freed-slot-waits-for-the-next-event": Case(
        ONE_OVEN, (A, B, e.Cancel("A", "called-off")), drops=row("report-log", "B", report="job-started")
    ),
    "success-wakes-nobody": Case(ONE_OVEN, TO_THE_END, drops=row("report-log", "B", report="job-started")),
    "waiting-reason-never-clears": Case(
        ONE_OVEN,
        (*TO_THE_END[:2], e.Use("flour", 9, "larder"), *TO_THE_END[2:], e.Supply("flour", 3, "larder")),
        drops=row("report-log", "B", report="job-started"),
    ),
    # The same rows: only where they stand is another place.
    "slot-is-free-before-the-finish": Case(ONE_OVEN, TO_THE_END),
    "slot-is-kept-until-delivery": Case(ONE_OVEN, TO_THE_END),
    "slot-is-free-at-the-finish": Case(UNTIL_DELIVERED, TO_THE_END),
    "slot-is-offered-before-the-delivery": Case(UNTIL_DELIVERED, TO_THE_END),
    "stopped-run-goes-to-the-head": Case(ONE_OVEN, (A, B, CUT), row("pool-offer-log", "B", order=["A", "B"])),
    "displacement-is-forgotten": Case(
        ONE_OVEN,
        (A, e.Instruct("A", "power-cut", "B"), B, e.Instruct("A", "power-cut", "B"), e.Instruct("B", "alarm")),
    ),
    "filler-passes-the-stopped-run": Case(
        ONE_OVEN,
        (*FIRST_STOPS, e.Clear("A", "power-cut"), e.Cancel("B", "called-off")),
        row("report-log", "C", report="job-started"),
    ),
    "newest-is-offered-first": Case(
        ONE_OVEN, (A, B, C, e.Cancel("A", "called-off")), row("report-log", "C", report="job-started")
    ),
    "free-slot-makes-the-pool": Case(
        TWO_JOBS,
        (A, B, e.Use("flour", 3, "larder"), e.Cancel("A", "called-off"), e.Request("C", "toast")),
        drops=row("report-log", "C", report="job-waiting"),
        stock=(("flour", 6, "larder"), ("water", 2, "tap")),
    ),
    "poolless-runs-queue": Case(NO_POOL, (A,), row("report-log", "A", report="job-waiting")),
    "poolless-runs-never-start": Case(instant(pools=()), (A,), drops=row("report-log", "A", report="job-started")),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_pools_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_pools_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("pools") == set(CASES)
