"""Strict JSON text -> placed nodes.

The standard module says what is wrong in its own words but keeps no places and recurses; this reader is a small table
of states over tokens, so 200,000 brackets end as one placed problem.
"""

from __future__ import annotations

import json
import re
from enum import Enum, auto

from harness.contract.tree import INTEGER_MAX, Node, Problem, Stop, TreeBuilder, shown

# Possessive quantifiers: an unclosed string must fail at once, not after trying every way to split it.
_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_TOKEN = re.compile(rf"[ \t\n\r]*+(?:({_STRING})|({_NUMBER})|(true|false|null)|([\[\]{{}},:]))")
_BLANKS = re.compile(r"[ \t\n\r]*+")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class _Expect(Enum):
    """What may come next."""

    VALUE = auto()
    FIRST_ITEM = auto()
    FIRST_KEY = auto()
    KEY = auto()
    COLON = auto()
    MORE = auto()
    END = auto()


_WANTED = {
    _Expect.VALUE: "a value",
    _Expect.FIRST_ITEM: 'a value or "]"',
    _Expect.FIRST_KEY: 'a key in double quotes or "}"',
    _Expect.KEY: "a key in double quotes",
    _Expect.COLON: '":"',
    _Expect.END: "the end of the file",
}


def parse_json(text: str) -> tuple[Node | None, list[Problem]]:
    """The root node of a JSON text and the problems found; no node where reading had to stop."""
    reader = _Reader(text)
    try:
        reader.read()
    except Stop as stop:
        return None, [*reader.tree.problems, stop.problem]
    return reader.tree.root, reader.tree.problems


def integer_or_problem(digits: str, base: int, offset: int) -> int | Problem:
    """The whole number that `digits` write, or a problem where it is too large to be kept exact everywhere."""
    if len(digits) <= 20 and abs(number := int(digits, base)) <= INTEGER_MAX:
        return number
    return Problem(
        "number-too-large", offset, f"the number {shown(digits, 24)} is beyond {INTEGER_MAX}", "use a smaller one"
    )


class _Reader:
    """Walks the tokens once; `_nesting` holds the closing bracket of every open collection."""

    def __init__(self, text: str) -> None:
        self.tree = TreeBuilder()
        self._text = text
        self._nesting: list[str] = []
        self._expect = _Expect.VALUE

    def read(self) -> None:
        offset, text = 0, self._text
        while True:
            match = _TOKEN.match(text, offset)
            if match is None:
                break
            offset = match.end()
            kind = match.lastindex or 0
            token, start = match.group(kind), match.start(kind)
            if kind == 4:
                self._punctuation(token, start)
            else:
                self._scalar(kind, token, start, offset)
        end = _BLANKS.match(text, offset)
        rest = end.end() if end else offset
        if rest < len(text) or self._expect is not _Expect.END:
            raise Stop(self._unexpected(rest))

    def _scalar(self, kind: int, token: str, start: int, end: int) -> None:
        is_key = self._expect in (_Expect.KEY, _Expect.FIRST_KEY)
        if self._expect in (_Expect.COLON, _Expect.MORE, _Expect.END) or (is_key and kind != 1):
            raise Stop(self._unexpected(start))
        value: str | int | float | bool | None
        if kind == 1:
            value = json.loads(token)
        elif kind == 2:
            value = self._number(token, start)
        else:
            value = _WORDS[token]
        self.tree.add(Node(value, start, end), token)
        self._expect = _Expect.COLON if is_key else self._after_value()

    def _number(self, token: str, start: int) -> int | float:
        number: int | float | Problem
        if token.lstrip("-").isdigit():
            number = integer_or_problem(token, 10, start)
        else:
            real = float(token)
            finite = abs(real) != float("inf")
            number = (
                real if finite else Problem("number-too-large", start, f"the number {shown(token, 24)} is too large")
            )
        if isinstance(number, Problem):
            self.tree.take(number)
            return 0
        return number

    def _punctuation(self, token: str, start: int) -> None:
        expect = self._expect
        if token in "[{" and expect in (_Expect.VALUE, _Expect.FIRST_ITEM):
            self.tree.open(token == "{", start)
            self._nesting.append("}" if token == "{" else "]")
            self._expect = _Expect.FIRST_KEY if token == "{" else _Expect.FIRST_ITEM
        elif token == ":" and expect is _Expect.COLON:
            self._expect = _Expect.VALUE
        elif token == "," and expect is _Expect.MORE:
            self._expect = _Expect.KEY if self._nesting[-1] == "}" else _Expect.VALUE
        elif self._closes(token):
            self._nesting.pop()
            self.tree.close(start + 1)
            self._expect = self._after_value()
        else:
            raise Stop(self._unexpected(start))

    def _closes(self, token: str) -> bool:
        if not self._nesting or token != self._nesting[-1]:
            return False
        first = _Expect.FIRST_KEY if token == "}" else _Expect.FIRST_ITEM
        return self._expect in (_Expect.MORE, first)

    def _after_value(self) -> _Expect:
        return _Expect.MORE if self._nesting else _Expect.END

    def _unexpected(self, offset: int) -> Problem:
        wanted = f'"," or "{self._nesting[-1]}"' if self._expect is _Expect.MORE else _WANTED[self._expect]
        if offset >= len(self._text):
            return Problem(
                "syntax", offset, f"the file ends where {wanted} should follow", "is the end of the file missing?"
            )
        found = shown(self._text[offset : offset + 12].split("\n")[0])
        return Problem("syntax", offset, f'not JSON: "{found}" stands where {wanted} should', self._advice(offset))

    def _advice(self, offset: int) -> str:
        char = self._text[offset]
        if char == '"':
            return "close the text with a double quote; control characters and unknown escapes are not allowed in it"
        if char in "#/":
            return "JSON has no comments; name the file .yaml to use them"
        if char in "]}" and self._expect in (_Expect.KEY, _Expect.VALUE):
            return "leave out the comma before it"
        if char == "'":
            return "use double quotes"
        return "correct the JSON, or name the file .yaml"
