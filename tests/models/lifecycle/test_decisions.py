"""The table of every (event, state) pair: nothing is missing, and the model does what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Destination, Interruption
from harness.models.lifecycle.decisions import ALLOWED, DECISIONS, LEFT_ALONE, REJECTED, ROW_STATES, refusal
from harness.models.lifecycle.state import STARTED
from tests.models.lifecycle._configs import config, failure, job, named, pool, reversal, standing
from tests.models.lifecycle._play import Play

NAMING = ("admit", "instruct", "clear", "cancel", "fail", "set-fields", "collect")
FROM_STATES = ("waiting", "working", "stopped", "finished")


def world() -> Play:
    """Everything that an event could name, and one oven for the run under test."""
    rules = config(
        jobs=(job(), job("idle", needs=())),
        on_collection=True,
        output_full="wait-before-start",
        partial_work="reverse-while-stopped",
        reversals=(reversal(),),
        pools=(pool(working=1, waiting=None), pool("spare"), pool("annex")),
        interruptions=(Interruption("power-cut", ("power-cut", "worker-stopped")),),
        failures=tuple(failure(f"from-{state}", state, ruined=True) for state in FROM_STATES),
        readmissions=named("cleared"),
        redeliveries=named("van"),
        collections=named("pickup"),
        standing_orders=(standing("spare"),),
        destinations=(Destination("shelf", 4),),
    )
    play = Play(rules, stock=(("flour", 12, "larder"), ("water", 4, "tap")), closed=True)
    play.do(e.OpenPool("ovens"), e.OpenPool("annex"), e.WorkerStop("annex", 1))
    return play


def _requested(play: Play) -> None:
    play.request("A", pause=True)


def _waiting(play: Play) -> None:
    play.request("Z")
    play.request("A")


def _working(play: Play) -> None:
    play.request("A")
    play.tick()


def _stopped(play: Play) -> None:
    _working(play)
    play.do(e.Instruct("A", "power-cut"))


def _finished(play: Play) -> None:
    play.request("A")
    play.tick(4)


def _delivered(play: Play) -> None:
    _finished(play)
    play.do(e.Collect("pickup"))


def _canceled(play: Play) -> None:
    _working(play)
    play.do(e.Cancel("A", "called-off"))


def _failed(play: Play) -> None:
    _working(play)
    play.do(e.Fail("A", "from-working"))


def _rejected(play: Play) -> None:
    play.do(e.Use("water", 4, "tap"))
    play.request("A")
    play.do(e.Supply("water", 4, "tap"))


BUILDERS: dict[str, Callable[[Play], None]] = {
    "requested": _requested,
    "waiting": _waiting,
    "working": _working,
    "stopped": _stopped,
    "finished": _finished,
    "delivered": _delivered,
    "canceled": _canceled,
    "failed": _failed,
    REJECTED: _rejected,
}


def events_for(kind: str, state: str) -> e.Event:
    """An event of this kind that is well formed and, where a state allows it, legal for the run A."""
    made: dict[str, e.Event] = {
        "open-pool": e.OpenPool("spare"),
        "request": e.Request("A", "bake"),
        "admit": e.Admit("A"),
        "tick": e.Tick(),
        "instruct": e.Instruct("A", "power-cut"),
        "clear": e.Clear("A", "power-cut"),
        "cancel": e.Cancel("A", "called-off"),
        "fail": e.Fail("A", f"from-{state if state in FROM_STATES else 'working'}"),
        "supply": e.Supply("flour", 1, "larder"),
        "use": e.Use("flour", 1, "larder"),
        "room": e.Room("shelf", 0),
        "readmit": e.Readmit("cleared"),
        "redeliver": e.Redeliver("van"),
        "collect": e.Collect("pickup", "A"),
        "eligible": e.Eligible("daily", False),
        "set-fields": e.SetFields("A", (("rank", 1),)),
        "worker-stop": e.WorkerStop("ovens", 1),
        "worker-ready": e.WorkerReady("annex", 1),
    }
    return made[kind]


# -- the table --------------------------------------------------------------------------------------------------------


def test_table_decides_every_event_in_every_state() -> None:
    """Each kind of event has a row, each row every state; nothing is decided by being left out."""
    assert set(DECISIONS) == set(e.KINDS)
    assert all(tuple(sorted(row)) == tuple(sorted(ROW_STATES)) for row in DECISIONS.values())
    assert all(text for row in DECISIONS.values() for text in row.values())


def test_table_refuses_every_event_that_names_an_ended_run() -> None:
    """What has ended never moves again."""
    for kind in NAMING:
        for state in ("delivered", "canceled", "failed"):
            assert refusal(kind, state, ended=False) == "the run has ended"
        assert refusal(kind, "requested", ended=True) == "the run has ended"


@pytest.mark.parametrize("state", BUILDERS)
@pytest.mark.parametrize("kind", [*NAMING, "request"])
def test_event_that_names_a_run_does_what_the_table_says(kind: str, state: str) -> None:
    """Allowed pairs go through, the others are refused with the table's own words and change nothing."""
    play = world()
    BUILDERS[state](play)
    assert play.states()["A"] == state
    decision = DECISIONS[kind][state]
    event = events_for(kind, state)
    if decision == ALLOWED:
        play.do(event)
    else:
        assert play.refuse(event) == decision


@pytest.mark.parametrize("state", BUILDERS)
@pytest.mark.parametrize("kind", sorted(set(e.KINDS) - set(NAMING) - {"request"}))
def test_event_that_names_no_run_leaves_alone_whom_the_table_says(kind: str, state: str) -> None:
    """A run that is left alone is the same after the event; the others may change, and do in some state."""
    play = world()
    BUILDERS[state](play)
    before = play.run("A")
    play.step(events_for(kind, state))
    if DECISIONS[kind][state] == LEFT_ALONE:
        assert play.run("A") == before


def test_tick_moves_working_and_reversing_runs() -> None:
    """The two states that the table has a tick act on change by it."""
    for state in ("working", "stopped"):
        play = world()
        BUILDERS[state](play)
        before = play.run("A").work
        play.tick()
        assert play.run("A").work != before


def test_no_run_rests_in_started() -> None:
    """The row for started is there so that no pair is missing; every event that names a run refuses it."""
    for kind in NAMING:
        assert DECISIONS[kind][STARTED] == "no run stays in started"
