"""Events as values and as JSON."""

from __future__ import annotations

import json

import pytest

from harness.models.lifecycle import events as e

EVERY = (
    (e.OpenPool("ovens"), {"kind": "open-pool", "row": "ovens"}),
    (e.Request("A", "bake"), {"kind": "request", "run": "A", "job": "bake"}),
    (
        e.Request("A", "bake", "north", "frying", (("a", "x"), ("rank", 0)), True),
        {
            "kind": "request",
            "run": "A",
            "job": "bake",
            "place": "north",
            "phase": "frying",
            "fields": {"a": "x", "rank": 0},
            "pause": True,
        },
    ),
    (e.Admit("A"), {"kind": "admit", "run": "A"}),
    (e.Tick(), {"kind": "tick"}),
    (e.Instruct("A", "stop"), {"kind": "instruct", "run": "A", "instruction": "stop"}),
    (
        e.Instruct("A", "stop", "B"),
        {"kind": "instruct", "run": "A", "instruction": "stop", "displaced-by": "B"},
    ),
    (e.Clear("A", "power-cut"), {"kind": "clear", "run": "A", "cause": "power-cut"}),
    (e.Cancel("A", "x"), {"kind": "cancel", "run": "A", "row": "x"}),
    (e.Fail("A", "x"), {"kind": "fail", "run": "A", "row": "x"}),
    (e.Supply("flour", 1, "larder"), {"kind": "supply", "item": "flour", "amount": 1, "source": "larder"}),
    (e.Use("flour", 1, "larder"), {"kind": "use", "item": "flour", "amount": 1, "source": "larder"}),
    (e.Room("shelf", 0), {"kind": "room", "destination": "shelf", "free": 0}),
    (e.Readmit("x"), {"kind": "readmit", "row": "x"}),
    (e.Redeliver("x"), {"kind": "redeliver", "row": "x"}),
    (e.Collect("x"), {"kind": "collect", "row": "x"}),
    (e.Collect("x", "A"), {"kind": "collect", "row": "x", "run": "A"}),
    (e.Eligible("x", False), {"kind": "eligible", "row": "x", "value": False}),
    (e.Eligible("x", True, "north"), {"kind": "eligible", "row": "x", "value": True, "place": "north"}),
    (e.SetFields("A", ()), {"kind": "set-fields", "run": "A", "fields": {}}),
    (e.WorkerStop("ovens", 1), {"kind": "worker-stop", "pool": "ovens", "slot": 1}),
    (e.WorkerReady("ovens", 1, "north"), {"kind": "worker-ready", "pool": "ovens", "slot": 1, "place": "north"}),
)


@pytest.mark.parametrize(("event", "data"), EVERY, ids=[str(data["kind"]) for _, data in EVERY])
def test_event_goes_through_json_and_back(event: e.Event, data: dict[str, object]) -> None:
    """The JSON form has the kind, names with `-` and no absent option; reading it gives the same value."""
    assert e.event_to_json(event) == data
    assert e.event_from_json(json.loads(json.dumps(data))) == event


def test_every_kind_is_listed() -> None:
    """The examples above are of every kind there is."""
    assert {event.kind for event, _ in EVERY} == set(e.KINDS)


def test_fields_compare_whatever_their_order() -> None:
    """Request fields are one value in any order of writing."""
    assert e.sorted_fields({"b": 1, "a": "x"}) == e.sorted_fields({"a": "x", "b": 1}) == (("a", "x"), ("b", 1))
