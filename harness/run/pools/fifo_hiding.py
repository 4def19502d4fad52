"""What in an adoption keeps a breach of the FIFO pool's law from being seen."""

from __future__ import annotations

from harness.models.pools.definition import Definition

_NEEDS_REPLACEMENT = ("replacement-reuses-birth", "stop-counts-twice", "late-stop-retires")
_NEEDS_TWO_ROLES = (
    "retired-role-moves-back",
    "activation-left-to-the-worker",
    "cursor-stays",
    "retry-at-the-front",
)
_NEEDS_BACKLOG = ("backlog-counts-running",)
_NEEDS_A_QUEUE = ("newest-first", "completion-does-not-fill")


def hidden_by(definition: Definition, inversion: str) -> str | None:
    """The part of the definition under which no run can show the breach; None where some run must."""
    replaces = definition.recovery is not None and definition.recovery.source
    alone = len(definition.roles) == 1
    if inversion in _NEEDS_REPLACEMENT and not replaces:
        return "restart is temporary"
    if inversion in _NEEDS_TWO_ROLES and alone:
        return "there is one role"
    if inversion in _NEEDS_BACKLOG and definition.backlog == 0:
        return "backlog is 0"
    if inversion in _NEEDS_A_QUEUE and definition.backlog == 0 and alone:
        return "backlog is 0 and there is one role"
    return None
