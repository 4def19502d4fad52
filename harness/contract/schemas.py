"""The schemas that contracts and adoptions are fitted to.

The meta-schema of contracts and the schema of each contract's adoptions are data beside the contracts. A contract that
brings no adoption schema gets one derived from what its templates name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.contract.documents import read_bytes
from harness.contract.shapes import Contract, Template

CONTRACT_SCHEMA = "contract.schema.json"
PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")

_PACKAGE = Path(__file__).resolve().parent.parent
_FOLDERS = (_PACKAGE / "_data" / "contracts", _PACKAGE.parent / "contracts")


def contract_schema_text(contract_path: str) -> str | None:
    """The text of the meta-schema: the one beside the contract, else the shipped one; None where there is neither."""
    beside = Path(os.path.dirname(contract_path) or ".")
    texts = (_text(folder / CONTRACT_SCHEMA) for folder in (beside, *_FOLDERS))
    return next((each for each in texts if schema_of(each) is not None), None)


def contract_schema(contract_path: str) -> Mapping[str, Any] | None:
    """The meta-schema that a contract at this path is held to; None where there is none that can be read."""
    return schema_of(contract_schema_text(contract_path))


def adoption_schema_path(contract_path: str) -> str:
    """Where the adoption schema of a contract stands: `<stem>.adoption.schema.json` beside the contract file."""
    return os.path.splitext(contract_path)[0] + ".adoption.schema.json"


def adoption_schema(contract: Contract) -> Mapping[str, Any]:
    """The schema of a contract's adoptions: the one beside it, else one derived from its templates."""
    return shipped_adoption_schema(contract.path) or derived_adoption_schema(contract)


def shipped_adoption_schema(contract_path: str) -> Mapping[str, Any] | None:
    """The adoption schema beside the contract file; None where there is none that can be read."""
    return schema_of(shipped_adoption_schema_text(contract_path))


def shipped_adoption_schema_text(contract_path: str) -> str | None:
    """The text of the file where an adoption schema would stand beside the contract; None without such a file."""
    return _text(Path(adoption_schema_path(contract_path)))


def schema_of(text: str | None) -> dict[str, Any] | None:
    """The schema that a text holds; None where there is no text, or no JSON mapping in it."""
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def template_texts(template: Template) -> tuple[str, ...]:
    """Every text of a template that may hold placeholders, binding texts included."""
    single = (template.title, template.given, template.holds, template.scope, template.seeds, template.text)
    bound = (text for binding in template.bindings.values() for text in binding.map.values())
    listed = (*template.steps, *template.then, *template.diagnostics)
    return (*(each for each in single if each is not None), *listed, *bound)


def row_fields(template: Template) -> tuple[str, ...]:
    """The row fields that a template's placeholders name, in order, each once."""
    names = (each for text in template_texts(template) for each in PLACEHOLDER.findall(text))
    return tuple(dict.fromkeys(each.removeprefix("row.") for each in names if each.startswith("row.")))


def named_answers(contract: Contract) -> dict[str, tuple[str, ...]]:
    """By flag: every answer that a condition or a binding of the contract names."""
    found: dict[str, dict[str, None]] = {}
    for template in contract.templates:
        for flag, answers in template.when.flag.items():
            found.setdefault(flag, {}).update(dict.fromkeys(answers))
        for binding in template.bindings.values():
            found.setdefault(binding.flag, {}).update(dict.fromkeys(binding.map))
    return {flag: tuple(answers) for flag, answers in found.items()}


def derived_adoption_schema(contract: Contract) -> dict[str, Any]:
    """A schema for adoptions of a contract that ships none: the flags, collections and row fields its templates name.

    An answer is held to the named ones where a binding depends on it. Row fields that no template names are allowed,
    as text, because a contract may rest on fields that no sentence of it shows.
    """
    text = {"type": "string", "minLength": 1}
    bound = {each.flag for template in contract.templates for each in template.bindings.values()}
    answers = {
        flag: {"type": "string", "enum": list(values)} if flag in bound else {**text, "examples": list(values)}
        for flag, values in named_answers(contract).items()
    }
    rows: dict[str, dict[str, bool]] = {}
    for template in contract.templates:
        if template.collection is not None:
            fields = rows.setdefault(template.collection, {"id": True})
            for name in row_fields(template):
                fields[name] = fields.get(name, False) or not template.when.row
            for name in template.when.row:
                fields.setdefault(name, False)
    fields_schema = {
        "contract": {"type": "string", "const": contract.id},
        "version": {"type": "integer", "minimum": 1},
        "instance": {
            "title": "a name in kebab-case, such as bakery-oven",
            "type": "string",
            "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
        },
        "answers": {"type": "object", "additionalProperties": False, "properties": answers},
        "collections": {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: _rows_schema(fields) for name, fields in rows.items()},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Adoption of the {contract.id} contract",
        "type": "object",
        "required": ["contract", "version", "instance", "answers"],
        "additionalProperties": False,
        "properties": {**fields_schema, **_OPEN_FIELDS},
    }


_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_OPEN_FIELDS: dict[str, Any] = {
    "$schema": {"type": "string"},
    "job": {"type": "object", "additionalProperties": _TEXT},
    "inputs": {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": {"type": ["string", "array"], "minLength": 1, "minItems": 1, "items": _TEXT},
        },
    },
    "rules": {"type": "object", "additionalProperties": {"type": "object"}},
    "pins": {
        "type": "object",
        "additionalProperties": {
            "title": "a digest: sha256: and 64 hexadecimal digits",
            "type": "string",
            "pattern": "^sha256:[0-9a-f]{64}$",
        },
    },
    "sources": {"type": "object", "additionalProperties": _TEXT},
}


def _rows_schema(fields: Mapping[str, bool]) -> dict[str, Any]:
    required = [name for name, is_required in fields.items() if is_required]
    properties = dict.fromkeys(fields, _ROW_TEXT)
    row = {"type": "object", "required": required, "properties": properties, "additionalProperties": _ROW_TEXT}
    return {"type": "array", "items": row}


_ROW_TEXT: dict[str, Any] = {
    "title": "a text on one line, without double braces",
    "type": "string",
    "pattern": "^(?!.*\\{\\{)\\S(.*\\S)?$",
}


def _text(path: Path) -> str | None:
    content, _ = read_bytes(str(path))
    try:
        return None if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        return None
