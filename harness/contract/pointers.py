"""JSON pointers: the way to a value through keys and indices."""

from __future__ import annotations


def pointer_tokens(pointer: str) -> list[str]:
    """The reference tokens of a JSON pointer, unescaped; empty for the whole document."""
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


def pointer_to(*tokens: str | int) -> str:
    """The JSON pointer that leads through these keys and indices."""
    return "".join("/" + str(each).replace("~", "~0").replace("/", "~1") for each in tokens)
