"""A world that begins one that is over is not sent again: same recording, fewer messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.run.memory import Answer, WorldMemory
from harness.run.plan import PlannedWorld
from harness.run.recording import ACCEPTED, SKIPPED, Draft, WorldDrafts
from harness.run.sending import send_world

TICK = {"kind": "tick"}
REQUEST = {"kind": "request", "run": "A"}
STOP = {"kind": "worker-stop"}


class Counting:
    """A system that writes the number of each event and skips worker-stop."""

    observes = frozenset({"report-log"})

    def __init__(self, memory: WorldMemory | None) -> None:
        self.memory = memory
        self.heard: list[str] = []
        self._events = 0

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """Counts from 1 again."""
        self.heard.append("begin")
        self._events = 0

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One row for each event."""
        self.heard.append(str(event["kind"]))
        self._events += 1
        if event["kind"] == "worker-stop":
            return Answer(SKIPPED, "no workers", ())
        return Answer(ACCEPTED, None, (Draft("report-log", "A", {"report": str(self._events)}),))

    def end(self) -> None:
        """Nothing is kept."""
        self.heard.append("end")


def world(*events: Mapping[str, Any], stock: int = 1) -> PlannedWorld:
    """A world with so much flour."""
    return PlannedWorld({"stock": stock}, events)


def sent(system: Counting, *worlds: PlannedWorld) -> list[WorldDrafts]:
    """What each of these worlds left."""
    return [send_world("a/b", each, system) for each in worlds]


def test_beginning_of_a_finished_world_is_remembered() -> None:
    """Equal and shorter worlds cost no message."""
    system = Counting(WorldMemory())
    first, again, shorter, nothing = sent(system, world(REQUEST, TICK), world(REQUEST, TICK), world(REQUEST), world())
    assert system.heard == ["begin", "request", "tick", "end"]
    assert again == first
    assert shorter.sent == first.sent[:1]
    assert nothing.sent == ()


def test_what_goes_beyond_or_beside_a_finished_world_is_sent_from_its_beginning() -> None:
    """A longer world, or another, is sent whole."""
    system = Counting(WorldMemory())
    sent(system, world(REQUEST), world(REQUEST, TICK), world(TICK), world(REQUEST, stock=2))
    assert system.heard.count("begin") == 4
    assert system.heard.count("request") == 3


def test_skip_is_remembered_with_what_rests_on_it() -> None:
    """A remembered world ends where the system skipped, as one that is sent does."""
    plain, remembering = Counting(None), Counting(WorldMemory())
    worlds = (world(REQUEST, STOP, TICK), world(REQUEST, STOP, TICK), world(REQUEST, STOP, TICK, TICK))
    assert sent(remembering, *worlds) == sent(plain, *worlds)
    assert remembering.heard == ["begin", "request", "worker-stop", "end"]


def test_system_without_a_memory_is_asked_each_time() -> None:
    """A model, or an engine that runs in real time, repeats nothing from memory."""
    system = Counting(None)
    sent(system, world(REQUEST), world(REQUEST))
    assert system.heard.count("request") == 2


def test_broken_world_is_not_remembered() -> None:
    """Only a world that ended is kept."""

    class Breaking(Counting):
        def end(self) -> None:
            """The first world breaks at its end."""
            super().end()
            if self.heard.count("end") == 1:
                raise RuntimeError("broken")

    system = Breaking(WorldMemory())
    for _ in range(3):
        try:
            send_world("a/b", world(REQUEST), system)
        except RuntimeError:
            continue
    assert system.heard.count("begin") == 2
