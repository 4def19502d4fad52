"""What the clauses of every law are held to: judged, doctored, quiet on sound runs, awake on doctored ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from harness.base.verdict import Verdict
from harness.run.recording import ACCEPTED, REFUSED, LogRow, Recording
from harness.verdict.clauses import Judgments
from tests.verdict.pools.doctorings import Doctoring
from tests.verdict.pools.pool_runs import changed, matching, pool

MATRIX = "matrix-of-modes-and-members"
SILENT = (MATRIX, 3)
"""The clause about events that leave no row: there is nothing to doctor."""


def named(doctoring: Doctoring) -> str:
    """The doctoring as the id of a test."""
    return f"{doctoring.template}-{doctoring.at}"


def tried(doctoring: Doctoring) -> Iterator[tuple[Recording, LogRow]]:
    """Sound recordings of one world with a row that the doctoring may change, a few rows of each."""
    for recording in pool(doctoring.pool).worlds(doctoring.template):
        for row in islice(matching(recording, doctoring.log, doctoring.where), 4):
            yield recording, row


def check_judged_and_doctored(name: str, law: Judgments[Any], doctorings: Iterable[Doctoring]) -> None:
    """The contract's clauses are the judged ones; all but the one about silent events have one doctoring."""
    clauses = {
        (template, index)
        for template, scenario in pool(name).scenarios.items()
        for index in range(len(scenario.clauses))
    }
    assert set(law.registered()) == clauses
    assert Counter((each.template, each.at) for each in doctorings) == Counter(clauses - {SILENT})


def check_sound(name: str, holds_all: bool) -> None:
    """On the sound model nothing is violated and nothing unreached; most clauses hold, or all of them."""
    found: Counter[Verdict] = Counter()
    for template in pool(name).scenarios:
        plan = pool(name).plan(template)
        assert plan.unreached == ()
        clauses = pool(name).judge(template, pool(name).record(template, plan), plan)
        assert [each for each in clauses if each.verdict not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)] == []
        assert all(each.reason for each in clauses if each.verdict is Verdict.NOTHING_TO_CHECK)
        found.update(each.verdict for each in clauses)
    assert found[Verdict.HOLDS] > found.total() / 2
    assert not holds_all or found[Verdict.HOLDS] == found.total()


def check_rejected(doctoring: Doctoring) -> None:
    """The clause is violated, with reason and evidence, on a recording of which one row was changed."""
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


def check_silent(name: str) -> None:
    """The clause about what is over is violated by a recording in which an event was taken in after the end."""
    template, index = SILENT
    for recording in pool(name).worlds(template):
        world = recording.worlds[0]
        if world.sent[-1].outcome != REFUSED:
            continue
        taken = replace(world, sent=(*world.sent[:-1], replace(world.sent[-1], outcome=ACCEPTED)))
        assert pool(name).judge(template, recording)[index].verdict is Verdict.HOLDS
        doctored = replace(recording, worlds=(taken,))
        assert pool(name).judge(template, doctored)[index].verdict is Verdict.VIOLATED
        return
    pytest.fail("no run goes beyond the end")
