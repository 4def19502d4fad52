"""What in an adoption keeps a breach of the fixed supervisor's law from being seen."""

from __future__ import annotations

from harness.models.pools.supervisor.definition import Definition

_NEEDS_EVENTS = ("start-names-the-worker", "birth-is-a-start", "restart-hides-the-stop")
_NEEDS_REPLACEMENT = (
    "recovery-makes-proxies",
    "restart-hides-the-stop",
    "stop-need-not-be-known",
    "replacement-leaves-twice",
    "ticket-stays",
    "admits-the-trigger-alone",
    "budget-has-no-end",
    "chosen-twice",
    "refusal-fails-the-peers",
    "first-worker-need-not-be-there",
    "free-place-is-not-used",
    "timer-is-not-waited-for",
    "stop-closes-nothing",
    "timer-charges-again",
    "late-workers-are-asked-again",
    "denied-stop-vanishes",
    "half-a-source-will-do",
    "prepared-prefix-vanishes",
)
_NEEDS_A_TIMER = ("timer-is-not-waited-for", "timer-charges-again")
_NEEDS_TWO_ROLES = ("last-role-first", "one-proxy-for-all")
_NEEDS_A_PEER = (
    "stop-need-not-be-known",
    "admits-the-trigger-alone",
    "refusal-fails-the-peers",
    "first-worker-need-not-be-there",
    "half-a-source-will-do",
    "prepared-prefix-vanishes",
)
_NEEDS_LONE_RETIREMENT = ("retired-role-leaves", "refusal-fails-the-peers")
_NEEDS_DIAGNOSTICS = ("refused-diagnostic-is-sent-again", "undeliverable-is-not-named")
_NEEDS_WAITING = ("limit-is-forgotten", "free-place-is-not-used")


def hidden_by(definition: Definition, inversion: str) -> str | None:
    """The part of the definition under which no run can show the breach; None where some run must."""
    restarts = None if definition.recovery is None else definition.recovery.restarts
    if inversion in _NEEDS_REPLACEMENT:
        if restarts is None:
            return "restart is temporary"
        if inversion in _NEEDS_A_TIMER and restarts.timing.kind == "immediate":
            return "restart-timing is immediate"
        if inversion in _NEEDS_A_PEER and restarts.strategy == "one-for-one":
            return "strategy is one-for-one"
        if inversion == "chosen-twice" and restarts.strategy != "rest-for-one":
            return f"strategy is {restarts.strategy}"
    return _hidden_beside_recovery(definition, inversion)


def _hidden_beside_recovery(definition: Definition, inversion: str) -> str | None:
    if inversion in _NEEDS_EVENTS and definition.lifecycle is None:
        return "lifecycle is omit"
    if inversion in (*_NEEDS_TWO_ROLES, *_NEEDS_A_PEER, "chosen-twice") and len(definition.roles) == 1:
        return "there is one role"
    if inversion in _NEEDS_LONE_RETIREMENT:
        if definition.diagnostics is None:
            return "diagnostics is terminate"
        if definition.failure == "stop-supervisor":
            return "topology-failure is stop-supervisor"
    if inversion in _NEEDS_WAITING and definition.activation_limit >= len(definition.roles):
        return "the activation limit is no less than the number of roles"
    if inversion in _NEEDS_DIAGNOSTICS and definition.diagnostics is None:
        return "diagnostics is terminate"
    if inversion in ("forced-end-is-silent", "forced-end-hands-nothing-over") and definition.deadline is None:
        return "drains have no deadline"
    return None
