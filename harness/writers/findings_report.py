"""The shape that every writer of findings renders: what validation says about each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.base.finding import Finding, Severity
from harness.writers.plain import count


@dataclass(frozen=True, slots=True)
class FileFindings:
    """The findings about one file, in reading order; `path` is as the caller typed it."""

    path: str
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """True without an error among the findings; warnings and notes leave a file valid."""
        return all(each.severity is not Severity.ERROR for each in self.findings)

    @property
    def readable(self) -> bool:
        """True where the file could be read, parsed and fitted to its schema."""
        return not any(each.unreadable for each in self.findings)


def summary(files: Sequence[FileFindings]) -> str:
    """One sentence that counts files and findings."""
    counts = {
        severity: sum(each.severity is severity for file in files for each in file.findings) for severity in Severity
    }
    told = ", ".join(count(number, str(severity)) for severity, number in counts.items())
    invalid = sum(not each.valid for each in files)
    state = "all valid" if not invalid else f"{invalid} not valid"
    return f"{count(len(files), 'file')} checked, {state}: {told}"
