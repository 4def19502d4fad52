"""Findings for people: a line each, as compilers write them, and the hint below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from harness.base.finding import Finding
from harness.contract.validation import Validation
from harness.writers.plain import one_line

Paint = Callable[[str, str], str]
"""Colours a text by the severity it belongs to: (text, severity) -> text."""


def unpainted(text: str, severity: str) -> str:
    """The text as it is, whatever the severity."""
    return text


def render(files: Sequence[Validation], paint: Paint = unpainted) -> str:
    """`file:line:column: severity rule: message` for every finding, then an indented hint where there is one."""
    return "".join(_lines(each, paint) for file in files for each in file.findings)


def told(findings: Iterable[Finding]) -> str:
    """The same lines for findings that belong to no adoption, without the last line end."""
    return "".join(_lines(each, unpainted) for each in findings).rstrip("\n")


def _lines(finding: Finding, paint: Paint) -> str:
    severity = str(finding.severity)
    place = one_line(str(finding.position))
    line = f"{place}: {paint(severity, severity)} {finding.rule}: {one_line(finding.message)}\n"
    return line if finding.hint is None else f"{line}    hint: {one_line(finding.hint)}\n"
