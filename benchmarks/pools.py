"""`python -m benchmarks.pools`: how fast pool laws are walked, and a small pool on the same explorer beside others.

Times are processor time of this machine: compare ratios, and only within one run. Memory is what Python allocated at
its peak, measured in another run.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from benchmarks.peers import measured, peers
from benchmarks.small_pool import Limits, bare_loop, closure
from harness.models.explorer import Bounds
from harness.models.pools.catalogue import LAWS
from harness.models.pools.law import PoolLaw

Line = tuple[str, ...]
T = TypeVar("T")
SMALL = {"8,810 states": Limits(1, 3, 4), "19,669 states": Limits(2, 3, 4), "c45": Limits(2, 4, 5)}
STATES_MAX = 10_000_000
EXPLORER = "this explorer"


def laws(depth_prefixes: int, depth_states: int) -> Iterator[Line]:
    """Each published walk: by prefixes with all audits and the oracle, and by states."""
    for law in LAWS:
        for name, walk in law.walks.items():
            for count, depth in (("prefixes", depth_prefixes), ("states", depth_states)):
                yield _law(f"{name} {count} to depth {depth}", law, walk, Bounds(depth, STATES_MAX), count == "states")


def _law(said: str, law: PoolLaw, walk: Any, bounds: Bounds, by_states: bool) -> Line:
    work = partial(law.explore, walk, bounds, by_states, law.rules)
    seconds, (_, found) = timed(work)
    prefixes = "-" if by_states else f"{found.prefixes:,}"
    rates = (f"{found.states / seconds:,.0f}", f"{found.edges / seconds:,.0f}")
    memory = f"{peak(work) / found.states:,.0f}" if by_states else "-"
    return said, prefixes, f"{found.states:,}", f"{found.edges:,}", *rates, memory, f"{seconds:.2f}"


def small(names: Sequence[str]) -> Iterator[Line]:
    """The small pool, closed: states, transitions and time, and the memory of a million states."""
    for name in names:
        work = partial(closure, SMALL[name])
        seconds, (states, transitions) = timed(work)
        rates = (f"{states / seconds:,.0f}", f"{transitions / seconds:,.0f}")
        yield name, f"{states:,}", f"{transitions:,}", *rates, f"{peak(work) / states:,.0f}", f"{seconds:.2f}"


def beside(name: str, rounds: int) -> Iterator[Line]:
    """The small pool in every checker there is: the best of some rounds in turn, in times of this explorer.

    ValueError where one counts other states.
    """
    limits = SMALL[name]
    there = [each for each in peers() if each.missing is None]
    works: dict[str, Callable[[], int]] = {
        "no explorer, a bare loop": lambda: bare_loop(limits)[0],
        EXPLORER: lambda: closure(limits)[0],
        **{each.name: partial(each.count, limits) for each in there},
    }
    best: dict[str, tuple[float, float]] = {}
    counted: set[int] = set()
    for _ in range(rounds):
        for checker, work in works.items():
            gc.collect()
            clock, used, states = measured(work)
            counted.add(states)
            best[checker] = min(best.get(checker, (used, clock)), (used, clock))
    if len(counted) != 1:
        raise ValueError(f"the checkers count {sorted(counted)} states")
    for checker, (used, clock) in best.items():
        yield checker, f"{counted.copy().pop():,}", f"{used:.2f}", f"{clock:.2f}", f"{used / best[EXPLORER][0]:.2f}"
    for each in peers():
        if each.missing is not None:
            yield each.name, "skipped", each.missing, "-", "-"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of this process's own time that some work took, and its result."""
    gc.collect()
    start = time.process_time()
    result = work()
    return max(time.process_time() - start, 1e-9), result


def peak(work: Callable[[], object]) -> int:
    """Bytes that Python held at the most beyond what it held before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def show(title: str, heads: Line, lines: Iterator[Line]) -> None:
    """A table with columns as wide as they must be."""
    table = [heads, *lines]
    widths = [max(len(each[place]) for each in table) for place in range(len(heads))]
    print(title)
    for each in table:
        print("  ".join(text.ljust(width) for text, width in zip(each, widths, strict=True)).rstrip())
    print(flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all tables; `--quick` walks a little, to show that it works."""
    parser = argparse.ArgumentParser(prog="benchmarks.pools", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="walk a little only")
    quick = parser.parse_args(arguments).quick
    rates = ("states/s", "transitions/s", "MB per million states", "s")
    heads: Line = ("walk", "prefixes", "states", "transitions", *rates)
    show("pool laws", heads, laws(2, 2) if quick else laws(4, 8))
    show("small pool", ("closure", "states", "transitions", *rates), small(list(SMALL)[:1] if quick else list(SMALL)))
    heads = ("checker", "states", "processor s", "clock s", f"times {EXPLORER}")
    show("small pool beside others", heads, beside(next(iter(SMALL)) if quick else "c45", 1 if quick else 3))


if __name__ == "__main__":
    main()
