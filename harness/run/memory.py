"""What a system answered in worlds that are over, so that the same beginning is not sent into it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from harness.run.recording import SKIPPED, Draft, json_line


class Answer(NamedTuple):
    """What a system said to one event: accepted, refused or skipped, why, and the rows it wrote."""

    outcome: str
    reason: str | None
    drafts: tuple[Draft, ...]


class WorldMemory:
    """The answers of finished worlds by world and events.

    Scenarios of one adoption share many of their runs. A world whose events begin a world that was sent before has the
    same answers, if the system follows its protocol: it begins each world afresh, and keeps its own time.
    """

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, str], int] = {}
        self._answers: list[Answer | None] = [None]

    def recall(self, world: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> tuple[Answer, ...] | None:
        """The answers to these events in this world, up to the first that was skipped; None where it has not all."""
        node = self._nodes.get((0, key_of(world)))
        found: list[Answer] = []
        for event in events:
            if found and found[-1].outcome == SKIPPED:
                break
            node = None if node is None else self._nodes.get((node, key_of(event)))
            answer = None if node is None else self._answers[node]
            if answer is None:
                return None
            found.append(answer)
        return tuple(found) if node is not None else None

    def keep(self, world: Mapping[str, Any], events: Iterable[Mapping[str, Any]], answers: Iterable[Answer]) -> None:
        """Keep a world that was begun, sent these events and ended; there is an answer to each event that was sent."""
        node = self._step(0, key_of(world), None)
        for event, answer in zip(events, answers, strict=False):
            node = self._step(node, key_of(event), answer)

    def _step(self, node: int, key: str, answer: Answer | None) -> int:
        reached = self._nodes.get((node, key))
        if reached is None:
            reached = self._nodes[node, key] = len(self._answers)
            self._answers.append(answer)
        return reached


def key_of(value: Mapping[str, Any]) -> str:
    """The text by which equal worlds, and equal events, are found again."""
    return json_line({name: value[name] for name in sorted(value)})
