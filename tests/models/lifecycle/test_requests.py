"""Steps 1 and 2: what a request is made of, which are refused, and the availability check."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Covers, Need, Phase
from tests.models.lifecycle._configs import config, instant, job, links, pool, progress, rounding
from tests.models.lifecycle._play import Play, units

PLACES = ("north", "south", "west")


def each_place(assignment: str, working: int = 1) -> Config:
    """Ovens in three places, each with a larder of its own."""
    ovens = pool(working=working, waiting=None, places=PLACES, assignment=assignment)
    return config(pools=(ovens,), jobs=(job(needs=(Need("flour", 1, "larder-{place}"),), destination=None, site="x"),))


def place_stock(amount: int = 9) -> tuple[tuple[str, int, str], ...]:
    """Flour in every larder."""
    return tuple(("flour", amount, f"larder-{place}") for place in PLACES)


# -- step 1 -----------------------------------------------------------------------------------------------------------


def test_request_reads_the_rule_once_and_reports_outside_any_batch() -> None:
    """The job rule is read once, where the job row cites it, and job-requested stands in a settle but in no batch."""
    play = Play(config())
    play.request("A")
    assert play.brief("job-rule-read-log", "job", "address") == [("A", "bake", "rules#bake")]
    first = play.log("report-log")[0]
    assert (first.batch, first.settle) == (None, 1)
    assert first.data["causes"] == ["requester"]
    assert (first.data["old"], first.data["new"]) == (None, "requested")
    assert [row.batch for row in play.log("report-log")[1:]] == [1, 1]


def test_request_goes_to_the_first_pool_that_covers_it() -> None:
    """Coverage is asked in written order; a later row that covers the request too is not looked at."""
    first, second, third = (
        pool("small", covers=Covers(jobs=("bun",))),
        pool("rush", covers=Covers(fields=(("lane", "rush"),))),
        pool("rest"),
    )
    play = Play(config(pools=(first, second, third), jobs=(job(), job("bun"))))
    play.request("A", "bun", lane="rush")
    play.request("B", lane="rush")
    play.request("C")
    assert [run.pool for run in play.state.runs] == ["small", "rush", "rest"]


def test_coverage_takes_a_missing_field_as_0() -> None:
    """A pool for `lane: 0` covers a request that says nothing about its lane."""
    play = Play(config(pools=(pool("zero", covers=Covers(fields=(("lane", 0),))), pool("rest"))))
    play.request("A")
    play.request("B", lane=1)
    assert [run.pool for run in play.state.runs] == ["zero", "rest"]


def test_request_that_no_row_covers_starts_without_a_pool() -> None:
    """Where no row covers the job it has no slots and no limit."""
    play = Play(config(pools=(pool(covers=Covers(jobs=("bun",)), working=0),)))
    assert play.request("A") == ["A job-requested", "A job-started", "A job-working"]
    assert play.report("job-started")["causes"] == ["no-pool"]
    assert play.log("count-trace") == []


def test_request_for_a_closed_pool_is_refused() -> None:
    """No pool is open when a world begins, and each opens once."""
    play = Play(config(), closed=True)
    assert play.refuse(e.Request("A", "bake")) == "the pool ovens is not open"
    play.do(e.OpenPool("ovens"))
    assert play.refuse(e.OpenPool("ovens")) == "the pool ovens is open already"
    assert play.refuse(e.OpenPool("kilns")) == "there is no pool kilns"
    play.request("A")


def test_request_must_name_what_exists() -> None:
    """An unknown job, phase or place is refused, and so is a name that was used before."""
    play = Play(config())
    assert play.refuse(e.Request("A", "cake")) == "no rule declares the job cake"
    assert play.refuse(e.Request("A", "bake", phase="icing")) == "there is no work phase icing"
    assert play.refuse(e.Request("A", "bake", place="north")) == "the pool ovens has no places"
    play.request("A")
    assert play.refuse(e.Request("A", "bake")) == "the run exists already"


@pytest.mark.parametrize(
    ("phase", "fields"),
    [
        (Phase("baking", "minutes", 1), {}),
        (Phase("baking", "minutes", 1), {"minutes": 0}),
        (Phase("baking", "minutes", 1), {"minutes": "long"}),
        (Phase("baking", 4, "speed"), {}),
        (Phase("baking", 4, "speed"), {"speed": -1}),
    ],
)
def test_request_without_work_to_do_is_refused(phase: Phase, fields: dict[str, int | str]) -> None:
    """The required work is at least 1, and a tick's work above 0: what a request's fields make of it is checked."""
    play = Play(config(phases=(phase,)))
    reason = play.refuse(e.Request("A", "bake", fields=tuple(fields.items())))
    assert reason == "the required work would be below 1, or the work per tick not above 0"


def test_phase_is_the_named_one_then_the_jobs_then_the_first() -> None:
    """The request may name a phase; else the job rule's counts, else the first row."""
    phases = (Phase("baking", 4, 1), Phase("frying", 2, 1))
    play = Play(config(phases=phases, jobs=(job(), job("donut", phase="frying"))))
    play.request("A")
    play.request("B", "donut")
    play.do(e.Cancel("A", "called-off"), e.Cancel("B", "called-off"))
    play.request("C", "donut", phase="baking")
    assert [(run.phase, run.required) for run in play.state.runs] == [("baking", 4), ("frying", 2), ("baking", 4)]


def test_work_and_its_step_may_be_request_fields() -> None:
    """A duration may name request fields for both its numbers."""
    play = Play(config(phases=(Phase("baking", "minutes", "speed"),)))
    play.request("A", minutes=6, speed=2)
    assert (play.run("A").required, play.run("A").per_tick) == (6, 2)


# -- places -----------------------------------------------------------------------------------------------------------


def test_requested_place_must_be_one_of_the_pool() -> None:
    """Under `requested` the request names its place."""
    play = Play(each_place("requested"), stock=place_stock())
    assert play.refuse(e.Request("A", "bake")) == "the request names no place"
    assert play.refuse(e.Request("A", "bake", place="east")) == "east is no place of the pool ovens"
    play.request("A", place="south")
    assert play.run("A").place == "south"
    assert play.stock("flour") == 26


def test_first_free_takes_the_first_place_with_a_free_slot() -> None:
    """List order decides; where no place has a free slot it is the first of all."""
    play = Play(each_place("first-free"), stock=place_stock())
    for name in "ABCD":
        play.request(name)
    assert [run.place for run in play.state.runs] == ["north", "south", "west", "north"]
    play.do(e.Cancel("B", "called-off"))
    play.request("E")
    assert play.run("E").place == "south"


def test_fewest_waiting_counts_waiting_runs_alone() -> None:
    """A place without a free slot but without a queue is as good as any; ties go by list order."""
    play = Play(each_place("fewest-waiting"), stock=place_stock())
    for name in "ABCDE":
        play.request(name)
    assert [run.place for run in play.state.runs] == ["north", "north", "south", "south", "west"]


def test_round_robin_counts_every_request() -> None:
    """A refused request moves the round on as well."""
    play = Play(each_place("round-robin", working=0), stock=(("flour", 1, "larder-north"),))
    for name in "ABCD":
        play.request(name)
    assert [run.place for run in play.state.runs] == ["north", "south", "west", "north"]
    assert play.states() == {"A": "waiting", "B": "rejected", "C": "rejected", "D": "waiting"}


def test_round_robin_begins_again_after_the_last_place() -> None:
    """After a whole round the state is what it was: a walk in which runs come and go can close."""
    play = Play(each_place("round-robin", working=0), stock=place_stock())
    for name in "ABC":
        play.request(name)
    assert dict(play.state.requests_seen) == {"ovens": 0}


def test_each_place_has_slots_of_its_own() -> None:
    """A full place says nothing about another one."""
    play = Play(each_place("requested"), stock=place_stock())
    play.request("A", place="north")
    play.request("B", place="north")
    play.request("C", place="south")
    assert play.states() == {"A": "working", "B": "waiting", "C": "working"}
    assert {(place, slots.held) for _, place, slots in play.state.pools} == {  # type: ignore[attr-defined]
        ("north", ((0, "A"),)),
        ("south", ((0, "C"),)),
        ("west", ()),
    }


# -- step 2 -----------------------------------------------------------------------------------------------------------


def test_short_inputs_refuse_the_request_and_change_nothing() -> None:
    """Nothing is claimed, worked or made; the run ends and keeps the state requested."""
    play = Play(config(), stock=(("flour", 2, "larder"), ("water", 1, "tap")))
    assert play.request("A") == ["A job-requested", "A job-rejected"]
    refusal = play.report("job-rejected")
    assert (refusal["causes"], refusal["old"], refusal["new"]) == (["missing-inputs"], "requested", "requested")
    assert refusal["claimed"] == []
    assert play.log("claim-ledger") == play.log("state-trace") == play.log("output-identity") == []
    assert play.stock("flour") == 2
    assert play.brief("admission-trace", "step", "outcome") == [("A", "input-check", "short")]
    assert play.log("admission-trace")[0].data["tested"][0] == {
        "item": "flour",
        "amount": 3,
        "source": "larder",
        "usable": 2,
    }


def test_check_reserves_nothing() -> None:
    """Two paused requests pass the check on the same units."""
    play = Play(config(), stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("A", pause=True)
    play.request("B", pause=True)
    assert play.states() == {"A": "requested", "B": "requested"}
    assert play.do(e.Admit("A")) == ["A job-started", "A job-working"]
    assert play.do(e.Admit("B")) == ["B job-waiting"]


def test_check_is_made_once_for_each_request() -> None:
    """A paused request goes on from step 3: what is missing by then is no refusal."""
    play = Play(config(timing="taken-at-finish"), stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("A", pause=True)
    play.do(e.Use("flour", 3, "larder"))
    assert play.do(e.Admit("A")) == ["A job-started", "A job-working"]


def test_no_inputs_skip_the_check() -> None:
    """Without inputs the check is skipped, and other gates decide."""
    play = Play(config(timing=None, jobs=(job(needs=()),), cancel_return=None), stock=())
    play.request("A")
    assert play.brief("admission-trace", "step", "outcome")[0] == ("A", "input-check", "skipped")
    assert play.states() == {"A": "working"}


@pytest.mark.parametrize(("flour", "state"), [(0, "rejected"), (1, "working")])
def test_progress_tests_the_initial_share_alone(flour: int, state: str) -> None:
    """Under progress claiming the check never asks for the full requirement by itself."""
    play = Play(progress(), stock=(("flour", flour, "larder"),))
    play.request("A")
    assert play.states() == {"A": state}


@pytest.mark.parametrize(("flour", "state"), [(2, "rejected"), (3, "working")])
def test_offer_check_may_test_more_but_claims_no_more(flour: int, state: str) -> None:
    """A stricter offer check of the job rule is tested at both gates and never claimed."""
    strict = job(needs=(Need("flour", 4, "larder"),), offer_check=(("flour", 3),))
    play = Play(progress(jobs=(strict,)), stock=(("flour", flour, "larder"),))
    play.request("A")
    assert play.states() == {"A": state}
    if state == "working":
        assert play.report("job-started")["claimed"] == units(("flour", 1))


def test_pause_is_for_requests_that_pass_the_check() -> None:
    """A short request is refused at once, paused or not; only a paused one can be admitted."""
    play = Play(config(), stock=())
    assert play.request("A", pause=True) == ["A job-requested", "A job-rejected"]
    assert play.refuse(e.Admit("A")) == "the run has ended"
    assert play.refuse(e.Admit("Z")) == "there is no run Z"
    play.do(e.Supply("flour", 9, "larder"), e.Supply("water", 9, "tap"))
    play.request("B")
    assert play.refuse(e.Admit("B")) == "the run was admitted already"


def test_initial_share_may_be_named() -> None:
    """The rounding rule may name the work that the initial share is for."""
    rules = progress(roundings=(rounding("down", initial=Fraction(5, 2)),))
    play = Play(rules, stock=(("flour", 2, "larder"),))
    play.request("A")
    assert play.report("job-started")["claimed"] == units(("flour", 2))


def test_instant_job_under_progress_claims_the_whole_at_once() -> None:
    """Without a work phase the share is the required amount."""
    play = Play(instant(timing="with-progress", roundings=(rounding(),)), room=(("shelf", 1),))
    play.request("A")
    assert play.report("job-started")["claimed"] == units(("flour", 3), ("water", 1))


# -- dependencies -----------------------------------------------------------------------------------------------------


def test_need_binds_to_the_latest_open_run() -> None:
    """At the request each need takes the latest open run of its job; without one there is no dependency."""
    rules = config(jobs=(job(), job("dough")), dependents=links(("bake", ("dough",))), pools=())
    play = Play(rules, stock=(("flour", 30, "larder"), ("water", 30, "tap")))
    play.request("A")
    assert play.run("A").needs == ()
    for name in ("B", "C", "D"):
        play.request(name, "dough")
    play.do(e.Cancel("D", "called-off"))
    play.request("E")
    assert play.run("E").needs == (("dough", "C"),)
    assert play.brief("dependency-trace", "need", "bound", "change") == [("E", "dough", "C", "bound")]


def test_need_may_bind_to_a_request_that_is_not_admitted_yet() -> None:
    """A paused request is open, a rejected one is not."""
    rules = config(jobs=(job(), job("dough")), dependents=links(("bake", ("dough",))))
    play = Play(rules)
    play.request("A", "dough", pause=True)
    play.request("B")
    assert play.run("B").needs == (("dough", "A"),)
    assert play.report("job-waiting", "B")["causes"] == ["dependency-unmet"]


def test_need_is_met_by_a_later_run_of_the_job() -> None:
    """Any later-requested run of the needed job meets the need when it finishes."""
    rules = config(jobs=(job(), job("dough")), dependents=links(("bake", ("dough",))), pools=())
    play = Play(rules, stock=(("flour", 30, "larder"), ("water", 30, "tap")), room=(("shelf", 2),))
    play.request("A", "dough")
    play.request("B")
    play.do(e.Instruct("A", "power-cut"))
    play.request("C", "dough")
    assert play.tick(3) == []
    assert play.tick() == ["C job-finished", "C job-delivered", "B job-started", "B job-working"]
    assert play.brief("dependency-trace", "need", "bound", "change") == [("B", "dough", "A", "met")]
