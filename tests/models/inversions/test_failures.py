"""Inversions of failures: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, failure

ASK, TICK, BURN = e.Request("A", "bake"), e.Tick(), e.Fail("A", "burn")
LOSES_TWO = config(failures=(failure("burn", "working", True, loses=(("flour", 2),)),))
BURNS = config(failures=(failure("burn", "working", True),))
BREAKS = config(failures=(failure("burn", "finished", True),), output_full="hold-undelivered")
HELD = (ASK, TICK, TICK, TICK, TICK, BURN)
NO_ROOM = (("shelf", 0),)
FAILED = row("report-log", "A", report="job-failed")

CASES = {
    "failure-fires-anywhere": Case(BURNS, (ASK, e.Instruct("A", "power-cut"), BURN), FAILED),
    "failure-is-reported-twice": Case(BURNS, (ASK, BURN), FAILED),
    "failure-goes-unanswered": Case(BURNS, (ASK, BURN), drops=FAILED),
    "failed-run-disappears": Case(BURNS, (ASK, BURN), drops=row("state-trace", "A", to="failed")),
    "ruined-run-is-tried-again": Case(BURNS, (ASK, BURN), row("report-log", "A", report="job-resumed")),
    "slot-leaks-on-ruin": Case(BURNS, (ASK, BURN), drops=row("count-trace", "A", change="free")),
    # The same rows: only where they stand is another place.
    "ruin-is-reported-first": Case(BURNS, (ASK, BURN)),
    "ruin-returns-the-claim": Case(BURNS, (ASK, BURN), row("claim-ledger", "A", change="release")),
    "losses-are-one-short": Case(LOSES_TWO, (ASK, BURN), row("claim-ledger", "A", change="lose", amount=1)),
    "ruined-output-survives": Case(BREAKS, HELD, drops=row("output-identity", "A", change="destroyed"), room=NO_ROOM),
    "lost-freight-is-nobodys-loss": Case(BREAKS, HELD, drops=FAILED, room=NO_ROOM),
    "finished-run-recovers": Case(BREAKS, HELD, row("state-trace", "A", to="stopped"), room=NO_ROOM),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_failures_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_failures_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("failures") == set(CASES)
