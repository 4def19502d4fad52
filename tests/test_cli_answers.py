"""The verb `answers` on the command line, and the page that shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.cli import main
from harness.exit_status import ExitStatus
from tests.answers_shipped import BAKERY, MURAL, document, path_of, studied


@pytest.fixture(autouse=True)
def _each_study_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several calls print the same study: the verb gets it from where it is made once."""
    monkeypatch.setattr("harness.answers.study_answers", studied)


# -- the verb -------------------------------------------------------------------------------------------------------


def test_verb_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each other answer, the sums before it, and where a question would be asked after it."""
    assert main(["answers", str(path_of(MURAL))]) == ExitStatus.OK
    told = capsys.readouterr().out
    assert told.startswith("street-mural: 3 questions, 8 other answers, 1 dead\n")
    assert "* input-claim-timing would be asked under job-inputs: required-inputs" in told


def test_verb_prints_one_question_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    """A chosen question is told with its scenarios, its clauses and its run."""
    assert main(["answers", "--question", "partial-work", str(path_of(BAKERY))]) == ExitStatus.OK
    told = capsys.readouterr().out
    assert "partial-work: reset-at-stop instead of keep-with-job" in told
    assert "  appear: bakery-oven/reset-work-clears-on-ordinary-stop" in told
    assert (
        "    open-pool ovens, request A bake-loaf, tick, instruct A power-cut\n    report-log: work-after 1 or 0"
        in told
    )
    assert "job-inputs" not in told


def test_verb_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON form is the study's document, whole."""
    assert main(["answers", "--format", "json", str(path_of(MURAL))]) == ExitStatus.OK
    assert json.loads(capsys.readouterr().out) == document(MURAL)


def test_verb_refuses_a_question_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt question is wrong usage, with the nearest one as the hint."""
    assert main(["answers", "--question", "partial-wrok", str(path_of(MURAL))]) == ExitStatus.USAGE
    assert 'did you mean "partial-work"?' in capsys.readouterr().err


def test_verb_says_when_a_question_is_never_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """A question that no answer makes be asked leaves nothing to show."""
    assert main(["answers", "--question", "cancel-dependents", str(path_of(MURAL))]) == ExitStatus.NOTHING


def test_verb_does_not_run_an_adoption_with_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with errors of its own is told them, as by every verb."""
    path = tmp_path / "broken.yaml"
    path.write_text("contract: job-resolution\n")
    assert main(["answers", str(path)]) == ExitStatus.USAGE
    assert "missing-key" in capsys.readouterr().err


# -- the page -------------------------------------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parent.parent / "docs" / "answers.md"
SHOWN = re.findall(r"```console\n\$ harness (answers .*)\n((?:.*\n)*?)```\n", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_page_shows_what_the_verb_prints(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call on the page prints just what stands below it."""
    monkeypatch.chdir(PAGE.parent.parent)
    assert main(command.split()) == ExitStatus.OK
    assert capsys.readouterr().out == shown


def test_page_shows_the_table_one_question_and_the_json() -> None:
    """The page has a real call for each form."""
    assert len(SHOWN) == 3
