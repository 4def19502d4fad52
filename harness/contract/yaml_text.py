"""YAML text -> placed nodes: a plain subset of YAML 1.2, read from PyYAML's parser events.

No tag is ever followed, so nothing is constructed or run. Plain scalars are read by the core schema of YAML 1.2:
`on`, `off`, `yes`, `no`, dates and sexagesimals are text. Merge keys are refused, because a reader of the file should
see every row where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.contract.json_text import integer_or_problem
from harness.contract.shapes import JsonValue
from harness.contract.tree import Node, Problem, Stop, TreeBuilder, shown

ALIASES_MAX = 100

_NESTING = "maximum nesting depth"

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
    import yaml  # late: a command that reads no file should not pay for it

    root, problems = _parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if problems and _NESTING in problems[-1].message:
        # The C parser looks ahead and gives up before this reader's own bound is reached; the pure one doesn't.
        return _parse(text, yaml.SafeLoader)
    return root, problems


def _parse(text: str, loader: Any) -> tuple[Node | None, list[Problem]]:
    reader = _Reader()
    try:
        reader.read(_events(text, loader))
    except Stop as stop:
        return None, [*reader.tree.problems, stop.problem]
    return reader.tree.root, reader.tree.problems


def plain_scalar(text: str, offset: int) -> JsonValue | Problem:
    """What an unquoted scalar means under the core schema: null, a boolean, a number, or the text itself."""
    if _NULL.match(text):
        return None
    if _TRUE.match(text) or _FALSE.match(text):
        return text[0] in "tT"
    if _INTEGER.match(text):
        return integer_or_problem(text, 10, offset)
    if _OCTAL.match(text) or _HEX.match(text):
        return integer_or_problem(text[2:], 8 if text[1] == "o" else 16, offset)
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


def _events(text: str, loader: Any) -> Iterator[Any]:
    """Parser events; a syntax error becomes Stop at its place. The C parser and the pure one give the same events."""
    import yaml

    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(each for each in (error.context, error.problem) if each)
        offset = mark.index if mark else 0
        # The two parsers differ in their words for what they met, not in what they were doing.
        doing = error.context or "between documents"
        raise Stop(_problem(offset, doing, words, text[offset : offset + 1])) from None
    except yaml.YAMLError as error:
        raise Stop(_problem(getattr(error, "position", 0), "reading characters", str(error), "")) from None


def _problem(offset: int, doing: str, words: str, char: str) -> Problem:
    if _NESTING in words:
        return Problem("file-too-deep", offset, words)
    return Problem("syntax", offset, f"not YAML: reading stopped {doing}", _advice(words, char))


def _advice(words: str, char: str) -> str:
    if char == "\t":
        return "indent with spaces"
    if "mapping values" in words:
        return 'text that holds ": " needs quotes'
    if "simple key" in words or "expected ':'" in words:
        return 'a key is followed by ": " on the same line'
    if "alias" in words or "anchor" in words or "cannot start any token" in words:
        return "text that begins with a special character needs quotes"
    return "correct the indentation or the brackets there"


class _Reader:
    """Feeds the tree from events; `_anchors` holds finished nodes by name, None while a node is still open;
    `_open` has the anchor of every open collection, and whether it is written in brackets."""

    def __init__(self) -> None:
        self.tree = TreeBuilder()
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
        is_plain = bool(event.implicit[0])
        self._refuse_tag(event)
        if is_plain and event.value == "<<" and self.tree.wants_key:
            hint = "write the keys out where they are needed"
            self.tree.report("merge-key", start, 'the merge key "<<" is not supported', hint)
        value = plain_scalar(event.value, start) if is_plain and event.tag is None else event.value
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
