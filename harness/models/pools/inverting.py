"""How a breach of a pool law is declared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

Turn = TypeVar("Turn", bound=type[Any])


class PoolInversion(NamedTuple):
    """One breach: the claims it breaks, what it does, the violation that must name it, and the walk that shows it."""

    name: str
    claims: tuple[int, ...]
    breach: str
    violation: str
    model: str
    turn: type[Any]


class Inversions:
    """The breaches of one law, in the order of their declaration."""

    def __init__(self) -> None:
        self._by_name: dict[str, PoolInversion] = {}

    def __call__(self, claims: tuple[int, ...], breach: str, violation: str, model: str) -> Callable[[Turn], Turn]:
        """Declares a class of rules as an inversion; its name is the class's, in kebab-case."""

        def declare(turn: Turn) -> Turn:
            name = re.sub(r"(?<!^)(?=[A-Z])", "-", turn.__name__).lower()
            if name in self._by_name:
                raise ValueError(f"two inversions are named {name}")
            self._by_name[name] = PoolInversion(name, claims, breach, violation, model, turn)
            return turn

        return declare

    def all(self) -> tuple[PoolInversion, ...]:
        """Every inversion, by its first claim and its name."""
        return tuple(sorted(self._by_name.values(), key=lambda each: (each.claims[0], each.name)))

    def named(self, name: str) -> PoolInversion | None:
        """The inversion of that name, None where there is none."""
        return self._by_name.get(name)
