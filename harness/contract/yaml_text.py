"""YAML text -> placed nodes: a plain subset of YAML 1.2, read from PyYAML's parser events.

JSON text comes through the same events (`read_events`), with its own reading of scalars.

No tag is ever followed, so nothing is constructed or run. Plain scalars are read by the core schema of YAML 1.2:
`on`, `off`, `yes`, `no`, dates and sexagesimals are text. Merge keys are refused, because a reader of the file should
see every row where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from harness.contract.shapes import JsonValue
from harness.contract.tree import INTEGER_MAX, Node, Problem, Stop, TreeBuilder, shown
from harness.contract.yaml_faults import NESTING, syntax_problem

#: A scalar event of PyYAML -> what it means.
ScalarReading = Callable[[Any], JsonValue | Problem]

ALIASES_MAX = 100

_NULL = re.compile(r"(?:~|null|Null|NULL|)\Z")
_TRUE = re.compile(r"(?:true|True|TRUE)\Z")
_FALSE = re.compile(r"(?:false|False|FALSE)\Z")
_INTEGER = re.compile(r"[-+]?[0-9]++\Z")
_OCTAL = re.compile(r"0o[0-7]++\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]++\Z")
_REAL = re.compile(r"[-+]?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?:[eE][-+]?[0-9]++)?\Z")
_NOT_A_NUMBER = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")


def parse_yaml(text: str) -> tuple[Node | None, list[Problem]]:
    """The root node of a YAML text and the problems found; no node where reading had to stop."""
    return read_events(text, _value)


def read_events(text: str, value_of: ScalarReading) -> tuple[Node | None, list[Problem]]:
    """The nodes that PyYAML's parser sees in a text, each scalar read by `value_of`; see `parse_yaml`."""
    import yaml  # late: a command that reads no file should not pay for it

    root, problems = _read(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader), value_of)
    if problems and NESTING in problems[-1].message:
        # The C parser looks ahead and gives up before this reader's own bound is reached; the pure one doesn't.
        return _read(text, yaml.SafeLoader, value_of)
    return root, problems


def _read(text: str, loader: Any, value_of: ScalarReading) -> tuple[Node | None, list[Problem]]:
    reader = _Reader(value_of)
    try:
        reader.read(_events(text, loader))
    except Stop as stop:
        return None, [*reader.tree.problems, stop.problem]
    return reader.tree.root, reader.tree.problems


def _value(event: Any) -> JsonValue | Problem:
    is_plain = event.implicit[0] and event.tag is None
    return plain_scalar(event.value, event.start_mark.index) if is_plain else event.value


def plain_scalar(text: str, offset: int) -> JsonValue | Problem:
    """What an unquoted scalar means under the core schema: null, a boolean, a number, or the text itself."""
    if _NULL.match(text):
        return None
    if _TRUE.match(text) or _FALSE.match(text):
        return text[0] in "tT"
    if _INTEGER.match(text):
        return _integer(text, 10, offset)
    if _OCTAL.match(text) or _HEX.match(text):
        return _integer(text[2:], 8 if text[1] == "o" else 16, offset)
    if _NOT_A_NUMBER.match(text):
        return Problem("number-not-finite", offset, f"{text} is not a number that can be used", "write a finite number")
    if _REAL.match(text):
        real = float(text)
        if abs(real) == float("inf"):
            return Problem(
                "number-too-large", offset, f"the number {shown(text, 24)} is too large", "use a smaller one"
            )
        return real
    return text


def _integer(digits: str, base: int, offset: int) -> int | Problem:
    """The whole number that `digits` write, or a problem where it is too large to be kept exact everywhere."""
    if len(digits) <= 20 and abs(number := int(digits, base)) <= INTEGER_MAX:
        return number
    return Problem(
        "number-too-large", offset, f"the number {shown(digits, 24)} is beyond {INTEGER_MAX}", "use a smaller one"
    )


def _events(text: str, loader: Any) -> Iterator[Any]:
    """Parser events; a syntax error becomes Stop at its place. The C parser and the pure one give the same events."""
    import yaml

    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        raise Stop(syntax_problem(error, text)) from None
    except yaml.YAMLError as error:
        message = "not YAML: a character that YAML does not know stands here"
        raise Stop(Problem("syntax", getattr(error, "position", 0), message, "remove it")) from None


class _Reader:
    """Feeds the tree from events; `_anchors` holds finished nodes by name, None while a node is still open;
    `_open` has the anchor of every open collection, and whether it is written in brackets."""

    def __init__(self, value_of: ScalarReading) -> None:
        self.tree = TreeBuilder()
        self._value_of = value_of
        self._anchors: dict[str, Node | None] = {}
        self._open: list[tuple[str | None, bool]] = []
        self._aliases = 0
        self._documents = 0

    def read(self, events: Iterator[Any]) -> None:
        for event in events:
            handler = _HANDLERS.get(type(event).__name__)
            if handler is not None:
                handler(self, event)

    def document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            message = "the file holds more than one document"
            raise Stop(Problem("several-documents", event.start_mark.index, message, "keep one document to a file"))

    def mapping(self, event: Any) -> None:
        self._start(event, is_mapping=True)

    def sequence(self, event: Any) -> None:
        self._start(event, is_mapping=False)

    def _start(self, event: Any, is_mapping: bool) -> None:
        self._refuse_tag(event)
        self.tree.open(is_mapping, event.start_mark.index)
        self._open.append((event.anchor, bool(event.flow_style)))
        if event.anchor is not None:
            self._anchors[event.anchor] = None

    def end(self, event: Any) -> None:
        anchor, is_flow = self._open.pop()
        node = self.tree.close(event.end_mark.index if is_flow else None)
        if anchor is not None:
            self._anchors[anchor] = node

    def scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._refuse_tag(event)
        if event.implicit[0] and event.value == "<<" and self.tree.wants_key:
            hint = "write the keys out where they are needed"
            self.tree.report("merge-key", start, 'the merge key "<<" is not supported', hint)
        value = self._value_of(event)
        if isinstance(value, Problem):
            self.tree.take(value)
            value = 0
        node = Node(value, start, end)
        self.tree.add(node, event.value)
        if event.anchor is not None:
            self._anchors[event.anchor] = node

    def alias(self, event: Any) -> None:
        start, end, name = event.start_mark.index, event.end_mark.index, event.anchor
        self._aliases += 1
        if self._aliases > ALIASES_MAX:
            message = f"the file uses more than {ALIASES_MAX} aliases"
            raise Stop(Problem("alias-bound", start, message, "write the values out"))
        target = self._anchors.get(name)
        if target is None:
            known = name in self._anchors
            message = (
                f"the alias *{name} stands inside its own anchor" if known else f"no anchor &{name} stands before this"
            )
            raise Stop(Problem("alias-unknown", start, message, "text that begins with * needs quotes"))
        self.tree.add(target._replace(start=start, end=end), f"*{name}")

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is None:
            return
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        hint = "leave the tag out, and put text in quotes; text that begins with ! needs quotes"
        self.tree.report(
            "tag-refused", event.start_mark.index, f"the tag {shown(tag)} is refused and not followed", hint
        )


_HANDLERS = {
    "DocumentStartEvent": _Reader.document,
    "MappingStartEvent": _Reader.mapping,
    "SequenceStartEvent": _Reader.sequence,
    "MappingEndEvent": _Reader.end,
    "SequenceEndEvent": _Reader.end,
    "ScalarEvent": _Reader.scalar,
    "AliasEvent": _Reader.alias,
}
