"""The option `--model` of `harness run`: what carries the working slots changes no row of any log."""

from __future__ import annotations

import filecmp
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from tests.run_builders import BAKERY


def run(out: Path, *arguments: str) -> dict[str, Any]:
    """Run some scenarios of an adoption with two pools' worth of slots, and read what is said of them."""
    main(["run", str(BAKERY), "-k", "pool", "--quiet", "--out", str(out), *arguments])
    document: dict[str, Any] = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return document


def logs(folder: Path) -> list[str]:
    """The files of the logs, relative to their run."""
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*.jsonl"))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_run_on_fifo_pools_writes_the_same_logs(tmp_path: Path, workers: str) -> None:
    """Verdicts and every byte of every log agree, and the run says which model it was, in any number of processes."""
    plain, fifo = tmp_path / "plain", tmp_path / "fifo"
    said = [run(plain), run(fifo, "--model", "fifo", "--workers", workers)]
    assert [each.pop("model") for each in said] == ["slots", "fifo"]
    assert said[0] == said[1]
    assert logs(plain) == logs(fifo) != []
    _, differing, unread = filecmp.cmpfiles(plain, fifo, logs(plain), shallow=False)
    assert (differing, unread) == ([], [])


def test_run_is_not_taken_over_from_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a plain count left is not the result of a run on FIFO pools."""
    run(tmp_path / "run")
    capsys.readouterr()
    main(["run", str(BAKERY), "-k", "pool", "--out", str(tmp_path / "run"), "--model", "fifo", "--resume"])
    assert "the model" in capsys.readouterr().err
