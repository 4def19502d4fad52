"""The oracle is a second account: a fault planted in it shows as a difference, just as one in the model does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.models.explorer import Bounds
from harness.models.pools import fifo_oracle
from harness.models.pools.fifo.exploring import explore
from harness.models.pools.fifo.walks import WALKS
from harness.models.pools.fifo_oracle.oracle import Oracle, difference


def nothing(*_: Any) -> None:
    """A rule that does nothing."""


FAULTS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "give_back": ("fifo-recovery", nothing, "outcome-differs"),
    "serve": ("fifo-pool", nothing, "assignment-differs"),
    "renew": ("fifo-pool", nothing, "product-differs"),
    "who_wants": ("fifo-pool", nothing, "late-fact-differs"),
}


@pytest.mark.parametrize("rule", list(FAULTS))
def test_fault_in_the_oracle_shows_as_a_difference(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is sound and no audit complains: only the comparison finds a broken oracle."""
    model, broken, name = FAULTS[rule]
    monkeypatch.setattr(Oracle, rule, broken)
    _, found = explore(WALKS[model], Bounds(3, 1_000_000), True)
    names = {each.name for each in found.violations}
    assert name in names
    assert all(each.endswith("-differs") for each in names)


def test_oracle_shares_plain_values_only() -> None:
    """It imports facts, outcomes, numbers and clock limits, and none of the model's rules or phases."""
    allowed = {"actions", "facts", "correlations", "definition", "values", "timing"}
    shared = set()
    for path in Path(fifo_oracle.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("harness.models.pools"):
                rest = node.module.removeprefix("harness.models.pools").lstrip(".").partition(".")[0]
                shared |= {rest} if rest else {each.name for each in node.names}
    assert shared - {"fifo_oracle"} <= allowed


@pytest.mark.parametrize(
    ("mine", "theirs", "name"),
    [
        ((("accepted", 1),), (("accepted", 1),), None),
        ((("accepted", 1),), (), "outcome-differs"),
        ((), (("given", 1),), "assignment-differs"),
        ((("late",),), (), "late-fact-differs"),
        ((("made", 1),), (("made", 2),), "product-differs"),
    ],
)
def test_difference_is_named_by_what_only_one_account_says(
    mine: tuple[tuple[Any, ...], ...], theirs: tuple[tuple[Any, ...], ...], name: str | None
) -> None:
    """The first thing that one account has and the other has not gives the name."""
    assert difference(mine, theirs) == name
