"""Messages to a driver and answers from it, whatever it is made of: a process, or an object in this one."""

from __future__ import annotations

import importlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from harness.base.errors import UsageError
from harness.run.driver.faults import DriverFault
from harness.run.driver.process import LineProcess

Message = Mapping[str, Any]


class Channel(Protocol):
    """One live driver."""

    def ask(self, message: Message) -> Any:
        """The answer to a message, parsed; DriverFault where there is none."""

    def printed(self) -> str:
        """The end of what the driver printed."""

    def close(self, farewell: Message | None) -> None:
        """End the driver."""


class ProcessChannel:
    """A driver that is a program."""

    def __init__(self, command: tuple[str, ...], extra: Mapping[str, str], timeout_s: float) -> None:
        self._process = LineProcess(command, extra, timeout_s)

    def ask(self, message: Message) -> Any:
        """One line each way."""
        line = self._process.ask(_line(message))
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            shown = line.decode("utf-8", "replace").strip()[:200]
            raise DriverFault(f"the driver's answer is not JSON: {shown}", self.printed()) from None

    def printed(self) -> str:
        """The end of its standard error."""
        return self._process.printed()

    def close(self, farewell: Message | None) -> None:
        """Tell it to stop, then make sure."""
        self._process.close(None if farewell is None else _line(farewell))


class ObjectChannel:
    """A driver that is a Python object: `answer(message)` takes and gives the messages as dictionaries."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def ask(self, message: Message) -> Any:
        """Call the object; what it raises is its own fault."""
        try:
            return self._driver.answer(dict(message))
        except Exception as error:
            raise DriverFault(f"the driver raised {type(error).__name__}: {error}") from error

    def printed(self) -> str:
        """Nothing: the object shares this process's streams."""
        return ""

    def close(self, farewell: Message | None) -> None:
        """Tell it to stop; nobody listens to the answer."""
        if farewell is not None:
            try:
                self._driver.answer(dict(farewell))
            except Exception:
                return


def _line(message: Message) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def channel_maker(
    driver: str, extra: Mapping[str, str], timeout_s: float, builtin: Callable[[str], Any]
) -> Callable[[], Channel]:
    """How to start the driver that the command line names; `builtin` makes a shipped one by its name.

    Raises UsageError where the text names nothing that could be a driver.
    """
    if driver.startswith("py:"):
        return lambda: ObjectChannel(_python_object(driver)())
    if driver.startswith("builtin:"):
        return lambda: ObjectChannel(builtin(driver.removeprefix("builtin:")))
    try:
        command = tuple(shlex.split(driver, posix=os.name == "posix"))
    except ValueError as error:
        raise UsageError(f"the driver's command cannot be split: {error}", "check its quotes") from error
    if not command:
        raise UsageError("the driver's command is empty", 'for example --driver "python my_driver.py"')
    return lambda: ProcessChannel(command, extra, timeout_s)


def _python_object(driver: str) -> Callable[[], Any]:
    parts = driver.split(":")
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"{driver} names no class", "write py:module:Class")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Callable[[], Any] = getattr(importlib.import_module(parts[1]), parts[2])
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the driver {driver} cannot be imported: {error}", "run from the folder it is in") from error
    return found
