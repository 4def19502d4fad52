"""Kind 5: what the contract itself calls invalid. Each finding names the template that says so.

A pairing makes the rows of a collection legal under some answers only; a need makes an answer ask for at least one
row. Such an adoption can still be run: the named template then fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.questions import MAY_STAY_UNANSWERED, answer, asked, failure_result
from harness.contract.rules import field_rule
from harness.contract.validation.subject import Subject


class Pairing(NamedTuple):
    """Rows of `collection` are legal only under one of `answers` to `flag`."""

    collection: str
    flag: str
    answers: tuple[str, ...]
    template: str


class Need(NamedTuple):
    """Under `answer` to `flag` there is at least one row of `collection`."""

    flag: str
    answer: str
    collection: str
    template: str


PAIRINGS = (
    Pairing("readmission-events", "output-full", ("wait-before-start",), "readmission-event-pairs-with-reservation"),
    Pairing(
        "progress-rounding-rules",
        "input-claim-timing",
        ("with-progress",),
        "progress-rounding-rule-pairs-with-progress",
    ),
    Pairing("reversal-rules", "partial-work", ("reverse-while-stopped",), "reversal-rule-pairs-with-reversing-work"),
    Pairing(
        "cancel-return-rules",
        "cancel-return",
        ("return-by-rule",),
        "cancel-return-rule-pairs-with-rule-sized-return",
    ),
    Pairing(
        "redelivery-events",
        "output-full",
        ("hold-undelivered", "try-destinations"),
        "redelivery-event-pairs-with-retry-answer",
    ),
    Pairing(
        "output-destinations", "output-full", ("try-destinations",), "fallback-destination-pairs-with-ordered-route"
    ),
    Pairing(
        "collection-events", "delivery-trigger", ("on-collection",), "collection-event-pairs-with-collection-delivery"
    ),
)
NEEDS = (
    Need("output-full", "wait-before-start", "readmission-events", "reservation-needs-a-readmission-event"),
    Need("input-claim-timing", "with-progress", "progress-rounding-rules", "progress-needs-a-rounding-rule"),
    Need("partial-work", "reverse-while-stopped", "reversal-rules", "reversing-work-needs-a-reversal-rule"),
    Need("cancel-return", "return-by-rule", "cancel-return-rules", "rule-sized-return-needs-a-return-rule"),
    Need("output-full", "hold-undelivered", "redelivery-events", "held-output-needs-a-redelivery-event"),
    Need("delivery-trigger", "on-collection", "collection-events", "collection-needs-a-collection-event"),
)
RULE_IDS = frozenset(
    {
        "row-not-legal",
        "row-needed",
        "interruption-without-work",
        "recoverable-from-finished",
        "in-place-needs-never-full",
        "route-needs-redelivery",
    }
)


def check(subject: Subject) -> Iterator[Finding]:
    """Everything that a template of the contract calls invalid in this adoption."""
    for pairing in PAIRINGS:
        yield from _pairing(subject, pairing)
    for need in NEEDS:
        yield from _need(subject, need)
    yield from _interruptions(subject)
    yield from _failures_from_finished(subject)
    yield from _in_place(subject)
    yield from _route(subject)


def _is_open(subject: Subject, flag: str) -> bool:
    """Whether the answer can't be told: it is doubtful, or asked and missing, which is a finding of its own."""
    if flag in subject.doubtful:
        return True
    is_missing = asked(subject.adoption, flag) and flag not in subject.adoption.answers
    return is_missing and flag not in MAY_STAY_UNANSWERED


def _pairing(subject: Subject, pairing: Pairing) -> Iterator[Finding]:
    given = answer(subject.adoption, pairing.flag)
    if _is_open(subject, pairing.flag) or given in pairing.answers:
        return
    legal = " or ".join(pairing.answers)
    stands = f"the answer is {given}"
    if not asked(subject.adoption, pairing.flag):
        stands = f"{pairing.flag} is not asked"
    elif given is None:
        stands = f"{pairing.flag} is not answered, which means automatic"
    for row in subject.adoption.rows(pairing.collection):
        pointer = pointer_to("collections", pairing.collection, row.index, "id")
        message = f'the row "{row.id}" of {pairing.collection} is legal only under {legal}; {stands}'
        hint = f"remove the row, or answer {pairing.flag}: {pairing.answers[0]}"
        yield subject.finding("row-not-legal", pointer, message, hint, template=pairing.template)


def _need(subject: Subject, need: Need) -> Iterator[Finding]:
    if need.flag in subject.doubtful or answer(subject.adoption, need.flag) != need.answer:
        return
    if not subject.adoption.rows(need.collection):
        message = f"{need.answer} needs at least one row of {need.collection}; there is none"
        hint = f"declare a row under collections: {need.collection}, or answer otherwise"
        pointer = pointer_to("answers", need.flag)
        yield subject.finding("row-needed", pointer, message, hint, template=need.template)


def _interruptions(subject: Subject) -> Iterator[Finding]:
    if subject.adoption.rows("work-phases"):
        return
    for row in subject.adoption.rows("interruptions"):
        message = f'the interruption "{row.id}" has no work to interrupt: there is no work-phases row'
        pointer = pointer_to("collections", "interruptions", row.index, "id")
        hint = "declare a work phase, or remove the row"
        yield subject.finding(
            "interruption-without-work", pointer, message, hint, template="declared-interruption-stops-once"
        )


def _failures_from_finished(subject: Subject) -> Iterator[Finding]:
    for row in subject.adoption.rows("failures"):
        own = row.get("result")
        if row.get("from-state") != "finished" or failure_result(subject.adoption, row) != "partial-inputs-or-work":
            continue
        whose = "its result" if own else "the failure-result answer, which it follows,"
        message = f'the failure "{row.id}" is from finished, where only job-ruined is possible; {whose} is recoverable'
        pointer = pointer_to("collections", "failures", row.index, "result" if own else "from-state")
        template = "failure-row-fires-from-its-state"
        yield subject.finding(
            "recoverable-from-finished", pointer, message, "write result: job-ruined", template=template
        )


def _in_place(subject: Subject) -> Iterator[Finding]:
    given = answer(subject.adoption, "output-full")
    if subject.adoption.job.get("output") != "in-place" or given in (None, "never-full"):
        return
    message = f"an in-place job has no destination that could be full; it answers never-full, not {given}"
    template = "finish-spends-and-establishes-one-output"
    yield subject.finding(
        "in-place-needs-never-full",
        "/answers/output-full",
        message,
        "answer output-full: never-full",
        template=template,
    )


def _route(subject: Subject) -> Iterator[Finding]:
    adoption = subject.adoption
    if answer(adoption, "output-full") != "try-destinations" or adoption.rows("redelivery-events"):
        return
    fallbacks = [
        field_rule(adoption, "output-destinations", row.id, "destination-declared-in")
        for row in adoption.rows("output-destinations")
    ]
    normal = [job.value.get("destination") for job in subject.jobs]
    if any(not isinstance(each, dict) for each in (*fallbacks, *normal)) or not normal:
        return  # some destination is not known; that is a finding of its own
    if any(_accepts_always(each) for each in fallbacks) or all(_accepts_always(each) for each in normal):
        return
    message = "every destination of the route can refuse the output, and no redelivery event makes it try again"
    hint = "declare a redelivery-events row, or end the route in a destination of unlimited capacity"
    template = "ordered-route-keeps-one-output"
    yield subject.finding("route-needs-redelivery", "/answers/output-full", message, hint, template=template)


def _accepts_always(destination: object) -> bool:
    return isinstance(destination, dict) and destination.get("capacity") == "unlimited"
