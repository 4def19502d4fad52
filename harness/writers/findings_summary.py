"""What validation says, counted in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from harness.base.finding import Severity
from harness.contract.validation import Validation
from harness.writers.plain import count


def render(files: Sequence[Validation]) -> str:
    """How many files were checked, how many are not valid, and how many findings of each severity there are."""
    counts = {
        severity: sum(each.severity is severity for file in files for each in file.findings) for severity in Severity
    }
    told = ", ".join(count(number, str(severity)) for severity, number in counts.items())
    invalid = sum(not each.is_valid for each in files)
    state = "all valid" if not invalid else f"{invalid} not valid"
    return f"{count(len(files), 'file')} checked, {state}: {told}\n"
