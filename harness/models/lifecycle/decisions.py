"""What every event means to a run in every state.

Events that name a run are legal or refused by the state it is in; a tick acts on runs by their state; the other
events address no run directly. A pair that is missing here does not exist: `tests` walk the whole table.
"""

from __future__ import annotations

from typing import Final

from harness.models.lifecycle.state import (
    CANCELED,
    DELIVERED,
    FAILED,
    FINISHED,
    REQUESTED,
    STARTED,
    STATES,
    STOPPED,
    WAITING,
    WORKING,
)

REJECTED: Final = "rejected"
ALLOWED: Final = "allowed"
LEFT_ALONE: Final = "left alone"
MAY_BE_OFFERED: Final = "may be offered"
ROW_STATES: Final = (*STATES, REJECTED)

_ENDED = "the run has ended"
_BOUNDARY = "no run stays in started"

# Refusal texts by event kind and state; ALLOWED where the event goes on to its step.
_NAMING_A_RUN: dict[str, dict[str, str]] = {
    "admit": {
        REQUESTED: ALLOWED,
        WAITING: "the run was admitted already",
        STARTED: _BOUNDARY,
        WORKING: "the run was admitted already",
        STOPPED: "the run was admitted already",
        FINISHED: "the run was admitted already",
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    "instruct": {
        REQUESTED: "the run is neither working nor stopped",
        WAITING: "the run is neither working nor stopped",
        STARTED: _BOUNDARY,
        WORKING: ALLOWED,
        STOPPED: ALLOWED,
        FINISHED: "the run is neither working nor stopped",
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    "clear": {
        REQUESTED: "the run is not stopped",
        WAITING: "the run is not stopped",
        STARTED: _BOUNDARY,
        WORKING: "the run is not stopped",
        STOPPED: ALLOWED,
        FINISHED: "the run is not stopped",
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    "cancel": {
        REQUESTED: ALLOWED,
        WAITING: ALLOWED,
        STARTED: _BOUNDARY,
        WORKING: ALLOWED,
        STOPPED: ALLOWED,
        FINISHED: "a finished run cannot be canceled",
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    # Which of the allowed states a failure fires from is the row's own from-state.
    "fail": {
        REQUESTED: "no failure fires from requested",
        WAITING: ALLOWED,
        STARTED: _BOUNDARY,
        WORKING: ALLOWED,
        STOPPED: ALLOWED,
        FINISHED: ALLOWED,
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    "set-fields": {
        REQUESTED: ALLOWED,
        WAITING: ALLOWED,
        STARTED: _BOUNDARY,
        WORKING: ALLOWED,
        STOPPED: ALLOWED,
        FINISHED: ALLOWED,
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    "collect": {
        REQUESTED: "the run has no accepted output",
        WAITING: "the run has no accepted output",
        STARTED: _BOUNDARY,
        WORKING: "the run has no accepted output",
        STOPPED: "the run has no accepted output",
        FINISHED: ALLOWED,
        DELIVERED: _ENDED,
        CANCELED: _ENDED,
        FAILED: _ENDED,
        REJECTED: _ENDED,
    },
    # A request makes a run: its id must be new, whatever became of the run that had it.
    "request": dict.fromkeys(ROW_STATES, "the run exists already"),
}

# What a tick, and the events that address many runs, do to a run by its state.
_PASSING: dict[str, dict[str, str]] = {
    "tick": dict.fromkeys(ROW_STATES, LEFT_ALONE) | {WORKING: "advances", STOPPED: "reverses where it does"},
    "readmit": dict.fromkeys(ROW_STATES, LEFT_ALONE) | {REQUESTED: "tries again where it is blocked"},
    "redeliver": dict.fromkeys(ROW_STATES, LEFT_ALONE) | {FINISHED: "tries again where it is held"},
    "worker-stop": dict.fromkeys(ROW_STATES, LEFT_ALONE) | {WORKING: "stops", STOPPED: "is given the cause"},
    "worker-ready": dict.fromkeys(ROW_STATES, LEFT_ALONE)
    | {WAITING: MAY_BE_OFFERED, STOPPED: "loses the cause of this outage, and may be offered"},
} | {
    kind: dict.fromkeys(ROW_STATES, LEFT_ALONE) | {WAITING: MAY_BE_OFFERED, STOPPED: MAY_BE_OFFERED}
    for kind in ("open-pool", "supply", "room")
}
# What these take away others may have counted on.
_TAKING: dict[str, dict[str, str]] = {
    kind: dict.fromkeys(ROW_STATES, LEFT_ALONE) | {WAITING: "may be given a reason", STOPPED: "may fail its recheck"}
    for kind in ("use", "eligible")
}

DECISIONS: Final = _NAMING_A_RUN | _PASSING | _TAKING


def refusal(kind: str, state: str, ended: bool) -> str | None:
    """Why an event of this kind is not legal for a run in this state; None where it is."""
    decision = DECISIONS[kind][REJECTED if ended else state]
    return None if decision == ALLOWED else decision
