"""The verb `run`: exit statuses, where it writes, what it refuses. Verdicts are given, not found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness import pipeline, workspace
from harness.base.verdict import Status
from harness.cli import main
from harness.intake import Intake
from harness.run.pilot import DEFAULT_LIMITS, Limits
from harness.runner import AdoptionRunner
from harness.writers import report_junit
from harness.writers.report import KINDS
from tests.run_builders import BAKERY, MURAL, ROOT, Choose, give_verdicts

FEW = ("-k", "lifecycle-holds or automatic-delivery")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def all_of(word: str) -> Choose:
    """Every clause gets this word."""
    return lambda scenario, index: word


def first_is(word: str) -> Choose:
    """The first clause of a scenario gets this word, the others hold; scenarios of one clause hold."""
    return lambda scenario, index: word if index == 0 and len(scenario.clauses) > 1 else "holds"


def document(out: str) -> Any:
    return json.loads((Path(out) / "run.json").read_text(encoding="utf-8"))


def spoilt(old: str, new: str, name: str = "oven.yaml") -> str:
    """A copy of the bakery beside this test, with one thing changed."""
    shutil.copytree(BAKERY.parent, Path.cwd(), dirs_exist_ok=True)
    text = BAKERY.read_text(encoding="utf-8")
    assert old in text
    Path(name).write_text(text.replace(old, new, 1), encoding="utf-8")
    return name


# -- exit statuses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choose", "options", "status"),
    [
        (all_of("holds"), (), 0),
        (first_is("nothing-to-check"), (), 0),
        (first_is("violated"), (), 1),
        (first_is("unreached"), (), 3),
        (first_is("blind"), (), 0),
        (first_is("blind"), ("--strict",), 3),
        (first_is("unreached"), ("--strict",), 3),
        (all_of("blind"), (), 3),
        (all_of("nothing-to-check"), (), 3),
        (first_is("error"), (), 70),
    ],
)
def test_status_says_what_came_of_it(
    choose: Choose, options: tuple[str, ...], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Violated is 1, undecided or nothing at all 3, an error 70; blind counts under --strict."""
    give_verdicts(monkeypatch, choose)
    assert main(["run", *options, str(BAKERY)]) == status


def test_violated_outweighs_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several statuses the first in the stated order is the call's."""
    give_verdicts(monkeypatch, lambda scenario, index: ("violated", "unreached")[index % 2])
    assert main(["run", str(BAKERY)]) == 1


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (("-k", "no-such-thing"), "-k 'no-such-thing' selects nothing"),
        (("--template", "lifecycle-hold"), "did you mean lifecycle-holds?"),
        (("--template", "lifecycle-holds", "--template", "no-such"), "--template no-such selects nothing"),
    ],
)
def test_choice_of_nothing_is_5_unless_allowed(
    choice: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A choice that chooses nothing is told and ends with 5; with --allow-empty it is fine."""
    give_verdicts(monkeypatch, all_of("holds"))
    assert main(["run", *choice, str(BAKERY)]) == 5
    assert told in capsys.readouterr().err
    assert main(["run", "--allow-empty", *choice, str(BAKERY)]) == 0


def test_interrupt_is_130_and_keeps_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is interrupted stands in its folder with the scenarios it has."""
    give_verdicts(monkeypatch, all_of("holds"))
    judge, calls = AdoptionRunner.judge, iter(range(10))

    def judge_or_stop(self: AdoptionRunner, scenario: Any) -> Any:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return judge(self, scenario)

    monkeypatch.setattr(AdoptionRunner, "judge", judge_or_stop)
    assert main(["run", "--out", "out", str(BAKERY)]) == 130
    (adoption,) = document("out")["adoptions"]
    assert len(adoption["scenarios"]) == 2
    assert all(Path("out", path).is_file() for each in adoption["scenarios"] for path in each["logs"].values())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--report", "junti=x"), "did you mean"),
        (("--report", "junit"), "names no file"),
        (("--expected-failures", "none.yaml"), "there is no such file"),
        (("--invert", "NoSuchThing"), "there is no inversion"),
        (("--max-fail", "0"), "--max-fail"),
        (("--workers", "0"), "--workers"),
        (("--timeout", "-1"), "--timeout"),
        (("--timeout", "nan"), "--timeout"),
        (("--model", "slot"), "slots"),
        (("-k", "(("), "column"),
        (("--contract", "none.json"), "none.json"),
    ],
)
def test_wrong_usage_is_2_and_nothing_is_written(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be meant is refused before anything runs."""
    assert main(["run", *arguments, str(BAKERY)]) == 2
    assert told in capsys.readouterr().err
    assert list(Path.cwd().iterdir()) == []


# -- files -----------------------------------------------------------------------------------------------------------


def test_unreadable_file_is_2_and_the_others_are_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be read is told and listed with its finding; the others are run, in a folder for several."""
    give_verdicts(monkeypatch, all_of("holds"))
    assert main(["run", "missing.yaml", str(MURAL)]) == 2
    first, second = document("diagnostics/runs/together")["adoptions"]
    assert (first["instance"], first["path"], len(first["findings"])) == (None, "missing.yaml", 1)
    assert second["scenarios"]
    assert "missing.yaml:1:1: error" in capsys.readouterr().err


def test_nothing_readable_is_2_and_writes_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Without any adoption there is no run."""
    assert main(["run", "missing.yaml"]) == 2
    assert "missing.yaml:1:1: error" in capsys.readouterr().err
    assert not Path("diagnostics").exists()


def test_invalid_adoption_is_1_and_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    """An adoption with errors that are no template's matter has its findings in run.json, and no scenario."""
    path = spoilt("covers-declared-in: rules/", "covers-declared-in: gone/")
    assert main(["run", "--out", "out", path]) == 1
    (adoption,) = document("out")["adoptions"]
    assert adoption["scenarios"] == []
    assert any(each["severity"] == "error" for each in adoption["findings"])
    assert "oven.yaml:" in capsys.readouterr().err


def test_adoption_that_the_contract_calls_invalid_is_run_and_is_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such an adoption has scenarios that can be judged; its findings make the call red all the same."""
    give_verdicts(monkeypatch, all_of("holds"))
    path = spoilt("output-full: wait-until-space", "output-full: wait-before-start")
    assert main(["run", "--out", "out", path]) == 1
    assert document("out")["adoptions"][0]["scenarios"]


def test_two_files_of_one_instance_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Scenario ids would mean two things."""
    path = spoilt("instance: bakery-oven", "instance: bakery-oven ", "twin.yaml")
    assert main(["run", path, str(BAKERY)]) == 2
    assert "have the same instance bakery-oven" in capsys.readouterr().err


def test_contract_without_judgments_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    """A contract that nobody can judge is said to be that."""
    plain = {"type": "scenario", "given": "it", "when": ["it runs"], "then": ["it ran"], "diagnostics": []}
    template = {"id": "one", "title": "t", "type": "scenario", "expand": "once", "bindings": {}, "test": plain}
    contract = {"contract": "other", "version": 1, "templates": [{**template, "text": "x"}]}
    contract["templates"][0]["test"]["diagnostics"] = ["{{instance}}-log"]  # type: ignore[index]  # built just above
    Path("other.json").write_text(json.dumps(contract))
    Path("mine.yaml").write_text("contract: other\nversion: 1\ninstance: mine\nanswers: {}\n")
    assert main(["run", "--contract", "other.json", "mine.yaml"]) == 2
    assert "the contract other of mine.yaml cannot be judged" in capsys.readouterr().err


def test_unused_contract_file_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    """A contract file that no adoption names is never ignored in silence."""
    shipped = json.loads(Path(workspace.contract_path("job-resolution")).read_text(encoding="utf-8"))
    Path("other.json").write_text(json.dumps({**shipped, "contract": "another"}))
    assert main(["run", "--contract", "other.json", str(BAKERY)]) == 2
    assert "no file names the contract in other.json" in capsys.readouterr().err


# -- options ---------------------------------------------------------------------------------------------------------


def test_run_stops_at_the_first_or_nth_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """-x stops at the first failing scenario, --max-fail after so many; the total says how far the run got."""
    give_verdicts(monkeypatch, all_of("violated"))
    for option, count in ((("-x",), 1), (("--max-fail", "3"), 3)):
        assert main(["run", *option, "--out", "out", str(BAKERY)]) == 1
        assert len(document("out")["adoptions"][0]["scenarios"]) == count


def test_time_limit_of_zero_is_undecided() -> None:
    """Without any time everything is unreached: status 3."""
    assert main(["run", "--timeout", "0", "--out", "out", str(BAKERY)]) == 3
    assert set(document("out")["summary"]["clauses"]) == {"unreached"}


def test_bounds_are_those_of_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """--depth-max, --states-max and --runs-max bound the searches; what is not said keeps its default."""
    seen: list[Limits] = []
    prepare = pipeline.prepare

    def noted(intakes: Sequence[Intake], options: pipeline.RunOptions) -> pipeline.Prepared:
        seen.append(options.limits)
        return prepare(intakes, options)

    monkeypatch.setattr(pipeline, "prepare", noted)
    give_verdicts(monkeypatch, all_of("holds"))
    main(["run", "--depth-max", "3", "--states-max", "40", "--runs-max", "5", "--out", "out", str(BAKERY)])
    main(["run", "--depth-max", "3", "--out", "out", str(BAKERY)])
    assert seen == [Limits(3, 40, 5), DEFAULT_LIMITS._replace(depth=3)]


def test_summary_has_the_total_and_quiet_says_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table on standard output reads N of N run; --quiet leaves standard error empty."""
    give_verdicts(monkeypatch, all_of("holds"))
    assert main(["run", "--quiet", *FEW, str(BAKERY)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("bakery-oven: 2 of 2 run, ")
    assert " excluded by rule, 0 unaccounted\n" in captured.out
    assert captured.err == ""


def test_inverted_run_says_so() -> None:
    """run.json names the inversion that was run; a sound run has no such key."""
    assert "inverted" not in run_once()
    from harness.models.inversions.registry import inversions

    name = inversions()[0].name
    assert run_once("--invert", name)["inverted"] == name


def run_once(*options: str) -> Any:
    main(["run", *options, *FEW, "--out", "out", str(BAKERY)])
    return document("out")


# -- reports ---------------------------------------------------------------------------------------------------------


def test_help_names_every_kind_of_report(capsys: pytest.CaptureFixture[str]) -> None:
    """What can be asked for is said where it is looked for: in the help and in the page about reports."""
    assert main(["run", "--help"]) == 0
    shown = capsys.readouterr().out
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if kind not in shown or f"| `{kind}` |" not in page] == []


def test_reports_are_written_beside_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every report that was asked for is written, its folders made."""
    give_verdicts(monkeypatch, all_of("holds"))
    asked = ["--report", "junit=deep/a.xml", "--report", "html=b.html", "--report", "badge=out/c.json"]
    assert main(["run", *asked, *FEW, "--out", "out", str(BAKERY)]) == 0
    assert all(Path(each).is_file() for each in ("deep/a.xml", "b.html", "out/c.json", "out/run.json"))


@pytest.mark.parametrize(("word", "status"), [("holds", 6), ("violated", 1)])
def test_report_that_fails_is_6_and_keeps_the_run(
    word: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report that cannot be written is told; the run and the other reports are there, and a failure weighs more."""
    give_verdicts(monkeypatch, all_of(word))
    monkeypatch.setattr(report_junit, "render", lambda report: 1 / 0)
    asked = ["--report", "junit=a.xml", "--report", "markdown=b.md"]
    assert main(["run", *asked, *FEW, "--out", "out", str(BAKERY)]) == status
    captured = capsys.readouterr()
    assert "the junit report was not written: its writer failed: ZeroDivisionError" in captured.err
    assert captured.out.startswith("bakery-oven: 2 of 2 run")
    assert Path("b.md").is_file()
    assert not Path("a.xml").exists()
    assert document("out")["adoptions"]


# -- expected failures -----------------------------------------------------------------------------------------------


def expect(*lines: tuple[str, int]) -> str:
    """A list of expected failures beside this test."""
    listed = [{"scenario": scenario, "clause": clause, "reason": "the oven is old"} for scenario, clause in lines]
    Path("known.json").write_text(json.dumps({"expected-failures": listed}, indent=1))
    return "known.json"


def test_expected_failure_is_known_and_not_red(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A listed violated clause makes its scenario known, in run.json too, and the reports give the reason."""
    give_verdicts(monkeypatch, lambda scenario, index: "violated" if "delivery" in scenario.id else "holds")
    known = expect(("bakery-oven/automatic-delivery-reports-once", 0))
    arguments = ["run", *FEW, "--out", "out", "--report", "junit=a.xml", str(BAKERY)]
    assert main(arguments) == 1
    assert main([*arguments, "--expected-failures", known]) == 0
    statuses = {each["template"]: each["status"] for each in document("out")["adoptions"][0]["scenarios"]}
    assert statuses == {"automatic-delivery-reports-once": Status.KNOWN, "lifecycle-holds": Status.PASS}
    assert document("out")["summary"]["scenarios"] == {"pass": 1, "known": 1}
    assert "known failure: the oven is old" in Path("a.xml").read_text()
    assert "known, violated: bakery-oven/automatic-delivery" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("bakery-oven/lifecycle-holds", 0), "known.json:4:16: error expected-failure: bakery-oven/lifecycle-holds"),
        (("bakery-oven/lifecycle-hold", 0), "there is no such scenario; did you mean bakery-oven/lifecycle-holds?"),
        (("bakery-oven/lifecycle-holds", 9), "the scenario has no clause 9"),
    ],
)
def test_expected_failure_that_is_none_is_red(
    line: tuple[str, int], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line whose clause no longer fails, or that names nothing, is status 1 and told with its place."""
    give_verdicts(monkeypatch, all_of("holds"))
    assert main(["run", *FEW, "--expected-failures", expect(line), str(BAKERY)]) == 1
    assert told in capsys.readouterr().err


def test_expected_failure_of_what_was_not_chosen_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of some scenarios says nothing about the others' lines."""
    give_verdicts(monkeypatch, all_of("holds"))
    known = expect(("bakery-oven/claims-keep-their-source", 0), ("street-mural/lifecycle-holds", 0))
    assert main(["run", *FEW, "--expected-failures", known, str(BAKERY)]) == 0
