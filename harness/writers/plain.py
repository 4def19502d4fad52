"""Making any text safe for one line of a terminal, a table or a plain text format."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    """`text` on one line: runs of white space become one space, other control characters are written as escapes.

    Adoption files come from anywhere; without this a control sequence in one could drive the reader's terminal.
    """
    return "".join(_visible(each) for each in " ".join(text.split()))


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs"):
        return character.encode("unicode_escape").decode("ascii")
    return character


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 error`, `2 errors`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
