"""The adoptions that are shipped: valid, cited, complete as a set, and honest about what does not fit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from harness.base.finding import Severity
from harness.contract.addresses import Passages, parse_address, passage_digest
from harness.contract.questions import FLAGS, effective_answers
from harness.contract.reading import read_contract
from harness.contract.rules import citations, field_rule, rule_value
from harness.contract.schemas import adoption_schema
from harness.contract.shapes import Adoption, Contract
from harness.contract.validation import Validation, validate_adoption
from harness.kits import check_of
from harness.kits.jobs import KIT
from harness.workspace import adoption_files, contract_path, data_folder

FOLDERS = tuple(each.parent for each in adoption_files(KIT.contract))
MADE_UP = ("bakery-oven", "boat-yard", "dye-works", "park-paving", "pottery-kiln", "print-shop", "street-mural")
NAMES = tuple(each.name for each in FOLDERS)
REAL = tuple(each for each in NAMES if each not in MADE_UP)


@cache
def contract() -> Contract:
    """The contract that all of them adopt."""
    found, findings = read_contract(contract_path("job-resolution"))
    assert found is not None, findings
    return found


@cache
def validation(name: str) -> Validation:
    """What validation says about a shipped adoption."""
    path = data_folder("adoptions") / name / f"{name}.adoption.yaml"
    return validate_adoption(str(path), contract(), checks=check_of)


def adoption(name: str) -> Adoption:
    """A shipped adoption, which has to be readable."""
    found = validation(name).adoption
    assert found is not None, validation(name).findings
    return found


def page(name: str) -> str:
    """The text of the page about what does not fit."""
    return (data_folder("adoptions") / name / "MISFITS.md").read_text(encoding="utf-8")


def test_shipped_adoptions_are_the_named_ones() -> None:
    """Fifteen adoptions are shipped: seven that are made up, and eight of systems that exist."""
    assert NAMES == (
        "bakery-oven",
        "boat-yard",
        "cdda-crafting",
        "dye-works",
        "ingnomia-workshop",
        "luanti-furnace",
        "openpbs",
        "openra-production",
        "park-paving",
        "pottery-kiln",
        "print-shop",
        "recoil-factory",
        "screeps-spawn",
        "slurm",
        "street-mural",
    )


@pytest.mark.parametrize("name", NAMES)
def test_shipped_folder_holds_one_adoption_of_its_name(name: str) -> None:
    """A folder holds one YAML file, so that a pattern over folders finds each adoption once."""
    folder = data_folder("adoptions") / name
    assert [each.name for each in folder.glob("*.y*ml")] == [f"{name}.adoption.yaml"]
    assert adoption(name).instance == name


@pytest.mark.parametrize("name", NAMES)
def test_shipped_adoption_validates_without_error_or_warning(name: str) -> None:
    """Validation has nothing to say about a shipped adoption but that an outside address is not fetched."""
    found = [(each.rule, each.position.line, each.message) for each in validation(name).findings]
    assert [each for each in found if each[0] != "external-address"] == []
    assert all(each.severity is Severity.NOTE for each in validation(name).findings)


@pytest.mark.parametrize("name", MADE_UP)
def test_made_up_adoption_cites_passages_that_resolve(name: str) -> None:
    """Every address of a made-up system leads to a passage with some text in it, beside the adoption."""
    subject = adoption(name)
    passages = Passages(subject.root, subject.sources)
    cited = {each.address for each in citations(subject)} | set(subject.rules)
    texts = {each: passages.find(each).text for each in sorted(cited)}
    assert cited
    assert [each for each, text in texts.items() if not (text or "").strip()] == []


@pytest.mark.parametrize("name", MADE_UP)
def test_made_up_adoption_pins_what_is_read_first(name: str) -> None:
    """The passage a reviewer reads first is pinned with the digest it has now; only then can its scenario hold."""
    subject = adoption(name)
    passages = Passages(subject.root, subject.sources)
    rows = subject.rows("read-first")
    assert rows
    for row in rows:
        text = passages.find(row.fields["read-first"]).text
        assert subject.pins[row.fields["read-first"]] == passage_digest(text or "")


@pytest.mark.parametrize("name", REAL)
def test_real_adoption_cites_an_outside_revision(name: str) -> None:
    """Every address of a real system names a repository at a revision, so a reader can look it up."""
    subject = adoption(name)
    parsed = [parse_address(each.address, subject.sources) for each in citations(subject)]
    assert parsed
    assert all(each.is_external for each in parsed)
    assert all(re.match(r"[\w-]+@[0-9a-f]{7}:", text) for text in subject.sources.values())


@pytest.mark.parametrize("name", REAL)
def test_real_adoption_has_a_page_of_misfits(name: str) -> None:
    """A page in the folder tells what the contract has no word for: a title, and some text under every heading."""
    title, *sections = re.split(r"^#+ ", page(name), flags=re.MULTILINE)[1:]
    assert title.startswith("What the contract cannot say")
    assert len(sections) >= 5
    assert all(each.partition("\n")[2].strip() for each in sections)


@pytest.mark.parametrize("name", REAL)
def test_misfits_page_names_things_that_exist(name: str) -> None:
    """A word in code style on the page stands in the adoption, in the contract's answers, or names an event."""
    written = (FOLDERS[NAMES.index(name)] / f"{name}.adoption.yaml").read_text(encoding="utf-8")
    known = set(re.findall(r"[\w.-]+", written)) | {word for each in answers_by_flag().values() for word in each}
    assert set(re.findall(r"`([^`\n]+)`", page(name))) <= known | {"supply", "tick"}


def answers_by_flag() -> Mapping[str, tuple[str, ...]]:
    """Every answer that the adoption schema allows, by flag."""
    answers = adoption_schema(contract())["properties"]["answers"]["properties"]
    return {flag: tuple(each.get("enum", ())) for flag, each in answers.items()}


@pytest.mark.parametrize("flag", FLAGS)
def test_every_answer_is_given_by_some_shipped_adoption(flag: str) -> None:
    """Taken together the shipped adoptions give every answer to every question, so each is seen at work."""
    given = {effective_answers(adoption(name)).get(flag) for name in NAMES}
    assert answers_by_flag()[flag]
    assert set(answers_by_flag()[flag]) <= given


def test_every_collection_and_rule_kind_is_used_by_some_shipped_adoption() -> None:
    """Taken together the shipped adoptions declare rows of every collection and have rules of every kind."""
    properties = adoption_schema(contract())["properties"]
    rows = {collection for name in NAMES for collection, found in adoption(name).collections.items() if found}
    kinds = {kind for name in NAMES for rule in adoption(name).rules.values() for kind in rule}
    assert set(properties["collections"]["properties"]) == rows
    assert set(properties["rules"]["additionalProperties"]["properties"]) == kinds


@pytest.mark.parametrize(
    ("name", "collection", "row", "field", "value"),
    [
        # The shelf of one furnace is four slots of 99; its recipe takes the default three seconds.
        ("luanti-furnace", "work-phases", "cook", "duration-declared-in", {"work": 3}),
        # 999 of one kind, the one being built included.
        ("openra-production", "work-limits", "per-structure-queue", "waiting-limit-key", 998),
        # 10000 records, the four working jobs included.
        ("slurm", "work-limits", "cluster-memory", "waiting-limit-key", 9996),
        # Ten million points, and nobody waits.
        (
            "cdda-crafting",
            "work-phases",
            "craft-turns",
            "duration-declared-in",
            {"work": 10000000, "per-tick": 2500000},
        ),
        ("cdda-crafting", "work-limits", "crafter", "waiting-limit-key", 0),
        # A sixtieth of the whole in each slow update, 199 frames after the last touch.
        (
            "recoil-factory",
            "reversal-rules",
            "construction-decay",
            "reversal-declared-in",
            {"per-tick": 1, "after": 14},
        ),
        ("screeps-spawn", "work-phases", "body-time", "duration-declared-in", {"work": 3}),
        ("ingnomia-workshop", "work-phases", "craft-time", "duration-declared-in", {"work": 10}),
    ],
)
def test_figures_are_those_of_the_system(name: str, collection: str, row: str, field: str, value: object) -> None:
    """A figure that a real system sets stands in its adoption unchanged, but for what a waiting limit leaves out."""
    assert field_rule(adoption(name), collection, row, field) == value


@pytest.mark.parametrize(
    ("name", "capacity"),
    [("luanti-furnace", 4 * 99), ("ingnomia-workshop", 20), ("recoil-factory", 1), ("bakery-oven", 2)],
)
def test_room_is_that_of_the_system(name: str, capacity: int) -> None:
    """The normal destination of a job has the room that the system gives it."""
    job = rule_value(adoption(name), adoption(name).job["job-declared-in"], "job")
    assert isinstance(job, dict)
    destination = job["destination"]
    assert isinstance(destination, dict)
    assert destination["capacity"] == capacity


def test_luanti_furnace_leaves_stopped_claims_unanswered() -> None:
    """A furnace claims nothing before its finish gate, so what becomes of a stopped claim is no question to it."""
    assert "stopped-claims" not in adoption("luanti-furnace").answers
    assert adoption("luanti-furnace").answers["input-claim-timing"] == "taken-at-finish"


def test_page_of_misfits_is_plain_text() -> None:
    """The pages are Markdown with short lines, so that a change shows as the lines it touches."""
    pages: list[Path] = [path for each in FOLDERS for path in each.rglob("*.md")]
    long = [f"{each.parent.name}/{each.name}" for each in pages if max(map(len, each.read_text().splitlines())) > 120]
    assert len(pages) >= len(NAMES)
    assert long == []
