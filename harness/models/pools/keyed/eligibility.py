"""What a role is good for: whether a job may be admitted to it, and whether a key may be bound to it.

Both are total tables over the phases of a role. A phase that is in neither is an error and never a guess.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.keyed.state import Unsent
from harness.models.pools.members import DrainingPreReady, DrainMember, Member

ASSIGNABLE, ADMISSIBLE, UNAVAILABLE = "assignable-now", "backlog-admissible", "unavailable"
BINDABLE = "bindable"


class Eligibility(NamedTuple):
    """What one phase allows."""

    admission: str
    management: str


_WAITS = Eligibility(ADMISSIBLE, BINDABLE)
_NOTHING = Eligibility(UNAVAILABLE, UNAVAILABLE)

ELIGIBILITY: dict[str, Eligibility] = {
    "prepared": _WAITS,
    "creating": _WAITS,
    "initializing": _WAITS,
    "waiting-authorization": _WAITS,
    "activation-dispatched": _WAITS,
    "activating": _WAITS,
    "draining-pre-ready-resume": _WAITS,
    "draining-pre-ready-retire": _NOTHING,
    "idle": Eligibility(ASSIGNABLE, BINDABLE),
    "busy": _WAITS,
    "quarantined": _NOTHING,
    "recovering": _WAITS,
    "stopping": _NOTHING,
    "retired": _NOTHING,
    "shutdown-owned": _NOTHING,
}
"""By phase; a quarantined role keeps what it has and takes nothing new."""

_AFTER = {"recover": "resume", "retire": "retire"}


def standing(member: Member | Unsent | DrainMember) -> str:
    """The row of a role: its phase, and for a drain before readiness what follows it."""
    if isinstance(member, DrainingPreReady):
        return f"{member.phase}-{_AFTER[member.after]}"
    return "shutdown-owned" if isinstance(member, DrainMember) else member.phase


def admission_of(member: Member | Unsent | DrainMember) -> str:
    """`assignable-now`, `backlog-admissible` or `unavailable`."""
    return ELIGIBILITY[standing(member)].admission


def management_of(member: Member | Unsent | DrainMember) -> str:
    """`bindable` or `unavailable`."""
    return ELIGIBILITY[standing(member)].management
