"""Kind 3, rows of one collection that compete: the first that fits is used, so some never are and some are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.questions import answer
from harness.contract.rules import field_rule
from harness.contract.shapes import JsonValue, Row
from harness.contract.validation.subject import Subject


class _Rivals(NamedTuple):
    """A collection whose rules name, under `for`, what they are for; needed under one answer to a flag."""

    collection: str
    field: str
    flag: str
    answer: str
    of_cancellations: bool


_RIVALS = (
    _Rivals("progress-rounding-rules", "progress-rounding-declared-in", "input-claim-timing", "with-progress", False),
    _Rivals("reversal-rules", "reversal-declared-in", "partial-work", "reverse-while-stopped", False),
    _Rivals("cancel-return-rules", "cancel-return-declared-in", "cancel-return", "return-by-rule", True),
)


def check(subject: Subject) -> Iterator[Finding]:
    """Rows that can never be chosen, and jobs or cancellations that find no row."""
    yield from _pools(subject)
    yield from _route(subject)
    for rivals in _RIVALS:
        yield from _rows_for(subject, rivals)


def _never(subject: Subject, row: Row, why: str) -> Finding:
    pointer = pointer_to("collections", row.collection, row.index, "id")
    message = f'the row "{row.id}" can never be chosen: {why}'
    return subject.warning(
        "row-never-chosen", pointer, message, "put it earlier, or remove it; its scenarios check nothing"
    )


def _pools(subject: Subject) -> Iterator[Finding]:
    jobs, taken = set(subject.job_ids()), set[str]()
    all_taken_by: str | None = None
    for row in subject.adoption.rows("work-limits"):
        covers = field_rule(subject.adoption, "work-limits", row.id, "covers-declared-in")
        if all_taken_by is not None:
            yield _never(subject, row, f"every request belongs to an earlier pool, the last of them {all_taken_by}")
            continue
        if isinstance(covers, list):
            own = {str(each) for each in covers} & jobs
            if own and own <= taken:
                yield _never(subject, row, "every job that it covers belongs to an earlier pool")
            taken |= own
        if covers == "all" or (jobs <= taken and not subject.has_unfit_jobs):
            all_taken_by = row.id


def _route(subject: Subject) -> Iterator[Finding]:
    if answer(subject.adoption, "output-full") != "try-destinations":
        return
    normal = [job.value.get("destination") for job in subject.jobs]
    ends_at = "the normal destination" if normal and all(_is_unlimited(each) for each in normal) else None
    for row in subject.adoption.rows("output-destinations"):
        if ends_at is not None:
            yield _never(subject, row, f"{ends_at} before it accepts always")
        elif _is_unlimited(field_rule(subject.adoption, row.collection, row.id, "destination-declared-in")):
            ends_at = row.id


def _is_unlimited(destination: JsonValue) -> bool:
    return isinstance(destination, dict) and destination.get("capacity") == "unlimited"


def _rows_for(subject: Subject, rivals: _Rivals) -> Iterator[Finding]:
    adoption = subject.adoption
    rows = adoption.rows(rivals.collection)
    everyone = (
        [row.id for row in adoption.rows("cancellations")] if rivals.of_cancellations else list(subject.job_ids())
    )
    left, is_known = dict.fromkeys(everyone), True
    for row in rows:
        value = field_rule(adoption, rivals.collection, row.id, rivals.field)
        if not isinstance(value, dict):
            is_known = False
            continue
        named = value.get("for")
        own = everyone if not isinstance(named, list) else [str(each) for each in named if each in everyone]
        if own and not any(each in left for each in own):
            yield _never(subject, row, "earlier rows are for all that it is for")
        for each in own:
            left.pop(each, None)
    if not rows or not is_known or subject.has_unfit_jobs or rivals.flag in subject.doubtful:
        return
    if answer(adoption, rivals.flag) == rivals.answer:
        yield from (_unmatched(subject, rivals, each) for each in left)


def _unmatched(subject: Subject, rivals: _Rivals, name: str) -> Finding:
    if rivals.of_cancellations:
        row = subject.adoption.row("cancellations", name)
        what, pointer = "cancellation", pointer_to("collections", "cancellations", row.index, "id")
    else:
        what = "job"
        pointer = next((each.pointer for each in subject.jobs if each.job == name), "/job/id")
    message = f'the {what} "{name}" needs a row of {rivals.collection}, and none is for it'
    return subject.finding("no-row-matches", pointer, message, "add a row, or leave for: out of the last one")
