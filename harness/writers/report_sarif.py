"""The findings about the adoptions of a run, in SARIF."""

from __future__ import annotations

from harness.writers import findings_sarif
from harness.writers.report import RunReport


def render(report: RunReport) -> str:
    """The same document that `validate --format sarif` prints for these files."""
    return findings_sarif.render(report.adoptions)
