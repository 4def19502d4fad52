"""A contract goes from file to verdict by its kit alone: a lamp, which nothing else in the harness knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness import kits, workspace
from harness.cli import main
from harness.intake import validate_files
from harness.inverting import HIDDEN, KILLED, SURVIVED, AdoptionMatrix
from harness.inverting_report import joined_documents, matrix_document
from harness.kits import serving
from harness.kits.jobs import KIT
from harness.kits.kit import Kit
from harness.pipeline import Prepared, RunOptions, meet_driver, prepare
from harness.run.driver.channel import DriverWish
from harness.runner import AdoptionRunner
from tests.kits.lamp_kit import LAMP, PORCH, LampKit
from tests.run_builders import BAKERY

ONE_OF_JOBS = ("--id", "bakery-oven/claims-keep-their-source")
LIT, HALL = "porch/switch-lights", "porch/button-works[hall]"


@pytest.fixture
def lamp(monkeypatch: pytest.MonkeyPatch) -> Kit:
    """The lamp's kit beside that of jobs."""
    kit = LampKit()
    for module in (kits, serving):
        monkeypatch.setattr(module, "kits", lambda: (KIT, kit))
    return kit


def document(folder: Path) -> dict[str, Any]:
    """What `run.json` says."""
    found: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return found


def words(folder: Path) -> dict[str, list[str]]:
    """The verdicts of each scenario."""
    entries = [each for adoption in document(folder)["adoptions"] for each in adoption["scenarios"]]
    return {each["id"]: [clause["verdict"] for clause in each["clauses"]] for each in entries}


@pytest.mark.usefixtures("lamp")
def test_unknown_contract_with_a_kit_runs_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plans, logs, verdicts, reports and `show` come from the kit; what it cannot plan has nothing to check."""
    out, junit = tmp_path / "run", tmp_path / "junit.xml"
    assert main(["run", "--contract", LAMP, PORCH, "--out", str(out), "--report", f"junit={junit}"]) == 3
    assert words(out) == {
        LIT: ["holds", "unreached"],
        HALL: ["holds"],
        "porch/button-works[door]": ["holds"],
        "porch/child-safe-button[hall]": ["unreached"],
        "porch/always-some-light": ["unreached"],
    }
    assert (document(out)["contract"]["id"], document(out)["model"]) == ("lamp", "bulb")
    assert HALL.partition("/")[2] in junit.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["show", str(out), HALL, "--log", "button-log"]) == 0
    assert capsys.readouterr().out.count("hall") >= 2


@pytest.mark.usefixtures("lamp")
def test_inversion_of_a_kit_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken lamp violates its clause; a name that there is not is refused with a near one."""
    call = ["run", "--contract", LAMP, PORCH, "--out", str(tmp_path / "run"), "--invert", "stays-dark"]
    assert main(call) == 1
    assert words(tmp_path / "run")[LIT][0] == "violated"
    assert document(tmp_path / "run")["inverted"] == "stays-dark"
    assert main([*call[:-1], "stays-drak"]) == 2
    assert 'did you mean "stays-dark"?' in capsys.readouterr().err


def test_matrix_of_a_kit_tells_caught_hidden_survived_and_explained(lamp: Kit, tmp_path: Path) -> None:
    """Each clause tells its contract, who violates it, and why nobody can; matrices of contracts are joined."""
    oil = tmp_path / "oil.yaml"
    oil.write_text(Path(PORCH).read_text(encoding="utf-8").replace("electric", "oil").replace("porch", "shed"))
    documents = []
    for path, expected in ((PORCH, [KILLED, SURVIVED]), (str(oil), [HIDDEN, HIDDEN])):
        (intake,) = validate_files([path], LAMP)
        assert intake.contract is not None
        matrix = AdoptionMatrix(intake)
        outcomes = [matrix.outcome(each) for each in lamp.inversions()]
        assert [each.outcome for each in outcomes] == expected
        documents.append(matrix_document(intake.contract, lamp.inversions(), outcomes, lamp.explained()))
    joined = joined_documents(documents)
    assert (joined["survived"], len(joined["inversions"])) == (1, 4)
    clauses = {(each["template"], each["index"]): each for each in documents[0]["clauses"]}
    assert clauses["switch-lights", 0]["killed-by"] == ["stays-dark"]
    assert clauses["always-some-light", 0]["explained"] == "the night is long"
    assert {each["contract"] for each in joined["clauses"]} == {"lamp"}


@pytest.mark.usefixtures("lamp")
def test_own_check_of_a_kit_is_part_of_validation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What only this contract asks of an adoption is found beside what every contract asks."""
    bare = tmp_path / "bare.yaml"
    bare.write_text(Path(PORCH).read_text(encoding="utf-8").partition("collections:")[0] + "collections: {}\n")
    assert main(["validate", "--contract", LAMP, str(bare)]) == 1
    assert "nothing switches the lamp" in capsys.readouterr().out


@pytest.mark.usefixtures("lamp")
def test_several_contracts_run_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each adoption tells its contract and its model; where one lacks a word it stays as it is, and that is said."""
    call = ["run", "--contract", LAMP, str(BAKERY), PORCH, *ONE_OF_JOBS, "--id", HALL, "--id", LIT]
    out = tmp_path / "run"
    assert main([*call, "--out", str(out), "--model", "fifo", "--invert", "stays-dark"]) == 1
    found = document(out)
    assert (found["contract"]["id"], found["model"], found["inverted"]) == ("job-resolution", "fifo", "stays-dark")
    assert [each["id"] for each in found["contracts"]] == ["job-resolution", "lamp"]
    told = [(each["contract"]["id"], each["model"], each.get("inverted")) for each in found["adoptions"]]
    assert told == [("job-resolution", "fifo", None), ("lamp", "bulb", "stays-dark")]
    said = capsys.readouterr().err
    assert "lamp has no model fifo and runs on bulb" in said
    assert "job-resolution has no inversion stays-dark and runs sound" in said
    assert words(out)["bakery-oven/claims-keep-their-source"] == ["holds"] * 3
    assert main([*call, "--out", str(out), "--model", "fifo", "--invert", "stays-dark", "--resume"]) == 1
    assert "3 of 3 scenarios are taken over" in capsys.readouterr().err
    assert document(out) == found


@pytest.mark.usefixtures("lamp")
def test_model_that_no_contract_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The words that there are are listed."""
    assert main(["run", "--contract", LAMP, PORCH, "--out", str(tmp_path / "run"), "--model", "slots"]) == 2
    assert "the models are auto, bulb, candle" in capsys.readouterr().err


@pytest.mark.usefixtures("lamp")
def test_verb_that_a_contract_has_no_use_for_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Trying drivers, and logs recorded elsewhere, know jobs only."""
    for verb in (["smoke", "--driver", "true"], ["check-logs", "--logs", "."]):
        assert main([*verb, "--contract", LAMP, PORCH]) == 2
        assert f"{verb[0]} does not work for the contract lamp" in capsys.readouterr().err


def test_contract_without_a_kit_cannot_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It validates and expands; running says why not, also beside a contract that can be."""
    assert main(["validate", "--contract", LAMP, PORCH]) == 0
    assert main(["expand", "--contract", LAMP, PORCH, "--quiet"]) == 0
    capsys.readouterr()
    for files in ([PORCH], [str(BAKERY), PORCH]):
        assert main(["run", "--contract", LAMP, *files, "--out", str(tmp_path / "run")]) == 2
        assert f"the contract lamp of {PORCH} cannot be judged" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


# -- drivers -----------------------------------------------------------------------------------------------------------


def prepared(*files: str) -> Prepared:
    """Adoptions of both contracts, run by a shipped driver in this process."""
    return prepare(validate_files(files, LAMP), RunOptions(driver=DriverWish("builtin:lifecycle")))


def test_one_driver_serves_every_contract(lamp: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """The built-in driver is the system of each contract in turn, and leaves the rows that the system itself leaves."""
    shipped = {"lamp": LAMP, **workspace.contract_files()}
    monkeypatch.setattr(workspace, "contract_files", lambda: shipped)
    ready = prepared(PORCH, str(BAKERY))
    try:
        told = meet_driver(ready, RunOptions(driver=DriverWish("builtin:lifecycle")))
        assert told is not None
        assert set(lamp.logs) < set(told["observes"])
        assert "report-log" in told["observes"]
        here = AdoptionRunner(ready.intakes[0])
        there = ready.runners[0]
        assert there is not None
        scenario = next(each for each in here.expansion.scenarios if each.id == HALL)
        expected, found = here.judge(scenario), there.judge(scenario)
        assert [each.verdict for each in found.clauses] == [each.verdict for each in expected.clauses]
        assert [each.data for each in found.recording.rows] == [each.data for each in expected.recording.rows] != []
    finally:
        ready.close()
