"""The model's side: what the outside sees of its operations, in the accounts' words, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools import actions as a
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed_oracle.counter import Told
from harness.models.pools.keyed_oracle.workshop import offered

DIFFERENCES: dict[str, tuple[str, ...]] = {
    "AdmissionDiffers": ("accepted", "rejected"),
    "ManagementDiffers": ("managed",),
    "OutcomeDiffers": ("completed", "returned"),
    "AssignmentDiffers": ("given",),
    "BindingDiffers": ("lease-ended",),
    "LateFactDiffers": ("odd",),
    "ProductDiffers": (
        *("made", "sought", "warmed", "cooled", "told", "clocked", "bell", "forced"),
        *("spare-unused", "plan-unused"),
    ),
}
"""What a difference of the accounts is called, by the words that they differ in."""

_GROUP = {word: name for name, words in DIFFERENCES.items() for word in words}
_LANE = {word: place for place, word in enumerate(DIFFERENCES["ProductDiffers"])}


def differences(told: tuple[Told, ...], actions: o.KeyedActions) -> Iterator[str]:
    """The names of all differences between what was predicted and what the model did."""
    mine, theirs = _grouped(told), _grouped(tuple(seen(actions)))
    for name in DIFFERENCES:
        if mine.get(name) != theirs.get(name):
            yield name


def _grouped(told: tuple[Told, ...]) -> dict[str, list[Told]]:
    """By what a difference would be called; lanes of the workshop have no order between them, and odd words none."""
    groups: dict[str, list[Told]] = {}
    for each in told:
        groups.setdefault(_GROUP[each[0]], []).append(each)
    if "ProductDiffers" in groups:
        groups["ProductDiffers"].sort(key=lambda each: _LANE[each[0]])
    if "LateFactDiffers" in groups:
        groups["LateFactDiffers"].sort()
    return groups


def seen(actions: o.KeyedActions) -> Iterator[Told]:
    """What the outside sees of the model's operations."""
    for each in actions.operations():
        tell = _SEEN.get(type(each))
        if tell is not None:
            yield tell(each)
    residuals = tuple(each.residual.role for each in actions.forced_drain_transfers)
    if residuals:
        yield ("forced", *residuals)


def _admission(each: o.DeliverAdmission) -> Told:
    outcome = each.outcome
    if isinstance(outcome, o.Accepted):
        return ("accepted", each.route, outcome.request, outcome.job, *outcome.binding)
    whole = (outcome.request, outcome.key, outcome.payload, outcome.customer)
    return ("rejected", each.route, *whole, outcome.reason)


def _management(each: o.DeliverManagement) -> Told:
    outcome = each.outcome
    head: Told = ("managed", each.route)
    if isinstance(outcome, o.Refused):
        return (*head, outcome.command.request, "rejected", outcome.command, outcome.reason, outcome.actual)
    if isinstance(outcome, o.AlreadyUnbound):
        return (*head, outcome.command.request, outcome.kind, outcome.command)
    if isinstance(outcome, o.Unbound):
        return (*head, outcome.request, outcome.kind, *outcome.removed)
    if isinstance(outcome, o.Rebalanced):
        return (*head, outcome.request, outcome.kind, *outcome.prior, *outcome.current)
    return (*head, outcome.request, outcome.kind, *outcome.current)


def _terminal(each: o.DeliverTerminal) -> Told:
    outcome = each.outcome
    if isinstance(outcome, o.Completed):
        return ("completed", each.route, outcome.job, *outcome.binding, outcome.result)
    return ("returned", each.route, outcome.kind, outcome.job, *outcome.binding, outcome.payload, outcome.reason)


def _diagnosed(each: Any) -> Told:
    told: a.Diagnostic = each.diagnostic
    if told.kind == "binding-removed":
        binding: Binding = told.facts[0]
        return ("lease-ended", *binding)
    if told.kind == "candidate-unused":
        return ("spare-unused", offered(told.facts[0]))
    if told.kind == "unused-activation":
        return ("plan-unused", told.facts[0].role)
    return ("odd", _ODD.get((told.kind, told.reason)) or _ODD.get((told.kind, "")) or told.kind)


_ODD = {
    ("rejected-input", ""): "rejected",
    ("stale-completion", "late"): "stale",
    ("stale-completion", "kept"): "kept",
    ("stale-readiness", ""): "stale",
    ("duplicate", ""): "repeat",
    ("contradiction", ""): "contradiction",
    ("authority-mismatch", ""): "mismatch",
    ("foreign-stop", ""): "foreign",
}
_SEEN: dict[type, Any] = {
    a.CreateWorker: lambda x: ("made", x.role, x.reservation, x.definition),
    a.PrepareWorker: lambda x: ("sought", x.role, x.replaces),
    a.BeginActivation: lambda x: ("warmed", x.role, x.ticket),
    a.CancelActivation: lambda x: ("cooled", x.role, x.ticket),
    a.DeliverAssignment: lambda x: ("given", x.role, x.child, x.assignment, x.job, x.command.payload),
    a.ShutdownWorker: lambda x: ("told", x.role, x.worker),
    a.ScheduleRestart: lambda x: ("clocked", x.role, x.recovery, x.timer, x.due),
    a.ScheduleDeadline: lambda x: ("bell", x.timer, x.after),
    a.DeliverDiagnostic: _diagnosed,
    a.TransferDiagnostic: _diagnosed,
    a.TransferRejectedFact: _diagnosed,
    o.DeliverAdmission: _admission,
    o.DeliverManagement: _management,
    o.DeliverTerminal: _terminal,
}
