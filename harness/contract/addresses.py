"""Addresses: where a cited passage stands, and its bytes.

A local address is `path#place`, relative to the adoption's folder. An external one, `repository@revision:path#place`,
is recorded and never fetched. A passage is text: its line ends count as LF and a byte order mark is left off, so that
a digest is the same on every machine.

| place | passage |
|---|---|
| none | the whole file |
| `L10`, `L10-L20` | those lines, with their line ends |
| heading slug (`.md`, `.markdown`) | from the heading to the last line with text before the next one as high |
| JSON pointer or YAML path (`.json`, `.yaml`, `.yml`) | the value as written, from its first to its last character |
| symbol (any other file) | from the line that declares it to the last line of its indented body |
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from harness.contract.documents import Document, parse_document, pointer_to, read_bytes
from harness.contract.fitting import suggestion
from harness.contract.passages import heading_passages, line_passage, symbol_passage, yaml_path_tokens
from harness.contract.rules import expand_address

_EXTERNAL = re.compile(r"(?P<repository>[^@#\s]+)@(?P<revision>[^:#@\s]+):(?P<path>[^#]*)(?:#(?P<place>.*))?\Z")
_LINES = re.compile(r"L([1-9][0-9]{0,8})(?:-L([1-9][0-9]{0,8}))?\Z")
_ABSOLUTE = re.compile(r"(?:[/\\~]|[A-Za-z]:[/\\])")


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its parts. `repository` and `revision` are None for a local one, `place` where none is named."""

    text: str
    path: str
    place: str | None
    repository: str | None = None
    revision: str | None = None

    @property
    def is_external(self) -> bool:
        """Whether it leads out of the adoption's folder, to a revision of a repository."""
        return self.repository is not None


class Passage(NamedTuple):
    """A resolved address: the passage's text, or why it doesn't resolve (`rule` is the finding's id)."""

    text: str | None
    rule: str = ""
    message: str = ""
    hint: str | None = None


def parse_address(text: str, sources: Mapping[str, str] | None = None) -> Address:
    """The parts of an address; a short source name at its beginning is replaced first."""
    full = expand_address(sources or {}, text)
    match = _EXTERNAL.match(full)
    if match:
        return Address(text, match["path"], match["place"], match["repository"], match["revision"])
    path, _, place = full.partition("#")
    return Address(text, path, place or None)


def passage_digest(passage: str) -> str:
    """`sha256:<hex>` of a passage's bytes in UTF-8, line ends as LF: what a pin holds."""
    return f"sha256:{hashlib.sha256(passage.encode('utf-8')).hexdigest()}"


class Passages:
    """Resolves local addresses below a root folder; each file is read once."""

    def __init__(self, root: str, sources: Mapping[str, str] | None = None) -> None:
        self._root = root
        self._sources = sources or {}
        self._files: dict[str, Passage] = {}
        self._headings: dict[str, dict[str, str]] = {}
        self._documents: dict[str, Document | Passage] = {}

    def find(self, address: str) -> Passage:
        """The passage at an address; an external one has no text, and neither has one that doesn't resolve."""
        parts = parse_address(address, self._sources)
        if parts.is_external:
            return Passage(None, "external-address", f"{_full(parts)} is external: recorded, not fetched")
        file = self._file(parts.path)
        if file.text is None or parts.place is None:
            return file
        return self._place(parts, parts.place, file.text)

    def _file(self, path: str) -> Passage:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> Passage:
        refused = _refused(self._root, path)
        if refused is not None:
            return refused
        content, problem = read_bytes(os.path.join(self._root, path))
        if content is None:
            short, colon, _ = path.partition(":")
            elsewhere = "what stands outside the folder is cited as repository@revision:path#place"
            inside = "write the path relative to the adoption's folder"
            hint = suggestion(short, self._sources, elsewhere) if colon else inside
            reason = problem.message if problem else "it can't be read"
            return Passage(None, "unresolved-address", f"{path}: {reason}", hint)
        try:
            text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError:
            return Passage(None, "unresolved-address", f"{path} is not UTF-8 text", "cite a text file")
        return Passage(text.replace("\r\n", "\n").replace("\r", "\n"))

    def _place(self, parts: Address, place: str, text: str) -> Passage:
        ending = os.path.splitext(parts.path)[1].lower()
        if lines := _LINES.match(place):
            first = int(lines[1])
            found = line_passage(text, first, int(lines[2] or first))
            return _found(parts, found, "name lines that it has, the first of them first")
        if ending in (".md", ".markdown"):
            if parts.path not in self._headings:
                self._headings[parts.path] = heading_passages(text)
            headings = self._headings[parts.path]
            if place in headings:
                return Passage(headings[place])
            return _found(parts, None, suggestion(place, headings, "name a heading by its slug"))
        if ending in (".json", ".yaml", ".yml"):
            return self._value(parts, place, text)
        hint = "name a symbol that the file declares, or its lines (L10-L20)"
        return _found(parts, symbol_passage(text, place), hint)

    def _value(self, parts: Address, place: str, text: str) -> Passage:
        document = self._documents.get(parts.path) or _parsed(parts.path, text)
        self._documents[parts.path] = document
        if isinstance(document, Passage):
            return document
        node = document.node(place if place.startswith("/") else pointer_to(*yaml_path_tokens(place)))
        found = document.text[node.start : node.end] if node else None
        return _found(parts, found, "write a JSON pointer (/a/b) or a path (a.b[0])")


def _full(parts: Address) -> str:
    place = "" if parts.place is None else f"#{parts.place}"
    return f"{parts.repository}@{parts.revision}:{parts.path}{place}"


def _refused(root: str, path: str) -> Passage | None:
    """Why a path may not be followed, None where it stays below the root, links followed."""
    hint = "cite files below the adoption's folder"
    if not path:
        return Passage(None, "unresolved-address", "the address names no file", "write path#place")
    if _ABSOLUTE.match(path):
        return Passage(None, "address-leaves-root", f"{path} is an absolute path", hint)
    if ".." in re.split(r"[/\\]", path):
        return Passage(None, "address-leaves-root", f"{path} steps out of a folder with ..", hint)
    try:
        top = os.path.realpath(root)
        inside = os.path.commonpath([top, os.path.realpath(os.path.join(root, path))]) == top
    except (OSError, ValueError):
        return Passage(None, "unresolved-address", f"{path} is no usable path", hint)
    if not inside:
        return Passage(None, "address-leaves-root", f"{path} leads out of the adoption's folder by a link", hint)
    return None


def _found(parts: Address, text: str | None, hint: str | None) -> Passage:
    if text is not None:
        return Passage(text)
    return Passage(None, "unresolved-address", f'{parts.path} has no place "{parts.place}"', hint)


def _parsed(path: str, text: str) -> Document | Passage:
    document, findings = parse_document(path, text.encode("utf-8"))
    if document is not None:
        return document
    reason = findings[0].message if findings else "it can't be read"
    return Passage(None, "unresolved-address", f"{path}: {reason}", "correct the cited file, or cite lines")
