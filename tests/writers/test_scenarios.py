"""Scenarios as table, JSON, JSON Lines, CSV, Markdown and Gherkin."""

from __future__ import annotations

import csv
import io
import json

import pytest

from harness.expansion.scenario import Exclusion, Scenario
from harness.writers import (
    scenario_csv,
    scenario_gherkin,
    scenario_json,
    scenario_jsonl,
    scenario_markdown,
    scenario_table,
)
from tests.expansion.builders import scenario
from tests.writers.reading import gherkin_scenarios, read_gherkin

GENERAL = scenario("oven/always", title="always", holds="it never burns", scope="all runs", seeds=("s1", "s2"))
EXCLUDED = Exclusion("oven", "doors", "front", "door is shut, not open")
ENTRIES: tuple[Scenario | Exclusion, ...] = (scenario(), EXCLUDED, GENERAL)

NASTY = (
    "Scenario: not one",
    "@tag",
    "# comment",
    '"""',
    "| a | b |",
    "Given <x> \\ y",
    "two\nlines\r\n\tand \u2028 more",
    "\x1b[2J",
    "* star",
    "Examples:",
    "<b>&amp; _x_ `y` [z](http://w) 1. 2) - + = ~s~",
)


def test_json_and_jsonl_hold_the_same_objects() -> None:
    """JSON Lines has one line for each element of the JSON list; exclusions say why in `excluded`."""
    objects = json.loads(scenario_json.render(ENTRIES))
    assert [json.loads(each) for each in scenario_jsonl.render(ENTRIES).splitlines()] == objects
    assert objects == [each.to_json() for each in ENTRIES]
    assert objects[1] == {
        "id": "oven/doors[front]",
        "instance": "oven",
        "template": "doors",
        "row": "front",
        "excluded": "door is shut, not open",
    }
    assert scenario_json.render(()) == "[]\n"
    assert scenario_jsonl.render(()) == ""


def test_csv_columns_are_the_keys_of_the_json() -> None:
    """The header names the keys of the JSON format in their order, so neither can change alone."""
    assert tuple(scenario().to_json()) == scenario_csv.COLUMNS


def test_csv_reads_back_with_lists_on_lines() -> None:
    """Lists and answers have an item a line inside their cell; only listed exclusions bring the last column."""
    rows = list(csv.DictReader(io.StringIO(scenario_csv.render(ENTRIES))))
    assert rows[0]["then"].splitlines() == ["it is warm", "nothing burns"]
    assert rows[0]["answers"] == "heat=wood"
    assert [each["excluded"] for each in rows] == ["", "door is shut, not open", ""]
    assert "excluded" not in scenario_csv.render((GENERAL,)).splitlines()[0]


def test_table_has_a_line_for_each_entry() -> None:
    """The table shows id and title, and the reasons only where exclusions are listed."""
    lines = scenario_table.render(ENTRIES).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["oven/one-thing[a]", "oven/doors[front]", "oven/always"]
    assert lines[3].endswith("door is shut, not open")
    assert "excluded" not in scenario_table.render((GENERAL,))


@pytest.mark.parametrize("text", NASTY)
def test_table_and_markdown_keep_each_text_on_its_line(text: str) -> None:
    """No text can break a line of a table or a list, or reach the terminal as a control sequence."""
    entries = (scenario(title=text, given=text, then=(text, "next")),)
    assert len(scenario_table.render(entries).splitlines()) == 3
    for rendered in (scenario_table.render(entries), scenario_markdown.render(entries)):
        assert "\x1b" not in rendered
        assert "\u2028" not in rendered
    assert len(scenario_markdown.render(entries).splitlines()) == len(
        scenario_markdown.render(ENTRIES[:1]).splitlines()
    )


def test_markdown_escapes_what_it_would_read_as_markup() -> None:
    """Texts are shown as they are: markup, HTML and list markers in them are escaped."""
    assert scenario_markdown.escape("a_b *c* <i> [x] `y` #") == r"a\_b \*c\* \<i\> \[x\] \`y\` \#"
    assert scenario_markdown.escape("1. x") == r"1\. x"
    assert scenario_markdown.escape("- x") == r"\- x"


def test_markdown_has_a_part_for_each_adoption() -> None:
    """Each adoption has its heading, each scenario its section, and exclusions a table with reasons."""
    rendered = scenario_markdown.render((*ENTRIES, scenario("kiln/one-thing")))
    assert [each for each in rendered.splitlines() if each.startswith("#")] == [
        "# oven",
        "## one thing",
        "## always",
        "## Excluded by rule",
        "# kiln",
        "## one thing",
    ]
    assert "door is shut, not open" in rendered


def test_gherkin_has_feature_rules_scenarios_and_steps() -> None:
    """A feature an adoption, a rule a template, a scenario a row; a general template's sentence is a Then."""
    entries = (scenario("oven/one-thing[a]"), scenario("oven/one-thing[b]"), GENERAL)
    document = read_gherkin(scenario_gherkin.render(entries))
    assert document["feature"]["name"] == "oven"
    assert [child["rule"]["name"] for child in document["feature"]["children"]] == ["one-thing", "always"]
    first, _, general = gherkin_scenarios(document)
    assert [(step["keyword"], step["text"]) for step in first["steps"]] == [
        ("Given ", "an oven"),
        ("When ", "it is lit"),
        ("Then ", "it is warm"),
        ("And ", "nothing burns"),
    ]
    assert [(step["keyword"], step["text"]) for step in general["steps"]] == [
        ("Given ", "all runs"),
        ("And ", "the seeds s1, s2"),
        ("Then ", "it never burns"),
    ]


def test_gherkin_names_are_unique_over_adoptions() -> None:
    """Several adoptions share one document, and no two rules or scenarios in it have one name."""
    entries = (scenario("oven/one-thing[a]"), GENERAL, scenario("kiln/one-thing[a]"))
    document = read_gherkin(scenario_gherkin.render(entries))
    rules = [child["rule"]["name"] for child in document["feature"]["children"]]
    names = [each["name"] for each in gherkin_scenarios(document)]
    assert rules == ["oven: one-thing", "oven: always", "kiln: one-thing"]
    assert len(set(names)) == 3


def test_gherkin_tells_exclusions_in_comments() -> None:
    """An exclusion is no scenario: it stands as a comment with its reason."""
    document = read_gherkin(scenario_gherkin.render(ENTRIES))
    assert [each["text"].strip() for each in document["comments"]] == [
        "# oven/doors[front] is excluded: door is shut, not open"
    ]
    assert len(gherkin_scenarios(document)) == 2


@pytest.mark.parametrize("text", NASTY)
def test_gherkin_takes_any_text_as_a_step(text: str) -> None:
    """Whatever a text holds, it stays one step of one scenario."""
    entries = (scenario(title=text, given=text, when=(text,), then=(text, text)), GENERAL)
    document = read_gherkin(scenario_gherkin.render(entries))
    assert [len(each["steps"]) for each in gherkin_scenarios(document)] == [4, 3]
    assert all("dataTable" not in step and "docString" not in step for step in gherkin_scenarios(document)[0]["steps"])


def test_gherkin_of_nothing_still_parses() -> None:
    """Without any scenario the document is still a feature."""
    assert read_gherkin(scenario_gherkin.render(()))["feature"]["name"] == "no scenarios"
