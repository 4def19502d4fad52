"""What a role can be: an independent member, a participant of one recovery, or a member that only ends.

Roles are numbered from 0 in their declared order. `phase` names the variant, so that two variants never compare equal.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor.facts import ExitAfterBirth, ExitBeforeBirth, ReplacementOutcome, ShutdownRejected
from harness.models.pools.supervisor.values import (
    Operation,
    OperationId,
    PreparationId,
    Prepared,
    Proxy,
    ReportRefused,
    WorkerId,
    WorkerStop,
)

# -- the first operation of a proxy --------------------------------------------------------------------------------


class WaitingForAuthorization(NamedTuple):
    """The operation is here and waits for a free activation."""

    input: Operation
    word: str = "waiting-for-authorization"


class Dispatched(NamedTuple):
    """The operation left; its receipt is open."""

    ticket: OperationId
    word: str = "dispatched"


class AwaitingOutcome(NamedTuple):
    """The proxy has the operation; its outcome is open."""

    ticket: OperationId
    word: str = "awaiting-outcome"


InitialPhase = WaitingForAuthorization | Dispatched | AwaitingOutcome

# -- independent members -------------------------------------------------------------------------------------------


class CreatingProxy(NamedTuple):
    """The creation left."""

    role: int
    reservation: BirthId
    initial: Operation
    phase: str = "creating-proxy"


class CreatingProxyAfterExit(NamedTuple):
    """The creation left, and the proxy ended before its birth was answered."""

    role: int
    reservation: BirthId
    initial: Operation
    exit: ExitBeforeBirth
    phase: str = "creating-proxy-after-exit"


class Starting(NamedTuple):
    """The proxy exists and gets its first worker."""

    role: int
    proxy: Proxy
    initial: InitialPhase
    phase: str = "starting"


class Online(NamedTuple):
    """The proxy reported this worker ready."""

    role: int
    proxy: Proxy
    worker: WorkerId
    phase: str = "online"


class Empty(NamedTuple):
    """The proxy lives without a worker. A `stop` is kept until its recovery is decided."""

    role: int
    proxy: Proxy
    previous: WorkerId
    cause: str
    stop: WorkerStop | None
    phase: str = "empty"


class Stopping(NamedTuple):
    """The proxy ends for good; its answer and its exit come in either order.

    `asked` is `not-asked`, `shutdown-dispatched`, `awaiting-exit` or `rejected`; a refusal is kept and is no stop.
    """

    role: int
    proxy: Proxy
    cause: str
    asked: str
    refusal: ShutdownRejected | None = None
    exit: ExitAfterBirth | None = None
    phase: str = "stopping"


class Retired(NamedTuple):
    """The role is over; its place stays."""

    role: int
    cause: str
    refusal: ShutdownRejected | None = None
    phase: str = "retired"


Independent = CreatingProxy | CreatingProxyAfterExit | Starting | Online | Empty | Stopping | Retired

# -- participants of a recovery ------------------------------------------------------------------------------------


class AwaitingInitial(NamedTuple):
    """A participant whose first worker is not ready yet, and so can't be replaced."""

    role: int
    proxy: Proxy
    initial: InitialPhase
    prepared: Prepared
    phase: str = "recovery-awaiting-initial"


class Waiting(NamedTuple):
    """A participant with a predecessor, online or stopped, and a replacement that was not emitted."""

    role: int
    proxy: Proxy
    worker: WorkerId
    stop: WorkerStop | None
    prepared: Prepared
    phase: str = "recovery-waiting"


class InputPending(NamedTuple):
    """The replacement left; its receipt is open."""

    ticket: OperationId
    word: str = "input-pending"


class OutcomePending(NamedTuple):
    """The proxy has the replacement; its outcome is open."""

    ticket: OperationId
    word: str = "outcome-pending"


class OutcomeReturned(NamedTuple):
    """The outcome is here and the predecessor's stop is not."""

    outcome: ReplacementOutcome
    word: str = "outcome-returned"


Response = InputPending | OutcomePending | OutcomeReturned


class Replacing(NamedTuple):
    """A participant whose replacement left: the stop and the response come in either order, and are kept apart."""

    role: int
    proxy: Proxy
    previous: WorkerId
    stop: WorkerStop | ReportRefused | None
    response: Response
    phase: str = "replacing"


Participant = AwaitingInitial | Waiting | Replacing
PARTICIPANTS = (AwaitingInitial, Waiting, Replacing)
Live = Starting | Online | Empty | Stopping | Participant
Member = Independent | Participant

_NEEDS = {
    ("input-pending", False): "recovery-needs-receipt-and-stop",
    ("input-pending", True): "recovery-needs-receipt",
    ("outcome-pending", False): "recovery-needs-stop-and-outcome",
    ("outcome-pending", True): "recovery-needs-outcome",
    ("outcome-returned", False): "recovery-needs-stop",
}


def phase_of(member: Member) -> str:
    """The name of a member's phase; what a replacement still needs is read off its stop and its response."""
    if isinstance(member, Replacing):
        return _NEEDS.get((member.response.word, member.stop is not None), member.phase)
    return member.phase


def holds_activation(member: Member) -> bool:
    """Whether an operation of this member is unresolved."""
    if isinstance(member, Starting | AwaitingInitial):
        return not isinstance(member.initial, WaitingForAuthorization)
    return isinstance(member, Replacing) and not isinstance(member.response, OutcomeReturned)


# -- recoveries ----------------------------------------------------------------------------------------------------


class Ready(NamedTuple):
    """Replacements may be emitted."""

    word: str = "ready"


class Scheduling(NamedTuple):
    """The restart timer was asked for."""

    timer: TimerId
    due: int
    word: str = "scheduling"


class WaitingForTimer(NamedTuple):
    """The restart timer runs."""

    timer: TimerId
    due: int
    word: str = "waiting"


Release = Ready | Scheduling | WaitingForTimer


class Batch(NamedTuple):
    """One admitted recovery with its participants. `trigger` stays its name when that role has left."""

    ticket: RecoveryId
    trigger: int
    release: Release
    members: tuple[Participant, ...]


class Pending(NamedTuple):
    """A recovery that is not admitted: the source was asked for these roles, which stay as they are meanwhile."""

    preparation: PreparationId
    trigger: int
    roles: tuple[int, ...]


# -- members of a drain --------------------------------------------------------------------------------------------


class Emitted(NamedTuple):
    """An operation that left before the drain. `stage` is what is open: its receipt, its outcome, or only the stop."""

    ticket: OperationId | None
    recovery: RecoveryId | None
    previous: WorkerId | None
    stage: str


class Outstanding(NamedTuple):
    """What a proxy's role still owned: inputs that never left, an operation that did, a stop that is not used up."""

    unissued: tuple[Operation | Prepared, ...] = ()
    emitted: Emitted | None = None
    stop: WorkerStop | ReportRefused | None = None
    recovery: RecoveryId | None = None

    @property
    def word(self) -> str:
        """`idle`, `initial-` or `recovery-waiting`, `initial-` or `replacement-emitted`."""
        if self.emitted is not None:
            return "initial-emitted" if self.emitted.recovery is None else "replacement-emitted"
        if not self.unissued:
            return "idle"
        return "initial-waiting" if self.recovery is None else "recovery-waiting"


IDLE = Outstanding()


class ResolvingProxyBirth(NamedTuple):
    """A creation whose answer the drain waits for."""

    role: int
    reservation: BirthId
    initial: Operation
    exit: ExitBeforeBirth | None
    phase: str = "resolving-proxy-birth"


class DrainingProxy(NamedTuple):
    """A proxy that was asked to end."""

    role: int
    proxy: Proxy
    outstanding: Outstanding
    asked: str
    refusal: ShutdownRejected | None = None
    phase: str = "draining-proxy"


class Drained(NamedTuple):
    """Nothing of the role is left; `result` is graceful or absent."""

    role: int
    result: str
    phase: str = "drained"


DrainMember = ResolvingProxyBirth | DrainingProxy | Drained
