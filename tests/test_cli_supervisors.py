"""Fixed supervisors by the verbs: what validates and runs, and with which exit status."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import workspace
from harness.cli import main
from harness.run.pools.supervisor.logs import SUPERVISOR_LOGS

FILES = tuple(map(str, workspace.adoption_files("fixed-supervisor")))
(BEACON,) = (each for each in FILES if "lone-beacon" in each)
DRIVER = f"{sys.executable} -m harness driver"
DRAIN = ("--id", "lone-beacon/claim-10-exact-drain")


def scenario_of(folder: Path) -> dict[str, Any]:
    """The one scenario of a run."""
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (scenario,) = document["adoptions"][0]["scenarios"]
    found: dict[str, Any] = scenario
    return found


def test_shipped_supervisors_validate_and_expand(capsys: pytest.CaptureFixture[str]) -> None:
    """Every template applies to every shipped supervisor."""
    assert main(["validate", *FILES]) == 0
    capsys.readouterr()
    assert main(["expand", *FILES, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3 * 22


def test_a_sound_supervisor_passes_and_leaves_its_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run ends with 0, its logs are files with a header and rows, and `show` reads them."""
    out = tmp_path / "run"
    assert main(["run", BEACON, *DRAIN, "--out", str(out)]) == 0
    scenario = scenario_of(out)
    verdicts = [each["verdict"] for each in scenario["clauses"]]
    assert verdicts == [*("holds",) * 4, "nothing-to-check"]
    assert scenario["logs"]
    for log, path in scenario["logs"].items():
        header, *rows = (out / path).read_text(encoding="utf-8").splitlines()
        assert log.removeprefix("lone-beacon-") in SUPERVISOR_LOGS
        assert all(list(json.loads(row)) == json.loads(header)["columns"] for row in rows)
    capsys.readouterr()
    assert main(["show", str(out)]) == 0
    assert "lone-beacon/claim-10-exact-drain" in capsys.readouterr().out


@pytest.mark.parametrize("inversion", ["shutdown-asks-again", "shutdown-ends-strangers", "shutdown-forgets-starts"])
def test_a_supervisor_that_breaks_the_law_fails(tmp_path: Path, inversion: str) -> None:
    """A run with an inversion ends with 1 and says which rows show the breach."""
    assert main(["run", BEACON, *DRAIN, "--invert", inversion, "--out", str(tmp_path / "run")]) == 1
    broken = [each for each in scenario_of(tmp_path / "run")["clauses"] if each["verdict"] == "violated"]
    assert broken
    assert all(each["evidence"] and each["reason"] for each in broken)


def test_a_driver_of_the_same_supervisor_gives_the_same_logs(tmp_path: Path) -> None:
    """The built-in supervisor behind the driver protocol leaves what it leaves without."""
    assert main(["run", BEACON, *DRAIN, "--out", str(tmp_path / "in")]) == 0
    assert main(["run", BEACON, *DRAIN, "--driver", DRIVER, "--out", str(tmp_path / "out")]) == 0
    inside, outside = (scenario_of(tmp_path / name) for name in ("in", "out"))
    assert [each["verdict"] for each in inside["clauses"]] == [each["verdict"] for each in outside["clauses"]]
    for log, path in inside["logs"].items():
        assert (tmp_path / "in" / path).read_text() == (tmp_path / "out" / outside["logs"][log]).read_text()


def test_schemas_are_found_by_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """A log that several contracts have is that of the named contract."""
    assert main(["schema", "state-trace", "--contract", "fixed-supervisor"]) == 0
    assert json.loads(capsys.readouterr().out)["$id"] == "supervisors/state-trace.schema.json"
