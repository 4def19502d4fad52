"""Strict JSON: what the format allows is read as the standard module reads it, all else is one placed problem."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract.json_text import parse_json

# Letters of every kind, and what YAML reads in its own way: line ends that JSON doesn't know, indicators, escapes.
TEXTS = st.text(
    st.characters(exclude_categories=["C"]) | st.sampled_from("\\\"/:#&*!|>%@`'?-,[]{} \t\n\r\x85\u2028\u2029\ufeff"),
    max_size=8,
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_json_reads_what_was_written(value: object, indent: int | str | None, ascii_only: bool) -> None:
    """Any value written as JSON is read back the same, whatever the layout."""
    root, problems = parse_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    assert problems == []
    assert root is not None
    assert root.value == value


@given(st.text('[]{},:"\\ \n1-.eE0truefalsn', max_size=12))
def test_json_accepts_exactly_what_the_standard_module_accepts(text: str) -> None:
    """A text is refused exactly where the standard module refuses it."""
    try:
        json.loads(text, parse_constant=lambda name: 1 / 0)
        is_json = True
    except (ValueError, ZeroDivisionError):
        is_json = False
    root, problems = parse_json(text)
    refused = [each for each in problems if each.rule == "syntax"]
    assert (root is not None and not refused) == is_json


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("[1,]", 2),
        ('{"a": 1,\n}', 7),
        ("[1, # x\n2]", 4),
        ('{"a" 1}', 5),
        ('{"a": 1 "b"}', 8),
        ("{a: 1}", 1),
        ("[1] 2", 4),
        ("[1}", 2),
        ('["\\x"]', 2),
        ('["a\tb"]', 3),
        ('["ab\n"]', 4),
        ('["ab]', 1),
        ("[01]", 2),
        ("[+1]", 1),
        ("[.5]", 1),
        ("[NaN]", 1),
        ("[0, -Infinity]", 4),
        ("[tru]", 1),
        ('{"a":', 5),
        ('{1: "a"}', 1),
    ],
)
def test_json_places_what_is_wrong(text: str, offset: int) -> None:
    """A syntax problem stands where the text stops being JSON, and says what should stand there."""
    root, problems = parse_json(text)
    assert root is None
    assert [(each.rule, each.offset) for each in problems] == [("syntax", offset)]
    assert "should" in problems[0].message
    assert problems[0].hint


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_json_places_every_value_where_it_was_written(value: object, indent: int | str | None) -> None:
    """What stands between a node's start and end, read alone, is the node's value."""
    text = json.dumps(value, indent=indent)
    root, _ = parse_json(text)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        assert node is not None
        assert json.loads(text[node.start : node.end]) == node.value
        waiting += node.items or []
        for key, entry in (node.entries or {}).items():
            assert json.JSONDecoder().raw_decode(text, entry.key_start)[0] == key
            waiting.append(entry.node)


def test_json_reads_pairs_of_surrogates_as_one_character() -> None:
    """Two escapes that stand for one character are that character; half a pair is a problem of its place."""
    root, problems = parse_json('{"\\ud83c\\udf5e": "\\uD83C\\uDF5E"}')
    assert problems == []
    assert root is not None
    assert root.value == {"\U0001f35e": "\U0001f35e"}
    assert [(each.rule, each.offset) for each in parse_json('[1, "\\ud83c"]')[1]] == [("file-control-character", 4)]


@pytest.mark.parametrize(("key", "blanks"), [("k" * 1500, ""), ("k", " " * 1500), ("k", "\n" * 1500)])
def test_json_says_where_a_key_is_too_long(key: str, blanks: str) -> None:
    """A key longer than the parser can look ahead is one problem at its colon, never a wrong reading."""
    text = f'{{"{key}"{blanks}: 1}}'
    root, problems = parse_json(text)
    assert root is None
    assert [(each.rule, each.offset) for each in problems] == [("key-too-long", text.index(":"))]
    assert parse_json(f'["{key}"{blanks}]')[1] == []


def test_json_keys_and_colons_may_stand_on_different_lines() -> None:
    """Blanks stand where JSON lets them, line ends before a colon included."""
    root, problems = parse_json('{"a"\r\n\t:\n1}')
    assert problems == []
    assert root is not None
    assert root.value == {"a": 1}


def test_json_tells_problems_before_the_place_where_it_stops() -> None:
    """What was wrong before reading stopped is told with it; what YAML would make of the rest is not."""
    _, problems = parse_json('{"a": 1, "a": 2, b: [NaN, *x, !t 1]}')
    assert [(each.rule, each.offset) for each in problems] == [("duplicate-key", 9), ("syntax", 17)]


def test_json_stops_at_its_bounds_before_it_can_recurse() -> None:
    """Nesting beyond the bound is told at its place, whether or not the brackets are closed."""
    for text in ("[" * 65, "[" * 65 + "]" * 65, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000):
        root, problems = parse_json(text)
        assert root is None
        assert [each.rule for each in problems] == ["file-too-deep"]
        assert problems[0].offset == 64 * text.index(text[0], 1)
    assert parse_json("[" * 64 + "]" * 64)[1] == []


@pytest.mark.parametrize("number", ["9007199254740992", "-9007199254740992", "1" + "0" * 6000, "1e400", "-1E999"])
def test_json_refuses_numbers_that_are_not_exact_everywhere(number: str) -> None:
    """A number beyond what every reader keeps exact is a problem, and reading goes on."""
    root, problems = parse_json(f'{{"a": {number}, "a": 1}}')
    assert [each.rule for each in problems] == ["number-too-large", "duplicate-key"]
    assert root is not None
