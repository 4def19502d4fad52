"""The document `run.json`: what was run, on what, and what came of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness import __version__
from harness.base.finding import Finding
from harness.base.verdict import Status, Verdict
from harness.contract.shapes import Contract
from harness.writers.run_files import ScenarioResult


@dataclass(frozen=True, slots=True)
class AdoptionRun:
    """One adoption of a run. `selected` counts the chosen scenarios, `results` the finished ones in order.

    `digest` and `instance` are None for a file that could not be used. `contract`, `model` and `inverted` are told in
    `run.json` where the adoptions are of several contracts.
    """

    path: str
    instance: str | None
    digest: str | None
    findings: tuple[Finding, ...]
    results: tuple[ScenarioResult, ...]
    selected: int
    excluded: int
    unaccounted: int
    contract: Contract | None = None
    model: str | None = None
    inverted: str | None = None

    def to_json(self, among_several: bool = False) -> dict[str, Any]:
        """The adoption's entry in `run.json`; with what is its own where the run has several contracts."""
        own: dict[str, Any] = {}
        if among_several:
            own["contract"] = _contract_json(self.contract) if self.contract is not None else None
            own["model"] = self.model
            own |= {"inverted": self.inverted} if self.inverted is not None else {}
        return {
            "instance": self.instance,
            "path": self.path,
            "digest": self.digest,
            **own,
            "findings": [each.to_json() for each in self.findings],
            "scenarios": [each.entry for each in self.results],
        }


def run_document(
    contract: Contract, model: str | None, driver: Any, adoptions: Sequence[AdoptionRun], inverted: str | None = None
) -> dict[str, Any]:
    """The whole document, in the fixed outside format; `inverted` names the inversion that was run, where one was.

    `contract` and `model` are those of the first adoption. Where there are other contracts too, all of them are listed,
    and each adoption tells its own.
    """
    contracts = {contract.id: contract} | {each.contract.id: each.contract for each in adoptions if each.contract}
    several = len(contracts) > 1
    return {
        "harness": {"version": __version__},
        "contract": _contract_json(contract),
        **({"contracts": [_contract_json(each) for each in contracts.values()]} if several else {}),
        "model": model,
        **({"inverted": inverted} if inverted is not None else {}),
        "driver": driver,
        "adoptions": [each.to_json(several) for each in adoptions],
        "summary": summary(adoptions),
    }


def _contract_json(contract: Contract) -> dict[str, Any]:
    return {"id": contract.id, "version": contract.version, "digest": contract.digest}


def summary(adoptions: Sequence[AdoptionRun]) -> dict[str, Any]:
    """Counts by word; a word that stands for nothing is left out."""
    entries = [result.entry for adoption in adoptions for result in adoption.results]
    scenarios = Counter(str(each["status"]) for each in entries)
    clauses = Counter(str(clause["verdict"]) for each in entries for clause in each["clauses"])
    return {
        "scenarios": _in_order(scenarios, (str(each) for each in Status)),
        "clauses": _in_order(clauses, (str(each) for each in Verdict)),
        "excluded": sum(each.excluded for each in adoptions),
        "unaccounted": sum(each.unaccounted for each in adoptions),
    }


def _in_order(counts: Counter[str], words: Iterable[str]) -> dict[str, int]:
    return {word: counts[word] for word in words if counts[word]}


def run_json(document: dict[str, Any]) -> str:
    """The document's text: two spaces deep, text as it is, ended by a line feed."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
