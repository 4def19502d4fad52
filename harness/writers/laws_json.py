"""The laws as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def render(laws: Sequence[Any]) -> str:
    """One list of laws, indented."""
    return json.dumps(laws, ensure_ascii=False, indent=2) + "\n"
