"""The logs of pool contracts and the schemas of their events and worlds, as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.models.pools.correlations import Allocators
from harness.run.logs import catalogue, check_row
from harness.run.pools.events import event_of, keyed_letters_of, letter_of, letters_of
from harness.run.pools.facts import FACT_COLUMNS
from harness.run.pools.logs import KEYED_LOGS, POOL_LOGS
from harness.run.recording import COMMON_COLUMNS
from harness.verdict.pools.rules.products import LANES
from tests.verdict.pools.pool_runs import KEYED_POOLS, POOLS, pool

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "diagnostics" / "pools"
LOGS = catalogue(FOLDER)
SCHEMAS = sorted(path.name for path in FOLDER.glob("*.schema.json"))


def schema(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return value


def asked_for(contract: str) -> dict[str, list[str]]:
    """By log: the templates of a contract that name it, in its order."""
    document = json.loads((ROOT / "contracts" / f"{contract}.json").read_text(encoding="utf-8"))
    asks: dict[str, list[str]] = {}
    for template in document["templates"]:
        for log in template["test"]["diagnostics"]:
            asks.setdefault(log.removeprefix("{{instance}}-"), []).append(template["id"])
    return asks


def test_fifo_pools_write_the_logs_that_their_contract_names() -> None:
    """The FIFO contract names exactly the logs that a FIFO pool writes, and each says which templates ask for it."""
    asks = asked_for("fifo-pool")
    assert sorted(asks) == sorted(POOL_LOGS)
    for name, templates in asks.items():
        assert [each for each in LOGS[name].templates if each in templates] == templates


def test_keyed_pools_write_the_logs_that_their_contract_names() -> None:
    """The same for pools whose jobs have keys, which write three logs more."""
    asks = asked_for("keyed-pool")
    assert sorted(asks) == sorted((*POOL_LOGS, *KEYED_LOGS))
    for name, templates in asks.items():
        assert [each for each in LOGS[name].templates if each in templates] == templates


@pytest.mark.parametrize("name", sorted(LOGS))
def test_pool_log_schema_describes_every_column(name: str) -> None:
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
def test_pool_schemas_are_valid(name: str) -> None:
    """Every file of the folder is a JSON Schema of the 2020-12 draft under its own name."""
    value = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(value)
    assert value["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert value["$id"] == f"pools/{name}"


def test_input_log_has_a_column_for_everything_in_a_fact() -> None:
    """The columns of the input log are those that facts are told in."""
    assert LOGS["input-log"].own_columns == FACT_COLUMNS


def test_lanes_are_the_ones_that_judgments_order() -> None:
    """The schema lists the lanes in the order in which operations leave."""
    assert schema("action-lanes")["properties"]["lane"]["enum"] == list(LANES)


@pytest.mark.parametrize(
    "inversion", [None, "customer-learns-the-worker", "rejects-in-silence", "busy-worker-takes-more"]
)
@pytest.mark.parametrize("name", POOLS)
def test_every_row_fits_the_schema_of_its_log(name: str, inversion: str | None) -> None:
    """All rows of the widest runs fit, also those of a pool that breaks the law."""
    template = "matrix-of-modes-and-members"
    recording = pool(name).record(template, pool(name).plan(template), inversion)
    assert [fault for row in recording.rows for fault in check_row(LOGS, row)] == []
    assert inversion is not None or {row.log for row in recording.rows} >= {"input-log", "count-trace", "diagnostics"}


@pytest.mark.parametrize("inversion", [None, "cross-role-consumption", "binding-before-the-job", "stale-mutation"])
@pytest.mark.parametrize("template", ["claim-11-management-is-future-only", "claim-13-retirement-is-one-step"])
@pytest.mark.parametrize("name", KEYED_POOLS)
def test_every_row_of_a_keyed_pool_fits_the_schema_of_its_log(name: str, template: str, inversion: str | None) -> None:
    """All rows of runs with commands and losses fit, also those of a pool that breaks the law."""
    plan = pool(name).plan(template)
    recording = pool(name).record(template, plan, inversion)
    assert [fault for row in recording.rows for fault in check_row(LOGS, row)] == []
    assert {row.log for row in recording.rows} >= {"input-log", "binding-ledger", "selector-calls"}
    assert all(Draft202012Validator(schema("world")).is_valid(dict(world.world)) for world in plan.worlds)


def test_keyed_events_are_the_letters_of_the_bench() -> None:
    """Letters about keys are events that fit the schema and lead back to the letter."""
    fits = Draft202012Validator(schema("events"))
    letters = keyed_letters_of(("left", "right"), ("x", "y"), deadline=True)
    assert {"submit x", "unbind y", "rebalance x right", "late y left", "shutdown", "leave left"} < set(letters)
    assert "submit" not in letters
    for letter in letters:
        fits.validate(event_of(letter))
        assert letter_of(event_of(letter)) == letter
    assert not fits.is_valid({"kind": "rebalance", "key": "x"})
    assert not fits.is_valid({"kind": "unbind", "key": "x", "role": "left"})


def test_events_are_the_letters_of_the_bench() -> None:
    """Every letter is an event that fits the schema and leads back to the letter, and nothing else is a letter."""
    fits = Draft202012Validator(schema("events"))
    for letter in ("initialize", *letters_of(("left", "night shift"), deadline=True)):
        fits.validate(event_of(letter))
        assert letter_of(event_of(letter)) == letter
    for wrong in ("advance", "leave", "wait left", "submit to left", "jump deadline"):
        with pytest.raises(ValueError, match="no letter"):
            event_of(wrong)
    assert not fits.is_valid({"kind": "advance"})
    assert not fits.is_valid({"kind": "submit", "role": "left"})


def test_worlds_limit_numbers_by_kind() -> None:
    """The kinds of numbers that a world can limit are those that a pool issues."""
    kinds = schema("world")["properties"]["numbers"]["properties"]
    assert set(kinds) == {*Allocators._fields, "generation"}
    fits = Draft202012Validator(schema("world"))
    for name in POOLS:
        for template in pool(name).scenarios:
            assert all(fits.is_valid(dict(world.world)) for world in pool(name).plan(template).worlds)
