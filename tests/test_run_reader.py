"""Reading a run back with `show`: what is shown, what cannot be found, and what is broken."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from tests.run_builders import BAKERY

LIFE = "bakery-oven/lifecycle-holds"
REPORTS = "bakery-oven/reports-identify-the-run"


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run of some scenarios of the bakery."""
    out = tmp_path_factory.mktemp("shown") / "run"
    main(["run", "--quiet", "-k", "lifecycle or reports or finish or review", "--out", str(out), str(BAKERY)])
    return out


@pytest.fixture
def run(shared_run: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    return shutil.copytree(shared_run, tmp_path / "run")


def show(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What `show` prints; it must succeed and print nothing else."""
    capsys.readouterr()
    assert main(["show", *map(str, arguments)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What `show` says when it refuses: status 2, nothing on standard output."""
    capsys.readouterr()
    assert main(["show", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "fault" not in captured.err
    return captured.err


def edit(run: Path, change: Callable[[Any], object], name: str = "run.json") -> None:
    value = json.loads((run / name).read_text(encoding="utf-8"))
    change(value)
    (run / name).write_text(json.dumps(value), encoding="utf-8")


# -- what is shown -----------------------------------------------------------------------------------------------------


def test_run_is_a_line_for_each_scenario_the_failures_first(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a scenario there is a line for each, ordered by status, and the totals at the end."""
    edit(run, lambda each: each["adoptions"][0]["scenarios"][-1].update(status="fail"))
    lines = show(capsys, run).splitlines()
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert len(lines) == len(document["adoptions"][0]["scenarios"]) + 1
    assert lines[0].split()[:2] == ["fail", LIFE]
    assert lines[-1].endswith("clauses hold")


def test_run_can_be_named_by_its_file_and_from_inside(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder, its run.json, and the current folder are the same run."""
    expected = show(capsys, run)
    assert show(capsys, run / "run.json") == expected
    monkeypatch.chdir(run)
    assert show(capsys, ".") == expected


def test_scenario_is_shown_in_full(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Given, when and then; a verdict for each clause with the rows of its evidence; the events; the logs."""
    shown = show(capsys, run, REPORTS)
    entry = scenario_entry(run, REPORTS)
    for part in ("  given ", "  when  ", "  then [0] ", "  run 1", "    world ", "    request run=A", "  logs (--log"):
        assert part in shown
    for clause in entry["clauses"]:
        assert clause["text"] in shown
    first = next(each for clause in entry["clauses"] for each in clause["evidence"] if "seq" in each)
    assert f"{first['log']} {first['seq']} (run 1, moment " in shown
    assert show(capsys, run, REPORTS.removeprefix("bakery-oven/")) == shown


def test_general_scenario_shows_its_scope(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A general template has one sentence that holds across a scope."""
    shown = show(capsys, run, LIFE)
    assert "  across " in shown
    assert "  holds [0] " in shown


def test_log_is_a_table_by_either_name(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log has its columns as heads and a line a row; its name is good with and without the instance."""
    table = show(capsys, run, REPORTS, "--log", "state-trace")
    head, _, *rows = table.splitlines()
    assert head.split() == ["seq", "world", "moment", "batch", "settle", "run", "from", "to"]
    path = run / scenario_entry(run, REPORTS)["logs"]["bakery-oven-state-trace"]
    assert len(rows) == len(path.read_text(encoding="utf-8").splitlines()) - 1
    assert show(capsys, run, REPORTS, "--log", "bakery-oven-state-trace") == table


def test_log_without_rows_says_why(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty log shows the reason in its header."""
    path = run / scenario_entry(run, REPORTS)["logs"]["bakery-oven-state-trace"]
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    path.write_text(json.dumps({**header, "reason": "nothing moved"}) + "\n")
    assert show(capsys, run, REPORTS, "--log", "state-trace") == "bakery-oven-state-trace: no rows: nothing moved\n"


def test_terminal_is_safe_from_what_a_run_holds(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in any text of a run are shown as escapes."""
    evil = "\x1b]0;owned\x07\u202e"

    def spoil(document: Any) -> None:
        for entry in document["adoptions"][0]["scenarios"]:
            entry["clauses"][0].update(reason=evil, text=evil)
            for world in entry["runs"]:
                world["events"].append({"kind": "request", "run": evil})

    edit(run, spoil)
    for arguments in ((run,), (run, REPORTS), (run, LIFE)):
        shown = show(capsys, *arguments)
        assert "\x1b" not in shown
        assert "\u202e" not in shown


# -- what cannot be found ----------------------------------------------------------------------------------------------


def test_unknown_names_are_refused_with_the_nearest(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown scenario, log or run is told, with what was probably meant."""
    assert f"did you mean {LIFE}" in refused(capsys, run, "bakery-oven/lifecycle-hold")
    told = refused(capsys, run, REPORTS, "--log", "state-traces")
    assert "did you mean state-trace? it has " in told
    assert "--log needs a scenario" in refused(capsys, run, "--log", "state-trace")
    assert "holds no run" in refused(capsys, run.parent)
    assert "holds no run" in refused(capsys, run / "nowhere")


# -- what is broken ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "does not hold a JSON object"),
        ("{}", "is not the document of a run: at /: the key"),
        ('{"adoptions": 3}', "is not the document of a run"),
        ('{"adoptions": [{"scenarios": [{}]}]}', "is not the document of a run"),
    ],
)
def test_broken_document_is_told(text: str, told: str, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run.json that no run wrote is named, with the place where it breaks."""
    (run / "run.json").write_text(text)
    for arguments in ((run,), (run, LIFE), (run, LIFE, "--log", "state-trace")):
        assert told in refused(capsys, *arguments)


def test_broken_part_of_a_document_is_told_with_its_place(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A document that is whole but for one part names that part."""
    edit(run, lambda each: each["adoptions"][0]["scenarios"][0].pop("clauses"))
    assert "at /adoptions/0/scenarios/0: " in refused(capsys, run)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"{", b"[]\n", b'{"log": "x"}\n', b'{"log": "x", "columns": []}\n{}\n']
)
def test_broken_log_is_told(content: bytes, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that cannot be read is named, for the log itself and for a scenario whose evidence stands in it."""
    entry = scenario_entry(run, REPORTS)
    for path in entry["logs"].values():
        (run / path).write_bytes(content)
    assert f"{run}" in refused(capsys, run, REPORTS)
    assert "state-trace.jsonl" in refused(capsys, run, REPORTS, "--log", "state-trace")


def test_missing_log_is_told_and_a_missing_text_is_done_without(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that is gone is an error; without the expanded text the rest is still shown."""
    entry = scenario_entry(run, REPORTS)
    path = run / entry["logs"]["bakery-oven-state-trace"]
    (path.parent / "scenario.json").unlink()
    shown = show(capsys, run, REPORTS)
    assert "  given " not in shown
    assert "  then [0] " in shown
    path.unlink()
    assert "state-trace.jsonl" in refused(capsys, run, REPORTS, "--log", "state-trace")


def test_log_outside_of_the_run_is_not_read(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that points out of its folder is refused."""
    (run.parent / "secret.jsonl").write_text('{"log": "secret", "columns": []}\n')
    edit(run, lambda each: each["adoptions"][0]["scenarios"][0].update(logs={"x": "../secret.jsonl"}))
    name = json.loads((run / "run.json").read_text())["adoptions"][0]["scenarios"][0]["id"]
    assert "outside of its folder" in refused(capsys, run, name, "--log", "secret")


def scenario_entry(run: Path, scenario_id: str) -> Any:
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    return next(each for each in document["adoptions"][0]["scenarios"] if each["id"] == scenario_id)
