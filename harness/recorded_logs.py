"""Logs that a live system recorded, judged without it: a folder of files -> the recording that a run would have left.

A folder holds one world, or a folder for each world, taken in the order of their names. A world's folder has

- `world.json`: what was there at the beginning (see the world schema);
- `events.jsonl`: an object a line with `seq`, `event`, `outcome` (accepted, refused or skipped) and `reason`;
- `<log>.jsonl` for every log that was recorded: a row a line, with `seq` and the log's columns. A file without rows is
  an empty log, a log without a file is unknown.

Events and rows are numbered together: a row belongs to the last event with a smaller number.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from harness import workspace
from harness.base.errors import UsageError
from harness.contract.fitting import suggestion
from harness.expansion.scenario import Scenario
from harness.kits.kit import Kit
from harness.run.logs import Catalogue
from harness.run.plan import Plan, PlannedWorld
from harness.run.recording import ACCEPTED, REFUSED, SKIPPED, Draft, SentDrafts, WorldDrafts
from harness.runner import AdoptionRunner
from harness.writers.run_files import ScenarioResult

WORLD, EVENTS, ENDING = "world.json", "events.jsonl", ".jsonl"
_LAYOUT = "docs/checking-logs.md tells what the folder holds"


class Recorded(NamedTuple):
    """The worlds of a folder, and the logs that were recorded in each of them."""

    worlds: tuple[WorldDrafts, ...]
    observes: frozenset[str]


def read_recorded(folder: str, kit: Kit) -> Recorded:
    """All worlds of a folder, as the contract of the kit has them.

    UsageError that names file and line for whatever cannot be read.
    """
    path = Path(folder)
    if not path.is_dir():
        raise UsageError(f"{folder} is no folder", _LAYOUT)
    inner = sorted(each for each in path.iterdir() if each.is_dir() and (each / WORLD).is_file())
    folders = [path] if (path / WORLD).is_file() else inner
    if not folders:
        raise UsageError(f"{folder} holds no {WORLD}", _LAYOUT)
    recorded = [_recorded_logs(each, kit) for each in folders]
    if any(each != recorded[0] for each in recorded):
        raise UsageError(f"the worlds in {folder} do not have the same logs", "an empty file is an empty log")
    return Recorded(tuple(_world(each, recorded[0], kit) for each in folders), frozenset(recorded[0]))


def _recorded_logs(folder: Path, kit: Kit) -> tuple[str, ...]:
    found = sorted(each.name.removesuffix(ENDING) for each in folder.glob(f"*{ENDING}") if each.name != EVENTS)
    for each in found:
        if each not in kit.logs:
            raise UsageError(f"{folder / each}{ENDING}: there is no log {each}", suggestion(each, kit.logs))
    if kit.owes is not None and kit.owes not in found:
        raise UsageError(f"{folder} has no {kit.owes}{ENDING}", f"every system owes its {kit.owes}")
    if not found:
        raise UsageError(f"{folder} holds no log", f"the logs are {', '.join(kit.logs)}")
    return tuple(found)


def _world(folder: Path, recorded: tuple[str, ...], kit: Kit) -> WorldDrafts:
    where = f"{folder / WORLD}"
    world = _fitting(json_of(workspace.read_text(folder / WORLD), where), kit, "world", where)
    events = list(_lines(folder / EVENTS))
    numbers = [_number(each, where) for where, each in events]
    if numbers != sorted(set(numbers)):
        raise UsageError(f"{folder / EVENTS}: the numbers of the events do not rise", _LAYOUT)
    caused: list[list[Draft]] = [[] for _ in range(len(events) + 1)]
    for log in recorded:
        for where, row in _lines(folder / f"{log}{ENDING}"):
            if "columns" in row and "seq" not in row:  # the header that the harness's own log files have
                continue
            number = _number(row, where)
            caused[bisect_left(numbers, number)].append(_draft(log, row, kit.logs, where))
    sent, moment = [], 0
    for (where, line), drafts in zip(events, caused[1:], strict=True):
        outcome, before = _outcome(line, where), moment
        event = _fitting(line.get("event"), kit, "events", where)
        moment += event["kind"] == "tick" and outcome == ACCEPTED
        sent.append(SentDrafts(event, outcome, line.get("reason"), before, _at(moment, drafts)))
    return WorldDrafts(world, (), tuple(sent), _at(0, caused[0]))


def _at(moment: int, drafts: list[Draft]) -> tuple[Draft, ...]:
    return tuple(replace(each, moment=moment) for each in sorted(drafts, key=lambda each: each.seq or 0))


def _outcome(line: Mapping[str, Any], where: str) -> str:
    outcome = line.get("outcome")
    if outcome not in (ACCEPTED, REFUSED, SKIPPED):
        raise UsageError(f"{where}: the outcome is none of {ACCEPTED}, {REFUSED}, {SKIPPED}", _LAYOUT)
    if not isinstance(line.get("reason"), str | None):
        raise UsageError(f"{where}: the reason is no text", _LAYOUT)
    return str(outcome)


def _draft(log: str, row: Mapping[str, Any], logs: Catalogue, where: str) -> Draft:
    data, problems = logs[log].fill(row)
    batch, settle, run = row.get("batch"), row.get("settle"), row.get("run")
    if any(each is not None and not _is_whole(each) for each in (batch, settle)):
        problems += ("batch and settle are whole numbers or null",)
    if not isinstance(run, str | None):
        problems += ("run is a text or null",)
    if problems:
        raise UsageError(f"{where}: {'; '.join(problems)}", f"`harness schema {log}` prints what a row holds")
    return Draft(log, run, data, batch, settle, 0, row["seq"])


def _number(line: Mapping[str, Any], where: str) -> int:
    if not _is_whole(line.get("seq")):
        raise UsageError(f"{where}: seq is no whole number", "events and rows are numbered together")
    return int(line["seq"])


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a JSON Lines file, with its place; empty lines are passed over."""
    for number, line in enumerate(workspace.read_text(path).split("\n"), start=1):
        if line.strip():
            where = f"{path}:{number}"
            value = json_of(line, where)
            if not isinstance(value, dict):
                raise UsageError(f"{where}: not a JSON object", _LAYOUT)
            yield where, value


def json_of(text: str, where: str) -> Any:
    """The value of a JSON text; UsageError that names the place where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON: {error}", _LAYOUT) from error


def _fitting(value: Any, kit: Kit, schema: str, where: str) -> Any:
    from harness.contract.fitting import misfits

    found = misfits(value, _schema(kit.log_folder, schema))
    if found:
        raise UsageError(f"{where}: {found[0].pointer or '/'}: {found[0].message}", found[0].hint)
    return value


@cache
def _schema(folder: str, name: str) -> Any:
    return json.loads(workspace.read_text(workspace.schema_paths(folder)[name]))


# -- judging -----------------------------------------------------------------------------------------------------------


def judge_recorded(
    runner: AdoptionRunner, recorded: Recorded, scenarios: Iterable[Scenario]
) -> Iterator[ScenarioResult]:
    """Every scenario's clauses, judged on the recorded worlds with the adoption's numbers as they are written."""
    bound = runner.bound.as_written()
    plan = Plan(tuple(PlannedWorld(each.world, tuple(one.event for one in each.sent)) for each in recorded.worlds))
    for scenario in scenarios:
        recording = bound.recorded(scenario.id, recorded.worlds, recorded.observes)
        yield runner.render(bound.judge(scenario, plan, recording))
