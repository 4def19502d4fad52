"""Adoptions and worlds of any size, to see what time grows with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.models.lifecycle import events as e
from harness.models.lifecycle.model import Lifecycle, World
from harness.run.facts import Facts

RULES = "made@1:rules"


def adoption_with_rows(count: int) -> dict[str, Any]:
    """A job of three ticks in one pool, with so many declared interruptions."""
    rules: dict[str, Any] = {
        f"{RULES}#make": {
            "job": {"output": {"item": "thing", "size": 1}, "destination": {"name": "yard", "capacity": "unlimited"}}
        },
        f"{RULES}#covers": {"covers": "all"},
        f"{RULES}#limit": {"limit": 1},
        f"{RULES}#time": {"duration": {"work": 3}},
    }
    interruptions = []
    for number in range(count):
        address = f"{RULES}#stop-{number}"
        rules[address] = {"instruction": f"stop-{number}"}
        interruptions.append({"id": f"stop-{number}", "interruptions-declared-in": address})
    benches = {
        "id": "benches",
        "covers-declared-in": f"{RULES}#covers",
        "working-limit-key": f"{RULES}#limit",
        "scope": "shared",
        "waiting-order": "request-order",
    }
    return {
        "contract": "job-resolution",
        "version": 2,
        "instance": "growing",
        "job": {"id": "make", "job-declared-in": f"{RULES}#make", "output": "new-thing"},
        "answers": {"job-inputs": "no-inputs", "output-full": "never-full", "partial-work": "keep-with-job"},
        "collections": {
            "work-limits": [benches],
            "work-phases": [{"id": "shaping", "duration-declared-in": f"{RULES}#time"}],
            "interruptions": interruptions,
        },
        "rules": rules,
    }


def write_adoption(folder: Path, count: int) -> str:
    """The path of that adoption, written into the folder."""
    path = folder / f"growing-{count}.json"
    path.write_text(json.dumps(adoption_with_rows(count)), encoding="utf-8")
    return str(path)


def settle_runs(facts: Facts, count: int, stock: int) -> int:
    """Request so many runs of the main job in a world with units for `stock`, until none moves; the events it took."""
    model = Lifecycle(facts.config, full=False)
    state = model.initial(_with_room(facts.world(runs=stock), count))
    opening: list[e.Event] = [e.OpenPool(pool.id) for pool in facts.config.pools]
    asked: list[e.Event] = [e.Request(f"R{number}", facts.config.job) for number in range(count)]
    sent = 0
    for event in (*opening, *asked):
        state = model.step(state, event).state
        sent += 1
    for _ in range(20 * count):
        after = model.step(state, e.Tick()).state
        sent += 1
        if after == state:
            break
        state = after
    return sent


def _with_room(world: World, count: int) -> World:
    """The world with room for every output."""
    return world._replace(room=tuple((name, max(free, count)) for name, free in world.room))
