"""Inversions of starts: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, instant, pool

ASK, TICK = e.Request("A", "bake"), e.Tick()
TO_THE_END = (ASK, TICK, TICK, TICK, TICK)
STARTED_OUT_OF_THE_QUEUE = (ASK, e.Request("B", "bake"), e.Cancel("A", "called-off"))

CASES = {
    # The same rows: only where they stand is another place.
    "slot-is-taken-after-the-report": Case(config(), (ASK,)),
    "waiting-slot-outlives-the-start": Case(config(pools=(pool(working=1),)), STARTED_OUT_OF_THE_QUEUE),
    "reservation-ends-at-the-start": Case(
        config(output_full="wait-before-start"), (ASK,), row("reservation-ledger", "A", change="release")
    ),
    "started-runs-wait-for-the-tick": Case(config(), (ASK,), drops=row("report-log", "A", report="job-working")),
    "entry-into-work-is-silent": Case(config(), (ASK,), drops=row("report-log", "A", report="job-working")),
    "work-is-kept-in-tenths": Case(config(), (ASK, TICK), row("work-before-after", "A", after="4/5")),
    "last-tick-spends-the-inputs": Case(config(), TO_THE_END, row("report-log", "A", report="job-finished", spent=[])),
    "output-appears-in-parts": Case(config(), (ASK, TICK), row("output-identity", "A", change="established")),
    "instant-finish-is-a-batch-of-its-own": Case(
        instant(), (ASK,), row("report-log", "A", report="job-finished", batch=2)
    ),
    "instant-output-is-left-lying": Case(instant(), (ASK,), drops=row("report-log", "A", report="job-delivered")),
    "instant-start-records-work": Case(instant(), (ASK,), row("work-before-after", "A", after="1/2")),
    "instant-job-stops-for-room": Case(
        instant(), (ASK,), row("report-log", "A", report="job-stopped", causes=["output-full"])
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_starts_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_starts_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("starts") == set(CASES)
