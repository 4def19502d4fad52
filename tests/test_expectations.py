"""Reading the list of expected failures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.expectations import read_expectations

GOOD = """\
# why each is here
expected-failures:
  - scenario: oven/burns
    clause: 1
    reason: the thermostat is late
    link: bug 12
  - {scenario: "oven/bakes[a]", clause: 0, reason: no shelf}
"""


def test_list_is_read_with_places(tmp_path: Path) -> None:
    """Each line keeps its scenario, clause, reason, link, and the place where it stands."""
    path = tmp_path / "known.yaml"
    path.write_text(GOOD)
    first, second = read_expectations(str(path)).failures
    assert (first.scenario, first.clause, first.reason, first.link) == (
        "oven/burns",
        1,
        "the thermostat is late",
        "bug 12",
    )
    assert (first.position.line, first.position.column) == (3, 15)
    assert (second.scenario, second.link, second.position.line) == ("oven/bakes[a]", None, 7)


def test_list_can_be_json(tmp_path: Path) -> None:
    """A JSON file says the same."""
    path = tmp_path / "known.json"
    path.write_text(json.dumps({"expected-failures": [{"scenario": "oven/burns", "clause": 0, "reason": "old"}]}))
    (line,) = read_expectations(str(path)).failures
    assert (line.scenario, line.clause, line.reason) == ("oven/burns", 0, "old")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "known.yaml:1:1: error file-empty"),
        ("expected-failures: [", "known.yaml:1:"),
        ("expected: []", "did you mean"),
        ("expected-failures:\n  - scenario: oven/burns\n    clauses: 1\n    reason: x\n", "known.yaml:3:5: error"),
        ("expected-failures:\n  - {scenario: oven/burns, clause: one, reason: x}\n", "a whole number"),
        ("expected-failures:\n  - {scenario: oven/burns, clause: -1, reason: x}\n", "at least 0"),
        ("expected-failures:\n  - {scenario: oven/burns, clause: 0, reason: ''}\n", "at least 1"),
        (
            "expected-failures:\n"
            "  - {scenario: oven/burns, clause: 0, reason: x}\n"
            "  - {scenario: oven/burns, clause: 0, reason: y}\n",
            "known.yaml:3:16: error duplicate-item: clause 0 of oven/burns is listed twice",
        ),
    ],
)
def test_misfit_of_the_list_is_told_with_its_place(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is wrong with the file is a usage error that names file, line and column."""
    monkeypatch.chdir(tmp_path)
    Path("known.yaml").write_text(text)
    with pytest.raises(UsageError) as raised:
        read_expectations("known.yaml")
    assert told in raised.value.message


def test_missing_list_is_told(tmp_path: Path) -> None:
    """A file that is not there is a usage error."""
    with pytest.raises(UsageError, match="there is no such file"):
        read_expectations(str(tmp_path / "none.yaml"))
