"""What only pools with keys tell: the answers to managers, and the bindings that come and go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools.keyed.outcomes import DeliverManagement
from harness.run.pools.port import Bound, View

_NOTHING = dict.fromkeys(
    ("key", "expected", "target", "role", "generation", "prior-role", "prior-generation", "actual")
)


def managed(operation: DeliverManagement) -> dict[str, Any]:
    """The answer to a command as a row of `management-outcomes`.

    `role` and `generation` are of the binding that there is now, `prior-…` of the one before; what is unbound is a
    prior one. A command that goes back is there whole: `key`, `expected` and `target`.
    """
    outcome: Any = operation.outcome
    command = getattr(outcome, "command", None)
    current, prior = (
        getattr(outcome, "current", None),
        getattr(outcome, "prior", None) or getattr(outcome, "removed", None),
    )
    back = {}
    if command is not None:
        back = {"key": command.key, "expected": command.expected, "target": getattr(command, "target", None)}
    elif hasattr(outcome, "removed"):
        back = {"key": outcome.removed.key}
    return {
        "request": int((outcome if command is None else command).request),
        "outcome": outcome.kind,
        **_NOTHING,
        **{name: _plain(value) for name, value in back.items()},
        **_binding("", current),
        **_binding("prior-", prior),
        "actual": _plain(getattr(outcome, "actual", None)),
        "reason": getattr(outcome, "reason", None),
        "route": operation.route,
    }


def _binding(prefix: str, binding: Any) -> dict[str, Any]:
    if binding is None:
        return {}
    return {f"{prefix}role": binding.role, f"{prefix}generation": int(binding.generation)}


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, int) else value


def binding_rows(before: View, after: View) -> Iterator[tuple[str, dict[str, Any]]]:
    """The bindings that are gone, then the new ones, each in the order of keys."""
    for each in before.bindings:
        if each not in after.bindings:
            yield "binding-ledger", _row("dropped", each)
    for each in after.bindings:
        if each not in before.bindings:
            yield "binding-ledger", _row("bound", each)


def _row(change: str, bound: Bound) -> dict[str, Any]:
    return {"key": bound.key, "change": change, "role": bound.role, "generation": bound.generation}
