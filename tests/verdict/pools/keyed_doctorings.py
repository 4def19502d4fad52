"""For each clause of the keyed-pool contract, a change of one row that makes a sound recording break it."""

from __future__ import annotations

from typing import Any

from tests.verdict.pools.doctorings import Doctoring
from tests.verdict.pools.pool_runs import Change, beside, double, drop, put

HALL = "parcel-hall"


def _several(values: Any) -> bool:
    return len(values) > 1


def _reversed(values: list[Any]) -> list[Any]:
    return values[::-1]


def _of(template: str, *changes: tuple[str, dict[str, Any], Change]) -> list[Doctoring]:
    """The doctorings of a template's clauses, in order."""
    return [Doctoring(template, at, log, where, change, HALL) for at, (log, where, change) in enumerate(changes)]


_LANES, _IN, _STATE = "action-lanes", "input-log", "state-trace"
_ADMITTED, _ENDED, _GIVEN = "admission-outcomes", "terminal-outcomes", "assignment-trace"
_LEDGER, _QUEUE, _COUNTS, _TOLD = "ownership-ledger", "queue-trace", "count-trace", "diagnostics"
_MANAGED, _BOUND, _ASKED = "management-outcomes", "binding-ledger", "selector-calls"
_ACCEPTED = {"outcome": "accepted"}
_OUT = {"change": "dispatched"}
_TAKES = {"change": "takes"}
_STALE = {"reason": "stale-expectation"}
_ONE_MORE = beside(_BOUND, key="new-street", change="bound", role="north", generation=99)
_ASKS = beside(_ASKED, key="elm-street", role="north")
_MUCH_LONGER = put(jobs=[1, 2, 3], ordinals=[1, 2, 3], priors=[None] * 3)

CLAIMS = [
    *_of(
        "claim-01-unique-ordered-roster",
        (_STATE, {"role": "north", "to": "creating"}, put(role="south")),
        (_STATE, {"role": "south", "to": "creating"}, put(place=0)),
        (_STATE, {"from": "retired", "to": "drained"}, put(to="creating")),
    ),
    *_of(
        "claim-02-fresh-workers",
        (_LANES, {"lane": "worker-creations", "reservation": 2}, put(reservation=1)),
        (_IN, {"input": "birth-committed", "worker": 2}, put(birth=1)),
        (_LANES, {"lane": "role-assignments", "assignment": 2}, put(assignment=1)),
        (_LANES, {"lane": "role-assignments", "assignment": 3}, put(assignment=2)),
    ),
    *_of(
        "claim-03-key-apart-selector-once",
        (_ASKED, {}, drop),
        (_MANAGED, {}, _ASKS),
        (_ASKED, {}, put(role="south", key="elm-street")),
        (_ADMITTED, {"outcome": "rejected"}, put(key="other-street")),
    ),
    *_of(
        "claim-04-binding-with-job",
        (_BOUND, {"change": "bound"}, drop),
        (_ADMITTED, {"outcome": "rejected"}, _ONE_MORE),
        (_ADMITTED, {"outcome": "rejected"}, _ONE_MORE),
    ),
    *_of(
        "claim-05-two-bounds",
        (_BOUND, {"change": "bound", "generation": 2}, _ONE_MORE),
        (_ADMITTED, {"reason": "role-backlog-full"}, put(reason="binding-capacity-reached")),
        (_QUEUE, {"jobs": []}, drop),
        (_GIVEN, _OUT, drop),
        (_ADMITTED, _ACCEPTED, put(reason="role-backlog-full", outcome="rejected")),
    ),
    *_of(
        "claim-06-job-keeps-role",
        (_ENDED, {"role": "north"}, put(role="south")),
        (_QUEUE, {"jobs": _several}, put(jobs=_reversed)),
        (_GIVEN, {**_OUT, "job": 2}, put(job=3)),
    ),
    *_of(
        "claim-07-roles-do-not-borrow",
        (_GIVEN, {**_OUT, "role": "north"}, put(role="south")),
        (_ADMITTED, _ACCEPTED, put(reason="role-backlog-full", outcome="rejected")),
        (_QUEUE, {"role": "north"}, put(role="south")),
    ),
    *_of(
        "claim-08-total-eligibility",
        (_ADMITTED, _ACCEPTED, put(reason="role-unavailable", outcome="rejected")),
        (_ADMITTED, {"reason": "role-backlog-full"}, put(reason="role-unavailable")),
        (_ADMITTED, {"reason": "role-unavailable"}, put(reason="role-backlog-full")),
        (_MANAGED, {"reason": "target-unavailable"}, put(reason=None, outcome="bound-absent")),
    ),
    *_of(
        "claim-09-no-idle-beside-own-queue",
        (_STATE, {"from": "idle", "to": "busy-awaiting-both"}, drop),
        (_STATE, {"from": "busy-delivered", "to": "busy-awaiting-both"}, put(to="idle")),
    ),
    *_of(
        "claim-10-exact-completion",
        (_GIVEN, _OUT, double),
        (_IN, {"input": "worker-completed"}, put(authority=99)),
        (_GIVEN, _OUT, put(authority_birth=99)),
        (_ENDED, {"outcome": "completed"}, put(result="other")),
        (_TOLD, {}, put(facts=[])),
        (_ENDED, {"outcome": "returned-assigned"}, put(reason="worker-stopped")),
        (_IN, {"input": "delivery-accepted"}, put(assignment=99)),
        (_ENDED, {"reason": "contradictory-assignment-settlement"}, drop),
    ),
    *_of(
        "claim-11-management-is-future-only",
        (_MANAGED, {}, beside(_LEDGER, job=1, change="gives-up", holder="queue", role="north")),
        (_MANAGED, _STALE, put(reason="target-unavailable")),
        (_ENDED, {}, double),
        (_LEDGER, {"change": "gives-up"}, drop),
        (_MANAGED, {}, put(request=99)),
        (_BOUND, {"change": "dropped"}, drop),
    ),
    *_of(
        "claim-12-fresh-generation",
        (_BOUND, {"change": "bound", "generation": 2}, put(generation=1)),
        (_MANAGED, _STALE, _ONE_MORE),
        (_MANAGED, {"outcome": "rebalance-unchanged"}, put(generation=99)),
        (_ENDED, {"generation": 1}, put(generation=2)),
        (_BOUND, {"change": "bound", "generation": 3}, put(generation=2)),
    ),
    *_of(
        "claim-13-retirement-is-one-step",
        (_ENDED, {"outcome": "returned-queued"}, drop),
        (_BOUND, {"change": "dropped"}, drop),
        (_TOLD, {"diagnostic": "binding-removed"}, double),
        (_LANES, {"lane": "worker-preparations"}, double),
        (_STATE, {"to": "recovering"}, put(to="retired")),
        (_ENDED, {}, double),
        (_IN, {"input": "worker-stopped", "at": 101}, put(at=0)),
    ),
    *_of(
        "claim-14-full-shutdown",
        (_ENDED, {}, put(reason="worker-stopped")),
        (_MANAGED, {"reason": "shutting-down"}, put(reason="target-unavailable")),
        (_LANES, {"lane": "worker-shutdowns"}, put(lane="worker-creations")),
        (_LANES, {"lane": "worker-shutdowns"}, drop),
        (_IN, {"input": "worker-stopped"}, put(worker=99)),
        (_TOLD, {"diagnostic": "binding-removed"}, drop),
        (_ENDED, {}, double),
    ),
    *_of(
        "claim-15-late-facts-harmless",
        (_LANES, {"lane": "diagnostic-deliveries"}, put(lane="worker-shutdowns")),
        (_TOLD, {}, drop),
        (_TOLD, {"diagnostic": "contradiction"}, put(facts=lambda facts: facts[:1])),
        (_TOLD, {"diagnostic": "duplicate"}, put(diagnostic="not-expected")),
        (_TOLD, {"diagnostic": "binding-removed"}, put(facts=[])),
    ),
    *_of(
        "claim-16-one-state-one-product",
        (_COUNTS, {}, double),
        (_LANES, {"lane": "diagnostic-deliveries"}, drop),
        (_LANES, {"place": 2}, put(place=1)),
        (_ADMITTED, {}, drop),
        (_ENDED, {}, drop),
    ),
]

INVARIANTS = [
    *_of(
        "invariant-conservation",
        (_COUNTS, {"queued": 1}, put(queued=2)),
        (_LEDGER, _TAKES, drop),
    ),
    *_of(
        "invariant-binding-bound",
        (_BOUND, {"change": "bound", "generation": 2}, _ONE_MORE),
        (_BOUND, {"change": "bound"}, drop),
    ),
    *_of(
        "invariant-one-generation-one-role",
        (_BOUND, {"change": "bound", "generation": 2}, put(generation=1)),
        (_BOUND, {"change": "dropped"}, put(role="south", generation=99)),
    ),
    *_of(
        "invariant-job-role-fixed",
        (_LEDGER, {**_TAKES, "role": "north"}, put(role="south")),
        (_ADMITTED, _ACCEPTED, put(role="nowhere")),
    ),
    *_of(
        "invariant-one-assignment-per-role",
        (_LEDGER, {**_TAKES, "role": "south"}, put(role="north")),
        (_COUNTS, {"assigned": 1}, put(assigned=2)),
    ),
    *_of(
        "invariant-one-terminal-per-job",
        (_ENDED, {}, double),
        (_ENDED, {}, put(job=99)),
    ),
    *_of(
        "invariant-queue-order-and-bound",
        (_QUEUE, {"ordinals": _several}, put(ordinals=_reversed)),
        (_QUEUE, {}, _MUCH_LONGER),
        (_QUEUE, {}, drop),
    ),
    *_of(
        "invariant-no-idle-with-own-queue",
        (_STATE, {"to": "busy-delivered"}, put(to="idle")),
        (_COUNTS, {"idle": 1}, put(idle=0)),
    ),
    *_of(
        "invariant-retired-role-unbound",
        (_BOUND, {"change": "dropped"}, drop),
        (_QUEUE, {"jobs": []}, drop),
    ),
]

TABLES = [
    *_of(
        "matrix-of-modes-and-members",
        (_ADMITTED, _ACCEPTED, put(reason="shutting-down")),
        (_STATE, {"from": "creating", "to": "initializing"}, drop),
        (_TOLD, {}, drop),
    ),
    *_of(
        "table-of-commands",
        (_MANAGED, {"outcome": "bound-absent"}, put(outcome="rebalance-unchanged")),
        (_MANAGED, {"outcome": "rebalanced"}, put(prior_generation=99)),
        (_MANAGED, {"outcome": "unbound"}, put(prior_role="nowhere")),
        (_MANAGED, {"reason": "unknown-target"}, put(reason="target-unavailable")),
    ),
]

ALL = (*CLAIMS, *INVARIANTS, *TABLES)
"""All clauses but the last of the matrix, which speaks of events that leave no row."""
