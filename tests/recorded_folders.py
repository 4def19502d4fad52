"""Runs on a built-in model, written as a live system would leave them: a folder of files for each world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.run.plan import Plan
from harness.runner import AdoptionRunner


def record(folder: Path, runner: AdoptionRunner, plan: Plan, logs: frozenset[str]) -> Path:
    """Every world of a plan on the runner's model, with these logs; events and rows are numbered together."""
    system = runner.bound.system(runner.invert)
    for number, world in enumerate(plan.worlds, start=1):
        inner = folder / f"world-{number:03}"
        inner.mkdir(parents=True)
        system.begin("recorded", world.world)
        rows: dict[str, list[Any]] = {log: [] for log in sorted(logs)}
        events, seq = [], 0
        for event in world.events:
            seq += 1
            answer = system.send(event)
            events.append({"seq": seq, "event": event, "outcome": answer.outcome, "reason": answer.reason})
            for each in answer.drafts:
                seq += 1
                common = {"seq": seq, "batch": each.batch, "settle": each.settle, "run": each.run}
                rows.get(each.log, []).append({**common, **each.data})
        (inner / "world.json").write_text(json.dumps(world.world), encoding="utf-8")
        write(inner / "events.jsonl", events)
        for log, found in rows.items():
            write(inner / f"{log}.jsonl", found)
    return folder


def write(path: Path, objects: list[Any]) -> None:
    """An object a line."""
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects), encoding="utf-8")


def read(path: Path) -> list[Any]:
    """What `write` wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
