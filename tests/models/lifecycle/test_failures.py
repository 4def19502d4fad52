"""Step 16: what a failure takes, and where it leaves the run."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config, Failure, Need, Phase
from tests.models.lifecycle._configs import config, failure, instant, job, named, pool, progress, rounding
from tests.models.lifecycle._play import Play, units


def working(*rows: Failure, ticks: int = 2, rules: Config | None = None, **options: Any) -> Play:
    """One run that has worked for some ticks, in a world with these failures."""
    play = Play((rules or config())._replace(failures=rows), **options)
    play.request("A")
    play.tick(ticks)
    return play


# -- when it fires ----------------------------------------------------------------------------------------------------


def test_failure_fires_from_its_state_alone() -> None:
    """Elsewhere the trigger is refused; an unknown row or run is too."""
    play = working(failure("mice", "waiting"), failure("fire", "finished", ruined=True))
    assert play.refuse(e.Fail("A", "mice")) == "mice fires only from waiting"
    assert play.refuse(e.Fail("A", "fire")) == "fire fires only from finished"
    assert play.refuse(e.Fail("A", "flood")) == "there is no failure flood"
    assert play.refuse(e.Fail("Z", "mice")) == "there is no run Z"
    play.do(e.Cancel("A", "called-off"))
    assert play.refuse(e.Fail("A", "mice")) == "the run has ended"


@pytest.mark.parametrize(
    ("loses", "fires"),
    [
        ((), True),
        ((("flour", 2),), True),
        ((("flour", 3),), True),
        ((("flour", 4),), False),
        ((("flour", 3), ("water", 1)), False),
        ((("flour", 2), ("water", 1)), True),
        ((("salt", 1),), False),
    ],
    ids=str,
)
def test_recoverable_loss_is_a_strict_subset_of_the_claim(loses: tuple[tuple[str, int], ...], fires: bool) -> None:
    """More than is held, and the whole claim, are refused: something must be left to recover."""
    play = working(failure("mice", "working", loses=loses))
    if fires:
        assert play.do(e.Fail("A", "mice")) == ["A job-failed"]
    else:
        assert play.refuse(e.Fail("A", "mice")) == "a named loss is no strict subset of the current claim"


def test_recoverable_loss_of_everything_is_refused() -> None:
    """`all` is never a strict subset."""
    play = working(failure("mice", "working", loses_all=True))
    play.refuse(e.Fail("A", "mice"))


def test_recoverable_failure_from_finished_is_refused() -> None:
    """From finished a failure can only ruin the job."""
    rules = instant(on_collection=True, collections=named("pickup"))
    play = Play(rules._replace(failures=(failure("mice", "finished"),)))
    play.request("A")
    assert play.refuse(e.Fail("A", "mice")) == "a failure from finished can only ruin the job"


# -- recoverable ------------------------------------------------------------------------------------------------------


def test_recoverable_failure_settles_losses_work_claims_then_slots() -> None:
    """One settle, one report, the cause failure-recovery, and the work point to go back to."""
    play = working(failure("mice", "working", loses=(("flour", 1),), loses_work=1))
    assert play.do(e.Fail("A", "mice")) == ["A job-failed"]
    assert [row.log for row in play.rows if row.settle is not None] == [
        "claim-ledger",
        "work-before-after",
        "count-trace",
        "state-trace",
        "waiting-order-record",
        "stop-causes",
        "resume-point",
        "report-log",
    ]
    report = play.report("job-failed")
    assert (report["causes"], report["old"], report["new"]) == (["mice"], "working", "stopped")
    assert (report["lost"], report["work-before"], report["work-after"]) == (units(("flour", 1)), "2", "1")
    assert play.brief("stop-causes", "cause", "first") == [("A", "failure-recovery", "failure")]
    assert play.run("A").point == "work-point"


def test_recoverable_failure_never_applies_the_work_answer() -> None:
    """It is no ordinary stop: under `reset-at-stop` only the named loss lowers the work, and nothing reverses."""
    play = working(failure("mice", "working"), rules=config(partial_work="reset-at-stop"))
    play.do(e.Fail("A", "mice"))
    assert play.run("A").work == 2


@pytest.mark.parametrize(
    ("loss", "work"),
    [
        ({"loses_work": 1}, 1),
        ({"loses_work": 9}, 0),
        ({"loses_work_share": Fraction(1, 4)}, Fraction(3, 2)),
        ({"loses_work": Fraction(1, 2), "loses_work_share": Fraction(1, 2)}, Fraction(1, 2)),
    ],
    ids=str,
)
def test_loss_of_work_stops_at_none(loss: dict[str, Any], work: Fraction | int) -> None:
    """Units of work, a share of the recorded work, or both; never below none."""
    play = working(failure("mice", "working", **loss))
    play.do(e.Fail("A", "mice"))
    assert play.run("A").work == work


def test_failure_from_waiting_frees_the_waiting_slot_and_leads_to_the_start_gate() -> None:
    """The run stops, and its place in the order is that of its stop."""
    play = Play(config(pools=(pool(working=1),), failures=(failure("mice", "waiting"),)))
    for name in "ABC":
        play.request(name)
    play.do(e.Fail("B", "mice"))
    assert play.brief("count-trace", "slot", "change", "used") == [("B", "waiting", "free", 1)]
    assert play.brief("waiting-order-record", "change", "order") == [("B", "move", ["C", "B"])]
    assert (play.run("B").point, play.run("B").reasons) == ("start-gate", ())


def test_failure_from_stopped_keeps_the_recorded_point_and_joins() -> None:
    """It frees a kept slot, reports job-failed, and does not move the run in the order."""
    rules = config(output_full="wait-until-space", failures=(failure("mice", "stopped"),))
    play = Play(rules, room=(("shelf", 0),))
    play.request("A")
    play.tick(4)
    assert play.do(e.Fail("A", "mice")) == ["A job-failed"]
    report = play.report("job-failed")
    assert (report["old"], report["new"]) == ("stopped", "stopped")
    assert play.log("state-trace") == play.log("waiting-order-record") == []
    assert play.brief("stop-causes", "change", "active", "first") == [
        ("A", "join", ["output-full", "failure-recovery"], "finish-gate")
    ]
    assert (play.run("A").point, play.run("A").working_slot) == ("finish-gate", None)
    assert play.do(e.Fail("A", "mice")) == ["A job-failed"]
    assert play.log("stop-causes") == []


@pytest.mark.parametrize(("release", "released"), [(False, []), (True, units(("flour", 2), ("water", 1)))])
def test_recoverable_failure_applies_the_claim_answer(release: bool, released: list[dict[str, Any]]) -> None:
    """What a loss leaves is held or released like the claim of any stopped run."""
    row = failure("mice", "working", loses=(("flour", 1),))
    play = working(row, rules=config(release_stopped_claims=release))
    play.do(e.Fail("A", "mice"))
    assert play.report("job-failed")["released"] == released


# -- progress ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lost", "mode", "point", "work", "held"),
    [
        (1, "up", "next", 2, 2),
        (2, "up", "next", 1, 1),
        (1, "down", "next", 2, 2),
        (1, "up", "current", 3, 2),
        (2, "up", "current", 2, 1),
    ],
)
def test_held_progress_claim_supports_the_highest_point_it_can(
    lost: int, mode: str, point: str, work: int, held: int
) -> None:
    """Work falls to what the remaining claim supports; under `point: current` that is the share of the point before."""
    rules = progress(roundings=(rounding(mode, initial=3, point=point),))
    play = working(failure("mice", "working", loses=(("flour", lost),)), rules=rules, ticks=3)
    assert play.run("A").held == (3,)
    play.do(e.Fail("A", "mice"))
    assert (play.run("A").work, play.run("A").held) == (work, (held,))


def test_supported_point_is_a_multiple_of_the_step_for_every_item() -> None:
    """The recorded work if it is supported, else the highest multiple of the step below it that all items hold."""
    two = job(needs=(Need("flour", 5, "larder"), Need("salt", 5, "jar")))
    rules = progress(jobs=(two,), phases=(Phase("baking", 5, Fraction(2, 3)),))
    play = working(
        failure("mice", "working", loses=(("salt", 1),)),
        rules=rules,
        ticks=4,
        stock=(("flour", 5, "larder"), ("salt", 5, "jar")),
    )
    assert (play.run("A").work, play.run("A").held) == (Fraction(8, 3), (3, 3))
    play.do(e.Fail("A", "mice"))
    assert (play.run("A").work, play.run("A").held) == (2, (2, 2))
    assert play.report("job-failed")["released"] == units(("flour", 1))
    assert [row.log for row in play.rows][:3] == ["claim-ledger", "work-before-after", "claim-ledger"]


def test_named_loss_of_work_comes_before_the_support() -> None:
    """Work falls by the named loss first; where the claim supports that, the excess is released."""
    play = working(failure("mice", "working", loses_work=2), rules=progress(), ticks=3)
    play.do(e.Fail("A", "mice"))
    assert (play.run("A").work, play.run("A").held) == (1, (1,))


def test_released_progress_claim_loses_named_work_only() -> None:
    """With `release-and-reclaim` the support is not asked: the claim goes back, and work falls by the named loss."""
    rules = progress(release_stopped_claims=True)
    play = working(failure("mice", "working", loses=(("flour", 2),)), rules=rules, ticks=3)
    play.do(e.Fail("A", "mice"))
    assert (play.run("A").work, play.run("A").held) == (3, (0,))
    assert play.report("job-failed")["released"] == units(("flour", 1))


# -- ruined -----------------------------------------------------------------------------------------------------------


def test_ruined_run_keeps_what_the_rule_does_not_name() -> None:
    """Losses, then the releases that the rule names; the rest stays assigned to the failed run."""
    row = failure("fire", "working", ruined=True, loses=(("flour", 2),), releases=(("flour", 9),))
    play = working(row, stock=(("flour", 3, "larder"), ("water", 1, "tap")))
    assert play.do(e.Fail("A", "fire")) == ["A job-failed"]
    report = play.report("job-failed")
    assert (report["new"], report["lost"], report["released"]) == (
        "failed",
        units(("flour", 2)),
        units(("flour", 1)),
    )
    assert (play.run("A").held, play.stock("water")) == ((0, 1), 0)


def test_ruined_settle_changes_claims_then_state_then_slots_then_reports() -> None:
    """Terminal entry frees every slot after the state and before the report; losses are capped at the claim."""
    row = failure("fire", "working", ruined=True, loses=(("flour", 9),))
    play = working(row)
    play.do(e.Fail("A", "fire"))
    assert [row.log for row in play.rows if row.settle is not None] == [
        "claim-ledger",
        "state-trace",
        "count-trace",
        "report-log",
    ]
    assert play.report("job-failed")["lost"] == units(("flour", 3))


def test_ruined_run_frees_its_reservation_and_offers_go_on() -> None:
    """Its slot and its room are there for the others in the same batch."""
    rules = config(output_full="wait-before-start", pools=(pool(working=1),))
    play = Play(rules._replace(failures=(failure("fire", "working", ruined=True),)))
    play.request("A")
    play.request("B")
    assert play.do(e.Fail("A", "fire"))[:2] == ["A job-failed", "B job-started"]
    assert play.free() == 1


def test_ruined_from_finished_destroys_the_output() -> None:
    """A held output is destroyed, and nothing is redelivered any more."""
    rules = instant(output_full="hold-undelivered", redeliveries=named("van"))
    play = Play(rules._replace(failures=(failure("fire", "finished", ruined=True),)), room=(("shelf", 0),))
    play.request("A")
    assert play.do(e.Fail("A", "fire")) == ["A job-failed"]
    assert play.brief("output-identity", "change") == [("A", "destroyed")]
    assert play.do(e.Redeliver("van")) == []


def test_ruined_in_place_job_leaves_its_target() -> None:
    """The transformation is ruined, the target still exists."""
    rules = config(in_place=True, jobs=(job(destination=None, site="wall"),))
    play = working(failure("fire", "working", ruined=True, damaged_state="soot"), rules=rules)
    play.do(e.Fail("A", "fire"))
    assert play.brief("output-identity", "site", "change") == [("A", "wall", "target-remains")]


def test_ruined_from_waiting_and_from_stopped() -> None:
    """Every open state but requested can end in ruin, and leaves the line."""
    rows = (failure("flood", "waiting", ruined=True), failure("fire", "stopped", ruined=True))
    play = Play(config(pools=(pool(working=1),), failures=rows))
    play.request("A")
    play.request("B")
    play.do(e.Instruct("A", "power-cut"))
    assert play.do(e.Fail("A", "fire")) == ["A job-failed"]
    play.request("C")
    play.do(e.Fail("C", "flood"))
    assert play.states() == {"A": "failed", "B": "working", "C": "failed"}
    assert play.state.line == ()
