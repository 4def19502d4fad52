"""The typed forms of a contract and an adoption.

A contract is a list of templates; an adoption is one system's answer to it. Both are read-only values: mappings in
them are views that refuse to be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

EMPTY: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Binding:
    """A text chosen by the adoption's answer to `flag`; placeholder `{{bind:<name>}}`."""

    flag: str
    map: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """When a template applies: every flag's answer, and every row field, is one of the listed values."""

    flag: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    row: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Template:
    """One scenario template, as the contract writes it.

    `type` is `scenario` (given, when, then) or `general` (holds); `expand` is `once` or `per-row` over `collection`.
    `inputs` holds the default of each verification input by name.
    """

    id: str
    title: str
    type: str
    expand: str
    collection: str | None
    when: Condition
    bindings: Mapping[str, Binding]
    given: str | None
    steps: tuple[str, ...]
    then: tuple[str, ...]
    holds: str | None
    scope: str | None
    seeds: str | None
    diagnostics: tuple[str, ...]
    text: str
    inputs: Mapping[str, object]

    @property
    def clauses(self) -> tuple[str, ...]:
        """The sentences that are judged, in order: the `then` clauses, or the one `holds` of a general template."""
        return self.then if self.type == "scenario" else (self.holds or "",)


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract: `digest` is `sha256:<hex>` of its bytes, `path` is as named by the caller."""

    id: str
    version: int
    digest: str
    path: str
    templates: tuple[Template, ...]

    def template(self, template_id: str) -> Template:
        """The template with this id; KeyError where there is none."""
        for each in self.templates:
            if each.id == template_id:
                return each
        raise KeyError(template_id)


@dataclass(frozen=True, slots=True)
class Row:
    """One declared row of a collection: its id and its fields (`id` included), as written."""

    collection: str
    index: int
    fields: Mapping[str, str]

    @property
    def id(self) -> str:
        """The row's id, unique in its collection."""
        return self.fields["id"]

    def get(self, name: str, default: str | None = None) -> str | None:
        """The field's text, or `default` where the row does not declare it."""
        return self.fields.get(name, default)


@dataclass(frozen=True, slots=True)
class Adoption:
    """One system's answer to a contract.

    `path` is as the caller typed it, `root` the folder that local addresses are relative to, `digest`
    `sha256:<hex>` of the file's bytes. `answers` holds what was written, also to questions that were not asked
    (see `questions.effective_answers`). `rules` maps an address, as written, to its executable kinds.
    """

    contract: str
    version: int
    instance: str
    path: str
    root: str
    digest: str
    job: Mapping[str, str]
    answers: Mapping[str, str]
    collections: Mapping[str, tuple[Row, ...]]
    inputs: Mapping[str, Mapping[str, object]]
    rules: Mapping[str, Mapping[str, object]]
    pins: Mapping[str, str]
    sources: Mapping[str, str]
    document: Mapping[str, object]

    def rows(self, collection: str) -> tuple[Row, ...]:
        """The rows of a collection in written order; empty where the collection has none."""
        return self.collections.get(collection, ())

    def row(self, collection: str, row_id: str) -> Row:
        """The row with this id; KeyError where there is none."""
        for each in self.rows(collection):
            if each.id == row_id:
                return each
        raise KeyError(f"{collection}/{row_id}")
