"""The schemas: valid, described in every field, and in step with the contract's templates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.contract.questions import FLAGS
from harness.contract.reading import read_contract
from harness.contract.rules import citations, is_address_field, rule_kind
from harness.contract.schemas import (
    adoption_schema,
    contract_schema,
    derived_adoption_schema,
    named_answers,
    row_fields,
    shipped_adoption_schema,
)
from harness.contract.shapes import Contract
from tests.contract.adoption_files import CONTRACT, ROOT, TINY, adopted, tiny_contract

ADOPTION: dict[str, Any] = json.loads((ROOT / "contracts" / "job-resolution.adoption.schema.json").read_bytes())
META: dict[str, Any] = json.loads((ROOT / "contracts" / "contract.schema.json").read_bytes())


def job_contract() -> Contract:
    contract, findings = read_contract(CONTRACT)
    assert contract is not None, findings
    return contract


def fields(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every declared property of a schema, with the way to it."""
    if isinstance(schema, dict):
        for name, each in schema.get("properties", {}).items():
            yield f"{path}/{name}", each
        for key, inner in schema.items():
            if key not in ("if", "then", "else", "allOf", "enum", "const"):
                yield from fields(inner, f"{path}/{key}")


@pytest.mark.parametrize("schema", [ADOPTION, META], ids=["adoption", "contract"])
def test_schema_is_valid_and_describes_every_field(schema: dict[str, Any]) -> None:
    """Both schemas are valid JSON Schema, and no field is without a title and a description, own or referred to."""
    Draft202012Validator.check_schema(schema)
    for path, field in fields(schema):
        target = schema["$defs"].get(field.get("$ref", "").removeprefix("#/$defs/"), {})
        assert field.get("title") or target.get("title"), path
        assert field.get("description") or target.get("description"), path


def test_adoption_schema_knows_every_flag_and_answer() -> None:
    """Every answer that a condition or binding of the contract names can be given, and every flag is there."""
    answers = ADOPTION["properties"]["answers"]["properties"]
    assert tuple(sorted(answers)) == tuple(sorted(FLAGS))
    for flag, named in named_answers(job_contract()).items():
        assert set(named) <= set(answers[flag]["enum"])


def test_adoption_schema_knows_every_collection_and_row_field() -> None:
    """Every collection and row field in a condition or placeholder of the contract can be declared."""
    collections = ADOPTION["properties"]["collections"]["properties"]
    per_row = [each for each in job_contract().templates if each.collection is not None]
    assert {each.collection for each in per_row} == set(collections)
    for template in per_row:
        row = collections[template.collection]["items"]["properties"]
        assert set(row_fields(template)) | set(template.when.row) <= set(row)
        for name, values in template.when.row.items():
            assert set(values) <= set(row[name]["enum"])


def test_adoption_schema_has_a_rule_kind_for_every_cited_field() -> None:
    """Each address field of each collection reads a kind that rules can have, read-first alone reads none."""
    kinds = ADOPTION["properties"]["rules"]["additionalProperties"]["properties"]
    read = {"job": rule_kind(None, "job-declared-in")}
    for collection, schema in ADOPTION["properties"]["collections"]["properties"].items():
        for field in schema["items"]["properties"]:
            if is_address_field(field):
                read[f"{collection}/{field}"] = rule_kind(collection, field)
    assert [field for field, kind in read.items() if kind is None] == ["read-first/read-first"]
    assert {kind for kind in read.values() if kind is not None} == set(kinds)


def test_adoption_schema_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    """No mapping of an adoption is open, except those whose keys are names of the adoption's own."""
    free = {"by-row", "rules", "pins", "sources", "inputs"}
    for path, field in fields(ADOPTION):
        is_named = path.rsplit("/", 1)[-1] in free or "covers" in path
        if field.get("type") == "object" and "properties" in field and not is_named:
            assert field.get("additionalProperties") is False, path
    assert next(iter(citations(adopted(tmp_path)))).kind == "job"


def test_contract_schema_is_found_beside_a_contract_or_among_the_shipped(tmp_path: Path) -> None:
    """The meta-schema beside a contract counts first, the shipped one otherwise."""
    assert contract_schema(str(tmp_path / "a.json")) == META
    (tmp_path / "contract.schema.json").write_text('{"type": "object"}', encoding="utf-8")
    assert contract_schema(str(tmp_path / "a.json")) == {"type": "object"}


def test_derived_schema_is_used_where_no_other_stands() -> None:
    """The tiny contract ships no adoption schema, so its adoptions are held to a derived one."""
    contract = tiny_contract()
    assert shipped_adoption_schema(str(TINY / "lamp.json")) is None
    schema = adoption_schema(contract)
    assert schema == derived_adoption_schema(contract)
    Draft202012Validator.check_schema(schema)


def test_derived_schema_requires_what_placeholders_need() -> None:
    """A field that an unconditional placeholder needs is required, one named in a condition is not."""
    row = derived_adoption_schema(tiny_contract())["properties"]["collections"]["properties"]["buttons"]["items"]
    assert row["required"] == ["id", "place"]
    assert set(row["properties"]) == {"id", "place", "height", "reach"}


def test_derived_schema_holds_bound_answers_to_the_bindings() -> None:
    """An answer that a binding needs is enumerated; one that only conditions name is open."""
    answers = derived_adoption_schema(tiny_contract())["properties"]["answers"]["properties"]
    assert answers["can-dim"]["enum"] == ["dims", "no-dimming"]
    assert "enum" not in answers["lamp-kind"]
    assert answers["lamp-kind"]["examples"] == ["electric"]


@pytest.mark.parametrize("name", ["job-resolution"])
def test_derived_schema_of_a_shipped_contract_takes_its_adoptions(name: str, tmp_path: Path) -> None:
    """What the hand-written schema accepts of answers and rows, the derived one accepts too."""
    schema = derived_adoption_schema(job_contract())
    document = adopted(tmp_path).document
    assert list(Draft202012Validator(schema).iter_errors(dict(document))) == []
