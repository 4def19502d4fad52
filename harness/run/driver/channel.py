"""Messages to a driver and answers from it, whatever it is made of: a process, or an object in this one."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from harness.base.errors import UsageError
from harness.run.driver.faults import DriverFault
from harness.run.driver.process import LineProcess

Message = Mapping[str, Any]
TIMEOUT_S = 10.0


class DriverWish(NamedTuple):
    """The driver as the command line names it: its text, the limit of each answer, what its environment gains.

    `strict` asks for every answer to be held against the schema of messages, `shrink` for failures to be made small
    (None: unless time is real for it).
    """

    driver: str
    timeout_s: float = TIMEOUT_S
    environment: tuple[tuple[str, str], ...] = ()
    strict: bool = False
    shrink: bool | None = None


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
    """A driver that is a Python object of this process: `answer(message)` takes and gives messages as dictionaries.

    Messages pass through JSON on both ways, so that neither side sees, or changes, what the other one keeps. There is
    no time limit, so this is for objects that are known to return: the shipped ones.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._driver = _of_the_driver(make)

    def ask(self, message: Message) -> Any:
        """Call the object; what it raises is its own fault."""
        answer = _of_the_driver(lambda: self._driver.answer(json.loads(_line(message))))
        try:
            return json.loads(json.dumps(answer))
        except (TypeError, ValueError, RecursionError) as error:
            raise DriverFault(f"the driver's answer is not JSON: {error}") from error

    def printed(self) -> str:
        """Nothing: the object shares this process's streams."""
        return ""

    def close(self, farewell: Message | None) -> None:
        """Tell it to stop; nobody listens to the answer."""
        if farewell is not None:
            with contextlib.suppress(DriverFault):
                self.ask(farewell)


def _of_the_driver(call: Callable[[], Any]) -> Any:
    """What a call into a driver gives; DriverFault for all that it raises. What it prints goes to standard error."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return call()
    except (Exception, SystemExit) as error:
        raise DriverFault(f"the driver raised {type(error).__name__}: {error}") from error


def _line(message: Message) -> bytes:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def split_command(text: str, posix: bool = os.name == "posix") -> tuple[str, ...]:
    """A command in its words, as a shell would split it; elsewhere than on POSIX a backslash is a letter like others.

    Raises UsageError for open quotes and for no word at all.
    """
    try:
        words = shlex.split(text, posix=posix)
    except ValueError as error:
        raise UsageError(f"the driver's command cannot be split: {error}", "check its quotes") from error
    if not words or not words[0]:
        raise UsageError("the driver's command is empty", 'for example --driver "python my_driver.py"')
    return tuple(words if posix else map(_unquoted, words))


def _unquoted(word: str) -> str:
    is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if is_quoted else word
