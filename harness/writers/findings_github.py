"""Findings as workflow commands, which GitHub Actions shows beside the lines they speak of."""

from __future__ import annotations

from collections.abc import Sequence

from harness.base.finding import Finding, Severity
from harness.contract.validation import Validation

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(files: Sequence[Validation]) -> str:
    """One command a finding; the hint is the second line of its message."""
    return "".join(_command(each) for file in files for each in file.findings)


def _command(finding: Finding) -> str:
    place = finding.position
    properties = {"file": place.file, "line": str(place.line), "col": str(place.column), "title": finding.rule}
    listed = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    message = finding.message if finding.hint is None else f"{finding.message}\nhint: {finding.hint}"
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escape(message)}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
