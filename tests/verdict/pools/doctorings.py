"""For each clause of the fifo-pool contract, a change of one row that makes a sound recording break it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.verdict.pools.pool_runs import Change, beside, double, drop, put

_RETURNED = {
    "job": 3,
    "outcome": "returned-queued",
    "role": None,
    "payload": 3,
    "result": None,
    "reason": "no-recoverable-workers",
    "route": "customer",
}


class Doctoring(NamedTuple):
    """A clause, the rows that may be changed (by log and columns), and the change."""

    template: str
    at: int
    log: str
    where: Mapping[str, Any]
    change: Change
    pool: str = "ticket-desk"


def _lane(name: str, **columns: Any) -> tuple[str, dict[str, Any]]:
    return "action-lanes", {"lane": name, **columns}


def _input(kind: str, **columns: Any) -> tuple[str, dict[str, Any]]:
    return "input-log", {"input": kind, **columns}


def _state(**columns: Any) -> tuple[str, dict[str, Any]]:
    return "state-trace", columns


def _dispatched(**columns: Any) -> tuple[str, dict[str, Any]]:
    return "assignment-trace", {"change": "dispatched", **columns}


def _several(values: Any) -> bool:
    return len(values) > 1


def _reversed(values: list[Any]) -> list[Any]:
    return values[::-1]


_LONGER = put(jobs=[3, 8, 9], ordinals=[3, 8, 9], priors=[None, None, None])
_MUCH_LONGER = put(jobs=[1, 2, 3, 4, 5], ordinals=[1, 2, 3, 4, 5], priors=[None] * 5)

_C = "claim-01-unique-ordered-roster"
CLAIMS = [
    Doctoring(_C, 0, *_state(role="left", to="creating"), put(role="right")),
    Doctoring(_C, 1, *_state(role="right", to="creating"), put(place=0)),
    Doctoring(_C, 2, *_state(**{"from": "retired", "to": "drained"}), put(to="creating")),
    Doctoring(_C := "claim-02-fresh-workers", 0, *_lane("worker-creations", reservation=2), put(reservation=1)),
    Doctoring(_C, 1, *_input("birth-committed", worker=2), put(birth=1)),
    Doctoring(_C, 2, *_lane("worker-assignments", assignment=2), put(assignment=1)),
    Doctoring(_C, 3, *_lane("worker-assignments", assignment=3), put(assignment=2)),
    Doctoring(_C := "claim-03-one-public-face", 0, "admission-outcomes", {"outcome": "accepted"}, put(payload=1)),
    Doctoring(_C, 1, "terminal-outcomes", {"outcome": "completed"}, put(role="Worker 1")),
    Doctoring(_C, 2, *_lane("admission-deliveries"), put(worker=1)),
    Doctoring(_C := "claim-04-direct-ownership", 0, *_lane("worker-creation-observations"), drop),
    Doctoring(_C, 1, *_input("begin-accepted"), drop),
    Doctoring(_C, 2, *_state(to="activation-dispatched"), put(to="waiting-authorization")),
    Doctoring(_C, 3, *_input("worker-stopped"), put(worker=99)),
    Doctoring(_C, 4, *_input("worker-stopped"), put(worker=99)),
    Doctoring(_C := "claim-05-one-obligation-per-job", 0, "admission-outcomes", {"outcome": "accepted"}, drop),
    Doctoring(_C, 1, "ownership-ledger", {"change": "gives-up"}, drop),
    Doctoring(_C, 2, "terminal-outcomes", {}, double),
    Doctoring(_C, 3, *_dispatched(), put(payload=99)),
    Doctoring(_C := "claim-06-backlog-counts-waiters", 0, *_state(to="busy-delivered"), put(to="idle")),
    Doctoring(_C, 1, "queue-trace", {"jobs": [1]}, _LONGER),
    Doctoring(_C, 2, *_dispatched(), drop),
    Doctoring(_C, 3, "queue-trace", {}, _MUCH_LONGER),
    Doctoring(_C := "claim-07-one-job-per-worker", 0, *_dispatched(), double),
    Doctoring(_C, 1, *_input("worker-ready"), drop),
    Doctoring(_C, 2, "ownership-ledger", {"change": "takes", "role": "right"}, put(role="left")),
    Doctoring(_C := "claim-08-no-idle-beside-queue", 0, "count-trace", {"queued": 1}, put(idle=1)),
    Doctoring(_C, 1, *_state(**{"from": "busy-delivered", "to": "busy-awaiting-both"}), put(to="idle")),
    Doctoring(_C, 2, *_dispatched(role="right", job=1), drop),
    Doctoring(_C := "claim-09-fifo-and-ring", 0, *_dispatched(job=3), put(job=4)),
    Doctoring(_C, 1, "queue-trace", {"jobs": _several}, put(jobs=_reversed)),
    Doctoring(_C, 2, *_dispatched(assignment=1), put(role="right")),
    Doctoring(_C, 3, "count-trace", {"cursor": 1}, put(cursor=0)),
    Doctoring(_C := "claim-10-exact-completion", 0, *_input("worker-completed"), put(authority=99)),
    Doctoring(_C, 1, *_dispatched(), put(authority_birth=99)),
    Doctoring(_C, 2, "terminal-outcomes", {"outcome": "completed"}, put(result="other")),
    Doctoring(_C, 3, "diagnostics", {}, put(facts=[])),
    Doctoring(_C, 4, "terminal-outcomes", {"outcome": "returned-assigned"}, put(reason="worker-stopped")),
    Doctoring(_C := "claim-11-stop-resolves-once", 0, "ownership-ledger", {"change": "takes", "job": 1}, drop),
    Doctoring(_C, 1, *_lane("worker-preparations"), double),
    Doctoring(_C, 2, *_lane("worker-preparations"), drop),
    Doctoring(_C, 3, "queue-trace", {"jobs": _several, "priors": any}, put(jobs=_reversed)),
    Doctoring(_C, 4, *_input("worker-stopped", at=101), put(at=0)),
    Doctoring(_C := "claim-12-order-free-join", 0, *_input("delivery-accepted"), put(assignment=99)),
    Doctoring(_C, 1, "terminal-outcomes", {"outcome": "completed"}, drop),
    Doctoring(_C, 2, "diagnostics", {"diagnostic": "stale-completion"}, drop),
    Doctoring(_C, 3, "terminal-outcomes", {"reason": "contradictory-assignment-settlement"}, drop),
    Doctoring(_C := "claim-13-no-stranded-work", 0, "terminal-outcomes", {"outcome": "returned-queued"}, drop),
    Doctoring(_C, 1, "admission-outcomes", {"reason": "no-recoverable-workers"}, put(reason="backlog-full")),
    Doctoring(_C, 2, *_state(to="retired"), beside("terminal-outcomes", **_RETURNED)),
    Doctoring(_C := "claim-14-full-shutdown", 0, "terminal-outcomes", {}, put(reason="worker-stopped")),
    Doctoring(_C, 1, "admission-outcomes", {"reason": "shutting-down"}, put(reason="backlog-full")),
    Doctoring(_C, 2, *_lane("worker-shutdowns"), put(lane="worker-creations")),
    Doctoring(_C, 3, *_lane("worker-shutdowns"), drop),
    Doctoring(_C, 4, *_input("worker-stopped"), put(worker=99)),
    Doctoring(_C := "claim-15-late-facts-harmless", 0, *_lane("diagnostic-deliveries"), put(lane="worker-shutdowns")),
    Doctoring(_C, 1, "diagnostics", {}, drop),
    Doctoring(_C, 2, "diagnostics", {"diagnostic": "contradiction"}, put(facts=lambda facts: facts[:1])),
    Doctoring(_C := "claim-16-one-state-one-product", 0, "count-trace", {}, double),
    Doctoring(_C, 1, *_lane("diagnostic-deliveries"), drop),
    Doctoring(_C, 2, "action-lanes", {"place": 2}, put(place=1)),
    Doctoring(_C, 3, "admission-outcomes", {}, drop),
    Doctoring(_C, 4, "terminal-outcomes", {}, drop),
]

INVARIANTS = [
    Doctoring(_C := "invariant-conservation", 0, "count-trace", {"queued": 1}, put(queued=2)),
    Doctoring(_C, 1, "ownership-ledger", {"change": "takes"}, drop),
    Doctoring(_C := "invariant-absolute-queue-bound", 0, "count-trace", {}, put(queued=5)),
    Doctoring(_C, 1, "queue-trace", {}, drop),
    Doctoring(_C := "invariant-new-admission-bound", 0, "queue-trace", {"jobs": [1]}, _LONGER),
    Doctoring(_C, 1, *_dispatched(), drop),
    Doctoring(_C := "invariant-ordinal-order", 0, "queue-trace", {"ordinals": _several}, put(ordinals=_reversed)),
    Doctoring(_C, 1, "queue-trace", {"ordinals": [3, 4]}, put(ordinals=[13, 14])),
    Doctoring(
        _C := "invariant-one-assignment-per-worker",
        0,
        "ownership-ledger",
        {"change": "takes", "role": "right"},
        put(role="left"),
    ),
    Doctoring(_C, 1, "count-trace", {"assigned": 1}, put(assigned=2)),
    Doctoring(_C := "invariant-one-terminal-per-job", 0, "terminal-outcomes", {}, double),
    Doctoring(_C, 1, "terminal-outcomes", {}, put(job=99)),
    Doctoring(_C := "invariant-no-idle-with-queue", 0, "count-trace", {"queued": 1}, put(idle=1)),
    Doctoring(_C, 1, *_state(to="busy-delivered"), put(to="idle")),
    Doctoring(_C := "invariant-cursor-on-ring", 0, "count-trace", {"mode": "operating"}, put(cursor=2)),
    Doctoring(_C, 1, "count-trace", {"mode": "operating", "tickets": 1}, put(cursor=1)),
    Doctoring(_C := "invariant-unique-active-completions", 0, *_dispatched(assignment=2), put(authority=1)),
    Doctoring(_C, 1, *_dispatched(), put(authority_birth=99)),
    Doctoring(_C := "invariant-no-reissue", 0, *_lane("worker-creations", reservation=2), put(reservation=1)),
    Doctoring(_C, 1, "admission-outcomes", {"job": 2}, put(job=1)),
]

MATRIX = [
    Doctoring(
        _C := "matrix-of-modes-and-members",
        0,
        "admission-outcomes",
        {"outcome": "accepted"},
        put(reason="shutting-down"),
    ),
    Doctoring(_C, 1, *_state(**{"from": "creating", "to": "initializing"}), drop),
    Doctoring(_C, 2, "diagnostics", {}, drop),
]

ALL = (*CLAIMS, *INVARIANTS, *MATRIX)
"""All clauses but the last of the matrix, which speaks of events that leave no row."""
