"""What validation says about one place of a document."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from harness.base.position import Position


class Severity(StrEnum):
    """How much a finding weighs; only an error makes a document invalid."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One placed remark about a document.

    `rule` is a stable kebab-case id, `pointer` a JSON pointer into the document, `template` the id of the contract
    template that the finding rests on, where there is one. `unreadable` marks a finding that made the document
    unusable (it cannot be read, parsed or fitted to its schema), which the exit status tells apart.
    """

    rule: str
    severity: Severity
    message: str
    position: Position
    hint: str | None = None
    pointer: str = ""
    template: str | None = None
    unreadable: bool = False

    def to_json(self) -> dict[str, object]:
        """The finding in the fixed outside format (nine keys, `line` and `column` from 1)."""
        return {
            "rule": self.rule,
            "severity": str(self.severity),
            "message": self.message,
            "hint": self.hint,
            "file": self.position.file,
            "line": self.position.line,
            "column": self.position.column,
            "pointer": self.pointer,
            "template": self.template,
        }


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in reading order: by file, line, column, then rule and message, so that output is reproducible."""
    return tuple(sorted(findings, key=lambda each: (each.position, each.rule, each.message, each.pointer)))
