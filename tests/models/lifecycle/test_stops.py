"""Steps 10 and 11: ordinary stops, causes that join, what becomes of work and claims while a run is stopped."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Need
from tests.models.lifecycle._configs import config, job, pool, progress, reversal, rounding
from tests.models.lifecycle._play import Play, units


def working(rules: Config, ticks: int = 2, **options: Any) -> Play:
    """One run that has worked for some ticks."""
    play = Play(rules, **options)
    play.request("A")
    play.tick(ticks)
    return play


def test_first_cause_stops_the_run() -> None:
    """Work, claim, slots, state, order, causes, point, report: one settle, with the resume point at the work point."""
    play = working(config())
    assert play.do(e.Instruct("A", "power-cut")) == ["A job-stopped"]
    assert [row.log for row in play.rows if row.settle is not None] == [
        "work-before-after",
        "count-trace",
        "state-trace",
        "waiting-order-record",
        "stop-causes",
        "resume-point",
        "report-log",
    ]
    assert play.brief("stop-causes", "change", "active", "first") == [("A", "add", ["power-cut"], "ordinary")]
    assert play.brief("resume-point", "change", "point", "work") == [("A", "recorded", "work-point", "2")]
    assert play.report("job-stopped")["causes"] == ["power-cut"]


def test_later_cause_only_joins() -> None:
    """It reports stopped to stopped, with its own name alone; the work answer is not applied again."""
    play = working(config(partial_work="reset-at-stop"))
    play.do(e.Instruct("A", "power-cut"))
    assert play.do(e.Instruct("A", "alarm")) == ["A job-stopped"]
    joined = play.report("job-stopped")
    assert (joined["old"], joined["new"], joined["causes"]) == ("stopped", "stopped", ["fire-drill"])
    assert play.log("work-before-after") == play.log("state-trace") == play.log("waiting-order-record") == []
    assert play.brief("stop-causes", "change", "active") == [("A", "join", ["power-cut", "fire-drill"])]


def test_active_cause_does_not_join_again() -> None:
    """Another way to give a cause that is active changes nothing."""
    play = working(config())
    play.do(e.Instruct("A", "alarm"))
    before = play.state
    assert play.do(e.Instruct("A", "worker-stopped")) == []
    assert play.state == before


def test_undeclared_instruction_changes_nothing() -> None:
    """An instruction that no row declares is accepted in any state: no cause, no report."""
    play = working(config())
    before = play.state
    assert play.do(e.Instruct("A", "sing")) == []
    assert play.state == before
    play.do(e.Cancel("A", "called-off"))
    assert play.do(e.Instruct("A", "sing")) == []
    assert play.refuse(e.Instruct("Z", "sing")) == "there is no run Z"


def test_declared_instruction_is_for_working_and_stopped_runs() -> None:
    """To a run in any other state it is refused."""
    play = Play(config(pools=(pool(working=1),)))
    play.request("A")
    play.request("B")
    assert play.refuse(e.Instruct("B", "power-cut")) == "the run is neither working nor stopped"
    play.do(e.Cancel("A", "called-off"))
    assert play.refuse(e.Instruct("A", "power-cut")) == "the run has ended"


# -- work -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "work"), [("keep-with-job", 2), ("reset-at-stop", 0), ("reverse-while-stopped", 2)])
def test_stop_applies_the_work_answer(answer: str, work: int) -> None:
    """Work is kept, reset, or left to fall later; the report tells it before and after."""
    play = working(config(partial_work=answer, reversals=(reversal(),)))
    play.do(e.Instruct("A", "power-cut"))
    assert play.run("A").work == work
    report = play.report("job-stopped")
    assert (report["work-before"], report["work-after"]) == ("2", str(work))


def test_reversing_work_falls_at_each_later_tick_and_never_below_none() -> None:
    """The first tick after the stop is the first that takes work back; at none it rests."""
    play = working(config(partial_work="reverse-while-stopped", reversals=(reversal(Fraction(3, 2)),)))
    play.do(e.Instruct("A", "power-cut"))
    play.tick()
    assert play.log("reversal-log")[0].data == {
        "row": "cooling",
        "before": "2",
        "after": "1/2",
        "per-tick": "3/2",
        "stopped-for": 1,
    }
    play.tick()
    assert play.run("A").work == 0
    before = play.state
    play.tick()
    assert play.rows == ()
    assert play.state == before


def test_reversal_may_begin_later() -> None:
    """With `after: 2` two ticks pass before the work falls; a resume ends it, and a new stop waits again."""
    play = working(config(partial_work="reverse-while-stopped", reversals=(reversal(after=2),)))
    play.do(e.Instruct("A", "power-cut"))
    works = [play.run("A").work for _ in range(4) if play.tick() == []]
    assert works == [2, 2, 1, 0]
    play.do(e.Clear("A", "power-cut"))
    play.tick(2)
    play.do(e.Instruct("A", "power-cut"))
    play.tick(2)
    assert play.run("A").work == 2


def test_reversing_progress_gives_claims_back() -> None:
    """The claim follows the falling work in the same settle, without a report; a clear ends the fall."""
    play = working(progress(partial_work="reverse-while-stopped", reversals=(reversal(),)), ticks=3)
    play.do(e.Instruct("A", "power-cut"))
    assert play.tick() == []
    assert play.brief("claim-ledger", "change", "amount", "held-after") == [("A", "release", 1, 2)]
    assert play.run("A").work == 2


def test_whole_claim_does_not_follow_the_work() -> None:
    """A claim that was taken whole stays whole, however far the work falls."""
    play = working(config(partial_work="reverse-while-stopped", reversals=(reversal(),)))
    play.do(e.Instruct("A", "power-cut"))
    play.tick(2)
    assert play.run("A").held == (3, 1)
    assert play.log("claim-ledger") == []


# -- claims -----------------------------------------------------------------------------------------------------------


def test_held_claim_stays_assigned() -> None:
    """Under `hold` nothing is released at the stop."""
    play = working(config())
    play.do(e.Instruct("A", "power-cut"))
    assert play.report("job-stopped")["released"] == []
    assert play.run("A").held == (3, 1)


def test_released_claim_goes_back_to_its_sources() -> None:
    """Under `release-and-reclaim` the claim is usable while the run is stopped, and in the stop's own settle."""
    play = working(config(release_stopped_claims=True), stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.do(e.Instruct("A", "power-cut"))
    assert play.report("job-stopped")["released"] == units(("flour", 3), ("water", 1))
    assert (play.stock("flour"), play.stock("water")) == (3, 1)


@pytest.mark.parametrize(("answer", "held"), [("keep-with-job", 2), ("reset-at-stop", 0)])
def test_progress_claim_falls_to_the_share_of_the_recorded_work(answer: str, held: int) -> None:
    """What was claimed ahead goes back at the stop, and all of it where the work is reset."""
    rules = progress(partial_work=answer, roundings=(rounding(initial=4),))
    play = working(rules)
    assert play.run("A").held == (4,)
    play.do(e.Instruct("A", "power-cut"))
    assert play.run("A").held == (held,)
    assert play.report("job-stopped")["released"] == units(("flour", 4 - held))


def test_released_progress_claim_is_first_reduced() -> None:
    """The ledger shows the reduction to the recorded work, then the release of the rest."""
    rules = progress(release_stopped_claims=True, roundings=(rounding(initial=4),))
    play = working(rules)
    play.do(e.Instruct("A", "power-cut"))
    assert play.brief("claim-ledger", "change", "amount", "held-after") == [
        ("A", "release", 2, 2),
        ("A", "release", 2, 0),
    ]


def test_stop_keeps_a_claim_of_several_items_in_step() -> None:
    """Each item has a share of its own."""
    rules = progress(jobs=(job(needs=(Need("flour", 4, "larder"), Need("salt", 1, "jar"))),))
    play = working(rules, ticks=1, stock=(("flour", 4, "larder"), ("salt", 1, "jar")))
    play.do(e.Instruct("A", "power-cut"))
    assert play.run("A").held == (1, 1)
