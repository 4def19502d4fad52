"""No clause is taken on trust: each is violated, under a shipped adoption, by an inversion that is about it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from harness.base.verdict import Verdict
from harness.contract.reading import read_contract
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.kits.jobs import KIT
from harness.run.plan import Plan
from harness.runner import AdoptionRunner
from harness.verdict.clauses import ClauseVerdict
from harness.workspace import adoption_files, contract_path

NAMES = tuple(each.parent.name for each in adoption_files(KIT.contract))


class Sound(NamedTuple):
    """A scenario of a shipped adoption as the sound model runs it."""

    scenario: Scenario
    plan: Plan
    clauses: tuple[ClauseVerdict, ...]


class Kill(NamedTuple):
    """Which inversion violates a clause, and where."""

    inversion: str
    scenario: str


def clauses() -> tuple[tuple[str, int], ...]:
    """Every clause of the contract, by template and place."""
    contract, findings = read_contract(contract_path(KIT.contract))
    assert contract is not None, findings
    return tuple((each.id, at) for each in contract.templates for at in range(len(each.clauses)))


@cache
def runner(name: str) -> AdoptionRunner:
    """A shipped adoption, ready to run."""
    (path,) = [each for each in adoption_files(KIT.contract) if each.parent.name == name]
    return AdoptionRunner(validate_files([str(path)])[0])


@cache
def sound_runs(name: str, template: str) -> tuple[Sound, ...]:
    """The scenarios that a shipped adoption has of a template, run once."""
    found = []
    for scenario in runner(name).scenarios(Selection()):
        if scenario.template == template:
            plan = runner(name).plan(scenario)
            judged = runner(name).judge_on(runner(name).bound.system(), scenario, plan)
            found.append(Sound(scenario, plan, judged.clauses))
    return tuple(found)


def kills(template: str, index: int, names: tuple[str, ...] = NAMES) -> Iterator[Kill]:
    """Where an inversion that is about a clause violates it, and the sound model does not."""
    about = [each.name for each in KIT.inversions() if (template, index) in each.breaks]
    for name in names:
        for sound in sound_runs(name, template):
            if sound.clauses[index].verdict is Verdict.VIOLATED:
                continue
            for inversion in about:
                system = runner(name).bound.system(inversion)
                judged = runner(name).judge_on(system, sound.scenario, sound.plan)
                if judged.clauses[index].verdict is Verdict.VIOLATED:
                    yield Kill(inversion, sound.scenario.id)


@pytest.mark.parametrize(("template", "index"), [each for each in clauses() if each not in KIT.explained()], ids=str)
def test_every_clause_is_violated_by_an_inversion_in_a_shipped_adoption(template: str, index: int) -> None:
    """No clause is left that nothing violates, but for those that are listed as out of an inversion's reach."""
    assert next(kills(template, index), None) is not None


@pytest.mark.parametrize(
    ("template", "index", "name", "inversion"),
    [
        ("unasked-stopped-claim-answer-holds", 0, "boat-yard", "gate-stop-gives-the-claim-back"),
        ("declared-cancellation-settles-one-job", 0, "boat-yard", "cancel-resets-the-one-at-work"),
        ("stopped-job-releases-and-reclaims", 0, "dye-works", "falling-work-takes-units-back"),
        ("progress-failure-adjusts-claim-after-loss", 0, "dye-works", "losses-settle-last"),
        ("progress-failure-adjusts-claim-after-loss", 0, "park-paving", "losses-settle-last"),
        ("progress-failure-adjusts-claim-after-loss", 1, "park-paving", "work-outruns-its-claim"),
        ("progress-failure-adjusts-claim-after-loss", 2, "dye-works", "released-work-falls-with-its-claim"),
        ("standing-order-scans-are-level-triggered", 1, "park-paving", "scan-makes-one-request"),
        ("standing-order-scans-are-level-triggered", 0, "park-paving", "scan-reads-rows-backwards"),
    ],
)
def test_made_up_adoption_shows_the_clause_that_it_was_made_for(
    template: str, index: int, name: str, inversion: str
) -> None:
    """The adoptions that show what no other one can: the inversion is seen in each of them."""
    assert inversion in {each.inversion for each in kills(template, index, (name,))}
