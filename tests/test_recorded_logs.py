"""Logs recorded elsewhere are judged like those of a run, and every broken file is told with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from harness.cli import main
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.recorded_logs import judge_recorded, read_recorded
from harness.run.plan import Plan
from harness.run.system import SYSTEM_LOGS
from harness.runner import AdoptionRunner
from harness.writers.run_files import ScenarioResult
from tests.recorded_folders import read, write
from tests.recorded_folders import record as record_plan
from tests.run_builders import BAKERY, ROOT

TEMPLATE = "claims-keep-their-source"


@cache
def bakery() -> AdoptionRunner:
    return AdoptionRunner(validate_files([str(BAKERY)])[0])


@cache
def planned() -> tuple[Scenario, Plan]:
    (scenario,) = bakery().scenarios(Selection(templates=(TEMPLATE,)))
    return scenario, bakery().plan(scenario)


def record(folder: Path, logs: frozenset[str] = SYSTEM_LOGS) -> Path:
    """The runs of the scenario, recorded."""
    return record_plan(folder, bakery(), planned()[1], logs)


def judge(folder: Path) -> ScenarioResult:
    (found,) = judge_recorded(bakery(), read_recorded(str(folder), bakery().kit), [planned()[0]])
    return found


def verdicts(result: ScenarioResult) -> list[tuple[str, str | None]]:
    return [(each["verdict"], each["reason"]) for each in result.entry["clauses"]]


def test_recorded_runs_are_judged_as_they_were_run(tmp_path: Path) -> None:
    """The same worlds, events and rows get the same verdicts, whether run here or recorded elsewhere."""
    found = judge(record(tmp_path / "logs"))
    assert verdicts(found) == verdicts(bakery().run(planned()[0]))
    assert [each["events"] for each in found.entry["runs"]] == [list(each.events) for each in planned()[1].worlds]


def test_log_that_was_not_recorded_leaves_its_clauses_blind(tmp_path: Path) -> None:
    """Without the claim ledger nothing is said about claims; an empty one says that there were none."""
    logs = record(tmp_path / "logs", frozenset({"report-log", "state-trace", "count-trace"}))
    assert {verdict for verdict, _ in verdicts(judge(logs))} == {"blind"}
    for inner in logs.iterdir():
        (inner / "claim-ledger.jsonl").write_text("", encoding="utf-8")
    assert "violated" in {verdict for verdict, _ in verdicts(judge(logs))}


def test_wrong_value_is_judged(tmp_path: Path) -> None:
    """A release to another source than the claim's own is a violation, not a broken file."""
    logs = record(tmp_path / "logs")
    for inner in logs.iterdir():
        path = inner / "claim-ledger.jsonl"
        rows = read(path)
        write(path, [{**each, "source": "cellar"} if each["change"] == "release" else each for each in rows])
    assert "violated" in {verdict for verdict, _ in verdicts(judge(logs))}


def test_one_folder_is_one_world(tmp_path: Path) -> None:
    """A folder with a world of its own is that world; the harness's own header lines are passed over."""
    folder = record(tmp_path / "logs") / "world-001"
    path = folder / "state-trace.jsonl"
    header = {"log": "state-trace", "scenario": "x", "columns": ["seq"], "reason": None}
    path.write_text(f"{json.dumps(header)}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert len(judge(folder).entry["runs"]) == 1


Spoil = Callable[[Path], object]


def first_line(name: str, text: str) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / name
        rest = path.read_text(encoding="utf-8").splitlines()[1:]
        path.write_text("\n".join([text, *rest]) + "\n", encoding="utf-8")

    return spoil


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / "world.json").write_text("{"), r"world\.json: not JSON"),
        (lambda folder: (folder / "world.json").write_text('{"stock": 3}'), r"world\.json: /stock: "),
        (lambda folder: (folder / "events.jsonl").unlink(), r"cannot read .*events\.jsonl"),
        (lambda folder: (folder / "report-log.jsonl").unlink(), "has no report-log"),
        (lambda folder: (folder / "state-trace.jsonl").unlink(), "do not have the same logs"),
        (lambda folder: (folder / "reprot-log.jsonl").write_text(""), "there is no log reprot-log"),
        (first_line("events.jsonl", "{}"), r"events\.jsonl:1: seq is no whole number"),
        (first_line("events.jsonl", "[]"), r"events\.jsonl:1: not a JSON object"),
        (
            first_line("events.jsonl", '{"seq": 1, "event": {"kind": "tick"}}'),
            r"events\.jsonl:1: the outcome is none of",
        ),
        (
            first_line("events.jsonl", '{"seq": 1, "event": {"kind": "dance"}, "outcome": "accepted"}'),
            r"events\.jsonl:1: ",
        ),
        (
            first_line("events.jsonl", '{"seq": 99999, "event": {"kind": "tick"}, "outcome": "accepted"}'),
            "do not rise",
        ),
        (first_line("report-log.jsonl", '{"seq": true}'), r"report-log\.jsonl:1: seq is no whole number"),
        (first_line("report-log.jsonl", '{"seq": 2, "causes": 7}'), r"report-log\.jsonl:1: .*causes holds 7"),
        (first_line("report-log.jsonl", '{"seq": 2, "batch": "1"}'), r"report-log\.jsonl:1: .*batch and settle"),
        (first_line("report-log.jsonl", '{"seq": 2, "run": 1}'), r"report-log\.jsonl:1: .*run is a text"),
        (first_line("report-log.jsonl", '{"seq": 2'), r"report-log\.jsonl:1: not JSON"),
    ],
)
def test_broken_files_are_told_with_their_place(
    spoil: Spoil, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong with a file ends the call with its name, the line where there is one, and what to do."""
    logs = record(tmp_path / "logs")
    spoil(logs / "world-001")
    assert main(["check-logs", str(BAKERY), "--logs", str(logs)]) == 2
    assert re.search(words, capsys.readouterr().err)


def test_verb_prints_the_summary_and_writes_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--out` leaves a run that `show` reads; nothing chosen, nothing held and no folder have their own statuses."""
    logs, out = str(record(tmp_path / "logs")), str(tmp_path / "out")
    one = ("--template", TEMPLATE)
    assert main(["check-logs", str(BAKERY), "--logs", logs, "--out", out, *one]) == 0
    assert "1 of 1 run" in capsys.readouterr().out
    document = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert document["driver"] == {"logs": logs}
    assert main(["show", out, f"bakery-oven/{TEMPLATE}"]) == 0
    assert main(["check-logs", str(BAKERY), "--logs", logs, "-k", "nothing-like-it"]) == 5
    assert main(["check-logs", str(BAKERY), "--logs", logs, "--template", "no-pool-means-every-ready-job-starts"]) == 3
    assert main(["check-logs", str(BAKERY), "--logs", str(tmp_path / "none")]) == 2


def test_page_shows_lines_that_can_be_read() -> None:
    """The example lines of the page are events of the format that it describes."""
    (block,) = re.findall(
        r"```json\n(.*?)```", (ROOT / "docs" / "checking-logs.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert [set(json.loads(line)) for line in block.splitlines()] == [{"seq", "event", "outcome", "reason"}] * 3
