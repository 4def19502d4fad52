"""Kind 3, the content of rules: what the schema can't say because it rests on answers, rows or other rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.fitting import suggestion
from harness.contract.questions import answer, failure_result
from harness.contract.rules import BY_ROW, citations, fraction, rows_of, rule_address, rule_value
from harness.contract.shapes import JsonValue
from harness.contract.validation.links import rule_values
from harness.contract.validation.subject import Subject, item_names, mappings


def check(subject: Subject) -> Iterator[Finding]:
    """Findings about the values of executable rules."""
    for job in subject.jobs:
        yield from _inputs(subject, job.pointer, job.value)
        yield from _place(subject, job.pointer, job.value)
    items = item_names(subject.jobs)
    for pointer, kind, value in rule_values(subject):
        yield from _items(subject, pointer, kind, value, items)
        yield from _ranges(subject, pointer, kind, value)
    yield from _failures(subject)
    yield from _capacities(subject)


def _inputs(subject: Subject, pointer: str, job: dict[str, JsonValue]) -> Iterator[Finding]:
    given, inputs = answer(subject.adoption, "job-inputs"), job.get("inputs")
    if given == "no-inputs" and inputs:
        message = "the job has inputs although job-inputs is answered no-inputs"
        yield subject.finding(
            "inputs-not-asked-for", pointer + "/inputs", message, "remove them, or answer required-inputs", at_key=True
        )
    if given == "required-inputs" and not inputs:
        message = "the job has no inputs although job-inputs is answered required-inputs"
        here = pointer + "/inputs" if "inputs" in job else pointer
        yield subject.warning("inputs-missing", here, message, "add inputs, or answer no-inputs")
    yield from _each_once(subject, pointer + "/inputs", inputs)


def _place(subject: Subject, pointer: str, job: dict[str, JsonValue]) -> Iterator[Finding]:
    output = subject.adoption.job.get("output")
    if output not in ("new-thing", "in-place"):
        return
    needed, other = ("destination", "site") if output == "new-thing" else ("site", "destination")
    if needed not in job:
        message = f"a job whose output is {output} needs a {needed}"
        yield subject.finding("job-place", pointer, message, f"add {needed}: to the job")
    if other in job:
        message = f"a job whose output is {output} has a {needed} and no {other}"
        yield subject.finding("job-place", f"{pointer}/{other}", message, f"write {needed}: instead", at_key=True)


def _each_once(subject: Subject, pointer: str, value: JsonValue) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, each in enumerate(mappings(value)):
        item = str(each.get("item"))
        if item in seen:
            message = f'the item "{item}" stands twice in the list'
            yield subject.finding("item-twice", f"{pointer}/{index}/item", message, "write one entry with the sum")
        seen.add(item)


_ITEM_LISTS = {
    "job": ("offer-check",),
    "failure": ("loses", "releases"),
    "cancel-return": ("per-item", "amounts"),
}


def _items(subject: Subject, pointer: str, kind: str, value: JsonValue, items: Iterable[str]) -> Iterator[Finding]:
    """Lists of items in rules: each item once, and each an input of some job."""
    known = frozenset(items)
    for key in _ITEM_LISTS.get(kind, ()):
        listed = value.get(key) if isinstance(value, dict) else None
        yield from _each_once(subject, f"{pointer}/{key}", listed)
        for index, each in enumerate(mappings(listed)):
            item = str(each.get("item"))
            if item not in known and known and not subject.has_unfit_jobs:
                message = f'the item "{item}" is no input of any job, so this entry does nothing'
                yield subject.warning("unknown-item", f"{pointer}/{key}/{index}/item", message, suggestion(item, known))


def _ranges(subject: Subject, pointer: str, kind: str, value: JsonValue) -> Iterator[Finding]:
    for here, number, is_share in _fractions(pointer, kind, value):
        if is_share and number > 1:
            yield subject.finding(
                "value-out-of-range", here, f"the share {number} is more than the whole", "write at most 1"
            )
        if not is_share and number <= 0:
            message = "work that does not grow by a tick never ends, and a request for it is refused"
            yield subject.finding("value-out-of-range", here, message, "write more than 0")


def _fractions(pointer: str, kind: str, value: JsonValue) -> Iterator[tuple[str, Fraction, bool]]:
    """Fractions with a bound: shares of a whole (true), and work per tick (false)."""
    if not isinstance(value, dict):
        return
    candidates: list[tuple[str, JsonValue, bool]] = []
    if kind == "duration":
        candidates.append((pointer + "/per-tick", value.get("per-tick"), False))
    elif kind == "failure":
        candidates.append((pointer + "/loses-work-share", value.get("loses-work-share"), True))
    elif kind == "cancel-return":
        candidates.append((pointer + "/fraction", value.get("fraction"), True))
        for index, each in enumerate(mappings(value.get("per-item"))):
            candidates.append((f"{pointer}/per-item/{index}/fraction", each.get("fraction"), True))
    for here, candidate, is_share in candidates:
        try:
            yield here, fraction(candidate), is_share
        except ValueError:
            continue  # absent, or the name of a request's field


def _failures(subject: Subject) -> Iterator[Finding]:
    """`all` and `releases` are for rows that ruin the job; a rule that only such rows cite may hold them."""
    adoption = subject.adoption
    for citation in citations(adoption):
        if citation.collection != "failures" or citation.row is None:
            continue
        row = adoption.row("failures", citation.row)
        value = rule_value(adoption, citation.address, "failure", row.id)
        result = failure_result(adoption, row)
        if not isinstance(value, dict) or result != "partial-inputs-or-work":
            continue
        key = rule_address(adoption, citation.address) or citation.address
        pointer = pointer_to("rules", key, "failure")
        if rows_of(adoption.rules[key]["failure"]) is not None:  # type: ignore[arg-type] # rules hold plain JSON
            pointer += pointer_to(BY_ROW, row.id)
        for name, is_there in (("loses", value.get("loses") == "all"), ("releases", "releases" in value)):
            if is_there:
                what = "losing all inputs" if name == "loses" else "releasing inputs"
                message = f'{what} ruins the job, and the failure "{row.id}" is recoverable'
                hint = "name the lost units, or write result: job-ruined"
                yield subject.finding("ruined-only", f"{pointer}/{name}", message, hint)


def _capacities(subject: Subject) -> Iterator[Finding]:
    first: dict[str, tuple[JsonValue, str]] = {}
    is_never_full = answer(subject.adoption, "output-full") == "never-full" and "output-full" not in subject.doubtful
    for pointer, is_normal, destination in _destinations(subject):
        name, capacity = str(destination.get("name")), destination.get("capacity")
        here = pointer + "/capacity"
        if is_normal and is_never_full and capacity != "unlimited":
            message = f"{name} holds {capacity}, so it can be full, although output-full is answered never-full"
            hint = "write capacity: unlimited, or answer what happens when it is full"
            template = "normal-destination-never-blocks"
            yield subject.warning("never-full-finite", here, message, hint, template=template)
        if name in first and first[name][0] != capacity:
            line = subject.document.position(first[name][1]).line
            message = f"{name} holds {capacity} here and {first[name][0]} in line {line}"
            yield subject.finding("capacity-differs", here, message, "give one destination one capacity")
        first.setdefault(name, (capacity, here))


def _destinations(subject: Subject) -> Iterator[tuple[str, bool, dict[str, JsonValue]]]:
    for pointer, kind, value in rule_values(subject):
        if kind == "destination" and isinstance(value, dict):
            yield pointer, False, value
        elif kind == "job" and isinstance(value, dict) and isinstance(found := value.get("destination"), dict):
            yield pointer + "/destination", True, found
