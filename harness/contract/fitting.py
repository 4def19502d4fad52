"""Does a document fit its JSON Schema? Every misfit becomes a finding at the place where it can be corrected.

Messages are in this project's words; where a schema gives a patterned text a title, the title says what was expected.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from harness.base.finding import Finding, Severity
from harness.contract.documents import Document, pointer_to
from harness.contract.shapes import JsonValue
from harness.contract.tree import shown

_TYPE_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_COUNT_WORDS = {
    "minItems": "the list needs at least {}",
    "maxItems": "the list may have at most {}",
    "minProperties": "the mapping needs at least {} key",
    "maxProperties": "the mapping may have at most {} key",
    "minLength": "the text needs at least {} character",
    "maxLength": "the text may have at most {} characters",
    "minimum": "the number must be at least {}",
    "maximum": "the number must be at most {}",
    "exclusiveMinimum": "the number must be above {}",
    "exclusiveMaximum": "the number must be below {}",
}
_LISTED_MAX = 12


def nearest(word: str, choices: Iterable[str], likeness: float = 0.6) -> str | None:
    """The choice that `word` was most likely meant to be, None where none is as like as `likeness` (0 to 1)."""
    listed = sorted(choices)
    folded = {each.lower().replace("_", "-"): each for each in reversed(listed)}
    plain = word.lower().replace("_", "-").replace(" ", "-")
    if plain in folded:
        return folded[plain]
    found = difflib.get_close_matches(plain, list(folded), n=1, cutoff=likeness)
    return folded[found[0]] if found else None


def suggestion(word: str, choices: Iterable[str], nothing: str | None = None) -> str | None:
    """A hint that names the nearest choice, else all of a few, else `nothing`."""
    listed = list(choices)
    found = nearest(word, listed)
    if found is not None:
        return f'did you mean "{found}"?'
    if 0 < len(listed) <= _LISTED_MAX:
        return "one of: " + ", ".join(listed)
    return nothing


class UnusableSchemaError(ValueError):
    """The schema itself is broken, so that nothing can be fitted to it; the message says how."""


class Misfit(NamedTuple):
    """One way in which a value doesn't fit: a finding without its place.

    `at_key` asks for the place of the key instead of the value; `meant` is the nearest valid spelling, if one is near.
    """

    rule: str
    pointer: str
    message: str
    hint: str | None = None
    at_key: bool = False
    meant: str | None = None


def fit_document(document: Document, schema: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Every misfit of the document to the schema, as error findings with `unreadable` set.

    Raises UnusableSchemaError where the schema is broken.
    """
    return tuple(place_misfit(document, each) for each in misfits(document.value, schema))


def place_misfit(document: Document, misfit: Misfit) -> Finding:
    """A misfit of the document's value as a finding."""
    position = document.position(misfit.pointer, misfit.at_key)
    return Finding(misfit.rule, Severity.ERROR, misfit.message, position, misfit.hint, misfit.pointer, unreadable=True)


def misfits(value: JsonValue, schema: Mapping[str, Any]) -> tuple[Misfit, ...]:
    """Every misfit of plain data to the schema, each once. Raises UnusableSchemaError where the schema is broken."""
    decimals = tuple(_decimals(value))
    # What is said of a decimal fraction says more than the type error that the same number gives.
    silent = {each.pointer for each in decimals}
    found = (each for error in _errors(value, schema) for each in _misfits_of(error))
    return (*_without_echoes(dict.fromkeys(each for each in found if each.pointer not in silent)), *decimals)


def _errors(value: JsonValue, schema: Mapping[str, Any]) -> list[Any]:
    from jsonschema import Draft202012Validator  # late: it takes longer to import than to use

    try:
        return list(Draft202012Validator(schema).iter_errors(value))
    except Exception as error:  # whoever brings a contract brings its schema, and jsonschema trips over a broken one
        words = str(error).strip().split("\n")[0]
        raise UnusableSchemaError(shown(f"{type(error).__name__}: {words}".rstrip(": "), 160)) from error


def _without_echoes(found: Iterable[Misfit]) -> Iterator[Misfit]:
    """The misfits without a missing key where that key stands misspelt beside it."""
    listed = tuple(found)
    misspelt = {(each.pointer.rpartition("/")[0], each.meant) for each in listed if each.rule == "unknown-key"}
    for each in listed:
        if each.rule != "missing-key" or (each.pointer, each.meant) not in misspelt:
            yield each


def _misfits_of(error: Any) -> Iterator[Misfit]:
    return _HANDLERS.get(str(error.validator), _other)(error)


def _pointer(error: Any, *more: str | int) -> str:
    return pointer_to(*error.absolute_path, *more)


def _shown_value(value: JsonValue) -> str:
    """A value for a message: short ones as written, collections by their kind."""
    if isinstance(value, str):
        return f'"{shown(value)}"'
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return str(value).lower()


def _unknown_keys(error: Any) -> Iterator[Misfit]:
    known = list(error.schema.get("properties", {}))
    patterns = [re.compile(each) for each in error.schema.get("patternProperties", {})]
    for key in error.instance:
        if key in known or any(each.search(key) for each in patterns):
            continue
        free = [each for each in known if each not in error.instance]
        hint = suggestion(key, free) or "leave it out"
        message = f'the key "{shown(key)}" is not known here'
        yield Misfit("unknown-key", _pointer(error, key), message, hint, at_key=True, meant=nearest(key, free))


def _missing_keys(error: Any) -> Iterator[Misfit]:
    for key in error.validator_value:
        if key not in error.instance:
            declared = error.schema.get("properties", {}).get(key)
            hint = f'add "{key}"' + (_described(declared) if isinstance(declared, dict) else "")
            yield Misfit("missing-key", _pointer(error), f'the key "{key}" is missing', hint, meant=key)


def _described(schema: Mapping[str, Any]) -> str:
    """What a schema wants, as words that go on after a key's name; a title says the most where a form is wanted."""
    title, listed, wanted = schema.get("title"), schema.get("enum", ()), schema.get("type")
    if 0 < len(listed) <= _LISTED_MAX:
        return ", one of: " + ", ".join(str(each) for each in listed)
    if title and "pattern" in schema:
        return f": {title}"
    if isinstance(wanted, str) and wanted in _TYPE_NAMES:
        return f", {_TYPE_NAMES[wanted]}"
    return f" ({title})" if title else ""


def _not_listed(error: Any) -> Iterator[Misfit]:
    listed = error.validator_value if error.validator == "enum" else [error.validator_value]
    if "type" in error.schema and not any(type(error.instance) is type(each) for each in listed):
        return  # the type error at the same place says it
    yield _unlisted(error, [str(each) for each in listed])


def _unlisted(error: Any, words: list[str]) -> Misfit:
    message = f"{_shown_value(error.instance)} is not one of the values this can have"
    word = str(error.instance) if isinstance(error.instance, str) else ""
    hint = suggestion(word, words)
    return Misfit("unknown-value", _pointer(error), message, hint, meant=nearest(word, words) if word else None)


def _wrong_type(error: Any) -> Iterator[Misfit]:
    wanted = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
    names = " or ".join(_TYPE_NAMES.get(each, each) for each in wanted)
    message = f"{_shown_value(error.instance)} stands where {names} should"
    yield Misfit("wrong-type", _pointer(error), message, _correction(error.instance, wanted, error.schema))


def _correction(value: JsonValue, wanted: list[str], schema: Mapping[str, Any]) -> str | None:
    """What to do with a value of the wrong type; what the schema says of it where the value itself tells nothing."""
    if value is None:
        return "write a value, or leave the key out"
    if "string" in wanted and isinstance(value, (int, float)):
        return "put it in quotes"
    if "integer" in wanted and isinstance(value, str) and re.fullmatch("-?[0-9]{1,15}", value):
        return f"leave out the quotes: {value}"
    if wanted == ["array"]:
        return 'write a list: [a, b], or lines that begin with "- "'
    if wanted == ["object"]:
        return 'write a mapping: {key: value}, or lines of "key: value"'
    description = schema.get("description")
    return str(description) if description else None


def _wrong_form(error: Any) -> Iterator[Misfit]:
    title = error.schema.get("title") or f"text like {error.validator_value}"
    is_key = "propertyNames" in error.absolute_schema_path
    pointer = _pointer(error, error.instance) if is_key else _pointer(error)
    message = f"{_shown_value(error.instance)} is not {title}"
    yield Misfit("wrong-form", pointer, message, error.schema.get("description"), at_key=is_key)


def _count(error: Any) -> Iterator[Misfit]:
    message = _COUNT_WORDS[error.validator].format(error.validator_value)
    is_key = "propertyNames" in error.absolute_schema_path
    pointer = _pointer(error, error.instance) if is_key else _pointer(error)
    yield Misfit("out-of-range", pointer, message, error.schema.get("description"), at_key=is_key)


def _twice(error: Any) -> Iterator[Misfit]:
    seen: list[JsonValue] = []
    for index, item in enumerate(error.instance):
        if item in seen:
            message = f"{_shown_value(item)} stands twice in the list"
            yield Misfit("duplicate-item", _pointer(error, index), message, "keep one of them")
        seen.append(item)


def _other(error: Any) -> Iterator[Misfit]:
    title = error.schema.get("title") if isinstance(error.schema, dict) else None
    message = f"{_shown_value(error.instance)} does not fit" + (f": {title} was expected" if title else "")
    yield Misfit("wrong-form", _pointer(error), message, f"the schema says: {shown(error.message, 120)}")


def _branches(error: Any) -> Iterator[Misfit]:
    """anyOf and oneOf: the misfits of the only branch of the right type, else one for all branches."""
    constants = [each["const"] for each in error.validator_value if isinstance(each, dict) and "const" in each]
    if constants and len(constants) == len(error.validator_value):
        yield _unlisted(error, [str(each) for each in constants])
        return
    branches: dict[int, list[Any]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    typed = [each for each in branches.values() if not any(_is_outer_type(one) for one in each)]
    for inner in typed[0] if len(typed) == 1 else ():
        yield from _misfits_of(inner)
    if len(typed) != 1:
        yield from _other(error)


def _is_outer_type(error: Any) -> bool:
    return error.validator in ("type", "const", "enum") and not error.path


def _decimals(value: JsonValue) -> Iterator[Misfit]:
    """Decimal fractions anywhere: none is exact, so none is accepted."""
    pending: list[tuple[str, JsonValue]] = [("", value)]
    while pending:
        pointer, each = pending.pop()
        if isinstance(each, float):
            exact = Fraction(repr(each)).limit_denominator(10**6)
            words = str(exact.numerator) if exact.denominator == 1 else f'"{exact}"'
            message = f"{each} is a decimal fraction, which is never exact"
            yield Misfit("decimal-fraction", pointer, message, f"write it exactly: {words}")
        elif isinstance(each, dict):
            pending.extend((pointer + pointer_to(key), inner) for key, inner in each.items())
        elif isinstance(each, list):
            pending.extend((f"{pointer}/{index}", inner) for index, inner in enumerate(each))


_HANDLERS: dict[str, Callable[[Any], Iterator[Misfit]]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_keys,
    "enum": _not_listed,
    "const": _not_listed,
    "type": _wrong_type,
    "pattern": _wrong_form,
    "uniqueItems": _twice,
    "anyOf": _branches,
    "oneOf": _branches,
    **dict.fromkeys(_COUNT_WORDS, _count),
}
