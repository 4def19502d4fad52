"""The built-in lifecycle as a driver program: a line in, a line out, until the other side has gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import IO, Any


def serve(answer: Callable[[Any], dict[str, Any]], requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every line of `requests` with one of `answers`; `stop` is the last one, as is the end of the input."""
    for line in requests:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            said: dict[str, Any] = {"seq": None, "ok": False, "reason": f"the line is not JSON: {error}"}
        else:
            said = answer(message)
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        answers.write(text.encode("utf-8", "backslashreplace") + b"\n")
        answers.flush()
        if isinstance(said.get("seq"), int) and message.get("cmd") == "stop":
            return
