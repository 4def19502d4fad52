"""Misfits to a schema, in words and at places that help."""

from __future__ import annotations

from typing import Any

import pytest

from harness.contract.documents import Document, parse_document
from harness.contract.fitting import fit_document, misfits, nearest, suggestion


def found(value: object, schema: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each.rule, each.pointer) for each in misfits(value, schema)]  # type: ignore[arg-type]


def document(text: str) -> Document:
    parsed, findings = parse_document("a.yaml", text.encode())
    assert parsed is not None, findings
    return parsed


@pytest.mark.parametrize(
    ("value", "schema", "rule", "pointer"),
    [
        ({"b": 1}, {"properties": {"a": {}}, "additionalProperties": False}, "unknown-key", "/b"),
        ({}, {"required": ["a"]}, "missing-key", ""),
        ("x", {"enum": ["a", "b"]}, "unknown-value", ""),
        ("x", {"const": "a"}, "unknown-value", ""),
        ("x", {"type": "integer"}, "wrong-type", ""),
        (True, {"type": "integer"}, "wrong-type", ""),
        (None, {"type": "string"}, "wrong-type", ""),
        ("A", {"type": "string", "pattern": "^[a-z]$"}, "wrong-form", ""),
        (-1, {"minimum": 0}, "out-of-range", ""),
        ([], {"minItems": 1}, "out-of-range", ""),
        (["a", "a"], {"uniqueItems": True}, "duplicate-item", "/1"),
        ({"a/b": 1}, {"propertyNames": {"pattern": "^[a-z]+$"}}, "wrong-form", "/a~1b"),
        ({"a": [1.5]}, {"properties": {"a": {"items": {"type": "integer"}}}}, "decimal-fraction", "/a/0"),
        (2.0, {"type": "integer"}, "decimal-fraction", ""),
        ("x", {"oneOf": [{"const": "a"}, {"const": "b"}]}, "unknown-value", ""),
        ({"n": "x"}, {"anyOf": [{"type": "string"}, {"properties": {"n": {"type": "integer"}}}]}, "wrong-type", "/n"),
        (1, {"not": {"const": 1}}, "wrong-form", ""),
    ],
)
def test_misfit_names_its_rule_and_place(value: object, schema: dict[str, Any], rule: str, pointer: str) -> None:
    """Each kind of misfit has a rule id, and points at what can be corrected."""
    assert found(value, schema) == [(rule, pointer)]


def test_misfit_of_a_key_stands_at_the_key() -> None:
    """An unknown key is placed at the key, a missing one at the mapping, a wrong value at the value."""
    schema = {
        "properties": {"rows": {"items": {"required": ["id"], "properties": {"id": {}, "at": {"enum": ["x"]}}}}},
        "additionalProperties": False,
    }
    placed = fit_document(document("rows:\n  - {at: y}\nrow: 1\n"), schema)
    assert sorted((each.position.line, each.position.column, each.rule) for each in placed) == [
        (2, 5, "missing-key"),
        (2, 10, "unknown-value"),
        (3, 1, "unknown-key"),
    ]
    assert all(each.unreadable for each in placed)


def test_misfit_of_a_misspelt_required_key_is_one() -> None:
    """A required key that stands misspelt is not reported as missing too."""
    schema = {"required": ["colour"], "properties": {"colour": {}}, "additionalProperties": False}
    (misfit,) = misfits({"color": "red"}, schema)
    assert (misfit.rule, misfit.meant, misfit.hint) == ("unknown-key", "colour", 'did you mean "colour"?')


def test_misfit_takes_its_words_from_the_schema() -> None:
    """A patterned text is described by the title of its schema, not by the pattern."""
    (misfit,) = misfits("X", {"title": "a name in small letters", "pattern": "^[a-z]+$"})
    assert misfit.message == '"X" is not a name in small letters'


@pytest.mark.parametrize(
    ("value", "schema", "hint"),
    [
        ("2", {"type": "integer"}, "leave out the quotes: 2"),
        (2, {"type": "string"}, "put it in quotes"),
        ({}, {"type": "array"}, 'write a list: [a, b], or lines that begin with "- "'),
        ([], {"type": "object"}, 'write a mapping: {key: value}, or lines of "key: value"'),
        ("two", {"type": "integer", "description": "How many."}, "How many."),
    ],
)
def test_misfit_of_a_type_says_how_to_write_the_right_one(value: object, schema: dict[str, Any], hint: str) -> None:
    """Where the value shows how it was meant, the hint corrects it; else the schema's own description has the word."""
    (misfit,) = misfits(value, schema)  # type: ignore[arg-type]
    assert misfit.hint == hint


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"enum": ["x", "y"], "type": "string", "title": "which?"}, 'add "a", one of: x, y'),
        ({"pattern": "^x$", "type": "string", "title": "a text of one x"}, 'add "a": a text of one x'),
        ({"type": "object", "title": "rules"}, 'add "a", a mapping'),
        ({"$ref": "#", "title": "order rule"}, 'add "a" (order rule)'),
        ({}, 'add "a"'),
    ],
)
def test_misfit_of_a_missing_key_says_what_to_add(schema: dict[str, Any], hint: str) -> None:
    """The hint names the key and, as far as its schema tells, what its value can be."""
    (misfit,) = misfits({}, {"required": ["a"], "properties": {"a": schema}})
    assert misfit.hint == hint


def test_decimal_fraction_is_shown_exactly() -> None:
    """The hint writes the fraction as text, or as the whole number that it is."""
    assert {each.pointer: each.hint for each in misfits([0.75, 3.0, 0.1], {})} == {
        "/0": 'write it exactly: "3/4"',
        "/1": "write it exactly: 3",
        "/2": 'write it exactly: "1/10"',
    }


@pytest.mark.parametrize(
    ("word", "expected"),
    [("never-ful", "never-full"), ("Never Full", "never-full"), ("never_full", "never-full"), ("banana", None)],
)
def test_nearest_finds_what_was_meant(word: str, expected: str | None) -> None:
    """Typing errors, capitals, blanks and underscores lead to the word; something else leads nowhere."""
    assert nearest(word, ["never-full", "wait-until-space"]) == expected


def test_suggestion_lists_a_few_choices_where_none_is_near() -> None:
    """Without a near word the choices are listed, if they are few."""
    assert suggestion("banana", ["b", "a"]) == "one of: b, a"
    assert suggestion("banana", [str(each) for each in range(50)], "look it up") == "look it up"
    assert suggestion("banana", []) is None
