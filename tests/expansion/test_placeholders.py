"""Filling the placeholders of a template."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.contract.shapes import Binding, Row, Template
from harness.expansion.placeholders import Filler
from tests.expansion.builders import adoption, template

RETURNS = Binding("cancel-return", {"all": "returns all of {{row.id}}", "none": "returns nothing"})


def filler(
    of: Template | None = None,
    *,
    row: Mapping[str, str] | None = None,
    answers: Mapping[str, str] = {},
    inputs: Mapping[str, Mapping[str, object]] = {},
) -> Filler:
    declared = None if row is None else Row("ovens", 0, row)
    return Filler(of or template("t", bindings={"returns": RETURNS}), adoption(inputs=inputs), answers, declared)


def test_fill_reads_instance_and_row_fields() -> None:
    """The instance and the row's own fields stand where the contract names them."""
    assert (
        filler(row={"id": "a", "rule": "r.md#x"}).fill("{{instance}}: {{row.id}} at {{row.rule}}")
        == "oven: a at r.md#x"
    )


def test_fill_says_that_an_optional_field_is_not_declared() -> None:
    """A field the row lacks becomes words, never a placeholder."""
    assert filler(row={"id": "a"}).fill("limit {{row.limit}}") == "limit not declared"


def test_fill_reads_a_binding_by_its_answer_and_fills_its_text() -> None:
    """A binding's text is chosen by the effective answer, and its own placeholders are filled."""
    filled = filler(row={"id": "a"}, answers={"cancel-return": "all"}).fill("it {{bind:returns}}.")
    assert filled == "it returns all of a."


def test_fill_says_that_the_question_of_a_binding_was_not_asked() -> None:
    """A binding on a flag without an effective answer says so."""
    assert filler().fill("it {{bind:returns}}") == "it (cancel-return was not asked)"


def test_fill_says_that_the_contract_has_no_text_for_an_answer() -> None:
    """A gap in a binding's map is told, not hidden."""
    assert "no text for cancel-return: some" in filler(answers={"cancel-return": "some"}).fill("{{bind:returns}}")


def test_fill_prefers_the_inputs_of_the_adoption() -> None:
    """A verification input is the adoption's own value for this template, else the template's default."""
    of = template("t", inputs={"scope": "all runs", "depth": 3})
    assert filler(of).fill("{{inputs:scope}} to {{inputs:depth}}") == "all runs to 3"
    own: dict[str, dict[str, object]] = {"t": {"scope": "one run"}, "other": {"depth": 9}}
    assert filler(of, inputs=own).fill("{{inputs:scope}} to {{inputs:depth}}") == "one run to 3"


def test_fill_writes_a_list_in_a_sentence() -> None:
    """A list inside a text reads as its items with commas between."""
    of = template("t", inputs={"seeds": ("a", 7, True)})
    assert filler(of).fill("seeds {{inputs:seeds}}.") == "seeds a, 7, true."


def test_fill_list_gives_one_text_an_item() -> None:
    """Seeds are a list of texts: one for each item of the input, one where the input is no list, none without."""
    of = template("t", inputs={"seeds": ("a", 7), "one": "b"})
    assert filler(of).fill_list("{{inputs:seeds}}") == ("a", "7")
    assert filler(of).fill_list("{{inputs:one}}") == ("b",)
    assert filler(of).fill_list("fixed") == ("fixed",)
    assert filler(of).fill_list(None) == ()


@pytest.mark.parametrize("value", ["{{row.id}}", "{{{{x}}}}", "{", "{{", "a{{b"])
def test_fill_never_reads_an_adoption_value_for_placeholders(value: str) -> None:
    """A value of the adoption is data: it is not filled again and leaves no two braces together."""
    filled = filler(row={"id": "a", "odd": value}).fill("{{{row.odd}}{{row.odd}}")
    assert "{{" not in filled
    assert filled.replace(" ", "") == "{" + value + value


@given(st.lists(st.text("{}ab.:", max_size=8), min_size=3, max_size=3), st.text("{ }", max_size=4))
def test_fill_leaves_no_brace_pair_whatever_the_values(values: list[str], between: str) -> None:
    """However braces fall together at the seams of a text, no pair of opening ones is left."""
    of = template("t", inputs={"scope": values[2]})
    filled = filler(of, row={"id": values[0], "odd": values[1]})
    text = between.join(("{{row.id}}", "{{row.odd}}", "{{inputs:scope}}"))
    assert "{{" not in filled.fill(text)
    assert filled.fill_list("{{inputs:scope}}") == (filled.fill("{{inputs:scope}}"),)


@pytest.mark.parametrize("text", ["{{row.id}}", "{{bind:unknown}}", "{{insatnce}}", "{{}}"])
def test_fill_refuses_a_placeholder_that_cannot_have_a_value(text: str) -> None:
    """A fault of the contract is named with template and placeholder; row fields exist only per row."""
    with pytest.raises(UsageError, match=r"template t uses the placeholder \{\{"):
        filler().fill(text)


def test_fill_refuses_bindings_that_name_each_other() -> None:
    """Two bindings in a circle are refused instead of followed for ever."""
    circle = {
        "a": Binding("f", {"x": "{{bind:b}}"}),
        "b": Binding("f", {"x": "{{bind:a}}"}),
    }
    with pytest.raises(UsageError, match="bind:a"):
        filler(template("t", bindings=circle), answers={"f": "x"}).fill("{{bind:a}}")
