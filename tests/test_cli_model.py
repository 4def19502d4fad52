"""The option `--model` of `harness run`: what carries the working slots changes no row, but for a view of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from tests.run_builders import BAKERY, JOB_ADOPTIONS

BOATS = next(each for each in JOB_ADOPTIONS if each.parent.name == "boat-yard")


def run(out: Path, *arguments: str, path: Path = BAKERY) -> dict[str, Any]:
    """Run some scenarios of an adoption with two pools' worth of slots, and read what is said of them."""
    main(["run", str(path), "-k", "pool", "--quiet", "--out", str(out), *arguments])
    document: dict[str, Any] = json.loads((out / "run.json").read_text(encoding="utf-8"))
    return document


def logs(folder: Path) -> list[str]:
    """The files of the logs, relative to their run."""
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*.jsonl"))


def rows(folder: Path, log: str) -> list[str]:
    """The lines of a log without what a pool shows of its members."""
    lines = map(json.loads, (folder / log).read_text(encoding="utf-8").splitlines())
    return [json.dumps({name: value for name, value in each.items() if name != "internal"}) for each in lines]


@pytest.mark.parametrize(
    ("path", "model", "workers"),
    [(BAKERY, "fifo", "1"), (BAKERY, "fifo", "2"), (BOATS, "keyed", "1"), (BOATS, "supervised-keyed", "1")],
)
def test_run_on_pools_writes_the_same_logs(tmp_path: Path, path: Path, model: str, workers: str) -> None:
    """Verdicts and rows agree, and the run says which model it was, in any number of processes; members are shown."""
    plain, pools = tmp_path / "plain", tmp_path / "pools"
    said = [
        run(plain, "--model", "slots", path=path),
        run(pools, "--model", model, "--workers", workers, path=path),
    ]
    assert [each.pop("model") for each in said] == ["slots", model]
    assert said[0] == said[1]
    assert logs(plain) == logs(pools) != []
    assert all(rows(plain, each) == rows(pools, each) for each in logs(plain))
    assert any('"members"' in (pools / each).read_text(encoding="utf-8") for each in logs(pools))


def test_run_says_that_each_row_had_the_pool_that_fits_it(tmp_path: Path) -> None:
    """Without the option the model is `auto`."""
    assert run(tmp_path / "run")["model"] == "auto"


@pytest.mark.parametrize("model", ["keyed", "supervised-keyed"])
def test_row_that_keyed_pools_cannot_carry_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str
) -> None:
    """Nothing runs; the file, the row and the model to use instead are told."""
    assert main(["run", str(BOATS), str(BAKERY), "--out", str(tmp_path / "run"), "--model", model]) == 2
    said = capsys.readouterr().err
    assert f"{BAKERY} cannot be run on the model {model}: the work-limits row ovens is shared" in said
    assert "--model auto" in said
    assert not (tmp_path / "run").exists()


def test_run_is_not_taken_over_from_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What one model left is not the result of a run on another."""
    run(tmp_path / "run")
    capsys.readouterr()
    main(["run", str(BAKERY), "-k", "pool", "--out", str(tmp_path / "run"), "--model", "fifo", "--resume"])
    assert "the model" in capsys.readouterr().err
