"""Findings in SARIF 2.1.0, the exchange format of static analysis tools."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Protocol
from urllib.parse import quote

from harness import __version__
from harness.base.finding import Finding, Severity
from harness.contract.validation import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


class FileFindings(Protocol):
    """A file that was looked at, and what was found."""

    @property
    def path(self) -> str:
        """The path as it was typed."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, in reading order."""


def render(files: Sequence[FileFindings]) -> str:
    """One SARIF log with one run: the rules that occur, a result for each finding, and the files looked at."""
    findings = [each for file in files for each in file.findings]
    rule_ids = sorted({each.rule for each in findings})
    run = {
        "tool": {"driver": {"name": "harness", "version": __version__, "rules": [_rule(each) for each in rule_ids]}},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(path)}} for path in dict.fromkeys(file.path for file in files)],
        "results": [_result(each, rule_ids.index(each.rule)) for each in findings],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(rule_id: str) -> dict[str, object]:
    return {"id": rule_id, "shortDescription": {"text": RULES.get(rule_id, rule_id.replace("-", " "))}}


def _result(finding: Finding, rule_index: int) -> dict[str, object]:
    text = finding.message if finding.hint is None else f"{finding.message}\nHint: {finding.hint}"
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [_location(finding)],
        "properties": {"pointer": finding.pointer, "template": finding.template},
    }


def _location(finding: Finding) -> dict[str, object]:
    place = finding.position
    region = {"startLine": max(1, place.line), "startColumn": max(1, place.column)}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}}


def _uri(path: str) -> str:
    """A path as a URI reference: relative as typed, absolute with the file scheme, a Windows drive too."""
    if _DRIVE.match(path):
        return "file:///" + path[0] + ":" + _quoted(path[2:])
    quoted = _quoted(path)
    return f"file://{quoted}" if quoted.startswith("/") else quoted


def _quoted(path: str) -> str:
    plain = path.replace("\\", "/")
    try:
        return quote(plain.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a name that stands for no bytes, as other systems can have
        return quote(plain.encode("utf-8", "surrogatepass"))
