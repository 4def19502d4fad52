"""The kill matrix: which inversion of the built-in model is caught by which clause, under which adoption.

Each scenario is planned and run once on the sound model, while its kit watches what acts (`Bound.watch`). Only the
scenarios that an inversion may change are run again. `everything` runs all of them, which the tests use to check that
the others stay the same.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, validate_files
from harness.kits.kit import Inversion, Kit
from harness.run.plan import Plan
from harness.run.recording import LogRow
from harness.runner import AdoptionRunner
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.judging import Judged
from harness.verdict.parts import Absence, exhibit_json

KILLED = "killed"
HIDDEN = "hidden"
SURVIVED = "survived"

#: So many tasks at least for each worker, so that none waits long for the last one.
TASKS_PER_WORKER = 4


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
    """A scenario on the sound model; `may_change` tells of an inversion whether it can make another run of it."""

    scenario: Scenario
    plan: Plan
    judged: Judged
    may_change: Callable[[str], bool]


class AdoptionMatrix:
    """The inversions under one adoption."""

    def __init__(self, intake: Intake) -> None:
        self.runner = AdoptionRunner(intake)
        self._sound = tuple(self._sound_run(each) for each in self.runner.scenarios(Selection()))

    def _sound_run(self, scenario: Scenario) -> _Sound:
        watch, plan = self.runner.bound.watch(), self.runner.plan(scenario)
        return _Sound(scenario, plan, self.runner.judge_on(watch.system, scenario, plan), watch.may_change)

    def outcome(self, inversion: Inversion, everything: bool = False) -> Outcome:
        """Run the scenarios that the inversion can change, and say what caught it."""
        system = self.runner.bound.system(inversion.name)
        kills: list[Kill] = []
        differs = False
        for sound in self._sound:
            if not everything and not sound.may_change(inversion.name):
                continue
            recording = self.runner.bound.record(sound.scenario.id, sound.plan, system)
            if recording.rows != sound.judged.recording.rows:
                differs = True
                kills.extend(_kills(sound, self.runner.bound.judge(sound.scenario, sound.plan, recording)))
        hidden_by = None if kills else self.runner.bound.hidden_by(inversion.name)
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


def chosen_inversions(kit: Kit, names: Sequence[str] = ()) -> tuple[Inversion, ...]:
    """The inversions of a contract that are named, or all of them."""
    return tuple(each for each in kit.inversions() if not names or each.name in names)


def kill_matrix(paths: Sequence[str], chosen: Sequence[Inversion], workers: int = 1) -> tuple[Outcome, ...]:
    """Every inversion under every adoption: adoptions in the order given, inversions in theirs, for any `workers`."""
    names = tuple(each.name for each in chosen)
    if workers == 1 or not names:
        return tuple(each for path in paths for each in _outcomes(path, names))
    tasks = [(path, part) for path in paths for part in _parts(names, -(-TASKS_PER_WORKER * workers // len(paths)))]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        return tuple(each for part in pool.map(_outcomes, *zip(*tasks, strict=True)) for each in part)


def _parts(names: tuple[str, ...], count: int) -> Iterator[tuple[str, ...]]:
    """The names in at most so many parts, in order; each part runs the sound model anew, so there are few."""
    size = -(-len(names) // count)
    return (names[at : at + size] for at in range(0, len(names), size))


def _outcomes(path: str, names: tuple[str, ...]) -> tuple[Outcome, ...]:
    """One adoption's part of the matrix; a worker reads the file for itself."""
    matrix = AdoptionMatrix(validate_files([path])[0])
    return tuple(matrix.outcome(each) for each in chosen_inversions(matrix.runner.kit, names))
