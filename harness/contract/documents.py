"""Files -> documents whose every key and value knows its line and column.

`read_document` never raises for what a file holds: bad input becomes findings. A file named `.json` must be strict
JSON; any other name is read as YAML.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from bisect import bisect_right
from dataclasses import dataclass, field

from harness.base.finding import Finding, Severity
from harness.base.position import Position
from harness.contract.pointers import pointer_to, pointer_tokens
from harness.contract.shapes import JsonValue
from harness.contract.tree import Node, Problem

__all__ = [
    "BYTES_MAX",
    "Document",
    "Lines",
    "parse_document",
    "pointer_to",
    "pointer_tokens",
    "read_bytes",
    "read_content",
    "read_document",
]

BYTES_MAX = 2 * 1024 * 1024

_BREAK = re.compile(r"\r\n|\n|\r")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,8})\Z")


class Lines:
    """Turns character offsets of a text into lines and columns, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(each.end() for each in _BREAK.finditer(text))]

    def at(self, offset: int) -> tuple[int, int]:
        """The line and column of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. `path` is as the caller typed it, `digest` is `sha256:<hex>` of the file's bytes.

    `value` is plain data (dict, list, str, int, float, bool, None) that nobody should change.
    """

    path: str
    digest: str
    text: str
    root: Node
    lines: Lines = field(repr=False)

    @property
    def value(self) -> JsonValue:
        """The whole document as plain data."""
        return self.root.value

    def position(self, pointer: str, key: bool = False) -> Position:
        """Where the value at a JSON pointer stands, or its key.

        A pointer that leads nowhere (a missing key) gives the place of the nearest value above it.
        """
        line, column = self.lines.at(self._offset(pointer, key))
        return Position(self.path, line, column)

    def node(self, pointer: str) -> Node | None:
        """The node at a JSON pointer, None where the pointer leads nowhere."""
        node: Node | None = self.root
        for token in pointer_tokens(pointer):
            if node is None:
                return None
            node = _child(node, token)
        return node

    def _offset(self, pointer: str, key: bool) -> int:
        node, offset = self.root, self.root.start
        for token in pointer_tokens(pointer):
            child = _child(node, token)
            if child is None:
                return node.start
            offset = node.entries[token].key_start if node.entries is not None else child.start
            node = child
        return offset if key else node.start


def read_document(path: str) -> tuple[Document | None, tuple[Finding, ...]]:
    """A file as a document, and what is wrong with the file.

    Each finding is an error with `unreadable` set. The document is there with findings beside it where reading could
    go on (duplicate keys, tags, keys that are not text), so that the rest can be checked in the same go.
    """
    content, findings = read_content(path)
    return (None, findings) if content is None else parse_document(path, content)


def read_content(path: str) -> tuple[bytes | None, tuple[Finding, ...]]:
    """The bytes of a file, or the one finding that says why they can't be had."""
    content, problem = read_bytes(path)
    return content, (_finding(path, problem),) if problem else ()


def parse_document(path: str, content: bytes) -> tuple[Document | None, tuple[Finding, ...]]:
    """The bytes of a file as a document, and what is wrong with them; see `read_document`."""
    text, finding = _decode(path, content)
    if text is None:
        return None, (finding,) if finding else ()
    lines = Lines(text)
    root, problems = _parse(path, text)
    findings = tuple(_finding(path, each, lines) for each in problems)
    if root is None or (root.value is None and not findings):
        return None, findings or (_finding(path, _empty()),)
    return Document(path, f"sha256:{hashlib.sha256(content).hexdigest()}", text, root, lines), findings


def read_bytes(path: str) -> tuple[bytes | None, Problem | None]:
    """The bytes of a regular file of bounded size, or why they can't be had."""
    try:
        mode = os.stat(path)
        if stat.S_ISDIR(mode.st_mode):
            return None, Problem("file-unreadable", 0, "this is a folder, not a file", "name a file in it")
        if not stat.S_ISREG(mode.st_mode):
            return None, Problem("file-unreadable", 0, "this is not a regular file", "name a file on disk")
        with open(path, "rb") as stream:
            content = stream.read(BYTES_MAX + 1)
    except FileNotFoundError:
        return None, Problem("file-unreadable", 0, "there is no such file", "check the path")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return None, Problem(
            "file-unreadable", 0, f"the file can't be read: {reason}", "check the path and permissions"
        )
    if len(content) > BYTES_MAX:
        hint = "is this the right file? No adoption or contract is nearly as large"
        return None, Problem("file-too-large", 0, f"the file is larger than {BYTES_MAX} bytes", hint)
    return content, None


def _parse(path: str, text: str) -> tuple[Node | None, list[Problem]]:
    if found := _UNPRINTABLE.search(text):
        message = f"the character U+{ord(found.group()):04X} has no place in a text file"
        return None, [
            Problem("file-control-character", found.start(), message, "save the file as plain UTF-8 text without it")
        ]
    if not text.strip():
        return None, [_empty()]
    if path.lower().endswith(".json"):
        from harness.contract.json_text import parse_json

        return parse_json(text)
    from harness.contract.yaml_text import parse_yaml

    return parse_yaml(text)


def _empty() -> Problem:
    return Problem("file-empty", 0, "the file holds no document", "start from a copy of a shipped adoption")


def _decode(path: str, content: bytes) -> tuple[str | None, Finding | None]:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None, _finding(
            path, Problem("file-encoding", 0, "the file is UTF-16 or UTF-32, not UTF-8", "save it as UTF-8")
        )
    body = content.removeprefix(b"\xef\xbb\xbf")
    try:
        return body.decode("utf-8"), None
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8")
        message = f"the byte 0x{body[error.start]:02X} is not UTF-8 text"
        problem = Problem("file-encoding", len(before), message, "save the file as UTF-8")
        return None, _finding(path, problem, Lines(before))


def _finding(path: str, problem: Problem, lines: Lines | None = None) -> Finding:
    line, column = lines.at(problem.offset) if lines else (1, 1)
    position = Position(path, line, column)
    return Finding(
        problem.rule, Severity.ERROR, problem.message, position, problem.hint, problem.pointer, unreadable=True
    )


def _child(node: Node, token: str) -> Node | None:
    if node.entries is not None:
        entry = node.entries.get(token)
        return entry.node if entry else None
    if node.items is not None and _INDEX.match(token) and int(token) < len(node.items):
        return node.items[int(token)]
    return None
