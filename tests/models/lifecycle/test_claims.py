"""The progress share: rounding, its ends, and what follows for claims."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.lifecycle.claims import rounded, share

MODES = ("up", "down", "nearest")
FRACTIONS = st.fractions(min_value=0, max_value=40, max_denominator=12)


@pytest.mark.parametrize(
    ("value", "up", "down", "nearest"),
    [
        (Fraction(0), 0, 0, 0),
        (Fraction(1, 3), 1, 0, 0),
        (Fraction(1, 2), 1, 0, 1),
        (Fraction(3, 2), 2, 1, 2),
        (Fraction(5, 3), 2, 1, 2),
        (2, 2, 2, 2),
    ],
)
def test_rounding_modes(value: Fraction | int, up: int, down: int, nearest: int) -> None:
    """Up, down and to the nearest, half up."""
    assert [rounded(value, mode) for mode in MODES] == [up, down, nearest]


@given(amount=st.integers(0, 50), required=FRACTIONS.filter(bool), mode=st.sampled_from(MODES))
@settings(max_examples=60, deadline=None)
def test_share_begins_at_none_and_ends_at_the_whole(amount: int, required: Fraction, mode: str) -> None:
    """No work has no share, the required work has all of it, whatever the rounding."""
    assert share(amount, 0, required, mode) == 0
    assert share(amount, required, required, mode) == amount
    assert share(amount, required + 1, required, mode) == amount


@given(
    amount=st.integers(0, 50),
    required=FRACTIONS.filter(bool),
    works=st.tuples(FRACTIONS, FRACTIONS),
    mode=st.sampled_from(MODES),
)
@settings(max_examples=100, deadline=None)
def test_share_never_falls_as_work_grows(
    amount: int, required: Fraction, works: tuple[Fraction, Fraction], mode: str
) -> None:
    """More work never needs fewer units, and no share is more than the whole or less than none."""
    less, more = sorted(works)
    assert 0 <= share(amount, less, required, mode) <= share(amount, more, required, mode) <= amount
