"""Failures, cancellations, what a cancellation gives back, and the links between jobs."""

from __future__ import annotations

from typing import Any

from harness.assembly.decided import FIRST, MAIN, SECOND, Decided
from harness.assembly.jobs import failure_answer, main_failure_state
from harness.assembly.sheet import Sheet

RECOVERABLE, RUINED = "partial-inputs-or-work", "job-ruined"


def add_failures(sheet: Sheet, decided: Decided) -> None:
    """The row with the chosen result, and under `several` two more that ruin the job."""
    state = main_failure_state(decided)
    if state is None:
        if decided.chosen["failures"] == "several":
            _ruins(sheet, "theft", "waiting", {})
        return
    recoverable = state != "finished" and decided.chosen["failure-result"].endswith("recoverable")
    fields = {} if failure_answer(decided) is not None else {"result": RECOVERABLE if recoverable else RUINED}
    rule = _loss(decided, state, recoverable)
    sheet.row("failures", "accident", "trigger_declared_in", "failure", rule, from_state=state, **fields)
    if decided.chosen["failures"] == "several":
        _ruins(sheet, "theft", "waiting", {"loses": "all"} if decided.has_inputs else {})
        _ruins(sheet, "spoiled", "finished", {"damaged-state": "spoiled"})


def _ruins(sheet: Sheet, row_id: str, state: str, rule: dict[str, Any]) -> None:
    sheet.row("failures", row_id, "trigger_declared_in", "failure", rule, from_state=state, result=RUINED)


def _loss(decided: Decided, state: str, recoverable: bool) -> dict[str, Any]:
    """What the failure takes, as far as there is something to take in that state."""
    has_claim = decided.claims_early and state != "finished"
    has_claim = has_claim and (state != "waiting" or decided.chosen["inputs"] == "taken-at-request")
    has_work = state in ("working", "stopped")
    one_wood = [{"item": "wood", "amount": 1}]
    rules: dict[str, tuple[bool, dict[str, Any]]] = {
        "nothing": (True, {}),
        "inputs": (has_claim, {"loses": one_wood}),
        "work": (has_work, {"loses-work": 1}),
        "work-share": (has_work, {"loses-work-share": "1/2"}),
        "all": (has_claim and not recoverable, {"loses": "all"}),
        "releases": (has_claim and not recoverable, {"loses": one_wood, "releases": one_wood}),
        "damaged": (not recoverable, {"damaged-state": "scrap"}),
    }
    applies, rule = rules[decided.chosen["failure-rule"]]
    return rule if applies else {}


def add_cancellations(sheet: Sheet, decided: Decided) -> None:
    """The cancellations, their return rules and the links."""
    if not decided.cancels:
        return
    named = ("called-off", "closed-down")[: 2 if decided.chosen["cancellations"] == "two" else 1]
    for row_id in named:
        sheet.row("cancellations", row_id, "trigger_declared_in", "cancellation", {})
    if decided.has_inputs and decided.chosen["cancel-return"].startswith("by-"):
        for row_id, rule in _returns(decided, named):
            sheet.row("cancel-return-rules", row_id, "cancel_return_declared_in", "cancel-return", rule)
    if decided.linked:
        sheet.row(
            "dependent-cancellations", "chain", "link_declared_in", "link", _links(decided), cancellation=named[0]
        )


def _returns(decided: Decided, cancellations: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    half = {"fraction": "1/2", "round": "down"}
    one_wood = {"amounts": [{"item": "wood", "amount": 1}]}
    rules: dict[str, dict[str, Any]] = {
        "by-fraction": half,
        "by-amounts": one_wood,
        "by-item": {"per-item": [{"item": "wood", "fraction": "2/3", "round": "up"}]},
    }
    if decided.chosen["cancel-return"] != "by-cancellation":
        return [("refund", rules[decided.chosen["cancel-return"]])]
    rows: list[tuple[str, dict[str, Any]]] = [("refund", {**half, "for": [cancellations[0]]})]
    return [*rows, ("other-refund", one_wood)] if len(cancellations) > 1 else rows


def _links(decided: Decided) -> list[dict[str, Any]]:
    polish = [MAIN] if decided.chosen["links"] == "chain" else [FIRST, MAIN]
    return [{"job": MAIN, "needs": [FIRST]}, {"job": SECOND, "needs": polish}]
