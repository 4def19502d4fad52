"""Findings for programs: the fixed format of `harness validate --format json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from harness.contract.validation import Validation


def render(files: Sequence[Validation]) -> str:
    """A list with one object a file: its path, whether it is valid, and its findings."""
    return json.dumps([each.to_json() for each in files], ensure_ascii=False, indent=2) + "\n"
