"""Systems that are pure functions of where a world stands: what followed an event is kept, and told again.

A `Stepped` says where a world begins and what one event does to it. `RememberedSystem` sends each beginning that worlds
share once. `TwinSystem` is a broken version of a remembered system, which takes over every step that the breach has no
part in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from harness.run.memory import Answer, key_of


class Stepped(Protocol):
    """A system as a function; where a world stands is a value that can be compared."""

    @property
    def observes(self) -> frozenset[str]:
        """The logs that the system writes."""

    def start(self, world: Mapping[str, Any]) -> Any:
        """Where that world stands before any event."""

    def take(self, at: Any, event: Mapping[str, Any]) -> tuple[Answer, Any]:
        """What one event is answered, and where the world stands after it."""


class _Place:
    """Where a world stands, and the steps that were made from there, by event."""

    __slots__ = ("at", "followed")

    def __init__(self, at: Any) -> None:
        self.at = at
        self.followed: dict[str, _Step] = {}


class _Step(NamedTuple):
    """One event's answer, where it led, and the rules that decided it, by name."""

    answer: Answer
    place: _Place
    called: frozenset[str]


class RememberedSystem:
    """A stepped system behind the port of systems; a beginning that two worlds share is worked out once.

    `called` is a set that the system's rules note themselves in, where they do.
    """

    memory = None

    def __init__(self, stepped: Stepped, called: set[str] | None = None) -> None:
        self._stepped = stepped
        self._called: set[str] = set() if called is None else called
        self._begun: dict[str, _Step] = {}
        self._place: _Place | None = None
        self._acted: set[str] = set()

    @property
    def observes(self) -> frozenset[str]:
        """The logs of the stepped system."""
        return self._stepped.observes

    def noting(self, replaced: Mapping[str, frozenset[str]]) -> Callable[[str], bool]:
        """Begin to note which rules have a part in what is sent from here on, remembered or not.

        `replaced` are the rules that inversions have other versions of, by the inversion's name. What is returned says
        whether an inversion replaces one of those that were noted.
        """
        acted = self._acted = set[str]()
        return lambda name: name in replaced and not acted.isdisjoint(replaced[name])

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A world that nothing was sent into."""
        begun = self.first(world)
        self._acted |= begun.called
        self._place = begun.place

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event; ValueError before a world began."""
        place = _standing(self._place)
        key = key_of(event)
        step = place.followed.get(key)
        if step is None:
            self._called.clear()
            answer, at = self._stepped.take(place.at, event)
            step = place.followed[key] = _Step(answer, _Place(at), frozenset(self._called))
        self._acted |= step.called
        self._place = step.place
        return step.answer

    def end(self) -> None:
        """The world is over."""
        self._place = None

    def first(self, world: Mapping[str, Any]) -> _Step:
        """The beginning of a world, as a step that has no answer."""
        key = key_of(world)
        begun = self._begun.get(key)
        if begun is None:
            self._called.clear()
            at = self._stepped.start(world)
            begun = self._begun[key] = _Step(_NO_ANSWER, _Place(at), frozenset(self._called))
        return begun


class TwinSystem:
    """A broken version of a remembered system: `replaced` are the names of the rules that it has other versions of.

    A step is a function of where the world stands and of the rules that are called in it. So a step of the sound system
    in which no replaced rule was called is the broken one's step too; any other is made anew, and where it comes out
    the same both stand at the same place again.
    """

    memory = None

    def __init__(self, stepped: Stepped, sound: RememberedSystem, replaced: frozenset[str]) -> None:
        self._stepped = stepped
        self._sound = sound
        self._replaced = replaced
        self._made: dict[tuple[int, str], _Step] = {}
        self._begun: dict[str, _Place] = {}
        self._place: _Place | None = None

    @property
    def observes(self) -> frozenset[str]:
        """The logs of the stepped system."""
        return self._stepped.observes

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A world that nothing was sent into."""
        key = key_of(world)
        if key not in self._begun:
            begun = self._sound.first(world)
            if not begun.called.isdisjoint(self._replaced):
                begun = _joined(_NO_ANSWER, self._stepped.start(world), begun)
            self._begun[key] = begun.place
        self._place = self._begun[key]

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event; ValueError before a world began."""
        place = _standing(self._place)
        key = key_of(event)
        # the places are all kept, so that their ids stay theirs
        step = self._made.get((id(place), key))
        if step is None:
            step = place.followed.get(key)
            if step is None or not step.called.isdisjoint(self._replaced):
                step = _joined(*self._stepped.take(place.at, event), step)
            self._made[id(place), key] = step
        self._place = step.place
        return step.answer

    def end(self) -> None:
        """The world is over."""
        self._place = None


_NO_ANSWER = Answer("", None, ())


def _joined(answer: Answer, at: Any, sound: _Step | None) -> _Step:
    """A step of the broken system; the sound one where nothing about it differs."""
    if sound is not None and sound.answer == answer and sound.place.at == at:
        return sound
    return _Step(answer, _Place(at), frozenset())


def _standing(place: _Place | None) -> _Place:
    """Where a world stands; ValueError where none has begun."""
    if place is None:
        raise ValueError("an event was sent before a world began")
    return place
