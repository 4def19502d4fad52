"""Step 15: where the output goes, what a refusal does, collection, redelivery, and the room of destinations."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Destination
from tests.models.lifecycle._configs import config, failure, instant, job, named, pool
from tests.models.lifecycle._play import Play

SHELVES = (Destination("shelf", 1), Destination("cellar", 1), Destination("street", None))


def holding(**changes: Any) -> Config:
    """Instant loaves; one that finds no room is held until a redelivery."""
    return instant(**({"output_full": "hold-undelivered", "redeliveries": named("van")} | changes))


def routed(*fallbacks: str, **changes: Any) -> Config:
    """Instant loaves that try the shelf and then the fallbacks."""
    rules = {"output_full": "try-destinations", "fallbacks": fallbacks, "destinations": SHELVES}
    return instant(**(rules | {"redeliveries": named("van")} | changes))


def collecting(**changes: Any) -> Config:
    """Instant loaves that lie on the shelf until somebody takes them."""
    return instant(**({"on_collection": True, "collections": named("pickup")} | changes))


# -- answers ----------------------------------------------------------------------------------------------------------


def test_never_full_that_is_full_breaks_its_promise_without_a_report() -> None:
    """A refused row in delivery-attempts is all: the run stays finished, and nothing ever tries again."""
    play = Play(instant(redeliveries=named("van")), room=(("shelf", 0),))
    assert play.request("A")[-1] == "A job-finished"
    assert play.brief("delivery-attempts", "attempt", "outcome") == [("A", "delivery", "refused")]
    assert play.refuse(e.Redeliver("van")) == "no output is ever held under this answer"
    assert play.states() == {"A": "finished"}


def test_held_output_is_owned_inaccessible_and_waits_for_its_event() -> None:
    """A refusal reports destination-refused; room and time change nothing; every retry is one attempt."""
    play = Play(holding(), room=(("shelf", 0),))
    assert play.request("A")[-1] == "A destination-refused"
    refusal = play.report("destination-refused")
    assert (refusal["old"], refusal["new"], refusal["causes"]) == ("finished", "finished", ["no-room"])
    assert refusal["destination"] == "shelf"
    assert play.brief("output-location", "location", "accessible", "change") == [("A", None, False, "held")]
    assert play.do(e.Redeliver("van")) == ["A destination-refused"]
    assert play.log("output-location") == []
    play.do(e.Room("shelf", 1))
    assert play.tick() == []
    assert play.do(e.Redeliver("van")) == ["A job-delivered"]
    assert play.log("output-identity")[0].data["output"] == "A-output"
    assert play.do(e.Redeliver("van")) == []


def test_redelivery_attempts_in_finish_order_before_any_offer() -> None:
    """All held outputs try, and only then are the freed slots offered."""
    rules = holding(pools=(pool(working=2, releases_at="delivered"),))
    play = Play(rules, room=(("shelf", 0),))
    for name in "ABC":
        play.request(name)
    play.do(e.Room("shelf", 2))
    assert play.do(e.Redeliver("van")) == [
        "A job-delivered",
        "B job-delivered",
        "C job-started",
        "C job-finished",
        "C destination-refused",
    ]


def test_route_reports_each_refusal_and_ends_at_the_first_acceptance() -> None:
    """Normal first, then the fallbacks in written order; nothing after the one that accepts is tried."""
    play = Play(routed("cellar", "street"), room=(("shelf", 0), ("cellar", 0)))
    assert play.request("A")[3:] == ["A destination-refused", "A destination-refused", "A job-delivered"]
    assert play.brief("delivery-attempts", "destination", "position", "outcome", "free") == [
        ("A", "shelf", 0, "refused", 0),
        ("A", "cellar", 1, "refused", 0),
        ("A", "street", 2, "accepted", None),
    ]
    assert [row.data["destination"] for row in play.log("report-log")][3:] == ["shelf", "cellar", "street"]
    play.do(e.Room("cellar", 1))
    play.request("B")
    assert play.report("job-delivered")["destination"] == "cellar"
    assert play.free("cellar") == 0


def test_route_that_refuses_everywhere_holds_and_starts_again_from_the_normal_destination() -> None:
    """If all refuse the output stays finished; a redelivery begins at the beginning of the route."""
    play = Play(routed("cellar"), room=(("shelf", 0), ("cellar", 0)))
    play.request("A")
    assert play.states() == {"A": "finished"}
    play.do(e.Room("cellar", 1))
    assert play.do(e.Redeliver("van")) == ["A destination-refused", "A job-delivered"]
    assert [row.data["position"] for row in play.log("delivery-attempts")] == [0, 1]


def test_output_is_never_split() -> None:
    """An output of two finds no room where one is free, wherever the route leads."""
    play = Play(routed("cellar", jobs=(job(size=2),)))
    assert play.request("A")[3:] == ["A destination-refused", "A destination-refused"]
    assert (play.free("shelf"), play.free("cellar")) == (1, 1)


def test_fallbacks_count_only_under_their_answer() -> None:
    """Fallback rows under another answer are never tried."""
    play = Play(holding(fallbacks=("street",), destinations=SHELVES), room=(("shelf", 0),))
    play.request("A")
    assert len(play.log("delivery-attempts")) == 1


# -- collection -------------------------------------------------------------------------------------------------------


def test_accepted_output_waits_accessible_for_its_collection() -> None:
    """No report at the acceptance; the event delivers it and gives its room back."""
    play = Play(collecting(), room=(("shelf", 2),))
    assert play.request("A")[-1] == "A job-finished"
    assert play.brief("output-location", "location", "accessible", "change") == [("A", "shelf", True, "accepted")]
    assert (play.states(), play.free()) == ({"A": "finished"}, 1)
    assert play.tick() == []
    assert play.do(e.Collect("pickup")) == ["A job-delivered"]
    assert play.report("job-delivered")["causes"] == ["pickup"]
    assert play.free() == 2
    assert [row.data["change"] for row in play.log("output-location")] == ["collected"]


def test_collection_takes_the_named_output_or_the_one_accepted_first() -> None:
    """A run may be named; without a name the order of acceptance decides."""
    play = Play(collecting())
    play.request("A")
    play.request("B")
    assert play.do(e.Collect("pickup", "B")) == ["B job-delivered"]
    assert play.do(e.Collect("pickup")) == ["A job-delivered"]
    assert play.refuse(e.Collect("pickup")) == "no accepted output is there"
    assert play.refuse(e.Collect("pickup", "A")) == "the run has ended"
    assert play.refuse(e.Collect("pickup", "Z")) == "there is no run Z"
    assert play.refuse(e.Collect("raid", "A")) == "there is no row raid"


def test_held_output_cannot_be_collected() -> None:
    """Only what a destination accepted lies there to be taken; a redelivery may still be collected later."""
    play = Play(holding(on_collection=True, collections=named("pickup")), room=(("shelf", 0),))
    play.request("A")
    assert play.refuse(e.Collect("pickup", "A")) == "the run A has no accepted output"
    play.do(e.Room("shelf", 1))
    assert play.do(e.Redeliver("van")) == []
    assert play.run("A").output == "accepted"
    assert play.do(e.Collect("pickup")) == ["A job-delivered"]


# -- room -------------------------------------------------------------------------------------------------------------


def test_automatic_delivery_keeps_its_room_until_a_room_event() -> None:
    """Nobody says when a delivered loaf leaves the shelf but the room event."""
    play = Play(instant())
    play.request("A")
    assert play.free() == 1
    play.do(e.Room("shelf", 2))


def test_uncollected_output_occupies_its_room() -> None:
    """Free room cannot be set beyond the capacity less what lies there."""
    play = Play(collecting())
    play.request("A")
    assert play.refuse(e.Room("shelf", 2)) == "shelf holds 2, of which 1 are occupied or reserved"
    play.do(e.Room("shelf", 0))
    play.do(e.Collect("pickup"))
    assert play.free() == 1


def test_collected_output_in_reserved_room_gives_it_back_once() -> None:
    """The accepted output lies in the reserved room; the reservation ends at the collection, and so does the room."""
    rules = collecting(output_full="wait-before-start", readmissions=named("cleared"))
    play = Play(rules)
    play.request("A")
    assert (play.free(), play.run("A").reserved) == (1, True)
    assert play.refuse(e.Room("shelf", 2)) == "shelf holds 2, of which 1 are occupied or reserved"
    play.do(e.Collect("pickup"))
    assert (play.free(), play.run("A").reserved) == (2, False)


@pytest.mark.parametrize("output_full", ["wait-before-start", "hold-undelivered"])
def test_destroyed_output_gives_its_room_back(output_full: str) -> None:
    """A ruined run's accepted output is destroyed, in reserved room or not."""
    fire = failure("fire", "finished", ruined=True)
    play = Play(collecting(output_full=output_full, failures=(fire,)))
    play.request("A")
    assert play.do(e.Fail("A", "fire")) == ["A job-failed"]
    assert play.free() == 2
    assert play.brief("output-location", "location", "change") == [("A", None, "destroyed")]


# -- polled rows ------------------------------------------------------------------------------------------------------


def test_polled_row_fires_after_every_tick_as_a_batch_of_its_own() -> None:
    """The tick's batch comes first, with its offers; each polled row that does something opens the next."""
    rules = config(output_full="hold-undelivered", redeliveries=named("van", polled=True), pools=(pool(working=1),))
    play = Play(rules, room=(("shelf", 0),))
    play.request("A")
    play.request("B")
    told = play.tick(4)
    assert told == [
        "A job-finished",
        "A destination-refused",
        "B job-started",
        "B job-working",
        "A destination-refused",
    ]
    assert [row.batch for row in play.log("report-log")] == [1, 1, 1, 1, 2]
    play.do(e.Room("shelf", 1))
    assert play.tick() == ["A job-delivered"]
    assert {row.batch for row in play.log("report-log")} == {2}


def test_polled_row_without_anything_to_do_makes_no_batch() -> None:
    """Where nothing is held, blocked or accepted, a poll leaves no row."""
    rules = instant(redeliveries=named("van", polled=True), output_full="hold-undelivered")
    play = Play(rules)
    assert play.tick() == []
    assert play.rows == ()


def test_polled_row_cannot_be_sent() -> None:
    """It fires by itself; sending it is refused."""
    rules = instant(
        readmissions=named("cleared", polled=True),
        redeliveries=named("van", polled=True),
        collections=named("pickup", polled=True),
    )
    play = Play(rules)
    for event in (e.Readmit("cleared"), e.Redeliver("van"), e.Collect("pickup")):
        assert play.refuse(event) == f"{event.row} is polled: it fires by itself in every tick"


def test_polled_readmission_and_collection_fire_in_ticks() -> None:
    """A blocked request is readmitted, and one accepted output is collected, in each tick."""
    rules = collecting(
        collections=named("pickup", polled=True),
        output_full="wait-before-start",
        readmissions=named("cleared", polled=True),
    )
    play = Play(rules, room=(("shelf", 1),))
    play.request("A")
    play.request("B")
    assert play.states() == {"A": "finished", "B": "requested"}
    assert play.tick() == ["A job-delivered"]
    assert play.tick() == ["B job-started", "B job-finished", "B job-delivered"]
    assert [row.batch for row in play.log("report-log")] == [1, 1, 2]
