"""Which runs the templates of the fixed-supervisor contract need."""

from __future__ import annotations

from collections.abc import Mapping

from harness.models.pools.supervisor.definition import Definition
from harness.run.pools.planning import Planner, Shown
from harness.run.pools.supervisor import shapes_answers, shapes_ends, shapes_recovery, shapes_roles
from harness.run.pools.supervisor.piloting import SHAPES, SupervisorPilot
from harness.run.pools.supervisor.runs import SupervisorRuns, feature_of

SOURCES = (shapes_roles, shapes_recovery, shapes_ends, shapes_answers)
"""The modules whose shapes are registered by being read."""

_UP = "every role comes up"
_STARTS = "births in the opposite order, and starts within the limit"
_RETIRES = "a role that retires beside one that goes on"
_DEAD = "a proxy that ends while it is online"
_WHOLE = "a recovery from its stop to its last replacement"
_WATCHED = "a status at every step of a recovery"
_AGAIN = "a stop that is told again"
_AGAIN_PREPARED = "a stop that is told again while workers are prepared"
_LEFT = "a stop that is not covered"
_UNAWAITED = "facts that nobody awaits"
_CROSSED = "an answer from another proxy"
_BUDGET = "recoveries beyond the budget"
_OVERLAP = "two stops that want the same role"
_SECOND = "a second recovery of the same role"
_JOINS_IN = "a role on its first start that is chosen"
_ONLINE = "shutdown with every role online"
_MIDST = "shutdown in the midst of starts"
_DEADLINE = "a drain whose deadline comes"
_TIMER_TWICE = "a restart timer that goes off twice"
_NO_TIMER = "a restart timer that is refused"
_REOPENED = "a peer that stops while workers are prepared, and a source that refuses"
_NO_SOURCE = "a source that refuses"

_UNKNOWN = "queries about a role that there is not"

_FORGED = (
    "a receipt under a forged ticket",
    "an operation that comes back under a forged ticket",
    "forged tickets of a replacement",
    "forged tickets while the supervisor ends",
)
_COME_BACK = (
    "a first operation that comes back damaged",
    "a first operation that was never tried",
    "a replacement that comes back damaged",
    "a replacement that was never tried",
)
_NEVER_MADE = (
    "a proxy that is never made",
    "an exit before the birth is answered, and a proxy that is never made",
)
_HALVES = (
    "a source that gives up at the second worker",
    "a source that makes nothing",
    "a peer that stops while workers are prepared, and a source that gives up at the second",
)
_DELIVERIES = (
    "replies that arrive, and their arrival told again",
    "replies that come back in every way",
    "an event that arrives, and its arrival told again",
    "events that come back in every way",
    "a diagnostic that arrives, and its arrival told again",
    "a diagnostic that is refused",
    "a diagnostic that is damaged",
    "a diagnostic that was never tried",
    "shutdown, and deliveries that arrive or come back",
    "shutdown, and a diagnostic that is refused",
)
_STARTING = (
    _UP,
    _STARTS,
    "a birth that is refused",
    "an exit before the birth is answered, then the birth",
    "an exit before the birth is answered, then its refusal",
    "a first operation that is refused",
    "a first worker that fails, and an exit before the answer to the request",
    "a proxy that ends while it starts",
)
_JOINS = (
    _WHOLE,
    "a stop before the receipt of the replacement",
    "a stop between receipt and outcome",
    "an outcome and then the stop",
    "an outcome and then a stop whose report is refused",
    "a stop whose report is refused, and then the outcome",
    "a failed replacement and then the stop",
    "a replacement that fails behind a known stop",
    "a replacement that is refused",
    "a proxy that ends with a replacement on its way",
)
_DENIALS = (
    _BUDGET,
    _OVERLAP,
    _NO_SOURCE,
    _REOPENED,
    "a role whose proxy is being created is needed",
    "a stop before the timer of another recovery has gone off",
    "recovery numbers that run out",
    "restart timers that have no number",
)
_SHUTDOWNS = (
    _ONLINE,
    _MIDST,
    "shutdown before any proxy is there",
    "shutdown, and births that are refused",
    "shutdown after an exit whose birth is not answered",
    "shutdown, an exit before the birth is answered, and its refusal",
    "shutdown, and a first operation that is refused",
    "shutdown, and a first worker that fails",
    "shutdown, and a request to end that is refused",
    "shutdown with an empty role",
    "shutdown with a role that ends already",
    "shutdown while workers are prepared",
    "shutdown while workers are prepared, and a source that refuses",
    "shutdown while a restart timer is asked for",
    "shutdown while a restart timer runs",
    "shutdown with replacements on their way",
    "shutdown between the receipt of a replacement and its outcome",
    "shutdown before a stop that a replacement needs",
    "shutdown with an outcome whose stop is missing",
    "shutdown with a first start in a recovery",
    "shutdown, and a first operation that comes back damaged",
    "shutdown, and a first operation that was never tried",
    "shutdown, and proxies that are never made",
    "shutdown while workers are prepared, and a source that gives up at the second",
    "shutdown, and deliveries that arrive or come back",
    _DEADLINE,
    "a drain whose deadline comes with everything open",
    "a drain timer that is refused",
    "drain timers that have no number",
)

SHOWN: Mapping[str, Shown] = {
    "claim-01-unique-ordered-roster": Shown((_UP, _RETIRES, _DEAD, _WHOLE, _ONLINE)),
    "claim-02-one-proxy-per-role": Shown((*_STARTING, *_NEVER_MADE, _WHOLE, _WATCHED, _ONLINE)),
    "claim-03-atomic-proxy-outcome": Shown((*_STARTING, *_JOINS, _JOINS_IN, "a first start that fails in a recovery")),
    "claim-04-ready-only-after-report": Shown((_UP, _STARTS, _AGAIN, _LEFT, _WATCHED, *_JOINS, _JOINS_IN)),
    "claim-05-activation-bound": Shown((_UP, _STARTS, *_JOINS, *_COME_BACK, *_FORGED, _JOINS_IN, _SECOND)),
    "claim-06-one-snapshot-admission": Shown(
        (
            *(_WHOLE, *_DENIALS, *_HALVES, _SECOND, _JOINS_IN, _TIMER_TWICE, _NO_TIMER),
            "a restart timer that is refused, with a peer that has stopped",
            "a peer that stops while workers are prepared",
            "a peer that stops while its replacement waits",
        )
    ),
    "claim-07-three-prerequisites": Shown(
        (
            *(_UP, _STARTS, _WHOLE, _JOINS_IN, _SECOND, _TIMER_TWICE),
            "an outcome and then the stop",
            "a peer that stops while its replacement waits",
            "a proxy that ends while its replacement waits",
            "a first operation that is refused",
        )
    ),
    "claim-08-late-facts-harmless": Shown(
        (
            *(_AGAIN, _AGAIN_PREPARED, _UNAWAITED, _CROSSED, _OVERLAP, _TIMER_TWICE, _SECOND, *_JOINS),
            *(*_FORGED, *_DELIVERIES),
        ),
        toured=True,
    ),
    "claim-09-query-is-read-only": Shown(
        (_UP, _STARTS, _LEFT, _AGAIN, _WATCHED, _DEAD, _NO_SOURCE, _ONLINE, _DEADLINE, _UNKNOWN), toured=True
    ),
    "claim-10-exact-drain": Shown(_SHUTDOWNS),
    "claim-11-one-state-one-product": Shown(
        (
            *(_UP, _UNAWAITED, _BUDGET, _ONLINE, _DEADLINE, *_DENIALS, *_HALVES),
            *(*_COME_BACK, *_NEVER_MADE, *_DELIVERIES),
        ),
        toured=True,
    ),
    "invariant-roster-partition": Shown((_WHOLE, _RETIRES), toured=True),
    "invariant-one-proxy-per-role": Shown((_UP,), toured=True),
    "invariant-activation-bound": Shown((_STARTS, _WHOLE), toured=True),
    "invariant-nothing-held-back": Shown((_STARTS, _WHOLE), toured=True),
    "invariant-disjoint-recoveries": Shown((_OVERLAP,), toured=True),
    "invariant-joins-close": Shown(_JOINS, toured=True),
    "invariant-budget-bound": Shown((_BUDGET, _SECOND), toured=True),
    "invariant-readiness-by-report": Shown((_UP, _WHOLE), toured=True),
    "invariant-conservation": Shown((*_DENIALS, _WHOLE), toured=True),
    "invariant-no-reissue": Shown((_SECOND, _WHOLE), toured=True),
    "matrix-of-modes-and-members": Shown((), toured=True),
}


def planner(definition: Definition) -> Planner:
    """The plans of one supervisor, on the sound model."""
    return Planner(SupervisorRuns(definition), SHAPES, SHOWN, SupervisorPilot, feature=feature_of)
