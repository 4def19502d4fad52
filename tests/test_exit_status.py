"""Which exit status a call ends with."""

from __future__ import annotations

from itertools import permutations

import pytest

from harness.exit_status import ExitStatus, first_that_applies

ORDER = (70, 130, 4, 2, 1, 3, 6, 5, 0)


def test_order_covers_every_status() -> None:
    """No status is left out of the stated order."""
    assert sorted(ORDER) == sorted(ExitStatus)


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a, b in permutations(ORDER, 2) if ORDER.index(a) < ORDER.index(b)]
)
def test_first_that_applies_wins_in_the_stated_order(first: int, second: int) -> None:
    """Of two statuses the one that the order names first is the call's, however they are listed."""
    both = (ExitStatus(first), ExitStatus(second))
    assert first_that_applies(both) == first
    assert first_that_applies(reversed(both)) == first


def test_nothing_applying_is_ok() -> None:
    """Without any status the call is fine."""
    assert first_that_applies(()) == ExitStatus.OK
