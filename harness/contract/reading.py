"""Documents -> Contract and Adoption: reading, fitting to the schema, freezing.

Contracts are found by id through a resolver that the caller hands in: a mapping from id to path, or a function that
gives a path or None. So this layer knows no data folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from harness.base.finding import Finding, Severity, sort_findings
from harness.base.position import Position
from harness.contract.contract_checks import check_contract
from harness.contract.documents import Document, parse_document, read_content, read_document
from harness.contract.fitting import UnusableSchemaError, fit_document, suggestion
from harness.contract.schemas import (
    CONTRACT_SCHEMA,
    adoption_schema,
    adoption_schema_path,
    contract_schema_text,
    schema_of,
    shipped_adoption_schema_text,
)
from harness.contract.shapes import Adoption, Binding, Condition, Contract, JsonValue, Row, Template

Contracts = Mapping[str, str] | Callable[[str], str | None]

_Value = TypeVar("_Value")


class AdoptionReading(NamedTuple):
    """What reading an adoption gave. `document` and `contract` are there as far as they could be had."""

    document: Document | None
    contract: Contract | None
    findings: tuple[Finding, ...]


def read_contract(path: str) -> tuple[Contract | None, tuple[Finding, ...]]:
    """A contract file as a Contract, and what is wrong with it; no contract where there is an error.

    The file is read in every call, but what its bytes and its schemas' texts mean is worked out once.
    """
    content, findings = read_content(path)
    if content is None:
        return None, findings
    return _contract_in(path, content, contract_schema_text(path), shipped_adoption_schema_text(path))


@lru_cache(maxsize=4)
def _contract_in(
    path: str, content: bytes, schema_text: str | None, adoption_schema_text: str | None
) -> tuple[Contract | None, tuple[Finding, ...]]:
    """See `read_contract`; rests on nothing but its arguments, so that no answer of it can be out of date."""
    document, findings = parse_document(path, content)
    if document is None:
        return None, findings
    findings += _fit_contract(document, schema_of(schema_text))
    if findings:
        return None, sort_findings(findings)
    contract = build_contract(document)
    findings = sort_findings(check_contract(document, contract, schema_of(adoption_schema_text)))
    broken = any(each.severity is Severity.ERROR for each in findings)
    return (None if broken else contract), findings


def _fit_contract(document: Document, schema: Mapping[str, Any] | None) -> tuple[Finding, ...]:
    position = Position(document.path)
    if schema is None:
        missing = "the schema of contracts is not installed beside the shipped contracts"
        return (_error("contract-schema-missing", missing, position, "install the package again"),)
    try:
        return fit_document(document, schema)
    except UnusableSchemaError as error:
        message = f"{CONTRACT_SCHEMA} beside the contract can't be used: {error}"
        return (_error("schema-unusable", message, position, "correct it, or remove it: there is a shipped one"),)


def read_adoption(path: str, contracts: Contracts) -> tuple[Adoption | None, tuple[Finding, ...]]:
    """An adoption file as an Adoption, held to its schema only; `validate_adoption` says all that can be said.

    No adoption where the file can't be read, its contract can't be found, or it doesn't fit its schema.
    """
    reading = open_adoption(path, None, contracts)
    if reading.findings or reading.document is None:
        return None, reading.findings
    return build_adoption(reading.document), ()


def open_adoption(path: str, contract: Contract | None, contracts: Contracts | None) -> AdoptionReading:
    """Read an adoption file, find its contract and fit it to that contract's adoption schema."""
    document, findings = read_document(path)
    if document is None:
        return AdoptionReading(None, contract, findings)
    if contract is None:
        contract, more = _contract_of(document, contracts or {})
        findings += more
    if contract is None:
        return AdoptionReading(document, None, sort_findings(findings))
    # Where reading had to put something in a value's place, what is wrong with that something is not worth saying.
    replaced = {each.position for each in findings}
    try:
        misfits = fit_document(document, adoption_schema(contract))
    except UnusableSchemaError as error:
        hint = "correct it, or remove it: without one, adoptions are held to what the contract's templates name"
        message = f"the schema of the contract's adoptions can't be used: {error}"
        broken = _error("schema-unusable", message, Position(adoption_schema_path(contract.path)), hint)
        return AdoptionReading(document, None, sort_findings((*findings, broken)))
    findings += tuple(each for each in misfits if each.position not in replaced)
    return AdoptionReading(document, contract, sort_findings(findings))


def resolve_contract(contract_id: str, contracts: Contracts) -> str | None:
    """The path of the contract with this id, None where the resolver knows none."""
    return contracts(contract_id) if callable(contracts) else contracts.get(contract_id)


def _contract_of(document: Document, contracts: Contracts) -> tuple[Contract | None, tuple[Finding, ...]]:
    value = document.value
    if not isinstance(value, dict):
        message = "the document is not a mapping"
        advice = 'an adoption begins with "contract:", "version:" and "instance:"'
        return None, (_error("wrong-type", message, document.position(""), advice),)
    name = value.get("contract")
    if not isinstance(name, str):
        message = "the adoption does not name its contract"
        return None, (_error("contract-unknown", message, document.position("/contract"), 'add "contract: <id>"'),)
    path = resolve_contract(name, contracts)
    if path is None:
        known = sorted(contracts) if isinstance(contracts, Mapping) else []
        hint = suggestion(name, known, "name a shipped contract, or the contract's file")
        message = f'there is no contract "{name}"'
        return None, (_error("contract-unknown", message, document.position("/contract"), hint, "/contract"),)
    contract, findings = read_contract(path)
    return contract, findings if contract is None else ()


def _error(rule: str, message: str, position: Position, hint: str | None, pointer: str = "") -> Finding:
    return Finding(rule, Severity.ERROR, message, position, hint, pointer, unreadable=True)


def build_contract(document: Document) -> Contract:
    """A contract document that fits the meta-schema, frozen."""
    value = _mapping(document.value)
    templates = tuple(_template(_mapping(each)) for each in _list(value["templates"]))
    version = value["version"]
    assert isinstance(version, int)
    return Contract(str(value["contract"]), version, document.digest, document.path, templates)


def _template(value: Mapping[str, JsonValue]) -> Template:
    test, when = _mapping(value["test"]), _mapping(value.get("when"))
    bindings = {
        name: Binding(str(_mapping(each)["flag"]), _texts(_mapping(each)["map"]))
        for name, each in _mapping(value.get("bindings")).items()
    }
    inputs = {name: frozen_input(_mapping(each)["default"]) for name, each in _mapping(value.get("inputs")).items()}
    return Template(
        id=str(value["id"]),
        title=str(value["title"]),
        type=str(value["type"]),
        expand=str(value["expand"]),
        collection=_text(value.get("collection")),
        when=Condition(_choices(when.get("flag")), _choices(when.get("row"))),
        bindings=MappingProxyType(bindings),
        given=_text(test.get("given")),
        steps=_words(test.get("when")),
        then=_words(test.get("then")),
        holds=_text(test.get("holds")),
        scope=_text(test.get("scope")),
        seeds=_text(test.get("seeds")),
        diagnostics=_words(test.get("diagnostics")),
        text=str(value["text"]),
        inputs=MappingProxyType(inputs),
    )


def build_adoption(document: Document, value: JsonValue = None) -> Adoption:
    """An adoption document, frozen. `value` stands in for the document's own, where it was repaired.

    Parts of the wrong type are left out and a row without an id is named by its number, so that a document with
    misfits can still be looked at; only the adoption of a document without them should be kept.
    """
    top = _mapping(document.value if value is None else value)
    version = top.get("version")
    return Adoption(
        contract=str(top.get("contract", "")),
        version=version if isinstance(version, int) else 0,
        instance=str(top.get("instance", "")),
        path=document.path,
        root=os.path.dirname(document.path) or ".",
        digest=document.digest,
        job=_texts(top.get("job")),
        answers=_texts(top.get("answers")),
        collections=_collections(top.get("collections")),
        inputs=_each_mapping(top.get("inputs"), frozen_input),
        rules=_each_mapping(top.get("rules"), lambda each: each),
        pins=_texts(top.get("pins")),
        sources=_texts(top.get("sources")),
        document=MappingProxyType(dict(top)),
    )


def frozen_input(value: JsonValue) -> object:
    """A verification input's value: a text, or a tuple of texts."""
    return tuple(value) if isinstance(value, list) else value


def _collections(value: JsonValue) -> Mapping[str, tuple[Row, ...]]:
    found: dict[str, tuple[Row, ...]] = {}
    for name, listed in _mapping(value).items():
        rows = (
            Row(name, index, MappingProxyType({"id": f"#{index}", **_texts(each)}))
            for index, each in enumerate(_list(listed))
            if isinstance(each, dict)
        )
        found[name] = tuple(rows)
    return MappingProxyType(found)


def _each_mapping(value: JsonValue, convert: Callable[[JsonValue], object]) -> Mapping[str, Mapping[str, object]]:
    return MappingProxyType(
        {
            name: MappingProxyType({key: convert(each) for key, each in inner.items()})
            for name, inner in _mapping(value).items()
            if isinstance(inner, dict)
        }
    )


def _mapping(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: JsonValue) -> Mapping[str, str]:
    return MappingProxyType({key: each for key, each in _mapping(value).items() if isinstance(each, str)})


def _words(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(each) for each in _list(value))


def _choices(value: JsonValue) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({key: _words(each) for key, each in _mapping(value).items()})
