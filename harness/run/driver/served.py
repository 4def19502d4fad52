"""The built-in lifecycle on the other side of the protocol: what a driver answers, message by message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness import __version__
from harness.run.recording import ACCEPTED, REFUSED, Draft
from harness.run.system import SYSTEM_LOGS, System

Message = dict[str, Any]


class ServedSystem:
    """A system behind `answer`: the verbs of the protocol as calls of the port.

    `adopt` makes the system for an adoption document; it raises ValueError for one that it cannot be.
    """

    def __init__(self, adopt: Callable[[Mapping[str, Any], Mapping[str, Any]], System], name: str) -> None:
        self._adopt = adopt
        self._name = name
        self._system: System | None = None
        self._numbered = 0

    def answer(self, message: Message) -> Message:
        """The answer to one message; it repeats the message's number."""
        handler: Callable[[Message], Message] | None = getattr(self, f"_on_{message.get('cmd')}", None)
        if handler is None:
            return {"seq": message.get("seq"), "ok": False, "reason": f"there is no verb {message.get('cmd')}"}
        return {"seq": message.get("seq"), **handler(message)}

    def _on_start(self, message: Message) -> Message:
        return {
            "ok": True,
            "implementation": {
                "name": self._name,
                "version": __version__,
                "language": "Python",
                "homepage": None,
            },
            "observes": sorted(SYSTEM_LOGS),
            "time": "virtual",
        }

    def _on_adopt(self, message: Message) -> Message:
        try:
            self._system = self._adopt(message["contract"], message["adoption"])
        except (ValueError, KeyError, TypeError) as error:
            return {"unsupported": [str(error)]}
        return {"ok": True}

    def _on_begin(self, message: Message) -> Message:
        if self._system is None:
            return {"ok": False, "reason": "no adoption was given"}
        self._system.begin(message["scenario"], message["world"])
        self._numbered = 0
        return {"ok": True}

    def _on_event(self, message: Message) -> Message:
        if self._system is None:
            return {"refused": "no adoption was given"}
        answer = self._system.send(message["event"])
        if answer.outcome == REFUSED:
            return {"refused": answer.reason}
        if answer.outcome != ACCEPTED:
            return {"skipped": True, "reason": answer.reason, "issue": None}
        return {"ok": True, "records": [self._record(each) for each in answer.drafts]}

    def _record(self, draft: Draft) -> Message:
        self._numbered += 1
        common = {"log": draft.log, "seq": self._numbered, "batch": draft.batch, "settle": draft.settle}
        return {**common, "run": draft.run, **draft.data}

    def _on_end(self, message: Message) -> Message:
        if self._system is not None:
            self._system.end()
        return {"ok": True}

    def _on_stop(self, message: Message) -> Message:
        return {"ok": True}
