"""Steps 13 and 14: the finish gate, the stop at it, and the finish."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config
from tests.models.lifecycle._configs import config, instant, job, pool
from tests.models.lifecycle._play import Play, units

LOAF = (("flour", 3, "larder"), ("water", 1, "tap"))


def gated(**changes: Any) -> Config:
    """Room is a condition of the gate, and the inputs are claimed there."""
    return config(**({"output_full": "wait-until-space", "timing": "taken-at-finish"} | changes))


def test_every_failing_condition_is_a_cause() -> None:
    """Inputs and room are tested together; nothing is claimed where one of them fails."""
    play = Play(gated(), stock=LOAF, room=(("shelf", 0),))
    play.request("A")
    play.tick(3)
    play.do(e.Use("water", 1, "tap"))
    assert play.tick() == ["A job-stopped"]
    assert play.report("job-stopped")["causes"] == ["inputs-unavailable-at-finish", "output-full"]
    assert play.log("claim-ledger") == []
    assert play.brief("stop-causes", "change", "cause", "first") == [
        ("A", "add", "inputs-unavailable-at-finish", "finish-gate"),
        ("A", "add", "output-full", "finish-gate"),
    ]


def test_gate_stop_keeps_the_slot_and_the_completed_work() -> None:
    """It never applies the work answer, nor does a cause that joins later; the slot stays until another cause joins."""
    play = Play(gated(partial_work="reset-at-stop"), room=(("shelf", 0),))
    play.request("A")
    play.tick(4)
    assert (play.run("A").work, play.run("A").working_slot) == (4, 0)
    assert play.log("work-before-after", why="stop")[0].data["after"] == "4"
    play.do(e.Instruct("A", "power-cut"))
    assert (play.run("A").work, play.run("A").working_slot) == (4, None)
    assert play.brief("count-trace", "slot", "change") == [("A", "working", "free")]


def test_gate_stop_never_reverses() -> None:
    """Only a stop that began as an ordinary one takes work back."""
    play = Play(gated(partial_work="reverse-while-stopped"), room=(("shelf", 0),))
    play.request("A")
    play.tick(4)
    play.do(e.Instruct("A", "power-cut"))
    play.tick(2)
    assert play.run("A").work == 4


@pytest.mark.parametrize(("release", "held"), [(False, (3, 1)), (True, (0, 0))])
def test_gate_stop_applies_the_claim_answer(release: bool, held: tuple[int, int]) -> None:
    """A current claim is held or released at the gate as at any stop."""
    play = Play(gated(timing="taken-at-start", release_stopped_claims=release), room=(("shelf", 0),))
    play.request("A")
    play.tick(4)
    assert play.run("A").held == held


def test_instant_job_stops_at_its_gate() -> None:
    """An instant start that finds no room stops, from started, and holds its slot."""
    play = Play(instant(output_full="wait-until-space", pools=(pool(working=1),)), room=(("shelf", 0),))
    assert play.request("A") == ["A job-requested", "A job-started", "A job-stopped"]
    assert (play.report("job-stopped")["old"], play.run("A").working_slot) == ("started", 0)
    assert play.request("B")[1] == "B job-waiting"


def test_finish_spends_every_unit_and_establishes_one_output() -> None:
    """Claim, spend, output, state, report, slot: one settle."""
    play = Play(gated(), stock=LOAF)
    play.request("A")
    play.tick(4)
    rows = [row.log for row in play.rows if row.settle == 2]
    assert rows == [
        "delivery-attempts",
        "claim-ledger",
        "claim-ledger",
        "claim-ledger",
        "claim-ledger",
        "output-identity",
        "state-trace",
        "report-log",
        "count-trace",
    ]
    finished = play.report("job-finished")
    assert finished["claimed"] == finished["spent"] == units(("flour", 3), ("water", 1))
    assert finished["causes"] == ["finish-gate-passed"]
    assert play.brief("output-identity", "output", "change", "size") == [
        ("A", "A-output", "established", 1),
        ("A", "A-output", "delivered", 1),
    ]


def test_compound_output_is_one_unit() -> None:
    """Its parts are listed, and it takes its whole size once."""
    play = Play(instant(jobs=(job(parts=("crust", "crumb"), size=2),)))
    play.request("A")
    assert play.log("output-identity", change="established")[0].data["parts"] == ["crust", "crumb"]
    assert play.free() == 0
    assert len(play.log("delivery-attempts")) == 1


def test_in_place_job_is_delivered_by_the_change_at_its_site() -> None:
    """No destination, no capacity decision, and finished is left in the same batch."""
    play = Play(instant(in_place=True, jobs=(job(destination=None, site="wall"),)))
    assert play.request("A")[2:] == ["A job-finished", "A job-delivered"]
    assert play.log("delivery-attempts") == []
    assert play.report("job-delivered")["destination"] is None
    assert play.brief("output-identity", "site", "change") == [("A", "wall", "established"), ("A", "wall", "delivered")]


def test_in_place_output_lies_at_the_site_of_its_place() -> None:
    """A site that holds `{place}` is the one of the run's own place, in every row."""
    ovens = pool(places=("north", "south"), assignment="requested")
    rules = instant(in_place=True, pools=(ovens,), jobs=(job(needs=(), destination=None, site="wall-{place}"),))
    play = Play(rules)
    play.request("A", place="south")
    assert {row.data["site"] for row in play.log("output-identity")} == {"wall-south"}
    assert play.log("output-location")[0].data["location"] == "wall-south"


def test_in_place_job_meets_no_room_test() -> None:
    """Whatever the answer says, an in-place output needs no room."""
    play = Play(instant(in_place=True, output_full="wait-until-space", jobs=(job(destination=None, site="wall"),)))
    assert play.request("A")[-1] == "A job-delivered"
    assert play.log("delivery-attempts") == []


@pytest.mark.parametrize(("releases", "report"), [("finished", "job-finished"), ("delivered", "job-delivered")])
def test_success_frees_the_slot_after_the_report_that_the_row_names(releases: str, report: str) -> None:
    """Directly after job-finished, or directly after job-delivered, in the settle of that report."""
    play = Play(config(pools=(pool(releases_at=releases),)))
    play.request("A")
    play.tick(4)
    freed = play.log("count-trace", change="free")[0]
    before = play.rows[play.rows.index(freed) - 1]
    assert (before.log, before.data["report"], before.settle) == ("report-log", report, freed.settle)
