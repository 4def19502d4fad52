"""The kill matrix: which inversion of the built-in model is caught by which clause, under which adoption.

Each scenario is planned and run once on the sound model, while its kit watches what acts (`Bound.watch`). Only the
worlds that an inversion may change are sent again, and only scenarios with a world that came out otherwise are judged
again. `everything` sends and judges all, from a system that knows nothing of the sound one: the tests use it to check
that the rest stays the same.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import Intake, validate_files
from harness.kits.kit import Inversion, Kit, MayChange
from harness.run.plan import Plan, PlannedWorld
from harness.run.recording import LogRow, WorldDrafts
from harness.run.sending import send_world
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


class _SoundWorld(NamedTuple):
    """A world of a plan, what the sound model made of it, and which inversions can make something else of it."""

    planned: PlannedWorld
    drafts: WorldDrafts
    may_change: MayChange


@dataclass(frozen=True, slots=True)
class _Sound:
    """A scenario on the sound model."""

    scenario: Scenario
    plan: Plan
    worlds: tuple[_SoundWorld, ...]
    judged: Judged


class AdoptionMatrix:
    """The inversions under one adoption."""

    def __init__(self, intake: Intake) -> None:
        self.runner = AdoptionRunner(intake)
        self._watch = self.runner.bound.watch()
        self._sound = tuple(self._sound_run(each) for each in self.runner.scenarios(Selection()))

    def _sound_run(self, scenario: Scenario) -> _Sound:
        bound, plan = self.runner.bound, self.runner.plan(scenario)
        worlds = tuple(self._sound_world(scenario.id, each) for each in plan.worlds)
        recording = bound.recorded(scenario.id, [each.drafts for each in worlds], self._watch.system.observes)
        return _Sound(scenario, plan, worlds, bound.judge(scenario, plan, recording))

    def _sound_world(self, scenario_id: str, planned: PlannedWorld) -> _SoundWorld:
        may_change = self._watch.noting()
        return _SoundWorld(planned, send_world(scenario_id, planned, self._watch.system), may_change)

    def outcome(self, inversion: Inversion, everything: bool = False) -> Outcome:
        """Send the worlds that the inversion can change, and say what caught it."""
        bound, name = self.runner.bound, inversion.name
        system = bound.system(name) if everything else self._watch.inverted(name)
        kills: list[Kill] = []
        differs = False
        for sound in self._sound:
            worlds = tuple(
                send_world(sound.scenario.id, each.planned, system)
                if everything or each.may_change(name)
                else each.drafts
                for each in sound.worlds
            )
            changed = frozenset(
                at for at, (each, world) in enumerate(zip(sound.worlds, worlds, strict=True)) if each.drafts != world
            )
            if changed:
                differs = True
                again = None if everything else changed
                recording = bound.recorded(sound.scenario.id, worlds, system.observes, again)
                kills.extend(_kills(sound, bound.judge(sound.scenario, sound.plan, recording)))
        hidden_by = None if kills else bound.hidden_by(name)
        outcome = KILLED if kills else HIDDEN if hidden_by is not None else SURVIVED
        return Outcome(name, self.runner.adoption.instance, outcome, tuple(kills), hidden_by, differs)


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
