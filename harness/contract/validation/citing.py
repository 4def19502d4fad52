"""Kind 3, addresses: does each cited address resolve, and does the rule that is read stand there? Pins too."""

from __future__ import annotations

from collections.abc import Iterator

from harness.base.finding import Finding, Severity
from harness.contract.addresses import passage_digest
from harness.contract.documents import pointer_to
from harness.contract.fitting import nearest, suggestion
from harness.contract.rules import BY_ROW, IDLE_UNLESS, Citation, citations, expand_address, rows_of, rule_address
from harness.contract.shapes import JsonValue
from harness.contract.validation.subject import Subject

# Addresses in one file are alike in their path; only those that are nearly the same were meant to be the same.
_ADDRESS_LIKENESS = 0.9


def check(subject: Subject) -> Iterator[Finding]:
    """Findings about every cited address and every pin."""
    cited = tuple(citations(subject.adoption))
    yield from _passages(subject, cited)
    yield from _pins(subject, cited)


def check_rules(subject: Subject) -> Iterator[Finding]:
    """Findings about every rule that rows cite: is it there, of the right kind, for that row, and read at all?"""
    cited = tuple(citations(subject.adoption))
    yield from _rules(subject, cited)
    yield from _idle_fields(subject, cited)
    yield from _unused_rules(subject, cited)
    yield from _rows_by_id(subject, cited)


def _passages(subject: Subject, cited: tuple[Citation, ...]) -> Iterator[Finding]:
    """Each address once, where it is cited first; then the addresses of job rules that nothing cites."""
    places = {each.address: each.pointer for each in reversed(cited)}
    for job in subject.jobs:
        places.setdefault(job.address, pointer_to("rules", job.address))
    for address, pointer in places.items():
        passage = subject.passages.find(address)
        if passage.text is not None:
            continue
        severity = Severity.NOTE if passage.rule == "external-address" else Severity.ERROR
        at_key = pointer.startswith("/rules/")
        yield subject.finding(passage.rule, pointer, passage.message, passage.hint, severity=severity, at_key=at_key)


def _pins(subject: Subject, cited: tuple[Citation, ...]) -> Iterator[Finding]:
    sources = subject.adoption.sources
    known = {expand_address(sources, each.address) for each in cited}
    known |= {expand_address(sources, each) for each in subject.adoption.rules}
    for address, pin in subject.adoption.pins.items():
        pointer = pointer_to("pins", address)
        passage = subject.passages.find(address)
        if expand_address(sources, address) not in known:
            near = nearest(address, (each.address for each in cited), _ADDRESS_LIKENESS)
            hint = f'did you mean "{near}"?' if near else "remove the pin"
            yield subject.note("unused-pin", pointer, "nothing cites the pinned address", hint, at_key=True)
        elif passage.text is None:
            if passage.rule == "external-address":
                message = "the pinned passage is external and can't be compared"
                yield subject.note("unused-pin", pointer, message, "remove the pin", at_key=True)
        elif passage_digest(passage.text) != pin:
            message = f"the passage at {address} has changed since it was reviewed"
            hint = f"review it again, then pin {passage_digest(passage.text)}"
            yield subject.finding("stale-pin", pointer, message, hint)


def _rules(subject: Subject, cited: tuple[Citation, ...]) -> Iterator[Finding]:
    for each in cited:
        if each.kind is None or not each.is_consulted or subject.is_unfit(each.address, each.kind):
            continue
        key = rule_address(subject.adoption, each.address)
        if key is None:
            message = f'no rule stands at {each.address}, where {each.field} reads the kind "{each.kind}"'
            near = nearest(each.address, subject.adoption.rules, _ADDRESS_LIKENESS)
            hint = f'did you mean "{near}"?' if near else f"add the address to rules, with {each.kind}:"
            yield subject.finding("missing-rule", each.pointer, message, hint)
        elif each.kind not in subject.adoption.rules[key]:
            yield from _wrong_kind(subject, each, key)
        else:
            by_row = rows_of(_json(subject.adoption.rules[key][each.kind]))
            if by_row is not None and each.row not in by_row:
                message = f'the rule at {each.address} has values by row, and none for "{each.row}"'
                yield subject.finding("missing-rule", each.pointer, message, f'add "{each.row}" under by-row')


def _wrong_kind(subject: Subject, citation: Citation, key: str) -> Iterator[Finding]:
    found = " and ".join(subject.adoption.rules[key]) or "nothing"
    message = f'{citation.field} reads the kind "{citation.kind}" at {citation.address}, where {found} stands'
    hint = f"add {citation.kind}: at that address, or cite another"
    yield subject.finding("wrong-rule-kind", citation.pointer, message, hint)


def _idle_fields(subject: Subject, cited: tuple[Citation, ...]) -> Iterator[Finding]:
    for each in cited:
        if not each.is_consulted:
            other, value = IDLE_UNLESS[each.collection or "", each.field]
            message = f"{each.field} is read only where {other} is {value}"
            yield subject.warning("field-not-read", each.pointer, message, "leave the field out", at_key=True)


def _unused_rules(subject: Subject, cited: tuple[Citation, ...]) -> Iterator[Finding]:
    read = {(rule_address(subject.adoption, each.address), each.kind) for each in cited if each.is_consulted}
    addresses = {address for address, _ in read}
    for address, kinds in subject.adoption.rules.items():
        for kind in kinds:
            # Any declared job can be requested, so a job rule is always of use.
            if kind != "job" and (address, kind) not in read:
                pointer = pointer_to("rules", address, kind)
                why = f"nothing reads {kind} here" if address in addresses else "nothing cites this address"
                yield subject.note("unused-rule", pointer, why, "cite it, or remove it", at_key=True)


def _rows_by_id(subject: Subject, cited: tuple[Citation, ...]) -> Iterator[Finding]:
    for address, kinds in subject.adoption.rules.items():
        for kind, value in kinds.items():
            by_row = rows_of(_json(value))
            if by_row is None:
                continue
            rows = {
                each.row
                for each in cited
                if each.kind == kind
                and each.row is not None
                and rule_address(subject.adoption, each.address) == address
            }
            for row_id in by_row:
                if rows and row_id not in rows:
                    message = f'no row "{row_id}" cites this address for {kind}'
                    pointer = pointer_to("rules", address, kind, BY_ROW, row_id)
                    yield subject.finding("unknown-row", pointer, message, suggestion(row_id, rows), at_key=True)


def _json(value: object) -> JsonValue:
    return value  # type: ignore[return-value] # rules hold plain JSON
