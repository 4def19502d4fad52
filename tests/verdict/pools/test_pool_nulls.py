"""A pool that leaves values out is judged: no null makes a judgment crash, in any law."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest

from harness.base.verdict import Verdict
from harness.kits import kit_of
from harness.run.logs import Catalogue
from harness.run.plan import Plan
from harness.run.recording import LogRow, Recording
from harness.verdict.parts import Part, holds
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.fifo import FIFO
from tests.verdict.pools.pool_runs import KEYED_POOLS, POOLS, SUPERVISORS, pool

SMALL = ("lone-kiosk", "one-kiln", "lone-beacon")
ALL = (*POOLS, *KEYED_POOLS, *SUPERVISORS)
#: How many worlds of each template are altered by default, and with -m deep.
FEW, MANY = 1, 5
#: So many logs at least have rows even in the smallest pools.
MOST_LOGS = 9

COMMON = ("batch", "settle", "run")
EVERYWHERE, LAST, SECOND = "everywhere", "the last of each event", "every second"
WHERES = (EVERYWHERE, LAST, SECOND)


class Left(NamedTuple):
    """What is left out: a column of a log, and in which of its rows."""

    log: str
    column: str
    where: str = EVERYWHERE


@cache
def recorded(name: str, template: str, most: int) -> tuple[Plan, Recording]:
    """Some of a template's worlds, from all over its plan, and what the sound pool leaves of them."""
    worlds = pool(name).plan(template).worlds
    plan = Plan(worlds[:: max(-(-len(worlds) // most), 1)])
    return plan, pool(name).record(template, plan)


def logs_of(name: str) -> Catalogue:
    """Every log of the pool's contract."""
    kit = kit_of(pool(name).bound.adoption.contract)
    assert kit is not None
    return kit.logs


def without(row: LogRow, column: str) -> LogRow:
    """The row as a driver's is filled that has nothing in that column."""
    if column in COMMON:
        nothing: dict[str, Any] = {column: None}
        return replace(row, **nothing)
    return replace(row, data={**row.data, column: [] if isinstance(row[column], list | tuple) else None})


def altered(recording: Recording, left: Left) -> Recording:
    """The recording with a value left out."""
    rows: list[LogRow] = []
    worlds = []
    for world in recording.worlds:
        sent = []
        for each in world.sent:
            places = [at for at, row in enumerate(each.rows) if row.log == left.log and has(row, left.column)]
            if left.where == LAST:
                places = places[-1:]
            elif left.where == SECOND:
                places = [at for at in places if each.rows[at].pos % 2]
            own = tuple(without(row, left.column) if at in places else row for at, row in enumerate(each.rows))
            rows += own
            sent.append(replace(each, rows=own))
        worlds.append(replace(world, sent=tuple(sent)))
    return Recording(recording.scenario, tuple(worlds), tuple(rows), recording.observes)


def has(row: LogRow, column: str) -> bool:
    """Whether there is anything to leave out."""
    return getattr(row, column) is not None if column in COMMON else row[column] not in (None, [], ())


def refuse_errors(name: str, template: str, left: Left, most: int) -> None:
    """Fails for a clause that could not be judged."""
    plan, sound = recorded(name, template, most)
    for clause in pool(name).judge(template, altered(sound, left), plan):
        assert clause.verdict is not Verdict.ERROR, f"{left} in {name}, {template} {clause.index}: {clause.reason}"


def columns(name: str, template: str, most: int) -> list[tuple[str, str]]:
    """Every column of every log that has a value in these worlds."""
    _, recording = recorded(name, template, most)
    logs = logs_of(name)
    found = {
        (row.log, column)
        for row in recording.rows
        for column in (*COMMON, *logs[row.log].own_columns)
        if has(row, column)
    }
    return sorted(found)


@pytest.mark.parametrize("name", SMALL)
def test_no_null_makes_a_judgment_of_a_pool_crash(name: str) -> None:
    """Each column of each log once, in templates and ways that take turns."""
    holders: dict[tuple[str, str], list[str]] = {}
    for template in sorted(pool(name).scenarios):
        for each in columns(name, template, FEW):
            holders.setdefault(each, []).append(template)
    assert len({log for log, _ in holders}) >= MOST_LOGS
    for turn, ((log, column), templates) in enumerate(sorted(holders.items())):
        refuse_errors(name, templates[turn % len(templates)], Left(log, column, WHERES[turn % len(WHERES)]), FEW)


def test_handing_over_nobody_is_judged() -> None:
    """Who was handed over is compared by name, and a row that names nobody has no place among names."""
    left = Left("action-lanes", "role", LAST)
    plan, sound = recorded("night-mill", "claim-14-full-shutdown", MANY)
    verdicts = pool("night-mill").judge("claim-14-full-shutdown", altered(sound, left), plan)
    (found,) = (each for each in verdicts if each.index == 4)
    assert found.verdict is Verdict.VIOLATED
    assert found.reason == "the drain was cut short, and not everybody was handed over: None, spare"


@pytest.mark.deep
@pytest.mark.parametrize("name", ALL)
def test_no_null_makes_any_judgment_of_a_pool_crash(name: str) -> None:
    """Each column of each log in each way, in every template."""
    for template in sorted(pool(name).scenarios):
        for log, column in columns(name, template, MANY):
            for where in WHERES:
                refuse_errors(name, template, Left(log, column, where), MANY)


@pytest.mark.parametrize(
    ("name", "template", "index", "left"),
    [
        ("lone-kiosk", "claim-15-late-facts-harmless", 0, Left("input-log", "input")),
        ("lone-kiosk", "invariant-conservation", 0, Left("count-trace", "queued")),
        ("lone-kiosk", "invariant-conservation", 0, Left("count-trace", "assigned", LAST)),
        ("lone-kiosk", "invariant-one-assignment-per-worker", 1, Left("state-trace", "to")),
        ("lone-kiosk", "claim-16-one-state-one-product", 4, Left("action-lanes", "lane")),
        ("one-kiln", "invariant-conservation", 0, Left("count-trace", "queued")),
    ],
)
def test_a_row_that_is_not_as_its_log_has_them_is_the_evidence(
    name: str, template: str, index: int, left: Left
) -> None:
    """Where a judgment cannot go on for a null in a column that has none, the first such row is its violation."""
    plan, sound = recorded(name, template, MANY)
    recording = altered(sound, left)
    clause = pool(name).judge(template, recording, plan)[index]
    assert clause.verdict is Verdict.VIOLATED
    assert pool(name).judge(template, sound, plan)[index].verdict is Verdict.HOLDS
    if "is not as its log's rows are" in str(clause.reason):
        (row,) = clause.evidence
        assert row == next(each for each in recording.rows if each.log == left.log and each[left.column] is None)
        assert left.column in str(clause.reason)


@pytest.mark.parametrize(
    ("name", "template", "index", "left"),
    [
        ("ticket-desk", "claim-05-one-obligation-per-job", 1, Left("admission-outcomes", "job")),
        ("ticket-desk", "claim-05-one-obligation-per-job", 1, Left("admission-outcomes", "job", SECOND)),
        ("ticket-desk", "claim-05-one-obligation-per-job", 1, Left("ownership-ledger", "job", SECOND)),
        ("lone-kiosk", "invariant-conservation", 1, Left("admission-outcomes", "job")),
        ("lone-kiosk", "invariant-no-reissue", 1, Left("admission-outcomes", "job")),
        ("ticket-desk", "claim-04-direct-ownership", 2, Left("action-lanes", "role")),
        ("lone-beacon", "claim-09-query-is-read-only", 2, Left("management-replies", "statuses")),
    ],
)
def test_a_null_that_a_log_may_have_is_judged(name: str, template: str, index: int, left: Left) -> None:
    """Where other rows of the log have nothing in the column, the judgment itself says what is wrong."""
    plan, sound = recorded(name, template, MANY)
    clause = pool(name).judge(template, altered(sound, left), plan)[index]
    assert clause.verdict is Verdict.VIOLATED
    assert "not as its log's rows are" not in str(clause.reason)
    assert pool(name).judge(template, sound, plan)[index].verdict in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)


def broken(evidence: PoolEvidence) -> Iterator[Part]:
    """A judgment that cannot judge anything."""
    rows = list(evidence.rows("count-trace"))
    yield holds(rows[len(rows)])


def test_a_judgment_that_crashes_over_sound_rows_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness's own fault is told as one, and is the pool's only where a row is not as it has to be."""
    monkeypatch.setattr(FIFO, "judgment_for", lambda template, index: broken)
    plan, sound = recorded("lone-kiosk", "claim-07-one-job-per-worker", MANY)
    verdicts = [
        pool("lone-kiosk").judge("claim-07-one-job-per-worker", each, plan)[0].verdict
        for each in (sound, altered(sound, Left("count-trace", "queued")))
    ]
    assert verdicts == [Verdict.ERROR, Verdict.VIOLATED]
