"""Steps 7 to 9: the start gate, the start boundary, and work; and the bakery's whole life in rows."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Destination, Need, Phase
from tests.models.lifecycle._configs import config, instant, job, pool, progress, rounding
from tests.models.lifecycle._play import Play, units


def test_start_claims_then_counts_then_reports() -> None:
    """Step 7 and step 8 are one settle: claim, waiting slot, working slot, state, report."""
    play = Play(config(pools=(pool(working=1),)))
    play.request("A")
    play.request("B")
    play.do(e.Cancel("A", "called-off"))
    started = next(row.settle for row in play.log("report-log", "B", report="job-started"))
    rows = [row for row in play.rows if row.settle == started]
    assert [(row.log, row.data.get("slot"), row.data.get("change")) for row in rows] == [
        ("pool-offer-log", None, None),
        ("claim-ledger", None, "claim"),
        ("claim-ledger", None, "claim"),
        ("count-trace", "waiting", "free"),
        ("count-trace", "working", "take"),
        ("waiting-order-record", None, "leave"),
        ("state-trace", None, None),
        ("report-log", None, None),
    ]


def test_unavailable_claim_at_the_start_keeps_the_run_waiting() -> None:
    """A run whose claim is gone stays where it is, with the reason, and starts when units arrive."""
    play = Play(config(pools=(pool(working=1),)), stock=(("flour", 6, "larder"), ("water", 2, "tap")))
    play.request("A")
    play.request("B")
    play.do(e.Use("flour", 3, "larder"), e.Instruct("A", "power-cut"))
    assert play.states() == {"A": "stopped", "B": "waiting"}
    assert play.run("B").reasons == ("inputs-unavailable",)
    assert play.do(e.Supply("flour", 3, "larder")) == ["B job-started", "B job-working"]


def test_no_run_stays_in_started() -> None:
    """The start boundary is crossed within the batch: into work, or to the finish gate."""
    play = Play(config())
    play.request("A")
    assert play.brief("state-trace", "from", "to") == [("A", "requested", "started"), ("A", "started", "working")]
    play = Play(instant())
    play.request("A")
    assert play.brief("state-trace", "from", "to") == [
        ("A", "requested", "started"),
        ("A", "started", "finished"),
        ("A", "finished", "delivered"),
    ]


def test_instant_start_and_finish_are_one_batch() -> None:
    """Without a work phase everything up to the delivery is one ordered batch, and no work is recorded."""
    play = Play(instant())
    play.request("A")
    assert [row.batch for row in play.log("report-log")] == [None, 1, 1, 1]
    assert play.log("work-before-after") == []


# -- step 9 -----------------------------------------------------------------------------------------------------------


def test_work_keeps_full_precision() -> None:
    """A tick of a third is a third, and the last tick ends at the required work."""
    play = Play(config(phases=(Phase("baking", 1, Fraction(3, 7)),)))
    play.request("A")
    play.tick()
    assert play.log("work-before-after")[0].data["after"] == "3/7"
    assert play.tick() == []
    assert play.tick() == ["A job-finished", "A job-delivered"]
    assert play.log("work-before-after")[0].data == {
        "before": "6/7",
        "after": "1",
        "required": "1",
        "why": "advance",
    }


def test_tick_advances_in_admission_order_before_any_offer() -> None:
    """Every advance settles before the first offer; a run that starts in a tick works from the next one on."""
    play = Play(config(), stock=(("flour", 12, "larder"), ("water", 4, "tap")))
    for name in "ABCD":
        play.request(name)
    play.tick(3)
    assert play.tick() == [
        "A job-finished",
        "A job-delivered",
        "B job-finished",
        "B job-delivered",
        "C job-started",
        "C job-working",
        "D job-started",
        "D job-working",
    ]
    assert [play.run(name).work for name in "CD"] == [0, 0]


@pytest.mark.parametrize(
    ("mode", "held"), [("up", [1, 1, 2, 2, 3]), ("nearest", [1, 1, 1, 2, 2]), ("down", [0, 0, 1, 1, 2])]
)
def test_progress_claims_the_share_of_the_point_to_be_recorded(mode: str, held: list[int]) -> None:
    """Three units over five ticks: from the start on, the share of each point is there before it is recorded."""
    three = job(needs=(Need("flour", 3, "larder"),))
    play = Play(progress(jobs=(three,), phases=(Phase("baking", 5, 1),), roundings=(rounding(mode),)))
    play.request("A")
    found = [play.run("A").held[0]]
    for _ in range(4):
        play.tick()
        found.append(play.run("A").held[0])
    assert found == held
    play.tick()
    assert play.log("claim-ledger", change="spend")[0].data["amount"] == 3


def test_progress_claim_stands_in_the_ledger_only() -> None:
    """A tick's claim has no report, and no later report repeats it; the claim comes before the work."""
    play = Play(progress())
    play.request("A")
    assert play.tick() == []
    assert play.tick() == []
    assert [row.log for row in play.rows] == ["claim-ledger", "work-before-after"]
    play.do(e.Instruct("A", "power-cut"))
    assert play.report("job-stopped")["claimed"] == []


def test_point_current_claims_the_share_of_the_point_before() -> None:
    """Under `point: current` a tick claims for the work that is recorded already; the last one claims the whole."""
    play = Play(progress(roundings=(rounding(point="current"),)))
    play.request("A")
    found = []
    for _ in range(3):
        play.tick()
        found.append(play.run("A").held[0])
    assert found == [1, 1, 2]
    play.tick()
    assert [row.data["amount"] for row in play.log("claim-ledger", change="claim")] == [2]


def test_share_that_is_not_there_stops_the_run() -> None:
    """Unable to advance is an ordinary stop: the work stays where it was, and the slot is free."""
    play = Play(progress(), stock=(("flour", 2, "larder"),))
    play.request("A")
    play.tick(2)
    assert play.tick() == ["A job-stopped"]
    stop = play.report("job-stopped")
    assert (stop["causes"], stop["work-after"]) == (["unable-to-advance"], "2")
    assert play.run("A").working_slot is None
    assert play.tick() == []
    assert play.do(e.Supply("flour", 1, "larder")) == ["A job-resumed"]
    assert play.run("A").work == 2


def test_units_that_one_run_releases_in_a_tick_are_offered_after_it() -> None:
    """A run that stops in a tick is left alone until every advance has settled, then its condition is tested."""
    bun = job("bun", needs=(Need("flour", 4, "larder"), Need("egg", 4, "coop")))
    rules = progress(release_stopped_claims=True, jobs=(job(needs=(Need("flour", 4, "larder"),)), bun))
    play = Play(rules, stock=(("flour", 4, "larder"), ("egg", 2, "coop")))
    play.request("A")
    play.request("B", "bun")
    play.tick(2)
    assert play.tick() == ["A job-stopped", "B job-stopped", "A job-resumed"]


# -- the bakery in rows -----------------------------------------------------------------------------------------------


def test_one_run_in_rows() -> None:
    """The bakery's example: one loaf from its request to the shelf, every row of the four fixed logs in order."""
    bakery = config(output_full="wait-until-space", destinations=(Destination("shelf", 2),))
    play = Play(bakery, stock=(("flour", 3, "larder"), ("water", 1, "tap")), room=(("shelf", 2),))
    play.request("A")
    play.tick(4)
    fixed = [row for row in play.history if row.log in ("report-log", "claim-ledger", "count-trace", "state-trace")]
    assert [(row.log, row.data.get("report") or row.data.get("change") or row.data["to"]) for row in fixed] == [
        ("report-log", "job-requested"),
        ("claim-ledger", "claim"),
        ("claim-ledger", "claim"),
        ("count-trace", "take"),
        ("state-trace", "started"),
        ("report-log", "job-started"),
        ("state-trace", "working"),
        ("report-log", "job-working"),
        ("claim-ledger", "spend"),
        ("claim-ledger", "spend"),
        ("state-trace", "finished"),
        ("report-log", "job-finished"),
        ("count-trace", "free"),
        ("state-trace", "delivered"),
        ("report-log", "job-delivered"),
    ]
    requested, started, working, finished, delivered = [row.data for row in fixed if row.log == "report-log"]
    assert (requested["causes"], requested["pool"], requested["destination"]) == (["requester"], "ovens", None)
    assert (started["causes"], started["claimed"]) == (["slot-offered"], units(("flour", 3), ("water", 1)))
    assert (working["causes"], working["work-before"], working["work-after"]) == (["baking"], "0", "0")
    assert (finished["spent"], finished["work-before"], finished["work-after"]) == (
        units(("flour", 3), ("water", 1)),
        "4",
        "4",
    )
    assert (delivered["causes"], delivered["destination"]) == (["accepted"], "shelf")
    assert [row.data["held-after"] for row in fixed if row.log == "claim-ledger"] == [3, 1, 0, 0]
    assert [(row.data["used"], row.data["limit"]) for row in fixed if row.log == "count-trace"] == [(1, 2), (0, 2)]


def test_numbers_of_settles_and_batches_count_within_an_event() -> None:
    """The last tick advances, finishes and delivers: three settles of one batch; the slot is freed in the second."""
    play = Play(config())
    play.request("A")
    play.tick(4)
    seen = {(row.batch, row.settle, row.data["why"]) for row in play.log("work-before-after")}
    assert seen == {(1, 1, "advance")}
    assert [(row.batch, row.settle) for row in play.log("report-log")] == [(1, 2), (1, 3)]
    assert [(row.batch, row.settle) for row in play.log("count-trace")] == [(1, 2)]
