"""Every measurement in turn: start-up, adoptions, walks, growth, pipes. Times are of this machine: compare ratios."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from benchmarks.growing import settle_runs, write_adoption
from benchmarks.piping import piped, spared
from harness import workspace
from harness.intake import Intake, expand_validated, validate_files
from harness.kits.jobs import KIT
from harness.kits.jobs_bound import jobs_of
from harness.models.explorer import Bounds, Walk
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet
from harness.models.lifecycle.state import State
from harness.pipeline import RunOptions, RunOutcome, run_adoptions
from harness.run.facts import Facts
from harness.runner import AdoptionRunner

ROOT = Path(__file__).resolve().parent.parent
BAKERY = "bakery-oven"
RUNS_WALKED = 3
BEST_OF = 5

T = TypeVar("T")
P = ParamSpec("P")
Line = tuple[str, ...]


class Sizes(NamedTuple):
    """How much is measured: the adoptions, repeated starts, the bounds of walks, and the steps of growth."""

    paths: tuple[str, ...]
    repeats: int
    bounds: Bounds
    rows: tuple[int, ...]
    runs: tuple[int, ...]
    stock: tuple[int, ...]


def sizes(quick: bool) -> Sizes:
    """The sizes of a whole measurement, or of one that only shows that everything works."""
    paths = tuple(map(str, workspace.adoption_files(KIT.contract)))
    if quick:
        return Sizes(paths[:1], 1, Bounds(4, 100), (1,), (1,), (1,))
    return Sizes(paths, 7, Bounds(12, 4000), (1, 10, 50), (1, 10, 50, 200), (10, 1000, 100_000))


def timed(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> tuple[float, T]:
    """Seconds that some work took, and its result."""
    start = time.perf_counter()
    result = work(*given, **named)
    return time.perf_counter() - start, result


# -- the measurements ------------------------------------------------------------------------------------------------


def start_up(adoption: str, repeats: int) -> Iterator[Line]:
    """Whole processes: the median of some calls, and how often that of a bare interpreter."""
    calls = {
        "python -c pass": ("-c", "pass"),
        "--version": ("-m", "harness", "--version"),
        "validate": ("-m", "harness", "validate", adoption),
        "expand": ("-m", "harness", "expand", adoption),
    }
    medians = {name: statistics.median(_process_times(call, repeats)) for name, call in calls.items()}
    bare = medians["python -c pass"]
    for name, seconds in medians.items():
        yield name, _ms(seconds), f"{seconds / bare:.1f}"


def _process_times(arguments: Sequence[str], repeats: int) -> Iterator[float]:
    for _ in range(repeats):
        yield timed(subprocess.run, [sys.executable, *arguments], cwd=ROOT, capture_output=True, check=True)[0]


def adoptions(paths: Sequence[str]) -> Iterator[Line]:
    """Each adoption: to validate it, to expand it, to run it; scenarios a second."""
    for path in paths:
        reading, intakes = timed(validate_files, [path])
        expanding, _ = timed(expand_validated, intakes[0])
        running, outcome = timed(_run, intakes)
        count = len(outcome.adoptions[0].results)
        name = outcome.adoptions[0].instance or path
        yield name, _ms(reading), _ms(expanding), _ms(running), str(count), _rate(count, running)


def _run(intakes: Sequence[Intake]) -> RunOutcome:
    return run_adoptions(intakes, RunOptions(), lambda result: None)


def walks(paths: Sequence[str], bounds: Bounds) -> Iterator[Line]:
    """A breadth-first walk over each adoption's model: states and transitions a second."""
    for path in paths:
        facts = _facts(path)
        seconds, (states, transitions, limit) = timed(_walk, facts, bounds)
        ended = limit or "exhausted"
        rates = (_rate(states, seconds), _rate(transitions, seconds))
        yield facts.adoption.instance, str(states), str(transitions), ended, *rates


def _walk(facts: Facts, bounds: Bounds) -> tuple[int, int, str | None]:
    model, alphabet = facts.search_model, Alphabet(facts.config, facts.forms, RUNS_WALKED)
    state = model.initial(facts.world(eligible=True))
    for pool in facts.config.pools:
        state = model.step(state, e.OpenPool(pool.id)).state

    def enabled(at: State) -> Iterator[e.Event]:
        return alphabet.enabled(at, alphabet.kinds)

    walk = Walk(state, enabled, model.step, bounds)
    for _ in walk:
        pass
    return walk.states, walk.transitions, walk.limit


def growth_with_rows(counts: Sequence[int]) -> Iterator[Line]:
    """One adoption with more and more interruptions: each row brings scenarios of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            reading, intakes = timed(validate_files, [write_adoption(Path(folder), count)])
            running, outcome = timed(_run, intakes)
            scenarios = len(outcome.adoptions[0].results)
            yield str(count), _ms(reading), _ms(running), str(scenarios), _ms(running / scenarios)


def growth_with_runs(adoption: str, counts: Sequence[int]) -> Iterator[Line]:
    """The model with more and more runs in one world, and units for all of them."""
    facts = _facts(adoption)
    for count in counts:
        yield str(count), *_settled(facts, count, count)


def growth_with_stock(adoption: str, counts: Sequence[int]) -> Iterator[Line]:
    """The model with four runs in a world with units for more and more."""
    facts = _facts(adoption)
    for count in counts:
        yield str(count), *_settled(facts, 4, count)


def _settled(facts: Facts, runs: int, stock: int) -> Line:
    # So short a time is the best of several, or it is the machine's other work that is measured.
    seconds, events = min(timed(settle_runs, facts, runs, stock) for _ in range(BEST_OF))
    return str(events), f"{seconds / events * 1e6:.0f}"


def _facts(path: str) -> Facts:
    return jobs_of(AdoptionRunner(validate_files([path])[0]).bound).facts


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:.0f}"


# -- printing ----------------------------------------------------------------------------------------------------------


def show(title: str, heads: Sequence[str], lines: Iterator[Line]) -> None:
    """Print a table; each line as soon as it is measured."""
    print(f"\n{title}")
    print("  " + "  ".join(f"{head:>17}" for head in heads))
    for line in lines:
        print("  " + "  ".join(f"{cell:>17}" for cell in line), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print everything; `--quick` takes the smallest sizes of each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest sizes only")
    size = sizes(parser.parse_args(arguments).quick)
    bakery = next(each for each in size.paths if BAKERY in each)
    show("start-up of a process", ("call", "ms", "x bare python"), start_up(bakery, size.repeats))
    heads: tuple[str, ...] = ("adoption", "validate ms", "expand ms", "run ms", "scenarios", "scenarios/s")
    show("adoptions", heads, adoptions(size.paths))
    heads = ("model", "states", "transitions", "ended by", "states/s", "transitions/s")
    show(f"walks to depth {size.bounds.depth}", heads, walks(size.paths, size.bounds))
    heads = ("rows", "validate ms", "run ms", "scenarios", "ms a scenario")
    show("growth with rows", heads, growth_with_rows(size.rows))
    heads = ("runs", "events", "us an event")
    show("growth with runs", heads, growth_with_runs(bakery, size.runs))
    heads = ("stock for runs", "events", "us an event")
    show("growth with stock", heads, growth_with_stock(bakery, size.stock))
    heads = ("system", "events", "rows", "events/s", "rows/s")
    show("outside systems", heads, piped(bakery, size.repeats))
    heads = ("adoption", "events planned", "events sent", "ratio")
    show("beginnings that scenarios share", heads, map(spared, size.paths))
