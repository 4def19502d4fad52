"""Which gates a stopped run meets on its way back, and what their tests leave behind (step 12)."""

from __future__ import annotations

from harness.models.lifecycle import events as e
from tests.models.lifecycle._configs import config, failure, instant, pool
from tests.models.lifecycle._play import Play


def test_gate_cause_that_clears_leaves_its_decision_on_room() -> None:
    """Room that comes back is tested and written down, also where another cause keeps the run stopped."""
    play = Play(config(output_full="wait-until-space"), room=(("shelf", 0),))
    play.request("A")
    play.tick(4)
    play.do(e.Instruct("A", "power-cut"))
    assert play.do(e.Room("shelf", 1)) == []
    assert play.brief("delivery-attempts", "attempt", "outcome", "free") == [("A", "finish-gate", "accepted", 1)]
    assert play.brief("stop-causes", "change", "cause") == [("A", "clear", "output-full")]


def test_run_without_work_goes_back_to_its_start_gate_and_not_to_the_finish_gate() -> None:
    """A run that failed while it waited starts after its resume; only then it meets the full shelf."""
    rules = instant(output_full="wait-until-space", failures=(failure("stumble", "waiting"),), pools=(pool(working=1),))
    play = Play(rules, room=(("shelf", 0),))
    play.do(e.Request("A", "bake", pause=True), e.Use("flour", 12, "larder"), e.Admit("A"), e.Fail("A", "stumble"))
    play.do(e.Supply("flour", 3, "larder"))
    assert play.do(e.Clear("A", "failure-recovery")) == ["A job-resumed", "A job-started", "A job-stopped"]
    assert play.run("A").causes == ("output-full",)
