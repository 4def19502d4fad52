"""What the walks of every law are held to: each inversion is named where it is said to be."""

from __future__ import annotations

from collections.abc import Mapping

from harness.models.explorer import Bounds
from harness.models.pools.inverting import PoolInversion
from harness.models.pools.law import PoolLaw

COLD_DEPTH = 4
"""How deep a walk goes that begins before the first letter; what lies deeper is told with the way to it."""


def check_caught(
    law: PoolLaw, broken: PoolInversion, first_caught: Mapping[str, int], break_their_start: Mapping[str, int]
) -> None:
    """A breach is named by its violation at the depth that a table says, and not before; at the first letter in none.

    One that breaks the way to its walk's start is walked from the very beginning, to as many letters.
    """
    walk, own = law.walks[broken.model], break_their_start.get(broken.name)
    depth = own or first_caught.get(broken.name, 1)
    start, found = law.explore(walk, Bounds(min(depth, COLD_DEPTH) if own else depth, 1_000_000), True, broken.turn)
    (named,) = [each for each in found.violations if each.name == broken.violation]
    assert (start, len(named.letters)) == (() if own else walk.start, depth)
    assert law.violations[broken.violation] in broken.claims
