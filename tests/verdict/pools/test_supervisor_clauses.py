"""Each clause of the fixed-supervisor contract: a recording that it accepts, and one that it rejects."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from harness.base.verdict import Verdict
from harness.run.pools.supervisor.logs import SUPERVISOR_LOGS
from harness.run.recording import ACCEPTED, REFUSED
from harness.verdict.pools.judgments.supervisor import SUPERVISOR
from tests.verdict.pools.doctorings import Doctoring
from tests.verdict.pools.pool_runs import SUPERVISORS, changed, pool
from tests.verdict.pools.supervisor_doctorings import ALL, WATCH
from tests.verdict.pools.test_fifo_clauses import named, tried

MATRIX = "matrix-of-modes-and-members"


def test_every_clause_has_a_judgment_and_a_doctoring() -> None:
    """The contract's clauses are the judged ones; all but the one about silent events have a doctoring."""
    clauses = {
        (template, index)
        for template, scenario in pool(WATCH).scenarios.items()
        for index in range(len(scenario.clauses))
    }
    assert set(SUPERVISOR.registered()) == clauses
    assert Counter((each.template, each.at) for each in ALL) == Counter(clauses - {(MATRIX, 3)})


@pytest.mark.parametrize("name", [WATCH, "lone-beacon", pytest.param("carillon", marks=pytest.mark.deep)])
def test_sound_supervisors_violate_nothing(name: str) -> None:
    """A shipped supervisor has nothing violated and nothing unreached, and most clauses hold."""
    found: Counter[Verdict] = Counter()
    assert name in SUPERVISORS
    for template in pool(name).scenarios:
        plan = pool(name).plan(template)
        assert plan.unreached == ()
        clauses = pool(name).judge(template, pool(name).record(template, plan), plan)
        assert [each for each in clauses if each.verdict not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)] == []
        assert all(each.reason for each in clauses if each.verdict is Verdict.NOTHING_TO_CHECK)
        found.update(each.verdict for each in clauses)
    assert found[Verdict.HOLDS] > found.total() / 2
    assert name != WATCH or found[Verdict.HOLDS] == found.total()


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
    """The clause about a supervisor that is over rejects a recording in which an event was taken in after the end."""
    for recording in pool(WATCH).worlds(MATRIX):
        world = recording.worlds[0]
        if world.sent[-1].outcome != REFUSED:
            continue
        taken = replace(world, sent=(*world.sent[:-1], replace(world.sent[-1], outcome=ACCEPTED)))
        assert pool(WATCH).judge(MATRIX, recording)[3].verdict is Verdict.HOLDS
        doctored = replace(recording, worlds=(taken,))
        assert pool(WATCH).judge(MATRIX, doctored)[3].verdict is Verdict.VIOLATED
        return
    pytest.fail("no run goes beyond the end")


def test_every_log_is_read_by_some_clause() -> None:
    """Each log that supervisors write is one that the doctorings change, so that no log could hold anything at all."""
    assert {each.log for each in ALL} == set(SUPERVISOR_LOGS)
