"""The whole of validation: read, fit, then every check that can still be made."""

from __future__ import annotations

from dataclasses import dataclass

from harness.base.finding import Finding, Severity, sort_findings
from harness.contract.documents import Document
from harness.contract.reading import Contracts, build_adoption, open_adoption
from harness.contract.schemas import adoption_schema
from harness.contract.shapes import Adoption, Contract
from harness.contract.validation import choices, citing, contract_rules, generic, links, questions, values
from harness.contract.validation.shape import Salvage, salvage
from harness.contract.validation.subject import JOB_CONTRACT, Subject, subject_of

#: Rules whose findings a run can go on with: it is the contract's own templates that then fail.
CONTRACT_INVALID = contract_rules.RULE_IDS


@dataclass(frozen=True, slots=True)
class Validation:
    """What validation says about one file. `path` is as typed; `contract` is there where it could be found.

    `adoption` is None where the file could not be read, parsed or fitted to its schema.
    """

    path: str
    adoption: Adoption | None
    findings: tuple[Finding, ...]
    contract: Contract | None = None

    @property
    def is_valid(self) -> bool:
        """Whether there is no error finding."""
        return all(each.severity is not Severity.ERROR for each in self.findings)

    @property
    def is_unreadable(self) -> bool:
        """Whether the file could not be read, parsed or fitted to its schema."""
        return any(each.unreadable for each in self.findings)

    @property
    def is_runnable(self) -> bool:
        """Whether its scenarios can be run: it is valid, or only the contract itself calls it invalid."""
        if self.adoption is None:
            return False
        return all(each.severity is not Severity.ERROR or each.rule in CONTRACT_INVALID for each in self.findings)

    def to_json(self) -> dict[str, object]:
        """The fixed outside format of `harness validate --format json`, for one file."""
        return {"path": self.path, "valid": self.is_valid, "findings": [each.to_json() for each in self.findings]}


def validate_adoption(path: str, contract: Contract | None = None, *, contracts: Contracts | None = None) -> Validation:
    """Check an adoption file and say all that is wrong with it, in reading order.

    The contract is the one handed in, else the one that the adoption names, found through `contracts` (a mapping from
    id to path, or a function that gives a path or None). Never raises for what a file holds.
    """
    reading = open_adoption(path, contract, contracts)
    if reading.document is None or reading.contract is None:
        return Validation(path, None, reading.findings, reading.contract)
    is_fit = not reading.findings
    subject, salvaged = _subject(reading.document, reading.contract, is_fit)
    findings = sort_findings((*reading.findings, *_checks(subject, salvaged)))
    adoption = subject.adoption if is_fit and not any(each.unreadable for each in findings) else None
    return Validation(path, adoption, findings, reading.contract)


def _subject(document: Document, contract: Contract, is_fit: bool) -> tuple[Subject, Salvage]:
    if is_fit:
        salvaged = Salvage(document.value, frozenset(), frozenset(), True)
    else:
        salvaged = salvage(document.value, adoption_schema(contract))
    adoption = build_adoption(document, salvaged.value)
    return subject_of(document, contract, adoption, salvaged.unfit, salvaged.doubtful), salvaged


def _checks(subject: Subject, salvaged: Salvage) -> tuple[Finding, ...]:
    found = [*generic.check(subject), *citing.check(subject)]
    if subject.contract.id == JOB_CONTRACT and subject.adoption.contract == JOB_CONTRACT:
        found += [*links.check(subject), *values.check(subject), *choices.check(subject)]
        if salvaged.can_ask:
            found += [*questions.check(subject), *contract_rules.check(subject)]
    return tuple(found)
