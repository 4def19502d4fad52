"""`pytest --adoption FILE...`: what becomes a test, and how it ends. Each test is a call of pytest of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.intake import validate_files
from harness.runner import AdoptionRunner
from tests.run_builders import BAKERY, ROOT

PLUGIN = "harness.pytest_plugin"
# Where the package is installed its entry point loads the plugin already.
LOAD = () if any(each.value == PLUGIN for each in entry_points(group="pytest11")) else ("-p", PLUGIN)
# Hypothesis takes as long to import as all the rest of a call; real scenarios are run beside it, the others without.
LEAN = ("-p", "no:hypothesispytest")

#: What a conftest says to give each scenario the words that a test wants, without running it.
GIVEN = """
import pytest
from harness.base.verdict import Verdict
from harness.run.recording import LogRow
from harness.runner import AdoptionRunner
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.judging import Judged, failed_scenario

WORDS = {words!r}
ROW = LogRow("report-log", 7, 1, 2, "A", 1, 1, {{"report": "job-started", "old": "requested"}})

def judge(self, scenario):
    plain = failed_scenario(scenario, Verdict.HOLDS, "")
    word = WORDS.get(scenario.template, "holds")
    reason = None if word == "holds" else "made " + word
    clauses = tuple(
        ClauseVerdict(each.index, each.text, Verdict(word), reason, (ROW,) if word in ("holds", "violated") else ())
        for each in plain.clauses
    )
    recording = plain.recording.__class__(scenario.id, (), (ROW,), frozenset())
    return Judged(scenario, plain.plan, recording, clauses)

AdoptionRunner.judge = judge
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with an adoption `my/oven.yaml`, and tests of its own that `testpaths` names."""
    shutil.copytree(BAKERY.parent, tmp_path / "my")
    shutil.move(tmp_path / "my" / BAKERY.name, tmp_path / "my" / "oven.yaml")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "test_own.py").write_text("def test_own():\n    pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = own\n")
    return tmp_path


def call(folder: Path, *arguments: str, among: tuple[str, ...] = LEAN) -> tuple[int, str]:
    """The status and the output of `python -m pytest` in the folder, `among` the other plugins that are installed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *LOAD, *among, "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def give(folder: Path, **words: str) -> None:
    """Let the scenarios of these templates (underscores for hyphens) get these words, the others hold."""
    named = {name.replace("_", "-"): word for name, word in words.items()}
    (folder / "conftest.py").write_text(GIVEN.format(words=named))


def collected(output: str) -> list[str]:
    return re.findall(r"^(\S+::\S+)$", output, re.MULTILINE)


def test_scenarios_are_the_only_tests_where_no_path_is_named(folder: Path) -> None:
    """Each scenario is a test with the file's path and `template[row]` as its id; `testpaths` is not collected."""
    status, output = call(folder, "--collect-only", "-q", "--adoption", "my/oven.yaml")
    ids = collected(output)
    assert status == 0
    assert "my/oven.yaml::lifecycle-holds" in ids
    assert "my/oven.yaml::work-phase-enters-working[baking]" in ids
    assert all(each.startswith("my/oven.yaml::") for each in ids)
    assert len(ids) == len(set(ids))


def test_without_the_option_everything_is_as_before(folder: Path) -> None:
    """An adoption beside the tests is no test unless it is named, and nothing of the harness is loaded."""
    (folder / "own" / "test_own.py").write_text(
        "import sys\n"
        "def test_own():\n"
        "    loaded = {each for each in sys.modules if each.split('.')[0] in ('harness', 'yaml', 'click')}\n"
        f"    assert loaded <= {{'harness', '{PLUGIN}'}}\n"
    )
    status, output = call(folder)
    assert (status, "1 passed" in output) == (0, True), output
    assert call(folder, "my/oven.yaml")[0] != 0


def test_named_paths_are_collected_too(folder: Path) -> None:
    """Paths before the option are collected beside the adoptions; several adoptions can follow one option."""
    shutil.copy(folder / "my" / "oven.yaml", folder / "my" / "second.yaml")
    shutil.copy(folder / "my" / "oven.yaml", folder / "my" / "third.yaml")
    arguments = ("own", "--adoption", "my/oven.yaml", "my/second.yaml", "--adoption", "my/third.yaml")
    _, output = call(folder, "--collect-only", "-q", *arguments)
    files = dict.fromkeys(each.partition("::")[0] for each in collected(output))
    assert list(files) == ["own/test_own.py", "my/oven.yaml", "my/second.yaml", "my/third.yaml"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("my/oven.yaml::work-phase-enters-working[baking]", "--adoption", "my/oven.yaml"),
        ("--adoption", "my/oven.yaml::work-phase-enters-working[baking]"),
        ("--adoption", "my/oven.yaml", "-k", "enters and working and baking"),
    ],
)
def test_one_scenario_can_be_chosen(folder: Path, arguments: tuple[str, ...]) -> None:
    """By its id beside the option or in it, and by a keyword."""
    _, output = call(folder, "--collect-only", "-q", *arguments)
    assert collected(output) == ["my/oven.yaml::work-phase-enters-working[baking]"]


def test_ids_do_not_hang_on_where_pytest_is_called(folder: Path) -> None:
    """From a folder below, and with an absolute path, the ids are the same."""
    absolute = str(folder / "my" / "oven.yaml")
    for place, path in ((folder / "my", "oven.yaml"), (folder, absolute)):
        ids = collected(call(place, "--collect-only", "-q", "--adoption", path)[1])
        assert "my/oven.yaml::lifecycle-holds" in ids


def test_scenarios_end_as_their_clauses_do(folder: Path) -> None:
    """Violated, error and unreached fail; blind and nothing to check are skipped with their reason; the rest pass."""
    give(
        folder,
        lifecycle_holds="violated",
        claims_keep_their_source="unreached",
        exact_inputs_required="error",
        automatic_delivery_reports_once="nothing-to-check",
        reports_identify_the_run="blind",
    )
    status, output = call(folder, "-rs", "--adoption", "my/oven.yaml")
    assert status == 1
    assert re.search(r"3 failed, \d+ passed, 2 skipped", output)
    assert re.search(r"^SKIPPED \[1\] my/oven.yaml:1: nothing-to-check: made nothing-to-check$", output, re.MULTILINE)
    assert re.search(r"^SKIPPED \[1\] my/oven.yaml:1: blind: made blind$", output, re.MULTILINE)


def test_failure_reads_as_a_story(folder: Path) -> None:
    """A failed scenario shows given, when, the failed clause with its reason, and the rows that show it: no code."""
    give(folder, claims_keep_their_source="violated")
    _, output = call(folder, "--adoption", "my/oven.yaml", "-k", "claims-keep-their-source")
    story = output.partition("FAILURES")[2]
    for part in (
        "bakery-oven/claims-keep-their-source: fail",
        "  given each claim, release, spend, and loss",
        "  when  ",
        "  then [0] ",
        "    violated: made violated",
        "      bakery-oven-report-log 7 (run 1, moment 2) run=A report=job-started old=requested",
    ):
        assert part in story
    assert "Traceback" not in story
    assert ".py" not in story.partition("short test summary")[0]


def test_real_scenario_runs(folder: Path) -> None:
    """Without any conftest and beside any plugin a scenario is planned, run and judged."""
    _, output = call(folder, "--adoption", "my/oven.yaml", "-k", "read-first", among=())
    assert re.search(r"1 (passed|failed|skipped), \d+ deselected", output), output
    assert "the harness failed" not in output


def test_first_failure_stops_and_last_failures_run_again(folder: Path) -> None:
    """-x, --lf and a JUnit file work as for any other test."""
    give(folder, lifecycle_holds="violated", claims_keep_their_source="violated")
    cached = ("-p", "cacheprovider", "--adoption", "my/oven.yaml")
    assert "1 failed" in call(folder, *cached, "-x")[1]
    assert "2 failed" in call(folder, *cached, "--junitxml", "out.xml")[1]
    assert re.search(r"^=* ?2 failed, \d+ deselected", call(folder, *cached, "--lf")[1].splitlines()[-1])
    cases = list(ElementTree.parse(folder / "out.xml").iter("testcase"))
    failed = [each.get("name") for each in cases if each.find("failure") is not None]
    assert failed == ["claims-keep-their-source", "lifecycle-holds"]
    assert {each.get("classname") for each in cases} == {"my.oven.yaml"}


def test_processes_share_the_scenarios(folder: Path) -> None:
    """With pytest-xdist every scenario is run once, in some process."""
    give(folder, lifecycle_holds="violated")
    total = len(AdoptionRunner(validate_files([str(BAKERY)])[0]).expansion.scenarios)
    _, output = call(folder, "--adoption", "my/oven.yaml", "-n", "2")
    assert re.search(rf"1 failed, {total - 1} passed", output.splitlines()[-1]), output


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: text.replace("output-full: wait", "output-ful: wait"), r"my/oven\.yaml:\d+:\d+: error unknown"),
        (lambda text: text + "\n: [", r"my/oven\.yaml:\d+:\d+: error [a-z-]+: "),
        (
            lambda text: text.replace("contract: job-resolution", "contract: nothing"),
            r"my/oven\.yaml:\d+:11: error contract-unknown",
        ),
    ],
)
def test_broken_adoption_is_an_error_with_its_findings(folder: Path, spoil: object, told: str) -> None:
    """A file that cannot be used is a collection error that places every finding, not a traceback."""
    path = folder / "my" / "oven.yaml"
    assert callable(spoil)
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
    status, output = call(folder, "--adoption", "my/oven.yaml")
    assert status == 2
    assert re.search(told, output), output
    assert "Traceback" not in output
    assert "1 error" in output


def test_missing_adoption_is_wrong_usage(folder: Path) -> None:
    """A path that is not there is said, as for any other path."""
    status, output = call(folder, "--adoption", "my/missing.yaml")
    assert status == 4
    assert "my/missing.yaml" in output


def test_plugin_is_an_entry_point_of_the_package() -> None:
    """An installed package brings the plugin along."""
    assert f'[project.entry-points.pytest11]\nharness = "{PLUGIN}"\n' in (ROOT / "pyproject.toml").read_text()
