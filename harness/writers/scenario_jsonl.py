"""Scenarios for programs that read line by line: the objects of the JSON format, one a line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from harness.expansion.scenario import Exclusion, Scenario


def render(entries: Sequence[Scenario | Exclusion]) -> str:
    """One compact JSON object a line, in template order, then row order."""
    return "".join(json.dumps(each.to_json(), ensure_ascii=False) + "\n" for each in entries)
