"""From the short text of an event to the event: its kind, then its fields in a fixed order."""

from __future__ import annotations

import shlex
from typing import Any

from tests.histories._rows import HistoryError

_ORDER = {
    "open-pool": ("row",),
    "request": ("run", "job"),
    "admit": ("run",),
    "tick": (),
    "instruct": ("run", "instruction", "displaced-by"),
    "clear": ("run", "cause"),
    "cancel": ("run", "row"),
    "fail": ("run", "row"),
    "supply": ("amount", "item", "source"),
    "use": ("amount", "item", "source"),
    "room": ("destination", "free"),
    "readmit": ("row",),
    "redeliver": ("row",),
    "collect": ("row", "run"),
    "eligible": ("row", "value", "place"),
    "set-fields": ("run",),
    "worker-stop": ("pool", "slot", "place"),
    "worker-ready": ("pool", "slot", "place"),
}
_OPTIONAL = frozenset({"job", "displaced-by", "place", "run"})
_NUMBERS = frozenset({"amount", "free", "slot"})
_TRUTHS = frozenset({"value", "pause"})


def event_key(text: str) -> str:
    """The text of an event without its outcome and times: how an edit names it."""
    words = shlex.split(text)
    words = words[1:] if words[0] in ("refused", "skipped") else words
    return " ".join(each for each in words if not _is_times(each))


def read_event(text: str, job: str) -> tuple[dict[str, Any], str, int]:
    """The event, its outcome, and how many times it is sent; `job` is what a request asks for unless it says."""
    words = shlex.split(text)
    outcome = words.pop(0) if words[0] in ("refused", "skipped") else "accepted"
    times = next((int(each[1:]) for each in words if _is_times(each)), 1)
    words = [each for each in words if not _is_times(each)]
    kind, *rest = words
    if kind not in _ORDER:
        raise HistoryError(f"there is no event {kind!r}")
    event: dict[str, Any] = {"kind": kind}
    values = [each for each in rest if "=" not in each]
    if len(values) > len(_ORDER[kind]):
        raise HistoryError(f"the event {text!r} has too many words: {' '.join((kind, *_ORDER[kind]))}")
    event.update(zip(_ORDER[kind], values, strict=False))
    _take_named(event, [each.split("=", 1) for each in rest if "=" in each])
    if kind == "request":
        event.setdefault("job", job)
    missing = [each for each in _ORDER[kind] if each not in event and each not in _OPTIONAL]
    if missing:
        raise HistoryError(f"the event {text!r} lacks {', '.join(missing)}")
    return {name: _typed(name, value) for name, value in event.items()}, outcome, times


def _take_named(event: dict[str, Any], named: list[list[str]]) -> None:
    """`place=east` and the like are fields of the event; `fields.size=2` is one of a request's own fields."""
    for name, value in named:
        if name.startswith("fields."):
            number = value.lstrip("-").isdigit()
            event.setdefault("fields", {})[name.removeprefix("fields.")] = int(value) if number else value
        else:
            event[name] = value


def _typed(name: str, value: Any) -> Any:
    if name in _NUMBERS:
        return int(value)
    return value == "true" if name in _TRUTHS else value


def _is_times(word: str) -> bool:
    return word[0] == "x" and word[1:].isdigit()
