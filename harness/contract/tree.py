"""A document as a tree of placed nodes, built from parser events without recursion.

JSON and YAML both feed a `TreeBuilder`, so bounds, duplicate keys and key types are judged the
same way for both. Places are character offsets into the text (a byte order mark left off).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.contract.pointers import pointer_to
from harness.contract.shapes import JsonValue

# The bounds are far above any sensible adoption and far below what hurts a parser.
DEPTH_MAX = 64
NODES_MAX = 100_000
# Whole numbers beyond this are not kept exact by every JSON reader.
INTEGER_MAX = 2**53 - 1

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Problem(NamedTuple):
    """Something wrong at a character offset of the text; `rule` is the id of the finding it becomes.

    `pointer` leads to the value it is about, as far as the document was read.
    """

    rule: str
    offset: int
    message: str
    hint: str | None = None
    pointer: str = ""


class Stop(Exception):  # noqa: N818 - not an error of the harness: reading ends here, with one problem
    """Reading can't go on; carries the problem that ended it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Entry(NamedTuple):
    """One key of a mapping: where the key stands, and the node of its value."""

    key_start: int
    node: Node


class Node(NamedTuple):
    """A value with its extent `start` to `end` (offsets, end exclusive) and its children, if it has any.

    `size` counts the nodes below and including this one, `height` the levels; both count aliases as expanded.
    """

    value: JsonValue
    start: int
    end: int
    entries: dict[str, Entry] | None = None
    items: list[Node] | None = None
    size: int = 1
    height: int = 1


@dataclass(slots=True)
class _Frame:
    """A collection that is still open; `key` is the pending key of a mapping."""

    start: int
    is_mapping: bool
    entries: dict[str, Entry] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    key: str | None = None
    key_start: int = 0
    has_key: bool = False
    last_end: int = 0
    size: int = 1
    height: int = 1

    @property
    def way(self) -> str | int | None:
        """The key or index of the child that is being read; None where it has no name."""
        return self.key if self.is_mapping else len(self.items)


class TreeBuilder:
    """Builds the node tree from open, close and add calls, and collects the problems it meets on the way."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.root: Node | None = None
        self._stack: list[_Frame] = []
        self._count = 0

    @property
    def depth(self) -> int:
        """How many collections are open."""
        return len(self._stack)

    @property
    def wants_key(self) -> bool:
        """Whether the next node is the key of an open mapping."""
        return bool(self._stack) and self._stack[-1].is_mapping and not self._stack[-1].has_key

    def report(self, rule: str, offset: int, message: str, hint: str | None = None) -> None:
        """Record a problem that does not end the reading."""
        self.take(Problem(rule, offset, message, hint))

    def take(self, problem: Problem) -> None:
        """Record a problem of the value that comes next, or of the key just taken."""
        self.problems.append(problem._replace(pointer=self._pointer()))

    def _pointer(self) -> str:
        """The way to the value that comes next."""
        ways = (frame.way for frame in self._stack)
        return pointer_to(*(each for each in ways if each is not None))

    def open(self, is_mapping: bool, start: int) -> None:
        """A mapping or a list begins; raises Stop beyond the bound on depth."""
        if len(self._stack) >= DEPTH_MAX:
            raise Stop(too_deep(start))
        self._stack.append(_Frame(start, is_mapping))

    def close(self, end: int | None) -> Node:
        """The innermost collection ends; returns its node, already placed in its parent.

        Without `end` (a YAML block, whose parser counts the blank lines below in) it ends where its last child ends.
        """
        frame = self._stack.pop()
        node = _finished(frame, frame.last_end if end is None else end)
        self._place(node, added=1)
        return node

    def add(self, node: Node, source: str | None = None) -> None:
        """A finished node arrives (a scalar, or the target of an alias); `source` is a scalar's text as written."""
        if len(self._stack) + node.height - 1 > DEPTH_MAX:
            raise Stop(too_deep(node.start))
        if isinstance(node.value, str) and (found := _UNPRINTABLE.search(node.value)):
            self.report(
                "file-control-character",
                node.start,
                f"the text holds the character U+{ord(found.group()):04X}, which has no place in a document",
                "leave the character out",
            )
            node = node._replace(value=_UNPRINTABLE.sub("\ufffd", node.value))
        self._place(node, added=node.size, source=source)

    def _place(self, node: Node, added: int, source: str | None = None) -> None:
        self._count += added
        if self._count > NODES_MAX:
            message = f"the document has more than {NODES_MAX} values, aliases counted as expanded"
            raise Stop(Problem("file-too-many-values", node.start, message, "split the file, or use fewer aliases"))
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        frame.size += node.size
        frame.last_end = node.end
        frame.height = max(frame.height, node.height + 1)
        if not frame.is_mapping:
            frame.items.append(node)
        elif not frame.has_key:
            self._take_key(frame, node, source)
        else:
            self._take_value(frame, node)

    def _take_key(self, frame: _Frame, node: Node, source: str | None) -> None:
        frame.has_key, frame.key_start = True, node.start
        if isinstance(node.value, str):
            frame.key = node.value
        else:
            # The text as written stands in for the key, so that the rest of the document is still looked at.
            frame.key = source
            if node.entries is None and node.items is None:
                message, hint = f"the key {source} is not text" if source else "a key is empty", "put the key in quotes"
            else:
                message, hint = (
                    "a list or mapping stands where a key should",
                    "text that begins with [ or { needs quotes",
                )
            self.report("key-not-text", node.start, message, hint)
        if frame.key is not None and frame.key in frame.entries:
            self.report(
                "duplicate-key",
                node.start,
                f'the key "{shown(frame.key)}" stands twice in one mapping',
                "keep one of them",
            )

    def _take_value(self, frame: _Frame, node: Node) -> None:
        if frame.key is not None and frame.key not in frame.entries:
            frame.entries[frame.key] = Entry(frame.key_start, node)
        frame.key, frame.has_key = None, False


def shown(text: str, length_max: int = 60) -> str:
    """The text for a message: control characters escaped, cut at `length_max` characters."""
    plain = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text[: length_max + 1])
    return plain if len(plain) <= length_max else plain[: length_max - 1] + "…"


def too_deep(offset: int) -> Problem:
    """The problem of a document that goes beyond the bound on depth."""
    message = f"the document is nested more than {DEPTH_MAX} levels deep"
    return Problem("file-too-deep", offset, message, "flatten it: no adoption or contract needs that many levels")


def _finished(frame: _Frame, end: int) -> Node:
    if frame.is_mapping:
        mapping: JsonValue = {key: entry.node.value for key, entry in frame.entries.items()}
        return Node(mapping, frame.start, end, entries=frame.entries, size=frame.size, height=frame.height)
    listed: JsonValue = [each.value for each in frame.items]
    return Node(listed, frame.start, end, items=frame.items, size=frame.size, height=frame.height)
