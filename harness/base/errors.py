"""Errors that reach the command line; each carries what a user can do about it."""

from __future__ import annotations


class HarnessError(Exception):
    """A failure with a message for the user and, where one helps, a hint."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HarnessError):
    """The call, or a file it names, cannot be used (exit status 2)."""


class ReportError(HarnessError):
    """A report could not be written; the run itself is kept (exit status 6)."""
