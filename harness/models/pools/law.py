"""What is common to pool laws: how a law stands in the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.models.explorer import Bounds
from harness.models.pools.inverting import Inversions
from harness.models.pools.walking import Walked


class PoolLaw(NamedTuple):
    """One law. `claims` are numbered from 1, `invariants` are (name, text), `violations` give the claim of each name.

    `explore(walk, bounds, by_states, turn)` gives the letters of the start and what the walk came to;
    `stepper(walk, turn)` takes letters one by one.
    """

    name: str
    claims: tuple[str, ...]
    invariants: tuple[tuple[str, str], ...]
    violations: Mapping[str, int]
    walks: Mapping[str, Any]
    inversions: Inversions
    rules: type[Any]
    explore: Callable[[Any, Bounds, bool, type[Any]], tuple[tuple[str, ...], Walked]]
    stepper: Callable[[Any, type[Any]], Any]
