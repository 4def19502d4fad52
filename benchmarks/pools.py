"""`python -m benchmarks.pools`: how fast pool laws are walked, and a small pool on the same explorer beside them.

Times are of this machine and one core: compare ratios. Memory is what Python allocated at its peak, in another run.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from benchmarks.small_pool import Limits, closure
from harness.models.explorer import Bounds
from harness.models.pools.fifo.exploring import explore
from harness.models.pools.fifo.walks import WALKS

Line = tuple[str, ...]
T = TypeVar("T")
SMALL = {"8,810 states": Limits(1, 3, 4), "19,669 states": Limits(2, 3, 4), "c45": Limits(2, 4, 5)}
STATES_MAX = 10_000_000


def laws(depth_prefixes: int, depth_states: int) -> Iterator[Line]:
    """Each published walk: by prefixes with all audits and the oracle, and by states."""
    for name, walk in WALKS.items():
        for count, depth in (("prefixes", depth_prefixes), ("states", depth_states)):
            bounds = Bounds(depth, STATES_MAX)
            seconds, (_, found) = timed(partial(explore, walk, bounds, count == "states"))
            said = f"{found.prefixes:,}" if count == "prefixes" else "-"
            rate = f"{found.edges / seconds:,.0f}"
            yield f"{name} {count} to depth {depth}", said, f"{found.states:,}", rate, f"{seconds:.2f}"


def small(names: Sequence[str]) -> Iterator[Line]:
    """The small pool, closed: states, transitions and time, and the memory of a million states."""
    for name in names:
        limits = SMALL[name]
        seconds, (states, transitions) = timed(partial(closure, limits))
        tracemalloc.start()
        closure(limits)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        per_million = f"{peak / states:.0f}"
        yield name, f"{states:,}", f"{transitions:,}", f"{states / seconds:,.0f}", per_million, f"{seconds:.2f}"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of this process's own time that some work took, and its result."""
    gc.collect()
    gc.disable()  # a walk makes no cycles, and the collector would look through all its states again and again
    try:
        start = time.process_time()
        result = work()
        return max(time.process_time() - start, 1e-9), result
    finally:
        gc.enable()


def show(title: str, heads: Line, lines: Iterator[Line]) -> None:
    """A table with columns as wide as they must be."""
    table = [heads, *lines]
    widths = [max(len(each[place]) for each in table) for place in range(len(heads))]
    print(title)
    for each in table:
        print("  ".join(text.ljust(width) for text, width in zip(each, widths, strict=True)).rstrip())
    print()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables; `--quick` walks a little, to show that it works."""
    parser = argparse.ArgumentParser(prog="benchmarks.pools", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="walk a little only")
    quick = parser.parse_args(arguments).quick
    heads = ("walk", "prefixes", "states", "transitions/s", "s")
    show("pool laws", heads, laws(2, 3) if quick else laws(4, 8))
    small_heads = ("closure", "states", "transitions", "states/s", "MB per million states", "s")
    show("small pool", small_heads, small(list(SMALL)[:1] if quick else list(SMALL)))


if __name__ == "__main__":
    main()
