"""A judged scenario as the files and the `run.json` entry that it becomes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.run.logs import Catalogue, write_log
from harness.run.recording import LogRow
from harness.verdict.judging import Judged

#: Beside a scenario's logs: the expanded scenario, so that a run can be read without its adoption.
SCENARIO_FILE = "scenario.json"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """What is left of a scenario once it is judged: its entry in `run.json`, and log files by relative path.

    `driver_failed` says that its errors are the driver's, not the harness's.
    """

    id: str
    status: str
    entry: dict[str, Any]
    files: dict[str, str]
    driver_failed: bool = False


def render_scenario(judged: Judged, logs: Catalogue, stem: Callable[[str], str]) -> ScenarioResult:
    """The scenario's own logs, always all of them, and the supporting ones; `stem` makes a safe folder name."""
    scenario = judged.scenario
    instance, folder = scenario.instance, stem(scenario.id)
    reason = _why_empty(judged)
    by_log: dict[str, list[LogRow]] = {}
    for row in judged.recording.rows:
        by_log.setdefault(row.log, []).append(row)
    files: dict[str, str] = {}

    def path_of(log: str) -> str:
        path = f"{folder}/{log}.jsonl"
        files[path] = write_log(logs, log, scenario.id, instance, by_log.get(log, ()), reason)
        return path

    files[f"{folder}/{SCENARIO_FILE}"] = _scenario_text(judged)
    own = {name: path_of(log) for name, log in zip(scenario.diagnostics, scenario.logs, strict=True)}
    supporting = {f"{instance}-{log}": path_of(log) for log in judged.supporting}
    entry = {
        "id": scenario.id,
        "template": scenario.template,
        "row": scenario.row,
        "status": str(judged.status),
        "clauses": [each.to_json(instance) for each in judged.clauses],
        "runs": [
            {"world": dict(run.world), "events": [dict(sent.event) for sent in run.sent]}
            for run in judged.recording.worlds
        ],
        "logs": own,
        "supporting": supporting,
    }
    return ScenarioResult(scenario.id, str(judged.status), entry, files, judged.driver_failed)


def _scenario_text(judged: Judged) -> str:
    """The expanded scenario, what each run is to show, and what the search for runs says of itself."""
    value = {
        **judged.scenario.to_json(),
        "runs": [list(run.shapes) for run in judged.recording.worlds],
        "walked": judged.plan.walked,
        "impossible": [each.reason for each in judged.plan.impossible],
        "unreached": [f"{each.shape}: {each.reason}" for each in judged.plan.unreached],
        **judged.explained,
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _why_empty(judged: Judged) -> str | None:
    """Why nothing was run, where nothing was: the clauses' own reasons, each once."""
    if judged.recording.worlds:
        return None
    reasons = [each.reason for each in judged.clauses if each.reason]
    return "; ".join(dict.fromkeys(reasons)) or "read from the declarations alone"
