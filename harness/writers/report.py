"""What a report of a run is made from, and what several reports say in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.base.finding import Finding, Severity
from harness.base.verdict import Status, Verdict
from harness.contract.shapes import Contract
from harness.writers.run_document import AdoptionRun
from harness.writers.run_summary import evidence_text

#: The kinds of report, each a module `report_<kind>` with `render(report) -> str`.
KINDS = ("badge", "ctrf", "html", "junit", "markdown", "sarif")

#: The statuses that leave a scenario undecided: neither a failure nor green.
UNDECIDED = (Status.ERROR, Status.UNREACHED, Status.BLIND)
NEED_A_LOOK = (Status.FAIL, *UNDECIDED, Status.KNOWN)

_DECISIVE = {
    Status.FAIL: Verdict.VIOLATED,
    Status.KNOWN: Verdict.VIOLATED,
    Status.ERROR: Verdict.ERROR,
    Status.UNREACHED: Verdict.UNREACHED,
    Status.BLIND: Verdict.BLIND,
    Status.NOTHING_TO_CHECK: Verdict.NOTHING_TO_CHECK,
}


@dataclass(frozen=True, slots=True)
class RunReport:
    """A finished run; `contract` is that of the first adoption.

    `reasons` says why a known scenario fails, by its id.
    """

    contract: Contract
    adoptions: tuple[AdoptionRun, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts of the adoptions, each once, `contract` first."""
        found = {self.contract.id: self.contract}
        found |= {each.contract.id: each.contract for each in self.adoptions if each.contract is not None}
        return tuple(found.values())

    @property
    def subject(self) -> str:
        """What the run says something about: the contracts with their versions."""
        return " and ".join(f"{each.id}, version {each.version}" for each in self.contracts)


def name_of(adoption: AdoptionRun) -> str:
    """What an adoption is called: by its instance, else by the path of its file."""
    return adoption.instance or adoption.path


def errors_of(adoption: AdoptionRun) -> tuple[Finding, ...]:
    """The findings that make the adoption invalid."""
    return tuple(each for each in adoption.findings if each.severity is Severity.ERROR)


def decisive(entry: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The clauses of a scenario that make its status what it is; none for one that passed."""
    word = _DECISIVE.get(Status(entry["status"]))
    return tuple(each for each in entry["clauses"] if each["verdict"] == word)


def headline(entry: Mapping[str, Any], known: str | None = None) -> str:
    """Why a scenario has its status, in one line; `known` is the reason that was given for a known failure."""
    first = next(iter(decisive(entry)), None)
    said = f"clause {first['index']}: {first['reason']}" if first is not None else ""
    if entry["status"] == Status.KNOWN:
        return f"known failure: {known or said}"
    return f"nothing to check: {said}" if entry["status"] == Status.NOTHING_TO_CHECK else said


def details(entry: Mapping[str, Any]) -> str:
    """The decisive clauses in full, each with its reason and where its evidence stands."""
    lines = []
    for clause in decisive(entry):
        lines.append(f"clause {clause['index']}: {clause['text']}")
        lines.append(f"  {clause['verdict']}: {clause['reason']}")
        if clause["evidence"]:
            lines.append(f"  shown by {evidence_text(clause['evidence'])}")
    return "\n".join(lines)
