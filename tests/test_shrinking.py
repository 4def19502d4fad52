"""A failing run of an outside system: where it left the model's way, and the smallest run that shows the fault."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.run.divergence import first_divergence
from harness.run.driver.faults import DriverFault
from harness.run.plan import Plan, PlannedWorld
from harness.run.system import SYSTEM_LOGS
from harness.shrinking import ATTEMPTS_MAX, shrink
from harness.verdict.judging import Judged
from tests.run.driver.test_proxies import bakery, planned, system
from tests.run_builders import BAKERY, ROOT
from tests.subjects.proxies import FAULTS, Record

TOY = f'"{sys.executable}" "{ROOT / "examples" / "drivers" / "toy_engine.py"}"'


def judged_on(template: str, spoil: Any) -> tuple[Judged, Any, Any]:
    """A scenario judged behind a proxy, with what judges another plan on the proxy and on the model."""
    scenario, plan = planned(template)
    driver, model = system(spoil), bakery().bound.system()
    return (
        bakery().judge_on(driver, scenario, plan),
        lambda smaller: bakery().judge_on(driver, scenario, smaller),
        lambda smaller: bakery().judge_on(model, scenario, smaller),
    )


# -- shrinking ---------------------------------------------------------------------------------------------------------


def test_smallest_run_has_no_event_and_no_unit_too_many() -> None:
    """Of a run with a missing release a request and its cancellation are left, and what one loaf takes."""
    found = shrink(*judged_on("claims-keep-their-source", FAULTS["releases-dropped"]))
    assert found is not None
    assert [each["kind"] for each in found.events] == ["open-pool", "request", "cancel"]
    assert {each["item"]: each["amount"] for each in found.world["stock"]} == {"flour": 3, "water": 1}
    assert found.world["room"] == []
    assert found.is_smallest


@pytest.mark.parametrize("name", ["releases-dropped", "work-reset-at-the-stop", "waiting-slot-kept"])
def test_each_part_of_the_smallest_run_is_needed(name: str) -> None:
    """Without any one of its events the smallest run does not violate the clause."""
    template = {
        "releases-dropped": "claims-keep-their-source",
        "work-reset-at-the-stop": "kept-work-stays-with-the-job",
    }
    judged, on_system, on_model = judged_on(template.get(name, "start-counts-settle-before-report"), FAULTS[name])
    found = shrink(judged, on_system, on_model)
    assert found is not None
    again = on_system(Plan((PlannedWorld(found.world, found.events),))).clauses[found.clause]
    assert (again.verdict, again.reason) == ("violated", found.reason)
    for at in range(len(found.events)):
        events = (*found.events[:at], *found.events[at + 1 :])
        assert on_system(Plan((PlannedWorld(found.world, events),))).clauses[found.clause].verdict != "violated"


def test_nothing_is_shrunk_where_the_model_violates_too() -> None:
    """A clause that the model violates on the same events shows no fault of the system."""
    judged, on_system, _ = judged_on("claims-keep-their-source", FAULTS["releases-dropped"])
    assert shrink(judged, on_system, on_system) is None


def test_sound_scenario_has_nothing_to_shrink() -> None:
    """Where no clause is violated no event is replayed."""

    def never(plan: Plan) -> Judged:
        raise AssertionError("nothing is to be replayed")

    judged, _, _ = judged_on("claims-keep-their-source", lambda records, kept: records)
    assert shrink(judged, never, never) is None


def test_replays_are_bounded_and_a_breaking_driver_ends_them() -> None:
    """No more replays than the bound, and a driver that breaks on the way leaves what was found so far."""
    judged, on_system, on_model = judged_on("work-limit-offers-room-and-releases-counts", FAULTS["waiting-slot-kept"])
    count = 0

    def counted(plan: Plan) -> Judged:
        nonlocal count
        count += 1
        if count == 3:
            raise DriverFault("it broke")
        found: Judged = on_system(plan)
        return found

    assert shrink(judged, counted, on_model) is not None
    assert count == 3
    count = 3
    shrink(judged, counted, on_model)
    assert count <= ATTEMPTS_MAX + 3


# -- divergence --------------------------------------------------------------------------------------------------------


def diverged(spoil: Any, template: str = "claims-keep-their-source") -> Any:
    scenario, plan = planned(template)
    expected = bakery().judge_on(bakery().bound.system(), scenario, plan).recording
    found = bakery().judge_on(system(spoil), scenario, plan).recording
    return first_divergence(expected, found, tuple(SYSTEM_LOGS), bakery().adoption)


def test_same_rows_diverge_nowhere() -> None:
    """Other numbers of rows are no difference."""
    assert diverged(lambda records, kept: records) is None


def test_first_other_row_is_told_with_its_step_and_rule() -> None:
    """The missing release is the first difference: at the cancellation, under the rule that declares it."""
    found = diverged(FAULTS["releases-dropped"])
    assert (found.sent["kind"], found.log, found.found) == ("cancel", "claim-ledger", None)
    assert found.expected["change"] == "release"
    assert found.step == "cancellation"
    assert found.address == "rules/bakery.md#changing-your-mind"
    assert found.agreed == found.event - 1


def test_row_that_is_too_many_is_told() -> None:
    """A report that only the system wrote has no counterpart on the model's side."""
    found = diverged(FAULTS["delivery-reported-twice"])
    assert (found.log, found.expected, found.found["report"], found.step) == (
        "report-log",
        None,
        "job-delivered",
        "delivery",
    )


def test_order_of_rows_of_different_logs_is_no_difference() -> None:
    """Only clauses say what order there must be between logs; within one log the order counts."""

    def by_log(records: list[Record], kept: Any) -> list[Record]:
        return sorted(records, key=lambda each: str(each["log"]))

    assert diverged(by_log) is None
    assert diverged(lambda records, kept: records[::-1]) is not None


# -- in a run ----------------------------------------------------------------------------------------------------------


def run(tmp_path: Path, *options: str) -> Any:
    one = ("--id", "bakery-oven/claims-keep-their-source")
    assert main(["run", "--quiet", str(BAKERY), "--driver", TOY, "--out", str(tmp_path / "out"), *one, *options]) == 1
    (file,) = (tmp_path / "out").glob("*/scenario.json")
    return json.loads(file.read_text(encoding="utf-8"))


def test_run_keeps_both_and_show_tells_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The scenario's file in the run folder has the divergence and the smallest run, and `show` prints them."""
    kept = run(tmp_path)
    assert [each["kind"] for each in kept["shrunk"]["events"]] == ["open-pool", "request", "cancel"]
    assert kept["divergence"]["step"] == "cancellation"
    capsys.readouterr()
    assert main(["show", str(tmp_path / "out"), "bakery-oven/claims-keep-their-source"]) == 0
    said = capsys.readouterr().out
    assert "first divergence from the model: run 3, event 3: cancel run=A row=baker-cancels" in said
    assert "this is the step: cancellation, as rules/bakery.md#changing-your-mind says" in said
    assert "the smallest run that violates clause 1" in said


def test_run_leaves_failures_as_they_are_where_told_to(tmp_path: Path) -> None:
    """`--no-shrink` replays nothing; the divergence costs the driver no event and is there."""
    kept = run(tmp_path, "--no-shrink")
    assert "shrunk" not in kept
    assert kept["divergence"]["log"] == "claim-ledger"
