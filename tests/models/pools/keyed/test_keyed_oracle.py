"""The oracles are second accounts: a fault planted in one shows as a difference, just as one in the model does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.models.explorer import Bounds
from harness.models.pools import actions as a
from harness.models.pools import keyed_oracle
from harness.models.pools.correlations import BirthId, GenerationId, JobId, RequestId
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.exploring import explore
from harness.models.pools.keyed.walks import WALKS
from harness.models.pools.keyed_oracle.closing import Closing
from harness.models.pools.keyed_oracle.compare import DIFFERENCES, differences
from harness.models.pools.keyed_oracle.hands import Counter
from harness.models.pools.values import Admitted


def nothing(*_: Any) -> None:
    """A rule that does nothing."""


def always(*_: Any) -> bool:
    """A rule that always holds."""
    return True


COUNTER: dict[str, tuple[str, Callable[..., Any], str]] = {
    "takes": ("keyed-pool", always, "AdmissionDiffers"),
    "move_lease": ("keyed-pool", nothing, "ManagementDiffers"),
    "empty_bin": ("keyed-pool", nothing, "AssignmentDiffers"),
    "break_off": ("keyed-recovery", nothing, "OutcomeDiffers"),
    "end_leases": ("keyed-recovery", nothing, "BindingDiffers"),
    "hear_done": ("keyed-pool", nothing, "LateFactDiffers"),
}
WORKSHOP: dict[str, tuple[str, Callable[..., Any], str]] = {
    "send_recruiter": ("keyed-pool", nothing, "ProductDiffers"),
    "set_bell": ("keyed-recovery", nothing, "ProductDiffers"),
    "give_up": ("keyed-recovery", nothing, "BindingDiffers"),
    "hear_exit": ("keyed-recovery", nothing, "LateFactDiffers"),
}


@pytest.mark.parametrize("rule", [*COUNTER, *WORKSHOP])
def test_fault_in_an_oracle_shows_as_a_difference(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is sound and no audit complains: only the comparison finds a broken oracle."""
    model, broken, name = (COUNTER | WORKSHOP)[rule]
    monkeypatch.setattr(Counter if rule in COUNTER else Closing, rule, broken)
    _, found = explore(WALKS[model], Bounds(4, 1_000_000), True)
    names = {each.name for each in found.violations}
    assert name in names
    assert names <= set(DIFFERENCES)


def imports(path: Path) -> set[str]:
    """The modules of the pools that a file imports, below the folder of the pools."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("harness.models.pools"):
            rest = node.module.removeprefix("harness.models.pools").lstrip(".")
            found |= {f"{rest}.{each.name}".lstrip(".") if rest in ("", "keyed") else rest for each in node.names}
    return found


def test_oracles_share_plain_values_only() -> None:
    """They import inputs, outcomes, numbers and clock limits, and none of the model's rules, states or phases."""
    plain = {"actions", "facts", "correlations", "values", "timing"}
    keyed = {"keyed.inputs", "keyed.outcomes", "keyed.definition"}
    shared: set[str] = set()
    for path in Path(keyed_oracle.__file__).parent.glob("*.py"):
        shared |= imports(path)
    assert {each for each in shared if not each.startswith("keyed_oracle")} <= plain | keyed


def test_counter_and_workshop_know_nothing_of_each_other() -> None:
    """The counter imports nothing of the workshop, and the workshop only the word for what is told."""
    folder = Path(keyed_oracle.__file__).parent
    counter = imports(folder / "counter.py") | imports(folder / "hands.py")
    workshop = {each for name in ("workshop", "recruiting", "closing") for each in imports(folder / f"{name}.py")}
    assert {each for each in counter if each.startswith("keyed_oracle")} == {"keyed_oracle.counter"}
    assert "keyed_oracle.hands" not in workshop


ADMITTED = Admitted(GenerationId(3), "a")
ACCEPTED = o.KeyedActions(
    terminal_customer_deliveries=(o.DeliverTerminal("customer", o.Completed(JobId(1), ADMITTED, "done")),),
    worker_creations=(a.CreateWorker(0, BirthId(2), "plan"),),
)


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ((("completed", "customer", 1, 3, "a", "done"), ("made", 0, 2, "plan")), []),
        ((("made", 0, 2, "plan"), ("completed", "customer", 1, 3, "a", "done")), []),
        ((("made", 0, 2, "plan"), ("completed", "customer", 1, 2, "a", "done")), ["OutcomeDiffers"]),
        ((("made", 0, 2, "plan"),), ["OutcomeDiffers"]),
        ((("completed", "customer", 1, 3, "a", "done"), ("made", 1, 2, "plan")), ["ProductDiffers"]),
        (
            (("given", 0), ("completed", "customer", 2, 3, "a", "done")),
            list(map("{}Differs".format, ("Outcome", "Assignment", "Product"))),
        ),
    ],
)
def test_differences_are_named_by_what_differs(told: tuple[Any, ...], names: list[str]) -> None:
    """Every group of words is compared for itself; lanes of workers have no order between them."""
    assert sorted(differences(told, ACCEPTED)) == sorted(names)


def test_a_returned_job_is_told_with_its_generation_and_role() -> None:
    """The comparison sees the whole outcome, not only its kind."""
    returned = o.ReturnedQueued(JobId(1), ADMITTED, RequestId(1), "pool-shutdown")
    actions = o.KeyedActions(terminal_customer_deliveries=(o.DeliverTerminal("customer", returned),))
    told = ("returned", "customer", "returned-queued", JobId(1), 3, "a", RequestId(1), "pool-shutdown")
    assert list(differences((told,), actions)) == []
    assert list(differences(((*told[:4], 4, *told[5:]),), actions)) == ["OutcomeDiffers"]
    assert list(differences(((*told[:5], "b", *told[6:]),), actions)) == ["OutcomeDiffers"]
