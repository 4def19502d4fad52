"""Kind 3 for every contract: row ids, verification inputs, the contract's id and version."""

from __future__ import annotations

from collections.abc import Iterator

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.fitting import suggestion
from harness.contract.schemas import named_answers, shipped_adoption_schema
from harness.contract.validation.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """References that any adoption of any contract can have."""
    yield from _contract(subject)
    yield from _row_ids(subject)
    yield from _inputs(subject)
    yield from _answers(subject)


def _contract(subject: Subject) -> Iterator[Finding]:
    adoption, contract = subject.adoption, subject.contract
    if adoption.contract and adoption.contract != contract.id:
        message = f'this adopts the contract "{adoption.contract}", not {contract.id}'
        yield subject.finding("contract-mismatch", "/contract", message, f"write {contract.id}", unreadable=True)
    elif adoption.version and adoption.version != contract.version:
        message = f"this answers version {adoption.version}, the contract is version {contract.version}"
        hint = f"go through the answers again and write {contract.version}"
        yield subject.finding("contract-version", "/version", message, hint, unreadable=True)


def _row_ids(subject: Subject) -> Iterator[Finding]:
    for collection, rows in subject.adoption.collections.items():
        first: dict[str, str] = {}
        for row in rows:
            pointer = pointer_to("collections", collection, row.index, "id")
            if row.id in first:
                line = subject.document.position(first[row.id]).line
                message = f'the row id "{row.id}" is taken by the row in line {line}'
                yield subject.finding("duplicate-row-id", pointer, message, "give each row of a collection its own id")
            first.setdefault(row.id, pointer)


def _inputs(subject: Subject) -> Iterator[Finding]:
    templates = {each.id: each for each in subject.contract.templates}
    for template_id, inputs in subject.adoption.inputs.items():
        pointer = pointer_to("inputs", template_id)
        template = templates.get(template_id)
        if template is None:
            message = f'the contract has no template "{template_id}"'
            with_inputs = [each.id for each in subject.contract.templates if each.inputs]
            hint = suggestion(template_id, with_inputs)
            yield subject.finding("unknown-template", pointer, message, hint, at_key=True)
            continue
        for name, value in inputs.items():
            here = pointer + pointer_to(name)
            if name not in template.inputs:
                message = f'the template {template_id} has no input "{name}"'
                hint = suggestion(name, template.inputs, "leave it out")
                yield subject.finding("unknown-input", here, message, hint, at_key=True, template=template_id)
            elif isinstance(value, str) != isinstance(template.inputs[name], str):
                is_text = isinstance(template.inputs[name], str)
                message = f"this input is {'a text' if is_text else 'a list of texts'}"
                hint = "write one text, without brackets" if is_text else "write a list: [a, b]"
                yield subject.finding("unknown-input", here, message, hint, template=template_id)


def _answers(subject: Subject) -> Iterator[Finding]:
    """Answers that no template names, where no schema beside the contract says which there are."""
    if shipped_adoption_schema(subject.contract.path) is not None:
        return
    for flag, answers in named_answers(subject.contract).items():
        given = subject.adoption.answers.get(flag)
        if given is not None and given not in answers:
            message = f'no template names the answer "{given}" to {flag}'
            yield subject.warning("unnamed-answer", pointer_to("answers", flag), message, suggestion(given, answers))
