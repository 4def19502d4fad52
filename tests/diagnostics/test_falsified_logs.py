"""Falsifying any one of the named logs makes a clause violated: none of them is decoration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness import workspace
from harness.base.verdict import Verdict
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.logs import catalogue
from harness.run.recording import LogRow, Recording, Sent, WorldRun
from harness.runner import AdoptionRunner
from harness.verdict.judging import Judged

LOGS = tuple(catalogue(workspace.data_folder("diagnostics")))
# Between them these have a row in every log.
ADOPTIONS = (
    "bakery-oven",
    "openra-production",
    "ingnomia-workshop",
    "recoil-factory",
    "screeps-spawn",
    "cdda-crafting",
)
ROWS_TRIED = 12


@cache
def runner(name: str) -> AdoptionRunner:
    """One shipped adoption, ready to run."""
    (path,) = (workspace.data_folder("adoptions") / name).glob("*.yaml")
    return AdoptionRunner(validate_files([str(path)])[0])


@cache
def judged(name: str, log: str) -> tuple[Judged, ...]:
    """The adoption's scenarios that name the log, as the sound model runs them; those with rows in it."""
    asking = (each for each in runner(name).scenarios(Selection()) if log in each.logs)
    done = (runner(name).judge(each) for each in asking)
    return tuple(each for each in done if any(row.log == log for row in each.recording.rows))


def without(recording: Recording, gone: LogRow) -> Recording:
    """The recording with one row dropped."""
    return _rebuilt(recording, lambda row: () if row is gone else (row,))


def altered(recording: Recording, wrong: LogRow) -> Iterator[Recording]:
    """The recording with one column of one row changed to another value of its kind."""
    for column, value in wrong.data.items():
        for other in _others(value):
            changed = replace(wrong, data={**wrong.data, column: other})
            yield _rebuilt(recording, lambda row, new=changed: (new,) if row is wrong else (row,))


def _others(value: object) -> tuple[object, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1,)
    if isinstance(value, str):
        return (str(int(value) + 1) if value.isdigit() else "something-else",)
    return ([],) if value else ()


def _rebuilt(recording: Recording, change) -> Recording:  # type: ignore[no-untyped-def]  # a row to its replacements
    def rows(old: tuple[LogRow, ...]) -> tuple[LogRow, ...]:
        return tuple(new for row in old for new in change(row))

    worlds = tuple(
        WorldRun(
            world.number,
            world.world,
            world.shapes,
            tuple(Sent(s.event, s.outcome, s.reason, s.moment_before, rows(s.rows)) for s in world.sent),
            rows(world.opening),
        )
        for world in recording.worlds
    )
    return Recording(recording.scenario, worlds, rows(recording.rows), recording.observes)


def is_caught(name: str, sound: Judged, false: Recording) -> bool:
    """Whether a clause that held before is violated now."""
    found = runner(name).bound.judge(sound.scenario, sound.plan, false)
    return any(
        after.verdict is Verdict.VIOLATED and before.verdict is not Verdict.VIOLATED
        for before, after in zip(sound.clauses, found.clauses, strict=True)
    )


def falsified(log: str, kind: str) -> Iterator[tuple[str, Judged, Recording]]:
    """Recordings in which one row of the log is missing (`dropped`) or says something else (`altered`)."""
    for name in ADOPTIONS:
        for sound in judged(name, log):
            rows = [row for row in sound.recording.rows if row.log == log][:ROWS_TRIED]
            for row in rows:
                for false in [without(sound.recording, row)] if kind == "dropped" else altered(sound.recording, row):
                    yield name, sound, false


# Without a fault the log has no row that could be dropped or altered: see the test below for a row too many.
EMPTY_WHEN_SOUND = ("first-ordering-violation",)


@pytest.mark.parametrize("kind", ["dropped", "altered"])
@pytest.mark.parametrize("log", [each for each in LOGS if each not in EMPTY_WHEN_SOUND])
def test_falsified_log_is_caught(log: str, kind: str) -> None:
    """A log with a row missing, and a log with a wrong value, each violate a clause of a scenario that names it."""
    assert any(is_caught(*each) for each in falsified(log, kind))


def test_false_ordering_row_is_caught() -> None:
    """A row in the log of ordering faults, where there was none, violates the clause that rests on it."""
    (sound,) = (
        runner("bakery-oven").judge(each)
        for each in runner("bakery-oven").scenarios(Selection(templates=("lifecycle-holds",)))
    )
    first = sound.recording.worlds[0]
    row = LogRow(
        "first-ordering-violation",
        1,
        first.number,
        0,
        "A",
        1,
        1,
        {"log": "state-trace", "at": 1, "rule": "made-up", "detail": "made up"},
        pos=len(sound.recording.rows),
    )
    false = replace(sound.recording, rows=(*sound.recording.rows, row))
    assert is_caught("bakery-oven", sound, false)


def test_every_log_has_a_schema_file() -> None:
    """The thirty logs of the catalogue are the files of the folder."""
    assert len(LOGS) == 30
    assert all((Path(workspace.data_folder("diagnostics")) / f"{each}.schema.json").is_file() for each in LOGS)
