"""The list of expected failures, read from its file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness import workspace
from harness.base.errors import UsageError
from harness.base.finding import Finding, Severity
from harness.contract.documents import Document, read_document
from harness.contract.fitting import fit_document
from harness.verdict.expected import Expectations, ExpectedFailure
from harness.writers import findings_text

_LIST = "expected-failures"


def read_expectations(path: str) -> Expectations:
    """The list in a YAML or JSON file; UsageError that tells, with their places, all its misfits."""
    document, findings = read_document(path)
    if document is not None and not findings:
        schema = json.loads(workspace.read_text(workspace.schema_paths()[_LIST]))
        findings = fit_document(document, schema) or tuple(_twice(document))
    if document is None or findings:
        raise UsageError(f"the list of expected failures {path} cannot be used:\n{findings_text.told(findings)}")
    return Expectations(tuple(_failure(document, at, each) for at, each in enumerate(_entries(document))))


def _entries(document: Document) -> list[dict[str, Any]]:
    value: Any = document.value
    entries: list[dict[str, Any]] = value[_LIST]
    return entries


def _failure(document: Document, at: int, entry: dict[str, Any]) -> ExpectedFailure:
    position = document.position(f"/{_LIST}/{at}/scenario")
    return ExpectedFailure(entry["scenario"], entry["clause"], entry["reason"], entry.get("link"), position)


def _twice(document: Document) -> Iterator[Finding]:
    seen: set[tuple[str, int]] = set()
    for at, each in enumerate(_entries(document)):
        clause = (each["scenario"], each["clause"])
        if clause in seen:
            pointer = f"/{_LIST}/{at}/scenario"
            message = f"clause {clause[1]} of {clause[0]} is listed twice"
            yield Finding("duplicate-item", Severity.ERROR, message, document.position(pointer), "keep one", pointer)
        seen.add(clause)
