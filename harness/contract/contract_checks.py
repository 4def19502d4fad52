"""What a contract's schema can't say: ids, placeholders, and names that its adoptions can't have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from harness.base.finding import Finding, Severity
from harness.contract.documents import Document, pointer_to
from harness.contract.fitting import suggestion
from harness.contract.schemas import PLACEHOLDER
from harness.contract.shapes import Contract, JsonValue, Template

_FORMS = "{{instance}}, {{row.<field>}}, {{bind:<name>}}, {{inputs:<name>}}"


class _Known(NamedTuple):
    """What the adoption schema beside the contract declares; None where it declares nothing of the sort."""

    answers: Mapping[str, tuple[str, ...]] | None
    rows: Mapping[str, tuple[str, ...]] | None


def check_contract(
    document: Document, contract: Contract, adoption_schema: Mapping[str, Any] | None
) -> tuple[Finding, ...]:
    """Every finding about a contract that fits the meta-schema; each is an error.

    `adoption_schema` is the one that the contract brings; without it any flag and any collection is fine.
    """
    known = _known(adoption_schema)
    found: list[Finding] = []
    seen: set[str] = set()
    for index, template in enumerate(contract.templates):
        check = _TemplateCheck(document, pointer_to("templates", index), template, known)
        if template.id in seen:
            found.append(check.error("duplicate-template", "/id", f'the template id "{template.id}" stands twice'))
        seen.add(template.id)
        found.extend(check.findings())
    return tuple(found)


class _TemplateCheck:
    """The checks of one template; `base` is the pointer to it."""

    def __init__(self, document: Document, base: str, template: Template, known: _Known) -> None:
        self._document, self._base, self._template, self._known = document, base, template, known

    def error(self, rule: str, pointer: str, message: str, hint: str | None = None) -> Finding:
        """An error finding at a pointer below the template."""
        full = self._base + pointer
        position = self._document.position(full)
        return Finding(rule, Severity.ERROR, message, position, hint, full, self._template.id, unreadable=True)

    def findings(self) -> Iterator[Finding]:
        yield from self._kind()
        yield from self._conditions()
        node = self._document.node(self._base)
        for pointer, text in _texts(node.value if node else None):
            yield from self._placeholders(pointer, text)

    def _kind(self) -> Iterator[Finding]:
        template, node = self._template, self._document.node(self._base + "/test/type")
        if node is not None and node.value != template.type:
            yield self.error(
                "template-type", "/test/type", "the test's type is not the template's", f"write {template.type}"
            )
        if template.expand == "per-row":
            yield from self._named("contract-collection", "/collection", template.collection or "", self._known.rows)
        elif template.collection is not None:
            yield self.error("template-collection", "/collection", "a template that expands once has no collection")
        if template.when.row and template.expand != "per-row":
            message = "a condition on row fields needs a template that expands per row"
            yield self.error("template-collection", "/when/row", message)

    def _conditions(self) -> Iterator[Finding]:
        for flag, answers in self._template.when.flag.items():
            yield from self._flag(pointer_to("when", "flag", flag), flag, answers)
        for name, binding in self._template.bindings.items():
            yield from self._flag(pointer_to("bindings", name, "flag"), binding.flag, binding.map)
        for field in self._template.when.row:
            yield from self._row_field(pointer_to("when", "row", field), field)

    def _flag(self, pointer: str, flag: str, answers: Iterable[str]) -> Iterator[Finding]:
        yield from self._named("contract-flag", pointer, flag, self._known.answers)
        allowed = (self._known.answers or {}).get(flag, ())
        for answer in answers if allowed else ():
            if answer not in allowed:
                message = f'"{answer}" is no answer to {flag}'
                yield self.error("contract-answer", pointer, message, suggestion(answer, allowed))

    def _row_field(self, pointer: str, field: str) -> Iterator[Finding]:
        fields = (self._known.rows or {}).get(self._template.collection or "")
        if fields and field not in fields:
            message = f'rows of {self._template.collection} have no field "{field}"'
            yield self.error("contract-row-field", pointer, message, suggestion(field, fields))

    def _named(self, rule: str, pointer: str, name: str, known: Mapping[str, object] | None) -> Iterator[Finding]:
        if known is not None and name not in known:
            what = {"contract-collection": "collection", "contract-flag": "flag"}[rule]
            yield self.error(rule, pointer, f'adoptions have no {what} "{name}"', suggestion(name, known))

    def _placeholders(self, pointer: str, text: str) -> Iterator[Finding]:
        for name in PLACEHOLDER.findall(text):
            yield from self._placeholder(pointer, name)
        rest = PLACEHOLDER.sub("", text)
        if "{{" in rest or "}}" in rest:
            yield self.error("placeholder-form", pointer, "a double brace is not closed or not opened", f"use {_FORMS}")

    def _placeholder(self, pointer: str, name: str) -> Iterator[Finding]:
        template = self._template
        kind, colon, key = name.partition(":")
        if name == "instance":
            return
        if name.startswith("row.") and name != "row.":
            if template.expand != "per-row":
                message = f"{{{{{name}}}}} stands in a template that expands once and has no row"
                yield self.error("placeholder-row", pointer, message, "expand it per row, or leave the placeholder out")
            else:
                yield from self._row_field(pointer, name.removeprefix("row."))
        elif colon and kind in ("bind", "inputs"):
            names = template.bindings if kind == "bind" else template.inputs
            if key not in names:
                message = f'the template has no {"binding" if kind == "bind" else "input"} "{key}"'
                yield self.error("placeholder-name", pointer, message, suggestion(key, names))
        else:
            yield self.error("placeholder-form", pointer, f"{{{{{name}}}}} is not a placeholder", f"use {_FORMS}")


def _texts(value: JsonValue) -> Iterator[tuple[str, str]]:
    """Every text below a value, with its pointer."""
    pending: list[tuple[str, JsonValue]] = [("", value)]
    while pending:
        pointer, each = pending.pop()
        if isinstance(each, str):
            yield pointer, each
        elif isinstance(each, dict):
            pending.extend((pointer + pointer_to(key), inner) for key, inner in each.items())
        elif isinstance(each, list):
            pending.extend((f"{pointer}/{index}", inner) for index, inner in enumerate(each))


def _known(schema: Mapping[str, Any] | None) -> _Known:
    """The flags with their answers and the collections with their row fields, as an adoption schema lists them."""
    answers = _part(schema, "properties", "answers", "properties")
    rows = _part(schema, "properties", "collections", "properties")
    return _Known(
        answers and {flag: tuple(_part(answers, flag, "enum", kind=list) or ()) for flag in answers},
        rows and {name: tuple(_part(rows, name, "items", "properties") or ()) for name in rows},
    )


def _part(schema: Any, *keys: str, kind: type = dict) -> Any:
    """What stands in a schema below these keys; None where the schema has no such part, or one of another kind."""
    for key in keys:
        schema = schema.get(key) if isinstance(schema, Mapping) else None
    return schema if isinstance(schema, kind) else None
