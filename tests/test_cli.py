"""The verbs of the command line, called in this process."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from harness import __version__, console, workspace
from harness.base.errors import HarnessError, ReportError, UsageError
from harness.cli import FINDING_FORMATS, SCENARIO_FORMATS, cli, main

BAKERY = Path(__file__).resolve().parent.parent / "adoptions" / "bakery-oven" / "bakery-oven.adoption.yaml"


@pytest.fixture
def oven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bakery's folder to spoil, with the current folder beside its adoption `oven.yaml`."""
    for source in BAKERY.parent.rglob("*"):
        if source.is_file():
            copy = tmp_path / source.relative_to(BAKERY.parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    return (tmp_path / BAKERY.name).rename(tmp_path / "oven.yaml")


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("verb", sorted(cli.commands))
def test_every_verb_explains_itself_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` shows an example call of the verb, and the options that all verbs share."""
    assert main([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"  harness {verb} " in shown.split("Example:")[1]
    assert "--quiet" in shown
    assert "--no-color" in shown


def test_version_is_the_package_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints name and version on one line."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"harness {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["valdate", "x"], "validate"),
        (["validate", "--fromat", "json", "x"], "--format"),
        (["validate", "--format", "jsno", "x"], "json"),
        (["validate"], "FILE"),
        (["schema", "report-logs"], "did you mean report-log?"),
        (["schema", "adoption", "--contract", "nothing"], "job-resolution"),
        (["expand", "-k", "and", str(BAKERY)], "column 1"),
        ([], "Usage"),
    ],
)
def test_wrong_usage_is_status_2_with_a_way_out(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unknown verbs, options, values and names end with 2, and standard error points to the right one."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert hint in captured.err
    assert captured.out == ""


def test_validate_good_file_is_status_0(oven: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A valid adoption prints no finding; the count goes to standard error and is left out when quiet."""
    assert main(["validate", "oven.yaml"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "1 file checked, all valid: 0 errors, 0 warnings, 0 notes\n"
    assert main(["validate", "--quiet", "oven.yaml"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", FINDING_FORMATS)
def test_validate_invalid_file_is_status_1_in_every_format(
    form: str, oven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error finding gives 1, and every format names the file and the rule."""
    spoil(oven, "output-full: wait-until-space", "output-full: wait-before-start")
    assert main(["validate", "--format", form, "oven.yaml"]) == 1
    shown = capsys.readouterr().out
    assert "oven.yaml" in shown
    assert "row-needed" in shown


def test_validate_unreadable_file_is_status_2_and_the_others_are_done(
    oven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that can't be read, parsed or fitted is a finding like any other; the rest of the files are still done."""
    (oven.parent / "broken.yaml").write_text("a: [1\n")
    arguments = ["validate", "--format", "json", "missing.yaml", "broken.yaml", "oven.yaml"]
    assert main(arguments) == 2
    listed = json.loads(capsys.readouterr().out)
    assert [(each["path"], each["valid"]) for each in listed] == [
        ("missing.yaml", False),
        ("broken.yaml", False),
        ("oven.yaml", True),
    ]
    assert all(each["findings"][0]["line"] >= 1 for each in listed[:2])


def test_broken_contract_file_is_status_2_with_all_that_is_wrong(
    oven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A contract file that can't be used is wrong usage, and the message lists every finding with its place."""
    Path("broken.json").write_text('{"contract": "x"}')
    assert main(["validate", "--contract", "broken.json", "oven.yaml"]) == 2
    told = capsys.readouterr().err
    assert told.count("broken.json:1:1: error missing-key") == 2


def test_contract_file_that_no_adoption_names_is_status_2(oven: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A contract file is never ignored in silence."""
    Path("other.json").write_text(json.dumps(OTHER_CONTRACT))
    assert main(["validate", "--contract", "other.json", "oven.yaml"]) == 2
    assert "no file names the contract in other.json" in capsys.readouterr().err


def test_contract_file_replaces_the_shipped_one_of_its_id(oven: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An adoption is held to the given file where that states the contract it names."""
    changed = json.loads(Path(workspace.contract_path("job-resolution")).read_text(encoding="utf-8"))
    changed["templates"][0]["title"] = "another title"
    Path("changed.json").write_text(json.dumps(changed))
    assert main(["expand", "--format", "json", "--contract", "changed.json", "--quiet", "oven.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["title"] == "another title"


OTHER_CONTRACT = {
    "contract": "other",
    "version": 1,
    "templates": [
        {
            "id": "one",
            "title": "{{instance}} is there",
            "type": "scenario",
            "expand": "once",
            "bindings": {},
            "test": {
                "type": "scenario",
                "given": "it",
                "when": ["it runs"],
                "then": ["it ran"],
                "diagnostics": ["{{instance}}-log"],
            },
            "text": "It is there.",
        }
    ],
}


def test_expand_works_for_a_contract_without_judgments(oven: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any contract in the format expands, and its adoption schema can be printed."""
    Path("other.json").write_text(json.dumps(OTHER_CONTRACT))
    Path("mine.yaml").write_text("contract: other\nversion: 1\ninstance: mine\nanswers: {}\n")
    assert main(["expand", "--contract", "other.json", "--format", "jsonl", "mine.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "mine is there"
    assert main(["schema", "adoption", "--contract", "other.json"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["contract"] == {"type": "string", "const": "other"}


@pytest.mark.parametrize("form", SCENARIO_FORMATS)
def test_expand_prints_every_format_without_a_placeholder(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every format shows each scenario of the adoption with nothing left to fill in."""
    assert main(["expand", "--format", form, "--quiet", str(BAKERY)]) == 0
    captured = capsys.readouterr()
    assert "{{" not in captured.out
    assert "work-phase-enters-working" in captured.out
    assert captured.err == ""


def test_expand_says_the_account(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard error tells how many of all units are expanded, excluded and unaccounted, and the sums agree."""
    assert main(["expand", "--format", "json", "--all", str(BAKERY)]) == 0
    captured = capsys.readouterr()
    entries = json.loads(captured.out)
    excluded = sum("excluded" in each for each in entries)
    expanded = len(entries) - excluded
    assert captured.err == (
        f"bakery-oven: {expanded} of {len(entries)} expanded, {excluded} excluded by rule, 0 unaccounted\n"
    )


def test_expand_selects_and_all_shows_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """Options choose scenarios; with `--all` a template that does not apply is shown with the rule that excludes it."""
    lifecycle = ["--template", "lifecycle-holds"]
    assert main(["expand", "--format", "json", *lifecycle, "--id", "bakery-oven/lifecycle-holds", str(BAKERY)]) == 0
    assert [each["id"] for each in json.loads(capsys.readouterr().out)] == ["bakery-oven/lifecycle-holds"]
    assert main(["expand", "--all", "--template", "stopped-job-releases-and-reclaims", str(BAKERY)]) == 0
    assert "stopped-claims is hold, not release-and-reclaim" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (["-k", "nothing-like-it"], "selects nothing"),
        (["--template", "stopped-job-hold-claim"], "did you mean stopped-job-holds-claim?"),
        (["--template", "lifecycle-holds", "--template", "no-such"], "--template no-such selects nothing"),
        (["--template", "stopped-job-releases-and-reclaims"], "stopped-claims is hold, not release-and-reclaim"),
        (["--id", "bakery-oven/lifecycle-holds", "-k", "pool"], "the other choices leave it out"),
    ],
)
def test_expand_of_nothing_is_status_5_and_says_why(
    choice: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A choice that selects nothing is not green unless that is allowed, and the message says what is known."""
    assert main(["expand", *choice, str(BAKERY)]) == 5
    assert told in capsys.readouterr().err
    assert main(["expand", "--allow-empty", *choice, str(BAKERY)]) == 0


def test_expand_of_an_invalid_adoption_is_status_1_with_its_findings(
    oven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An adoption that the contract calls invalid still expands; its errors go to standard error."""
    spoil(oven, "output-full: wait-until-space", "output-full: wait-before-start")
    assert main(["expand", "--format", "json", "oven.yaml"]) == 1
    captured = capsys.readouterr()
    assert "reservation-needs-a-readmission-event" in [each["template"] for each in json.loads(captured.out)]
    assert "error row-needed" in captured.err


def test_expand_of_an_unreadable_file_is_status_2_and_the_others_are_done(
    oven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unreadable comes before nothing selected, and readable files are expanded all the same."""
    assert main(["expand", "missing.yaml"]) == 2
    assert main(["expand", "--format", "json", "missing.yaml", "oven.yaml"]) == 2
    captured = capsys.readouterr()
    assert '"bakery-oven/lifecycle-holds"' in captured.out
    assert "missing.yaml:1:1: error" in captured.err


def test_schema_prints_every_schema_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Each name in the list of an unknown name's message prints a JSON Schema."""
    assert main(["schema", "?"]) == 2
    names = capsys.readouterr().err.split("the schemas are ")[1].strip().split(", ")
    assert {"adoption", "contract", "run", "findings"} <= set(names)
    for name in names:
        assert main(["schema", name]) == 0
        assert "$schema" in json.loads(capsys.readouterr().out)


def test_file_patterns_are_expanded_where_the_shell_did_not(oven: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern names its files in sorted order, each once; one that matches nothing is reported by its own name."""
    Path("[odd].yaml").write_text("x: 1\n")
    Path("also.yaml").write_text("x: 1\n")
    assert main(["validate", "--format", "json", "*n.yaml", "a*.yaml", "oven.yaml", "[odd].yaml", "no*.yml"]) == 2
    paths = [each["path"] for each in json.loads(capsys.readouterr().out)]
    assert paths == ["oven.yaml", "also.yaml", "[odd].yaml", "no*.yml"]


def test_colour_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Severities are coloured on a terminal, and neither in a pipe nor where colours are not wanted."""

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    assert "\x1b[" in console.painter(False, terminal)("error", "error")  # type: ignore[arg-type]  # only isatty counts
    assert console.painter(True, terminal)("error", "error") == "error"  # type: ignore[arg-type]  # the same
    assert console.painter(False)("error", "error") == "error"
    monkeypatch.setenv("NO_COLOR", "1")
    assert console.painter(False, terminal)("error", "error") == "error"  # type: ignore[arg-type]  # the same


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (UsageError("no way", "that way"), 2, "error: no way\nhint: that way\n"),
        (ReportError("no room"), 6, "error: no room\n"),
        (HarnessError("a worker died"), 70, "error: a worker died\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.UsageError("what?"), 2, "Error: what?\n"),
        (ZeroDivisionError("by zero"), 70, "fault in the harness itself: ZeroDivisionError: by zero\n"),
        (RecursionError(), 70, "RecursionError"),
    ],
)
def test_failures_become_short_messages_and_their_status(
    raised: BaseException,
    status: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is raised becomes a message on standard error and its status, without a traceback."""
    monkeypatch.delenv("HARNESS_DEBUG", raising=False)

    @click.command()
    def failing() -> None:
        raise raised

    assert console.call(failing, []) == status
    captured = capsys.readouterr()
    assert told in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_fault_shows_its_traceback_when_debugging(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With HARNESS_DEBUG=1 a fault of the harness also says where it is."""
    monkeypatch.setenv("HARNESS_DEBUG", "1")

    @click.command()
    def failing() -> None:
        raise ZeroDivisionError

    assert console.call(failing, []) == 70
    assert "Traceback" in capsys.readouterr().err
