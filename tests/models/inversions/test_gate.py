"""Inversions of the finish gate: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config

ASK, TICK, CUT, ROOM = e.Request("A", "bake"), e.Tick(), e.Instruct("A", "power-cut"), e.Room("shelf", 1)
BAKED = (ASK, TICK, TICK, TICK, TICK)
NO_ROOM = (("shelf", 0),)
WAITS = config(output_full="wait-until-space")
AT_FINISH = config(timing="taken-at-finish")
TAKEN_AWAY = (ASK, e.Use("flour", 12, "larder"), TICK, TICK, TICK, TICK)

CASES = {
    "full-destination-stops-nobody": Case(WAITS, BAKED, row("report-log", "A", report="job-finished"), room=NO_ROOM),
    "gate-stop-frees-the-slot": Case(WAITS, BAKED, row("count-trace", "A", change="free"), room=NO_ROOM),
    "gate-stop-resets-the-work": Case(
        config(output_full="wait-until-space", partial_work="reset-at-stop"),
        BAKED,
        row("report-log", "A", report="job-stopped", work_after="0"),
        room=NO_ROOM,
    ),
    "blocked-gate-counts-on": Case(WAITS, (*BAKED, TICK), row("work-before-after", "A", after="5"), room=NO_ROOM),
    "other-cause-leaves-the-slot": Case(
        WAITS, (*BAKED, CUT), drops=row("count-trace", "A", change="free"), room=NO_ROOM
    ),
    "gate-stop-gives-the-claim-back": Case(WAITS, BAKED, row("claim-ledger", "A", change="release"), room=NO_ROOM),
    "marked-units-are-dropped-at-the-gate": Case(AT_FINISH, TAKEN_AWAY, row("claim-ledger", "A", change="release")),
    "gate-resume-repeats-work": Case(
        WAITS, (*BAKED, ROOM), row("report-log", "A", report="job-resumed", work_after="3"), room=NO_ROOM
    ),
    "finish-claim-follows-the-resume": Case(
        AT_FINISH,
        (*TAKEN_AWAY, e.Supply("flour", 3, "larder")),
        row("report-log", "A", report="job-resumed", claimed=[]),
    ),
    "new-output-replaces-the-old": Case(
        config(),
        (*BAKED, e.Request("B", "bake"), TICK, TICK, TICK, TICK),
        row("output-identity", "A", change="destroyed"),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_gate_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_gate_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("gate") == set(CASES)
