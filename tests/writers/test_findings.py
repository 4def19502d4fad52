"""Findings as text, JSON, SARIF and workflow commands."""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from harness import workspace
from harness.base.finding import Finding, Severity
from harness.base.position import Position
from harness.contract.validation import RULES, Validation
from harness.writers import findings_github, findings_json, findings_sarif, findings_summary, findings_text

ERROR = Finding(
    "unknown-value",
    Severity.ERROR,
    "output-full has no answer 'never', 100% sure",
    Position("a folder/oven.yaml", 12, 3),
    hint="did you mean never-full?",
    pointer="/answers/output-full",
    template="normal-destination-never-blocks",
)
NOTE = Finding("unused-rule", Severity.NOTE, "two\nlines \x1b[31m", Position("a folder/oven.yaml", 40, 1))
FILES = (Validation("a folder/oven.yaml", None, (ERROR, NOTE)), Validation("good.yaml", None, ()))


def test_summary_counts_files_and_findings() -> None:
    """One sentence says how many files were looked at and what was found."""
    assert findings_summary.render(FILES) == "2 files checked, 1 not valid: 1 error, 0 warnings, 1 note\n"
    assert findings_summary.render(FILES[1:]) == "1 file checked, all valid: 0 errors, 0 warnings, 0 notes\n"


def test_text_has_a_line_for_each_finding_and_its_hint() -> None:
    """A finding is one line with its place first, safe for a terminal; the hint follows indented."""
    assert findings_text.render(FILES) == (
        "a folder/oven.yaml:12:3: error unknown-value: output-full has no answer 'never', 100% sure\n"
        "    hint: did you mean never-full?\n"
        "a folder/oven.yaml:40:1: note unused-rule: two lines \\x1b[31m\n"
    )


def test_text_is_painted_by_severity_only() -> None:
    """Colour touches the severity word and nothing else."""
    painted = findings_text.render(FILES, lambda text, severity: f"<{text}>")
    assert painted.replace("<error>", "error").replace("<note>", "note") == findings_text.render(FILES)


def test_json_follows_its_schema() -> None:
    """The JSON names every file, the good ones too, and follows the shipped schema."""
    document = json.loads(findings_json.render(FILES))
    schema = json.loads(workspace.schema_paths()["findings"].read_bytes())
    Draft202012Validator(schema).validate(document)
    assert [(each["path"], each["valid"]) for each in document] == [("a folder/oven.yaml", False), ("good.yaml", True)]
    assert document[0]["findings"][0]["hint"] == "did you mean never-full?"
    assert document[0]["findings"][1]["template"] is None


def test_github_commands_are_escaped() -> None:
    """What would end a property or a command is escaped, and the three severities have their commands."""
    warning = Finding("r", Severity.WARNING, "m", Position("a,b:c.yaml", 1, 2))
    assert findings_github.render((*FILES, Validation("x", None, (warning,)))).splitlines() == [
        "::error file=a folder/oven.yaml,line=12,col=3,title=unknown-value::"
        "output-full has no answer 'never', 100%25 sure%0Ahint: did you mean never-full?",
        "::notice file=a folder/oven.yaml,line=40,col=1,title=unused-rule::two%0Alines \x1b[31m",
        "::warning file=a%2Cb%3Ac.yaml,line=1,col=2,title=r::m",
    ]


def test_sarif_points_every_result_at_its_rule_and_region() -> None:
    """Each result names a rule of the tool, a level of SARIF and a region that counts from 1."""
    log = json.loads(findings_sarif.render(FILES))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert [each["level"] for each in run["results"]] == ["error", "note"]
    assert run["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == RULES["unknown-value"]
    assert run["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20folder/oven.yaml"},
        "region": {"startLine": 12, "startColumn": 3},
    }
    assert [each["location"]["uri"] for each in run["artifacts"]] == ["a%20folder/oven.yaml", "good.yaml"]


def test_sarif_uris_are_references_for_any_path() -> None:
    """Relative paths stay relative, absolute ones and Windows drives get the file scheme, and nothing is left raw."""
    paths = ["a#b.yaml", "/x/y z.yaml", "C:\\x\\y.yaml", "x\\y.yaml", "\udce9.yaml"]
    log = json.loads(findings_sarif.render([Validation(each, None, ()) for each in paths]))
    assert [each["location"]["uri"] for each in log["runs"][0]["artifacts"]] == [
        "a%23b.yaml",
        "file:///x/y%20z.yaml",
        "file:///C:/x/y.yaml",
        "x/y.yaml",
        "%E9.yaml",
    ]
