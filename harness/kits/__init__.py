"""The contracts that can be run and judged: a kit for each.

A contract without a kit can still be validated and expanded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.kits.kit import AUTO, Kit

if TYPE_CHECKING:
    from harness.contract.shapes import Contract
    from harness.contract.validation.validate import Check


def kits() -> tuple[Kit, ...]:
    """Every kit, in the order in which contracts are listed."""
    from harness.kits import jobs, pools, supervisor

    return (jobs.KIT, pools.FIFO_KIT, pools.KEYED_KIT, supervisor.SUPERVISOR_KIT)


def kit_of(contract_id: str) -> Kit | None:
    """The kit of that contract, None for a contract that cannot be judged."""
    return next((each for each in kits() if each.contract == contract_id), None)


def judging_kit(contract: Contract, path: str) -> Kit:
    """The kit of the contract that a file names; UsageError where it has none."""
    kit = kit_of(contract.id)
    if kit is None:
        raise UsageError(
            f"the contract {contract.id} of {path} cannot be judged: no judgments are known for it",
            "validate and expand work for it",
        )
    return kit


def models_of(contracts: Iterable[Contract], word: str) -> dict[str, str]:
    """What a word of `--model` means to each contract, by its id; a contract without a kit has no model."""
    found = ((each.id, kit_of(each.id)) for each in contracts)
    return {contract_id: kit.model_of(word) for contract_id, kit in found if kit is not None}


def refuse_unknown(called: Sequence[Kit], model: str, invert: str | None) -> tuple[str, ...]:
    """What some contracts of a call do not have of its model and its inversion, in words, so that they run without it.

    UsageError where none of them has it.
    """
    said = []
    if model != AUTO and all(model not in each.models for each in called):
        words = ", ".join(dict.fromkeys((AUTO, *(word for each in called for word in each.models))))
        raise UsageError(f"there is no model {model!r} of {_named(called)}", f"the models are {words}")
    if invert is not None and not any(each.has_inversion(invert) for each in called):
        from harness.contract.fitting import suggestion

        known = [one.name for each in called for one in each.inversions()]
        close = suggestion(invert, known, "`harness invert --list` lists them")
        raise UsageError(f"there is no inversion {invert} of {_named(called)}", close)
    for each in called:
        if model not in (AUTO, *each.models):
            said.append(f"{each.contract} has no model {model} and runs on {each.models[0]}")
        if invert is not None and not each.has_inversion(invert):
            said.append(f"{each.contract} has no inversion {invert} and runs sound")
    return tuple(said)


def _named(called: Sequence[Kit]) -> str:
    return " or ".join(each.contract for each in called)


def check_of(contract_id: str) -> Check | None:
    """What a contract says of its adoptions besides what every contract asks; None for one without a kit."""
    kit = kit_of(contract_id)
    return None if kit is None else kit.check
