"""The law of the fixed supervisor as it stands in the catalogue: eleven claims, its invariants, its walks."""

from __future__ import annotations

from harness.models.pools.law import PoolLaw
from harness.models.pools.supervisor.audits import CLAIMS
from harness.models.pools.supervisor.exploring import Stepper, explore
from harness.models.pools.supervisor.inversions import INVERSIONS
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.walks import WALKS

SUPERVISOR = PoolLaw(
    name="fixed-supervisor",
    claims=(
        "There is at least one role; roles keep their declared order, and none appears twice.",
        "A live role has at most one exact stable proxy, and only the proxy is ever shown.",
        "The proxy's one outcome is taken as it comes; nothing in it is put together from parts.",
        "A role counts as ready once its own proxy has reported a good start or replacement, and not before.",
        "The activation limit bounds the operations that are unresolved, over the whole supervisor.",
        "A recovery is chosen from one snapshot; members, replacements and charge commit together or not at all.",
        "Timing, readiness and authorization are separate needs; with all three met an operation leaves at once.",
        "Stale, repeated, foreign, wrong-kind or conflicting facts move no member and charge nothing twice.",
        "A query is answered from the present state, once, and changes nothing.",
        "Shutdown ends recovery and drains every proxy, also unborn ones, asking each once and nobody else.",
        "Every input taken gives one next state and one whole product of named actions, and nothing on the side.",
    ),
    invariants=(
        ("roster-partition", "Every role is one independent member, or one participant of one recovery."),
        ("one-proxy-per-role", "No two roles share a proxy or a pending birth."),
        ("activation-bound", "Unresolved operations are never more than the activation limit."),
        ("nothing-held-back", "With an activation free, nobody waits whose other needs are met."),
        ("disjoint-recoveries", "No role is in two recoveries, admitted or asked for."),
        ("joins-close", "No participant keeps both its stop and its outcome."),
        ("budget-bound", "Replacements charged within the window are never more than the maximum."),
        ("readiness-by-report", "An online role has the worker that its proxy reported, and no end of it is known."),
        ("conservation", "Worker definitions that came in and did not leave are those that the members hold."),
        ("no-reissue", "No number is issued twice, and no ticket is used twice."),
    ),
    violations=CLAIMS,
    walks=WALKS,
    inversions=INVERSIONS,
    rules=SupervisorTurn,
    explore=explore,
    stepper=Stepper,
)
