"""Contract x adoption -> scenarios.

The unit of account is template x row: a `once` template is one unit, a `per-row` template one unit for each row of its
collection, and one unit where the collection has no rows. Every unit either becomes a scenario or is excluded by a
named rule. The units are counted apart from the expansion, so that a unit which got lost shows as unaccounted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from harness.contract.shapes import Adoption, Contract, Row, Template
from harness.expansion.placeholders import Filler, unanswered
from harness.expansion.scenario import Exclusion, Scenario, scenario_id

Unit = tuple[str, str | None]
"""One thing to account for: a template id and a row id, None for a template without a row."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a contract means for one adoption.

    `entries` holds scenarios and exclusions in template order, then row order. `units` is the independent count of
    what there is to account for.
    """

    adoption: Adoption
    entries: tuple[Scenario | Exclusion, ...]
    units: tuple[Unit, ...]

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios that apply, in template order, then row order."""
        return tuple(each for each in self.entries if isinstance(each, Scenario))

    @property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """The units that do not apply, each with the rule that excludes it."""
        return tuple(each for each in self.entries if isinstance(each, Exclusion))

    @property
    def total(self) -> int:
        """How many units there are; expanded, excluded and unaccounted ones."""
        return len(self.units)

    @property
    def unaccounted(self) -> int:
        """How many units are neither expanded nor excluded, or more than once; 0 unless expansion is broken."""
        accounted = Counter((each.template, each.row) for each in self.entries)
        owed = Counter(self.units)
        return sum(((owed - accounted) + (accounted - owed)).values())


def expand_adoption(contract: Contract, adoption: Adoption, answers: Mapping[str, str]) -> Expansion:
    """Every scenario and every exclusion of an adoption.

    `answers` holds the effective answers: to questions that were asked and answered
    (`harness.contract.questions.effective_answers`).
    Raises UsageError where the contract uses a placeholder that cannot be filled.
    """
    frozen = MappingProxyType(dict(answers))
    entries = tuple(
        entry for template in contract.templates for entry in expand_template(contract, template, adoption, frozen)
    )
    return Expansion(adoption, entries, count_units(contract, adoption))


def expand_template(
    contract: Contract,
    template: Template,
    adoption: Adoption,
    answers: Mapping[str, str],
) -> tuple[Scenario | Exclusion, ...]:
    """The scenario or exclusion for each row of one template, in row order; exactly one where it has no rows."""
    if template.expand == "once":
        rows: tuple[Row | None, ...] = (None,)
    else:
        rows = adoption.rows(template.collection or "")
        if not rows:
            return (Exclusion(adoption.instance, template.id, None, f"no row in {template.collection}"),)
    return tuple(
        _repeated_row(template, adoption, row, rows[:index]) or _expand_unit(contract, template, adoption, answers, row)
        for index, row in enumerate(rows)
    )


def _repeated_row(
    template: Template, adoption: Adoption, row: Row | None, earlier: tuple[Row | None, ...]
) -> Exclusion | None:
    """A second row of the same id would give a second scenario of the same id: only the first one is expanded."""
    if row is None or all(each is None or each.id != row.id for each in earlier):
        return None
    return Exclusion(adoption.instance, template.id, row.id, f"an earlier row of {row.collection} has the same id")


def count_units(contract: Contract, adoption: Adoption) -> tuple[Unit, ...]:
    """The units that an expansion owes, told from the contract and the adoption alone."""
    units: list[Unit] = []
    for template in contract.templates:
        row_ids = [row.id for row in adoption.collections.get(template.collection or "", ())]
        per_row = template.expand == "per-row" and row_ids
        units.extend((template.id, row_id) for row_id in (row_ids if per_row else [None]))
    return tuple(units)


def _expand_unit(
    contract: Contract,
    template: Template,
    adoption: Adoption,
    answers: Mapping[str, str],
    row: Row | None,
) -> Scenario | Exclusion:
    reason = exclusion_reason(template, adoption, answers, row)
    if reason is not None:
        return Exclusion(adoption.instance, template.id, row.id if row else None, reason)
    return _fill_template(contract, Filler(template, adoption, answers, row))


def exclusion_reason(
    template: Template,
    adoption: Adoption,
    answers: Mapping[str, str],
    row: Row | None,
) -> str | None:
    """The first rule of the template's `when` that keeps it from applying, in words; None where it applies."""
    for flag, wanted in template.when.flag.items():
        answer = answers.get(flag)
        if answer is None:
            return unanswered(adoption, flag)
        if answer not in wanted:
            return f"{flag} is {answer}, not {' or '.join(wanted)}"
    for name, wanted in template.when.row.items():
        value = row.get(name) if row else None
        if value is None:
            return f"row field {name} is not declared, so not {' or '.join(wanted)}"
        if value not in wanted:
            return f"row field {name} is {value}, not {' or '.join(wanted)}"
    return None


def _fill_template(contract: Contract, filler: Filler) -> Scenario:
    template, row = filler.template, filler.row
    return Scenario(
        id=scenario_id(filler.adoption.instance, template.id, row.id if row else None),
        contract=contract.id,
        version=contract.version,
        instance=filler.adoption.instance,
        template=template.id,
        collection=template.collection,
        row=row.id if row else None,
        type=template.type,
        title=filler.fill(template.title),
        given=filler.fill_optional(template.given),
        when=filler.fill_each(template.steps),
        then=filler.fill_each(template.then),
        holds=filler.fill_optional(template.holds),
        scope=filler.fill_optional(template.scope),
        seeds=filler.fill_list(template.seeds),
        diagnostics=filler.fill_each(template.diagnostics),
        text=filler.fill(template.text),
        answers=filler.answers,
    )
