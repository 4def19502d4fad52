"""The two pages for people who write adoptions keep up with the schema, the contract and the findings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.base.verdict import Verdict
from harness.contract.questions import FLAGS
from harness.contract.reading import read_contract
from harness.contract.rules import rule_kind
from harness.contract.schemas import adoption_schema
from harness.contract.shapes import Contract
from harness.contract.validation import RULES, validate_adoption
from harness.kits import check_of
from harness.kits.jobs import KIT
from harness.workspace import adoption_files, contract_path

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "writing-an-adoption.md").read_text(encoding="utf-8")
GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")


def contract() -> Contract:
    """The contract the guide is about."""
    found, findings = read_contract(contract_path("job-resolution"))
    assert found is not None, findings
    return found


def blocks(language: str) -> list[str]:
    """The code blocks of the guide in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.MULTILINE | re.DOTALL)


def first_cells(header: str) -> list[str]:
    """The first column of the guide's table under this header, without the code marks."""
    table = GUIDE.partition(f"| {header} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [re.sub("`", "", each.split("|")[1]).strip() for each in table]


def test_guide_smallest_adoption_validates(tmp_path: Path) -> None:
    """The file the guide calls the smallest complete one is valid, with the passage that it cites beside it."""
    (smallest,) = [each for each in blocks("yaml") if "instance:" in each]
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "lamp.md").write_text("# Lamp\n\n## Switching\n\nIt lights.\n", encoding="utf-8")
    path = tmp_path / "my-lamp.adoption.yaml"
    path.write_text(smallest, encoding="utf-8")
    assert [each.message for each in validate_adoption(str(path), contract(), checks=check_of).findings] == []


def test_guide_blocks_are_yaml() -> None:
    """Every YAML block of the guide is a mapping on its own, so it can be pasted."""
    assert len(blocks("yaml")) >= 4
    assert all(isinstance(yaml.safe_load(each), dict) for each in blocks("yaml"))


def test_guide_asks_every_question_with_every_answer() -> None:
    """The table of questions has each flag once, and the guide names each of its answers."""
    answers = adoption_schema(contract())["properties"]["answers"]["properties"]
    assert sorted(first_cells("question")) == sorted(FLAGS)
    words = set(re.findall(r"`([a-z-]+)`", GUIDE))
    assert {word for flag in FLAGS for word in answers[flag]["enum"]} <= words


def test_guide_explains_what_only_pools_are_told() -> None:
    """Each finding that the bindings of pools and supervisors make stands in one of the tables of findings."""
    folder = DOCS.parent / "harness" / "run" / "pools"
    sources = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*binding.py"))]
    made = {name for each in sources for name in re.findall(r'subject\.(?:finding|warning)\(\s*"([a-z-]+)"', each)}
    explained = {word for cell in re.findall(r"^\| (`[^|]*)\|", GUIDE, flags=re.MULTILINE) for word in cell.split("`")}
    assert {"number-missing", "selector-role-unknown", "pool-not-constructible"} <= made <= set(RULES)
    assert made - explained == set()


def test_guide_explains_every_collection() -> None:
    """The table of collections has each one once."""
    collections = adoption_schema(contract())["properties"]["collections"]["properties"]
    assert sorted(first_cells("collection")) == sorted(collections)


def test_guide_shows_every_kind_of_rule() -> None:
    """The table of rules names each kind that a field can read."""
    kinds = adoption_schema(contract())["properties"]["rules"]["additionalProperties"]["properties"]
    table = GUIDE.partition("| a field | reads |")[2].partition("\n\n")[0].splitlines()[2:]
    assert {each.split("|")[2].strip(" `") for each in table} == set(kinds)


def address_fields() -> dict[tuple[str, str], str]:
    """The kind that each row field reads, by collection and field; without `read-first`, which reads none."""
    collections = adoption_schema(contract())["properties"]["collections"]["properties"]
    adoption = {each: resolved(rows["items"])["properties"] for each, rows in collections.items()}
    found = {(each, field): rule_kind(each, field) for each, fields in adoption.items() for field in fields}
    return {place: kind for place, kind in found.items() if kind is not None}


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema, followed where it points into the definitions."""
    if "$ref" not in schema:
        return schema
    definitions: dict[str, dict[str, Any]] = dict(adoption_schema(contract())["$defs"])
    return definitions[schema["$ref"].removeprefix("#/$defs/")]


def test_guide_gives_each_field_the_kind_that_is_read() -> None:
    """The table of rules has every address field, with the kind that validation wants there."""
    table = GUIDE.partition("| a field | reads |")[2].partition("\n\n")[0].splitlines()[2:]
    shown = {
        (field, row.split("|")[2].strip(" `"))
        for row in table
        for field in re.findall(r"`([a-z-]+)`", row.split("|")[1])
    }
    assert ("job-declared-in", "job") in shown
    assert {(field, kind) for (_, field), kind in address_fields().items()} == shown - {("job-declared-in", "job")}


def test_guide_names_findings_that_exist() -> None:
    """Each finding in the guide's table is one that validation can report."""
    named = {word.strip() for each in first_cells("rule") for word in each.split(",")}
    assert len(named) >= 20
    assert named <= set(RULES)


def test_guide_starts_from_every_shipped_adoption() -> None:
    """The table of files to copy lists each shipped adoption once."""
    shipped = [each.parent.name for each in adoption_files(KIT.contract)]
    rows = GUIDE.partition("| your system |")[2].partition("\n\n")[0].splitlines()[2:]
    assert sorted(each.split("|")[2].strip(" `") for each in rows) == shipped


def terms() -> list[str]:
    """The words that the glossary explains."""
    return re.findall(r"\*\*([^*]+)\*\*", GLOSSARY)


def test_glossary_explains_verdicts_and_states() -> None:
    """Each verdict of a clause has an entry, and each state is named."""
    assert {str(each) for each in Verdict} <= set(terms())
    for state in (
        "requested",
        "waiting",
        "started",
        "working",
        "stopped",
        "finished",
        "delivered",
        "canceled",
        "failed",
    ):
        assert re.search(rf"\b{state}\b", GLOSSARY)


@pytest.mark.parametrize(
    "word",
    [
        *("template", "scenario", "clause", "adoption", "answer", "row", "rule", "address", "finding"),
        *("run", "job", "unit", "claim", "source", "pool", "place", "slot", "report", "settle", "batch", "cause"),
        *("model", "oracle", "audit", "inversion", "walk", "usable", "work", "ordinary stop", "finish-gate cause"),
    ],
)
def test_glossary_explains_the_word(word: str) -> None:
    """Each word of the project has an entry of its own."""
    assert word in terms()


def test_glossary_explains_a_word_once() -> None:
    """No word has two entries, but for the two that say of what they are used."""
    twice = {each for each in terms() if terms().count(each) > 1}
    assert twice == {"eligible", "refused"}
