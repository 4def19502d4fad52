"""Numbers that are too large to walk become the smallest that show the same shapes, and each change is said."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.models.lifecycle.config import Number, Phase
from harness.run.reduction import TICKS_MAX, reduce_numbers
from tests.models.lifecycle._configs import config, failure, pool, progress, reversal, rounding


def test_walkable_numbers_stay_as_they_are() -> None:
    """A configuration whose numbers can be walked is used unchanged, and nothing is said."""
    bakery = config()
    assert reduce_numbers(bakery) == (bakery, ())


def test_limits_and_places_become_small() -> None:
    """A queue of ten thousand is walked as one of two, many places as three."""
    large = pool(working=100, waiting=10_000, places=tuple("abcdef"))
    smaller, notes = reduce_numbers(config(pools=(large,)))
    assert smaller.pools == (large._replace(working=2, waiting=2, places=("a", "b", "c")),)
    assert notes == (
        "the working limit 100 of ovens is walked as 2",
        "the waiting limit 10000 of ovens is walked as 2",
        "the 6 places of ovens are walked as the first 3",
    )


def test_limits_that_show_their_own_shape_stay() -> None:
    """No limit, and a limit of none, are shapes of their own."""
    small = pool(working=0, waiting=None)
    assert reduce_numbers(config(pools=(small,)))[0].pools == (small,)


@pytest.mark.parametrize(
    ("work", "per_tick"),
    [(3600, 1), (3600, Fraction(1, 3)), (1, Fraction(1, 100)), (7, Fraction(1, 1000)), (99, "speed")],
)
def test_long_work_becomes_a_few_ticks(work: int, per_tick: Number | str) -> None:
    """However long the work and however small its step, a walk passes its points in a few ticks."""
    phase, notes = _reduced(Phase("baking", work, per_tick))
    step = 1 if isinstance(phase.per_tick, str) else phase.per_tick
    assert isinstance(phase.work, int)
    assert 1 <= phase.work / Fraction(step) <= TICKS_MAX
    assert notes


def _reduced(phase: Phase) -> tuple[Phase, tuple[str, ...]]:
    smaller, notes = reduce_numbers(config(phases=(phase,)))
    return smaller.phases[0], notes


def test_work_that_a_request_names_stays() -> None:
    """Work given by a request field is chosen when the request is made."""
    phase = Phase("baking", "minutes", 1)
    assert _reduced(phase) == (phase, ())


def test_amounts_of_work_shrink_with_the_required_work() -> None:
    """A loss of work and an initial share keep their part of the whole."""
    rules = progress(
        phases=(Phase("baking", 400, 1),),
        failures=(failure("spill", "working", loses_work=100),),
        roundings=(rounding(initial=200),),
    )
    smaller, _ = reduce_numbers(rules)
    assert smaller.phases[0].work == 4
    assert smaller.failures[0].loses_work == 1
    assert smaller.roundings[0].initial_work == 2


def test_reversal_follows_the_work_of_a_tick() -> None:
    """Where a tick's work is walked larger, so is what a tick takes back; a long delay becomes short."""
    rules = config(phases=(Phase("baking", 1, Fraction(1, 100)),), reversals=(reversal(Fraction(1, 50), after=60),))
    smaller, notes = reduce_numbers(rules)
    assert smaller.phases[0].per_tick == Fraction(1, 4)
    assert smaller.reversals[0] == reversal(Fraction(1, 2), after=2)
    assert notes[-1] == "the delay of 60 ticks of cooling is walked as 2"
