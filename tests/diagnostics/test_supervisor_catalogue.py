"""The logs of fixed supervisors: schemas, columns, and rows that fit them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from harness.models.pools.supervisor.letters import LETTERS
from harness.run.logs import catalogue, check_row
from harness.run.pools.events import SENT, event_of, letter_of, supervisor_letters
from harness.run.pools.supervisor.logs import SUPERVISOR_LOGS
from harness.run.pools.supervisor.telling import FACT_COLUMNS
from harness.run.recording import COMMON_COLUMNS
from harness.verdict.pools.judgments.supervisor.matrix import (
    BIRTH,
    CALL,
    EARLY,
    EXIT,
    INITIAL,
    INPUT,
    REPLACEMENT,
    STOP,
    TAKES,
)
from harness.verdict.pools.judgments.supervisor.products import LANES
from tests.diagnostics.test_pool_catalogue import asked_for
from tests.verdict.pools.pool_runs import SUPERVISORS, pool

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "diagnostics" / "supervisors"
LOGS = catalogue(FOLDER)
SCHEMAS = sorted(path.name for path in FOLDER.glob("*.schema.json"))


def schema(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return value


def test_supervisors_write_the_logs_that_their_contract_names() -> None:
    """The contract names exactly the logs that a supervisor writes, and each says which templates ask for it."""
    asks = asked_for("fixed-supervisor")
    assert sorted(asks) == sorted(SUPERVISOR_LOGS) == sorted(LOGS)
    assert {name: list(LOGS[name].templates) for name in asks} == asks


@pytest.mark.parametrize("name", sorted(LOGS))
def test_log_schema_describes_every_column(name: str) -> None:
    """A log's schema says what a row is and describes each of its columns, the common ones first."""
    value = schema(name)
    assert value["title"]
    assert value["description"]
    assert value["x-kind"] == "system"
    assert tuple(value["x-columns"][:6]) == COMMON_COLUMNS
    assert value["x-columns"] == list(value["properties"]) == value["required"]
    assert value["additionalProperties"] is False
    assert [column for column, each in value["properties"].items() if not each.get("description")] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid(name: str) -> None:
    """Every file of the folder is a JSON Schema of the 2020-12 draft under its own name."""
    value = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(value)
    assert value["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert value["$id"] == f"supervisors/{name}"


def test_input_log_has_a_column_for_everything_in_a_fact() -> None:
    """The columns of the input log are those that facts are told in."""
    assert LOGS["input-log"].own_columns == FACT_COLUMNS


def test_lanes_are_the_ones_that_judgments_order() -> None:
    """The schema lists the lanes in the order in which operations leave."""
    assert schema("action-lanes")["properties"]["lane"]["enum"] == list(LANES)


@pytest.mark.parametrize("name", SUPERVISORS)
@pytest.mark.parametrize("inversion", [None, "start-names-the-worker", "retired-role-leaves", "stop-closes-nothing"])
@pytest.mark.parametrize("template", ["claim-03-atomic-proxy-outcome", "claim-10-exact-drain"])
def test_every_row_fits_the_schema_of_its_log(name: str, template: str, inversion: str | None) -> None:
    """All rows of runs through starts, recoveries and drains fit, also those of a supervisor that breaks the law."""
    plan = pool(name).plan(template)
    recording = pool(name).record(template, plan, inversion)
    assert [fault for row in recording.rows for fault in check_row(LOGS, row)] == []
    assert {row.log for row in recording.rows} >= {"input-log", "count-trace", "diagnostics", "ownership-ledger"}
    assert all(Draft202012Validator(schema("world")).is_valid(dict(world.world)) for world in plan.worlds)


def test_events_are_the_letters_of_the_bench() -> None:
    """Every letter is an event that fits the schema and leads back to the letter; the bench has no others."""
    fits = Draft202012Validator(schema("events"))
    letters = ("initialize", *supervisor_letters(("left", "night shift"), recovers=True, deadline=True))
    for letter in letters:
        fits.validate(event_of(letter))
        assert letter_of(event_of(letter)) == letter
    named = {"night shift": "ROLE", **dict.fromkeys(SENT, "SENT")}
    words = [each.partition(" ") for each in letters if "left" not in each]
    assert {f"{word} {named.get(name, name)}".strip() for word, _, name in words} == set(LETTERS)
    assert not fits.is_valid({"kind": "submit"})
    assert not fits.is_valid({"kind": "advance", "timer": "restart"})


def test_the_matrix_has_every_phase_of_the_law() -> None:
    """The table of the judgments takes in each phase what the law's table applies there or passes on."""
    law = yaml.safe_load((ROOT / "tests" / "data" / "laws" / "fixed-supervisor.yaml").read_text(encoding="utf-8"))
    rows = law["member_matrix"]
    found: dict[str, set[str]] = {}
    for phase, taken in TAKES.items():
        if not phase.startswith(("draining-proxy", "resolving-proxy-birth", "drained")):
            columns = {column for kind in taken for column in [_COLUMN.get(kind)] if column is not None}
            found.setdefault(phase.split("/")[0], set()).update(columns)
    assert found == {
        phase: {column for column, cell in cells.items() if cell != "reject"} for phase, cells in rows.items()
    }


_COLUMN = {
    **dict.fromkeys(BIRTH, "proxy-birth"),
    **dict.fromkeys((*EARLY, *EXIT), "proxy-exit"),
    **dict.fromkeys(INPUT, "input-settlement"),
    **dict.fromkeys(INITIAL, "initial-outcome"),
    **dict.fromkeys(REPLACEMENT, "replacement-outcome"),
    **dict.fromkeys(STOP, "worker-stopped"),
    **dict.fromkeys(CALL, "unavailable"),
}
"""The column of the law's table that each kind of fact belongs to; those that it has no column for are left out."""
