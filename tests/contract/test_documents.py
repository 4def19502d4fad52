"""Files become documents whose every key and value knows its place, and bad ones become findings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.contract.documents import BYTES_MAX, Document, parse_document, pointer_to, pointer_tokens, read_document
from tests.contract.adoption_files import ids


def parsed(text: str, name: str = "a.yaml") -> Document:
    document, findings = parse_document(name, text.encode())
    assert document is not None
    assert not findings
    return document


def place(document: Document, pointer: str, key: bool = False) -> tuple[int, int]:
    position = document.position(pointer, key)
    return position.line, position.column


def test_document_places_keys_and_values() -> None:
    """A pointer leads to the line and column of its value, or of its key."""
    document = parsed("a: 1\nb:\n  - c: [x, yy]\n    'd/e': 2\n")
    assert place(document, "/a") == (1, 4)
    assert place(document, "/b/0/c/1") == (3, 12)
    assert place(document, "/b/0/c", key=True) == (3, 5)
    assert place(document, "/b/0/d~1e") == (4, 12)
    assert place(document, "/b/0/d~1e", key=True) == (4, 5)


def test_document_places_json_like_yaml() -> None:
    """JSON text has the same places as the same text read as YAML."""
    text = '{"a": [1, {"b": "x"}],\n "c": null}\n'
    as_json, as_yaml = parsed(text, "a.json"), parsed(text)
    assert as_json.value == as_yaml.value
    for pointer in ("", "/a", "/a/0", "/a/1/b", "/c"):
        for key in (False, True):
            assert place(as_json, pointer, key) == place(as_yaml, pointer, key)


def test_document_places_a_missing_key_at_the_value_above() -> None:
    """A pointer that leads nowhere gives the place of the nearest value above."""
    document = parsed("a:\n  b: 1\n")
    assert place(document, "/a/x/y") == place(document, "/a") == (2, 3)
    assert place(document, "/a/b/0") == (2, 6)


def test_document_counts_columns_in_characters() -> None:
    """Columns count characters, not bytes, and a byte order mark is not one of them."""
    document, findings = parse_document("a.yaml", b"\xef\xbb\xbf" + "ä: ö\n".encode())
    assert not findings
    assert document is not None
    assert place(document, "/ä") == (1, 4)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_document_counts_every_line_end_once(ending: str) -> None:
    """LF, CRLF and CR each end one line."""
    document = parsed(f"a: 1{ending}b: 2{ending}")
    assert place(document, "/b") == (2, 4)


def test_document_digest_is_of_the_bytes_as_they_are() -> None:
    """The digest changes with any byte, a byte order mark included."""
    plain, marked = parse_document("a", b"a: 1\n")[0], parse_document("a", b"\xef\xbb\xbfa: 1\n")[0]
    assert plain is not None
    assert marked is not None
    assert plain.digest == "sha256:37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae"
    assert plain.digest != marked.digest
    assert plain.value == marked.value


def test_document_alias_stands_where_it_is_written() -> None:
    """A value behind an alias is placed at the alias; what is inside it, at its anchor."""
    document = parsed("a: &x {b: 1}\nc: *x\n")
    assert document.value == {"a": {"b": 1}, "c": {"b": 1}}
    assert place(document, "/c") == (2, 4)
    assert place(document, "/c/b") == (1, 11)


def test_pointers_escape_and_unescape() -> None:
    """Slashes and tildes in keys survive the way through a pointer."""
    assert pointer_to("a/b", "c~d", 3) == "/a~1b/c~0d/3"
    assert pointer_tokens("/a~1b/c~0d/3") == ["a/b", "c~d", "3"]
    assert pointer_tokens("") == []


def test_reading_says_why_a_file_cannot_be_had(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe, and a name that no file can have are one finding each, at the first line."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "missing", tmp_path, tmp_path / "pipe", tmp_path / ("x" * 300), "", "a\0b"):
        document, findings = read_document(str(path))
        assert document is None
        assert ids(findings) == ["file-unreadable"]
        assert (findings[0].position.line, findings[0].position.column) == (1, 1)
        assert findings[0].position.file == str(path)
        assert findings[0].unreadable


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may read everything")
def test_reading_says_that_a_file_may_not_be_read(tmp_path: Path) -> None:
    """A file without read permission is a finding."""
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    path.chmod(0)
    assert ids(read_document(str(path))[1]) == ["file-unreadable"]


def test_reading_refuses_a_file_beyond_the_bound(tmp_path: Path) -> None:
    """A file of one byte more than the bound is refused, one of exactly the bound is read."""
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: " + b"x" * (BYTES_MAX - 2))
    assert ids(read_document(str(path))[1]) == ["file-too-large"]
    path.write_bytes(b"a: " + b"x" * (BYTES_MAX - 3))
    assert read_document(str(path))[0] is not None


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("name", ["deep.json", "deep.yaml"])
def test_reading_survives_a_file_of_brackets(tmp_path: Path, opening: str, name: str) -> None:
    """200,000 brackets end as one placed finding at the bound, not in a crash."""
    path = tmp_path / name
    path.write_text(opening * 200_000)
    document, findings = read_document(str(path))
    assert document is None
    assert ids(findings) == ["file-too-deep"]
    assert findings[0].position.line == 1
    assert 60 < findings[0].position.column < 400


def test_reading_places_bytes_that_are_not_text() -> None:
    """The first byte that is no UTF-8 is placed by the text before it."""
    findings = parse_document("a.yaml", b"a: \xc3\xa4\nb: \xc3\xa4\xe4\n")[1]
    assert ids(findings) == ["file-encoding"]
    assert (findings[0].position.line, findings[0].position.column) == (2, 5)


def test_reading_goes_on_after_what_it_can_pass_over() -> None:
    """Duplicate keys, tags and odd keys are all reported, and the rest of the document is there."""
    document, findings = parse_document("a.yaml", b"a: !t 1\nb: 2\nb: 3\n7: 4\nc: {<<: x}\n")
    assert ids(findings) == ["tag-refused", "duplicate-key", "key-not-text", "merge-key"]
    assert all(each.unreadable for each in findings)
    assert document is not None
    assert document.value == {"a": "1", "b": 2, "7": 4, "c": {"<<": "x"}}


def test_problems_of_a_file_point_at_their_values() -> None:
    """What is wrong with a key or a value has the pointer that leads there."""
    findings = parse_document("a.yaml", b"a: [x, {b: !t 1}]\nc: {d: 1, d: 2}\ne: .inf\n")[1]
    assert [(each.rule, each.pointer) for each in findings] == [
        ("tag-refused", "/a/1/b"),
        ("duplicate-key", "/c/d"),
        ("number-not-finite", "/e"),
    ]
