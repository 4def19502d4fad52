"""Where `run` writes, and what it leaves when it cannot. Verdicts are given, not found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness import workspace
from harness.cli import main
from tests.run_builders import BAKERY, MURAL, give_verdicts

FEW = ("-k", "lifecycle-holds or automatic-delivery")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own, and every clause holds."""
    monkeypatch.chdir(tmp_path)
    give_verdicts(monkeypatch, lambda scenario, index: "holds")


def document(out: str) -> Any:
    return json.loads((Path(out) / "run.json").read_text(encoding="utf-8"))


def test_folder_is_that_of_the_instance_unless_said(capsys: pytest.CaptureFixture[str]) -> None:
    """One file's run goes below its instance, several files' together; --out and its parents are made."""
    assert main(["run", *FEW, str(BAKERY)]) == 0
    assert "written to diagnostics/runs/bakery-oven" in capsys.readouterr().err
    assert main(["run", *FEW, str(BAKERY), str(MURAL)]) == 0
    assert main(["run", *FEW, "--out", "a/b/c", str(BAKERY)]) == 0
    runs = sorted(str(each.parent) for each in Path.cwd().rglob("run.json"))
    expected = ("a/b/c", "diagnostics/runs/bakery-oven", "diagnostics/runs/together")
    assert runs == [str(Path.cwd() / each) for each in expected]


def test_nothing_readable_replaces_no_run_and_is_still_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that does not fit its schema leaves the earlier run as it was; the reports have its findings."""
    assert main(["run", *FEW, "--out", "out", str(BAKERY)]) == 0
    before = document("out")
    Path("broken.yaml").write_text("contract: job-resolution\nversion: 2\n")
    assert main(["run", "--out", "out", "--report", "junit=a.xml", "broken.yaml"]) == 2
    assert document("out") == before
    assert "broken.yaml:1:1: missing-key" in Path("a.xml").read_text()
    assert "written to" not in capsys.readouterr().err.split("broken.yaml")[-1]
    assert main(["run", "--report", "junit=b.xml", "missing.yaml"]) == 2
    assert "it is not known which contract it would be about" in capsys.readouterr().err
    assert not Path("b.xml").exists()


def test_path_is_as_typed() -> None:
    """run.json names each file as the caller did."""
    shutil.copytree(BAKERY.parent, "x")
    typed = f"./x/../x/{BAKERY.name}"
    assert main(["run", *FEW, "--out", "out", typed]) == 0
    assert document("out")["adoptions"][0]["path"] == typed


def test_folder_with_other_things_is_refused_and_left(capsys: pytest.CaptureFixture[str]) -> None:
    """A non-empty folder without a run, and a file, are never written over; an earlier run is replaced."""
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("keep")
    assert main(["run", *FEW, "--out", "mine", str(BAKERY)]) == 2
    assert main(["run", *FEW, "--out", "mine/notes.txt", str(BAKERY)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [each.name for each in Path("mine").iterdir()] == ["notes.txt"]
    for choice, count in ((("-k", "lifecycle-holds"), 1), (FEW, 2)):
        assert main(["run", *choice, "--out", "out", str(BAKERY)]) == 0
        assert len([each for each in Path("out").iterdir() if each.is_dir()]) == count


def test_folder_that_cannot_be_made_is_2(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A place without the right to write is told."""

    def refuse(self: Path, *given: object, **named: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert main(["run", *FEW, "--out", "out", str(BAKERY)]) == 2
    assert "cannot make the output folder out: Permission denied" in capsys.readouterr().err


def test_disk_that_fills_midway_leaves_the_earlier_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that cannot be written whole is not written at all, and says so."""
    assert main(["run", "-k", "lifecycle-holds", "--out", "out", str(BAKERY)]) == 0
    before = document("out")
    write, calls = workspace._write, iter(range(100))

    def full(path: Path, text: str) -> None:
        if next(calls) == 4:
            raise OSError(28, "No space left on device")
        write(path, text)

    monkeypatch.setattr(workspace, "_write", full)
    assert main(["run", "--out", "out", str(BAKERY)]) == 2
    told = capsys.readouterr().err
    assert "No space left on device" in told
    assert "Traceback" not in told
    assert document("out") == before
    assert [each.name for each in Path.cwd().iterdir()] == ["out"]
