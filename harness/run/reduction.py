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
    work, per_tick = _scales(config.phases, phases)
    smaller = config._replace(
        pools=pools,
        phases=phases,
        reversals=tuple(_reversal(each, per_tick, notes) for each in config.reversals),
        failures=tuple(each._replace(loses_work=_scaled(each.loses_work, work)) for each in config.failures),
        roundings=tuple(_rounding(each, work) for each in config.roundings),
    )
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
    if isinstance(phase.work, str):
        return phase
    # A request field that holds the work of a tick is given as 1.
    step = Fraction(1) if isinstance(phase.per_tick, str) else Fraction(phase.per_tick)
    if step <= 0 or phase.work / step <= TICKS_MAX:
        return phase
    work = max(1, int(-(-step * TICKS_SMALL // 1)))
    smaller = phase._replace(work=work)
    if phase.work != work:
        notes.append(f"the required work {phase.work} of {phase.id} is walked as {work}")
    if work / step > TICKS_MAX:
        smaller = smaller._replace(per_tick=Fraction(work, TICKS_SMALL))
        notes.append(f"the work of a tick {step} of {phase.id} is walked as {smaller.per_tick}")
    return smaller


def _scales(before: tuple[Phase, ...], after: tuple[Phase, ...]) -> tuple[Fraction, Fraction]:
    """By how much the required work and the work of a tick changed, in the first phase that did."""
    for old, new in zip(before, after, strict=True):
        if old != new:
            return _ratio(old.work, new.work), _ratio(old.per_tick, new.per_tick)
    return Fraction(1), Fraction(1)


def _ratio(old: Number | str, new: Number | str) -> Fraction:
    return Fraction(1) if isinstance(old, str) or isinstance(new, str) else Fraction(new) / Fraction(old)


def _scaled(value: Number, scale: Fraction) -> Number:
    return exact(Fraction(value) * scale)


def _reversal(rule: Reversal, per_tick: Fraction, notes: list[str]) -> Reversal:
    rule = rule._replace(per_tick=_scaled(rule.per_tick, per_tick))
    if rule.after <= TICKS_MAX:
        return rule
    notes.append(f"the delay of {rule.after} ticks of {rule.id} is walked as {LIMIT_SMALL}")
    return rule._replace(after=LIMIT_SMALL)


def _rounding(rule: Rounding, work: Fraction) -> Rounding:
    return rule._replace(initial_work=_scaled(rule.initial_work, work)) if rule.initial_work else rule
