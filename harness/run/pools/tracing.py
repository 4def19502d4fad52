"""Which rules of a pool have decided anything: a run in which none of an inversion's rules did is the same run."""

from __future__ import annotations

from typing import Any


def tracing(turn: type[Any], called: set[str]) -> type[Any]:
    """The same rules, noting the name of each that is looked up on one of its turns."""

    class Traced(turn):  # type: ignore[misc]  # the class is only known here
        """Rules that note which of them are used."""

        def __getattribute__(self, name: str) -> Any:
            called.add(name)
            return super().__getattribute__(name)

    return Traced


def replaced(turn: type[Any], sound: type[Any]) -> frozenset[str]:
    """The names of the rules that a breach has another version of."""
    own = turn.__mro__[: turn.__mro__.index(sound)]
    return frozenset(name for each in own for name in vars(each) if not name.startswith("__"))
