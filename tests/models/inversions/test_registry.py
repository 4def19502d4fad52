"""The list of inversions as a whole: names, replaced methods, and the clauses that the stories are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from harness.contract.documents import read_document
from harness.contract.reading import read_contract
from harness.models.inversions.explained import EXPLAINED
from harness.models.inversions.registry import inversions
from harness.models.lifecycle.handlers import Handlers

CONTRACT = Path(__file__).parents[3] / "contracts" / "job-resolution.json"
FAULTS = Path(__file__).parents[2] / "data" / "faults.yaml"
STEPS = range(1, 21)
EXPLAINED_MAX = 12


def _clauses() -> set[tuple[str, int]]:
    contract, findings = read_contract(str(CONTRACT))
    assert contract is not None, findings
    return {(each.id, at) for each in contract.templates for at in range(len(each.clauses))}


def test_inversion_names_are_unique_and_name_one_class_each() -> None:
    """A name stands for one class, and a class has one name."""
    names = [each.name for each in inversions()]
    assert len(set(names)) == len(names) == len({each.turn for each in inversions()})


def test_inversions_replace_methods_that_the_handlers_have() -> None:
    """Each inversion replaces a few methods of the lifecycle, and breaks one of its twenty steps."""
    for each in inversions():
        assert each.replaced, each.name
        assert all(callable(getattr(Handlers, name)) for name in each.replaced), each.name
        assert each.step in STEPS, each.name


def test_inversions_tell_of_clauses_that_the_contract_has() -> None:
    """What an inversion says it breaks exists; what is explained as unbreakable is broken by none."""
    known = _clauses()
    told = {clause for each in inversions() for clause in each.breaks}
    assert all(each.breaks for each in inversions())
    assert told <= known
    assert set(EXPLAINED) <= known
    assert not told & set(EXPLAINED)


def test_every_clause_is_broken_by_an_inversion_or_explained() -> None:
    """No clause is without a breach that is about it, but for a dozen at most, each with a reason of its own."""
    told = {clause for each in inversions() for clause in each.breaks}
    assert _clauses() - told == set(EXPLAINED)
    assert len(EXPLAINED) <= EXPLAINED_MAX
    assert len(set(EXPLAINED.values())) == len(EXPLAINED)


def test_faults_each_name_an_inversion_that_restates_them() -> None:
    """A fault of a real system is restated by the inversion that its entry names, or by some of a pool law alone."""
    document, findings = read_document(str(FAULTS))
    assert document is not None, findings
    entries = cast("list[dict[str, Any]]", document.value)
    ids = [each["id"] for each in entries]
    assert len(set(ids)) == len(ids)
    restated = {(fault, each.name) for each in inversions() for fault in each.faults}
    for each in entries:
        if "inversion" in each or not each.get("pools"):
            assert (each["id"], each.get("inversion")) in restated, each
