"""A pool law is a contract like any other: the same verbs, options and files, beside jobs in one call."""

from __future__ import annotations

import filecmp
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import workspace
from harness.cli import main
from tests.run_builders import BAKERY, ROOT

KIOSK = ROOT / "adoptions" / "pools" / "lone-kiosk.adoption.yaml"
BOTH = (str(BAKERY), str(KIOSK))
FEW = ("-k", "claims-keep or claim-07 or claim-11")
FIFO = "claim-11-stop-resolves-once"


def run(folder: Path, *arguments: str) -> int:
    """Run into a folder; the exit status."""
    return main(["run", *BOTH, *FEW, "--quiet", "--out", str(folder), *arguments])


def verdicts(folder: Path) -> dict[str, list[tuple[str, str | None]]]:
    """Verdict and reason of every clause, by scenario."""
    document: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    entries = [each for adoption in document["adoptions"] for each in adoption["scenarios"]]
    return {each["id"]: [(one["verdict"], one["reason"]) for one in each["clauses"]] for each in entries}


@pytest.fixture(scope="module", name="plain")
def _plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of jobs and a pool together."""
    folder = tmp_path_factory.mktemp("pools") / "run"
    assert run(folder) == 0
    return folder


def test_jobs_and_pools_run_together(plain: Path) -> None:
    """Each adoption is judged by its own contract, and its logs are those of its own catalogue."""
    found = verdicts(plain)
    assert list(found) == [
        "bakery-oven/claims-keep-their-source",
        "lone-kiosk/claim-07-one-job-per-worker",
        f"lone-kiosk/{FIFO}",
    ]
    assert all(any(word == "holds" for word, _ in clauses) for clauses in found.values())
    folder = plain / workspace.file_stem(f"lone-kiosk/{FIFO}")
    for path in folder.glob("*.jsonl"):
        schema = json.loads(workspace.read_text(workspace.schema_paths("diagnostics/pools")[path.stem]))
        header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        assert header["columns"] == schema["x-columns"]


def test_workers_and_resuming_change_no_byte(plain: Path, tmp_path: Path) -> None:
    """Two processes leave what one leaves, and a resumed run is the run that it goes on with."""
    names = sorted(str(each.relative_to(plain)) for each in plain.rglob("*.json*"))
    for more in (("--workers", "2"), ("--resume",)):
        assert run(tmp_path / "run", *more) == 0
        _, differing, unread = filecmp.cmpfiles(plain, tmp_path / "run", names, shallow=False)
        assert (differing, unread) == ([], [])


def test_driver_serves_jobs_and_pools(plain: Path, tmp_path: Path) -> None:
    """Behind the protocol the built-in models get the same verdicts, with every message held against its schema."""
    assert run(tmp_path / "run", "--driver", "builtin:lifecycle", "--validate-protocol") == 0
    assert verdicts(tmp_path / "run") == verdicts(plain)


def test_inversion_breaks_the_contract_that_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pool's inversion violates a clause of the pool and leaves the jobs alone."""
    assert run(tmp_path / "run", "--invert", "busy-worker-takes-more") == 1
    assert "job-resolution has no inversion busy-worker-takes-more and runs sound" in capsys.readouterr().err
    found = verdicts(tmp_path / "run")
    assert "violated" in {word for word, _ in found["lone-kiosk/claim-07-one-job-per-worker"]}
    assert {word for word, _ in found["bakery-oven/claims-keep-their-source"]} == {"holds"}


@pytest.mark.parametrize("kind", ["badge", "ctrf", "html", "junit", "markdown", "sarif"])
def test_every_report_tells_of_both(kind: str, tmp_path: Path) -> None:
    """A report of a run of several contracts is about all of them."""
    report = tmp_path / "report"
    assert run(tmp_path / "run", "--report", f"{kind}={report}") == 0
    text = report.read_text(encoding="utf-8")
    told = ("job-resolution", "fifo-pool") if kind in ("badge", "html", "markdown") else ()
    assert all(each in text for each in told)
    if kind in ("ctrf", "html", "junit", "markdown"):
        assert "lone-kiosk" in text
        assert "bakery-oven" in text


def test_plugin_makes_tests_of_a_pool(tmp_path: Path) -> None:
    """A scenario of a pool is a test like any other."""
    arguments = ("-p", "no:cacheprovider", "--rootdir", str(tmp_path), "--adoption", f"{KIOSK}::{FIFO}")
    call = (sys.executable, "-m", "pytest", *arguments)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "1 passed" in found.stdout, found.stdout + found.stderr


def test_schema_of_a_log_is_that_of_its_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """Two contracts have a state-trace each, with columns of their own."""
    columns = []
    for contract in ("job-resolution", "fifo-pool"):
        assert main(["schema", "state-trace", "--contract", contract]) == 0
        columns.append(json.loads(capsys.readouterr().out)["x-columns"])
    assert columns[0] != columns[1]
    assert main(["schema", "report-log", "--contract", "fifo-pool"]) == 2
    assert "assignment-trace" in capsys.readouterr().err


def test_inversions_are_listed_by_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """Without files those of every contract; with files those of the contracts that they name."""
    assert main(["invert", "--list"]) == 0
    everything = capsys.readouterr().out
    assert everything.startswith("job-resolution\n")
    assert "\nfifo-pool\n" in everything
    assert main(["invert", "--list", str(KIOSK)]) == 0
    listed = capsys.readouterr().out
    assert listed.startswith("fifo-pool\n")
    assert listed in everything
