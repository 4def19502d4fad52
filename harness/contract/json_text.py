"""Strict JSON text -> placed nodes.

The standard module decides what is JSON and what a text in quotes means. PyYAML's parser says where each value stands,
because what is valid JSON is YAML too; the tree that it feeds counts depth and size, so that nothing has to recurse.
"""

from __future__ import annotations

import json
import re
from typing import Any

from harness.contract.shapes import JsonValue
from harness.contract.tree import Node, Problem, shown, too_deep
from harness.contract.yaml_text import plain_scalar, read_events

# Inside quotes YAML knows other escapes and more line ends than JSON. So its parser is shown blanks in their stead, one
# for each character: the places stay, and the text itself is read by the JSON module.
_NOT_ALIKE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)|[^ -~]", re.DOTALL)
# What of the tree's words holds for JSON too; the others are about what YAML makes of a text that is no JSON.
_BOUNDS = ("file-too-deep", "file-too-many-values")
_SHARED = ("duplicate-key", "number-too-large", "file-control-character")
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
_DECODER = json.JSONDecoder()

_WANTED = {
    "Expecting value": "a value",
    "Expecting property name": "a key in double quotes",
    "Expecting ':'": '":"',
    "Expecting ','": '"," or the closing bracket',
    "Extra data": "the end of the file",
}
_KEY_LENGTH_MAX = 1024


def parse_json(text: str) -> tuple[Node | None, list[Problem]]:
    """The root node of a JSON text and the problems found; no node where reading had to stop."""
    blanked = _NOT_ALIKE.sub(lambda found: " " * len(found.group()), text)
    root, problems = read_events(blanked, lambda event: _value(text, event))
    stop = problems.pop() if root is None and problems else None
    fault = _fault(text)
    if stop and stop.rule in _BOUNDS and (fault is None or stop.offset <= fault.offset):
        return None, [*problems, stop]
    if fault:
        before = (each for each in problems if each.offset < fault.offset and each.rule in _SHARED)
        return None, [*before, fault]
    if stop:
        # Nothing else is valid JSON and not YAML; the bound is the parser's own.
        message = f'a key and the ":" after it take more than {_KEY_LENGTH_MAX} characters'
        return None, [
            *problems,
            Problem("key-too-long", stop.offset, message, "shorten the key, or what is blank after it"),
        ]
    return (None if any(each.rule == "syntax" for each in problems) else root), problems


def _value(text: str, event: Any) -> JsonValue | Problem:
    """What a scalar of the text means. Where the text is no JSON, anything will do: nobody gets to see it."""
    start = event.start_mark.index
    if event.implicit[0] and event.value in _CONSTANTS:
        message = f'not JSON: "{event.value}" stands where a number should'
        return Problem("syntax", start, message, "write a finite number")
    if event.implicit[0]:
        return plain_scalar(event.value, start)
    try:
        value: JsonValue = _DECODER.raw_decode(text, start)[0]
    except ValueError:
        return str(event.value)
    return value


def _fault(text: str) -> Problem | None:
    """Where and why the standard module refuses the text; numbers are left alone, because the tree judges them."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        return _told(text, error.msg, error.pos)
    except RecursionError:
        # The tree stops at its own bound long before, and then its place is the one to tell.
        return too_deep(len(text))
    return None


def _told(text: str, words: str, offset: int) -> Problem:
    """The standard module's words as a problem: what stands there, what should, and what to do."""
    before = text[:offset].rstrip(" \t\n\r")
    if words.startswith("Illegal trailing comma") or (text[offset : offset + 1] in ("]", "}") and before[-1:] == ","):
        # The module's versions differ in whether they show the comma or the bracket.
        offset = offset if text[offset] == "," else len(before) - 1
        return Problem("syntax", offset, 'not JSON: a "," stands where the closing bracket should', "leave it out")
    wanted = next((each for start, each in _WANTED.items() if words.startswith(start)), None)
    if wanted is None:
        return _text_told(text, words, offset)
    if offset >= len(text):
        hint = "is the end of the file missing?"
        return Problem("syntax", offset, f"the file ends where {wanted} should follow", hint)
    found = shown(text[offset : offset + 12].split("\n")[0])
    message = f'not JSON: "{found}" stands where {wanted} should'
    return Problem("syntax", offset, message, _advice(text[offset:], wanted))


def _text_told(text: str, words: str, offset: int) -> Problem:
    """The same for what is wrong inside a text in quotes."""
    if words.startswith("Unterminated"):
        message = "not JSON: the text that begins here should end with a double quote"
        return Problem("syntax", offset, message, "close it, on the line it begins on")
    if words.startswith("Invalid control character") and text[offset] == "\t":
        message = "not JSON: a tab stands inside a text, where an escape should"
        return Problem("syntax", offset, message, "write a space, or \\t for the tab")
    if words.startswith("Invalid control character"):
        message = "not JSON: the line ends inside a text, where a double quote should close it"
        return Problem("syntax", offset, message, "close the text, or write \\n where it holds a line end")
    message = "not JSON: this backslash should begin one of the escapes that JSON has"
    return Problem("syntax", offset, message, 'write \\\\ for a backslash itself, \\" for a double quote')


def _advice(rest: str, wanted: str) -> str:
    if rest[0] in "#/":
        return "JSON has no comments; name the file .yaml to use them"
    if rest[0] == "'":
        return "use double quotes"
    if rest.startswith(("True", "False", "None")):
        return "JSON writes true, false and null"
    if wanted == _WANTED["Expecting ','"] and rest[0] not in ":]}":
        return "is a comma missing before it?"
    if wanted == _WANTED["Extra data"]:
        return "keep one value to a file"
    return "correct the JSON, or name the file .yaml"
