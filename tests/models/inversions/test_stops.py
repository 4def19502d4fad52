"""Inversions of stops: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, progress, reversal

ASK, TICK, CUT, ALARM = e.Request("A", "bake"), e.Tick(), e.Instruct("A", "power-cut"), e.Instruct("A", "alarm")
NAP = e.Instruct("A", "nap")
CLEARED = e.Clear("A", "power-cut")
COOLING = {"partial_work": "reverse-while-stopped", "reversals": (reversal(),)}

CASES = {
    "stop-sends-back-to-the-start": Case(config(), (ASK, TICK, CUT), row("resume-point", "A", point="start-gate")),
    "interruption-is-silent": Case(config(), (ASK, CUT), drops=row("report-log", "A", report="job-stopped")),
    "second-cause-stops-again": Case(
        config(partial_work="reset-at-stop"), (ASK, TICK, CUT, ALARM), row("work-before-after", "A", why="stop")
    ),
    "second-cause-replaces-the-first": Case(
        config(), (ASK, CUT, ALARM), row("stop-causes", "A", change="join", active=["fire-drill"])
    ),
    "any-instruction-stops": Case(config(), (ASK, NAP), row("report-log", "A", report="job-stopped", causes=["nap"])),
    "instruction-starts-the-work-over": Case(config(), (ASK, TICK, NAP), row("claim-ledger", "A", change="claim")),
    "interruption-is-reported-as-failure": Case(config(), (ASK, CUT), row("report-log", "A", report="job-failed")),
    "held-claim-goes-back": Case(config(), (ASK, CUT), row("claim-ledger", "A", change="release", amount=3)),
    "whole-claim-shrinks-at-the-stop": Case(
        config(), (ASK, CUT), row("claim-ledger", "A", change="release", item="flour", amount=2)
    ),
    # The use of claimed flour is no row; the next run misses it.
    "others-may-use-a-stopped-claim": Case(
        config(),
        (ASK, CUT, e.Use("flour", 12, "larder"), e.Request("B", "bake")),
        row("report-log", "B", report="job-rejected"),
    ),
    "held-claim-lapses": Case(config(), (ASK, CUT, TICK), row("claim-ledger", "A", change="release", amount=3)),
    "falling-work-keeps-its-claim": Case(
        progress(**COOLING), (ASK, TICK, TICK, CUT, TICK), drops=row("claim-ledger", "A", change="release")
    ),
    "falling-work-takes-units-back": Case(
        progress(**COOLING, release_stopped_claims=True),
        (ASK, TICK, TICK, CUT, TICK),
        row("claim-ledger", "A", change="claim"),
    ),
    "released-claim-stays": Case(
        config(release_stopped_claims=True), (ASK, CUT), drops=row("claim-ledger", "A", change="release")
    ),
    "released-claim-comes-back-too-soon": Case(
        config(release_stopped_claims=True), (ASK, CUT, TICK), row("claim-ledger", "A", change="claim")
    ),
    "resume-asks-for-no-units": Case(
        config(release_stopped_claims=True),
        (ASK, CUT, e.Use("flour", 12, "larder"), CLEARED),
        row("report-log", "A", report="job-resumed"),
    ),
    "progress-claims-the-whole-at-once": Case(progress(), (ASK,), row("claim-ledger", "A", change="claim", amount=4)),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_stops_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_stops_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("stops") == set(CASES)
