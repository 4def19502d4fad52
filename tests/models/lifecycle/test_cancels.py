"""Step 17: cancellation, what returns of the claim, and dependents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config
from tests.models.lifecycle._configs import (
    by_field,
    cancel_return,
    config,
    failure,
    instant,
    job,
    links,
    named,
    pool,
)
from tests.models.lifecycle._play import Play, units

CHAIN = links(("bake", ("dough",)), ("sandwich", ("bake",)))
JOBS = (job(needs=()), job("dough", needs=()), job("sandwich", needs=()), job("tea", needs=()))


def chained(end: bool = True, **changes: Any) -> Config:
    """Dough before a loaf, a loaf before a sandwich; tea needs nothing."""
    rules: dict[str, Any] = {
        "jobs": JOBS,
        "dependents": CHAIN,
        "end_dependents": end,
        "cancellations": ("called-off", "x"),
    }
    return config(**(rules | {"pools": (pool(working=3, waiting=None),)} | changes))


# -- one run ----------------------------------------------------------------------------------------------------------


def test_cancel_takes_a_snapshot_then_slots_claims_work_state_report() -> None:
    """The order inside the settle of a cancellation."""
    play = Play(config(output_full="wait-before-start", partial_work="reset-at-stop"))
    play.request("A")
    play.tick(2)
    assert play.do(e.Cancel("A", "called-off")) == ["A job-canceled"]
    assert [row.log for row in play.rows if row.settle is not None] == [
        "claim-snapshot",
        "count-trace",
        "reservation-ledger",
        "claim-ledger",
        "claim-ledger",
        "work-before-after",
        "state-trace",
        "report-log",
    ]
    assert play.log("claim-snapshot")[0].data == {
        "cancellation": "called-off",
        "claim": units(("flour", 3), ("water", 1)),
        "work": "2",
    }
    report = play.report("job-canceled")
    assert (report["causes"], report["work-before"], report["work-after"]) == (["called-off"], "2", "0")
    assert play.free() == 2


@pytest.mark.parametrize("answer", ["keep-with-job", "reverse-while-stopped"])
def test_cancel_keeps_the_work_under_other_answers(answer: str) -> None:
    """Only `reset-at-stop` sets terminal work to none."""
    play = Play(config(partial_work=answer))
    play.request("A")
    play.tick()
    play.do(e.Cancel("A", "called-off"))
    assert play.run("A").work == 1
    assert play.brief("work-before-after", "before", "after", "why") == [("A", "1", "1", "cancel")]


@pytest.mark.parametrize(
    ("answer", "rule", "released", "spent"),
    [
        ("return-claimed", None, (("flour", 3), ("water", 1)), ()),
        ("return-nothing", None, (), (("flour", 3), ("water", 1))),
        ("return-by-rule", {"amounts": (("flour", 2),)}, (("flour", 2),), (("flour", 1), ("water", 1))),
        ("return-by-rule", {"amounts": (("flour", 9),)}, (("flour", 3),), (("water", 1),)),
        ("return-by-rule", {"default": (Fraction(1, 2), "down")}, (("flour", 1),), (("flour", 2), ("water", 1))),
        ("return-by-rule", {"default": (Fraction(1, 2), "up")}, (("flour", 2), ("water", 1)), (("flour", 1),)),
        (
            "return-by-rule",
            {"per_item": (("water", Fraction(1), "down"),)},
            (("water", 1),),
            (("flour", 3),),
        ),
        ("return-by-rule", {"cancellations": ("x",)}, (), (("flour", 3), ("water", 1))),
    ],
    ids=str,
)
def test_cancel_return_settles_the_current_claim(
    answer: str,
    rule: dict[str, Any] | None,
    released: tuple[tuple[str, int], ...],
    spent: tuple[tuple[str, int], ...],
) -> None:
    """All returns, nothing returns, or what the rule names out of the current claim; the rest is spent."""
    rules = (cancel_return(**rule),) if rule is not None else ()
    play = Play(config(cancel_return=answer, cancel_returns=rules))
    play.request("A")
    play.do(e.Cancel("A", "called-off"))
    report = play.report("job-canceled")
    assert (report["released"], report["spent"]) == (units(*released), units(*spent))


def test_cancel_never_returns_what_a_loss_took() -> None:
    """The rule works on the current claim, not on the requirement."""
    mice = failure("mice", "working", loses=(("flour", 2),))
    rules = config(
        failures=(mice,), cancel_return="return-by-rule", cancel_returns=(cancel_return(default=(Fraction(1), "up")),)
    )
    play = Play(rules)
    play.request("A")
    play.do(e.Fail("A", "mice"), e.Cancel("A", "called-off"))
    assert play.report("job-canceled")["released"] == units(("flour", 1), ("water", 1))


def test_first_return_rule_that_fits_the_cancellation_counts() -> None:
    """Rules are asked in written order, each with the cancellations that it is for."""
    rules = (
        cancel_return(amounts=(("flour", 1),), cancellations=("x",)),
        cancel_return(amounts=(("flour", 2),)),
    )
    play = Play(config(cancel_return="return-by-rule", cancel_returns=rules, cancellations=("called-off", "x")))
    play.request("A")
    play.request("B")
    play.do(e.Cancel("A", "x"))
    assert play.report("job-canceled")["released"] == units(("flour", 1))
    play.do(e.Cancel("B", "called-off"))
    assert play.report("job-canceled")["released"] == units(("flour", 2))


def test_cancel_is_legal_before_the_finish() -> None:
    """Paused, blocked, waiting, working and stopped runs can be canceled; finished and ended ones cannot."""
    rules = config(
        output_full="wait-before-start",
        readmissions=named("cleared"),
        on_collection=True,
        collections=named("pickup"),
        pools=(pool(working=1),),
        jobs=(job(needs=()),),
    )
    play = Play(rules, room=(("shelf", 2),))
    play.request("P", pause=True)
    play.request("W")
    play.request("Q")
    play.request("B")
    assert play.states() == {"P": "requested", "W": "working", "Q": "waiting", "B": "requested"}
    play.do(e.Instruct("W", "power-cut"))
    play.do(*(e.Cancel(name, "called-off") for name in "PBW"))
    play.tick(4)
    assert play.refuse(e.Cancel("Q", "called-off")) == "a finished run cannot be canceled"
    assert play.refuse(e.Cancel("W", "called-off")) == "the run has ended"
    assert play.refuse(e.Cancel("Q", "sold-out")) == "there is no cancellation sold-out"
    assert play.refuse(e.Cancel("Z", "called-off")) == "there is no run Z"


def test_canceled_blocked_request_leaves_nothing_to_readmit() -> None:
    """A canceled request is not tried again."""
    play = Play(config(output_full="wait-before-start", readmissions=named("cleared")), room=(("shelf", 0),))
    play.request("A")
    play.do(e.Cancel("A", "called-off"), e.Room("shelf", 2))
    assert play.do(e.Readmit("cleared")) == []


def test_cancel_offers_what_it_freed() -> None:
    """Its slot and its units go to who waits, after its own settle."""
    play = Play(config(pools=(pool(working=1),)), stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    play.request("A", pause=True)
    play.request("B", pause=True)
    play.do(e.Admit("A"), e.Admit("B"))
    assert play.run("B").reasons == ("no-free-slot", "inputs-unavailable")
    assert play.do(e.Cancel("A", "called-off")) == ["A job-canceled", "B job-started", "B job-working"]


# -- dependents -------------------------------------------------------------------------------------------------------


def wait_for_dough(play: Play) -> None:
    """D makes dough, B waits for it, S waits for B, T works."""
    play.request("D", "dough")
    play.request("B")
    play.request("S", "sandwich")
    play.request("T", "tea")
    assert play.states() == {"D": "working", "B": "waiting", "S": "waiting", "T": "working"}


def test_end_dependents_cancels_transitively_before_any_offer() -> None:
    """Each dependent is a settle of its own, with its own claim settlement, before offers."""
    play = Play(chained())
    wait_for_dough(play)
    assert play.do(e.Cancel("D", "called-off")) == ["D job-canceled", "B job-canceled", "S job-canceled"]
    assert [row.data["causes"] for row in play.log("report-log")] == [
        ["called-off"],
        ["dependency-ended"],
        ["dependency-ended"],
    ]
    assert [row.settle for row in play.log("report-log")] == [1, 2, 3]
    assert play.brief("dependency-trace", "need", "bound", "change") == [
        ("B", "dough", "D", "ended"),
        ("S", "bake", "B", "ended"),
    ]
    assert [row.data["cancellation"] for row in play.log("claim-snapshot")] == ["called-off"] * 3


def test_dependents_are_canceled_in_waiting_order() -> None:
    """All are found first, transitively; the pool's order then says who goes first."""
    play = Play(chained(pools=(pool(working=3, waiting=None, order=by_field()),)))
    play.request("D", "dough")
    play.request("B", rank=5)
    play.request("S", "sandwich", rank=1)
    assert play.do(e.Cancel("D", "called-off")) == ["D job-canceled", "S job-canceled", "B job-canceled"]


def test_leave_dependents_keeps_them_waiting() -> None:
    """They wait until the need is met again, or until they are canceled themselves."""
    play = Play(chained(end=False))
    wait_for_dough(play)
    assert play.do(e.Cancel("D", "called-off")) == ["D job-canceled"]
    assert play.brief("dependency-trace", "need", "change") == [("B", "dough", "unmet"), ("S", "bake", "unmet")]
    assert play.states()["B"] == "waiting"
    play.request("E", "dough")
    assert "B job-started" in play.tick(4)


def test_only_the_named_cancellation_ends_dependents() -> None:
    """Another cancellation, or a failure, leaves them waiting."""
    play = Play(chained(failures=(failure("fire", "working", ruined=True),)))
    wait_for_dough(play)
    assert play.do(e.Cancel("D", "x")) == ["D job-canceled"]
    play.request("E", "dough")
    assert play.do(e.Fail("E", "fire")) == ["E job-failed"]
    assert (play.states()["B"], play.states()["S"]) == ("waiting", "waiting")


def test_dependents_need_no_canceled_run_that_another_can_replace() -> None:
    """While a later run of the needed job is open the need can be met."""
    play = Play(chained(jobs=(job(needs=()), *JOBS[1:])))
    play.request("D", "dough")
    play.request("B")
    play.request("E", "dough")
    assert play.do(e.Cancel("D", "called-off")) == ["D job-canceled"]
    assert play.do(e.Cancel("E", "called-off")) == ["E job-canceled", "B job-canceled"]


def test_only_waiting_dependents_end() -> None:
    """A dependent that is paused, stopped at its start gate or working already is left alone."""
    play = Play(chained(failures=(failure("mice", "waiting"),)))
    play.request("D", "dough")
    play.request("P", pause=True)
    play.request("B")
    play.do(e.Fail("B", "mice"), e.Clear("B", "failure-recovery"))
    assert play.do(e.Cancel("D", "called-off")) == ["D job-canceled"]
    assert play.states() == {"D": "canceled", "P": "requested", "B": "stopped"}


def test_finished_needs_stay_met() -> None:
    """What was finished before is not undone, and its dependents go on."""
    play = Play(chained())
    play.request("D", "dough")
    play.request("B")
    play.tick(4)
    assert play.states() == {"D": "delivered", "B": "working"}
    play.request("E", "dough")
    assert play.do(e.Cancel("E", "called-off")) == ["E job-canceled"]
    assert play.states()["B"] == "working"


def test_links_of_another_row_end_nobody() -> None:
    """Only the row of this cancellation says whose chain counts."""
    rows = (*links(("bake", ("dough",)), cancellation="x"), *links(("sandwich", ("bake",))))
    play = Play(chained(dependents=rows))
    wait_for_dough(play)
    assert play.do(e.Cancel("D", "called-off")) == ["D job-canceled"]
    assert play.do(e.Cancel("B", "called-off")) == ["B job-canceled", "S job-canceled"]


def test_need_that_was_ruined_after_its_finish_is_met_no_more() -> None:
    """A run that was finished and then ruined is not finished."""
    rules = chained(
        on_collection=True,
        collections=named("pickup"),
        failures=(failure("fire", "finished", ruined=True),),
        pools=(pool(working=1, waiting=None),),
        phases=(),
        partial_work=None,
        interruptions=(),
    )
    play = Play(rules)
    play.request("D", "dough")
    assert play.states() == {"D": "finished"}
    play.request("B", pause=True)
    play.do(e.Fail("D", "fire"))
    play.do(e.Admit("B"))
    assert play.run("B").reasons == ("dependency-unmet",)


def test_instant_dependents_start_when_their_need_finishes() -> None:
    """The finish of what is needed brings the offer in the same batch."""
    play = Play(instant(jobs=JOBS, dependents=CHAIN, pools=()), room=(("shelf", 2),))
    play.request("D", "dough", pause=True)
    play.request("B")
    assert play.report("job-waiting")["causes"] == ["dependency-unmet"]
    assert play.do(e.Admit("D"))[-3:] == ["B job-started", "B job-finished", "B job-delivered"]
