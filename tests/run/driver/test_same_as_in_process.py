"""The built-in lifecycle behind a pipe is the built-in lifecycle: the same rows and the same verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.driver.channel import DriverWish
from harness.run.recording import LogRow, Recording
from harness.runner import AdoptionRunner
from harness.verdict.judging import Judged
from harness.verdict.parts import Absence, Exhibit
from tests.run_builders import JOB_ADOPTIONS, ROOT

SERVED = DriverWish(f'"{sys.executable}" -m harness driver', environment=(("PYTHONPATH", str(ROOT)),))

#: A driver numbers its own rows, and those that the harness derives come after them: only numbers differ.
NUMBERS = ("seq", "at")


def unnumbered(row: LogRow) -> tuple[str, dict[str, Any]]:
    return row.log, {name: value for name, value in row.to_json().items() if name not in NUMBERS}


def told(recording: Recording) -> list[Any]:
    """All that a recording says, but for the numbers of its rows."""
    rows = [unnumbered(each) for each in recording.rows]
    sent = [(each.event, each.outcome, each.reason, len(each.rows)) for run in recording.worlds for each in run.sent]
    return [rows, sent, sorted(recording.observes)]


def said(judged: Judged) -> list[Any]:
    """The verdicts with the places of their evidence in the recording."""
    return [(each.verdict, each.reason, [place(one) for one in each.evidence]) for each in judged.clauses]


def place(exhibit: Exhibit) -> Any:
    if isinstance(exhibit, LogRow):
        return exhibit.pos
    if isinstance(exhibit, Absence):
        return exhibit.log, exhibit.what, exhibit.rows, None if exhibit.near is None else exhibit.near.pos
    return exhibit


#: Adoptions that between them have a pool, places, a queue, returns, collection and no inputs; the others are deep.
QUICK = ("bakery-oven", "boat-yard", "openpbs", "print-shop", "screeps-spawn", "street-mural")
PATHS = [
    pytest.param(path, id=path.parent.name, marks=() if path.parent.name in QUICK else pytest.mark.deep)
    for path in JOB_ADOPTIONS
]


@pytest.mark.parametrize("path", PATHS)
def test_pipe_changes_nothing_but_the_numbers_of_rows(path: Path) -> None:
    """Every scenario of a shipped adoption leaves the same rows in the same order, and gets the same verdicts."""
    (intake,) = validate_files([str(path)])
    here, there = AdoptionRunner(intake), AdoptionRunner(intake, driver=SERVED)
    assert there.driver is not None
    try:
        for scenario in here.scenarios(Selection()):
            plan = here.plan(scenario)
            expected = here.judge_on(here.bound.system(), scenario, plan)
            found = there.judge_on(there.driver, scenario, plan)
            assert told(found.recording) == told(expected.recording)
            assert said(found) == said(expected)
    finally:
        there.close()
