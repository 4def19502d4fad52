"""The kill matrix: what is run again, what is caught, and how it is told."""

from __future__ import annotations

import json
from functools import cache

import pytest

from harness import workspace
from harness.intake import validate_files
from harness.inverting import HIDDEN, KILLED, AdoptionMatrix, kill_matrix
from harness.inverting_report import matrix_document
from harness.kits.jobs import KIT
from harness.kits.kit import Inversion, Kit
from harness.kits.pools import FIFO_KIT, KEYED_KIT
from harness.kits.supervisor import SUPERVISOR_KIT
from harness.writers import invert_csv, invert_json, invert_table

SAMPLED = KIT.inversions()[::13]
POOLS = (("lone-kiosk", FIFO_KIT, 9), ("one-kiln", KEYED_KIT, 25), ("lone-beacon", SUPERVISOR_KIT, 12))


def path_of(name: str) -> str:
    """The file of a shipped adoption."""
    (path,) = workspace.data_folder("adoptions").glob(f"*/{name}.adoption.yaml")
    return str(path)


def both_ways(name: str, inversion: Inversion) -> None:
    """The matrix says the same whether it spares what it can, or sends and judges everything from nothing."""
    assert matrix(name).outcome(inversion) == matrix(name).outcome(inversion, everything=True)


@cache
def matrix(name: str) -> AdoptionMatrix:
    """A shipped adoption with its sound runs."""
    return AdoptionMatrix(validate_files([path_of(name)])[0])


@pytest.mark.parametrize("inversion", SAMPLED, ids=lambda each: each.name)
def test_running_what_can_change_finds_what_running_everything_finds(inversion) -> None:  # type: ignore[no-untyped-def]
    """A step that calls no replaced method leaves the same rows, so taking it over changes no outcome."""
    both_ways("bakery-oven", inversion)


@pytest.mark.parametrize(
    ("name", "inversion"),
    [pytest.param(name, each, id=f"{name}-{each.name}") for name, kit, by in POOLS for each in kit.inversions()[::by]],
)
def test_judging_the_worlds_that_changed_finds_what_judging_all_finds(name: str, inversion: Inversion) -> None:
    """Judgments of pools look at one world at a time, so those that came out the same need not be judged again."""
    both_ways(name, inversion)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "kit"), [(name, kit) for name, kit, _ in POOLS], ids=[name for name, *_ in POOLS])
def test_judging_the_worlds_that_changed_is_enough_for_every_breach(name: str, kit: Kit) -> None:
    """The same for every inversion of the three laws."""
    for inversion in kit.inversions():
        both_ways(name, inversion)


def test_hidden_inversion_says_which_answer_hides_it() -> None:
    """A breach of finish-time claims cannot show where inputs are taken at the start, and the outcome says so."""
    by_name = {each.name: each for each in KIT.inversions()}
    outcome = matrix("bakery-oven").outcome(by_name["finish-inputs-taken-at-start"])
    assert (outcome.outcome, outcome.killed_by) == (HIDDEN, ())
    assert outcome.hidden_by == "input-claim-timing is not taken-at-finish"


def test_killed_inversion_names_clause_and_row() -> None:
    """A kill has the scenario, the clause's index and the first contradicting row."""
    by_name = {each.name: each for each in KIT.inversions()}
    outcome = matrix("bakery-oven").outcome(by_name["cancel-keeps-the-inputs"])
    assert outcome.outcome == KILLED
    kill = next(each for each in outcome.killed_by if each.template == "declared-cancellation-settles-one-job")
    assert kill.scenario == "bakery-oven/declared-cancellation-settles-one-job[baker-cancels]"
    assert (kill.index, kill.log) == (0, "bakery-oven-claim-ledger")
    assert isinstance(kill.seq, int)


def test_matrix_document_accounts_for_every_clause() -> None:
    """Every clause of the contract stands in the document, and the forms of output agree with it."""
    chosen = tuple(each for each in KIT.inversions() if each.name == "cancel-keeps-the-inputs")
    contract = validate_files([path_of("bakery-oven")])[0].contract
    assert contract is not None
    outcomes = kill_matrix([path_of("bakery-oven")], chosen)
    document = matrix_document(contract, chosen, outcomes, KIT.explained())
    assert len(document["clauses"]) == 149
    assert document["survived"] == 0
    assert json.loads(invert_json.render(document)) == document
    assert "cancel-keeps-the-inputs" in invert_table.render(document)
    assert invert_csv.render(document).splitlines()[1].startswith("cancel-keeps-the-inputs,bakery-oven,killed,")


def test_matrix_is_the_same_for_any_number_of_workers() -> None:
    """Workers share the adoptions; order and content of the outcomes stay."""
    chosen = KIT.inversions()[:2]
    paths = [path_of("street-mural"), path_of("bakery-oven")]
    assert kill_matrix(paths, chosen, workers=2) == kill_matrix(paths, chosen, workers=1)
