"""The oracle is a second account: a fault planted in it shows as a difference, just as one in the model does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.models.explorer import Bounds
from harness.models.pools import supervisor_oracle
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members
from harness.models.pools.supervisor.definition import Definition, Recovery
from harness.models.pools.supervisor.exploring import Stepper, explore
from harness.models.pools.supervisor.values import Allocators, DeliveryId
from harness.models.pools.supervisor.walks import WALKS
from harness.models.pools.supervisor_oracle import ward
from harness.models.pools.supervisor_oracle.book import Cell, opening
from harness.models.pools.supervisor_oracle.oracle import Oracle, difference, predict
from harness.models.pools.supervisor_oracle.residue import Item, things_of


def nothing(*_: Any) -> None:
    """A rule that does nothing."""


FAULTS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "grant": ("fixed-supervisor", nothing, "product-differs"),
    "consider": ("fixed-supervisor", nothing, "product-differs"),
    "whose": ("fixed-supervisor", nothing, "late-fact-differs"),
    "tell_end": ("supervisor-replacement", nothing, "event-differs"),
    "looks": ("fixed-supervisor", lambda *_: "ready", "projection-differs"),
    "leave_cell": ("fixed-supervisor", nothing, "product-differs"),
    "leave_rest": ("fixed-supervisor", nothing, "product-differs"),
    "shed": ("supervisor-replacement", nothing, "product-differs"),
    "post": ("supervisor-settlement", nothing, "late-fact-differs"),
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


FORCED = ("shutdown", "advance deadline", "advance deadline")


def test_supervisor_oracle_tells_whom_a_forced_end_leaves_to_the_host() -> None:
    """At the limit of a drain it predicts each role's proxy, and what the proxy had or was still to be given."""
    stepper = Stepper(WALKS["fixed-supervisor"])
    definition = WALKS["fixed-supervisor"].definition
    node = stepper.warm_up()[-1].node
    for letter in FORCED[:-1]:
        node = stepper.take(node, letter).node
    before = node.book
    taken = stepper.take(node, FORCED[-1])
    told = predict(definition, before, taken.fact).told
    assert [each for each in told if each[0] == "left"] == [
        ("left", "a", (("proxy", 1),)),
        ("left", "b", (("given", 2), ("proxy", 2))),
    ]
    assert taken.node.broken == ()


@pytest.mark.parametrize("lost", ["proxy", "given"])
def test_a_thing_that_the_oracle_forgets_shows_as_a_difference(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forced end whose residue lacks one thing differs, and nothing else does."""

    def forgetful(cell: Cell, with_seat: bool) -> Iterator[Item]:
        return (each for each in things_of(cell, with_seat) if each[0] != lost)

    monkeypatch.setattr(ward, "things_of", forgetful)
    stepper = Stepper(WALKS["fixed-supervisor"])
    node = stepper.warm_up()[-1].node
    for letter in FORCED:
        node = stepper.take(node, letter).node
    assert node.broken == ("product-differs",)


def test_a_settlement_counts_by_its_own_ticket_and_once() -> None:
    """The oracle knows what left under a ticket: another number, or the same one again, is a late fact."""
    rules = Definition(("a",), 1, Recovery("temporary", None))
    book = predict(rules, opening(Allocators(), ("first",)), f.Initialize()).book
    book = predict(rules, book, f.QueryStatus("customer")).book
    reply = a.Reply("customer", a.Status(()))
    back = f.DeliverySettled(reply, "rejected", "closed", DeliveryId(1))
    foreign = predict(rules, book, back._replace(ticket=DeliveryId(2)))
    assert [each[:2] for each in foreign.told] == [("diag", "unexpected-input")]
    first = predict(rules, book, back)
    assert first.told == (("returned",),)
    assert [each[:2] for each in predict(rules, first.book, back).told] == [("diag", "unexpected-input")]
