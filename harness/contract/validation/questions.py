"""Kind 4: questions that are asked and have no answer, answers to questions that are not asked."""

from __future__ import annotations

from collections.abc import Iterator

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.questions import FLAGS, MAY_STAY_UNANSWERED, asked
from harness.contract.schemas import named_answers
from harness.contract.validation.subject import Subject

_WHY_ASKED = {
    "input-claim-timing": "job-inputs is required-inputs",
    "delivery-trigger": "the job makes a new thing",
    "partial-work": "there is a work phase, and an interruption or progress claiming can stop it",
    "failure-result": "a failures row leaves its result out",
    "stopped-claims": "a job with a work phase can be stopped while it has a claim",
    "cancel-return": "there is a cancellations row and inputs are required",
    "cancel-dependents": "there is a dependent-cancellations row",
}
_WHY_NOT = {
    "input-claim-timing": "job-inputs is not required-inputs",
    "delivery-trigger": "the job is in-place",
    "partial-work": "there is no work phase, or no ordinary stop is possible",
    "failure-result": "no failures row leaves its result out",
    "stopped-claims": "no job with a work phase can be stopped while it has a claim",
    "cancel-return": "there is no cancellations row, or no input is required",
    "cancel-dependents": "there is no dependent-cancellations row",
}
# Whose answers decide whether a question is asked.
_RESTS_ON = {
    "input-claim-timing": {"job-inputs"},
    "partial-work": {"job-inputs", "input-claim-timing"},
    "stopped-claims": {"job-inputs", "input-claim-timing", "failure-result"},
    "cancel-return": {"job-inputs"},
}


def check(subject: Subject) -> Iterator[Finding]:
    """Questions and answers that don't meet."""
    adoption = subject.adoption
    for flag in FLAGS:
        if flag in subject.doubtful or _RESTS_ON.get(flag, set()) & subject.doubtful:
            continue
        is_asked, is_answered = asked(adoption, flag), flag in adoption.answers
        if is_asked and not is_answered and flag not in MAY_STAY_UNANSWERED:
            why = f"asked because {_WHY_ASKED[flag]}" if flag in _WHY_ASKED else "always asked"
            message = f"the question {flag} has no answer; it is {why}"
            choices = ", ".join(named_answers(subject.contract).get(flag, ()))
            hint = f'add "{flag}:" here, with one of: {choices}'
            yield subject.finding("question-unanswered", "/answers", message, hint, at_key=True)
        elif is_answered and not is_asked:
            message = (
                f"the question {flag} is not asked: {_WHY_NOT.get(flag, 'nothing asks it')}; the answer is ignored"
            )
            pointer = pointer_to("answers", flag)
            yield subject.warning("answer-not-asked", pointer, message, "leave the answer out", at_key=True)
