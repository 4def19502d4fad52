"""Scenarios for programs: the fixed format of `harness expand --format json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from harness.expansion.scenario import Exclusion, Scenario


def render(entries: Sequence[Scenario | Exclusion]) -> str:
    """A list in template order, then row order; an exclusion, where one is listed, has the key `excluded`."""
    return json.dumps([each.to_json() for each in entries], ensure_ascii=False, indent=2) + "\n"
