"""A walk, or replayed violations, as JSON."""

from __future__ import annotations

import json
from typing import Any


def render(document: Any) -> str:
    """The document, indented."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
