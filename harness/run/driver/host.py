"""Runs apart: a Python object as a program, so that a driver that is one can be ended like any other.

The first line names the class (`{"module", "name"}`) and is answered with `{"ready": true}`, or with `{"unusable"}`
where there is no such class. Every further line is a message for the object, answered with `{"answer"}`, or with
`{"fault"}` where it raised something or gave no JSON. What the object prints goes to standard error.

This file is run by its path and imports nothing of the harness: what the object imports is its own matter.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable
from typing import Any


def load(module: str, name: str) -> Any:
    """The object, made; TypeError where the name is no class and no function."""
    found = getattr(importlib.import_module(module), name)
    if not callable(found):
        raise TypeError("it is no class")
    return found


def told(error: BaseException) -> str:
    """What was raised, in words."""
    return f"{type(error).__name__}: {error}"


def replies(lines: Iterable[bytes]) -> Iterable[str]:
    """One reply for each line."""
    driver: Any = None
    for line in lines:
        message = json.loads(line)
        if driver is None:
            try:
                make = load(message["module"], message["name"])
            except (Exception, SystemExit) as error:
                yield json.dumps({"unusable": told(error)})
                return
        try:
            if driver is None:
                driver = make()
                yield json.dumps({"ready": True})
                continue
            answer = driver.answer(message)
        except (Exception, SystemExit) as error:
            yield json.dumps({"fault": f"the driver raised {told(error)}"})
            continue
        try:
            yield json.dumps({"answer": answer})
        except (TypeError, ValueError, RecursionError) as error:
            yield json.dumps({"fault": f"the driver's answer is not JSON: {error}"})


def main() -> None:
    """Serve the object that the first line names, until the input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # the object's own, as long as it lives
    for reply in replies(requests):
        answers.write(reply.encode("ascii") + b"\n")
        answers.flush()


if __name__ == "__main__":
    del sys.path[0]  # this file's folder, whose modules are no business of the object
    main()
