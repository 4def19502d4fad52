"""Conservation, told from what goes in and what comes out alone: the ledger, and what inputs write into it.

The ledger writes down every accepted job, every binding that an outcome told of, every worker that was made and every
replacement that was offered, and crosses them off by facts and outcomes. It never looks at how the pool keeps them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.pools import facts as f
from harness.models.pools.correlations import (
    BirthId,
    Correlation,
    DispatchId,
    GenerationId,
    JobId,
    RecoveryId,
    RequestId,
    TicketId,
    TimerId,
)
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.open_work import OpenWork, is_running
from harness.models.pools.values import Admitted, Stop, Worker

KINDS: tuple[type[Correlation], ...] = (BirthId, DispatchId, GenerationId, JobId, RecoveryId, TicketId, TimerId)
NONE_YET = tuple(kind(0) for kind in KINDS)


Ask = tuple[str, int, Correlation, Correlation]


class Entry(NamedTuple):
    """An accepted job that has no outcome yet; `worker` and `dispatch` tell its latest assignment, None for none.

    `delivered` is the delivery's answer (None: open), `stopped` and `completed` whether the exact fact was seen.
    """

    job: JobId
    payload: RequestId
    admitted: Admitted
    worker: Worker | None = None
    dispatch: DispatchId | None = None
    delivered: bool | None = None
    stopped: bool = False
    completed: bool = False

    @property
    def is_running(self) -> bool:
        """Whether the latest assignment is not over."""
        return is_running(self)


class Ledger(NamedTuple):
    """What is open: jobs, bindings, creations (role, birth), live workers (role, worker), ready or asked to end.

    `sought` are the open requests for a replacement, `candidates` the replacements offered and not yet made or told as
    unused, by role; `replaced` are the workers for which a replacement was asked, `early` stops seen before their
    birth; `starting` are starts without a result, `plans` the activations that a start gave and that neither began nor
    were told as unused; `asks` are the operations whose answer is open, each as (word, role, number, number); `highest`
    is the latest number of each kind, in the order of `KINDS`.
    """

    entries: tuple[Entry, ...] = ()
    bound: tuple[Binding, ...] = ()
    making: tuple[tuple[int, BirthId], ...] = ()
    alive: tuple[tuple[int, Worker], ...] = ()
    ready: tuple[BirthId, ...] = ()
    asked: tuple[BirthId, ...] = ()
    sought: tuple[tuple[int, Worker], ...] = ()
    candidates: tuple[tuple[int, str], ...] = ()
    replaced: tuple[tuple[int, Worker], ...] = ()
    early: tuple[Stop, ...] = ()
    starting: tuple[tuple[int, Worker, int], ...] = ()
    plans: tuple[tuple[int, Worker], ...] = ()
    asks: tuple[Ask, ...] = ()
    highest: tuple[Correlation, ...] = NONE_YET
    closed: bool = False


class Reader(OpenWork[Entry]):
    """Writes inputs into a draft of the ledger."""

    REISSUED = "CorrelationReissued"

    def __init__(self, definition: KeyedDefinition, ledger: Ledger) -> None:
        self.definition = definition
        self.entries = {each.job: each for each in ledger.entries}
        self.bound = {each.key: each for each in ledger.bound}
        self.making = set(ledger.making)
        self.alive = set(ledger.alive)
        self.ready = set(ledger.ready)
        self.asked = set(ledger.asked)
        self.sought = dict(ledger.sought)
        self.candidates = dict(ledger.candidates)
        self.replaced = dict(ledger.replaced)
        self.early = {each.worker.child: each for each in ledger.early}
        self.starting = set(ledger.starting)
        self.plans = set(ledger.plans)
        self.asks = set(ledger.asks)
        self.closed = ledger.closed
        self.begin(ledger.highest)

    def role_of(self, job: Entry) -> int:
        """The role that admitted it; a job never changes its role."""
        return self.definition.roles.index(job.admitted.role)

    def ledger(self) -> Ledger:
        """The ledger after the step."""
        return Ledger(
            tuple(self.entries[job] for job in sorted(self.entries)),
            tuple(self.bound[key] for key in sorted(self.bound)),
            tuple(sorted(self.making)),
            tuple(sorted(self.alive)),
            tuple(sorted(self.ready)),
            tuple(sorted(self.asked)),
            tuple(sorted(self.sought.items())),
            tuple(sorted(self.candidates.items())),
            tuple(sorted(self.replaced.items())),
            tuple(self.early[child] for child in sorted(self.early)),
            tuple(sorted(self.starting)),
            tuple(sorted(self.plans)),
            tuple(sorted(self.asks)),
            tuple(self.highest[kind] for kind in KINDS),
            self.closed,
        )

    # -- what goes in ----------------------------------------------------------------------------------------------

    def _birth_committed(self, fact: f.BirthCommitted) -> bool:
        if not self.born(fact):
            return False
        self.starting.add((fact.role, fact.worker, fact.attempt))
        return True

    def _init_ready(self, fact: f.InitReady) -> bool:
        if (fact.role, fact.worker, fact.attempt) in self.starting:
            self.plans.add((fact.role, fact.worker))
        return self._init_over(fact)

    def _init_rejected(self, fact: f.InitRejected) -> bool:
        return self._init_over(fact)

    def _init_stopped(self, fact: f.InitStopped) -> bool:
        return self._init_over(fact)

    def _init_over(self, fact: f.InitAnswer) -> bool:
        open_ = (fact.role, fact.worker, fact.attempt) in self.starting
        self.starting.discard((fact.role, fact.worker, fact.attempt))
        return open_

    def answered(self, *ask: Any, then: str = "") -> bool:
        """An open operation gets its answer, and may go on to another one; False where it is not open."""
        if ask not in self.asks:
            return False
        self.asks.discard(ask)
        if then:
            self.asks.add((then, *ask[1:]))
        return True

    def _begin_accepted(self, fact: f.BeginAccepted) -> bool:
        return self.answered("begin", fact.role, fact.worker.child, fact.ticket, then="ready")

    def _begin_rejected(self, fact: f.BeginRejected) -> bool:
        return self.answered("begin", fact.role, fact.worker.child, fact.ticket)

    def _worker_ready(self, fact: f.WorkerReady) -> bool:
        if (fact.role, fact.worker) in self.alive:
            self.ready.add(fact.worker.child)
        return self.answered("ready", fact.role, fact.worker.child, fact.ticket)

    def _shutdown_accepted(self, fact: f.ShutdownAccepted) -> bool:
        return self.answered("shutdown", fact.role, fact.worker.child, fact.worker.evidence)

    def _shutdown_rejected(self, fact: f.ShutdownRejected) -> bool:
        return self.answered("shutdown", fact.role, fact.worker.child, fact.worker.evidence)

    def _schedule_accepted(self, fact: f.ScheduleAccepted) -> bool:
        return self.answered("schedule", fact.role, fact.recovery, fact.timer, then="timer")

    def _schedule_rejected(self, fact: f.ScheduleRejected) -> bool:
        return self.answered("schedule", fact.role, fact.recovery, fact.timer)

    def _timer_elapsed(self, fact: f.TimerElapsed) -> bool:
        return self.answered("timer", fact.role, fact.recovery, fact.timer)

    def _source_prepared(self, fact: f.SourcePrepared) -> bool:
        return self._offered(fact, fact.definition)

    def _source_partial(self, fact: f.SourcePartial) -> bool:
        return self._offered(fact, " ".join(fact.prefix))

    def _source_rejected(self, fact: f.SourceRejected) -> bool:
        return self._offered(fact, None)

    def _offered(self, fact: f.SourceAnswer, candidate: str | None) -> bool:
        if self.sought.get(fact.role) != fact.replaces:
            return False
        del self.sought[fact.role]
        if candidate is not None:
            self.candidates[fact.role] = candidate
        return True
