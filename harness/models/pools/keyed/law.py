"""The law of the keyed pool as it stands in the catalogue: sixteen claims, nine invariants, two walks."""

from __future__ import annotations

from harness.models.pools.keyed.audits import CLAIMS
from harness.models.pools.keyed.exploring import Stepper, explore
from harness.models.pools.keyed.inversions_recovery import INVERSIONS
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.keyed.walks import WALKS
from harness.models.pools.law import PoolLaw

KEYED = PoolLaw(
    name="keyed-pool",
    claims=(
        "There is at least one role; roles keep their declared order, and none appears twice.",
        "Every worker, initial or replacement, is a new actor; role, key, generation or other number never names one.",
        "A key stands beside the payload; one selector is asked for it once, and only where the key isn't bound.",
        "A binding proposed at admission is kept if and only if the same step takes the job; a rebalance needs no job.",
        "Bound keys and waiting jobs have a limit each; with no room to wait, a job can still go to a free worker.",
        "A job keeps the role that admitted it, through rebalance, unbind, retry and replacement.",
        "The work of one role never takes up another role's room or worker.",
        "Every phase of a role says whether a job can be assigned, can wait, or is refused; none is left to a guess.",
        "After a step no job waits beside the free worker of its own role.",
        "A role has at most one running job; a completion counts if authority, birth, role and phase agree.",
        "Managers' commands change later admissions only, and each says exactly what it expects to find.",
        "A key that is bound again gets a generation of its own, and a late command for another one changes nothing.",
        "Losing a role for good returns its work once and drops its bindings in one step; recovery keeps them.",
        "Shutdown closes admission, returns every job once, drops every binding, drains every worker, also unborn.",
        "Stale, repeated, foreign or contradicting inputs leave ownership alone and go to a stated diagnostic.",
        "Every input taken gives one next state and one whole product of named actions, and nothing on the side.",
    ),
    invariants=(
        ("conservation", "Accepted jobs without an outcome are exactly the queued and the assigned ones."),
        ("binding-bound", "No more keys are bound than the binding capacity."),
        ("one-generation-one-role", "A bound key has one generation, which no other has or had, and one role."),
        ("job-role-fixed", "A job is queued at, assigned to and returned by the role that admitted it."),
        ("one-assignment-per-role", "A role has no running job or one."),
        ("one-terminal-per-job", "A job has no outcome or one."),
        ("queue-order-and-bound", "Ordinals rise along each queue, which holds one more than its room at most."),
        ("no-idle-with-own-queue", "A role's queue is empty or its worker is not idle."),
        ("retired-role-unbound", "A role that is lost for good has no binding and no waiting job."),
    ),
    violations=CLAIMS,
    walks=WALKS,
    inversions=INVERSIONS,
    rules=KeyedTurn,
    explore=explore,
    stepper=Stepper,
)
