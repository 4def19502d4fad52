"""Clocks of a supervisor: a budget that several replacements are charged to at once, and delays by ordinal."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.supervisor.values import Denial
from harness.models.pools.timing import CLOCK_MAX, Budget

COUNT_MAX = 2**63 - 1
TIMINGS = ("immediate", "constant", "linear", "exponential")


class Timing(NamedTuple):
    """When a recovery is released: at once, or after `base` ticks, `base` times the ordinal, or doubled each time."""

    kind: str = "immediate"
    base: int = 0


class Charge(NamedTuple):
    """`replacements` were admitted at `at`."""

    at: int
    replacements: int


class Charged(NamedTuple):
    """The charges after one more, or why there is none."""

    charges: tuple[Charge, ...]
    denial: Denial | None


def charge(charges: tuple[Charge, ...], at: int, requested: int, budget: Budget) -> Charged:
    """One more charge, of all replacements of a recovery: forget what is older than the window, then see for room.

    The window is inclusive: a charge of exactly `window` ticks ago still counts. A clock that runs backwards prunes
    nothing.
    """
    if charges and at < charges[-1].at:
        return Charged(charges, Denial("clock-regressed", (charges[-1].at, at)))
    kept = tuple(each for each in charges if at - each.at <= budget.window)
    active = sum(each.replacements for each in kept)
    if active + requested > budget.restarts:
        return Charged(charges, Denial("restart-limit-reached", (active, requested, budget.restarts)))
    return Charged((*kept, Charge(at, requested)), None)


def next_ordinal(admitted: int) -> int | None:
    """The one-based ordinal after `admitted` recoveries of a role; None where the count has no more."""
    return admitted + 1 if admitted < COUNT_MAX else None


def delay(timing: Timing, ordinal: int) -> int | None:
    """Ticks until the release, None for at once; ValueError where they cannot be counted."""
    if timing.kind == "immediate":
        return None
    if timing.kind == "exponential" and ordinal > CLOCK_MAX.bit_length() + 1:
        raise ValueError("delay-overflow")
    factor = {"constant": 1, "linear": ordinal}.get(timing.kind) or 2 ** (ordinal - 1)
    ticks = timing.base * factor
    if ticks > CLOCK_MAX:
        raise ValueError("delay-overflow")
    return ticks


def latest(charges: tuple[Charge, ...]) -> int:
    """The latest time that the charges know of."""
    return charges[-1].at if charges else 0
