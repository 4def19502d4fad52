"""The concrete scenario: one template, one adoption, at most one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scenario:
    """A template with every placeholder filled. `row` is a row id, `diagnostics` hold the instance in their names."""

    id: str
    contract: str
    version: int
    instance: str
    template: str
    collection: str | None
    row: str | None
    type: str
    title: str
    given: str | None
    when: tuple[str, ...]
    then: tuple[str, ...]
    holds: str | None
    scope: str | None
    seeds: tuple[str, ...]
    diagnostics: tuple[str, ...]
    text: str
    answers: Mapping[str, str]

    @property
    def clauses(self) -> tuple[str, ...]:
        """The sentences that are judged, in order."""
        return self.then if self.type == "scenario" else (self.holds or "",)

    @property
    def logs(self) -> tuple[str, ...]:
        """The bare log names (without the instance) in the order of `diagnostics`."""
        prefix = f"{self.instance}-"
        return tuple(each.removeprefix(prefix) for each in self.diagnostics)

    def to_json(self) -> dict[str, object]:
        """The scenario in the fixed outside format of `harness expand --format json`."""
        return {
            "id": self.id,
            "contract": self.contract,
            "version": self.version,
            "instance": self.instance,
            "template": self.template,
            "collection": self.collection,
            "row": self.row,
            "type": self.type,
            "title": self.title,
            "given": self.given,
            "when": list(self.when),
            "then": list(self.then),
            "holds": self.holds,
            "scope": self.scope,
            "seeds": list(self.seeds),
            "diagnostics": list(self.diagnostics),
            "text": self.text,
            "answers": dict(self.answers),
        }


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A template (x row) that does not apply, with the rule that excludes it."""

    instance: str
    template: str
    row: str | None
    reason: str

    @property
    def id(self) -> str:
        """The id that the scenario would have had."""
        return scenario_id(self.instance, self.template, self.row)

    def to_json(self) -> dict[str, object]:
        """The exclusion as `harness expand --all` lists it among the scenarios; `excluded` tells the two apart."""
        return {
            "id": self.id,
            "instance": self.instance,
            "template": self.template,
            "row": self.row,
            "excluded": self.reason,
        }


def scenario_id(instance: str, template: str, row: str | None) -> str:
    """The id of a template (x row) under one adoption: `<instance>/<template>` or `<instance>/<template>[<row>]`."""
    return f"{instance}/{template}" if row is None else f"{instance}/{template}[{row}]"
