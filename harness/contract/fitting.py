"""Does a document fit its JSON Schema? Every misfit becomes a finding at the place where it can be corrected.

Messages are in this project's words; where a schema gives a patterned text a title, the title says what was expected.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

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


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that `word` was most likely meant to be, None where none is close."""
    listed = sorted(choices)
    folded = {each.lower().replace("_", "-"): each for each in reversed(listed)}
    plain = word.lower().replace("_", "-").replace(" ", "-")
    if plain in folded:
        return folded[plain]
    found = difflib.get_close_matches(plain, list(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def suggestion(word: str, choices: Iterable[str], nothing: str | None = None) -> str | None:
    """A hint that names the nearest choice, else all of a few, else `nothing`."""
    listed = list(choices)
    found = nearest(word, listed)
    if found is not None:
        return f'did you mean "{found}"?'
    if 0 < len(listed) <= 12:
        return "one of: " + ", ".join(listed)
    return nothing


def fit_document(document: Document, schema: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Every misfit of the document to the schema, as error findings with `unreadable` set."""
    from jsonschema import Draft202012Validator  # late: it takes longer to import than to use

    found: dict[tuple[str, str, str], Finding] = {}
    for error in Draft202012Validator(schema).iter_errors(document.value):
        handler = _HANDLERS.get(str(error.validator), _other)
        for finding in handler(document, error):
            found.setdefault((finding.rule, finding.pointer, finding.message), finding)
    for finding in _decimals(document):
        # Says more than the type error that the same number gives.
        found.pop(("wrong-type", finding.pointer, ""), None)
        found = {key: each for key, each in found.items() if each.pointer != finding.pointer}
        found[finding.rule, finding.pointer, finding.message] = finding
    return tuple(found.values())


def _misfit(
    document: Document, rule: str, pointer: str, message: str, hint: str | None = None, key: bool = False
) -> Finding:
    position = document.position(pointer, key)
    return Finding(rule, Severity.ERROR, message, position, hint, pointer, unreadable=True)


def _pointer(error: Any, *more: str | int) -> str:
    return pointer_to(*error.absolute_path, *more)


def _value(value: JsonValue) -> str:
    """A value for a message: short ones as written, collections by their kind."""
    if isinstance(value, str):
        return f'"{shown(value)}"'
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return {None: "nothing", True: "true", False: "false"}.get(value, str(value)) if value is None or isinstance(value, bool) else str(value)


def _unknown_keys(document: Document, error: Any) -> Iterator[Finding]:
    known = list(error.schema.get("properties", {}))
    patterns = [re.compile(each) for each in error.schema.get("patternProperties", {})]
    for key in error.instance:
        if key in known or any(each.search(key) for each in patterns):
            continue
        free = [each for each in known if each not in error.instance]
        hint = suggestion(key, free or known) or "leave it out"
        yield _misfit(document, "unknown-key", _pointer(error, key), f'the key "{shown(key)}" is not known here', hint, key=True)


def _missing_keys(document: Document, error: Any) -> Iterator[Finding]:
    for key in error.validator_value:
        if key not in error.instance:
            hint = f'add "{key}"'
            title = _property_title(error.schema, key)
            hint = f"{hint}: {title}" if title else hint
            yield _misfit(document, "missing-key", _pointer(error), f'the key "{key}" is missing', hint)


def _property_title(schema: Any, key: str) -> str | None:
    found = schema.get("properties", {}).get(key, {})
    return found.get("title") if isinstance(found, dict) else None


def _not_listed(document: Document, error: Any) -> Iterator[Finding]:
    listed = error.validator_value if error.validator == "enum" else [error.validator_value]
    if not _same_type(error.instance, listed) and "type" in error.schema:
        return  # the type error at the same place says it
    words = [str(each) for each in listed]
    message = f"{_value(error.instance)} is not one of the values this can have"
    yield _misfit(document, "unknown-value", _pointer(error), message, suggestion(str(error.instance), words))


def _same_type(value: JsonValue, listed: list[JsonValue]) -> bool:
    return any(type(value) is type(each) for each in listed)


def _wrong_type(document: Document, error: Any) -> Iterator[Finding]:
    wanted = error.validator_value
    names = [_TYPE_NAMES.get(each, each) for each in ([wanted] if isinstance(wanted, str) else wanted)]
    message = f"{_value(error.instance)} stands where {' or '.join(names)} should"
    hint = None
    if "string" in wanted and isinstance(error.instance, (int, float)):
        hint = "put it in quotes"
    elif error.instance is None:
        hint = "write a value, or leave the key out"
    elif error.instance in ("unlimited", "none") or "array" in wanted:
        hint = error.schema.get("description")
    yield _misfit(document, "wrong-type", _pointer(error), message, hint)


def _wrong_form(document: Document, error: Any) -> Iterator[Finding]:
    title = error.schema.get("title") or f"text like {error.validator_value}"
    is_key = "propertyNames" in error.absolute_schema_path
    pointer = _pointer(error, error.instance) if is_key else _pointer(error)
    message = f"{_value(error.instance)} is not {title}"
    yield _misfit(document, "wrong-form", pointer, message, error.schema.get("description"), key=is_key)


def _count(document: Document, error: Any) -> Iterator[Finding]:
    message = _COUNT_WORDS[error.validator].format(error.validator_value)
    yield _misfit(document, "out-of-range", _pointer(error), message, error.schema.get("description"))


def _twice(document: Document, error: Any) -> Iterator[Finding]:
    seen: list[JsonValue] = []
    for index, item in enumerate(error.instance):
        if item in seen:
            yield _misfit(document, "duplicate-item", _pointer(error, index), f"{_value(item)} stands twice in the list")
        seen.append(item)


def _other(document: Document, error: Any) -> Iterator[Finding]:
    title = error.schema.get("title") if isinstance(error.schema, dict) else None
    message = f"{_value(error.instance)} does not fit" + (f": {title} was expected" if title else "")
    yield _misfit(document, "wrong-form", _pointer(error), message, f"the schema says: {shown(error.message, 120)}")


def _branches(document: Document, error: Any) -> Iterator[Finding]:
    """anyOf and oneOf: the misfits of the branch that fits best, else one finding for them all."""
    constants = [each["const"] for each in error.validator_value if isinstance(each, dict) and "const" in each]
    if constants and len(constants) == len(error.validator_value):
        words = [str(each) for each in constants]
        message = f"{_value(error.instance)} is not one of the values this can have"
        yield _misfit(document, "unknown-value", _pointer(error), message, suggestion(str(error.instance), words))
        return
    branches: dict[int, list[Any]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    fitting = [each for each in branches.values() if not any(len(one.path) == 0 and one.validator == "type" for one in each)]
    if len(fitting) != 1:
        yield from _other(document, error)
        return
    for each in fitting[0]:
        yield from _HANDLERS.get(str(each.validator), _other)(document, each)


def _decimals(document: Document) -> Iterator[Finding]:
    """Decimal fractions anywhere: none is exact, so none is accepted."""
    pending: list[tuple[str, JsonValue]] = [("", document.value)]
    while pending:
        pointer, value = pending.pop()
        if isinstance(value, float):
            exact = Fraction(repr(value)).limit_denominator(10**6)
            words = str(exact.numerator) if exact.denominator == 1 else f'"{exact}"'
            message = f"{value} is a decimal fraction, which is never exact"
            yield _misfit(document, "decimal-fraction", pointer, message, f"write {words}")
        elif isinstance(value, dict):
            pending.extend((pointer + pointer_to(key), each) for key, each in value.items())
        elif isinstance(value, list):
            pending.extend((f"{pointer}/{index}", each) for index, each in enumerate(value))


_Handler = Callable[[Document, Any], Iterator[Finding]]
_HANDLERS: dict[str, _Handler] = {
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
