"""Scans of standing orders: what starts one, what it looks at, and where it ends (step 19)."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Covers, Destination, Need, Phase
from tests.models.lifecycle._configs import config, instant, job, links, named, pool, standing
from tests.models.lifecycle._play import Play

FREE = (job(needs=()),)


def daily(**changes: object) -> Config:
    """The bakery with a standing order that is eligible while its condition `wanted` holds."""
    return config(**({"standing_orders": (standing(),)} | changes))


def wanted(play: Play, value: bool = True, place: str | None = None) -> list[str]:
    """Set the condition of the standing order."""
    return play.do(e.Eligible("daily", value, place))


def scans(play: Play) -> list[tuple[object, ...]]:
    """Run, reason and outcome of each scan row of the last event."""
    return play.brief("standing-order-scan-log", "row", "why", "outcome")


# -- what starts a scan -----------------------------------------------------------------------------------------------


def test_opening_a_pool_scans_it() -> None:
    """An order that is eligible when its pool opens requests at once."""
    play = Play(daily(), eligible=(("daily", None, True),), closed=True)
    play.do(e.OpenPool("ovens"))
    assert scans(play) == [
        ("S1", "daily", "pool-opened", "took-slot"),
        ("S2", "daily", "pool-opened", "took-slot"),
        (None, "daily", "pool-opened", "no-slot"),
    ]


def test_eligibility_that_turns_true_starts_a_scan() -> None:
    """An order that becomes eligible requests while slots are free; one that stays eligible does not again."""
    play = Play(daily())
    assert play.states() == {}
    wanted(play)
    assert play.states() == {"S1": "working", "S2": "working"}
    wanted(play)
    assert scans(play) == []
    wanted(play, False)
    assert scans(play) == []


def test_slot_that_stays_free_after_the_offers_starts_a_scan() -> None:
    """A freed slot goes to waiting runs first; what they leave free is scanned for."""
    play = Play(daily(pools=(pool(working=1),)))
    play.request("A")
    play.request("B")
    wanted(play)
    assert play.do(e.Cancel("A", "called-off")) == ["A job-canceled", "B job-started", "B job-working"]
    assert scans(play) == []
    play.do(e.Cancel("B", "called-off"))
    assert scans(play)[0] == ("S1", "daily", "slot-free", "took-slot")


def test_offers_that_leave_a_slot_free_start_a_scan_though_none_was_freed() -> None:
    """Offers also run when units arrive; a slot that stays free after them is scanned for."""
    play = Play(daily(), stock=())
    wanted(play)
    assert scans(play) == [("S1", "daily", "eligible", "refused")]
    assert scans_after_tick(play) == []
    play.do(e.Supply("flour", 3, "larder"))
    assert scans(play) == [("S2", "daily", "slot-free", "refused")]
    play.do(e.Supply("water", 1, "tap"))
    assert scans(play)[0] == ("S3", "daily", "slot-free", "took-slot")


def scans_after_tick(play: Play) -> list[tuple[object, ...]]:
    """The scans of a tick."""
    play.tick()
    return scans(play)


def test_admission_into_waiting_that_leaves_a_slot_free_starts_a_scan() -> None:
    """An offer follows an admission into waiting; where it leaves the slot free a scan follows the offer."""
    play = Play(daily(jobs=(job(), job("bun", needs=(Need("egg", 1, "coop"),)))), stock=(("egg", 1, "coop"),))
    wanted(play)
    play.request("A", "bun", pause=True)
    play.do(e.Use("egg", 1, "coop"))
    play.do(e.Admit("A"))
    assert play.report("job-waiting", "A")["causes"] == ["inputs-unavailable"]
    assert scans(play) == [("S2", "daily", "slot-free", "refused")]


def test_refusal_of_a_request_starts_a_scan() -> None:
    """A request that somebody made and that is refused has its pool scanned."""
    play = Play(daily(jobs=(job(needs=()), job("cake"))), stock=())
    play.request("A", "cake")
    assert scans(play) == [(None, "daily", "refusal", "not-eligible")]


def test_refusal_of_a_request_that_a_scan_made_starts_no_scan() -> None:
    """A blocked request of a standing order that is refused when it is admitted at last scans nothing."""
    rules = {"output_full": "wait-before-start", "timing": "taken-at-request", "readmissions": named("shelf-cleared")}
    play = Play(daily(**rules), stock=(("flour", 3, "larder"), ("water", 1, "tap")), room=(("shelf", 0),))
    wanted(play)
    assert scans(play) == [("S1", "daily", "eligible", "blocked")]
    play.do(e.Use("flour", 3, "larder"), e.Eligible("daily", False), e.Room("shelf", 1))
    assert play.do(e.Readmit("shelf-cleared")) == ["S1 job-rejected"]
    assert [row for row in scans(play) if row[2] == "refusal"] == []


# -- one scan ---------------------------------------------------------------------------------------------------------


def test_rows_are_scanned_in_written_order_while_a_slot_is_free() -> None:
    """The first row requests until it is out or no slot is free, then the next is looked at."""
    orders = (standing(name="first"), standing(name="second", no_open_run=True, bakes="bun"))
    play = Play(config(jobs=(job(), job("bun", needs=())), standing_orders=orders), closed=True)
    play.do(e.OpenPool("ovens"))
    assert scans(play) == [
        (None, "first", "pool-opened", "not-eligible"),
        ("S1", "second", "pool-opened", "took-slot"),
        (None, "second", "pool-opened", "not-eligible"),
    ]


def test_row_whose_request_took_no_slot_is_out_for_the_scan() -> None:
    """A refused request ends the turn of its row, and the next row goes on with the free slots."""
    orders = (standing(name="first", no_open_run=True), standing(name="second", no_open_run=True, bakes="bun"))
    play = Play(config(jobs=(job(), job("bun", needs=())), standing_orders=orders), stock=(), closed=True)
    play.do(e.OpenPool("ovens"))
    assert scans(play)[:2] == [
        ("S1", "first", "pool-opened", "refused"),
        ("S2", "second", "pool-opened", "took-slot"),
    ]


def test_one_scan_takes_no_more_slots_than_were_free_when_it_began() -> None:
    """Instant jobs free their slots at once; the scan ends all the same, and starts no further one."""
    play = Play(instant(jobs=FREE, standing_orders=(standing(),)), room=(("shelf", 2),))
    wanted(play)
    assert scans(play) == [
        ("S1", "daily", "eligible", "took-slot"),
        ("S2", "daily", "eligible", "took-slot"),
        (None, "daily", "eligible", "no-slot"),
    ]
    assert play.states() == {"S1": "delivered", "S2": "delivered"}


def test_row_is_never_used_up() -> None:
    """The same row requests again in a later scan."""
    play = Play(daily(jobs=FREE), room=(("shelf", 2),))
    wanted(play)
    play.tick(4)
    assert play.states() == {"S1": "delivered", "S2": "delivered", "S3": "working", "S4": "working"}


def test_request_that_waits_and_is_then_offered_the_slot_took_it() -> None:
    """A request behind an earlier run that cannot start waits first, and starts with the offers that follow."""
    play = Play(daily(jobs=(job(needs=()), job("bun", needs=(Need("egg", 1, "coop"),)))), stock=(("egg", 1, "coop"),))
    play.request("A", "bun", pause=True)
    play.do(e.Use("egg", 1, "coop"), e.Admit("A"))
    wanted(play)
    assert scans(play) == [
        ("S1", "daily", "eligible", "took-slot"),
        ("S2", "daily", "eligible", "took-slot"),
        (None, "daily", "eligible", "no-slot"),
    ]
    assert play.states() == {"A": "waiting", "S1": "working", "S2": "working"}


def test_request_that_is_refused_outright_leaves_no_run_and_no_name() -> None:
    """A standing order whose request cannot even be made (the pool that covers it is closed) makes no run."""
    closed = pool("kilns", covers=Covers(jobs=("bake",)))
    play = Play(daily(pools=(closed, pool())), closed=True)
    play.do(e.OpenPool("ovens"))
    before = play.state
    wanted(play)
    assert scans(play) == [(None, "daily", "eligible", "blocked")]
    assert play.state.made == before.made


def test_scan_visits_places_in_list_order_and_requests_for_the_free_one() -> None:
    """At each place the request is for that place, whatever the pool's rule would assign."""
    place_pool = pool(working=1, places=("north", "south"), assignment="round-robin")
    play = Play(daily(pools=(place_pool,), jobs=(job(needs=(), destination="shelf-{place}"),)))
    wanted(play, place="south")
    assert [(run.id, run.place) for run in play.state.runs] == [("S1", "south")]
    wanted(play, place="north")
    assert [(run.id, run.place) for run in play.state.runs] == [("S1", "south"), ("S2", "north")]


# -- eligibility ------------------------------------------------------------------------------------------------------


def test_below_counts_usable_units_anywhere() -> None:
    """The order is eligible while fewer units than named are usable, over all sources."""
    cake = (Need("flour", 1, "larder"), Need("flour-2", 1, "attic"))
    orders = (standing(below=(("flour", 2),)),)
    play = Play(
        config(jobs=(job(needs=()), job("cake", needs=cake)), standing_orders=orders), stock=(("flour", 2, "larder"),)
    )
    assert play.states() == {}
    play.do(e.Use("flour", 1, "larder"))
    assert play.states() == {"S1": "working", "S2": "working"}


def test_usable_asks_for_units_at_the_jobs_own_source() -> None:
    """The order is eligible while its job's sources hold the units."""
    play = Play(daily(standing_orders=(standing(usable=(("flour", 6),)),)), stock=(("flour", 5, "larder"),))
    play.do(e.Supply("water", 2, "tap"))
    assert play.states() == {}
    play.do(e.Supply("flour", 1, "larder"))
    assert play.states() == {"S1": "working"}


def test_no_open_run_forbids_a_second_run() -> None:
    """With `no-open-run` the order requests again only once its last run has ended."""
    play = Play(daily(standing_orders=(standing(no_open_run=True),)))
    play.do(e.Supply("flour", 1, "larder"))
    assert play.states() == {"S1": "working"}
    play.do(e.Cancel("S1", "called-off"))
    assert play.states() == {"S1": "canceled", "S2": "working"}


def test_eligible_names_a_condition_of_a_standing_order() -> None:
    """Setting a condition that no row has is refused."""
    play = Play(daily(standing_orders=(standing(), standing(name="spare", no_open_run=True))), closed=True)
    assert play.refuse(e.Eligible("weekly", True)) == "there is no standing order weekly"
    assert play.refuse(e.Eligible("spare", True)) == "spare names no condition"
    assert play.refuse(e.Eligible("daily", True, "north")) == "daily has no place north"


def test_units_that_only_a_standing_order_counts_can_be_supplied() -> None:
    """An item that no job takes but an order counts may arrive and be used."""
    play = Play(config(standing_orders=(standing(below=(("loaf", 1),)),), destinations=(Destination("shelf", None),)))
    assert play.states() == {"S1": "working", "S2": "working"}
    play.do(e.Supply("loaf", 1, "counter"))
    assert play.do(e.Cancel("S1", "called-off")) == ["S1 job-canceled"]
    play.do(e.Use("loaf", 1, "counter"))
    assert play.states() == {"S1": "canceled", "S2": "working", "S3": "working"}


# -- what an offer that is due brings, and what an order's requests look like -----------------------------------------


def test_need_that_is_met_lets_the_pool_scan_what_its_waiting_run_leaves_free() -> None:
    """A reason that goes away makes an offer due: the run starts, and the slot beside it is scanned for."""
    rules = daily(
        jobs=(job(needs=()), job("dough", needs=())),
        dependents=links(("bake", ("dough",))),
        pools=(pool("mixers", 1, covers=Covers(jobs=("dough",))), pool(working=2)),
        phases=(Phase("kneading", 1, 1),),
    )
    play = Play(rules)
    play.request("D", "dough")
    assert play.request("B") == ["B job-requested", "B job-waiting"]
    assert play.tick() == ["D job-finished", "D job-delivered", "B job-started", "B job-working"]
    assert scans(play) == [(None, "daily", "slot-free", "not-eligible")]


def test_cause_that_clears_is_a_reason_to_scan() -> None:
    """A cleared cause makes an offer due, also where another cause keeps the run stopped."""
    play = Play(daily())
    play.request("A")
    play.do(e.Instruct("A", "power-cut"), e.Instruct("A", "alarm"))
    assert scans(play) == []
    play.do(e.Clear("A", "power-cut"))
    assert scans(play) == [(None, "daily", "slot-free", "not-eligible")]


def test_units_of_other_items_do_not_count_against_an_order() -> None:
    """`below` looks at its own item, over all sources, and at no other."""
    rules = config(standing_orders=(standing(below=(("flour", 3),)),), pools=(pool(working=0),))
    for flour, due in ((2, True), (3, False)):
        play = Play(rules, stock=(("flour", flour, "larder"), ("water", 9, "tap")))
        assert play.model.turn(play.model.tables, play.model.slots, play.state).eligibilities() == {
            ("daily", None): due
        }


@pytest.mark.parametrize(
    ("covers", "fields"),
    [
        (Covers(everything=True, fields=(("rank", 2),)), ()),
        (Covers(jobs=("bake",), fields=(("rank", 2),)), ()),
        (Covers(jobs=("dough",), fields=(("rank", 2),)), (("rank", 2),)),
        (Covers(fields=(("rank", 2),)), (("rank", 2),)),
    ],
)
def test_order_asks_with_the_fields_that_its_pool_covers_by(
    covers: Covers, fields: tuple[tuple[str, int], ...]
) -> None:
    """A pool that takes the job whatever its fields asks for none; else the request has those of the coverage."""
    rules = daily(jobs=FREE, pools=(pool(working=1, covers=covers),))
    play = Play(rules)
    wanted(play)
    assert play.run("S1").fields == fields


def test_order_takes_the_next_name_that_nobody_has() -> None:
    """A requester may have used a name that an order's run would get."""
    play = Play(daily(pools=(pool(working=3),)))
    play.request("S1")
    play.request("S2")
    wanted(play)
    assert [run.id for run in play.state.runs] == ["S1", "S2", "S3"]


def test_reason_that_joins_is_no_reason_to_scan() -> None:
    """A waiting run that lacks one thing more makes no offer due."""
    rules = daily(
        jobs=(job(), job("dough", needs=())),
        dependents=links(("bake", ("dough",))),
        pools=(pool("mixers", 1, covers=Covers(jobs=("dough",))), pool(working=2)),
    )
    play = Play(rules)
    play.request("D", "dough")
    play.request("B")
    play.do(e.Use("flour", 12, "larder"))
    assert play.run("B").reasons == ("inputs-unavailable", "dependency-unmet")
    assert scans(play) == []


def test_usable_asks_for_its_own_item_where_the_job_takes_several() -> None:
    """An item that the job takes first says nothing about one that it takes later."""
    rules = config(
        jobs=(job(needs=(Need("water", 1, "tap"), Need("flour", 1, "larder"))),),
        standing_orders=(standing(usable=(("flour", 5),)),),
        pools=(pool(working=1),),
    )
    assert Play(rules, stock=(("flour", 4, "larder"), ("water", 9, "tap"))).states() == {}
    assert Play(rules, stock=(("flour", 5, "larder"), ("water", 1, "tap"))).states() == {"S1": "working"}
