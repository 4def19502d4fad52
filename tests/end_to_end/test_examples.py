"""The examples for continuous integration, tried as far as that goes without a service."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from harness.cli import cli, main
from tests.run_builders import BAKERY, ROOT, give_verdicts

WORKFLOW = ROOT / "examples" / "ci" / "github-workflow.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"

#: Verbs that a document may speak of before they are there.
UPCOMING = ("new",)


def workflow() -> Any:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))


def commands(environment: dict[str, str]) -> list[list[str]]:
    """Every call of the harness in the workflow, with the variables filled in as a shell would."""
    (job,) = workflow()["jobs"].values()
    runs = [each["run"] for each in job["steps"] if "run" in each]
    known = {**job["env"], **environment}
    filled = [re.sub(r"\$([A-Z_]+)", lambda found: known[found[1]], each) for each in runs]
    return [words[1:] for each in filled if (words := shlex.split(each))[0] == "harness"]


def test_workflow_is_one() -> None:
    """The file is YAML with the parts that a workflow has, and each step uses an action or runs something."""
    document = workflow()
    # YAML 1.1 reads the key `on` as true; the service does not.
    assert {"name", "permissions", "jobs"} <= set(document)
    assert document[True] == ["push", "pull_request"]
    (job,) = document["jobs"].values()
    assert all(("uses" in each) != ("run" in each) for each in job["steps"])
    assert all("@" in each["uses"] for each in job["steps"] if "uses" in each)


def test_workflow_calls_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both calls of the workflow do what it expects of them in a repository with an adoption."""
    shutil.copytree(BAKERY.parent, tmp_path / "adoptions" / "oven")
    monkeypatch.chdir(tmp_path)
    give_verdicts(monkeypatch, lambda scenario, index: "holds")
    validate, run = commands({"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")})
    assert main(validate) == 0
    assert main([each if each != "2" else "1" for each in run]) == 0
    assert "bakery-oven: 30 of 30 run" in capsys.readouterr().out
    for written in ("reports/junit.xml", "runs/run.json", "summary.md"):
        assert (tmp_path / written).is_file()


def test_finding_is_shown_beside_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The workflow's validation turns an error finding red and into a command of the service."""
    monkeypatch.chdir(tmp_path)
    Path("adoptions").mkdir()
    Path("adoptions/mine.adoption.yaml").write_text("contract: job-resolution\n")
    validate, _ = commands({"GITHUB_STEP_SUMMARY": os.devnull})
    assert main(validate) == 2
    assert capsys.readouterr().out.startswith("::error file=adoptions/mine.adoption.yaml,line=1,col=1,title=")


def test_hook_takes_adoptions_and_runs() -> None:
    """The hook's pattern takes every shipped adoption and nothing else of the project, and its entry validates them."""
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language", "files"} <= set(hook)
    assert (hook["id"], hook["language"]) == ("harness-validate", "python")
    folders = ("adoptions", "contracts", "diagnostics", "docs", "examples")
    names = [each.relative_to(ROOT).as_posix() for folder in folders for each in (ROOT / folder).rglob("*.*")]
    taken = sorted(each for each in names if re.search(hook["files"], each))
    assert taken == [each.relative_to(ROOT).as_posix() for each in sorted((ROOT / "adoptions").glob("*/*.yaml"))]
    program, *arguments = shlex.split(hook["entry"])
    assert program == "harness"
    assert main([*arguments, str(BAKERY)]) == 0


def documented_calls() -> list[list[str]]:
    """Each `harness ...` call in the documents, its placeholders left as they are."""
    documents = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", WORKFLOW)
    text = "\n".join(each.read_text(encoding="utf-8") for each in documents)
    found = re.findall(r"(?:`|^\s*|run: |bin/)harness ([a-z][a-z-]*(?: [^`\n|]*)?)", text, re.MULTILINE)
    calls = [shlex.split(re.sub(r"['\[\]]", "", each)) for each in dict.fromkeys(found)]
    return [each for each in calls if each[0] in cli.commands or each[0] not in UPCOMING]


@pytest.mark.parametrize("call", documented_calls(), ids=" ".join)
def test_documented_calls_name_verbs_and_options_that_exist(call: list[str]) -> None:
    """Whatever call a document shows, its verb is one, and its options are options of that verb."""
    verb = cli.commands.get(call[0])
    assert verb is not None
    known = {name for each in verb.params if isinstance(each, click.Option) for name in each.opts}
    assert {each.split("=")[0] for each in call[1:] if each.startswith("--")} <= known | {"--help"}
