"""Clocks of a pool: the budget of restarts over an inclusive window, and delays that may not overflow."""

from __future__ import annotations

from typing import NamedTuple

CLOCK_MAX = 2**63 - 1


class Budget(NamedTuple):
    """At most `restarts` within any `window` ticks, both ends counted."""

    restarts: int
    window: int


class Charged(NamedTuple):
    """The charges after one more, or the reason why there is none."""

    charges: tuple[int, ...]
    failure: str | None


def charge(charges: tuple[int, ...], at: int, budget: Budget) -> Charged:
    """One more restart at `at`: forget charges older than the window, then see whether there is room.

    Charges stay in the order of their times. A clock that runs backwards is a failure; the charges then stay.
    """
    if charges and at < charges[-1]:
        return Charged(charges, "clock-regressed")
    kept = tuple(each for each in charges if at - each <= budget.window)
    if len(kept) >= budget.restarts:
        return Charged(charges, "restart-budget-exhausted")
    return Charged((*kept, at), None)


def due(at: int, delay: int) -> int | None:
    """When a delay that begins at `at` is over; None where the clock has no such time."""
    when = at + delay
    return when if when <= CLOCK_MAX else None
