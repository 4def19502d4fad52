"""The catalogue of logs and the schemas beside it, as data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.run.logs import catalogue
from harness.run.recording import COMMON_COLUMNS, FIXED_LOGS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "diagnostics"
LOGS = catalogue(FOLDER)
SCHEMAS = sorted(path.name for path in FOLDER.glob("*.schema.json"))
OTHERS = ("events", "world", "driver")

FIXED_COLUMNS = {
    "report-log": (
        "job report causes old new work-before work-after claimed released spent lost destination pool place"
    ),
    "claim-ledger": "change item amount source held-after",
    "state-trace": "from to",
    "count-trace": "pool place slot change used limit",
}


def schema(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return value


def asked_for() -> dict[str, list[str]]:
    """By log: the templates that name it, in the contract's order."""
    contract = json.loads((ROOT / "contracts" / "job-resolution.json").read_text(encoding="utf-8"))
    asks: dict[str, list[str]] = {}
    for template in contract["templates"]:
        for log in template["test"]["diagnostics"]:
            asks.setdefault(log.removeprefix("{{instance}}-"), []).append(template["id"])
    return asks


def validator(name: str, definition: str | None = None) -> Draft202012Validator:
    whole = schema(name)
    return Draft202012Validator({**whole, "$ref": f"#/$defs/{definition}"} if definition else whole)


def test_catalogue_has_the_logs_of_the_contract() -> None:
    """There is one schema for each log that a template names, and no other log; the contract names thirty."""
    assert sorted(LOGS) == sorted(asked_for())
    assert len(LOGS) == 30


def test_catalogue_says_which_templates_ask_for_a_log() -> None:
    """Each log lists exactly the templates whose diagnostics name it, in the contract's order."""
    assert {name: list(spec.templates) for name, spec in LOGS.items()} == asked_for()


@pytest.mark.parametrize("name", sorted(LOGS))
def test_log_schema_describes_every_column(name: str) -> None:
    """A log's schema has a title, says what a row is, and describes each of its columns, the common ones first."""
    value = schema(name)
    assert value["title"]
    assert value["description"]
    assert value["x-kind"] in ("system", "derived")
    assert tuple(value["x-columns"][:6]) == COMMON_COLUMNS
    assert value["x-columns"] == list(value["properties"])
    assert value["additionalProperties"] is False
    assert set(value["x-columns"]) - set(value["required"]) <= {"internal"}
    assert [column for column, each in value["properties"].items() if not each.get("description")] == []


@pytest.mark.parametrize("name", FIXED_LOGS)
def test_fixed_logs_keep_their_columns(name: str) -> None:
    """The logs that drivers write keep their columns, in their order; only a count may tell more of a pool's inside."""
    own = [each for each in LOGS[name].own_columns if each != "internal"]
    assert own == FIXED_COLUMNS[name].split()
    assert LOGS[name].kind == "system"


def test_pool_logs_may_show_the_inside_of_a_pool() -> None:
    """Exactly the logs on counts, offers and assignments have an optional column for a pool's own machinery."""
    inside = {name for name, spec in LOGS.items() if spec.optional}
    assert inside == {"count-trace", "pool-offer-log", "pool-assignment"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid(name: str) -> None:
    """Every file of the folder is a JSON Schema of the 2020-12 draft under its own name."""
    value = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(value)
    assert value["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert value["$id"] == name


EVENTS: list[dict[str, Any]] = [
    {"kind": "open-pool", "row": "ovens"},
    {"kind": "request", "run": "A", "job": "bake", "place": "x", "phase": "p", "fields": {"size": 2}, "pause": True},
    {"kind": "admit", "run": "A"},
    {"kind": "tick"},
    {"kind": "instruct", "run": "A", "instruction": "stop", "displaced-by": "B"},
    {"kind": "clear", "run": "A", "cause": "power-cut"},
    {"kind": "cancel", "run": "A", "row": "r"},
    {"kind": "fail", "run": "A", "row": "r"},
    {"kind": "supply", "item": "flour", "amount": 1, "source": "larder"},
    {"kind": "use", "item": "flour", "amount": 1, "source": "larder"},
    {"kind": "room", "destination": "shelf", "free": 0},
    {"kind": "readmit", "row": "r"},
    {"kind": "redeliver", "row": "r"},
    {"kind": "collect", "row": "r"},
    {"kind": "eligible", "row": "r", "place": "x", "value": False},
    {"kind": "set-fields", "run": "A", "fields": {"name": "b"}},
    {"kind": "worker-stop", "pool": "ovens", "slot": 1},
    {"kind": "worker-ready", "pool": "ovens", "place": "x", "slot": 2},
]


def test_events_schema_takes_every_kind() -> None:
    """Each kind of event has one definition, and an event of each kind fits."""
    assert [each["kind"] for each in EVENTS] == list(schema("events")["$defs"])
    fits = validator("events")
    assert [each for each in EVENTS if not fits.is_valid(each)] == []


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "explode"},
        {"kind": "tick", "run": "A"},
        {"kind": "request", "run": "A"},
        {"kind": "supply", "item": "flour", "amount": -1, "source": "larder"},
        {"kind": "supply", "item": "flour", "amount": 0.5, "source": "larder"},
        {"kind": "worker-stop", "pool": "ovens", "slot": 0},
        {"row": "ovens"},
    ],
)
def test_events_schema_refuses_what_is_no_event(event: dict[str, Any]) -> None:
    """Unknown kinds, unknown or missing fields, and amounts that are no whole numbers do not fit."""
    assert not validator("events").is_valid(event)


def test_world_schema_takes_a_world_and_nothing_else() -> None:
    """A world is stock, room and conditions; anything else in it does not fit."""
    fits = validator("world")
    world = {
        "stock": [{"item": "flour", "amount": 3, "source": "larder"}],
        "room": [{"destination": "shelf", "free": 2}],
        "eligible": [{"row": "r", "value": True}],
    }
    assert fits.is_valid(world)
    assert fits.is_valid({})
    assert not fits.is_valid({**world, "pools": []})
    assert not fits.is_valid({"stock": [{"item": "flour", "amount": -3, "source": "larder"}]})


COMMANDS: list[dict[str, Any]] = [
    {"seq": 1, "cmd": "start", "protocol": 1},
    {"seq": 2, "cmd": "adopt", "contract": {}, "adoption": {}},
    {"seq": 3, "cmd": "begin", "scenario": "x", "world": {}},
    {"seq": 4, "cmd": "event", "event": {"kind": "tick"}},
    {"seq": 5, "cmd": "end"},
    {"seq": 6, "cmd": "stop"},
]
IMPLEMENTATION = {"name": "toy", "version": "1", "language": "python", "homepage": None}
ANSWERS: list[tuple[str, dict[str, Any]]] = [
    ("start", {"seq": 1, "ok": True, "implementation": IMPLEMENTATION, "observes": ["report-log"], "time": "virtual"}),
    ("adopt", {"seq": 2, "ok": True}),
    ("adopt", {"seq": 2, "unsupported": ["with-progress"]}),
    ("begin", {"seq": 3, "ok": True}),
    ("begin", {"seq": 3, "ok": False, "reason": "no stock"}),
    ("event", {"seq": 4, "ok": True, "records": [{"log": "report-log", "seq": 1, "report": "no-such-report"}]}),
    ("event", {"seq": 4, "refused": "not now"}),
    ("event", {"seq": 4, "skipped": True, "reason": "no such knob", "issue": None}),
    ("end", {"seq": 5, "ok": True}),
    ("stop", {"seq": 6, "ok": True}),
]


def test_driver_schema_takes_every_message() -> None:
    """Each message of either side fits, by its verb and as a message of the protocol."""
    commands = validator("driver", "command")
    assert [each for each in COMMANDS if not commands.is_valid(each)] == []
    assert [each for verb, each in ANSWERS if not validator("driver", f"answer-to-{verb}").is_valid(each)] == []
    whole = validator("driver")
    assert all(whole.is_valid(each) for each in (*COMMANDS, *(answer for _, answer in ANSWERS)))


@pytest.mark.parametrize(
    ("verb", "answer"),
    [
        ("start", {"seq": 1, "ok": True}),
        ("event", {"seq": 4, "ok": True}),
        ("event", {"seq": 4, "ok": True, "records": [], "refused": "both"}),
        ("event", {"seq": 4, "ok": True, "records": [{"seq": 1}]}),
        ("event", {"seq": 4, "skipped": True}),
        ("adopt", {"seq": 2}),
        ("end", {"ok": True}),
    ],
)
def test_driver_schema_refuses_malformed_answers(verb: str, answer: dict[str, Any]) -> None:
    """An answer without what its verb needs, or that says two things at once, is no answer."""
    assert not validator("driver", f"answer-to-{verb}").is_valid(answer)


def definitions(value: Any) -> Iterator[dict[str, Any]]:
    """Every object description in a schema, wherever it stands."""
    if isinstance(value, dict):
        if value.get("type") == "object" and "properties" in value:
            yield value
        for each in value.values():
            yield from definitions(each)
    elif isinstance(value, list):
        for each in value:
            yield from definitions(each)


@pytest.mark.parametrize("name", OTHERS)
def test_other_schemas_describe_every_field(name: str) -> None:
    """Each field of an event, a world or a message has a description."""
    silent = [
        field
        for each in definitions(schema(name))
        for field, value in each["properties"].items()
        if "description" not in value
    ]
    assert silent == []
