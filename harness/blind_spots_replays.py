"""Part of `blind_spots.py`: an inversion's run on a scenario, recorded once and judged with any of its logs visible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.intake import expand_validated, validate_files
from harness.kits.jobs import KIT
from harness.kits.jobs_bound import BoundJobs
from harness.kits.kit import AUTO
from harness.models.inversions.registry import Inversion
from harness.run.derive import DERIVED
from harness.run.pilot import DEFAULT_LIMITS
from harness.run.plan import Plan
from harness.run.recording import FIXED_LOGS, LogRow, Recording
from harness.run.system import SYSTEM_LOGS, Answer, System
from harness.verdict.blindness import OWED
from harness.verdict.clauses import JOBS
from harness.verdict.evidence import Evidence
from harness.verdict.judging import Judged, evidence_of
from harness.verdict.parts import Declared, Violated

Logs: TypeAlias = frozenset[str]

#: What a driver may leave out.
OPTIONAL: Logs = SYSTEM_LOGS - {OWED}
#: The report-log tells the states where this one is not supplied.
_STOOD_IN_FOR: Logs = frozenset({"state-trace"})
#: What drivers with few logs leave out: all but the fixed ones, and all of them.
MOST: tuple[Logs, ...] = (OPTIONAL - frozenset(FIXED_LOGS), OPTIONAL)
#: What something is derived from.
_NEEDED: Logs = frozenset(need for needs in DERIVED.values() for need in needs)


class Witness(NamedTuple):
    """The run that shows an entry of the table."""

    scenario: str
    inversion: str


class Tape:
    """A system whose answers are kept, so that the same run can be shown again with less to see."""

    memory = None

    def __init__(self, system: System) -> None:
        self._system = system
        self._answers: list[Answer] = []
        self.observes = system.observes

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A fresh world of the system."""
        self._system.begin(scenario, world)

    def send(self, event: Mapping[str, Any]) -> Answer:
        """The system's answer, kept."""
        self._answers.append(self._system.send(event))
        return self._answers[-1]

    def end(self) -> None:
        """The end of the system's world."""
        self._system.end()

    def shown(self, logs: Logs) -> System:
        """The kept answers as a system that writes these logs only."""
        return _Shown(self._answers, logs)


class _Shown:
    memory = None

    def __init__(self, answers: Sequence[Answer], logs: Logs) -> None:
        self._answers = iter(answers)
        self.observes = logs

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        pass

    def send(self, event: Mapping[str, Any]) -> Answer:
        answer = next(self._answers)
        return answer._replace(drafts=tuple(each for each in answer.drafts if each.log in self.observes))

    def end(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class SoundRun:
    """A scenario on the sound model; `may_change` tells of an inversion's name whether it can leave another run."""

    scenario: Scenario
    plan: Plan
    judged: Judged
    may_change: Callable[[str], bool]


class Way(NamedTuple):
    """How a judgment comes to its first breach.

    The logs looked at, those it can do without, the log of the breach, and its words where logs were asked for whether
    they are there. `without` has the verdicts where logs are missing from which it turns to others, or most of them:
    two breaches that are alike so far may differ there.
    """

    looked: Logs
    spared: Logs
    log: str | None
    told: str | None
    without: tuple[Verdict, ...]


def singles(logs: Logs) -> tuple[Logs, ...]:
    """Each of the logs as a set of its own, in alphabetical order."""
    return tuple(frozenset((each,)) for each in sorted(logs))


class _Asked(frozenset[str]):
    """The logs that are supplied, with a note of those that were asked for."""

    def __init__(self, logs: Iterable[str]) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def __contains__(self, log: object) -> bool:
        self.asked.add(str(log))
        return super().__contains__(log)

    def issuperset(self, logs: Iterable[object]) -> bool:
        """Whether all of these are supplied."""
        wanted = set(logs)
        return {log for log in wanted if log in self} == wanted


class Replays:
    """One adoption, its scenarios run on the sound model, and what inversions make of them."""

    def __init__(self, path: str) -> None:
        (intake,) = validate_files([path])
        expansion = expand_validated(intake)
        if expansion is None:
            raise ValueError(f"{path} cannot be used")
        self.bound = BoundJobs(expansion.adoption, KIT.logs, DEFAULT_LIMITS, KIT.model_of(AUTO))
        self._watch = self.bound.watch()
        self.sound = tuple(self._sound_run(each) for each in expansion.scenarios)

    def _sound_run(self, scenario: Scenario) -> SoundRun:
        plan, may_change = self.bound.plan(scenario), self._watch.noting()
        recording = self.bound.record(scenario.id, plan, self._watch.system)
        return SoundRun(scenario, plan, self.bound.judge(scenario, plan, recording), may_change)

    def replay(self, sound: SoundRun, inversion: str) -> Replay:
        """One of the scenarios under an inversion."""
        return Replay(self.bound, sound, inversion, self._watch.inverted(inversion))

    def under(self, inversion: Inversion) -> Iterator[Replay]:
        """Every scenario that runs otherwise under the inversion."""
        system = self._watch.inverted(inversion.name)
        for sound in self.sound:
            if sound.may_change(inversion.name):
                replay = Replay(self.bound, sound, inversion.name, system)
                if replay.recording.rows != sound.judged.recording.rows:
                    yield replay


class Replay:
    """One scenario under one inversion, to be judged with any logs visible."""

    def __init__(self, bound: BoundJobs, sound: SoundRun, inversion: str, system: System) -> None:
        self._bound = bound
        self._sound = sound
        self._tape = Tape(system)
        self._seen: dict[Logs, Evidence] = {}
        self.template = sound.scenario.template
        self.witness = Witness(sound.scenario.id, inversion)
        self.recording = bound.record(sound.scenario.id, sound.plan, self._tape)
        self._recordings = {OPTIONAL: self.recording}
        self.with_rows: Logs = frozenset(each.log for each in self.recording.rows) & OPTIONAL

    def kills(self) -> tuple[int, ...]:
        """The clauses that are violated with all logs visible, and not on the sound model."""
        sound = (each for each in self._sound.judged.clauses if each.verdict is not Verdict.VIOLATED)
        return tuple(each.index for each in sound if self.verdict(each.index, OPTIONAL) is Verdict.VIOLATED)

    def verdict(self, index: int, visible: Logs) -> Verdict:
        """The verdict on a clause with the report-log and these logs visible, by its judgment alone."""
        return JOBS.judge(self._evidence(visible), self.template, index, self._sound.plan).verdict

    def way(self, index: int) -> Way:
        """How the judgment comes to its first breach with all logs visible."""
        whole = self._evidence(OPTIONAL)
        asked = _Asked(whole.recording.observes)
        evidence = replace(whole.renewed(), recording=replace(whole.recording, observes=asked))
        judgment = JOBS.judgment_for(self.template, index)
        parts = judgment(evidence) if judgment is not None else ()
        breach = next((each for each in parts if isinstance(each, Violated)), None)
        first = breach.evidence[0] if breach is not None else None
        log = None if first is None or isinstance(first, Declared) else first.log
        asked_for = looks(asked.asked)
        told = breach.because if breach is not None and asked_for else None
        looked = looks(evidence.touched)
        spared = asked_for | (looked & _STOOD_IN_FOR)
        missing = (*singles(spared), spared, *MOST)
        without = tuple(self.verdict(index, OPTIONAL - each) for each in dict.fromkeys(missing) if each)
        return Way(looked, spared, log, told, without)

    def _evidence(self, visible: Logs) -> Evidence:
        if visible not in self._seen:
            recording = narrowed(self._derived(visible | (OPTIONAL - _NEEDED)), OPTIONAL - visible)
            self._seen[visible] = evidence_of(self._bound.facts, self._sound.scenario, recording)
        return self._seen[visible]

    def _derived(self, visible: Logs) -> Recording:
        """The recording with what can be derived from these logs."""
        if visible not in self._recordings:
            shown = self._tape.shown(visible | {OWED})
            self._recordings[visible] = self._bound.record(self._sound.scenario.id, self._sound.plan, shown)
        return self._recordings[visible]


def narrowed(recording: Recording, hidden: Logs) -> Recording:
    """The recording as it is without these logs, from which nothing is derived."""
    if not hidden:
        return recording

    def left(rows: tuple[LogRow, ...]) -> tuple[LogRow, ...]:
        return tuple(each for each in rows if each.log not in hidden)

    worlds = tuple(
        replace(each, sent=tuple(replace(one, rows=left(one.rows)) for one in each.sent), opening=left(each.opening))
        for each in recording.worlds
    )
    return replace(recording, worlds=worlds, rows=left(recording.rows), observes=recording.observes - hidden)


def looks(touched: Iterable[str]) -> Logs:
    """The logs behind these that a driver may leave out."""
    return frozenset(need for log in touched for need in DERIVED.get(log, (log,))) & OPTIONAL
