"""What the built-in lifecycle writes fits the catalogue, and its order of settlement is never broken."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from harness.contract.reading import read_adoption
from harness.models.lifecycle.events import event_to_json
from harness.run.facts import Facts
from harness.run.logs import catalogue, check_row
from harness.run.pilot import Pilot
from harness.run.plan import Plan, PlannedWorld
from harness.run.planning import world_to_json
from harness.run.recording import Recording
from harness.run.system import SYSTEM_LOGS
from tests.diagnostics.logs_page import ROOT
from tests.run_builders import JOB_ADOPTIONS, recorded_by_model

LOGS = catalogue(ROOT / "diagnostics")
INSTANCES = sorted(Path(each).parent.name for each in JOB_ADOPTIONS)


@cache
def walked(instance: str) -> Recording:
    """The recording of seeded random events under a shipped adoption."""
    path = ROOT / "adoptions" / instance / f"{instance}.adoption.yaml"
    adoption, findings = read_adoption(str(path), {"job-resolution": str(ROOT / "contracts" / "job-resolution.json")})
    assert adoption is not None, findings
    facts = Facts(adoption)
    worlds = []
    for seed in ("a", "b", "c"):
        pilot = Pilot(facts)
        pilot.walk(seed, 40)
        events = tuple(event_to_json(each) for each in pilot.events)
        worlds.append(PlannedWorld(world_to_json(pilot.world), events))
    return recorded_by_model("walk", facts, Plan(tuple(worlds)))


@pytest.mark.parametrize("instance", INSTANCES)
def test_rows_of_the_model_fit_their_schemas(instance: str) -> None:
    """Every row of every log, written or derived, fits the schema of its log."""
    rows = walked(instance).rows
    assert {"report-log", "state-trace", "event-log", "declaration-record"} <= {row.log for row in rows}
    assert [problem for row in rows for problem in check_row(LOGS, row)] == []


@pytest.mark.parametrize("instance", INSTANCES)
def test_settlement_order_of_the_model_is_kept(instance: str) -> None:
    """No walk of the model breaks an order that the contract names."""
    recording = walked(instance)
    assert len([row for row in recording.rows if row.log == "state-trace"]) > 5
    assert [row.data for row in recording.rows if row.log == "first-ordering-violation"] == []


def test_model_writes_exactly_the_system_logs() -> None:
    """The logs that the model writes itself are those that the catalogue marks so."""
    assert {name for name, spec in LOGS.items() if spec.kind == "system"} == SYSTEM_LOGS
