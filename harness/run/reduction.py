"""Numbers that are too large to walk, made as small as still shows the same shapes.

A queue of ten thousand fills like a queue of two, and a job of an hour passes the same points as one of four ticks.
Whatever is made smaller is said, so that a verdict's reason can say it too.
"""

from __future__ import annotations

from fractions import Fraction

from harness.models.lifecycle.config import Config, Number, Phase, Pool, Reversal, Rounding, exact

LIMIT_MAX = 4
LIMIT_SMALL = 2
TICKS_MAX = 12
TICKS_SMALL = 4
PLACES_MAX = 3


def reduce_numbers(config: Config) -> tuple[Config, tuple[str, ...]]:
    """The configuration with walkable numbers, and a note on each number that was made smaller."""
    notes: list[str] = []
    pools = tuple(_pool(each, notes) for each in config.pools)
    phases = tuple(_phase(each, notes) for each in config.phases)
    reversals = tuple(_reversal(each, notes) for each in config.reversals)
    scale = _scale(config.phases, phases)
    failures = tuple(
        each._replace(loses_work=exact(Fraction(each.loses_work) * scale)) if each.loses_work else each
        for each in config.failures
    )
    roundings = tuple(_rounding(each, scale) for each in config.roundings)
    smaller = config._replace(pools=pools, phases=phases, reversals=reversals, failures=failures, roundings=roundings)
    return (smaller, tuple(notes)) if notes else (config, ())


def _pool(pool: Pool, notes: list[str]) -> Pool:
    working, waiting, places = pool.working, pool.waiting, pool.places
    if working > LIMIT_MAX:
        notes.append(f"the working limit {working} of {pool.id} is walked as {LIMIT_SMALL}")
        working = LIMIT_SMALL
    if waiting is not None and waiting > LIMIT_MAX:
        notes.append(f"the waiting limit {waiting} of {pool.id} is walked as {LIMIT_SMALL}")
        waiting = LIMIT_SMALL
    if len(places) > PLACES_MAX:
        notes.append(f"the {len(places)} places of {pool.id} are walked as the first {PLACES_MAX}")
        places = places[:PLACES_MAX]
    return pool._replace(working=working, waiting=waiting, places=places)


def _phase(phase: Phase, notes: list[str]) -> Phase:
    if isinstance(phase.work, str) or isinstance(phase.per_tick, str):
        return phase
    ticks = Fraction(phase.work) / Fraction(phase.per_tick)
    if ticks <= TICKS_MAX:
        return phase
    smaller = exact(max(Fraction(1), Fraction(phase.per_tick) * TICKS_SMALL))
    whole = int(smaller) if smaller.denominator == 1 else int(smaller) + 1
    notes.append(f"the required work {phase.work} of {phase.id} is walked as {whole}")
    return phase._replace(work=whole)


def _scale(before: tuple[Phase, ...], after: tuple[Phase, ...]) -> Fraction:
    """How much smaller the required work became, in the first phase that did."""
    for old, new in zip(before, after, strict=True):
        if isinstance(old.work, int) and isinstance(new.work, int) and old.work != new.work:
            return Fraction(new.work, old.work)
    return Fraction(1)


def _reversal(rule: Reversal, notes: list[str]) -> Reversal:
    if rule.after <= TICKS_MAX:
        return rule
    notes.append(f"the delay of {rule.after} ticks of {rule.id} is walked as {LIMIT_SMALL}")
    return rule._replace(after=LIMIT_SMALL)


def _rounding(rule: Rounding, scale: Fraction) -> Rounding:
    if not rule.initial_work or scale == 1:
        return rule
    scaled: Number = exact(Fraction(rule.initial_work) * scale)
    return rule._replace(initial_work=scaled)
