"""Reading a finished run back: `run.json`, a scenario's entry, its expanded text and its logs."""

from __future__ import annotations

import difflib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import workspace
from harness.base.errors import UsageError
from harness.writers.run_files import SCENARIO_FILE

RUN_FILE = "run.json"


@dataclass(frozen=True)
class ScenarioInRun:
    """One scenario of a run: its entry, its expanded text (None where that file is gone), and how to read a log."""

    folder: Path
    entry: dict[str, Any]
    scenario: dict[str, Any] | None

    def shapes_of(self, number: int) -> list[str]:
        """What the run with this number, from 1, was built to show."""
        runs = (self.scenario or {}).get("runs", [])
        return list(runs[number - 1]) if number <= len(runs) else []

    def log_names(self) -> dict[str, str]:
        """Every log of the scenario, its own first, by bare name: the path relative to the run."""
        named = {**self.entry["logs"], **self.entry.get("supporting", {})}
        return {bare_name(path): path for path in named.values()}

    def log(self, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The header and the rows of a log, by its bare name or with the instance in front."""
        names = self.log_names()
        full = {**self.entry["logs"], **self.entry.get("supporting", {})}
        path = names.get(name) or full.get(name)
        if path is None:
            raise UsageError(f"{self.entry['id']} has no log {name}", f"it has {', '.join(names)}")
        lines = workspace.read_text(self.folder / path).splitlines()
        rows = [_parsed(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]
        return rows[0], rows[1:]


def bare_name(path: str) -> str:
    """The log's bare name: that of its file."""
    return Path(path).name.removesuffix(".jsonl")


def read_run(path: str) -> tuple[Path, dict[str, Any]]:
    """The folder and the document of a run; `path` is the folder or its `run.json`."""
    folder = Path(path)
    if folder.name == RUN_FILE:
        folder = folder.parent
    file = folder / RUN_FILE
    if not file.is_file():
        raise UsageError(
            f"{path} holds no run: there is no {os.fspath(file)}", "name a folder that `harness run` wrote"
        )
    document = _parsed(workspace.read_text(file), os.fspath(file))
    if not isinstance(document, dict) or "adoptions" not in document:
        raise UsageError(f"{file} is not the document of a run", "run `harness run` again")
    return folder, document


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}", "run `harness run` again") from error


def find_scenario(folder: Path, document: dict[str, Any], scenario_id: str) -> ScenarioInRun:
    """The scenario with this id; UsageError with the nearest ids where there is none."""
    entries = {entry["id"]: entry for adoption in document["adoptions"] for entry in adoption["scenarios"]}
    entry = entries.get(scenario_id)
    if entry is None:
        near = difflib.get_close_matches(scenario_id, entries, n=3) or list(entries)[:3]
        raise UsageError(
            f"the run has no scenario {scenario_id}", f"did you mean {' or '.join(near)}?" if near else None
        )
    return ScenarioInRun(folder, entry, _expanded(folder, entry))


def _expanded(folder: Path, entry: dict[str, Any]) -> dict[str, Any] | None:
    first = next(iter(entry["logs"].values()), None)
    file = (folder / first).parent / SCENARIO_FILE if first is not None else None
    if file is None or not file.is_file():
        return None
    value = _parsed(workspace.read_text(file), os.fspath(file))
    return value if isinstance(value, dict) else None
