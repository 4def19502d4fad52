"""The whole of validation: read, fit, then every check that can still be made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harness.base.finding import Finding, Severity, sort_findings
from harness.contract.documents import Document
from harness.contract.fitting import fit_document
from harness.contract.reading import Contracts, build_adoption, open_adoption
from harness.contract.schemas import adoption_schema
from harness.contract.shapes import Adoption, Contract
from harness.contract.validation import citing, contract_rules, generic
from harness.contract.validation.shape import Salvage, salvage
from harness.contract.validation.subject import Subject, subject_of

#: A contract's own checks. The second argument is false where answers or rows could not be read: nothing can be asked.
Check = Callable[[Subject, bool], Iterable[Finding]]
#: The check of the contract with an id; None for a contract that has none.
Checks = Callable[[str], Check | None]

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


def validate_adoption(
    path: str,
    contract: Contract | None = None,
    *,
    contracts: Contracts | None = None,
    checks: Checks = lambda contract_id: None,
) -> Validation:
    """Check an adoption file and say all that is wrong with it, in reading order.

    The contract is the one handed in, else the one that the adoption names, found through `contracts` (a mapping from
    id to path, or a function that gives a path or None); `checks` finds what that contract itself asks of adoptions.
    Never raises for what a file holds.
    """
    reading = open_adoption(path, contract, contracts)
    if reading.document is None or reading.contract is None:
        return Validation(path, None, reading.findings, reading.contract)
    return _validation(path, reading.document, reading.contract, reading.findings, checks)


def validate_document(
    document: Document, contract: Contract, *, checks: Checks = lambda contract_id: None
) -> Validation:
    """The same for an adoption that is in memory already, under this contract; its path is the document's.

    Raises UnusableSchemaError where the contract's adoption schema is broken.
    """
    return _validation(document.path, document, contract, fit_document(document, adoption_schema(contract)), checks)


def _validation(
    path: str, document: Document, contract: Contract, misfits: tuple[Finding, ...], checks: Checks
) -> Validation:
    """Every check that can still be made of a document with these misfits."""
    is_fit = not misfits
    subject, salvaged = _subject(document, contract, is_fit)
    findings = sort_findings((*misfits, *_checked(subject, salvaged, checks)))
    adoption = subject.adoption if is_fit and not any(each.unreadable for each in findings) else None
    return Validation(path, adoption, findings, contract)


def _subject(document: Document, contract: Contract, is_fit: bool) -> tuple[Subject, Salvage]:
    if is_fit:
        salvaged = Salvage(document.value, frozenset(), frozenset(), True)
    else:
        salvaged = salvage(document.value, adoption_schema(contract))
    adoption = build_adoption(document, salvaged.value)
    return subject_of(document, contract, adoption, salvaged.unfit, salvaged.doubtful), salvaged


def _checked(subject: Subject, salvaged: Salvage, checks: Checks) -> tuple[Finding, ...]:
    found = [*generic.check(subject), *citing.check(subject)]
    own = checks(subject.contract.id) if subject.adoption.contract == subject.contract.id else None
    if own is not None:
        found += own(subject, salvaged.can_ask)
    return tuple(found)
