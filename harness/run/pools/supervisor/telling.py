"""Facts and values of a supervisor as rows: everything that tells one from another, under one name in all logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools.correlations import Correlation
from harness.models.pools.supervisor.actions import Diagnostic
from harness.models.pools.supervisor.facts import DeliverySettled
from harness.models.pools.supervisor.values import Denial, Operation, Proxy, Replacement, Submission, WorkerStop

FACT_COLUMNS = (
    "input",
    "role",
    "route",
    "reservation",
    "proxy",
    "ticket",
    "operation",
    "recovery",
    "replaces",
    "worker",
    "definition",
    "preparation",
    "roles",
    "remaining",
    "timer",
    "abnormal",
    "at",
    "sender",
    "phase",
    "command",
    "delivery",
    "lane",
    "word",
    "reason",
)
"""The columns of `input-log`; a fact that has no such value has null there, or an empty list."""

LISTS = ("roles", "remaining")

# What names a value of a fact by another word than its column.
_RENAMED = {"kind": "input", "reply_to": "route", "refused": "role", "error": "reason"}


def fact_columns(fact: Any) -> dict[str, Any]:
    """The columns of an input, all of them."""
    empty: dict[str, Any] = {name: [] if name in LISTS else None for name in FACT_COLUMNS}
    return {**empty, **told(fact)}


def told(value: Any) -> dict[str, Any]:
    """Any fact, or value that a diagnostic keeps, as an object without nulls; `input` says what it is."""
    if isinstance(value, str):
        return {"input": "word", "reason": value}
    if isinstance(value, Denial):
        numbers = list(value.numbers)
        return {"input": "denial", "numbers": numbers, "detail": value.detail, "reason": value.reason}
    if isinstance(value, Diagnostic):
        return _diagnosed(value)
    if isinstance(value, DeliverySettled):
        return _settled(value)
    named = _named(value)
    found = {"input": named} if named is not None else {}
    for name, each in zip(value._fields, value, strict=True):
        found.update(_column(_RENAMED.get(name, name), each))
    return {name: found[name] for name in FACT_COLUMNS if name in found}


def _settled(fact: DeliverySettled) -> dict[str, Any]:
    """The ticket, what it stands for (nothing where it is not open), and the answer."""
    sent: Any = fact.operation
    event = getattr(sent, "event", None)
    found = {
        "input": fact.kind,
        "role": None if event is None else event.role,
        "route": None if sent is None else sent.route,
        "delivery": int(fact.ticket),
        "lane": None if sent is None else sent.lane,
        "word": fact.word,
        "reason": fact.reason or None,
    }
    return {name: each for name, each in found.items() if each is not None}


def _diagnosed(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic within another one: what kind it is, and the role that it names."""
    first = diagnostic.facts[0] if diagnostic.kind != "unexpected-input" and diagnostic.facts else None
    role = {"role": first} if isinstance(first, str) else {}
    return {"input": "diagnostic", **role, "word": diagnostic.kind}


def flat(facts: tuple[Any, ...]) -> Iterator[Any]:
    """The values of a diagnostic, with those that stand together in a plain tuple one after the other."""
    for each in facts:
        if type(each) is tuple:
            yield from flat(each)
        elif each is not None:
            yield each


def _named(value: Any) -> str | None:
    """What a value is that is no fact."""
    names = {WorkerStop: "stop", Operation: "operation", Proxy: "proxy", Submission: "submission"}
    return names.get(type(value))


def _column(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Proxy):
        return {"proxy": int(value.birth)}
    if isinstance(value, WorkerStop):
        return {"worker": int(value.worker), "abnormal": value.abnormal, "at": value.at}
    if isinstance(value, Operation):
        return operation_columns(value)
    if isinstance(value, tuple):
        return _several(name, value)
    if name == "birth":
        return {"proxy": int(value)}
    if isinstance(value, Correlation):
        return {name: int(value)}
    return {name: value} if name in FACT_COLUMNS else {}


def _several(name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    """Submissions by their roles, or names; what an operation is for is no list."""
    if hasattr(values, "word"):
        return kind_columns(values)
    column = "remaining" if name == "remaining" else "roles"
    return {column: [getattr(each, "role", each) for each in values]}


def operation_columns(operation: Operation) -> dict[str, Any]:
    """An operation by its numbers and its definition."""
    kind = kind_columns(operation.kind)
    return {"ticket": int(operation.ticket), **kind, "definition": operation.definition}


def kind_columns(kind: Any) -> dict[str, Any]:
    """What an operation is for."""
    if isinstance(kind, Replacement):
        return {"operation": kind.word, "recovery": int(kind.recovery), "replaces": int(kind.replaces)}
    return {"operation": kind.word}
