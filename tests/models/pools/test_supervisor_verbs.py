"""The verbs `explore` and `laws` on the supervisor's law, from the command line to their output and status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.exit_status import ExitStatus


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main((*arguments, "--format", "json"))
    return status, json.loads(capsys.readouterr().out)


def test_explore_walks_the_supervisor_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """22,621 prefixes to depth 4, no violation, no letter without effect, status 0."""
    status, walked = told(capsys, "explore", "fixed-supervisor")
    assert status == ExitStatus.OK
    assert (walked["prefixes"], walked["violations"], walked["idle-letters"]) == (22_621, [], [])


def test_explore_counts_the_states_of_a_supervisor(capsys: pytest.CaptureFixture[str]) -> None:
    """Under `--count states` there are no prefixes, and fewer states."""
    _, walked = told(capsys, "explore", "fixed-supervisor", "--count", "states")
    assert (walked["prefixes"], walked["states"]) == (None, 175)


def test_explore_inverts_and_replays_a_supervisor(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A breach is found with its claim and its shortest inputs, and they replay to the same steps."""
    status, walked = told(
        capsys, "explore", "fixed-supervisor", "--invert", "late-workers-are-asked-again", "--depth", "3"
    )
    assert status == ExitStatus.FOUND
    found = {each["name"]: (each["claim"], each["inputs"]) for each in walked["violations"]}
    assert found["work-after-shutdown"] == (10, ["stop a", "shutdown", "advance recovery"])
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(walked), encoding="utf-8")
    _, again = told(capsys, "explore", "fixed-supervisor", "--replay", str(path))
    assert [each["detail"] for each in again] == [each["detail"] for each in walked["violations"]]


def test_laws_tells_the_supervisor(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the eleven claims has a text, a violation and an inversion; each inversion names its walk."""
    status, (law,) = told(capsys, "laws", "fixed-supervisor")
    assert status == ExitStatus.OK
    assert [each["number"] for each in law["claims"]] == list(range(1, 12))
    assert all(each["text"] and each["violations"] and each["inversions"] for each in law["claims"])
    assert {each["model"] for each in law["inversions"]} == {each["name"] for each in law["models"]}
    assert all(len(each["alphabet"]) == 12 for each in law["models"])
