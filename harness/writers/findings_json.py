"""Findings for programs: the fixed format of `harness validate --format json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from harness.writers.findings_report import FileFindings


def render(files: Sequence[FileFindings]) -> str:
    """A list with one object a file: its path, whether it is valid, and its findings."""
    document = [
        {"path": file.path, "valid": file.valid, "findings": [each.to_json() for each in file.findings]}
        for file in files
    ]
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
