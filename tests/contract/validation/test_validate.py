"""Validation as a whole: everything at once, in reading order, with the right consequences."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import harness.contract
from harness.base.finding import Finding, Severity
from harness.base.position import Position
from harness.contract.documents import read_document
from harness.contract.reading import read_contract
from harness.contract.validation import RULES, Validation, validate_adoption, validate_document
from harness.kits import check_of
from tests.contract.adoption_files import (
    CONTRACT,
    CONTRACTS,
    TINY,
    answers,
    contract_file,
    drop,
    ids,
    mill,
    put,
    rows,
    rule,
    text_at,
    tiny_contract,
    validation,
    write,
)

LAMP = {"lamp": str(TINY / "lamp.json")}


def test_valid_adoption_has_no_findings(tmp_path: Path) -> None:
    """The mill is valid, readable and runnable."""
    found = validation(tmp_path)
    assert found.findings == ()
    assert found.is_valid
    assert found.is_runnable
    assert not found.is_unreadable
    assert found.adoption is not None
    assert found.contract is not None
    assert found.to_json() == {"path": str(tmp_path / "mill.json"), "valid": True, "findings": []}


def test_findings_of_every_kind_come_at_once(tmp_path: Path) -> None:
    """A misfit hides neither wrong references, nor open questions, nor what the contract calls invalid."""
    found = validation(
        tmp_path,
        put("colour", value="red"),
        drop("answers", "cancel-return"),
        rows("redelivery-events", {"id": "again", "redelivery-declared-in": "mill.md#nowhere"}),
        put("collections", "work-limits", 0, "scope", value="sharde"),
    )
    assert set(ids(found)) == {
        "unknown-key",
        "unknown-value",
        "question-unanswered",
        "row-not-legal",
        "unresolved-address",
        "missing-rule",
    }
    positions = [(each.position.line, each.position.column) for each in found.findings]
    assert positions == sorted(positions)
    assert found.adoption is None


def test_misspelt_words_do_not_call_forth_other_findings(tmp_path: Path) -> None:
    """A misspelt answer is read as meant, so the questions that rest on it stay quiet."""
    found = validation(tmp_path, answers(job_inputs="requird-inputs", input_claim_timing="taken-at-stat"))
    assert ids(found) == ["unknown-value", "unknown-value"]


def test_an_answer_beyond_recognition_silences_what_rests_on_it(tmp_path: Path) -> None:
    """Where an answer can't be told, nothing is said that rests on it."""
    assert ids(validation(tmp_path, answers(job_inputs="banana"))) == ["unknown-value"]
    assert ids(validation(tmp_path, answers(output_full="banana"))) == ["unknown-value"]
    assert ids(validation(tmp_path, put("collections", "work-phases", value="none"))) == ["wrong-type", "unused-rule"]


def test_a_misfit_inside_a_rule_does_not_hide_the_rule(tmp_path: Path) -> None:
    """A rule with a misfit is there all the same: it is not said to be missing or of the wrong kind."""
    assert ids(validation(tmp_path, rule("stones", limit="many"))) == ["wrong-type"]
    assert ids(validation(tmp_path, rule("stones", limt=1))) == ["unknown-key"]
    assert ids(validation(tmp_path, put("rules", "mill.md#stones", value=[]))) == ["wrong-type"]


def test_invalid_by_the_contract_alone_stays_runnable(tmp_path: Path) -> None:
    """An error that only the contract's own template states leaves the adoption to be run."""
    found = validation(tmp_path, answers(output_full="hold-undelivered"))
    assert ids(found) == ["row-needed"]
    assert not found.is_valid
    assert found.is_runnable
    assert found.adoption is not None


def test_wrong_references_and_open_questions_are_not_runnable(tmp_path: Path) -> None:
    """The adoption is there to be looked at, but what it means can't be told."""
    for edit in (drop("rules", "mill.md#stones"), drop("answers", "partial-work")):
        found = validation(tmp_path, edit)
        assert found.adoption is not None
        assert not found.is_runnable
        assert not found.is_unreadable


def test_warnings_and_notes_leave_an_adoption_valid(tmp_path: Path) -> None:
    """Only errors make a file invalid."""
    found = validation(tmp_path, answers(cancel_dependents="leave-dependents"), rule("extra", event="bell"))
    assert [(each.rule, each.severity) for each in found.findings] == [
        ("answer-not-asked", Severity.WARNING),
        ("unused-rule", Severity.NOTE),
    ]
    assert found.is_valid


def test_a_contract_handed_in_counts_before_the_named_one(tmp_path: Path) -> None:
    """With a contract at hand none is looked for; an adoption of another contract doesn't fit."""
    contract, _ = read_contract(CONTRACT)
    assert validate_adoption(write(tmp_path), contract, checks=check_of).is_valid
    found = validate_adoption(write(tmp_path), tiny_contract())
    assert found.is_unreadable
    assert "unknown-value" in ids(found)
    assert found.findings[0].position.line == 2


def test_a_document_in_memory_gets_what_its_file_gets(tmp_path: Path) -> None:
    """Nothing of validation but the reading asks where the document came from."""
    contract, _ = read_contract(CONTRACT)
    assert contract is not None
    for edit in (drop("version"), drop("answers", "partial-work"), rule("extra", event="bell")):
        path = write(tmp_path, edit)
        document, _ = read_document(path)
        assert document is not None
        found = validate_document(document, contract, checks=check_of)
        assert found.findings
        assert found == validate_adoption(path, contract, checks=check_of)


def test_another_version_of_the_contract_does_not_fit(tmp_path: Path) -> None:
    """Answers to another version may mean something else, so such a file is not taken."""
    found = validation(tmp_path, put("version", value=1))
    assert ids(found) == ["contract-version"]
    assert found.is_unreadable
    assert found.adoption is None


def test_no_contract_means_one_finding(tmp_path: Path) -> None:
    """Without a resolver and without a contract there is nothing to check against."""
    found = validate_adoption(write(tmp_path))
    assert ids(found) == ["contract-unknown"]
    assert found.adoption is None


def test_second_contract_is_validated_too() -> None:
    """An adoption of a contract that ships no adoption schema is read, fitted and looked at for references."""
    found = validate_adoption(str(TINY / "porch.yaml"), contracts=LAMP)
    assert found.findings == ()
    assert found.adoption is not None


@pytest.mark.parametrize(
    ("old", "new", "rule_id"),
    [
        ("can-dim: dims", "can-dim: dimms", "unknown-value"),
        ("lamp-kind: electric", "lamp-kind: electrc", "unnamed-answer"),
        ("lamp-kind:", "lampkind:", "unknown-key"),
        ("buttons:", "butons:", "unknown-key"),
        (", place: beside the door", "", "missing-key"),
        ("id: door", "id: hall", "duplicate-row-id"),
        ("nights: [sunday]", "nights: sunday", "unknown-input"),
        ("nights: [sunday]", "night: [sunday]", "unknown-input"),
        ("always-some-light:", "always-some-lihgt:", "unknown-template"),
        ("color: brown", "color: '{{row.id}}'", "wrong-form"),
        ("version: 1", "version: 2", "contract-version"),
    ],
)
def test_second_contract_has_findings_of_its_own(tmp_path: Path, old: str, new: str, rule_id: str) -> None:
    """Flags, answers, collections, rows and inputs are held to what the contract's templates name."""
    text = (TINY / "porch.yaml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "porch.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert rule_id in ids(validate_adoption(str(path), contracts=LAMP))


def test_contract_with_an_error_gives_its_findings(tmp_path: Path) -> None:
    """Where the named contract is broken, that is the finding."""
    path = contract_file(tmp_path, lambda value: value.update(version=0))
    found = validate_adoption(str(TINY / "porch.yaml"), contracts={"lamp": path})
    assert ids(found) == ["out-of-range"]
    assert found.is_unreadable


@pytest.mark.parametrize(
    "schema",
    [
        '{"type": "objekt"}',
        '{"$ref": "#/nowhere"}',
        '{"$ref": "https://example.org/other.json"}',
        '{"$ref": "#"}',
        '{"properties": ["answers"]}',
        '{"properties": {"answers": true, "collections": []}, "patternProperties": {"(": {}}}',
    ],
)
def test_contract_with_a_broken_adoption_schema_is_a_finding_of_the_schema(tmp_path: Path, schema: str) -> None:
    """A schema that nothing can be fitted to is told by its file, and the adoption can't be used."""
    path = contract_file(tmp_path, lambda value: None)
    beside = tmp_path / "lamp.adoption.schema.json"
    beside.write_text(schema, encoding="utf-8")
    found = validate_adoption(str(TINY / "porch.yaml"), contracts={"lamp": path})
    assert ids(found) == ["schema-unusable"]
    assert found.findings[0].position.file == str(beside)
    assert found.is_unreadable


def test_schema_that_breaks_only_where_a_repair_leads_is_no_crash(tmp_path: Path) -> None:
    """A broken part that a misspelt key kept out of sight changes nothing about the finding of that key."""
    path = contract_file(tmp_path, lambda value: None)
    (tmp_path / "lamp.adoption.schema.json").write_text(
        '{"properties": {"instances": {"type": "objekt"}}, "additionalProperties": false}', encoding="utf-8"
    )
    assert set(ids(validate_adoption(str(TINY / "porch.yaml"), contracts={"lamp": path}))) == {"unknown-key"}


def test_contract_with_a_broken_schema_of_contracts_is_a_finding(tmp_path: Path) -> None:
    """The same for the schema that the contract itself is held to."""
    path = contract_file(tmp_path, lambda value: None)
    (tmp_path / "contract.schema.json").write_text('{"type": 7}', encoding="utf-8")
    assert ids(validate_adoption(str(TINY / "porch.yaml"), contracts={"lamp": path})) == ["schema-unusable"]


def test_rules_of_findings_are_described_once() -> None:
    """Every rule id is in kebab-case and has one sentence."""
    for rule_id, sentence in RULES.items():
        assert rule_id == rule_id.lower().replace("_", "-")
        assert sentence.endswith(".")
    assert len(set(RULES.values())) == len(RULES)


def test_every_rule_in_the_table_is_named_in_code() -> None:
    """Each rule id in the table stands in the code of contract/, or where pools are bound.

    Broken files show that the table holds all of them.
    """
    texts = set()
    contract = Path(harness.contract.__path__[0])
    for path in (*contract.rglob("*.py"), *(contract.parent / "run" / "pools").glob("*binding.py")):
        if path.name != "catalogue.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            texts |= {
                each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    built = {"unknown-work-limit", "unknown-cancellation"}  # put together from a field's name
    assert set(RULES) - texts - built == set()


def test_two_hundred_rows_are_checked_quickly(tmp_path: Path) -> None:
    """A large adoption is a matter of a fraction of a second."""
    value = mill()
    value["collections"]["interruptions"] = [
        {"id": f"stop-{number}", "interruptions-declared-in": f"stops.md#stop-{number}"} for number in range(200)
    ]
    value["rules"].update({f"stops.md#stop-{number}": {"instruction": f"stop-{number}"} for number in range(200)})
    del value["rules"]["mill.md#wind"]
    (tmp_path / "stops.md").write_text("".join(f"## Stop {number}\n\nHalt.\n\n" for number in range(200)))
    path = write(tmp_path, value=value)
    begun = time.perf_counter()
    found = validate_adoption(path, contracts=CONTRACTS, checks=check_of)
    assert found.findings == ()
    assert time.perf_counter() - begun < 2


JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    1.5,
    "",
    "x y",
    [],
    {},
    [None],
    {"by-row": {"x": 1}},
    {"by-row": 3},
    {"for": [1]},
    "../x",
    "#/",
    "٣/٤",
)


def ways(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value below a value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*way, key)
        yield from ways(child, (*way, key))


def test_anything_anywhere_ends_in_findings(tmp_path: Path) -> None:
    """Whatever stands in a value's place, or is missing, validation says something placed and never falls over."""
    contract, _ = read_contract(CONTRACT)
    for number, way in enumerate(ways(mill())):
        for edit in (put(*way, value=JUNK[number % len(JUNK)]), put(*way, value=JUNK[-number % len(JUNK)]), drop(*way)):
            found = validate_adoption(write(tmp_path, edit), contract, checks=check_of)
            assert all(each.rule in RULES and each.position.line > 0 for each in found.findings)
            assert (found.adoption is None) == found.is_unreadable


def test_findings_have_the_outside_format(tmp_path: Path) -> None:
    """Each finding of a file has the nine keys, with a pointer that leads to what it is about."""
    found = validation(tmp_path, rule("stones", limit="many"))
    (finding,) = json.loads(json.dumps(found.to_json()))["findings"]
    assert finding == {
        "rule": "wrong-type",
        "severity": "error",
        "message": '"many" stands where a whole number should',
        "hint": "A whole number of slots, 0 or more. A waiting limit counts waiting runs only.",
        "file": str(tmp_path / "mill.json"),
        "line": found.findings[0].position.line,
        "column": found.findings[0].position.column,
        "pointer": "/rules/mill.md#stones/limit",
        "template": None,
    }
    assert text_at(found.path, found.findings[0]).startswith('"many"')


def test_validation_is_a_value() -> None:
    """Validity is told from the findings alone."""
    error = Finding("missing-rule", Severity.ERROR, "m", Position("f"))
    assert not Validation("f", None, (error,)).is_valid
    assert not Validation("f", None, ()).is_runnable
