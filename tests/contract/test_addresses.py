"""Addresses lead to passages below the adoption's folder, and nowhere else."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from harness.contract.addresses import Address, Passages, parse_address, passage_digest

MARKDOWN = """Before.

# The Mill

Intro.

## What it's for: `corn` & flour

Corn.

```sh
## not a heading
```

### Details

Fine print.

## Wind

One.

## Wind

Two.

Setext heading
--------------

Under it.
"""
CODE = """import os

class Oven:
    heat = 3

    def bake(self, loaf):
        if loaf:

            return 1
        return 2

    def clean(self): pass

def bake():
    return "outer"

LIMIT = 4
local function wipe(slot)
  slot = nil
end
type Roster struct {
\tnames []string
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "mill.md").write_text(MARKDOWN, encoding="utf-8")
    (root / "sub" / "oven.py").write_text(CODE, encoding="utf-8")
    (root / "data.yaml").write_text(
        "a:\n  b: [1, {c: two}]\n  d:\n    e: x\n    f: y   # note\ng: 1\n", encoding="utf-8"
    )
    (root / "data.json").write_text('{"a": {"b": [1, {"c": "two"}]}}', encoding="utf-8")
    (root / "lines.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (tmp_path / "outside.md").write_text("# Secret\n", encoding="utf-8")
    return root


def test_address_parts() -> None:
    """A local address is a path and a place, an external one has a repository and a revision too."""
    assert parse_address("a/b.md#c") == Address("a/b.md#c", "a/b.md", "c")
    assert parse_address("a.md") == Address("a.md", "a.md", None)
    external = parse_address("some/body@v1.2:src/a.c#f:g")
    assert (external.repository, external.revision, external.path, external.place) == (
        "some/body",
        "v1.2",
        "src/a.c",
        "f:g",
    )
    assert parse_address("https://host/some/body@1a2b:a.c").repository == "https://host/some/body"
    assert parse_address("x:a.c#f", {"x": "some/body@1a2b:src/"}).path == "src/a.c"
    assert not parse_address("y:a.c#f", {"x": "some/body@1a2b:src/"}).is_external


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("mill.md#the-mill", MARKDOWN.removeprefix("Before.\n\n")),
        ("mill.md#details", "### Details\n\nFine print.\n"),
        ("mill.md#wind", "## Wind\n\nOne.\n"),
        ("mill.md#wind-1", "## Wind\n\nTwo.\n"),
        ("mill.md#setext-heading", "Setext heading\n--------------\n\nUnder it.\n"),
        ("mill.md#L1", "Before.\n"),
        ("mill.md#L3-L5", "# The Mill\n\nIntro.\n"),
        ("lines.txt#L2-L3", "two\nthree\n"),
        ("lines.txt", "one\ntwo\nthree\n"),
        ("data.yaml#/a/b/1", "{c: two}"),
        ("data.yaml#a.b[1].c", "two"),
        ("data.yaml#a.d", "e: x\n    f: y"),
        ("data.json#/a/b", '[1, {"c": "two"}]'),
        ("data.json#/a/b/1/c", '"two"'),
        ("sub/oven.py#Oven.clean", "    def clean(self): pass\n"),
        ("sub/oven.py#bake", "    def bake(self, loaf):\n        if loaf:\n\n            return 1\n        return 2\n"),
        ("sub/oven.py#LIMIT", "LIMIT = 4\n"),
        ("sub/oven.py#wipe", "local function wipe(slot)\n  slot = nil\nend\n"),
        ("sub/oven.py#Roster", "type Roster struct {\n\tnames []string\n}\n"),
    ],
)
def test_passage_is_found(folder: Path, address: str, text: str) -> None:
    """Each kind of place gives exactly its passage."""
    assert Passages(str(folder)).find(address).text == text


def test_passage_of_a_heading_holds_its_subsections(folder: Path) -> None:
    """A section goes on to the next heading that is as high; fenced lines are no headings."""
    text = Passages(str(folder)).find("mill.md#what-its-for-corn--flour").text
    assert text is not None
    assert "## not a heading" in text
    assert text.endswith("Fine print.\n")


@pytest.mark.parametrize(
    "address",
    [
        "missing.md",
        "sub",
        "mill.md#winds",
        "mill.md#not-a-heading",
        "mill.md#L90",
        "mill.md#L3-L2",
        "data.yaml#/a/b/7",
        "data.yaml#a.x",
        "sub/oven.py#Oven.fry",
        "sub/oven.py#Shed",
        "#wind",
        "a\0b",
        "https://example.org/mill.md",
        "file:///etc/passwd",
    ],
)
def test_passage_that_is_not_there_is_said_to_be_missing(folder: Path, address: str) -> None:
    """An address that leads to nothing has no text, and says why and what to do."""
    passage = Passages(str(folder)).find(address)
    assert passage.text is None
    assert passage.rule == "unresolved-address"
    assert passage.message
    assert passage.hint


def test_passage_suggests_the_nearest_heading(folder: Path) -> None:
    """A misspelt slug is met with the one that was meant."""
    assert Passages(str(folder)).find("mill.md#detials").hint == 'did you mean "details"?'


@pytest.mark.parametrize(
    "path", ["../outside.md", "/etc/passwd", "sub/../../outside.md", "sub/../mill.md", "C:/x.md", "~/x.md"]
)
def test_passage_outside_the_root_is_refused(folder: Path, path: str) -> None:
    """Absolute paths and steps upwards are refused, whether or not they would lead out."""
    assert Passages(str(folder)).find(path).rule == "address-leaves-root"


def test_passage_behind_a_link_out_of_the_root_is_refused(folder: Path) -> None:
    """A link that leads out is refused, one that stays inside is followed."""
    (folder / "out.md").symlink_to(folder.parent / "outside.md")
    (folder / "away").symlink_to(folder.parent)
    (folder / "in.md").symlink_to(folder / "mill.md")
    passages = Passages(str(folder))
    assert passages.find("out.md").rule == "address-leaves-root"
    assert passages.find("away/outside.md").rule == "address-leaves-root"
    assert passages.find("in.md#wind").text == "## Wind\n\nOne.\n"


def test_root_may_be_reached_by_a_link_itself(folder: Path) -> None:
    """The root's own path may hold links; only what leaves it counts."""
    (folder.parent / "alias").symlink_to(folder)
    assert Passages(str(folder.parent / "alias")).find("mill.md#wind").text is not None


def test_external_address_is_never_fetched(folder: Path) -> None:
    """An external address has no text, and that is not an error."""
    passage = Passages(str(folder), {"x": "some/body@1a2b:src/"}).find("x:a.c#f")
    assert (passage.text, passage.rule) == (None, "external-address")
    assert "some/body@1a2b:src/a.c#f" in passage.message


def test_digest_is_of_the_passage_with_plain_line_ends(folder: Path) -> None:
    """Line ends and a byte order mark do not change a digest; any other character does."""
    expected = "sha256:" + hashlib.sha256(b"two\nthree\n").hexdigest()
    text = Passages(str(folder)).find("lines.txt#L2-L3").text
    assert text is not None
    assert passage_digest(text) == expected
    (folder / "lines.txt").write_bytes(b"\xef\xbb\xbfone\ntwo\nthree\n")
    unmarked = Passages(str(folder)).find("lines.txt")
    assert unmarked.text == "one\ntwo\nthree\n"
    assert passage_digest("two\nthree \n") != expected
