"""Each clause of the keyed-pool contract: a recording that it accepts, and one that it rejects."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from harness.base.verdict import Verdict
from harness.kits.pools_keyed import BoundKeyed
from harness.run.plan import Plan
from harness.run.pools.logs import KEYED_LOGS
from harness.run.recording import ACCEPTED, REFUSED, LogRow, Recording
from harness.verdict.pools.judgments.keyed import KEYED
from tests.verdict.pools.doctorings import Doctoring
from tests.verdict.pools.keyed_doctorings import ALL, HALL
from tests.verdict.pools.pool_runs import changed, pool
from tests.verdict.pools.test_fifo_clauses import named, tried

MATRIX = "matrix-of-modes-and-members"


def test_every_clause_has_a_judgment_and_a_doctoring() -> None:
    """The contract's clauses are the judged ones; all but the one about silent events have a doctoring."""
    clauses = {
        (template, index)
        for template, scenario in pool(HALL).scenarios.items()
        for index in range(len(scenario.clauses))
    }
    assert set(KEYED.registered()) == clauses
    assert Counter((each.template, each.at) for each in ALL) == Counter(clauses - {(MATRIX, 3)})


@pytest.mark.parametrize("name", [HALL, "one-kiln", pytest.param("tide-gauges", marks=pytest.mark.deep)])
def test_sound_pools_violate_nothing(name: str) -> None:
    """A shipped pool on the sound model has nothing violated and nothing unreached, and most clauses hold."""
    found: Counter[Verdict] = Counter()
    for template in pool(name).scenarios:
        plan = pool(name).plan(template)
        clauses = pool(name).judge(template, pool(name).record(template, plan), plan)
        assert [each for each in clauses if each.verdict not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)] == []
        assert all(each.reason for each in clauses if each.verdict is Verdict.NOTHING_TO_CHECK)
        found.update(each.verdict for each in clauses)
    assert found[Verdict.HOLDS] > found.total() / 2
    assert name == "one-kiln" or found[Verdict.HOLDS] == found.total()


@pytest.mark.parametrize("doctoring", ALL, ids=named)
def test_a_doctored_recording_is_rejected(doctoring: Doctoring) -> None:
    """A clause that a sound run does not violate is violated once one row of it is changed."""
    judged = pool(doctoring.pool).judge
    for recording, row in tried(doctoring):
        verdict = judged(doctoring.template, changed(recording, row, doctoring.change))[doctoring.at]
        if verdict.verdict is Verdict.VIOLATED:
            sound = judged(doctoring.template, recording)[doctoring.at].verdict
            assert sound in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)
            assert verdict.reason
            assert verdict.evidence
            return
    pytest.fail("no doctored recording was rejected")


def test_events_after_the_end_must_be_refused() -> None:
    """The clause about a pool that is over rejects a recording in which an event was taken in after the end."""
    for recording in pool(HALL).worlds(MATRIX):
        world = recording.worlds[0]
        if world.sent[-1].outcome != REFUSED:
            continue
        taken = replace(world, sent=(*world.sent[:-1], replace(world.sent[-1], outcome=ACCEPTED)))
        assert pool(HALL).judge(MATRIX, recording)[3].verdict is Verdict.HOLDS
        doctored = replace(recording, worlds=(taken,))
        assert pool(HALL).judge(MATRIX, doctored)[3].verdict is Verdict.VIOLATED
        return
    pytest.fail("no run goes beyond the end")


def test_every_log_is_read_by_some_clause() -> None:
    """Each log that keyed pools write is one that the doctorings change, so that no log could hold anything at all."""
    assert {each.log for each in ALL} == set(BoundKeyed.logs)


@pytest.mark.parametrize("log", KEYED_LOGS)
def test_a_value_that_is_left_out_makes_no_judgment_crash(log: str) -> None:
    """Whatever column of a log about keys a system leaves empty, each clause still gets a verdict."""
    kiln = pool("one-kiln")
    for template in kiln.scenarios:
        recording = kiln.record(template, Plan(kiln.plan(template).worlds[:5]))
        for column in sorted({name for row in recording.rows if row.log == log for name in row.data}):
            verdicts = {each.verdict for each in kiln.judge(template, emptied(recording, log, column))}
            assert Verdict.ERROR not in verdicts, (template, column)


def emptied(recording: Recording, log: str, column: str) -> Recording:
    """The recording with nothing in one column of a log."""
    worlds = []
    for world in recording.worlds:
        sent = (replace(each, rows=tuple(_without(row, log, column) for row in each.rows)) for each in world.sent)
        worlds.append(replace(world, sent=tuple(sent)))
    rows = tuple(row for world in worlds for each in world.sent for row in each.rows)
    return Recording(recording.scenario, tuple(worlds), rows, recording.observes)


def _without(row: LogRow, log: str, column: str) -> LogRow:
    return replace(row, data={**row.data, column: None}) if row.log == log else row
