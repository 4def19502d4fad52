"""The kill matrix as one document, whatever it is printed as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.contract.shapes import Contract
from harness.inverting import SURVIVED, Outcome
from harness.kits.kit import Inversion

#: Why a clause cannot be violated by any inversion, by template and index.
Explained = Mapping[tuple[str, int], str]


def matrix_document(
    contract: Contract, chosen: Sequence[Inversion], outcomes: Sequence[Outcome], explained: Explained
) -> dict[str, Any]:
    """The document of `harness invert --format json`: inversions with their outcomes, clauses with their killers."""
    return {
        "inversions": [{"contract": contract.id, **_inversion(each, outcomes)} for each in chosen],
        "clauses": [
            {"contract": contract.id} | _clause(template.id, index, outcomes, explained)
            for template in contract.templates
            for index in range(len(template.clauses))
        ],
        "survived": sum(each.outcome == SURVIVED for each in outcomes),
    }


def joined_documents(documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The matrices of several contracts as one."""
    found = list(documents)
    return {
        "inversions": [each for one in found for each in one["inversions"]],
        "clauses": [each for one in found for each in one["clauses"]],
        "survived": sum(one["survived"] for one in found),
    }


def _inversion(inversion: Inversion, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "name": inversion.name,
        "breaks": [{"template": template, "index": index} for template, index in inversion.breaks],
        "results": [
            {
                "instance": each.instance,
                "outcome": each.outcome,
                "killed-by": [
                    {"scenario": kill.scenario, "index": kill.index, "log": kill.log, "seq": kill.seq}
                    for kill in each.killed_by
                ],
                "hidden-by": each.hidden_by,
            }
            for each in outcomes
            if each.inversion == inversion.name
        ],
    }


def _clause(template: str, index: int, outcomes: Sequence[Outcome], explained: Explained) -> dict[str, Any]:
    killers = {
        each.inversion: None
        for each in outcomes
        for kill in each.killed_by
        if (kill.template, kill.index) == (template, index)
    }
    return {
        "template": template,
        "index": index,
        "killed-by": list(killers),
        "explained": explained.get((template, index)),
    }
