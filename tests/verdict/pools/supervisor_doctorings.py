"""For each clause of the fixed-supervisor contract, a change of one row that makes a sound recording break it."""

from __future__ import annotations

from typing import Any

from tests.verdict.pools.doctorings import Doctoring
from tests.verdict.pools.pool_runs import Change, beside, double, drop, put

WATCH = "harbour-watch"


def _of(template: str, *changes: tuple[str, dict[str, Any], Change]) -> list[Doctoring]:
    """The doctorings of a template's clauses, in order."""
    return [Doctoring(template, at, log, where, change, WATCH) for at, (log, where, change) in enumerate(changes)]


def _raised(number: int) -> int:
    return number + 5


def _charged(counts: list[int]) -> list[int]:
    return [*counts[:-1], counts[-1] + 5]


def _counted(counts: list[int]) -> list[int]:
    return [each + 1 for each in counts]


def _has_a_worker(facts: list[dict[str, Any]]) -> bool:
    return any(each["input"] == "submission" for each in facts)


def _without_workers(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in facts if each["input"] != "submission"]


def _all_ready(statuses: list[str]) -> list[str]:
    return ["ready" for _ in statuses]


_LANES, _IN, _STATE, _EVENTS = "action-lanes", "input-log", "state-trace", "lifecycle-events"
_REPLIES, _TOLD, _LEFT, _TEAMS = "management-replies", "diagnostics", "residual-transfers", "recovery-trace"
_BUDGET, _LEDGER, _COUNTS = "budget-trace", "ownership-ledger", "count-trace"
_CREATION = {"lane": "proxy-creations"}
_INSTALL = {"lane": "proxy-install-inputs"}
_REPLACE = {"lane": "proxy-replacement-inputs"}
_END = {"lane": "proxy-shutdowns"}
_ADMITTED = {"change": "admitted"}
_ONLINE = {"role": "lamp", "to": "online"}
_STATUS = {"reply": "status"}
_UNEXPECTED = {"diagnostic": "unexpected-input"}
_PAIR = put(kept=["stop", "replacement-ready"])
_FORCED = {"diagnostic": "forced-retirement"}
_TAKES = {"change": "takes"}
_STILL_WAITS = put(to="starting", within="waiting-for-authorization")
_FULL = {"mode": "operating", "operations": 1}

CLAIMS = [
    *_of(
        "claim-01-unique-ordered-roster",
        (_STATE, {"role": "lookout", "to": "creating-proxy"}, put(role="lamp")),
        (_STATE, {"role": "lamp", "to": "starting"}, put(place=0)),
        (_STATE, {"from": "retired", "to": "drained"}, put(to="starting")),
        (_LANES, {"lane": "proxy-stop-observations"}, drop),
    ),
    *_of(
        "claim-02-one-proxy-per-role",
        (_LANES, _CREATION, double),
        (_STATE, _ONLINE, put(proxy=1)),
        (_EVENTS, {"event": "started"}, put(worker=1)),
    ),
    *_of(
        "claim-03-atomic-proxy-outcome",
        (_IN, {"input": "initial-ready"}, put(proxy=9)),
        (_STATE, {"to": "online", "from": "starting"}, put(to="starting")),
        (_STATE, {"to": "recovery-needs-stop"}, put(to="online")),
    ),
    *_of(
        "claim-04-ready-only-after-report",
        (_STATE, {"to": "online"}, put(worker=_raised)),
        (_EVENTS, {"event": "restarted"}, put(event="started")),
        (_EVENTS, {"event": "worker-stopped", "disposition": "admitted"}, put(recovery=_raised)),
        (_REPLIES, {"answer": "ready"}, put(proxy=7)),
    ),
    *_of(
        "claim-05-activation-bound",
        (_LANES, _INSTALL, beside(_LANES, lane="proxy-install-inputs", proxy=9, operation="initial", ticket=99)),
        (_LANES, _REPLACE, put(proxy=9)),
        (_LANES, _REPLACE, put(ticket=1)),
        (_COUNTS, _FULL, put(operations=0)),
    ),
    *_of(
        "claim-06-one-snapshot-admission",
        (_TEAMS, _ADMITTED, put(roles=["lookout"])),
        (_BUDGET, {"recoveries": lambda each: sum(each) > 0}, put(recoveries=_counted)),
        (_TOLD, {"diagnostic": "recovery-denied"}, beside(_BUDGET, times=[0], replacements=[1], recoveries=[1, 0])),
        (_BUDGET, {"replacements": bool}, put(replacements=_charged)),
        (_TEAMS, {"change": "changed"}, put(recovery=_raised)),
        (_LEFT, {"definitions": bool}, drop),
    ),
    *_of(
        "claim-07-three-prerequisites",
        (_IN, {"input": "timer-elapsed"}, put(recovery=_raised)),
        (_LANES, _REPLACE, put(replaces=_raised)),
        (_COUNTS, {"mode": "operating", "operations": 0}, put(waiting=1)),
        (_STATE, {"role": "lookout", "from": "recovery-needs-outcome", "to": "online"}, _STILL_WAITS),
    ),
    *_of(
        "claim-08-late-facts-harmless",
        (_TOLD, _UNEXPECTED, beside(_TEAMS, change="changed", preparation=1, recovery=None, roles=[])),
        (_TOLD, _UNEXPECTED, put(route="nobody")),
        (_LANES, {"lane": "restart-schedules", "timer": 2}, put(timer=1)),
        (_LANES, {"lane": "worker-preparations"}, double),
        (_BUDGET, {"replacements": bool}, put(replacements=_charged)),
        (_STATE, {"kept": bool}, _PAIR),
    ),
    *_of(
        "claim-09-query-is-read-only",
        (_REPLIES, {}, drop),
        (_REPLIES, {}, beside(_TEAMS, change="changed", preparation=1, recovery=None, roles=[])),
        (_REPLIES, {"statuses": lambda each: "empty" in each}, put(statuses=_all_ready)),
        (_REPLIES, {"answer": "unavailable"}, put(status="retired")),
    ),
    *_of(
        "claim-10-exact-drain",
        (_LANES, {"lane": "management-replies"}, put(lane="worker-preparations", preparation=9)),
        (_LANES, _END, put(proxy=_raised)),
        (_LANES, _END, drop),
        (_IN, {"input": "exit-after-birth"}, put(proxy=9)),
        (_TOLD, _FORCED, drop),
    ),
    *_of(
        "claim-11-one-state-one-product",
        (_COUNTS, {}, double),
        (_LANES, {"lane": "diagnostic-deliveries"}, drop),
        (_LANES, {"place": 2}, put(place=3)),
        (_REPLIES, {}, double),
        (_EVENTS, {}, drop),
        (_LEDGER, _TAKES, drop),
        (_TOLD, _FORCED, put(role="lamp")),
        (_STATE, {"kept": lambda each: each == ["stop"]}, put(kept=[])),
        (_TOLD, {"diagnostic": "worker-preparation-failed", "facts": _has_a_worker}, put(facts=_without_workers)),
        (_LEFT, {"lane": "delivery-rejections", "delivery": bool}, put(delivery=_raised)),
    ),
]

INVARIANTS = [
    *_of("invariant-roster-partition", (_STATE, {"to": "recovery-waiting"}, put(to="online"))),
    *_of("invariant-one-proxy-per-role", (_STATE, _ONLINE, put(proxy=1))),
    *_of("invariant-activation-bound", (_COUNTS, _FULL, put(operations=2))),
    *_of(
        "invariant-nothing-held-back",
        (_COUNTS, {"mode": "operating", "operations": 0}, put(waiting=1)),
        (_LANES, _INSTALL, drop),
    ),
    *_of("invariant-disjoint-recoveries", (_TEAMS, {"change": "changed"}, put(recovery=_raised))),
    *_of("invariant-joins-close", (_STATE, {"kept": bool}, _PAIR)),
    *_of(
        "invariant-budget-bound",
        (_BUDGET, {"replacements": bool}, put(replacements=_charged)),
        (_COUNTS, {"charged": 2}, put(charged=9)),
    ),
    *_of("invariant-readiness-by-report", (_IN, {"input": "initial-ready"}, put(worker=_raised))),
    *_of(
        "invariant-conservation",
        (_LEDGER, _TAKES, drop),
        (_LANES, _REPLACE, put(definition="somebody else")),
    ),
    *_of("invariant-no-reissue", (_LANES, _REPLACE, put(ticket=1))),
]

MATRIX = _of(
    "matrix-of-modes-and-members",
    (_STATE, {"role": None, "to": "draining"}, drop),
    (_STATE, {"to": "online"}, drop),
    (_TOLD, _UNEXPECTED, drop),
)

ALL = [*CLAIMS, *INVARIANTS, *MATRIX]
"""One for each clause but the last of the matrix, which speaks of events that leave no row."""
