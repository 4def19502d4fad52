"""Which runs the templates of the fifo-pool contract need."""

from __future__ import annotations

from collections.abc import Mapping

from harness.models.pools.definition import Definition
from harness.run.pools.fifo import FifoRuns
from harness.run.pools.planning import Planner, Shown
from harness.run.pools.shapes.ends import ENDS, NO_DEADLINE
from harness.run.pools.shapes.troubles import (
    AFTER_WINDOW,
    BACK_IN_TIME,
    LAST_TIME,
    NO_TICKET,
    NO_WORKER,
    TIMES,
    TROUBLES,
)
from harness.run.pools.shapes.work import WORK
from harness.run.pools.shapes.workers import WORKERS

_ONE_JOB = "a job from admission to completion"
_QUEUE = "waiting jobs that follow each other"
_FULL = "one submission more than there is room for"
_EARLY_JOBS = "jobs wait before any worker is ready"
_RING = "jobs one after the other around the ring"
_BESIDE = "a worker that is started beside a ready one, and jobs for both"
_INTERRUPTED = "a stop under a running job"
_INTERRUPTED_IDLE = "a stop under a running job beside an idle worker"
_LEFT = "a normal exit under a running job"
_BACKWARDS = "jobs interrupted in the opposite order of their admission"
_BACK_BEFORE = "a job that comes back before others that wait"
_RETRIED = "a retried job that runs on a replacement"
_REFUSED = "a refused delivery"
_REFUSED_IDLE = "a refused delivery beside an idle worker"
_REFUSED_ORDER = "deliveries refused in the order of admission"
_C_FIRST = "a completion before the delivery's answer"
_C_STOP = "a completion and then a stop before the delivery's answer"
_S_FIRST = "a stop before the delivery's answer"
_S_COMPLETION = "a stop and then a completion before the delivery's answer"
_S_REFUSED = "a stop and then a refused delivery"
_C_REFUSED = "a completion and then a refused delivery"
_BOTH_REFUSED = "a stop, a completion and then a refused delivery"
_FORGED = "a refused delivery with an authority that does not fit"
_S_FORGED = "a stop and then an authority that does not fit"
_UNFIT = "completions that do not fit"
_STARTS = "starts that are all ready before any activation ends"
_READY = "every worker becomes ready"
_REPLACED = "an idle worker that stops and is replaced"
_REPLACEMENT = "a replacement that becomes ready and works"
_NORMAL = "normal exits of every worker"
_TIMER = "a restart timer that is taken and goes off"
_ONE_LOST = "one role lost while another works on"
_ALL_LOST = "every role is lost while jobs wait"
_ALL_LEFT = "every role is lost by normal exits while jobs wait"
_UNBORN = "births refused while a job waits"
_ENDS_POOL = "a lost role that ends the pool"
_SHUT_FULL = "shutdown with running and waiting jobs"
_SHUT_OPEN = "shutdown with deliveries whose answers are open"
_SHUT_KEPT = "shutdown with a completion and a stop that are kept"
_SHUT_UNBORN = "shutdown before any worker is born"
_SHUT_HALF = "shutdown with one ready worker and others being born"
_SHUT_STARTING = "shutdown in the midst of starts and activations"
_SHUT_RETRY = "a waiting retry at shutdown"
_QUITS = "a worker that stops as the answer to its start"
_STOP_QUITS = "a worker that has stopped before its start is answered so"
_GIVES_UP = "a worker source that gives up at a role"
_BUDGET = "more stops than the restart budget has"
_NO_DISPATCH = (
    "dispatch numbers that run out",
    "dispatch numbers that run out beside waiting jobs",
    "dispatch numbers that run out for a refused delivery",
    "a dispatch number that is taken",
    "a dispatch number that is taken for a refused delivery",
)
_NO_JOB = ("job numbers that run out", "a job number that is taken")
_NO_NUMBER = (*_NO_DISPATCH, *_NO_JOB, *NO_WORKER, *NO_TICKET, *NO_DEADLINE)

_SHUTDOWNS = (
    _SHUT_FULL,
    _SHUT_OPEN,
    _SHUT_KEPT,
    _SHUT_UNBORN,
    _SHUT_HALF,
    "shutdown, and a birth that is refused",
    "shutdown, and a stop before the birth is known",
    _SHUT_STARTING,
    "shutdown while a replacement is asked for",
    "shutdown while a restart timer is asked for",
    "shutdown while a restart timer runs",
    "shutdown while a worker is in quarantine",
    "shutdown while a replacement is being born",
    _SHUT_RETRY,
    _ENDS_POOL,
    "a drain whose deadline comes",
    "a drain that is over before its deadline",
    "a drain timer that is refused",
    *NO_DEADLINE,
    "shutdown, and a worker that stops as the answer to its start",
    "shutdown, and a worker source that gives up",
)
_JOINS = (_C_FIRST, _C_STOP, _S_FIRST, _S_COMPLETION, _S_REFUSED, _C_REFUSED, _BOTH_REFUSED, _REFUSED, _FORGED)
_STOPS = (_INTERRUPTED, _INTERRUPTED_IDLE, _LEFT, _BACKWARDS, _RETRIED, _S_FIRST, _C_STOP, _S_COMPLETION)

SHOWN: Mapping[str, Shown] = {
    "claim-01-unique-ordered-roster": Shown((_READY, _ONE_LOST, _ALL_LOST, _NORMAL, _REPLACED, _SHUT_FULL)),
    "claim-02-fresh-workers": Shown((_REPLACED, _REPLACEMENT, _TIMER, _QUEUE, _RETRIED, _RING, *_NO_NUMBER)),
    "claim-03-one-public-face": Shown((_ONE_JOB, _FULL, _QUEUE, _INTERRUPTED, _ALL_LOST, _ALL_LEFT, _SHUT_FULL)),
    "claim-04-direct-ownership": Shown(
        (
            *(_READY, _STARTS, _BESIDE, _EARLY_JOBS, _REPLACEMENT, _TIMER, _REFUSED),
            *(_QUITS, _STOP_QUITS, _GIVES_UP, AFTER_WINDOW, *NO_WORKER, *NO_TICKET, *_SHUTDOWNS),
        ),
    ),
    "claim-05-one-obligation-per-job": Shown((_ONE_JOB, _QUEUE, _FULL, *_STOPS, *_JOINS, _ALL_LOST, _SHUT_FULL)),
    "claim-06-backlog-counts-waiters": Shown(
        (_FULL, _EARLY_JOBS, _ONE_JOB, _INTERRUPTED, _BACKWARDS, _REFUSED_ORDER, *_NO_DISPATCH, *_NO_JOB)
    ),
    "claim-07-one-job-per-worker": Shown((_FULL, _QUEUE, _BESIDE, _RING, _REPLACEMENT, _RETRIED)),
    "claim-08-no-idle-beside-queue": Shown(
        (_QUEUE, _EARLY_JOBS, _C_FIRST, _INTERRUPTED_IDLE, _REFUSED_IDLE, _RETRIED, *_NO_DISPATCH)
    ),
    "claim-09-fifo-and-ring": Shown(
        (_RING, _QUEUE, _EARLY_JOBS, _BACKWARDS, _BACK_BEFORE, _REFUSED_ORDER, _INTERRUPTED_IDLE, _RETRIED, _ONE_LOST)
    ),
    "claim-10-exact-completion": Shown((_ONE_JOB, _QUEUE, _UNFIT, _RETRIED, _FORGED, _S_FORGED, _REPLACEMENT)),
    "claim-11-stop-resolves-once": Shown(
        (
            *(*_STOPS, _REPLACED, _REPLACEMENT, _TIMER, _NORMAL, _REFUSED_ORDER),
            *(_BUDGET, *TIMES, *NO_WORKER),
        )
    ),
    "claim-12-order-free-join": Shown((*_JOINS, _S_FORGED)),
    "claim-13-no-stranded-work": Shown(
        (
            *(_ALL_LOST, _ALL_LEFT, _UNBORN, _ONE_LOST, "a birth that is refused", _GIVES_UP, BACK_IN_TIME),
            *(LAST_TIME, *NO_WORKER, *NO_TICKET),
        )
    ),
    "claim-14-full-shutdown": Shown(_SHUTDOWNS),
    "claim-15-late-facts-harmless": Shown(
        (_REPLACED, _INTERRUPTED, _UNFIT, _C_REFUSED, _FORGED, _SHUT_FULL, "facts that nobody awaits"), toured=True
    ),
    "claim-16-one-state-one-product": Shown(
        (_EARLY_JOBS, _SHUT_FULL, "facts that nobody awaits", *_NO_NUMBER), toured=True
    ),
    "invariant-conservation": Shown(_NO_NUMBER, toured=True),
    "invariant-absolute-queue-bound": Shown((_INTERRUPTED, _BACKWARDS), toured=True),
    "invariant-new-admission-bound": Shown((_FULL, _EARLY_JOBS), toured=True),
    "invariant-ordinal-order": Shown((_BACKWARDS, _REFUSED_ORDER), toured=True),
    "invariant-one-assignment-per-worker": Shown((_FULL,), toured=True),
    "invariant-one-terminal-per-job": Shown((), toured=True),
    "invariant-no-idle-with-queue": Shown((_QUEUE,), toured=True),
    "invariant-cursor-on-ring": Shown((_RING,), toured=True),
    "invariant-unique-active-completions": Shown((_QUEUE,), toured=True),
    "invariant-no-reissue": Shown((_REPLACEMENT, _RETRIED, *_NO_NUMBER), toured=True),
    "matrix-of-modes-and-members": Shown((_QUITS, _STOP_QUITS, _GIVES_UP, AFTER_WINDOW, *_NO_NUMBER), toured=True),
}


def planner(definition: Definition) -> Planner:
    """The plans of one FIFO pool, on the sound model."""
    shapes = tuple(each for group in (WORKERS, TROUBLES, WORK, ENDS) for each in group.of(definition))
    return Planner(FifoRuns(definition), shapes, SHOWN)
