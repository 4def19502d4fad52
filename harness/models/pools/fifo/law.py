"""The law of the FIFO pool as it stands in the catalogue: sixteen claims, ten invariants, two walks."""

from __future__ import annotations

from harness.models.pools.fifo.audits import CLAIMS
from harness.models.pools.fifo.exploring import Stepper, explore
from harness.models.pools.fifo.inversions import INVERSIONS
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.fifo.walks import WALKS
from harness.models.pools.law import PoolLaw

FIFO = PoolLaw(
    name="fifo-pool",
    claims=(
        "There is at least one role; roles keep their declared order, and none appears twice.",
        "Every worker, initial or replacement, is a new actor; no number or name stands in for it.",
        "Outsiders hold the pool only; what reaches a worker stays inside.",
        "The pool itself owns birth, start, activation, readiness, recovery and drain of its workers.",
        "An accepted job is one debt to one customer, and is queued, assigned or being settled, never two of these.",
        "The capacity limits waiting jobs only; with none, a job can still go straight to a free worker.",
        "A worker has at most one job, and only an exact ready worker is given one.",
        "After a step no job waits beside a free worker.",
        "Jobs leave in the order of admission; a cursor on the ring of roles finds the worker and moves on with each.",
        "A completion counts if authority, assignment, child, birth, role and phase agree, and settles one outcome.",
        "The matching stop settles the running job once, before recovery; a retry may repeat work and keeps the order.",
        "Delivery, completion and stop may come in any order, and double nothing.",
        "Losing roles for good leaves no accepted job without an answer.",
        "Shutdown closes admission, returns each job once, ends dispatch and retry, drains every worker, also unborn.",
        "Stale, repeated, foreign or contradicting facts leave ownership alone and go to a stated diagnostic.",
        "Every input taken gives one next state and one whole product of named actions, and nothing on the side.",
    ),
    invariants=(
        ("conservation", "Accepted jobs without an outcome are exactly the queued and the assigned ones."),
        ("absolute-queue-bound", "The queue is never longer than the backlog and the number of roles together."),
        ("new-admission-bound", "A new job joins the queue only while it is shorter than the backlog."),
        ("ordinal-order", "Ordinals rise along the queue."),
        ("one-assignment-per-worker", "A worker has no job or one."),
        ("one-terminal-per-job", "A job has no outcome or one."),
        ("no-idle-with-queue", "The queue is empty or nobody is idle."),
        ("cursor-on-ring", "The cursor is a place of the declared ring."),
        ("unique-active-completions", "No two live assignments share a completion."),
        ("no-reissue", "No number is issued twice."),
    ),
    violations=CLAIMS,
    walks=WALKS,
    inversions=INVERSIONS,
    rules=FifoTurn,
    explore=explore,
    stepper=Stepper,
)
