"""Steps 3 to 6: reservation, admission, the request-time claim, and waiting."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Need
from tests.models.lifecycle._configs import by_field, config, job, links, named, pool
from tests.models.lifecycle._play import Play, units


def reserving(**changes: Any) -> Config:
    """The bakery reserving room on the shelf before it starts."""
    return config(**({"output_full": "wait-before-start", "readmissions": named("shelf-cleared")} | changes))


# -- step 3 -----------------------------------------------------------------------------------------------------------


def test_request_without_room_stays_requested_and_claims_nothing() -> None:
    """No room for the whole output: no admission, no claim, no batch; only a readmission tries again."""
    play = Play(reserving(timing="taken-at-request"), room=(("shelf", 0),))
    assert play.request("A") == ["A job-requested"]
    assert play.states() == {"A": "requested"}
    assert {row.batch for row in play.rows} == {None}
    assert play.brief("delivery-attempts", "attempt", "outcome", "free") == [("A", "reservation", "refused", 0)]
    assert play.brief("reservation-ledger", "change", "reserved-after") == [("A", "refused", 0)]
    play.do(e.Room("shelf", 2))
    assert play.tick() == []
    assert play.states() == {"A": "requested"}
    assert play.do(e.Readmit("shelf-cleared")) == ["A job-started", "A job-working"]


def test_readmission_leaves_a_paused_request_alone() -> None:
    """Only a blocked request tries again; a paused one waits for its own admission."""
    play = Play(reserving(), room=(("shelf", 0),))
    play.request("A", pause=True)
    play.request("B")
    play.do(e.Room("shelf", 2))
    assert play.do(e.Readmit("shelf-cleared")) == ["B job-started", "B job-working"]
    assert play.run("A").pending == "paused"


def test_reservation_takes_the_whole_room_at_once_and_names_the_destination() -> None:
    """Reserved room counts as taken; every report from then on carries the destination."""
    play = Play(reserving(jobs=(job(size=2),)))
    play.request("A")
    assert play.free() == 0
    assert play.brief("reservation-ledger", "change", "amount", "reserved-after", "free-after") == [
        ("A", "reserve", 2, 2, 0)
    ]
    assert [row.data["destination"] for row in play.log("report-log")] == [None, "shelf", "shelf"]


def test_reservation_is_held_through_delivery() -> None:
    """The accepted output lies in the reserved room, which an automatic delivery keeps taken."""
    play = Play(reserving())
    play.request("A")
    play.do(e.Instruct("A", "power-cut"), e.Clear("A", "power-cut"))
    assert play.run("A").reserved
    play.tick(4)
    assert play.brief("reservation-ledger", "change", "reserved-after", "free-after") == [("A", "use", 0, 1)]
    assert play.free() == 1
    play.do(e.Room("shelf", 2))


def test_reserved_room_cannot_be_taken_away() -> None:
    """A room event may not take reserved room."""
    play = Play(reserving())
    play.request("A")
    assert play.refuse(e.Room("shelf", 2)) == "shelf holds 2, of which 1 are occupied or reserved"
    play.do(e.Room("shelf", 0), e.Room("shelf", 1))


def test_unlimited_destination_always_reserves() -> None:
    """A destination without a limit has room for any output."""
    rules = reserving(jobs=(job(destination="street"),))
    play = Play(rules._replace(destinations=(rules.destinations[0]._replace(name="street", capacity=None),)))
    play.request("A")
    assert play.log("reservation-ledger")[0].data["free-after"] is None
    assert play.refuse(e.Room("street", 1)) == "street is unlimited"
    assert play.refuse(e.Room("attic", 1)) == "there is no destination attic"


def test_refusal_releases_the_reservation() -> None:
    """A request that is refused after it reserved gives the room back, and what waits for room is tested."""
    play = Play(reserving(pools=(pool(working=1, waiting=0),)))
    play.request("A")
    assert play.request("B") == ["B job-requested", "B job-rejected"]
    assert play.report("job-rejected")["causes"] == ["job-limit-full"]
    assert [row[1] for row in play.brief("reservation-ledger", "change")] == ["reserve", "release"]
    assert play.free() == 1


def test_readmission_goes_on_in_request_order_each_followed_by_its_offers() -> None:
    """The first blocked request that finds room takes it, and starts before the next one tries."""
    play = Play(reserving(), room=(("shelf", 0),))
    for name in "ABC":
        play.request(name)
    play.do(e.Room("shelf", 1))
    assert play.do(e.Readmit("shelf-cleared")) == ["A job-started", "A job-working"]
    play.do(e.Room("shelf", 1))
    assert play.do(e.Readmit("shelf-cleared")) == ["B job-started", "B job-working"]


def test_readmission_may_refuse() -> None:
    """A readmitted request takes every later gate: the request-time claim is gone, or the queue is full."""
    play = Play(reserving(timing="taken-at-request"), room=(("shelf", 0),))
    play.request("A")
    play.do(e.Use("water", 4, "tap"), e.Room("shelf", 2))
    assert play.do(e.Readmit("shelf-cleared")) == ["A job-rejected"]
    assert play.report("job-rejected")["causes"] == ["missing-inputs"]
    assert play.free() == 2


def test_readmission_row_must_exist_and_fit_the_answer() -> None:
    """A row that does not exist is refused, and so is any readmission where no request is ever blocked."""
    assert Play(reserving()).refuse(e.Readmit("sunrise")) == "there is no row sunrise"
    idle = Play(config(readmissions=named("shelf-cleared")))
    assert idle.refuse(e.Readmit("shelf-cleared")) == "no request is ever blocked under this answer"
    assert Play(reserving()).do(e.Readmit("shelf-cleared")) == []


def test_in_place_job_reserves_nothing() -> None:
    """An in-place output has no destination, so there is no room to reserve."""
    play = Play(reserving(in_place=True, jobs=(job(destination=None, site="wall"),)))
    play.request("A")
    assert play.log("delivery-attempts") == play.log("reservation-ledger") == []
    assert play.states() == {"A": "working"}


# -- steps 4 and 6 ----------------------------------------------------------------------------------------------------


def test_immediate_start_takes_no_waiting_slot() -> None:
    """A request that need not wait starts in its own batch and takes a working slot alone."""
    play = Play(config())
    play.request("A")
    assert play.brief("count-trace", "slot", "change", "used", "limit") == [("A", "working", "take", 1, 2)]


def test_waiting_takes_one_slot_and_reports_every_reason() -> None:
    """All reasons that hold are reported, in the order of step 4."""
    rules = config(pools=(pool(working=1),), jobs=(job(), job("dough")), dependents=links(("bake", ("dough",))))
    play = Play(rules, stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("C", pause=True)
    play.request("D", "dough", pause=True)
    play.request("E", pause=True)
    play.do(e.Admit("D"))
    play.do(e.Admit("E"))
    assert play.report("job-waiting")["causes"] == ["no-free-slot", "inputs-unavailable", "dependency-unmet"]
    assert play.brief("count-trace", "slot", "change", "used", "limit") == [("E", "waiting", "take", 1, 3)]
    play.do(e.Admit("C"))
    assert play.report("job-waiting")["causes"] == ["no-free-slot", "earlier-job-first", "inputs-unavailable"]


def test_earlier_run_that_cannot_start_holds_a_newcomer_back() -> None:
    """A waiting run, eligible or not, stands first even while a slot is free; the offer that follows passes by it."""
    play = Play(config(), stock=(("flour", 3, "larder"), ("water", 9, "tap")))
    play.request("A", pause=True)
    play.do(e.Use("flour", 3, "larder"), e.Admit("A"))
    play.do(e.Supply("flour", 2, "larder"))
    assert play.states() == {"A": "waiting"}
    light = config(jobs=(job(), job("bun", needs=())))
    play = Play(light, stock=(("flour", 3, "larder"), ("water", 9, "tap")))
    play.request("A", pause=True)
    play.do(e.Use("flour", 3, "larder"), e.Admit("A"))
    assert play.request("B", "bun") == ["B job-requested", "B job-waiting", "B job-started", "B job-working"]
    assert play.report("job-waiting")["causes"] == ["earlier-job-first"]
    assert [row.settle for row in play.log("report-log")] == [1, 2, 3, 4]


def test_stopped_run_without_causes_holds_a_newcomer_back() -> None:
    """It waits for a slot or its claim, and stands before what is admitted after its stop."""
    rules = config(jobs=(job(), job("bun", needs=())), release_stopped_claims=True, pools=(pool(working=1),))
    play = Play(rules, stock=(("flour", 3, "larder"), ("water", 9, "tap")))
    play.request("A")
    play.do(e.Instruct("A", "power-cut"))
    assert play.request("B", "bun")[1:] == ["B job-started", "B job-working"]
    play.do(e.Cancel("B", "called-off"), e.Use("flour", 3, "larder"), e.Clear("A", "power-cut"))
    play.request("C", "bun")
    assert play.report("job-waiting")["causes"] == ["earlier-job-first"]
    assert play.states() == {"A": "stopped", "B": "canceled", "C": "working"}


def test_newcomer_of_better_rank_is_not_held_back() -> None:
    """Only a run that the pool's order places before it holds a newcomer back."""
    light = config(jobs=(job(), job("bun", needs=())), pools=(pool(order=by_field()),))
    play = Play(light, stock=(("flour", 3, "larder"), ("water", 9, "tap")))
    play.request("A", rank=5, pause=True)
    play.do(e.Use("flour", 3, "larder"), e.Admit("A"))
    assert play.request("B", "bun", rank=4) == ["B job-requested", "B job-started", "B job-working"]
    assert play.request("C", "bun", rank=6)[1] == "C job-waiting"


@pytest.mark.parametrize(("waiting", "states"), [(0, "rejected"), (1, "waiting"), (None, "waiting")])
def test_full_waiting_limit_refuses(waiting: int | None, states: str) -> None:
    """A request that must wait is refused where the declared limit is full; an absent limit never refuses."""
    play = Play(config(pools=(pool(working=0, waiting=waiting),)))
    play.request("A")
    assert play.states() == {"A": states}
    play.request("B")
    assert play.states()["B"] == ("waiting" if waiting is None else "rejected")


def test_full_waiting_limit_refuses_though_a_slot_is_free() -> None:
    """A newcomer behind an earlier run must wait, and finds no waiting slot."""
    light = config(jobs=(job(), job("bun", needs=())), pools=(pool(working=2, waiting=1),))
    play = Play(light, stock=(("flour", 3, "larder"), ("water", 9, "tap")))
    play.request("A", pause=True)
    play.do(e.Use("flour", 3, "larder"), e.Admit("A"))
    assert play.request("B", "bun") == ["B job-requested", "B job-rejected"]
    assert play.report("job-rejected")["causes"] == ["job-limit-full"]


def test_change_of_reasons_is_recorded_without_a_report() -> None:
    """Reasons of a waiting run come and go in the admission trace alone."""
    play = Play(config(pools=(pool(working=1),)), stock=(("flour", 6, "larder"), ("water", 2, "tap")))
    play.request("A")
    play.request("B")
    assert play.do(e.Use("flour", 3, "larder")) == []
    assert play.brief("admission-trace", "step", "outcome", "reasons") == [
        ("B", "reasons", "changed", ["no-free-slot", "inputs-unavailable"])
    ]
    play.do(e.Supply("flour", 3, "larder"))
    assert play.brief("admission-trace", "reasons") == [("B", ["no-free-slot"])]


def test_waiting_without_a_pool_takes_no_slot() -> None:
    """A run without a pool may wait too: for its claim, or for what it needs."""
    play = Play(config(pools=()), stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("A", pause=True)
    play.do(e.Use("flour", 1, "larder"))
    assert play.do(e.Admit("A")) == ["A job-waiting"]
    assert play.log("count-trace") == []
    assert play.do(e.Supply("flour", 1, "larder")) == ["A job-started", "A job-working"]


# -- step 5 -----------------------------------------------------------------------------------------------------------


def test_request_time_claim_stands_in_the_settle_of_the_admission() -> None:
    """The full requirement is claimed at once, before job-started or before job-waiting, and not again at the start."""
    play = Play(config(timing="taken-at-request", pools=(pool(working=1),)))
    play.request("A")
    assert play.report("job-started")["claimed"] == units(("flour", 3), ("water", 1))
    play.request("B")
    assert play.report("job-waiting")["claimed"] == units(("flour", 3), ("water", 1))
    assert play.do(e.Cancel("A", "called-off"))[1] == "B job-started"
    assert play.report("job-started")["claimed"] == []


def test_request_time_claim_that_is_gone_after_a_pause_refuses() -> None:
    """What passed the check may be gone at the claim: nothing is claimed of it, not even what is there."""
    play = Play(config(timing="taken-at-request"), stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("A", pause=True)
    play.do(e.Use("water", 1, "tap"))
    assert play.do(e.Admit("A")) == ["A job-rejected"]
    assert play.report("job-rejected")["causes"] == ["missing-inputs"]
    assert play.log("claim-ledger") == []
    assert play.stock("flour") == 3


def test_claimed_units_are_nobody_elses() -> None:
    """Another rule can take usable units only; a source that no rule names does not exist."""
    play = Play(config(timing="taken-at-request"), stock=(("flour", 4, "larder"), ("water", 1, "tap")))
    play.request("A")
    assert play.refuse(e.Use("flour", 2, "larder")) == "only 1 of flour at larder are usable"
    assert play.refuse(e.Use("flour", 1, "attic")) == "no rule takes flour from attic"
    assert play.refuse(e.Supply("salt", 1, "larder")) == "no rule takes salt from larder"
    play.do(e.Use("flour", 1, "larder"))


def test_sources_are_kept_apart() -> None:
    """Units of the same item elsewhere don't help."""
    two = (job(needs=(Need("flour", 1, "larder"),)), job("bun", needs=(Need("flour", 1, "attic"),)))
    play = Play(config(jobs=two), stock=(("flour", 5, "attic"),))
    assert play.request("A") == ["A job-requested", "A job-rejected"]
    assert play.request("B", "bun")[1] == "B job-started"
    assert play.report("job-started")["claimed"] == [{"item": "flour", "amount": 1, "source": "attic"}]
