"""What a role can be: the members of an operating pool, and those of a draining one.

Roles are numbered from 0 in their declared order. `phase` names the variant, so that two variants never compare equal.
Values that only the host of an unfinished operation owns (an activation plan, a moved command) are not here: a member
keeps the number by which it knows the answer.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import BirthId, DispatchId, RecoveryId, TicketId, TimerId
from harness.models.pools.values import AssignedJob, Birth, Evidence, Stop, Worker

# -- what is still open around a worker that ends ------------------------------------------------------------------


class Outstanding(NamedTuple):
    """Operations whose answers are not in: each by its correlation, `shutdown` by being asked."""

    init: int | None = None
    begin: TicketId | None = None
    ready: TicketId | None = None
    delivery: DispatchId | None = None
    restart: TimerId | None = None
    shutdown: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether every answer is in."""
        return self == _NOTHING


_NOTHING = Outstanding()


# -- the join of delivery, completion and stop ---------------------------------------------------------------------


class AwaitingBoth(NamedTuple):
    """Neither the delivery's answer nor an end is known."""

    state: str = "awaiting-both"


class Delivered(NamedTuple):
    """The worker has the assignment."""

    state: str = "delivered"


class CompletionFirst(NamedTuple):
    """The completion came before the delivery's answer; a later stop is kept with it."""

    completion: Evidence
    later_stop: Stop | None = None
    state: str = "completion-first"


class StopFirst(NamedTuple):
    """The stop came before the delivery's answer; a later completion is kept with it."""

    stop: Stop
    later_completion: Evidence | None = None
    state: str = "stop-first"


Join = AwaitingBoth | Delivered | CompletionFirst | StopFirst

# -- recovery ------------------------------------------------------------------------------------------------------


class Prepared(NamedTuple):
    """A replacement ready to be made; `due` is when, None for at once. Its charge is in the budget already."""

    definition: str
    reservation: BirthId
    due: int | None


class WaitingForSource(NamedTuple):
    """The worker source is asked for one role at a time, and this role's turn has not come."""

    name: str = "waiting-for-source"


class Preparing(NamedTuple):
    """The worker source was asked."""

    name: str = "preparing"


class Scheduling(NamedTuple):
    """The restart timer was asked for."""

    recovery: RecoveryId
    timer: TimerId
    prepared: Prepared
    name: str = "scheduling"


class WaitingForTimer(NamedTuple):
    """The restart timer runs."""

    recovery: RecoveryId
    timer: TimerId
    prepared: Prepared
    name: str = "waiting-for-timer"


Recovery = WaitingForSource | Preparing | Scheduling | WaitingForTimer

# -- members of an operating pool ----------------------------------------------------------------------------------


class Creating(NamedTuple):
    """The creation left; a stop that came before its answer is kept."""

    role: int
    reservation: BirthId
    kind: Birth
    early_stop: Stop | None = None
    phase: str = "creating"


class Initializing(NamedTuple):
    """The worker exists; its host has the plan and will say how the start went."""

    role: int
    worker: Worker
    kind: Birth
    attempt: int
    phase: str = "initializing"


class WaitingForAuthorization(NamedTuple):
    """Ready to be activated as soon as a place is free."""

    role: int
    worker: Worker
    kind: Birth
    permit: str
    plan: str
    phase: str = "waiting-authorization"


class ActivationDispatched(NamedTuple):
    """A place is held; the answer to the begin is open."""

    role: int
    worker: Worker
    kind: Birth
    ticket: TicketId
    phase: str = "activation-dispatched"


class Activating(NamedTuple):
    """A place is held until the worker is ready."""

    role: int
    worker: Worker
    kind: Birth
    ticket: TicketId
    phase: str = "activating"


class DrainingPreReady(NamedTuple):
    """A worker that ends before it was ever ready; `after` is `recover` or `retire`."""

    role: int
    worker: Worker
    outstanding: Outstanding
    stop: Stop | None
    asked: bool
    cause: str
    after: str
    phase: str = "draining-pre-ready"


class Idle(NamedTuple):
    """The exact ready worker, with nothing to do."""

    role: int
    worker: Worker
    phase: str = "idle"


class Busy(NamedTuple):
    """The exact ready worker, with one job."""

    role: int
    worker: Worker
    job: AssignedJob
    join: Join
    phase: str = "busy"


class Quarantined(NamedTuple):
    """A worker that did not take its assignment; left by its exit and its shutdown answer, then recovered."""

    role: int
    worker: Worker
    outstanding: Outstanding
    stop: Stop | None
    phase: str = "quarantined"


class Recovering(NamedTuple):
    """The worker is gone and a replacement is on its way."""

    role: int
    predecessor: Worker
    stop: Stop
    recovery: Recovery
    phase: str = "recovering"


class Stopping(NamedTuple):
    """A worker that ends for good; `after` is `retire-role` or `stop-pool`."""

    role: int
    worker: Worker
    outstanding: Outstanding
    stop: Stop | None
    reason: str
    after: str
    phase: str = "stopping"


class Retired(NamedTuple):
    """The role has no worker any more; its cell stays, so that the ring never shrinks."""

    role: int
    reason: str
    phase: str = "retired"


Member = (
    Creating
    | Initializing
    | WaitingForAuthorization
    | ActivationDispatched
    | Activating
    | DrainingPreReady
    | Idle
    | Busy
    | Quarantined
    | Recovering
    | Stopping
    | Retired
)


def phase_of(member: Member) -> str:
    """The name of a member's phase; a busy one is named with its join."""
    if isinstance(member, Busy):
        return f"busy-{member.join.state}"
    return member.phase


def is_lost(member: Member) -> bool:
    """Whether the role can never have a ready worker again."""
    if isinstance(member, DrainingPreReady):
        return member.after == "retire"
    return isinstance(member, Retired | Stopping)


# -- members of a draining pool ------------------------------------------------------------------------------------


class DrainCreation(NamedTuple):
    """A creation whose answer the drain waits for."""

    role: int
    reservation: BirthId
    kind: Birth
    early_stop: Stop | None
    phase: str = "resolving-creation"


class DrainWorker(NamedTuple):
    """A worker that was asked to end; `work` is what it was at."""

    role: int
    worker: Worker
    work: str
    outstanding: Outstanding
    phase: str = "worker"


class DrainPreparation(NamedTuple):
    """The worker source's answer is open."""

    role: int
    predecessor: Worker
    phase: str = "awaiting-worker-preparation"


class DrainSchedule(NamedTuple):
    """The answer to a restart timer's request is open."""

    role: int
    recovery: RecoveryId
    timer: TimerId
    phase: str = "awaiting-restart-schedule"


class Drained(NamedTuple):
    """Nothing of the role is left."""

    role: int
    phase: str = "drained"


DrainMember = DrainCreation | DrainWorker | DrainPreparation | DrainSchedule | Drained
