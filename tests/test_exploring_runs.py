"""`harness explore --out`: the ways that a walk found, with the logs that a run of the same events leaves."""

from __future__ import annotations

import filecmp
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness import workspace
from harness.cli import main
from harness.exit_status import ExitStatus
from harness.kits.pools import FIFO_KIT
from harness.run.logs import Catalogue

BREACH = ("explore", "fifo-pool", "--invert", "retry-at-the-front", "--depth", "2", "--format", "json")
LOGS: Catalogue = FIFO_KIT.logs


def run_in(folder: Path) -> dict[str, Any]:
    """The document of a run, which fits its schema."""
    found: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    Draft202012Validator(json.loads(workspace.read_text(workspace.schema_paths()["run"]))).validate(found)
    return found


def rows_of(folder: Path, entry: dict[str, Any], log: str) -> list[dict[str, Any]]:
    """The rows of a log, each of which fits the log's schema."""
    lines = (folder / entry["logs"][f"fifo-pool-{log}"]).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(each) for each in lines[1:]]
    assert [problem for row in rows for problem in LOGS[log].check(row)] == []
    return rows


def test_violation_leaves_every_log_of_its_law(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run says which claim is violated and ends in the rows that show it; `show` prints them."""
    out = tmp_path / "broken"
    assert main([*BREACH, "--out", str(out)]) == ExitStatus.FOUND
    walked = json.loads(capsys.readouterr().out)
    found = run_in(out)
    assert (found["contract"]["id"], found["model"], found["inverted"]) == (
        "fifo-pool",
        "fifo-pool",
        "retry-at-the-front",
    )
    (entry,) = found["adoptions"][0]["scenarios"]
    (clause,) = entry["clauses"]
    assert (entry["id"], clause["verdict"]) == ("fifo-pool/queue-order", "violated")
    assert clause["text"].startswith("claim 9: ")
    assert len(entry["runs"][0]["events"]) == len(walked["start"]) + len(walked["violations"][0]["inputs"])
    assert set(entry["logs"]) == {f"fifo-pool-{log}" for log in LOGS}
    rows = {log: rows_of(out, entry, log) for log in LOGS}
    ordinals = rows["queue-trace"][-1]["ordinals"]
    assert ordinals != sorted(ordinals)
    assert sum(map(len, rows.values())) > 50
    shown = [each["seq"] for each in clause["evidence"]]
    assert rows["queue-trace"][-1]["seq"] in shown
    assert main(["show", str(out), "queue-order"]) == 0
    assert "violated: the law's audits name queue-order" in capsys.readouterr().out


def test_replay_leaves_the_same_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Replaying a written walk writes its run again, byte for byte; on the sound law the same letters break nothing."""
    main([*BREACH, "--out", str(tmp_path / "walked")])
    path = tmp_path / "walk.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    replay = ("explore", "fifo-pool", "--replay", str(path), "--quiet")
    assert main([*replay, "--out", str(tmp_path / "replayed")]) == ExitStatus.FOUND
    names = sorted(str(each.relative_to(tmp_path / "walked")) for each in (tmp_path / "walked").rglob("*.json*"))
    _, differing, unread = filecmp.cmpfiles(tmp_path / "walked", tmp_path / "replayed", names, shallow=False)
    assert (differing, unread) == ([], [])
    assert len(names) == len(LOGS) + 2
    one = tmp_path / "one.json"
    one.write_text(json.dumps({"inputs": json.loads(path.read_text())["violations"][0]["inputs"]}), encoding="utf-8")
    assert main(["explore", "fifo-pool", "--replay", str(one), "--out", str(tmp_path / "sound")]) == ExitStatus.OK
    (entry,) = run_in(tmp_path / "sound")["adoptions"][0]["scenarios"]
    assert (entry["id"], entry["status"]) == ("fifo-pool/replay-1", "pass")
    ordinals = rows_of(tmp_path / "sound", entry, "queue-trace")[-1]["ordinals"]
    assert ordinals == sorted(ordinals)
    assert len(ordinals) > 1


def test_walk_that_finds_nothing_leaves_its_start(tmp_path: Path) -> None:
    """The warm start is written, and holds."""
    assert main(["explore", "fifo-recovery", "--depth", "1", "--quiet", "--out", str(tmp_path / "run")]) == 0
    (entry,) = run_in(tmp_path / "run")["adoptions"][0]["scenarios"]
    assert (entry["id"], [each["verdict"] for each in entry["clauses"]]) == ("fifo-recovery/start", ["holds"])
    assert [each["kind"] for each in entry["runs"][0]["events"]][:2] == ["initialize", "advance"]


def test_occupied_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule for output folders is that of every run."""
    (tmp_path / "mine").write_text("x")
    assert main(["explore", "fifo-pool", "--depth", "1", "--out", str(tmp_path)]) == ExitStatus.USAGE
    assert "is not empty and holds no run.json" in capsys.readouterr().err
