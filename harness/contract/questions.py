"""Which questions the contract asks of an adoption (lifecycle: When a question is asked).

Pure functions over an Adoption. An answer to a question that was not asked is ignored by everything after validation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from harness.contract.shapes import Adoption, Row

#: The flags of the job contract in the order in which their questions are best asked: each rests only on earlier ones.
FLAGS = (
    "job-inputs",
    "input-claim-timing",
    "output-full",
    "delivery-trigger",
    "partial-work",
    "failure-result",
    "stopped-claims",
    "cancel-return",
    "cancel-dependents",
)

#: Asked, yet it may stay unanswered; its absence means `automatic`.
MAY_STAY_UNANSWERED = frozenset({"delivery-trigger"})

_CLAIMS_BEFORE_FINISH = frozenset({"taken-at-request", "taken-at-start", "with-progress"})


def asked(adoption: Adoption, flag: str) -> bool:
    """Whether the contract asks this question of the adoption; a flag of another contract is always asked."""
    condition = _ASKED.get(flag)
    return True if condition is None else condition(adoption)


def answer(adoption: Adoption, flag: str) -> str | None:
    """The answer to a flag, None where it was not asked or stayed unanswered."""
    return adoption.answers.get(flag) if asked(adoption, flag) else None


def effective_answers(adoption: Adoption) -> Mapping[str, str]:
    """The answers to the questions that were asked; one that stayed unanswered is not in it.

    An absent `delivery-trigger` means automatic delivery; an absent `stopped-claims` means that claims are held.
    """
    answers = {flag: value for flag, value in adoption.answers.items() if asked(adoption, flag)}
    return MappingProxyType(answers)


def failure_result(adoption: Adoption, row: Row) -> str | None:
    """What a failures row leads to: its own result, else the failure-result answer, None where that is missing."""
    return row.get("result") or adoption.answers.get("failure-result")


def _requires_inputs(adoption: Adoption) -> bool:
    return adoption.answers.get("job-inputs") == "required-inputs"


def _claims_with_progress(adoption: Adoption) -> bool:
    return answer(adoption, "input-claim-timing") == "with-progress"


def _partial_work(adoption: Adoption) -> bool:
    can_stop = bool(adoption.rows("interruptions")) or _claims_with_progress(adoption)
    return bool(adoption.rows("work-phases")) and can_stop


def _failure_result(adoption: Adoption) -> bool:
    return any(row.get("result") is None for row in adoption.rows("failures"))


def _stopped_claims(adoption: Adoption) -> bool:
    if not adoption.rows("work-phases") or answer(adoption, "input-claim-timing") not in _CLAIMS_BEFORE_FINISH:
        return False
    recoverable = any(
        row.get("from-state") == "working" and failure_result(adoption, row) == "partial-inputs-or-work"
        for row in adoption.rows("failures")
    )
    return recoverable or bool(adoption.rows("interruptions")) or _claims_with_progress(adoption)


_ASKED: dict[str, Callable[[Adoption], bool]] = {
    "job-inputs": lambda adoption: True,
    "input-claim-timing": _requires_inputs,
    "output-full": lambda adoption: True,
    "delivery-trigger": lambda adoption: adoption.job.get("output") == "new-thing",
    "partial-work": _partial_work,
    "failure-result": _failure_result,
    "stopped-claims": _stopped_claims,
    "cancel-return": lambda adoption: bool(adoption.rows("cancellations")) and _requires_inputs(adoption),
    "cancel-dependents": lambda adoption: bool(adoption.rows("dependent-cancellations")),
}
