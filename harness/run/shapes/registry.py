"""Which function names the shapes of which template."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache

from harness.contract.shapes import Row
from harness.run.facts import Facts
from harness.run.pilot import Shape
from harness.run.plan import Impossible

Namer = Callable[[Facts, Row | None], Iterator[Shape | Impossible]]

_NAMERS: dict[str, Namer] = {}


def shapes(*templates: str) -> Callable[[Namer], Namer]:
    """Marks the function that names the shapes of these templates."""

    def mark(namer: Namer) -> Namer:
        for template in templates:
            if template in _NAMERS:
                raise ValueError(f"two functions name the shapes of {template}")
            _NAMERS[template] = namer
        return namer

    return mark


def shapes_of(template: str) -> Namer | None:
    """The function that names the shapes of a template, None where there is none yet."""
    _load()
    return _NAMERS.get(template)


@cache
def _load() -> None:
    package = importlib.import_module("harness.run.shapes")
    for module in sorted(each.name for each in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"harness.run.shapes.{module}")
