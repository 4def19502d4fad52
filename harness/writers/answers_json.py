"""The study of an adoption's answers as JSON."""

from __future__ import annotations

import json
from typing import Any


def render(document: dict[str, Any]) -> str:
    """The document as it is: two spaces deep, text as it is, ended by a line feed."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
