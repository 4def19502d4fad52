"""What in an adoption keeps a breach of the keyed pool's law from being seen."""

from __future__ import annotations

from harness.run.pools.keyed_binding import KeyedPoolOf

_NEEDS_REPLACEMENT = (
    "replacement-reuses-birth",
    "recovery-closes-the-role",
    "recovery-drops-bindings",
    "source-serves-all",
    "candidate-loss",
    "restart-after-shutdown",
    "late-stop-retires",
)
_NEEDS_TWO_ROLES = (
    "retired-role-moves-back",
    "accepted-work-retargeting",
    "cross-role-consumption",
    "roles-share-room",
    "source-serves-all",
)
_NEEDS_BACKLOG = (
    "accepted-work-retargeting",
    "bounds-are-one",
    "completion-does-not-fill",
    "quarantine-is-open",
    "retry-at-the-end",
    "roles-share-room",
)
_NEEDS_A_LONE_LOSS = ("retired-role-moves-back", "retirement-keeps-bindings", "retirement-keeps-queue")


def hidden_by(pool: KeyedPoolOf, inversion: str) -> str | None:
    """The part of the adoption under which no run can show the breach; None where some run must."""
    definition, keys = pool
    workers, recovery = definition.workers, definition.workers.recovery
    if recovery is not None:
        if inversion in _NEEDS_REPLACEMENT and not recovery.source:
            return "restart is temporary"
        if inversion == "replacement-reuses-birth" and recovery.budget.restarts == 0:
            return "the restart budget is 0"
        if inversion == "candidate-loss" and recovery.delay is None:
            return "workers are replaced at once"
        if inversion in _NEEDS_A_LONE_LOSS and (recovery.eligibility, recovery.failure) == ("permanent", "stop-pool"):
            return "a role that is lost ends the pool"
    if inversion in _NEEDS_TWO_ROLES and len(definition.roles) == 1:
        return "there is one role"
    if inversion in _NEEDS_BACKLOG and workers.backlog == 0:
        return "backlog is 0"
    known = [key for key in keys if definition.selector is not None and definition.selector(key) in definition.roles]
    if inversion == "table-has-no-end" and len(known) <= definition.binding_capacity:
        return "no more keys have a role than can be bound"
    if inversion == "bounds-are-one":
        if definition.binding_capacity == 1:
            return "one key can be bound"
        if len(known) <= max(1, definition.binding_capacity - workers.backlog):
            return "too few keys have a role"
    return None
