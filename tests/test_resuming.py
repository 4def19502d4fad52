"""`run --resume`: what is taken over, what is run anew, and that the result is the same bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.cli import main
from harness.runner import AdoptionRunner
from tests.run_builders import BAKERY, give_verdicts

OUT = Path("out")
CALL = ("run", "--out", "out", "oven.yaml")
FEW = ("-k", "lifecycle-holds or finish or reports-identify or read-first")


@pytest.fixture(autouse=True)
def _oven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has its own copy of the bakery as `oven.yaml`, beside which it runs."""
    shutil.copytree(BAKERY.parent, tmp_path, dirs_exist_ok=True)
    shutil.move(tmp_path / BAKERY.name, tmp_path / "oven.yaml")
    monkeypatch.chdir(tmp_path)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that are judged from now on, as they come."""
    seen: list[str] = []
    judge = AdoptionRunner.judge

    def noted(self: AdoptionRunner, scenario: Any) -> Any:
        seen.append(scenario.template)
        return judge(self, scenario)

    monkeypatch.setattr(AdoptionRunner, "judge", noted)
    return seen


def change(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new, 1), encoding="utf-8")


def edit_json(name: str, edit: Callable[[Any], object]) -> None:
    value = json.loads((OUT / name).read_text(encoding="utf-8"))
    edit(value)
    (OUT / name).write_text(json.dumps(value), encoding="utf-8")


class Whole(NamedTuple):
    """What a run that did all at once ended with and wrote."""

    status: int
    files: dict[str, bytes]


@cache
def whole() -> Whole:
    """The run of the few scenarios, made once in the folder of the test that asks first."""
    status = main([*CALL, *FEW])
    files = tree(OUT)
    shutil.rmtree(OUT)
    return Whole(status, files)


def test_resumed_run_is_the_same_bytes_as_a_whole_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of some scenarios, resumed for more, equals a run that did all at once, file by file."""
    expected = whole()
    main([*CALL, "-k", "finish"])
    capsys.readouterr()
    seen = judged(monkeypatch)
    assert main([*CALL, *FEW, "--resume"]) == expected.status
    assert tree(OUT) == expected.files
    assert seen
    assert not any("finish" in each for each in seen)
    assert "are taken over, the others are run anew" in capsys.readouterr().err


def test_resumed_run_with_workers_is_the_same_bytes() -> None:
    """Only what is left goes to the workers, and everything stands in its place."""
    expected = whole().files
    main([*CALL, "-k", "finish"])
    main([*CALL, *FEW, "--resume", "--workers", "2"])
    assert tree(OUT) == expected


def test_interrupted_run_is_finished_by_resuming(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was finished before the interrupt is not run again."""
    expected = whole().files
    judge = AdoptionRunner.judge
    calls = iter(range(99))

    def judge_or_stop(self: AdoptionRunner, scenario: Any) -> Any:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return judge(self, scenario)

    with monkeypatch.context() as patched:
        patched.setattr(AdoptionRunner, "judge", judge_or_stop)
        assert main([*CALL, *FEW]) == 130
    seen = judged(monkeypatch)
    main([*CALL, *FEW, "--resume"])
    assert tree(OUT) == expected
    assert len(seen) == len(json.loads(expected["run.json"])["adoptions"][0]["scenarios"]) - 2


def _break_run(_: object = None) -> None:
    (OUT / "run.json").write_text("{")


def _break_resume() -> None:
    (OUT / "resume.json").unlink()


@pytest.mark.parametrize(
    ("meddle", "options", "told"),
    [
        (lambda: None, ("--depth-max", "7"), "the bound on searches differs"),
        (lambda: edit_json("resume.json", lambda each: each.update(harness="0.0.1")), (), "the version of the harness"),
        (lambda: edit_json("resume.json", lambda each: each.update(contract="sha256:1")), (), "the contract differs"),
        (lambda: edit_json("resume.json", lambda each: each.update(model="fifo")), (), "the model differs"),
        (lambda: edit_json("resume.json", lambda each: each.update(adoptions=[])), (), "the adoption, or a passage"),
        (lambda: change("oven.yaml", "instance", "\ninstance"), (), "the adoption, or a passage"),
        (lambda: change("rules/bakery.md", "Two ovens", "Two small ovens"), (), "the adoption, or a passage"),
        (_break_run, (), "the earlier run.json is not JSON"),
        (_break_resume, (), "there is no earlier resume.json"),
        (lambda: edit_json("run.json", lambda each: each.pop("model")), (), "run.json does not fit its schema"),
        (lambda: shutil.rmtree(OUT), (), "there is no earlier run.json"),
    ],
)
def test_other_basis_is_run_anew_and_said(
    meddle: Callable[[], object],
    options: tuple[str, ...],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where anything that the earlier run rests on differs, or it is broken, nothing of it is used, and it says why."""
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    assert main([*CALL, *FEW]) == 0
    meddle()
    seen = judged(monkeypatch)
    capsys.readouterr()
    main([*CALL, *FEW, *options, "--resume"])
    assert told in capsys.readouterr().err
    assert len(seen) == len(json.loads((OUT / "run.json").read_text())["adoptions"][0]["scenarios"])


def _scenario(name: str) -> str:
    return f"bakery-oven.{name}"


@pytest.mark.parametrize(
    "meddle",
    [
        lambda: next((OUT / _scenario("lifecycle-holds")).glob("*.jsonl")).unlink(),
        lambda: (OUT / _scenario("lifecycle-holds") / "scenario.json").write_bytes(b"\xff"),
        lambda: edit_json(
            "run.json",
            lambda each: each["adoptions"][0]["scenarios"][-1]["logs"].update({"bakery-oven-x": "../../secret"}),
        ),
    ],
)
def test_scenario_with_a_broken_file_is_run_anew(meddle: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """A scenario is taken over whole or not at all, and nothing outside of its folder is read."""
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    main([*CALL, *FEW])
    expected = tree(OUT)
    meddle()
    seen = judged(monkeypatch)
    assert main([*CALL, *FEW, "--resume"]) == 0
    assert seen == ["lifecycle-holds"]
    assert tree(OUT) == expected


@pytest.mark.parametrize("first", ["error", "unreached"])
def test_what_was_not_decided_is_run_anew(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scenario that failed in the harness, or that no run was made for in time, gets another chance."""
    with monkeypatch.context() as patched:
        give_verdicts(patched, lambda scenario, index: first if "lifecycle" in scenario.id else "holds")
        main([*CALL, *FEW])
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    seen = judged(monkeypatch)
    assert main([*CALL, *FEW, "--resume"]) == 0
    assert seen == ["lifecycle-holds"]


def test_known_failures_are_those_of_the_resumed_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A status is told from the clauses anew: a list that is given, or left out, counts for what is taken over too."""
    give_verdicts(monkeypatch, lambda scenario, index: "violated" if "lifecycle" in scenario.id else "holds")
    line = {"scenario": "bakery-oven/lifecycle-holds", "clause": 0, "reason": "old"}
    Path("known.json").write_text(json.dumps({"expected-failures": [line]}))
    assert main([*CALL, *FEW, "--expected-failures", "known.json"]) == 0
    assert main([*CALL, *FEW, "--resume"]) == 1
    assert main([*CALL, *FEW, "--resume", "--expected-failures", "known.json"]) == 0
