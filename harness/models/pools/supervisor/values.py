"""Plain values of a supervisor: its correlations, proxies, stops, and the operations that proxies are given."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import Allocator, BirthId, Correlation, RecoveryId, TimerId


class OperationId(Correlation):
    """The ticket of one install or replacement. Pairs are fresh by construction: none ever fails to be had."""

    __slots__ = ()
    word = "operation"


class PreparationId(Correlation):
    """One batch of replacements that the worker source was asked for."""

    __slots__ = ()
    word = "preparation"


class DeliveryId(Correlation):
    """The ticket of one event, reply or diagnostic that left. The interpreter gives it out; no supervisor keeps it."""

    __slots__ = ()
    word = "delivery"


class WorkerId(Correlation):
    """Evidence of one worker, issued behind its proxy. Nobody can be reached by it, and it never leaves."""

    __slots__ = ()
    word = "worker"


class Allocators(NamedTuple):
    """One allocator for each kind of correlation that a supervisor issues."""

    birth: Allocator = Allocator(BirthId(1))
    operation: Allocator = Allocator(OperationId(1))
    preparation: Allocator = Allocator(PreparationId(1))
    recovery: Allocator = Allocator(RecoveryId(1))
    timer: Allocator = Allocator(TimerId(1))


class Proxy(NamedTuple):
    """The exact capability of one committed stable proxy, the only public way to a role; `birth` made it."""

    birth: BirthId


class WorkerStop(NamedTuple):
    """A worker ended behind its proxy; `at` is the interpreter's own clock, in ticks."""

    worker: WorkerId
    abnormal: bool
    at: int


class ReportRefused(NamedTuple):
    """The report of a stop could not be delivered: the stop is a fact, and its report is the host's."""

    word: str = "report-refused"


class Initial(NamedTuple):
    """The operation installs the first worker of a proxy."""

    word: str = "initial"


class Replacement(NamedTuple):
    """The operation puts a new worker in the place of one, within one recovery."""

    recovery: RecoveryId
    replaces: WorkerId
    word: str = "replacement"


class Operation(NamedTuple):
    """What a proxy is given: its ticket, what it is for, and the definition of the worker with its activation."""

    ticket: OperationId
    kind: Initial | Replacement
    definition: str


class Prepared(NamedTuple):
    """A replacement that has its ticket and was not emitted yet."""

    ticket: OperationId
    definition: str


class Submission(NamedTuple):
    """What the worker source made for one role."""

    role: str
    definition: str


class Denial(NamedTuple):
    """Why a recovery was not admitted, with the numbers that belong to the reason.

    `restart-limit-reached` has (active, requested, maximum), `clock-regressed` (previous, observed),
    `recovery-count-exhausted` (admitted,). `detail` is the role of `role-not-restartable`, or what went wrong with the
    delay of `release-calculation-failed`.
    """

    reason: str
    numbers: tuple[int, ...] = ()
    detail: str = ""
