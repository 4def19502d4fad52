"""The kill matrix as JSON."""

from __future__ import annotations

import json
from typing import Any


def render(document: dict[str, Any]) -> str:
    """The document's text, two spaces deep."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
