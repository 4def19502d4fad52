"""Inversions of resumes: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, failure, pool

ASK, TICK, CUT, ALARM = e.Request("A", "bake"), e.Tick(), e.Instruct("A", "power-cut"), e.Instruct("A", "alarm")
ANOTHER, CLEARED, OFF = e.Request("B", "bake"), e.Clear("A", "power-cut"), e.Cancel("A", "called-off")
RESUMED = row("report-log", "A", report="job-resumed")
FULL_THEN_CUT = (ASK, TICK, TICK, TICK, TICK, CUT, e.Room("shelf", 1), e.Room("shelf", 0), CLEARED)

CASES = {
    "one-cleared-cause-is-enough": Case(config(), (ASK, CUT, ALARM, CLEARED), RESUMED),
    "cleared-run-stays-stopped": Case(config(), (ASK, CUT, CLEARED), drops=RESUMED),
    "resume-is-a-request": Case(config(), (ASK, CUT, CLEARED), row("report-log", "A", report="job-requested")),
    "resume-takes-no-slot": Case(config(), (ASK, CUT, CLEARED), drops=row("count-trace", "A", change="take")),
    "finish-gate-is-not-asked-again": Case(
        config(output_full="wait-until-space"), FULL_THEN_CUT, RESUMED, room=(("shelf", 0),)
    ),
    "lacking-run-sits-on-the-slot": Case(
        config(release_stopped_claims=True),
        (ASK, CUT, e.Use("flour", 12, "larder"), CLEARED),
        row("count-trace", "A", change="take"),
    ),
    "recovery-leads-straight-to-work": Case(
        config(failures=(failure("damp", "waiting"),), pools=(pool(working=1),)),
        (ASK, ANOTHER, e.Fail("B", "damp")),
        row("resume-point", "B", change="recorded", point="work-point"),
    ),
    "canceled-pause-is-lifted": Case(config(), (ASK, CUT, OFF), RESUMED),
    "canceled-work-goes-on": Case(config(), (ASK, OFF, TICK), row("work-before-after", "A", why="advance")),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_resumes_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_resumes_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("resumes") == set(CASES)
