"""From the driver that the command line names to a channel that starts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.base.errors import UsageError
from harness.run.driver.channel import Channel, DriverWish, ObjectChannel, ProcessChannel, split_command
from harness.run.driver.hosted import HostedChannel


def channel_maker(wish: DriverWish, builtin: Callable[[str], Callable[[], Any]]) -> Callable[[], Channel]:
    """How to start the driver that the command line names; `builtin` gives the maker of a shipped one by its name.

    Raises UsageError where the text names nothing that could be a driver; that there is no such Python class shows
    when it is started.
    """
    if wish.driver.startswith("py:"):
        module, name = _python_class(wish.driver)
        return lambda: HostedChannel(module, name, dict(wish.environment), wish.timeout_s)
    if wish.driver.startswith("builtin:"):
        shipped = builtin(wish.driver.removeprefix("builtin:"))
        return lambda: ObjectChannel(shipped)
    command = split_command(wish.driver)
    return lambda: ProcessChannel(command, dict(wish.environment), wish.timeout_s)


def _python_class(driver: str) -> tuple[str, str]:
    parts = driver.split(":")
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"{driver} names no class", "write py:module:Class")
    return parts[1], parts[2]
