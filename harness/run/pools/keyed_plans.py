"""Which runs the templates of the keyed-pool contract need."""

from __future__ import annotations

from collections.abc import Mapping

from harness.run.pools.events import OF_A_KEY, OF_A_KEY_AND_A_ROLE
from harness.run.pools.keyed import KeyedRuns
from harness.run.pools.keyed_binding import KeyedPoolOf
from harness.run.pools.planning import Planner, Shown
from harness.run.pools.shapes.ends import ENDS, NO_DEADLINE
from harness.run.pools.shapes.key_ends import KEY_ENDS
from harness.run.pools.shapes.keys import KEYS, KeyedPilot
from harness.run.pools.shapes.troubles import NO_TICKET, NO_WORKER, TIMES, TROUBLES
from harness.run.pools.shapes.work import WORK
from harness.run.pools.shapes.workers import WORKERS

_ONE_JOB = "a job from admission to completion"
_QUEUE = "waiting jobs that follow each other"
_EARLY_JOBS = "jobs wait before any worker is ready"
_BESIDE = "a worker that is started beside a ready one, and jobs for both"
_INTERRUPTED = "a stop under a running job"
_LEFT = "a normal exit under a running job"
_BACKWARDS = "jobs interrupted in the opposite order of their admission"
_RETRIED = "a retried job that runs on a replacement"
_REFUSED = "a refused delivery"
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
_UNAWAITED = "facts that nobody awaits"

_EARLIER = "a report of an earlier job"
_SAME_KEY = "several jobs of one key"
_UNBEGUN = "jobs before the pool begins"
_NO_ROLE = "a key that the selector knows no role for"
_FULL_TABLE = "one key more than can be bound"
_LAST_PLACE = "waiting jobs and bound keys that are together as many as the binding capacity"
_FULL_ROLE = "one submission more than a role has room for"
_FULL_BESIDE = "a role whose queue is full beside one that has room"
_FREE_BESIDE = "a role whose worker is free beside one that has jobs waiting"
_REFUSED_UNBOUND = "a refused job whose key isn't bound"
_MOVED = "a key that is bound, moved, unbound and bound again"
_TWO_KEYS = "two keys that are bound in turn"
_MOVED_JOBS = "a key that moves while its jobs run and wait"
_REBOUND = "a key that is bound again while its job runs"
_UNBOUND_JOBS = "a key that is unbound while its jobs run and wait"
_COMMANDS = "commands about roles in every state"
_NO_NUMBER = (
    "binding numbers that run out",
    "binding numbers that run out for a key that moves",
    "a binding number that is taken",
)
_NO_JOB = ("job numbers that run out", "a job number that is taken", "a dispatch number that is taken")
_BACK = "jobs of one role that come back in order"
_REFUSED_BEFORE = "a refused delivery before jobs that wait"
_REFUSED_BESIDE = "a refused job beside a worker that gets ready"
_RECOVERING = "jobs for a role whose worker is being replaced"
_ONE_SOURCE = "two workers that are to be replaced at once"
_LOST = "a role with bindings and waiting jobs that is lost"
_LOST_BY_EXIT = "a role with bindings and waiting jobs that is lost by a normal exit"
_LOST_UNBORN = "a role that is lost before its worker was born, with jobs that wait"
_NO_DISPATCH = (
    "dispatch numbers that run out",
    "dispatch numbers that run out for jobs that wait",
    "dispatch numbers that run out for a retried job",
)
_BUDGET = "more stops than the restart budget has"
_UNUSED = "a start that is not needed any more"
_SHUT_UNBEGUN = "shutdown before the pool begins"
_SHUT_ONE = "shutdown with one running job"
_SHUT_BOUND = "shutdown with bindings and jobs of every role"
_SHUT_CANDIDATE = "shutdown while a replacement waits for its timer"
_SHUT_PLAN = "shutdown while a worker waits for its activation"
_STOP_PLAN = "a worker that stops while it waits for its activation"
_CUT_SHORT = "a drain with bindings that is cut short"
_SHUT_FULL = "shutdown with running and waiting jobs"

_SHUTDOWNS = (
    _SHUT_FULL,
    _SHUT_BOUND,
    _SHUT_ONE,
    _SHUT_UNBEGUN,
    _SHUT_CANDIDATE,
    _SHUT_PLAN,
    _UNUSED,
    "shutdown with deliveries whose answers are open",
    "shutdown with a completion and a stop that are kept",
    "shutdown before any worker is born",
    "shutdown with one ready worker and others being born",
    "shutdown, and a birth that is refused",
    "shutdown, and a stop before the birth is known",
    "shutdown in the midst of starts and activations",
    "shutdown while a replacement is asked for",
    "shutdown while a restart timer is asked for",
    "shutdown while a restart timer runs",
    "shutdown while a worker is in quarantine",
    "shutdown while a replacement is being born",
    "a waiting retry at shutdown",
    _ENDS_POOL,
    "a drain whose deadline comes",
    "a drain that is over before its deadline",
    "a drain timer that is refused",
    *NO_DEADLINE,
    "shutdown, and a worker that stops as the answer to its start",
    "shutdown, and a worker source that gives up",
    _CUT_SHORT,
)
_JOINS = (_C_FIRST, _C_STOP, _S_FIRST, _S_COMPLETION, _S_REFUSED, _C_REFUSED, _BOTH_REFUSED, _REFUSED, _FORGED)
_STOPS = (_INTERRUPTED, _LEFT, _BACKWARDS, _RETRIED, _S_FIRST, _C_STOP, _S_COMPLETION, _BACK)
_LOSSES = (_LOST, _LOST_BY_EXIT, _LOST_UNBORN, _ONE_LOST, _ALL_LOST, _ALL_LEFT, _UNBORN, _NORMAL)
_KEYS = (_SAME_KEY, _MOVED, _TWO_KEYS, _MOVED_JOBS, _UNBOUND_JOBS, _FULL_TABLE, _NO_ROLE, _UNBEGUN)

SHOWN: Mapping[str, Shown] = {
    "claim-01-unique-ordered-roster": Shown(
        (_READY, _STARTS, _ONE_LOST, _ALL_LOST, _NORMAL, _REPLACED, _LOST, _SHUT_FULL)
    ),
    "claim-02-fresh-workers": Shown(
        (
            *(_REPLACED, _REPLACEMENT, _TIMER, _QUEUE, _RETRIED, _SAME_KEY),
            *(*NO_WORKER, *NO_TICKET, *_NO_JOB, *_NO_DISPATCH, *NO_DEADLINE),
        )
    ),
    "claim-03-key-apart-selector-once": Shown((*_KEYS, _FULL_ROLE, _COMMANDS, _LOST)),
    "claim-04-binding-with-job": Shown((*_KEYS, _FULL_ROLE, _REFUSED_UNBOUND, _COMMANDS, *_NO_NUMBER)),
    "claim-05-two-bounds": Shown(
        (_FULL_TABLE, _LAST_PLACE, _FULL_ROLE, _FULL_BESIDE, _SAME_KEY, _EARLY_JOBS, _BACK, _QUEUE)
    ),
    "claim-06-job-keeps-role": Shown(
        (
            _MOVED_JOBS,
            _UNBOUND_JOBS,
            _FREE_BESIDE,
            _QUEUE,
            _RETRIED,
            _BACK,
            _REFUSED_BESIDE,
            _REFUSED_BEFORE,
            _RECOVERING,
            _LOST,
        )
    ),
    "claim-07-roles-do-not-borrow": Shown(
        (_FULL_BESIDE, _FREE_BESIDE, _FULL_ROLE, _BESIDE, _QUEUE, _EARLY_JOBS, _REFUSED_BESIDE, _ONE_LOST, _SAME_KEY)
    ),
    "claim-08-total-eligibility": Shown(
        (_FULL_ROLE, _SAME_KEY, _COMMANDS, _RECOVERING, _REFUSED_BEFORE, _REFUSED_UNBOUND, _LOST, _UNBEGUN),
        toured=True,
    ),
    "claim-09-no-idle-beside-own-queue": Shown((_QUEUE, _EARLY_JOBS, _C_FIRST, _FREE_BESIDE, _BACK, _RECOVERING)),
    "claim-10-exact-completion": Shown(
        (_ONE_JOB, _QUEUE, _UNFIT, _EARLIER, _RETRIED, _FORGED, _S_FORGED, _REPLACEMENT, *_JOINS)
    ),
    "claim-11-management-is-future-only": Shown(
        (*_KEYS, _COMMANDS, _RETRIED, _INTERRUPTED, _BACK, _LOST, _SHUT_BOUND, *_NO_NUMBER)
    ),
    "claim-12-fresh-generation": Shown((*_KEYS, _REBOUND, _COMMANDS, _LOST, *_NO_NUMBER)),
    "claim-13-retirement-is-one-step": Shown(
        (
            *(*_LOSSES, *_STOPS, _ONE_SOURCE, _REPLACED, _REPLACEMENT, _RECOVERING, "a birth that is refused"),
            *(_S_REFUSED, _BUDGET, *TIMES, *NO_WORKER, *NO_TICKET),
        )
    ),
    "claim-14-full-shutdown": Shown((*_SHUTDOWNS, _STOP_PLAN, _ONE_JOB)),
    "claim-15-late-facts-harmless": Shown(
        (
            _REPLACED,
            _INTERRUPTED,
            _UNFIT,
            _C_REFUSED,
            _C_STOP,
            _S_FIRST,
            _S_COMPLETION,
            _FORGED,
            _SHUT_FULL,
            _UNAWAITED,
            _LOST,
            _LOST_BY_EXIT,
        ),
        toured=True,
    ),
    "claim-16-one-state-one-product": Shown((_EARLY_JOBS, _SHUT_FULL, _UNAWAITED), toured=True),
    "invariant-conservation": Shown((*NO_WORKER, *NO_TICKET, *_NO_JOB), toured=True),
    "invariant-binding-bound": Shown((_FULL_TABLE,), toured=True),
    "invariant-one-generation-one-role": Shown((_MOVED, _TWO_KEYS), toured=True),
    "invariant-job-role-fixed": Shown((_MOVED_JOBS,), toured=True),
    "invariant-one-assignment-per-role": Shown((_QUEUE,), toured=True),
    "invariant-one-terminal-per-job": Shown((), toured=True),
    "invariant-queue-order-and-bound": Shown((_BACK, _REFUSED_ORDER, _REFUSED_BEFORE), toured=True),
    "invariant-no-idle-with-own-queue": Shown((_QUEUE,), toured=True),
    "invariant-retired-role-unbound": Shown((_LOST, _LOST_BY_EXIT, _LOST_UNBORN), toured=True),
    "matrix-of-modes-and-members": Shown((), toured=True),
    "table-of-commands": Shown((_FULL_TABLE, _COMMANDS, _MOVED, *_NO_NUMBER), toured=True),
}

#: Runs that are part of the walk and that no template names.
_MORE = (
    "a start that is refused",
    "an activation that is refused",
    "a stop before the birth is known, then the birth",
    "a stop before the birth is known, then its refusal",
    "a stop on the way to readiness",
    "a source that gives no replacement",
    "a replacement whose birth is refused",
    "a restart timer that is refused",
    "a worker that stops as the answer to its start",
    "a worker that has stopped before its start is answered so",
    "a worker source that gives up at a role",
)


def planner(pool: KeyedPoolOf) -> Planner:
    """The plans of one keyed pool, on the sound model."""
    named = {name for shown in SHOWN.values() for name in shown.shapes} | set(_MORE)
    workers = pool.definition.workers
    known = (shape for each in (WORKERS, TROUBLES, WORK, ENDS, KEYS, KEY_ENDS) for shape in each.of(workers))
    shapes = [each for each in known if each.name in named]
    runs = KeyedRuns(pool.definition, pool.keys)
    early = tuple(each for each in runs.letters if each.split(" ")[0] in (*OF_A_KEY, *OF_A_KEY_AND_A_ROLE, "shutdown"))
    return Planner(runs, shapes, SHOWN, KeyedPilot, early)
