"""Files -> validated adoptions -> expansions: the first stages of every verb that takes adoption files."""

from __future__ import annotations

from collections.abc import Sequence

from harness import workspace
from harness.base.errors import UsageError
from harness.contract.questions import effective_answers
from harness.contract.reading import read_contract
from harness.contract.shapes import Contract
from harness.contract.validation import Validation, validate_adoption
from harness.expansion.expand import Expansion, expand_adoption
from harness.kits import check_of
from harness.writers import findings_text

Intake = Validation
"""What taking in one file gave: its path, its adoption and contract as far as they can be used, and its findings."""


def validate_files(files: Sequence[str], contract_file: str | None = None) -> tuple[Validation, ...]:
    """Each file, validated against the contract that it names: a shipped one, or the one in `contract_file`.

    A contract file takes the place of a shipped contract with the same id. Raises UsageError where it cannot be used.
    """
    contracts = dict(workspace.contract_files())
    if contract_file is not None:
        contracts[read_contract_file(contract_file).id] = contract_file
    return tuple(validate_adoption(each, contracts=contracts, checks=check_of) for each in files)


def refuse_unused_contract(validated: Sequence[Validation], contract_file: str | None) -> None:
    """UsageError where a contract file was given and none of the readable adoptions names its contract."""
    named = {each.contract.path: each.contract.id for each in validated if each.contract is not None}
    if contract_file is not None and named and contract_file not in named:
        raise UsageError(
            f"no file names the contract in {contract_file}",
            hint=f"the files name {', '.join(sorted(set(named.values())))}",
        )


def contracts_of(validated: Sequence[Validation]) -> tuple[Contract, ...]:
    """The contracts that the files name, each once, in the order of the files."""
    found: dict[str, Contract] = {}
    for each in validated:
        if each.contract is not None:
            found.setdefault(each.contract.id, each.contract)
    return tuple(found.values())


def expand_validated(validated: Validation) -> Expansion | None:
    """The expansion of a validated adoption, None where its file cannot be used.

    An adoption with errors that could still be read is expanded: the contract's own templates judge it.
    """
    if validated.adoption is None or validated.contract is None:
        return None
    return expand_adoption(validated.contract, validated.adoption, effective_answers(validated.adoption))


def read_contract_file(path: str) -> Contract:
    """The contract in a file; UsageError that tells everything that is wrong with it."""
    contract, findings = read_contract(path)
    if contract is None:
        raise UsageError(f"the contract {path} cannot be used:\n{findings_text.told(findings)}")
    return contract
