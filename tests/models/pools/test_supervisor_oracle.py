"""The oracle is a second account: a fault planted in it shows as a difference, just as one in the model does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.models.explorer import Bounds
from harness.models.pools import supervisor_oracle
from harness.models.pools.supervisor import members
from harness.models.pools.supervisor.exploring import explore
from harness.models.pools.supervisor.walks import WALKS
from harness.models.pools.supervisor_oracle.oracle import Oracle, difference


def nothing(*_: Any) -> None:
    """A rule that does nothing."""


FAULTS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "grant": ("fixed-supervisor", nothing, "product-differs"),
    "consider": ("fixed-supervisor", nothing, "product-differs"),
    "whose": ("fixed-supervisor", nothing, "late-fact-differs"),
    "tell_end": ("supervisor-replacement", nothing, "event-differs"),
    "looks": ("fixed-supervisor", lambda *_: "ready", "projection-differs"),
}


@pytest.mark.parametrize("rule", list(FAULTS))
def test_fault_in_the_supervisor_oracle_shows_as_a_difference(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is sound and no audit complains: only the comparison finds a broken oracle."""
    model, broken, name = FAULTS[rule]
    monkeypatch.setattr(Oracle, rule, broken)
    _, found = explore(WALKS[model], Bounds(3, 1_000_000), True)
    names = {each.name for each in found.violations}
    assert name in names
    assert all(each.endswith("-differs") for each in names)


def sources() -> tuple[ast.Module, ...]:
    """The oracle's modules, parsed."""
    folder = Path(supervisor_oracle.__file__).parent
    return tuple(ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py")))


def test_supervisor_oracle_shares_plain_values_only() -> None:
    """It imports facts, actions, definitions and numbers, and none of the model's rules, members or states."""
    shared = set()
    for tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("harness.models.pools"):
                rest = node.module.removeprefix("harness.models.pools").lstrip(".")
                is_package = rest in ("", "supervisor")
                shared |= {f"{rest}.{each.name}" for each in node.names} if is_package else {rest}
    allowed = {"supervisor.actions", "supervisor.facts", "supervisor.definition", "supervisor.values"}
    assert {each for each in shared if not each.startswith("supervisor_oracle")} <= {
        *allowed,
        "correlations",
        "timing",
    }


def test_supervisor_oracle_has_no_phase_of_the_model() -> None:
    """No name of a member's phase is kept in its book; two of them are the law's words for a forced retirement."""
    texts = {
        node.value
        for tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    phases = {
        defaults["phase"]
        for each in vars(members).values()
        for defaults in [getattr(each, "_field_defaults", {})]
        if "phase" in defaults
    }
    projected = {"creating-proxy", "stopping", "retired", "empty"}
    assert texts & phases - projected == {"resolving-proxy-birth", "draining-proxy"}


@pytest.mark.parametrize(
    ("mine", "theirs", "name"),
    [
        ((("go", 1),), (("go", 1),), None),
        ((("event", "started"),), (), "event-differs"),
        ((), (("reply", 1),), "projection-differs"),
        ((("diag", "unexpected-input", None),), (), "late-fact-differs"),
        ((("diag", "proxy-died", "a"),), (), "product-differs"),
        ((("made", 1),), (("made", 2),), "product-differs"),
    ],
)
def test_supervisor_difference_is_named_by_what_only_one_account_says(
    mine: tuple[tuple[Any, ...], ...], theirs: tuple[tuple[Any, ...], ...], name: str | None
) -> None:
    """The first thing that one account has and the other has not gives the name."""
    assert difference(mine, theirs) == name
