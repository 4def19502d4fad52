"""Step 12: causes that clear, what a resume needs and takes, and where it goes back to."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Need
from tests.models.lifecycle._configs import (
    config,
    failure,
    instant,
    job,
    links,
    named,
    pool,
    progress,
    reversal,
    rounding,
)
from tests.models.lifecycle._play import Play, units

LOAF = (("flour", 3, "larder"), ("water", 1, "tap"))
STUMBLE = failure("stumble", "waiting")
SLIP = failure("slip", "stopped", loses_work=1)


def gated(**changes: Any) -> Config:
    """The bakery that keeps a done loaf in its oven until the shelf has room."""
    return config(**({"output_full": "wait-until-space"} | changes))


def at_gate(rules: Config, **options: Any) -> Play:
    """One run that stopped at its finish gate for want of room."""
    play = Play(rules, **({"room": (("shelf", 0),)} | options))
    play.request("A")
    if rules.phases:
        play.tick(4)
    assert play.run("A").causes == ("output-full",)
    return play


# -- causes -----------------------------------------------------------------------------------------------------------


def test_resume_waits_for_every_cause() -> None:
    """While a cause is left nothing happens; the last one that clears brings the resume."""
    play = Play(config())
    play.request("A")
    play.do(e.Instruct("A", "power-cut"), e.Instruct("A", "alarm"))
    assert play.do(e.Clear("A", "power-cut")) == []
    assert play.brief("stop-causes", "change", "cause", "active") == [("A", "clear", "power-cut", ["fire-drill"])]
    assert play.do(e.Clear("A", "fire-drill")) == ["A job-resumed"]
    report = play.report("job-resumed")
    assert (report["old"], report["new"], report["causes"]) == ("stopped", "working", ["causes-cleared"])


def test_clear_acts_on_causes_that_somebody_set() -> None:
    """World causes clear by themselves; what is not active cannot be cleared."""
    play = at_gate(gated())
    assert play.refuse(e.Clear("A", "output-full")) == "output-full is no cause that can be cleared"
    assert play.refuse(e.Clear("A", "power-cut")) == "power-cut is not active"
    assert play.refuse(e.Clear("A", "failure-recovery")) == "failure-recovery is not active"
    play.do(e.Room("shelf", 1))
    assert play.refuse(e.Clear("A", "power-cut")) == "the run has ended"


def test_room_clears_output_full() -> None:
    """The condition is tested when room appears, and the kept slot needs no offer."""
    play = at_gate(gated())
    assert play.do(e.Room("shelf", 1)) == ["A job-resumed", "A job-finished", "A job-delivered"]
    assert play.brief("resume-point", "change", "point") == [("A", "returned", "finish-gate")]
    assert play.log("work-before-after", why="advance") == []
    assert play.log("pool-offer-log", "A") == []


def short_of_flour(**changes: Any) -> Play:
    """Two runs that share six flour: after three ticks each holds three, and neither can go on."""
    play = Play(progress(**changes), stock=(("flour", 6, "larder"),))
    play.request("B")
    play.request("A")
    play.tick(3)
    assert play.tick() == ["B job-stopped", "A job-stopped"]
    return play


@pytest.mark.parametrize(
    "event",
    [e.Supply("flour", 1, "larder"), e.Cancel("B", "called-off"), e.Fail("B", "fire")],
    ids=["supply", "cancel", "failure"],
)
def test_unable_to_advance_clears_when_units_come_free(event: e.Event) -> None:
    """Units that arrive, or that a canceled or ruined run gives back, are what the next work point waits for."""
    play = short_of_flour(failures=(failure("fire", "stopped", ruined=True, releases=(("flour", 1),)),))
    told = play.do(event)
    assert "B job-resumed" in told or "A job-resumed" in told


def test_unable_to_advance_clears_when_a_stop_releases_units() -> None:
    """What another run's stop gives back is enough to go on."""
    play = Play(progress(release_stopped_claims=True), stock=(("flour", 4, "larder"),))
    play.request("A")
    play.request("B")
    play.tick(2)
    assert play.tick() == ["A job-stopped"]
    assert play.do(e.Instruct("B", "power-cut")) == ["B job-stopped", "A job-resumed"]


def test_unable_to_advance_clears_when_reversing_work_gives_units_back() -> None:
    """A reversing tick is tested too: for the run whose work falls, and for those that wait for its units."""
    play = short_of_flour(partial_work="reverse-while-stopped", reversals=(reversal(),))
    assert play.tick() == ["B job-resumed", "A job-resumed"]
    assert [play.run(name).work for name in "AB"] == [2, 2]


def test_collection_clears_output_full() -> None:
    """A collected output gives its room back."""
    rules = gated(on_collection=True, collections=named("pickup"))
    play = Play(rules, room=(("shelf", 1),))
    play.request("A")
    play.request("B")
    assert play.tick(4) == ["A job-finished", "B job-stopped"]
    assert play.do(e.Collect("pickup")) == ["A job-delivered", "B job-resumed", "B job-finished"]


def test_use_tests_nothing() -> None:
    """Taking units away can clear no cause: the other condition is not read for it."""
    play = at_gate(gated(timing="taken-at-finish"), stock=LOAF)
    assert play.do(e.Use("water", 1, "tap")) == []
    assert play.run("A").causes == ("output-full",)


def test_test_reads_both_gate_conditions() -> None:
    """A condition that fails when the other's cause would clear becomes a cause in that settle; the slot stays."""
    rules = gated(timing="taken-at-finish")
    play = at_gate(rules, stock=LOAF)
    play.do(e.Use("water", 1, "tap"))
    assert play.run("A").causes == ("output-full",)
    assert play.do(e.Room("shelf", 1)) == ["A job-stopped"]
    assert play.report("job-stopped")["causes"] == ["inputs-unavailable-at-finish"]
    assert play.run("A").causes == ("inputs-unavailable-at-finish",)
    assert play.run("A").working_slot == 0
    assert [row[1] for row in play.brief("stop-causes", "change")] == ["clear", "join"]
    assert play.do(e.Supply("water", 1, "tap"))[:2] == ["A job-resumed", "A job-finished"]


def test_condition_that_fails_while_another_does_joins_it() -> None:
    """Both conditions may fail at once: one cause stays, the other joins."""
    play = at_gate(gated(timing="taken-at-finish"), stock=LOAF)
    play.do(e.Use("water", 1, "tap"))
    assert play.do(e.Supply("flour", 1, "larder")) == ["A job-stopped"]
    assert play.run("A").causes == ("output-full", "inputs-unavailable-at-finish")


# -- what a resume takes ----------------------------------------------------------------------------------------------


def test_released_claim_is_reclaimed_in_the_settle_of_the_resume() -> None:
    """The full requirement is there again before job-resumed."""
    play = Play(config(release_stopped_claims=True), stock=LOAF)
    play.request("A")
    play.do(e.Instruct("A", "power-cut"), e.Clear("A", "power-cut"))
    assert play.report("job-resumed")["claimed"] == units(("flour", 3), ("water", 1))


def test_claim_that_is_not_there_leaves_the_run_stopped_and_the_slot_free() -> None:
    """It is passed over, and resumes when its units arrive."""
    play = Play(config(release_stopped_claims=True, pools=(pool(working=1),)), stock=LOAF)
    play.request("A")
    play.do(e.Instruct("A", "power-cut"), e.Use("flour", 1, "larder"))
    assert play.do(e.Clear("A", "power-cut")) == []
    assert play.brief("pool-offer-log", "offer", "why", "free") == [("A", "passed-over", "claim-unavailable", 1)]
    assert play.tick() == []
    assert play.rows == ()
    assert play.do(e.Supply("flour", 1, "larder")) == ["A job-resumed"]


def test_offer_is_only_made_while_a_slot_is_free() -> None:
    """A run that finds no slot is not passed over: nothing was offered to it."""
    rules = config(release_stopped_claims=True, pools=(pool(working=1),), jobs=(job(), job("bun", needs=())))
    play = Play(rules, stock=LOAF)
    play.request("A")
    play.do(e.Instruct("A", "power-cut"))
    play.request("B", "bun")
    play.do(e.Use("flour", 1, "larder"), e.Clear("A", "power-cut"))
    assert play.log("pool-offer-log") == []


def test_hold_reclaims_what_a_loss_took() -> None:
    """Under `hold` too the resume claims what is missing of the full requirement."""
    rules = config(failures=(failure("mice", "working", loses=(("flour", 2),)),))
    play = Play(rules, stock=(("flour", 5, "larder"), ("water", 1, "tap")))
    play.request("A")
    play.do(e.Fail("A", "mice"))
    play.do(e.Clear("A", "failure-recovery"))
    assert play.report("job-resumed")["claimed"] == units(("flour", 2))


def test_finish_time_claim_takes_nothing_at_the_work_point() -> None:
    """Under `taken-at-finish` a resume to the work point claims nothing."""
    play = Play(config(timing="taken-at-finish"), stock=LOAF)
    play.request("A")
    play.do(e.Instruct("A", "power-cut"), e.Use("flour", 3, "larder"))
    assert play.do(e.Clear("A", "power-cut")) == ["A job-resumed"]


def test_finish_time_claim_is_taken_by_the_resume_and_not_again_at_the_finish() -> None:
    """Step 13's claim belongs to job-resumed where it is made on a resume."""
    play = Play(config(timing="taken-at-finish"), stock=LOAF)
    play.request("A")
    play.tick(3)
    play.do(e.Use("water", 1, "tap"))
    play.tick()
    play.do(e.Supply("water", 1, "tap"))
    assert play.report("job-resumed")["claimed"] == units(("flour", 3), ("water", 1))
    finished = play.report("job-finished")
    assert (finished["claimed"], finished["spent"]) == ([], units(("flour", 3), ("water", 1)))


@pytest.mark.parametrize(("answer", "claimed"), [("keep-with-job", 2), ("reset-at-stop", 1)])
def test_progress_resume_takes_the_share_of_the_recorded_work_and_at_least_the_initial(
    answer: str, claimed: int
) -> None:
    """After a release the share of the recorded work is claimed; with no work left, the initial share."""
    play = Play(progress(release_stopped_claims=True, partial_work=answer))
    play.request("A")
    play.tick(2)
    play.do(e.Instruct("A", "power-cut"), e.Clear("A", "power-cut"))
    assert play.report("job-resumed")["claimed"] == units(("flour", claimed))


def test_progress_resume_needs_the_initial_share_beyond_its_condition() -> None:
    """The cause clears when the next share is there; the resume asks for the initial share on top."""
    rules = progress(partial_work="reset-at-stop", roundings=(rounding(initial=3),))
    play = Play(rules, stock=(("flour", 3, "larder"),))
    play.request("A")
    play.tick(3)
    play.tick()
    assert play.run("A").causes == ()
    assert play.states() == {"A": "working"}
    play.do(e.Instruct("A", "power-cut"), e.Use("flour", 2, "larder"), e.Clear("A", "power-cut"))
    assert (play.states(), play.run("A").causes) == ({"A": "stopped"}, ())
    play.do(e.Supply("flour", 2, "larder"))
    assert play.report("job-resumed")["claimed"] == units(("flour", 3))


def test_resume_competes_from_its_stop_moment() -> None:
    """A run that was admitted later but before the stop is offered the slot first."""
    play = Play(config(pools=(pool(working=1),)))
    play.request("A")
    play.request("B")
    play.request("C")
    play.do(e.Instruct("A", "power-cut"), e.Clear("A", "power-cut"))
    assert play.do(e.Cancel("B", "called-off"))[1] == "C job-started"
    assert play.do(e.Cancel("C", "called-off"))[1] == "A job-resumed"


def test_resume_without_a_pool_goes_on_at_once() -> None:
    """A run without a pool needs no slot."""
    play = Play(config(pools=()))
    play.request("A")
    play.do(e.Instruct("A", "power-cut"))
    assert play.do(e.Clear("A", "power-cut")) == ["A job-resumed"]


# -- kept slots -------------------------------------------------------------------------------------------------------


def test_kept_slot_is_given_up_when_the_claim_fails() -> None:
    """The last cause clears, the claim is not there: the slot goes to who waits, and is not retaken while stopped."""
    rules = gated(release_stopped_claims=True, pools=(pool(working=1),), jobs=(job(), job("bun", needs=())))
    play = at_gate(rules, stock=LOAF)
    assert play.run("A").working_slot == 0
    play.request("B", "bun")
    play.do(e.Use("flour", 1, "larder"))
    assert play.do(e.Room("shelf", 1)) == ["B job-started", "B job-working"]
    assert (play.run("A").causes, play.run("A").working_slot) == ((), None)
    assert play.brief("count-trace", "change", "slot")[0] == ("A", "free", "working")
    play.do(e.Supply("flour", 1, "larder"))
    assert play.states() == {"A": "stopped", "B": "working"}
    play.do(e.Cancel("B", "called-off"))
    assert play.states()["A"] == "delivered"


def test_other_cause_frees_a_kept_slot_for_good() -> None:
    """The first cause that is not a finish-gate cause frees it; when that clears the slot stays free."""
    play = at_gate(gated())
    play.do(e.Instruct("A", "power-cut"))
    assert play.run("A").working_slot is None
    play.do(e.Clear("A", "power-cut"))
    assert (play.run("A").causes, play.run("A").working_slot) == (("output-full",), None)
    assert play.do(e.Room("shelf", 1))[0] == "A job-resumed"
    assert play.log("count-trace")[0].data["change"] == "take"


def test_condition_that_fails_at_the_recheck_is_a_cause_again() -> None:
    """Room that came while another cause was active may be gone when that cause clears."""
    play = at_gate(gated())
    play.do(e.Instruct("A", "power-cut"), e.Room("shelf", 1))
    assert play.run("A").causes == ("power-cut",)
    play.do(e.Room("shelf", 0))
    assert play.do(e.Clear("A", "power-cut")) == ["A job-stopped"]
    assert play.report("job-stopped")["causes"] == ["output-full"]
    assert play.do(e.Room("shelf", 1)) == ["A job-resumed", "A job-finished", "A job-delivered"]


# -- resume points ----------------------------------------------------------------------------------------------------


def test_instant_job_resumes_into_started() -> None:
    """Without a work phase the finish gate leads back through started."""
    play = at_gate(instant(output_full="wait-until-space"))
    play.do(e.Room("shelf", 1))
    assert play.brief("state-trace", "from", "to")[:2] == [("A", "stopped", "started"), ("A", "started", "finished")]


@pytest.mark.parametrize("timing", ["taken-at-request", "taken-at-start", "taken-at-finish"])
def test_start_gate_resume_waits_for_a_slot_then_starts_in_the_same_batch(timing: str) -> None:
    """Back to waiting without a waiting slot, then job-started; the resume takes slot and claim once."""
    play = Play(config(timing=timing, pools=(pool(working=1),), failures=(STUMBLE,)))
    play.request("A")
    play.request("B")
    assert play.do(e.Fail("B", "stumble")) == ["B job-failed"]
    assert play.do(e.Clear("B", "failure-recovery")) == []
    assert play.do(e.Cancel("A", "called-off")) == [
        "A job-canceled",
        "B job-resumed",
        "B job-started",
        "B job-working",
    ]
    assert (play.report("job-resumed")["new"], play.report("job-started")["old"]) == ("waiting", "waiting")
    early = timing == "taken-at-start"
    assert play.report("job-resumed")["claimed"] == (units(("flour", 3), ("water", 1)) if early else [])
    assert play.report("job-started")["claimed"] == []
    assert [row[1:] for row in play.brief("count-trace", "slot", "change") if row[0] == "B"] == [("working", "take")]


def test_start_gate_is_rechecked_whole() -> None:
    """Every need must be met and a stricter offer check must pass; failing it adds no cause."""
    strict = job(needs=(Need("flour", 4, "larder"),), offer_check=(("flour", 3),))
    rules = progress(
        jobs=(strict, job("dough", needs=())),
        failures=(STUMBLE,),
        dependents=links(("bake", ("dough",))),
        pools=(pool(working=2),),
    )
    play = Play(rules, stock=(("flour", 3, "larder"),), room=(("shelf", 2),))
    play.request("D", "dough")
    play.request("A")
    play.do(e.Fail("A", "stumble"), e.Clear("A", "failure-recovery"))
    assert (play.states()["A"], play.run("A").causes) == ("stopped", ())
    play.do(e.Use("flour", 1, "larder"))
    play.tick(4)
    assert play.states() == {"D": "delivered", "A": "stopped"}
    assert play.brief("pool-offer-log", "offer", "eligible")[0] == ("A", "passed-over", ["A"])
    assert play.do(e.Supply("flour", 1, "larder")) == ["A job-resumed", "A job-started", "A job-working"]
    assert play.report("job-resumed")["claimed"] == units(("flour", 1))


def test_finish_gate_is_neither_rechecked_nor_claimed_after_a_loss_of_work() -> None:
    """A loss that lowered the work below the required amount sends the run back to work."""
    play = at_gate(gated(failures=(SLIP,)))
    play.do(e.Fail("A", "slip"))
    assert play.run("A").causes == ("output-full", "failure-recovery")
    play.do(e.Room("shelf", 1), e.Room("shelf", 0))
    assert play.run("A").causes == ("failure-recovery",)
    assert play.do(e.Clear("A", "failure-recovery")) == ["A job-resumed"]
    assert (play.run("A").state, play.run("A").work) == ("working", 3)
    assert play.tick() == ["A job-stopped"]


def test_reversed_work_resumes_from_where_it_fell_to() -> None:
    """The work point is the recorded one, whatever it is by then."""
    play = Play(config(partial_work="reverse-while-stopped", reversals=(reversal(),)))
    play.request("A")
    play.tick(3)
    play.do(e.Instruct("A", "power-cut"))
    play.tick(2)
    play.do(e.Clear("A", "power-cut"))
    assert (play.report("job-resumed")["work-before"], play.run("A").work) == ("1", 1)


def test_walk_tests_and_offers_one_run_after_the_other() -> None:
    """Room for one output goes to the run that stopped first; the next is tested after it has taken it."""
    play = Play(gated(), room=(("shelf", 0),))
    play.request("A")
    play.tick()
    play.request("B")
    play.tick(4)
    assert play.do(e.Room("shelf", 1)) == ["A job-resumed", "A job-finished", "A job-delivered"]
    assert play.run("B").causes == ("output-full",)
