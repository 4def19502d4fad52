"""The kill matrix: which inversion of the lifecycle is caught by which clause, under which adoption.

Each scenario is planned and run once on the sound model, with a note of every method that settled its events. An
inversion replaces some methods; where none of them was called the inverted run is the same run, step by step, because
the model is a function of what it calls. So only scenarios that call a replaced method are run again. `everything`
runs all of them, which the tests use to check that claim.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import wraps
from typing import Any

from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, validate_files
from harness.models.inversions.registry import Inversion, inversions
from harness.models.lifecycle.handlers import Handlers
from harness.pipeline import AdoptionRunner, turn_of
from harness.run.plan import Plan
from harness.run.recording import LogRow
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.judging import Judged
from harness.verdict.parts import Absence, exhibit_json

KILLED = "killed"
HIDDEN = "hidden"
SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Kill:
    """A clause that an inversion violates: the scenario, the clause's index, and the first row that contradicts it.

    `log` and `seq` are None where the evidence is a declaration, `seq` alone where a row is missing.
    """

    scenario: str
    template: str
    index: int
    log: str | None
    seq: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one inversion under one adoption; `differs` says whether any run left other rows."""

    inversion: str
    instance: str
    outcome: str
    killed_by: tuple[Kill, ...]
    hidden_by: str | None
    differs: bool


@dataclass(frozen=True, slots=True)
class _Sound:
    """A scenario on the sound model, with the methods that settled its events."""

    scenario: Scenario
    plan: Plan
    judged: Judged
    called: frozenset[str]


def tracing(called: set[str]) -> type[Handlers]:
    """The sound handlers, adding the name of each method of theirs that is called to `called`."""

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def note(*given: Any, **named: Any) -> Any:
            called.add(name)
            return function(*given, **named)

        return note

    members: dict[str, Any] = {}
    for base in reversed(Handlers.__mro__[:-1]):
        for name, value in vars(base).items():
            if callable(value) and not name.startswith("__") and not isinstance(value, type):
                members[name] = noted(name, getattr(Handlers, name))
    return type("Traced", (Handlers,), members)


class AdoptionMatrix:
    """The inversions under one adoption."""

    def __init__(self, intake: Intake) -> None:
        self.runner = AdoptionRunner(intake)
        self._sound = tuple(self._sound_run(each) for each in self.runner.scenarios(Selection()))

    def _sound_run(self, scenario: Scenario) -> _Sound:
        called: set[str] = set()
        plan = self.runner.plan(scenario)
        judged = self.runner.judge_on(self.runner.system(tracing(called)), scenario, plan)
        return _Sound(scenario, plan, judged, frozenset(called))

    def outcome(self, inversion: Inversion, everything: bool = False) -> Outcome:
        """Run the scenarios that the inversion can change, and say what caught it."""
        replaced = set(inversion.replaced)
        system = self.runner.system(inversion.turn)
        kills: list[Kill] = []
        differs = False
        for sound in self._sound:
            if not everything and replaced.isdisjoint(sound.called):
                continue
            judged = self.runner.judge_on(system, sound.scenario, sound.plan)
            if judged.recording.rows != sound.judged.recording.rows:
                differs = True
                kills.extend(_kills(sound, judged))
        hidden_by = None if kills else inversion.hidden_by(self.runner.facts.config)
        outcome = KILLED if kills else HIDDEN if hidden_by is not None else SURVIVED
        return Outcome(inversion.name, self.runner.adoption.instance, outcome, tuple(kills), hidden_by, differs)


def _kills(sound: _Sound, judged: Judged) -> Iterator[Kill]:
    for before, after in zip(sound.judged.clauses, judged.clauses, strict=True):
        if after.verdict is Verdict.VIOLATED and before.verdict is not Verdict.VIOLATED:
            yield _kill(sound.scenario, after)


def _kill(scenario: Scenario, verdict: ClauseVerdict) -> Kill:
    first = next(iter(verdict.evidence), None)
    log = None
    if isinstance(first, LogRow | Absence):
        log = str(exhibit_json(first, scenario.instance)["log"])
    seq = first.seq if isinstance(first, LogRow) else None
    return Kill(scenario.id, scenario.template, verdict.index, log, seq)


def chosen_inversions(names: Sequence[str] = ()) -> tuple[Inversion, ...]:
    """The named inversions, or all of them; UsageError for an unknown name."""
    if not names:
        return inversions()
    for name in names:
        turn_of(name)
    return tuple(each for each in inversions() if each.name in names)


def kill_matrix(paths: Sequence[str], chosen: Sequence[Inversion], workers: int = 1) -> tuple[Outcome, ...]:
    """Every inversion under every adoption: adoptions in the order given, inversions in theirs, for any `workers`."""
    names = tuple(each.name for each in chosen)
    if workers == 1 or len(paths) == 1:
        return tuple(each for path in paths for each in _outcomes(path, names))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        parts = pool.map(_outcomes, paths, [names] * len(paths))
        return tuple(each for part in parts for each in part)


def _outcomes(path: str, names: tuple[str, ...]) -> tuple[Outcome, ...]:
    """One adoption's part of the matrix; a worker reads the file for itself."""
    matrix = AdoptionMatrix(validate_files([path])[0])
    return tuple(matrix.outcome(each) for each in chosen_inversions(names))
