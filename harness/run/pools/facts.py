"""Facts as rows: every value that tells one fact from another, under one name in all logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.models.pools.correlations import Correlation
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.members import Prepared, WaitingForAuthorization
from harness.models.pools.values import Authority, Birth, Evidence, Stop, Worker

FACT_COLUMNS = (
    "input",
    "role",
    "request",
    "payload",
    "customer",
    "key",
    "expected",
    "target",
    "reply",
    "reservation",
    "worker",
    "birth",
    "attempt",
    "ticket",
    "assignment",
    "authority",
    "authority-birth",
    "result",
    "recovery",
    "timer",
    "abnormal",
    "at",
    "replaces",
    "prefix",
    "reason",
)
"""The columns of `input-log`; a fact that has no such value has null there."""

_TOLD = (*FACT_COLUMNS, "generation")

# What names a value of a fact by another word than its column.
_RENAMED = {"kind": "input", "child": "worker"}

# What a diagnostic keeps and is no fact, by what it is called.
_HELD: Mapping[type, str] = {
    Binding: "binding",
    Prepared: "replacement",
    WaitingForAuthorization: "activation-plan",
}


def fact_columns(fact: Any, roles: tuple[str, ...]) -> dict[str, Any]:
    """The columns of an input, all of them."""
    return {**dict.fromkeys(FACT_COLUMNS), **told(fact, roles)}


def told(value: Any, roles: tuple[str, ...]) -> dict[str, Any]:
    """Any fact, or value that a diagnostic keeps, as an object without nulls; `input` says what it is."""
    if isinstance(value, Evidence):
        return {"input": "completion", **_evidence(value)}
    if isinstance(value, Stop):
        return {"input": "stop", **_stop(value)}
    if isinstance(value, Authority):
        return {"input": "authority", **_authority(value)}
    if isinstance(value, Correlation):
        return {"input": "kept-half", "authority": int(value)}
    word = next((word for kind, word in _HELD.items() if isinstance(value, kind)), None)
    found: dict[str, Any] = {} if word is None else {"input": word}
    for name, each in zip(value._fields, value, strict=True):
        found.update(_column(_RENAMED.get(name, name), each, roles))
    return {name: found[name] for name in _TOLD if found.get(name) is not None}


def _column(name: str, value: Any, roles: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(value, Evidence):
        return _evidence(value)
    if isinstance(value, Stop):
        return _stop(value)
    if isinstance(value, Authority):
        return _authority(value)
    if name == "role":
        return {name: value if isinstance(value, str) else roles[value]}
    if isinstance(value, Birth):
        return {}
    if name == "replaces":
        return {name: int(value.child), "birth": int(value.evidence)}
    if isinstance(value, Worker):
        return {"worker": int(value.child), "birth": int(value.evidence)}
    if isinstance(value, Correlation):
        return {name: int(value)}
    if name == "prefix":
        return {name: list(value)}
    return {name: value} if name in _TOLD else {}


def _evidence(value: Evidence) -> dict[str, Any]:
    return {"assignment": int(value.assignment), **_authority(value.authority), "result": value.result}


def _authority(value: Authority) -> dict[str, Any]:
    return {"authority": int(value.token), "authority-birth": int(value.birth)}


def _stop(value: Stop) -> dict[str, Any]:
    worker = value.worker
    return {"worker": int(worker.child), "birth": int(worker.evidence), "abnormal": value.abnormal, "at": value.at}
