"""Reading a finished run back: `run.json`, a scenario's entry, its expanded text and its logs."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from harness import workspace
from harness.base.errors import UsageError
from harness.workspace import RUN_FILE
from harness.writers.run_files import SCENARIO_FILE
from harness.writers.show_scenario import EVIDENCE_SHOWN, ShownScenario

_AGAIN = "run `harness run` again"


@dataclass(frozen=True)
class ReadRun:
    """A run: the folder it stands in and its document."""

    folder: Path
    document: dict[str, Any]

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Reading that turns what a broken document makes fail into a UsageError with the place of the break.

        The document is held against its schema only where something failed: that takes longer than showing it.
        """
        try:
            yield
        except (LookupError, TypeError, AttributeError, ValueError) as fault:
            misfit = _first_misfit(self.document)
            if misfit is None:
                raise
            raise UsageError(f"{self.folder / RUN_FILE} is not the document of a run: {misfit}", _AGAIN) from fault

    def entry(self, scenario_id: str) -> dict[str, Any]:
        """The entry of a scenario; its instance can be left out where that is clear. UsageError with near ids."""
        entries = {entry["id"]: entry for adoption in self.document["adoptions"] for entry in adoption["scenarios"]}
        ending = [each for each in entries if each.endswith(f"/{scenario_id}")]
        found: dict[str, Any] | None = entries.get(ending[0] if len(ending) == 1 else scenario_id)
        if found is None:
            near = ending or difflib.get_close_matches(scenario_id, entries, n=3) or list(entries)[:3]
            hint = f"did you mean {' or '.join(near)}?" if near else None
            raise UsageError(f"the run has no scenario {scenario_id}", hint)
        return found

    def scenario(self, entry: dict[str, Any]) -> ShownScenario:
        """The scenario with its expanded text and the rows of its evidence."""
        rows: dict[tuple[str, int], dict[str, Any]] = {}
        for log in _evidence_logs(entry):
            for row in self.log(entry, log)[1]:
                rows[log, row["seq"]] = row
        return ShownScenario(entry, self._expanded(entry), rows)

    def log(self, entry: dict[str, Any], name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The header and the rows of a log, by its bare name or with the instance in front; UsageError where broken."""
        full = {**entry["logs"], **entry.get("supporting", {})}
        bare = {_bare_name(path): path for path in full.values()}
        path = bare.get(name) or full.get(name)
        if path is None:
            close = difflib.get_close_matches(name, bare, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise UsageError(f"{entry['id']} has no log {name}", f"{hint}it has {', '.join(bare)}")
        lines = workspace.read_text(self._inside(path)).splitlines()
        objects = [_object(line, f"{self.folder / path}:{number}") for number, line in enumerate(lines, start=1)]
        if not objects or not {"log", "columns"} <= set(objects[0]) or not all("seq" in each for each in objects[1:]):
            raise UsageError(f"{self.folder / path} is not a log: it lacks its header, or a row its seq", _AGAIN)
        return objects[0], objects[1:]

    def _inside(self, path: str) -> Path:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts:
            raise UsageError(f"{self.folder / RUN_FILE} names a log outside of its folder: {path}", _AGAIN)
        return self.folder / path

    def _expanded(self, entry: dict[str, Any]) -> dict[str, Any] | None:
        """The expanded scenario, None where its file is gone."""
        first = next(iter(entry["logs"].values()), None)
        file = self._inside(first).parent / SCENARIO_FILE if first is not None else None
        if file is None or not file.is_file():
            return None
        return _object(workspace.read_text(file), os.fspath(file))


def read_run(path: str) -> ReadRun:
    """The run in a folder; `path` is the folder or its `run.json`. UsageError where there is none."""
    folder = Path(path)
    if folder.name == RUN_FILE and not folder.is_dir():
        folder = folder.parent
    file = folder / RUN_FILE
    if not file.is_file():
        raise UsageError(
            f"{path} holds no run: there is no {os.fspath(file)}", "name a folder that `harness run` wrote"
        )
    return ReadRun(folder, _object(workspace.read_text(file), os.fspath(file)))


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}", _AGAIN) from error
    if not isinstance(value, dict):
        raise UsageError(f"{where} does not hold a JSON object", _AGAIN)
    return value


def _bare_name(path: str) -> str:
    return PurePosixPath(path).name.removesuffix(".jsonl")


def _evidence_logs(entry: dict[str, Any]) -> list[str]:
    """The logs that the shown evidence points into, each once."""
    shown = (each for clause in entry["clauses"] for each in clause["evidence"][:EVIDENCE_SHOWN] if "seq" in each)
    return list(dict.fromkeys(each["log"] for each in shown))


def _first_misfit(document: dict[str, Any]) -> str | None:
    from harness.contract.fitting import misfits

    schema = json.loads(workspace.read_text(workspace.schema_paths()["run"]))
    found = misfits(document, schema)
    return f"at {found[0].pointer or '/'}: {found[0].message}" if found else None
