"""Contract x adoption -> scenarios and exclusions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.contract.shapes import Template
from harness.expansion.expand import Expansion, expand_adoption
from harness.expansion.scenario import Exclusion
from tests.expansion.builders import adoption, contract, template

OVENS = {"ovens": ({"id": "b", "fuel": "wood"}, {"id": "a", "fuel": "gas"})}


def reasons(expansion: Expansion) -> list[str]:
    return [each.reason for each in expansion.exclusions]


def test_scenarios_come_in_template_order_then_row_order() -> None:
    """Templates keep the contract's order and rows the adoption's written order, never an alphabetical one."""
    expansion = expand_adoption(
        contract(template("z-once"), template("per-oven", collection="ovens"), template("a-once")),
        adoption(collections=OVENS),
        {},
    )
    assert [each.id for each in expansion.scenarios] == [
        "oven/z-once",
        "oven/per-oven[b]",
        "oven/per-oven[a]",
        "oven/a-once",
    ]


def test_scenario_json_has_exactly_the_fixed_keys() -> None:
    """The outside format has its eighteen keys in their order, whether or not a template uses them."""
    (scenario,) = expand_adoption(contract(template("only")), adoption(), {"heat": "wood"}).scenarios
    assert " ".join(scenario.to_json()) == (
        "id contract version instance template collection row type title given when then holds scope seeds "
        "diagnostics text answers"
    )
    assert scenario.to_json()["answers"] == {"heat": "wood"}


def test_flag_condition_excludes_another_answer_by_name() -> None:
    """A flag with another answer excludes the template, and the reason names answer and condition."""
    expansion = expand_adoption(
        contract(template("waits", flag={"output-full": ("wait-before-start", "hold")})),
        adoption(),
        {"output-full": "never-full"},
    )
    assert reasons(expansion) == ["output-full is never-full, not wait-before-start or hold"]


def test_flag_condition_excludes_a_question_that_was_not_asked() -> None:
    """An answer that is not effective counts as absent, also where the adoption wrote one down."""
    waits = contract(template("waits", flag={"stopped-claims": ("hold",)}))
    assert reasons(expand_adoption(waits, adoption(), {})) == ["stopped-claims was not asked"]
    written = adoption(answers={"stopped-claims": "hold"})
    assert reasons(expand_adoption(waits, written, {})) == ["stopped-claims was not asked; the answer given is ignored"]


def test_flag_condition_tells_not_answered_from_not_asked() -> None:
    """A missing answer to a question that was asked is called that."""
    expansion = expand_adoption(contract(template("t", flag={"output-full": ("never-full",)})), adoption(), {})
    assert reasons(expansion) == ["output-full was asked but not answered"]


def test_row_condition_excludes_row_by_row() -> None:
    """A row condition is looked at for each row, and a field the row lacks does not satisfy it."""
    rows = {"ovens": ({"id": "a", "scope": "shared"}, {"id": "b", "scope": "each-place"}, {"id": "c"})}
    expansion = expand_adoption(
        contract(template("places", collection="ovens", row={"scope": ("each-place",)})), adoption(collections=rows), {}
    )
    assert [each.id for each in expansion.scenarios] == ["oven/places[b]"]
    assert [(each.id, each.reason) for each in expansion.exclusions] == [
        ("oven/places[a]", "row field scope is shared, not each-place"),
        ("oven/places[c]", "row field scope is not declared, so not each-place"),
    ]


def test_per_row_template_without_rows_is_one_exclusion() -> None:
    """A per-row template without rows counts once, whatever else would exclude it."""
    expansion = expand_adoption(
        contract(template("places", collection="ovens", flag={"heat": ("wood",)})), adoption(), {}
    )
    assert expansion.exclusions == (Exclusion("oven", "places", None, "no row in ovens"),)
    assert expansion.total == 1


def test_second_row_with_the_same_id_is_excluded() -> None:
    """Scenario ids stay unique even under an adoption that uses a row id twice."""
    rows = {"ovens": ({"id": "a"}, {"id": "a"})}
    expansion = expand_adoption(contract(template("each", collection="ovens")), adoption(collections=rows), {})
    assert [each.id for each in expansion.scenarios] == ["oven/each[a]"]
    assert reasons(expansion) == ["an earlier row of ovens has the same id"]
    assert expansion.unaccounted == 0


def test_account_adds_up() -> None:
    """Expanded and excluded units together are the total, and none is unaccounted."""
    expansion = expand_adoption(
        contract(
            template("once"),
            template("never", flag={"heat": ("coal",)}),
            template("each", collection="ovens", row={"fuel": ("gas",)}),
            template("none", collection="doors"),
        ),
        adoption(collections=OVENS),
        {"heat": "wood"},
    )
    assert (len(expansion.scenarios), len(expansion.exclusions), expansion.total) == (2, 3, 5)
    assert expansion.unaccounted == 0


@pytest.mark.parametrize("break_it", ["drop", "repeat"])
def test_account_shows_a_lost_or_repeated_unit(break_it: str) -> None:
    """The account is told apart from the expansion, so a unit that got lost or came twice does show."""
    whole = expand_adoption(contract(template("one"), template("two")), adoption(), {})
    entries = whole.entries[:1] if break_it == "drop" else (*whole.entries, whole.entries[0])
    assert replace(whole, entries=entries).unaccounted == 1


def test_expansion_leaves_no_placeholder_in_any_field() -> None:
    """Every text of a scenario is filled, the lists as well."""
    everywhere = "{{instance}} {{row.id}} {{row.fuel}} {{row.colour}} {{inputs:depth}}"
    full = Template(
        **{
            **{name: getattr(template("full", collection="ovens"), name) for name in Template.__slots__},
            "title": everywhere,
            "given": everywhere,
            "steps": (everywhere, everywhere),
            "then": (everywhere,),
            "holds": everywhere,
            "scope": everywhere,
            "seeds": everywhere,
            "diagnostics": (everywhere,),
            "text": everywhere,
        }
    )
    first, _ = expand_adoption(contract(full), adoption(collections=OVENS), {}).scenarios
    assert "{{" not in str(first.to_json())
    assert first.when == ("oven b wood not declared not declared",) * 2
