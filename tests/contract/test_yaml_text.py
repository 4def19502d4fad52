"""The plain subset of YAML 1.2 that is read, the same with both of PyYAML's parsers."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.contract.tree import DEPTH_MAX
from harness.contract.yaml_text import ALIASES_MAX, parse_yaml
from tests.contract.adoption_files import BROKEN, ROOT

TEXTS = [
    path
    for path in (*sorted(BROKEN.glob("*.yaml")), *sorted(ROOT.glob("adoptions/*/*.yaml")))
    if path.name not in ("latin-1.yaml", "utf-16.yaml")
]


def rules(text: str) -> list[str]:
    return [each.rule for each in parse_yaml(text)[1]]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("No", "No"),
        ("y", "y"),
        ("2024-01-01", "2024-01-01"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("0777", 777),
        ("0o17", 15),
        ("0x1F", 31),
        ("+12", 12),
        ("-3", -3),
        ("~", None),
        ("null", None),
        ("", None),
        ("true", True),
        ("False", False),
        ("tRue", "tRue"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("3/4", "3/4"),
        ("'7'", "7"),
        ('"true"', "true"),
        ("=", "="),
    ],
)
def test_yaml_plain_scalars_follow_the_core_schema(written: str, value: object) -> None:
    """Only null, booleans and numbers of YAML 1.2 are anything but text."""
    root, problems = parse_yaml(f"a: {written}\n")
    assert problems == []
    assert root is not None
    assert root.value == {"a": value}
    assert isinstance(root.value, dict)
    assert type(root.value["a"]) is type(value)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_yaml_parsers_agree(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The C parser and the pure one give the same nodes, places and problems."""
    text = path.read_text(encoding="utf-8")
    with_c = parse_yaml(text)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert parse_yaml(text) == with_c


@pytest.mark.parametrize(
    ("text", "offset", "words"),
    [
        ("a: b: c", 4, "no key can be"),
        ("a: b\n c: d", 7, "no key can be"),
        ("a b\nc: d", 5, "no key can be"),
        ("a: - b", 3, "no list can begin"),
        ("a: *.md", 4, "the name of an alias"),
        ("a: & b", 4, "the name of an anchor"),
        ("a: @x", 3, 'begin with "@"'),
        ("a: `x`", 3, 'begin with "`"'),
        ('a: x\nb: "c\nd: e', 8, "is not closed"),
        ("a: x\nb: 'c\nd: e", 8, "is not closed"),
        ('a: "c:\\dir"', 3, "begins no escape"),
        ("a: [1, 2\nb: 3", 10, "list in brackets is not closed"),
        ("a: {b: 1\nc: 2", 10, "mapping in braces is not closed"),
        ("a: }", 3, "a value should stand here"),
        ("a: x\nb\nc: d", 5, 'has no ":"'),
        ("a:\n  b: 1\n c: 2", 11, "nor to a new key"),
        ('a: "x" y', 7, "nor to a new key"),
        ("a:\n - b\n c: 2", 9, 'begins with "- "'),
        ("a:\n  - b: 1\n   d: 3", 15, 'begins with "- "'),
        ("[1]\nb: 2", 4, "the document ends before this"),
        ("a:\n\t- b", 3, "a tab"),
        ("a: x\n\tb: y", 5, "a tab"),
        ("a: |x\n b", 4, "goes on in the next line"),
        ("a: !y!z 1", 3, "a tag"),
        ("a: !<x", 3, "a tag"),
    ],
)
def test_yaml_says_what_is_wrong_in_plain_words(
    text: str, offset: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A syntax problem says what stands there or is missing, at the place to correct, whichever parser met it."""
    for _ in range(2):
        root, problems = parse_yaml(text)
        assert root is None
        assert [(each.rule, each.offset) for each in problems] == [("syntax", offset)]
        assert problems[0].message.startswith("not YAML: ")
        assert words in problems[0].message
        assert problems[0].hint
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


@pytest.mark.parametrize(
    "text",
    ["a: !!python/object/apply:os.system ['x']", "a: !mine b", "a: ! b", "!!map {a: b}", "a: !!str 1", "- !<tag:x> y"],
)
def test_yaml_tags_are_refused(text: str) -> None:
    """Every tag is a problem, the harmless ones too, and none is followed."""
    assert rules(text) == ["tag-refused"]


def test_yaml_depth_is_bounded_with_aliases_expanded() -> None:
    """Nesting beyond the bound is refused, also where an alias brings the levels in."""
    half = DEPTH_MAX // 2 + 1
    assert rules("[" * DEPTH_MAX + "]" * DEPTH_MAX) == []
    assert rules("[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1)) == ["file-too-deep"]
    assert rules(f"a: &x {'[' * half}{']' * half}\nb: {'[' * half}*x{']' * half}") == ["file-too-deep"]


def test_yaml_aliases_are_bounded_in_number_and_in_effect() -> None:
    """Some aliases are welcome; too many, or a few that stand for too much, are refused."""
    assert rules("a: &x 1\nb: [" + "*x, " * ALIASES_MAX + "1]") == []
    assert rules("a: &x 1\nb: [" + "*x, " * (ALIASES_MAX + 1) + "1]") == ["alias-bound"]
    bomb = "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    assert rules("a: &a [x, x, x, x, x, x, x, x, x]\n" + bomb) == ["file-too-many-values"]


def test_yaml_alias_needs_a_finished_anchor() -> None:
    """An alias to nothing, or to what it stands in, is refused."""
    assert rules("a: *x") == ["alias-unknown"]
    assert rules("a: &x [*x]") == ["alias-unknown"]


def test_yaml_keys_are_text() -> None:
    """Numbers, null, lists and mappings as keys are problems; the same words in quotes are keys."""
    assert rules("1: a\nnull: b\ntrue: c\n? [d]\n: e\n") == ["key-not-text"] * 4
    assert rules("'1': a\n'null': b\n\"<<\": c\non: d\n") == []


def test_yaml_numbers_are_finite_and_exact() -> None:
    """Infinite, undefined and very large numbers are problems."""
    assert rules("[.inf, -.Inf, .NaN]") == ["number-not-finite"] * 3
    assert rules(f"[{2**53}, 1e999, 0x{'f' * 40}]") == ["number-too-large"] * 3


def test_yaml_texts_hold_no_control_characters() -> None:
    """An escape may not bring in what the file itself may not hold."""
    assert rules('a: "x\\0y"') == ["file-control-character"]
    assert rules('a: "x\\ty\\nz"') == []


def test_yaml_is_one_document() -> None:
    """A second document is refused at its beginning; end marks are fine."""
    assert rules("a: 1\n---\nb: 2\n") == ["several-documents"]
    assert rules("---\na: 1\n...\n") == []
