"""The messages of the protocol, as their schema has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

VERBS = ("start", "adopt", "begin", "event", "end", "stop")


class Messages:
    """Holds messages against the schema (`diagnostics/driver.schema.json`)."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._validator = cache(self._make_validator)

    def _make_validator(self, name: str) -> Any:
        from jsonschema import Draft202012Validator  # late: it takes longer to import than to use

        return Draft202012Validator({"$defs": self._schema["$defs"], "$ref": f"#/$defs/{name}"})

    def misfit_of_command(self, message: Any) -> str | None:
        """What is wrong with a message of the harness, None where it fits."""
        verb = message.get("cmd") if isinstance(message, dict) else None
        if verb not in VERBS:
            return f"cmd is none of {', '.join(VERBS)}"
        return self._misfit(verb, message)

    def misfit_of_answer(self, verb: str, answer: Any) -> str | None:
        """What is wrong with an answer to a message with that verb, None where it fits."""
        return self._misfit(f"answer-to-{verb}", answer)

    def _misfit(self, name: str, value: Any) -> str | None:
        from jsonschema.exceptions import best_match

        error = best_match(self._validator(name).iter_errors(value))
        if error is None:
            return None
        where = "/".join(map(str, error.absolute_path))
        return f"{where + ': ' if where else ''}{error.message}"[:300]
