"""Inversions of recoverable failures: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, failure, pool, progress

ASK, ANOTHER, TICK, SPILL = e.Request("A", "bake"), e.Request("B", "bake"), e.Tick(), e.Fail("A", "spill")
SPILLS = (failure("spill", "working", loses=(("flour", 1),)),)
SPILLED = (ASK, TICK, TICK, SPILL)
ONE_OVEN = (pool(working=1),)

CASES = {
    "recovery-loses-the-whole-claim": Case(
        config(failures=SPILLS), SPILLED, row("claim-ledger", "A", change="lose", amount=3)
    ),
    "botched-work-is-an-output": Case(
        config(failures=SPILLS), SPILLED, row("output-identity", "A", change="established")
    ),
    "recovery-resets-the-work": Case(
        config(failures=SPILLS, partial_work="reset-at-stop"),
        SPILLED,
        row("report-log", "A", report="job-failed", work_after="0"),
    ),
    "recovery-has-no-cause": Case(config(failures=SPILLS), SPILLED, drops=row("stop-causes", "A", change="add")),
    "recovery-keeps-its-place-in-the-queue": Case(
        config(failures=(failure("damp", "waiting"),), pools=ONE_OVEN),
        (ASK, ANOTHER, e.Fail("B", "damp")),
        drops=row("count-trace", "B", slot="waiting", change="free"),
    ),
    "recovery-goes-back-to-the-start": Case(
        config(failures=SPILLS), SPILLED, row("resume-point", "A", change="recorded", point="start-gate")
    ),
    # The run that waits passes the one that recovered.
    "retry-stands-behind-the-queue": Case(
        config(failures=(failure("spill", "working"),), pools=ONE_OVEN),
        (
            ASK,
            TICK,
            SPILL,
            ANOTHER,
            e.Request("C", "bake"),
            e.Clear("A", "failure-recovery"),
            e.Cancel("B", "called-off"),
        ),
        row("report-log", "C", report="job-started"),
    ),
    "losses-settle-last": Case(
        progress(failures=(failure("spill", "working", loses=(("flour", 1),), loses_work=2),)), SPILLED
    ),
    "work-outruns-its-claim": Case(
        progress(failures=SPILLS), SPILLED, row("report-log", "A", report="job-failed", work_after="2")
    ),
    "released-work-falls-with-its-claim": Case(
        progress(failures=SPILLS, release_stopped_claims=True),
        SPILLED,
        row("report-log", "A", report="job-failed", work_after="1"),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_recoveries_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_recoveries_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("recoveries") == set(CASES)
