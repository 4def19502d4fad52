"""What PyYAML's parsers say about a syntax error -> what a person is told.

The C parser and the pure one agree on what they were doing and on places, and differ in their words for what they met.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.contract.tree import Problem

#: What the C parser says of nesting beyond its own bound.
NESTING = "maximum nesting depth"


class _Fault(NamedTuple):
    """How a syntax error is told, known by what either parser calls it."""

    called: str
    message: str
    hint: str
    #: Whether the place to show is where the broken thing begins, not where the parser noticed.
    at_beginning: bool = False


_MISPLACED = "correct the indentation; where a text goes on after a quote or a bracket, put all of it in quotes"
# In this order, because the pure parser's words go on with what it found: "but found '<block mapping start>'".
_FAULTS = (
    _Fault(
        "mapping values are not allowed",
        'a ":" stands where no key can be',
        'put text that holds ": " in quotes, or correct the indentation of this line, or the ":" of the one before',
    ),
    _Fault(
        "sequence entries are not allowed",
        'a "-" stands where no list can begin',
        "begin the list on the line below its key, or put the text in quotes",
    ),
    _Fault("scanning an alias", '"*" should begin the name of an alias', "text that begins with * needs quotes"),
    _Fault("scanning an anchor", '"&" should begin the name of an anchor', "text that begins with & needs quotes"),
    _Fault(
        "scanning a quoted scalar",
        "the text in quotes that begins here is not closed",
        "close it with the same quote",
        True,
    ),
    _Fault(
        "quoted scalar",
        "the text in quotes that begins here has a backslash that begins no escape",
        "write two backslashes for one, or use single quotes",
        True,
    ),
    _Fault(
        "flow sequence",
        'a list in brackets is not closed, or a "," is missing before this',
        'add the missing "]" or ","; text that holds a bracket, a comma or a colon needs quotes',
    ),
    _Fault(
        "flow mapping",
        'a mapping in braces is not closed, or a "," is missing before this',
        'add the missing "}" or ","; text that holds a brace, a comma or a colon needs quotes',
    ),
    _Fault("node content", "a value should stand here", "text that begins with a bracket or a comma needs quotes"),
    _Fault("simple key", 'the key that begins here has no ":"', 'a key is followed by ": " on the same line', True),
    _Fault("block collection", 'an item that begins with "- " should stand here', "correct the indentation"),
    _Fault(
        "document start",
        "the document ends before this, and more stands here",
        _MISPLACED,
    ),
    _Fault(
        "block mapping",
        "this belongs neither to the value before it nor to a new key",
        _MISPLACED,
    ),
    _Fault(
        "block scalar", "after | or > the text goes on in the next line", "text that begins with | or > needs quotes"
    ),
    _Fault("tag", "a tag that is not complete begins here", "text that begins with ! needs quotes", True),
)


def syntax_problem(error: Any, text: str) -> Problem:
    """What a MarkedYAMLError of PyYAML says, as a problem of the text at its place."""
    mark = error.problem_mark or error.context_mark
    words = " ".join(each for each in (error.context, error.problem) if each)
    offset = mark.index if mark else 0
    if NESTING in words:
        return Problem("file-too-deep", offset, words)
    char = text[offset : offset + 1]
    if char == "\t":
        return Problem("syntax", offset, "not YAML: a tab stands where only spaces can", "indent with spaces")
    if "cannot start any token" in words:
        return Problem("syntax", offset, f'not YAML: no text can begin with "{char}"', "put the text in quotes")
    fault = next((each for each in _FAULTS if each.called in words), None)
    if fault is None:
        message = f"not YAML: reading stopped {error.context or 'here'}"
        return Problem("syntax", offset, message, "correct the indentation or the brackets there")
    beginning = error.context_mark.index if fault.at_beginning and error.context_mark else offset
    return Problem("syntax", beginning, f"not YAML: {fault.message}", fault.hint)
