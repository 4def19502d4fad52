"""Shipped pools with their runs recorded once, and recordings with a row changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from harness import workspace
from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.intake import expand_validated, validate_files
from harness.kits import kit_of
from harness.run.pilot import DEFAULT_LIMITS
from harness.run.plan import Plan
from harness.run.recording import LogRow, Recording, WorldDrafts, WorldRun
from harness.run.sending import send_world
from harness.run.system import System
from harness.verdict.clauses import ClauseVerdict

ROOT = Path(__file__).resolve().parents[3]
POOLS = tuple(each.name.split(".")[0] for each in workspace.adoption_files("fifo-pool"))
KEYED_POOLS = tuple(each.name.split(".")[0] for each in workspace.adoption_files("keyed-pool"))
SUPERVISORS = tuple(each.name.split(".")[0] for each in workspace.adoption_files("fixed-supervisor"))
Change = Callable[[LogRow], tuple[LogRow, ...]]


class Pool:
    """One shipped adoption: its scenarios by template, and each sound recording once."""

    def __init__(self, name: str) -> None:
        intake = validate_files([str(ROOT / "adoptions" / "pools" / f"{name}.adoption.yaml")])[0]
        expansion = expand_validated(intake)
        assert expansion is not None, intake.findings
        kit = kit_of(expansion.adoption.contract)
        assert kit is not None
        self.bound = kit.bind(expansion.adoption, DEFAULT_LIMITS, kit.models[0])
        self.scenarios: dict[str, Scenario] = {each.template: each for each in expansion.scenarios}
        self._systems: dict[str | None, System] = {}
        self._sound: dict[str, tuple[WorldDrafts, ...]] = {}
        self._broken: dict[tuple[str, str], tuple[int, ...]] = {}

    def plan(self, template: str) -> Plan:
        """The template's plan."""
        return self.bound.plan(self.scenarios[template])

    def record(self, template: str, plan: Plan, invert: str | None = None) -> Recording:
        """A plan's recording, on the sound model or with an inversion."""
        return self.bound.record(self.scenarios[template].id, plan, self._system(invert))

    def _system(self, invert: str | None) -> System:
        if invert not in self._systems:
            self._systems[invert] = self.bound.system(invert)
        return self._systems[invert]

    def judge(self, template: str, recording: Recording, plan: Plan | None = None) -> tuple[ClauseVerdict, ...]:
        """The verdicts of the template's clauses."""
        return self.bound.judge(self.scenarios[template], plan or Plan(), recording).clauses

    def broken(self, template: str, inversion: str) -> tuple[int, ...]:
        """The clauses of the template that the pool violates under a breach; no judgment fails over what it left.

        Only the worlds that came out otherwise are judged: every judgment of a pool looks at one world at a time, and
        on the sound model nothing is violated.
        """
        if (template, inversion) not in self._broken:
            self._broken[template, inversion] = tuple(self._violated(template, inversion))
        return self._broken[template, inversion]

    def _violated(self, template: str, inversion: str) -> Iterator[int]:
        scenario, plan, system = self.scenarios[template], self.plan(template), self._system(inversion)
        if template not in self._sound:
            self._sound[template] = self._sent(template, plan, self._system(None))
        sent = self._sent(template, plan, system)
        worlds = enumerate(zip(self._sound[template], sent, strict=True))
        changed = frozenset(at for at, (sound, found) in worlds if found != sound)
        recording = self.bound.recorded(scenario.id, sent, system.observes, changed)
        for each in self.bound.judge(scenario, plan, recording).clauses if changed else ():
            assert each.verdict is not Verdict.ERROR, each.reason
            if each.verdict is Verdict.VIOLATED:
                yield each.index

    def _sent(self, template: str, plan: Plan, system: System) -> tuple[WorldDrafts, ...]:
        return tuple(send_world(self.scenarios[template].id, each, system) for each in plan.worlds)

    def worlds(self, template: str) -> Iterator[Recording]:
        """The sound recordings of the template's worlds, one world each."""
        for world in self.plan(template).worlds:
            yield self.record(template, Plan((world,)))


@cache
def pool(name: str) -> Pool:
    """The shipped adoption of that name."""
    return Pool(name)


def changed(recording: Recording, row: LogRow, change: Change) -> Recording:
    """The recording with other rows in the place of one."""
    pos = 0
    rows: list[LogRow] = []
    worlds: list[WorldRun] = []
    for world in recording.worlds:
        sent = []
        for each in world.sent:
            own = tuple(new for old in each.rows for new in (change(old) if old is row else (old,)))
            own = tuple(replace(new, pos=pos + place) for place, new in enumerate(own))
            pos += len(own)
            rows += own
            sent.append(replace(each, rows=own))
        worlds.append(replace(world, sent=tuple(sent)))
    return Recording(recording.scenario, tuple(worlds), tuple(rows), recording.observes)


def matching(recording: Recording, log: str, where: Mapping[str, Any]) -> Iterator[LogRow]:
    """The rows of a log whose columns have these values; a function as a value tells which ones do."""
    for row in recording.rows:
        if row.log == log and all(
            value(row[name]) if callable(value) else row[name] == value for name, value in where.items()
        ):
            yield row


def drop(row: LogRow) -> tuple[LogRow, ...]:
    """The row is not there."""
    return ()


def double(row: LogRow) -> tuple[LogRow, ...]:
    """The row is there twice."""
    return (row, row)


def put(**values: Any) -> Change:
    """Other values in some columns; a function as a value makes the new one of the old one."""

    def change(row: LogRow) -> tuple[LogRow, ...]:
        new = {
            name.replace("_", "-"): value(row[name.replace("_", "-")]) if callable(value) else value
            for name, value in values.items()
        }
        return (replace(row, data={**row.data, **new}),)

    return change


def beside(log: str, **values: Any) -> Change:
    """One more row of another log behind it."""

    def change(row: LogRow) -> tuple[LogRow, ...]:
        data = {name.replace("_", "-"): value for name, value in values.items()}
        return (row, replace(row, log=log, data=data))

    return change
