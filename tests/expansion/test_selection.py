"""Choosing some of the scenarios."""

from __future__ import annotations

import pytest

from harness.base.errors import UsageError
from harness.expansion.selection import Selection, compile_keyword
from tests.expansion.builders import scenario

ENTRIES = tuple(scenario(each) for each in ("oven/pool-starts[a]", "oven/pool-stops[b]", "oven/waits"))


def ids(selection: Selection) -> list[str]:
    return [each.id for each in selection.select(ENTRIES)]


def test_select_without_a_choice_takes_everything() -> None:
    """No option means all scenarios, in their order."""
    assert ids(Selection()) == [each.id for each in ENTRIES]


def test_select_by_id_and_by_template_takes_each_named_one() -> None:
    """Repeated ids or templates add up; an id and a template must both agree."""
    assert ids(Selection(ids=("oven/waits", "oven/pool-stops[b]"))) == ["oven/pool-stops[b]", "oven/waits"]
    assert ids(Selection(templates=("waits", "pool-starts"))) == ["oven/pool-starts[a]", "oven/waits"]
    assert ids(Selection(ids=("oven/waits",), templates=("pool-starts",))) == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("pool", "ab"),
        ("POOL and not b]", "a"),
        ("starts or waits", "aw"),
        ("not pool", "w"),
        ("not not pool", "ab"),
        ("waits or pool and stops", "bw"),
        ("(waits or pool) and stops", "b"),
        ("not (starts or stops)", "w"),
        ("pool and(starts)", "a"),
    ],
)
def test_select_by_keyword_follows_and_or_not_and_parentheses(expression: str, expected: str) -> None:
    """`not` binds tightest, then `and`, then `or`; a part of an id matches whatever its case."""
    letters = {"oven/pool-starts[a]": "a", "oven/pool-stops[b]": "b", "oven/waits": "w"}
    assert "".join(letters[each] for each in ids(Selection(keyword=expression))) == expected


@pytest.mark.parametrize(
    ("expression", "column"),
    [("", 1), ("pool and", 9), ("pool stops", 6), ("(pool", 6), ("pool)", 5), ("or pool", 1), ("( )", 3)],
)
def test_keyword_fault_says_where(expression: str, column: int) -> None:
    """A faulty expression is wrong usage, and the message gives the column."""
    with pytest.raises(UsageError, match=rf"at column {column}$"):
        compile_keyword(expression)


def test_keyword_takes_long_expressions_and_refuses_deep_ones() -> None:
    """Length is no fault; nesting beyond a bound is a message instead of a crash."""
    assert compile_keyword(" or ".join(["x"] * 5000 + ["pool"]))("pool")
    with pytest.raises(UsageError, match="deep"):
        compile_keyword("(" * 5000 + "x" + ")" * 5000)
