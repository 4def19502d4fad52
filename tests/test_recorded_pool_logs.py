"""Logs that a live pool or supervisor recorded are judged like those of its run."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.recorded_logs import judge_recorded, read_recorded
from harness.run.plan import Plan, PlannedWorld
from harness.run.pools.events import event_of
from harness.runner import AdoptionRunner
from harness.writers.run_files import ScenarioResult
from tests.recorded_folders import read, record, write
from tests.run_builders import ROOT

POOLS = ROOT / "adoptions" / "pools"
ONE_OBLIGATION = "claim-05-one-obligation-per-job"
RECORDED = [
    ("lone-kiosk", ONE_OBLIGATION),
    ("ticket-desk", "claim-11-stop-resolves-once"),
    ("night-mill", "claim-14-full-shutdown"),
    ("one-kiln", "claim-12-fresh-generation"),
    ("lone-beacon", "claim-01-unique-ordered-roster"),
]


@cache
def runner(name: str, invert: str | None = None) -> AdoptionRunner:
    return AdoptionRunner(validate_files([path(name)])[0], invert=invert)


def path(name: str) -> str:
    return str(POOLS / f"{name}.adoption.yaml")


@cache
def planned(name: str, template: str) -> tuple[Scenario, Plan]:
    (scenario,) = runner(name).scenarios(Selection(templates=(template,)))
    return scenario, runner(name).bound.plan(scenario)


def recorded(
    folder: Path, name: str, template: str, logs: frozenset[str] | None = None, invert: str | None = None
) -> Path:
    """The template's runs, recorded with these logs, or with all."""
    known = frozenset(runner(name).logs)
    return record(folder, runner(name, invert), planned(name, template)[1], known if logs is None else logs)


def judge(folder: Path, name: str, template: str) -> ScenarioResult:
    kit = runner(name).kit
    (found,) = judge_recorded(runner(name), read_recorded(str(folder), kit), [planned(name, template)[0]])
    return found


def verdicts(result: ScenarioResult) -> list[tuple[str, str | None]]:
    return [(each["verdict"], each["reason"]) for each in result.entry["clauses"]]


def alter(folder: Path, log: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> int:
    """Other rows in a log of every world, None for none in its place; how many were changed."""
    changed = 0
    for inner in sorted(folder.iterdir()):
        rows = read(inner / f"{log}.jsonl")
        after = [change(dict(each)) for each in rows]
        changed += sum(old != new for old, new in zip(rows, after, strict=True))
        write(inner / f"{log}.jsonl", [each for each in after if each is not None])
    return changed


@pytest.mark.parametrize(("name", "template"), RECORDED)
def test_recorded_runs_are_judged_as_they_were_run(name: str, template: str, tmp_path: Path) -> None:
    """The same worlds, events and rows get the same verdicts, of which some hold."""
    found = judge(recorded(tmp_path / "logs", name, template), name, template)
    assert verdicts(found) == verdicts(runner(name).run(planned(name, template)[0]))
    assert "holds" in {verdict for verdict, _ in verdicts(found)}
    assert [each["events"] for each in found.entry["runs"]] == [
        list(each.events) for each in planned(name, template)[1].worlds
    ]


@pytest.mark.parametrize(
    ("name", "template", "inversion"),
    [
        ("ticket-desk", ONE_OBLIGATION, "retry-also-returns"),
        ("night-mill", "claim-14-full-shutdown", "shutdown-keeps-assigned"),
    ],
)
def test_what_a_broken_pool_recorded_is_a_violation(name: str, template: str, inversion: str, tmp_path: Path) -> None:
    """The logs of a pool that breaks its law show it, without a model beside them."""
    found = judge(recorded(tmp_path / "logs", name, template, invert=inversion), name, template)
    assert "violated" in {verdict for verdict, _ in verdicts(found)}


def test_log_that_was_not_recorded_leaves_its_clauses_blind(tmp_path: Path) -> None:
    """Without the ledger of owners nobody knows who holds a job, but who was told its end is known."""
    logs = frozenset(runner("lone-kiosk").logs) - {"ownership-ledger"}
    found = verdicts(
        judge(recorded(tmp_path / "logs", "lone-kiosk", ONE_OBLIGATION, logs), "lone-kiosk", ONE_OBLIGATION)
    )
    assert [verdict for verdict, _ in found] == ["blind", "blind", "holds", "holds"]
    assert "ownership-ledger" in str(found[0][1])


def test_event_only_says_that_something_entered(tmp_path: Path) -> None:
    """Whoever records need not know the harness's words for what happened: the facts stand in their log."""
    logs = recorded(tmp_path / "logs", "lone-kiosk", ONE_OBLIGATION)
    known = verdicts(judge(logs, "lone-kiosk", ONE_OBLIGATION))
    for inner in logs.iterdir():
        events = read(inner / "events.jsonl")
        write(inner / "events.jsonl", [{**each, "event": {"kind": "shutdown"}} for each in events])
    assert verdicts(judge(logs, "lone-kiosk", ONE_OBLIGATION)) == known


def test_outcome_that_is_not_recorded_is_missed(tmp_path: Path) -> None:
    """A job whose end no log tells is owed and held by nobody."""
    logs = recorded(tmp_path / "logs", "lone-kiosk", ONE_OBLIGATION)
    assert alter(logs, "terminal-outcomes", lambda _: None)
    found = verdicts(judge(logs, "lone-kiosk", ONE_OBLIGATION))
    assert found[1][0] == "violated"
    assert "owed" in str(found[1][1])


def test_value_that_is_left_out_is_judged(tmp_path: Path) -> None:
    """Counts without a number are a breach of the pool's, not a broken file and not an error."""
    worked = ("initialize", *("advance keeper",) * 4, "submit", "advance keeper", "complete keeper")
    plan = Plan((PlannedWorld({}, tuple(map(event_of, worked))),))
    kiosk = runner("lone-kiosk")
    logs = record(tmp_path / "logs", kiosk, plan, frozenset(kiosk.logs))
    (scenario,) = kiosk.scenarios(Selection(templates=("invariant-conservation",)))
    assert alter(logs, "count-trace", lambda row: {**row, "queued": None})
    (result,) = judge_recorded(kiosk, read_recorded(str(logs), kiosk.kit), [scenario])
    found = verdicts(result)
    assert [verdict for verdict, _ in found] == ["violated", "holds"]
    assert "queued" in str(found[0][1])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("world.json", '{"stock": []}', r"world\.json: /stock: "),
        ("events.jsonl", '{"seq": 1, "event": {"kind": "tick"}, "outcome": "accepted"}', r"events\.jsonl:1: "),
        ("report-log.jsonl", "", "there is no log report-log"),
        ("count-trace.jsonl", '{"seq": 2, "queued": "many"}', r"count-trace\.jsonl:1: .*queued holds"),
    ],
)
def test_files_of_another_contract_are_refused(
    name: str, text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worlds, events and logs are those of the adoption's own contract."""
    logs = recorded(tmp_path / "logs", "lone-kiosk", ONE_OBLIGATION)
    for inner in logs.iterdir():
        (inner / name).write_text(text, encoding="utf-8")
    assert main(["check-logs", path("lone-kiosk"), "--logs", str(logs)]) == 2
    assert re.search(words, capsys.readouterr().err)


def test_folder_without_logs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No log is owed, but one is needed to judge anything."""
    logs = recorded(tmp_path / "logs", "lone-kiosk", ONE_OBLIGATION, frozenset())
    assert main(["check-logs", path("lone-kiosk"), "--logs", str(logs)]) == 2
    assert "holds no log" in capsys.readouterr().err


def test_verb_judges_a_pool_and_writes_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sound pool's logs end the call with 0, those of a broken one with 1; `show` reads what was written."""
    one = ("--template", ONE_OBLIGATION)
    sound = str(recorded(tmp_path / "sound", "ticket-desk", ONE_OBLIGATION))
    broken = str(recorded(tmp_path / "broken", "ticket-desk", ONE_OBLIGATION, invert="retry-also-returns"))
    assert main(["check-logs", path("ticket-desk"), "--logs", sound, *one]) == 0
    assert main(["check-logs", path("ticket-desk"), "--logs", broken, "--out", str(tmp_path / "out"), *one]) == 1
    capsys.readouterr()
    assert main(["show", str(tmp_path / "out"), f"ticket-desk/{ONE_OBLIGATION}"]) == 0
    assert "violated" in capsys.readouterr().out
