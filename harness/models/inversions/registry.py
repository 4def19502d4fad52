"""The list of inversions: how one is declared, and under which answers it can be seen at all."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from harness.models.lifecycle.config import Config
from harness.models.lifecycle.handlers import Handlers


class Condition(NamedTuple):
    """What an adoption must have for a breach to be seen; `otherwise` says what hides it where it has not."""

    holds: Callable[[Config], bool]
    otherwise: str


class Inversion(NamedTuple):
    """One breach: its name, the step of the lifecycle it breaks, what it does in a sentence, the class that does it.

    `breaks` are the clauses (template, index) that its story is about, `faults` the ids of real systems' faults that
    it restates.
    """

    name: str
    step: int
    breach: str
    turn: type[Handlers]
    breaks: tuple[tuple[str, int], ...]
    needs: tuple[Condition, ...]
    faults: tuple[str, ...]

    def hidden_by(self, config: Config) -> str | None:
        """Which answer of an adoption hides the breach; None where it must be seen."""
        return next((each.otherwise for each in self.needs if not each.holds(config)), None)

    @property
    def replaced(self) -> tuple[str, ...]:
        """The methods that the inversion replaces: where none of them is called, nothing differs."""
        own = {name for base in self.turn.__mro__ if base not in Handlers.__mro__ for name in vars(base)}
        return tuple(sorted(name for name in own if hasattr(Handlers, name) and not name.startswith("__")))


_INVERSIONS: dict[str, Inversion] = {}


def inversion(
    step: int,
    breach: str,
    breaks: tuple[tuple[str, int], ...],
    needs: tuple[Condition, ...] = (),
    faults: tuple[str, ...] = (),
) -> Callable[[type[Handlers]], type[Handlers]]:
    """Registers a subclass of the handlers as an inversion; its name is the class's, in kebab-case."""

    def register(turn: type[Handlers]) -> type[Handlers]:
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", turn.__name__).lower()
        if name in _INVERSIONS:
            raise ValueError(f"two inversions are named {name}")
        _INVERSIONS[name] = Inversion(name, step, breach, turn, breaks, needs, faults)
        return turn

    return register


@cache
def inversions() -> tuple[Inversion, ...]:
    """Every inversion of the lifecycle, by step and name."""
    package = importlib.import_module("harness.models.inversions")
    for module in sorted(each.name for each in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"harness.models.inversions.{module}")
    return tuple(sorted(_INVERSIONS.values(), key=lambda each: (each.step, each.name)))


def inversion_named(name: str) -> Inversion | None:
    """The inversion of that name, None where there is none."""
    return next((each for each in inversions() if each.name == name), None)
