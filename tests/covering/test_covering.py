"""Adoptions in which every two options that can be together are together, each run from end to end.

Run apart, with `python -m pytest -m covering`; the cost and the verdict words are told at the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.assembly import CHOICES, assemble
from harness.assembly.needs import dropped
from harness.base.finding import Severity
from harness.base.verdict import Verdict
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.runner import AdoptionRunner
from harness.verdict.clauses import SILENT
from harness.verdict.judging import Judged
from tests.covering.array import all_pairs, array_text, can_be_together, pairs_of, read_array
from tests.covering.conftest import PROPERTY

ARRAY = read_array()
NAMES = [f"made-{number}" for number in range(1, len(ARRAY) + 1)]


def test_array_covers_every_pair_that_can_be() -> None:
    """Every two options that some adoption can have at once stand in one of the sets, and neither is dropped there."""
    covered = {pair for chosen in ARRAY for pair in pairs_of(chosen)}
    missing = [pair for pair in all_pairs() if pair not in covered and can_be_together(pair)]
    assert missing == []


def test_array_holds_no_option_that_is_dropped() -> None:
    """In every set each option makes a difference, so a pair in it is a pair in the adoption."""
    assert [
        (name, list(dropped(chosen))) for name, chosen in zip(NAMES, ARRAY, strict=True) if any(dropped(chosen))
    ] == []


def test_array_leaves_out_only_what_cannot_be() -> None:
    """Two options that exclude each other are told apart from two that were forgotten."""
    assert not can_be_together((("inputs", "none"), ("rounding", "down")))
    assert not can_be_together((("work", "none"), ("partial-work", "reset-at-stop")))
    assert can_be_together((("inputs", "with-progress"), ("partial-work", "reset-at-stop")))


def test_array_file_is_as_it_is_written() -> None:
    """Reading the file and writing it again gives the same text, so a hand-made change is seen."""
    from tests.covering.array import ARRAY_FILE

    assert array_text(ARRAY) == ARRAY_FILE.read_text(encoding="utf-8")


@pytest.mark.covering
@pytest.mark.parametrize("name", NAMES)
def test_covering_adoption_runs_clean(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """On the sound model no clause is violated, unreached or a crash, and no verdict is without its reason."""
    chosen = ARRAY[NAMES.index(name)]
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(assemble(chosen, name)))
    began = time.perf_counter()
    (intake,) = validate_files([str(path)])
    assert [each for each in intake.findings if each.severity is not Severity.NOTE] == []
    runner = AdoptionRunner(intake)
    assert runner.expansion.unaccounted == 0
    judged = [runner.judge(scenario) for scenario in runner.scenarios(Selection())]
    seconds = time.perf_counter() - began
    words = [(each.scenario.template, str(clause.verdict)) for each in judged for clause in each.clauses]
    told = {"scenarios": len(judged), "clauses": words, "seconds": round(seconds, 3)}
    record_property(PROPERTY, json.dumps(told))
    wrong = [line for each in judged for line in faults(each)]
    assert wrong == [], {name: option for name, option in chosen.items() if option != CHOICES[name][0]}


def faults(judged: Judged) -> list[str]:
    """The clauses of a scenario that say other than that they hold, or why there is nothing to check."""
    allowed = (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)
    return [
        f"{judged.scenario.id} clause {clause.index}: {clause.verdict}: {clause.reason}"
        for clause in judged.clauses
        if clause.verdict not in allowed
        or (clause.verdict is Verdict.NOTHING_TO_CHECK and clause.reason in (None, SILENT))
    ]
