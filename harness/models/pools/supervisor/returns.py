"""Whether a diagnostic has the whole of what it is about: the fact of its own step, value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f

UNEXPECTED = "unexpected-input"
TELLS: Mapping[str, str] = {
    **dict.fromkeys(("proxy-fold-rejected", "proxy-host-rejected"), "proxy-creation-rejected"),
    "exit-after-birth": "proxy-died",
    "input-rejected": "proxy-input-rejected",
    **dict.fromkeys(("initial-failed", "replacement-failed"), "proxy-outcome-failed"),
    "shutdown-rejected": "proxy-shutdown-rejected",
    **dict.fromkeys(("workers-partial", "source-rejected"), "worker-preparation-failed"),
    "schedule-rejected": "restart-schedule-rejected",
    "delivery-settled": "undeliverable",
}
"""By kind of fact, the diagnostic that is about it where one leaves; whether one has to leave is not asked here."""

_ANSWERED = ("kind", "proxy", "preparation")
"""What a diagnostic need not repeat: how a fact found its way here, which the role in the diagnostic says."""


def told_in_part(fact: f.Fact, actions: a.Actions) -> Iterator[str]:
    """A name for each diagnostic of this step that lacks a part of the fact."""
    for each in actions.diagnostics():
        if each.kind == UNEXPECTED and not _has(each.facts, fact):
            yield "late-fact-in-part"
        elif each.kind == TELLS.get(fact.kind) and not all(_has(each.facts, part) for part in _parts(fact)):
            yield "input-lost"


def _parts(fact: f.Fact) -> Iterator[Any]:
    """Everything that a fact brings, each item of a list for itself."""
    if isinstance(fact, f.DeliverySettled):
        yield getattr(fact.operation, "diagnostic", None)
        yield fact.reason
        return
    for name, value in zip(fact._fields, fact, strict=True):
        if name in _ANSWERED:
            continue
        if type(value) is tuple:
            yield from value
        else:
            yield value


def _has(whole: tuple[Any, ...], part: Any) -> bool:
    """Whether a part stands somewhere inside; types count, since numbers of two kinds may be equal."""
    return any(
        (type(each) is type(part) and each == part) or (isinstance(each, tuple) and _has(each, part)) for each in whole
    )
