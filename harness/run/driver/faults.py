"""What a driver can do wrong with the envelope of the protocol; a wrong value inside a record is no fault of it."""

from __future__ import annotations

PRINTED_MAX = 2000


class DriverFault(Exception):  # noqa: N818  # blame is in the name: the driver's, not an error of the harness
    """The driver crashed, hung, or broke the envelope. `printed` is the end of what it wrote to standard error."""

    def __init__(self, message: str, printed: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.printed = printed[-PRINTED_MAX:]

    @property
    def said(self) -> str:
        """The message, and what the driver printed, on one line."""
        printed = " ".join(self.printed.split())
        return f"{self.message}; it printed: {printed}" if printed else self.message


class Unsupported(Exception):  # noqa: N818  # an answer of the driver, not an error
    """The driver says that it cannot be such a system; `lacks` are its own words."""

    def __init__(self, lacks: tuple[str, ...]) -> None:
        super().__init__(f"the driver does not support {', '.join(lacks)}")
        self.lacks = lacks
