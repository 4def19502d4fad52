"""The exit statuses of the command line, and which one a call ends with when several apply."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitStatus(IntEnum):
    """What a call amounts to, as its process says it; never OK because nothing ran."""

    OK = 0
    FOUND = 1
    """A violated clause, an error finding, or an expected failure that no longer fails."""
    USAGE = 2
    """Wrong usage, or a file that can't be read, parsed or fitted to its schema."""
    UNDECIDED = 3
    """Something unreached (or blind, when strict), or no clause held at all."""
    DRIVER = 4
    """The driver crashed, hung or broke the envelope of the protocol."""
    NOTHING = 5
    """Nothing was selected."""
    REPORT = 6
    """A report could not be written."""
    FAULT = 70
    """A fault of the harness itself."""
    INTERRUPTED = 130
    """Stopped by the user."""


_PRECEDENCE = (
    ExitStatus.FAULT,
    ExitStatus.INTERRUPTED,
    ExitStatus.DRIVER,
    ExitStatus.USAGE,
    ExitStatus.FOUND,
    ExitStatus.UNDECIDED,
    ExitStatus.REPORT,
    ExitStatus.NOTHING,
)


def first_that_applies(statuses: Iterable[ExitStatus]) -> ExitStatus:
    """The one status of a call to which all of these apply; OK where none does."""
    applying = set(statuses)
    return next((each for each in _PRECEDENCE if each in applying), ExitStatus.OK)
