"""Step 18: eligibility, the walk of tests and offers, the pools' orders, and what is written down of it."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Covers, Need, OrderKey
from tests.models.lifecycle._configs import by_field, config, failure, job, named, pool
from tests.models.lifecycle._play import Play

ONE = (pool(working=1, waiting=None),)


def test_freed_slot_goes_to_the_first_eligible_run() -> None:
    """The offer stands in the settle of the start, with the order in which the runs stood."""
    play = Play(config(pools=ONE))
    for name in "ABC":
        play.request(name)
    play.do(e.Cancel("A", "called-off"))
    offer = play.log("pool-offer-log")[0]
    assert offer.data == {
        "pool": "ovens",
        "place": None,
        "offer": "started",
        "why": None,
        "free": 1,
        "order": ["B", "C"],
        "eligible": ["B", "C"],
    }
    assert offer.settle == next(row.settle for row in play.log("report-log", report="job-started"))


def test_offers_skip_runs_that_are_not_eligible() -> None:
    """A run that lacks its inputs keeps its place, and the next one starts."""
    salty = job("salty", needs=(Need("salt", 1, "jar"),))
    play = Play(
        config(pools=ONE, jobs=(job(), salty)), stock=(("flour", 9, "larder"), ("water", 9, "tap"), ("salt", 1, "jar"))
    )
    play.request("A")
    play.request("B", "salty")
    play.request("C")
    play.do(e.Use("salt", 1, "jar"))
    assert play.do(e.Cancel("A", "called-off"))[1] == "C job-started"
    assert play.log("pool-offer-log")[0].data["eligible"] == ["C"]
    assert play.state.line == ("B",)


def test_slot_that_nobody_takes_is_written_down() -> None:
    """A freed slot without an eligible run leaves a row that says so."""
    play = Play(config(pools=ONE))
    play.request("A")
    play.do(e.Cancel("A", "called-off"))
    assert play.brief("pool-offer-log", "offer", "free", "order") == [(None, "nobody", 1, [])]


def test_passed_over_run_is_written_down_once_for_an_event() -> None:
    """Whoever stands behind it goes on; the walk comes by again, and writes nothing more."""
    rules = config(pools=ONE, jobs=(job(), job("bun", needs=())), release_stopped_claims=True)
    play = Play(rules, stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("A")
    play.do(e.Instruct("A", "power-cut"))
    play.request("T", "bun")
    play.do(e.Use("flour", 1, "larder"), e.Clear("A", "power-cut"))
    play.request("B", "bun")
    play.do(e.Cancel("T", "called-off"))
    assert play.brief("pool-offer-log", "offer", "eligible") == [
        ("A", "passed-over", ["A", "B"]),
        ("B", "started", ["A", "B"]),
    ]


# -- order ------------------------------------------------------------------------------------------------------------


def test_request_order_is_the_order_of_admission_and_stop() -> None:
    """A request that was made first but admitted later stands behind; so does a run that stopped later."""
    play = Play(config(pools=ONE))
    play.request("A")
    play.request("P", pause=True)
    play.request("B")
    play.do(e.Admit("P"), e.Instruct("A", "power-cut"))
    assert play.states()["B"] == "working"
    assert play.log("waiting-order-record", "A")[0].data["order"] == ["B", "P", "A"]


def test_cited_order_sorts_by_its_fields_then_by_admission() -> None:
    """Fields in their directions, a missing one as 0, numbers before text; the line decides what is left."""
    keys = (OrderKey("rank", False), OrderKey("weight", True))
    play = Play(
        config(pools=(pool(working=0, waiting=None, order=keys),)),
        stock=(("flour", 99, "larder"), ("water", 99, "tap")),
    )
    play.request("A", rank=1, weight=1)
    play.request("B", rank=1, weight=2)
    play.request("C", rank="x")
    play.request("D")
    play.request("E", rank=1, weight=2)
    play.request("F", rank="a")
    assert play.log("waiting-order-record")[0].data["order"] == ["D", "B", "E", "A", "F", "C"]


@pytest.mark.parametrize(("descending", "order"), [(False, ["A", "B", "C"]), (True, ["C", "B", "A"])])
def test_admission_is_a_field_of_its_own(descending: bool, order: list[str]) -> None:
    """A cited order may sort by admission, the newest first."""
    keys = (OrderKey("admission", descending),)
    play = Play(config(pools=(pool(working=0, waiting=None, order=keys),)))
    for name in "ABC":
        play.request(name)
    assert play.log("waiting-order-record")[0].data["order"] == order


def test_set_fields_changes_the_order_and_an_offer_follows() -> None:
    """What an order sorts by may change while a run waits; its duration, pool and place stay."""
    rules = config(
        pools=(pool("rush", covers=Covers(fields=(("rank", 9),))), pool(working=1, waiting=None, order=by_field()))
    )
    play = Play(rules)
    play.request("A", rank=1)
    play.request("B", rank=2)
    play.request("C", rank=3)
    assert play.do(e.SetFields("C", (("rank", 1),))) == []
    assert play.do(e.SetFields("B", (("rank", 9),))) == []
    assert play.run("B").pool == "ovens"
    assert play.do(e.Cancel("A", "called-off"))[1] == "C job-started"
    assert play.refuse(e.SetFields("A", (("rank", 1),))) == "the run has ended"
    assert play.refuse(e.SetFields("Z", ())) == "there is no run Z"


def test_pools_are_walked_in_written_order_then_runs_without_a_pool() -> None:
    """One event that makes runs of several pools eligible starts them in that order."""
    pools = (pool("left", covers=Covers(jobs=("a",))), pool("right", covers=Covers(jobs=("b",))))
    flour = (Need("flour", 1, "larder"),)
    rules = config(pools=pools, jobs=(job("c", needs=flour), job("b", needs=flour), job("a", needs=flour)))
    play = Play(rules._replace(job="a"), stock=(("flour", 1, "larder"),))
    for name in ("c", "b", "a"):
        play.request(name.upper(), name, pause=True)
    play.do(e.Use("flour", 1, "larder"), e.Admit("C"), e.Admit("B"), e.Admit("A"))
    told = play.do(e.Supply("flour", 3, "larder"))
    assert [each for each in told if each.endswith("started")] == ["A job-started", "B job-started", "C job-started"]


def test_without_any_pool_every_ready_run_starts() -> None:
    """No work-limits row: no slot, no limit, no pool reason."""
    play = Play(config(pools=()), stock=(("flour", 30, "larder"), ("water", 10, "tap")))
    for name in "ABCDEFGHIJ":
        play.request(name)
    assert set(play.states().values()) == {"working"}


# -- slots ------------------------------------------------------------------------------------------------------------


def test_slots_are_taken_at_or_after_the_cursor() -> None:
    """A freed slot behind the cursor is taken only when the cursor has come round."""
    play = Play(config(pools=(pool(working=3, waiting=None),)), stock=(("flour", 99, "larder"), ("water", 99, "tap")))
    for name in "AB":
        play.request(name)
    play.do(e.Cancel("A", "called-off"))
    play.request("C")
    play.request("D")
    assert [play.run(name).working_slot for name in "BCD"] == [1, 2, 0]


def test_counts_tell_used_slots_and_limits() -> None:
    """Each row has the count after the change; an absent waiting limit is null."""
    play = Play(config(pools=(pool(working=1, waiting=None),)))
    play.request("A")
    assert play.brief("count-trace", "slot", "change", "used", "limit") == [("A", "working", "take", 1, 1)]
    play.request("B")
    play.request("C")
    assert play.brief("count-trace", "slot", "change", "used", "limit") == [("C", "waiting", "take", 2, None)]


@pytest.mark.parametrize(
    "event",
    [e.Cancel("A", "called-off"), e.Fail("A", "fire"), e.Instruct("A", "power-cut")],
    ids=["cancel", "ruin", "stop"],
)
def test_every_end_frees_its_slot_for_the_next(event: e.Event) -> None:
    """Terminal states and stops free everything at once, and the next run starts in the same batch."""
    play = Play(config(pools=ONE, failures=(failure("fire", "working", ruined=True),)))
    play.request("A")
    play.request("B")
    assert play.do(event)[1:] == ["B job-started", "B job-working"]
    assert {row.batch for row in play.log("report-log")} == {1}


def test_offers_run_after_the_causing_runs_own_steps() -> None:
    """A finished run is delivered before anybody is offered the slot that its finish freed."""
    play = Play(config(pools=ONE))
    play.request("A")
    play.request("B")
    assert play.tick(4) == ["A job-finished", "A job-delivered", "B job-started", "B job-working"]


def test_held_run_keeps_its_slot_until_its_delivery_where_the_row_says_so() -> None:
    """With `releases-working-at: delivered` a collection frees the slot, and the next run starts."""
    rules = config(
        pools=(pool(working=1, waiting=None, releases_at="delivered"),), on_collection=True, collections=named("pickup")
    )
    play = Play(rules)
    play.request("A")
    play.request("B")
    assert play.tick(4) == ["A job-finished"]
    assert play.run("A").working_slot == 0
    assert play.do(e.Collect("pickup")) == ["A job-delivered", "B job-started", "B job-working"]


def test_tick_that_only_adds_work_offers_nothing() -> None:
    """Time alone makes nobody eligible: no offer row, no change of reasons."""
    play = Play(config(pools=ONE))
    play.request("A")
    play.request("B")
    play.tick()
    assert [row.log for row in play.rows] == ["work-before-after"]


def test_slot_freed_during_the_walk_is_offered_from_the_first_run_on() -> None:
    """A run that was looked at before the slot came free is not overtaken by one that stands behind it."""
    rules = config(
        pools=(pool(working=1, waiting=None, order=by_field(descending=False)),), output_full="wait-until-space"
    )
    play = Play(rules, room=(("shelf", 0),))
    play.request("A", rank=2)
    play.tick(4)
    play.request("B", rank=1)
    play.request("C", rank=3)
    assert play.run("A").state == "stopped"
    play.do(e.Room("shelf", 1))
    assert play.states()["A"] == "delivered"
    assert [row.run for row in play.log("report-log", report="job-started")] == ["B"]
