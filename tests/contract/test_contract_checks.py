"""What the meta-schema can't say about a contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.base.finding import Finding
from harness.contract.reading import read_contract
from harness.contract.schemas import derived_adoption_schema
from tests.contract.adoption_files import contract_file, ids, text_at, tiny_contract


def findings_of(folder: Path, *path: str | int, value: Any) -> tuple[tuple[Finding, ...], str]:
    """The findings of the tiny contract with one value set, and the file's path."""

    def edit(contract: dict[str, Any]) -> None:
        inner: Any = contract["templates"]
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    name = contract_file(folder, edit)
    return read_contract(name)[1], name


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ((1, "id"), "switch-lights", "duplicate-template"),
        ((0, "test", "type"), "general", "template-type"),
        ((0, "collection"), "buttons", "template-collection"),
        ((0, "when", "row"), {"reach": ["adults"]}, "template-collection"),
        ((0, "title"), "{{row.id}} lights", "placeholder-row"),
        ((0, "text"), "it {{bind:diming}}", "placeholder-name"),
        ((3, "test", "scope"), "{{inputs:scpe}}", "placeholder-name"),
        ((0, "text"), "it {{answer:can-dim}}", "placeholder-form"),
        ((0, "text"), "it {{ instance }}", "placeholder-form"),
        ((0, "text"), "it {{instance", "placeholder-form"),
        ((1, "text"), "it {{row.}}", "placeholder-form"),
        ((0, "bindings", "dimming", "map", "dims"), "fades at {{row.id}}", "placeholder-row"),
        ((1, "test", "diagnostics", 0), "{{log}}", "placeholder-form"),
    ],
)
def test_contract_check_names_what_is_wrong(
    tmp_path: Path, path: tuple[str | int, ...], value: object, rule: str
) -> None:
    """Each breach is one finding of its own rule, at the value that is wrong, with its template."""
    findings, name = findings_of(tmp_path, *path, value=value)
    assert ids(findings) == [rule]
    assert findings[0].unreadable
    assert findings[0].template is not None
    where = text_at(name, findings[0])
    assert where.startswith(("{", '"'))


def test_contract_check_compares_with_the_adoption_schema_beside_it(tmp_path: Path) -> None:
    """Where adoptions have a schema, a template may name only its flags, answers, collections and row fields."""
    schema = derived_adoption_schema(tiny_contract())
    (tmp_path / "lamp.adoption.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    assert findings_of(tmp_path, 0, "title", value="fine")[0] == ()
    assert ids(findings_of(tmp_path, 1, "collection", value="butons")[0]) == ["contract-collection"]
    assert ids(findings_of(tmp_path, 1, "title", value="{{row.plce}}")[0]) == ["contract-row-field"]
    assert ids(findings_of(tmp_path, 0, "when", "flag", value={"lamp": ["x"]})[0]) == ["contract-flag"]
    bound = {"flag": "can-dim", "map": {"dims": "a", "no-diming": "b"}}
    findings = findings_of(tmp_path, 0, "bindings", "dimming", value=bound)[0]
    assert ids(findings) == ["contract-answer"]
    assert findings[0].hint == 'did you mean "no-dimming"?'
