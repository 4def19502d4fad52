"""Pools by the verbs: what validates and runs, and with which exit status."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import workspace
from harness.cli import main
from harness.run.pools.logs import KEYED_LOGS, POOL_LOGS

ROOT = Path(__file__).resolve().parent.parent
POOLS = tuple(map(str, workspace.adoption_files("fifo-pool")))
KEYED_POOLS = tuple(map(str, workspace.adoption_files("keyed-pool")))
KILN = str(ROOT / "adoptions" / "pools" / "one-kiln.adoption.yaml")
ONE_KEY = ("--id", "one-kiln/claim-11-management-is-future-only")
KIOSK = str(ROOT / "adoptions" / "pools" / "lone-kiosk.adoption.yaml")
DRIVER = f"{sys.executable} -m harness driver"
ONE_JOB = ("--id", "lone-kiosk/claim-05-one-obligation-per-job")


def run_json(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return document


def test_shipped_pools_validate_and_expand(capsys: pytest.CaptureFixture[str]) -> None:
    """Every template applies to every shipped pool."""
    assert main(["validate", *POOLS]) == 0
    capsys.readouterr()
    assert main(["expand", *POOLS, "--format", "json"]) == 0
    scenarios = json.loads(capsys.readouterr().out)
    assert len(POOLS) == 3
    assert len(scenarios) == 3 * 27


def test_a_sound_pool_passes_and_leaves_its_logs(tmp_path: Path) -> None:
    """A run ends with 0, and the scenario's logs are files with a header and rows that name their columns."""
    assert main(["run", KIOSK, *ONE_JOB, "--out", str(tmp_path / "run")]) == 0
    (scenario,) = run_json(tmp_path / "run")["adoptions"][0]["scenarios"]
    assert {each["verdict"] for each in scenario["clauses"]} == {"holds"}
    for log, path in scenario["logs"].items():
        header, *rows = (tmp_path / "run" / path).read_text(encoding="utf-8").splitlines()
        assert log.removeprefix("lone-kiosk-") in POOL_LOGS
        assert rows
        assert all(list(json.loads(row)) == json.loads(header)["columns"] for row in rows)


@pytest.mark.parametrize("inversion", ["accepts-in-silence", "retry-also-returns"])
def test_a_pool_that_breaks_the_law_fails(tmp_path: Path, inversion: str) -> None:
    """A run with an inversion ends with 1 and says which rows show the breach."""
    assert main(["run", KIOSK, *ONE_JOB, "--invert", inversion, "--out", str(tmp_path / "run")]) == 1
    (scenario,) = run_json(tmp_path / "run")["adoptions"][0]["scenarios"]
    broken = [each for each in scenario["clauses"] if each["verdict"] == "violated"]
    assert broken
    assert all(each["evidence"] and each["reason"] for each in broken)


def test_a_driver_of_the_same_pool_gives_the_same_logs(tmp_path: Path) -> None:
    """The built-in pool behind the driver protocol leaves what it leaves without."""
    assert main(["run", KIOSK, *ONE_JOB, "--out", str(tmp_path / "in")]) == 0
    assert main(["run", KIOSK, *ONE_JOB, "--driver", DRIVER, "--out", str(tmp_path / "out")]) == 0
    (inside,), (outside,) = (run_json(tmp_path / name)["adoptions"][0]["scenarios"] for name in ("in", "out"))
    assert [each["verdict"] for each in inside["clauses"]] == [each["verdict"] for each in outside["clauses"]]
    for log, path in inside["logs"].items():
        assert (tmp_path / "in" / path).read_text() == (tmp_path / "out" / outside["logs"][log]).read_text()


def test_shipped_keyed_pools_validate_and_expand(capsys: pytest.CaptureFixture[str]) -> None:
    """Every template of the keyed contract applies to every shipped pool of it."""
    assert main(["validate", *KEYED_POOLS]) == 0
    capsys.readouterr()
    assert main(["expand", *KEYED_POOLS, "--format", "json"]) == 0
    scenarios = json.loads(capsys.readouterr().out)
    assert len(KEYED_POOLS) == 3
    assert len(scenarios) == 3 * 27


@pytest.mark.parametrize("driver", [(), ("--driver", DRIVER, "--validate-protocol")], ids=["built-in", "driver"])
def test_a_sound_keyed_pool_passes(tmp_path: Path, driver: tuple[str, ...]) -> None:
    """A run ends with 0, behind the driver protocol too, and the logs about keys have rows."""
    assert main(["run", KILN, *ONE_KEY, *driver, "--out", str(tmp_path / "run")]) == 0
    (scenario,) = run_json(tmp_path / "run")["adoptions"][0]["scenarios"]
    assert {each["verdict"] for each in scenario["clauses"]} == {"holds"}
    for log in ("binding-ledger", "management-outcomes"):
        path = tmp_path / "run" / scenario["logs"][f"one-kiln-{log}"]
        assert len(path.read_text(encoding="utf-8").splitlines()) > 1


def test_a_keyed_pool_that_breaks_the_law_fails(tmp_path: Path) -> None:
    """A run with an inversion ends with 1 and says which rows show the breach."""
    assert main(["run", KILN, *ONE_KEY, "--invert", "unbind-returns-jobs", "--out", str(tmp_path / "run")]) == 1
    (scenario,) = run_json(tmp_path / "run")["adoptions"][0]["scenarios"]
    broken = [each for each in scenario["clauses"] if each["verdict"] == "violated"]
    assert [each["index"] for each in broken] == [0]
    assert all(each["evidence"] and each["reason"] for each in broken)


def test_a_walk_of_a_keyed_pool_leaves_its_logs(tmp_path: Path) -> None:
    """The way to the start of a walk is a run with the logs of its contract."""
    assert main(["explore", "keyed-pool", "--depth", "1", "--quiet", "--out", str(tmp_path / "run")]) == 0
    (scenario,) = run_json(tmp_path / "run")["adoptions"][0]["scenarios"]
    assert {each.removeprefix("keyed-pool-") for each in scenario["logs"]} == {*POOL_LOGS, *KEYED_LOGS}
