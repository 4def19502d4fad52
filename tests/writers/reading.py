"""Reading back what the writers wrote."""

from __future__ import annotations

import json
from typing import Any

from gherkin.parser import Parser


def read_gherkin(text: str) -> Any:
    """A Gherkin document as plain data, read by the official parser; its errors are the test's."""
    return json.loads(json.dumps(Parser().parse(text)))


def gherkin_scenarios(document: Any) -> list[dict[str, Any]]:
    """The scenarios of a document, over all its rules, in order."""
    rules = [child["rule"] for child in document["feature"]["children"] if "rule" in child]
    return [inner["scenario"] for rule in rules for inner in rule["children"] if "scenario" in inner]
