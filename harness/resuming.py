"""Taking over what an earlier run in the same folder has finished.

`resume.json` in a run's folder says on what the run rests besides what `run.json` says. A scenario is taken over only
where all of that is the same as now, so that a resumed run is byte for byte the run that was never interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness import __version__, workspace
from harness.base.errors import UsageError
from harness.base.verdict import Verdict
from harness.contract.fitting import misfits
from harness.expansion.scenario import Scenario
from harness.kits import models_of
from harness.pipeline import Prepared, RunOptions
from harness.runner import AdoptionRunner
from harness.workspace import RUN_FILE, RunFolder
from harness.writers.run_files import SCENARIO_FILE, ScenarioResult

RESUME_FILE = "resume.json"


def resume_json(prepared: Prepared, options: RunOptions, driver: Any = None) -> str:
    """The text of `resume.json` for a run; `driver` as `run.json` tells it."""
    return json.dumps(_basis(prepared, options, driver), ensure_ascii=False, indent=2) + "\n"


def _basis(prepared: Prepared, options: RunOptions, driver: Any) -> dict[str, Any]:
    return {
        "harness": __version__,
        "contract": _only({each.id: each.digest for each in prepared.contracts}),
        "model": _only(models_of(prepared.contracts, options.model)),
        "inverted": options.invert,
        "driver": driver,
        "bounds": options.limits._asdict(),
        "adoptions": {each.adoption.instance: each.basis for each in prepared.runners if each is not None},
    }


def _only(by_contract: Mapping[str, str]) -> Any:
    """The value of the one contract of a run; those of all where it has several."""
    return dict(by_contract) if len(by_contract) > 1 else next(iter(by_contract.values()), None)


@dataclass(frozen=True)
class EarlierRun:
    """The finished scenarios of the run that stands in the folder. `why_not` says why none can be taken over."""

    folder: RunFolder
    entries: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    why_not: str | None = None

    def has(self, runner: AdoptionRunner, scenario: Scenario) -> bool:
        """Whether the scenario was decided, and every file of it is there."""
        entry = self.entries.get(scenario.id)
        return (
            entry is not None
            and _is_decided(entry)
            and _file_names(entry) == _expected_names(scenario, entry)
            and all(map(self._is_readable, _file_names(entry)))
        )

    def _is_readable(self, name: str) -> bool:
        try:
            return self.folder.earlier(name) is not None
        except UsageError:
            return False

    def take(self, scenario: Scenario) -> ScenarioResult:
        """The scenario's result with its files, as they stand in the folder."""
        entry = self.entries[scenario.id]
        files = {name: self.folder.earlier(name) or "" for name in _file_names(entry)}
        return ScenarioResult(scenario.id, entry["status"], entry, files)


def earlier_run(folder: RunFolder, prepared: Prepared, options: RunOptions, driver: Any = None) -> EarlierRun:
    """What can be taken over from the run that stands at the folder's place; `driver` as `run.json` tells it."""
    try:
        document, before = _read(folder, RUN_FILE), _read(folder, RESUME_FILE)
    except UsageError as error:
        return EarlierRun(folder, why_not=error.message)
    now = _basis(prepared, options, driver)
    differing = next((called for part, called in _PARTS.items() if before.get(part) != now[part]), None)
    if differing is not None:
        return EarlierRun(folder, why_not=f"{differing} differs")
    bases = before.get("adoptions")
    same = {name for name, basis in now["adoptions"].items() if isinstance(bases, dict) and bases.get(name) == basis}
    if not same:
        return EarlierRun(folder, why_not="the adoption, or a passage that it reads first, differs")
    adoptions = (each for each in document["adoptions"] if each["instance"] in same)
    return EarlierRun(folder, {entry["id"]: entry for each in adoptions for entry in each["scenarios"]})


_PARTS = {
    "harness": "the version of the harness",
    "contract": "the contract",
    "model": "the model",
    "inverted": "the inversion",
    "driver": "the driver",
    "bounds": "the bound on searches",
}


def _read(folder: RunFolder, name: str) -> dict[str, Any]:
    """An object out of the earlier run; UsageError where the file is not what a run writes."""
    text = folder.earlier(name)
    if text is None:
        raise UsageError(f"there is no earlier {name}")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the earlier {name} is not JSON") from error
    schema = {"type": "object"}
    if name == RUN_FILE:
        schema = json.loads(workspace.read_text(workspace.schema_paths()["run"]))
    if misfits(value, schema):
        raise UsageError(f"the earlier {name} does not fit its schema")
    found: dict[str, Any] = value
    return found


def _is_decided(entry: Mapping[str, Any]) -> bool:
    """Whether running the scenario again could not tell more.

    A clause that is an error, or that is unreached without any run (as where the time was over), says otherwise.
    """
    words = {clause["verdict"] for clause in entry["clauses"]}
    return Verdict.ERROR not in words and (Verdict.UNREACHED not in words or bool(entry["runs"]))


def _file_names(entry: Mapping[str, Any]) -> tuple[str, ...]:
    logs = (*entry["logs"].values(), *entry.get("supporting", {}).values())
    return (f"{workspace.file_stem(entry['id'])}/{SCENARIO_FILE}", *logs)


def _expected_names(scenario: Scenario, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that the scenario's files have by rule: nothing else is read from the folder."""
    stem, prefix = workspace.file_stem(scenario.id), f"{scenario.instance}-"
    supporting = (name.removeprefix(prefix) for name in entry.get("supporting", {}))
    return (f"{stem}/{SCENARIO_FILE}", *(f"{stem}/{log}.jsonl" for log in (*scenario.logs, *supporting)))
