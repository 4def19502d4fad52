"""Strict JSON: what the format allows is read as the standard module reads it, all else is one placed problem."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract.json_text import parse_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=["C"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc/~", max_size=3), inner, max_size=4),
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
        ("[1,]", 3),
        ('{"a" 1}', 5),
        ('{"a": 1 "b"}', 8),
        ("{a: 1}", 1),
        ("[1] 2", 4),
        ("[1}", 2),
        ('["\\x"]', 1),
        ('["a\tb"]', 1),
        ("[01]", 2),
        ("[+1]", 1),
        ("[.5]", 1),
        ("[NaN]", 1),
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


@pytest.mark.parametrize("number", ["9007199254740992", "-9007199254740992", "1" + "0" * 6000, "1e400", "-1E999"])
def test_json_refuses_numbers_that_are_not_exact_everywhere(number: str) -> None:
    """A number beyond what every reader keeps exact is a problem, and reading goes on."""
    root, problems = parse_json(f'{{"a": {number}, "a": 1}}')
    assert [each.rule for each in problems] == ["number-too-large", "duplicate-key"]
    assert root is not None
