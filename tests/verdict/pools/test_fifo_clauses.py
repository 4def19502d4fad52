"""Each clause of the fifo-pool contract: a recording that it accepts, and one that it rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from harness.base.verdict import Verdict
from harness.run.pools.logs import POOL_LOGS
from harness.run.recording import ACCEPTED, REFUSED, LogRow, Recording
from harness.verdict.pools.judgments.fifo import FIFO
from tests.verdict.pools.doctorings import ALL, Doctoring
from tests.verdict.pools.pool_runs import POOLS, changed, matching, pool

MATRIX = "matrix-of-modes-and-members"


def named(doctoring: Doctoring) -> str:
    return f"{doctoring.template}-{doctoring.at}"


def tried(doctoring: Doctoring) -> Iterator[tuple[Recording, LogRow]]:
    """Sound recordings of one world with a row that the doctoring may change, a few rows of each."""
    for recording in pool(doctoring.pool).worlds(doctoring.template):
        for row in islice(matching(recording, doctoring.log, doctoring.where), 4):
            yield recording, row


def test_every_clause_has_a_judgment_and_a_doctoring() -> None:
    """The contract's clauses are the judged ones; all but the one about silent events have a doctoring."""
    clauses = {
        (template, index)
        for template, scenario in pool("ticket-desk").scenarios.items()
        for index in range(len(scenario.clauses))
    }
    assert set(FIFO.registered()) == clauses
    assert Counter((each.template, each.at) for each in ALL) == Counter(clauses - {(MATRIX, 3)})


@pytest.mark.parametrize("name", POOLS)
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
    assert name == "lone-kiosk" or found[Verdict.HOLDS] == found.total()


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
    for recording in pool("ticket-desk").worlds(MATRIX):
        world = recording.worlds[0]
        if world.sent[-1].outcome != REFUSED:
            continue
        taken = replace(world, sent=(*world.sent[:-1], replace(world.sent[-1], outcome=ACCEPTED)))
        assert pool("ticket-desk").judge(MATRIX, recording)[3].verdict is Verdict.HOLDS
        doctored = replace(recording, worlds=(taken,))
        assert pool("ticket-desk").judge(MATRIX, doctored)[3].verdict is Verdict.VIOLATED
        return
    pytest.fail("no run goes beyond the end")


def test_every_log_is_read_by_some_clause() -> None:
    """Each log that pools write is one that the doctorings change, so that no log could hold anything at all."""
    assert {each.log for each in ALL} == set(POOL_LOGS)
