"""Which clauses of the fixed-supervisor contract each inversion of the law violates, and which none of them does.

The law has an inversion for each claim, not for each clause. Every clause is also held to changed recordings.
"""

from __future__ import annotations

from collections.abc import Mapping

Clause = tuple[str, int]

BREAKS: Mapping[str, tuple[Clause, ...]] = {
    "last-role-first": (("claim-01-unique-ordered-roster", 3),),
    "retired-role-leaves": (("claim-01-unique-ordered-roster", 1),),
    "one-proxy-for-all": (("claim-02-one-proxy-per-role", 1),),
    "recovery-makes-proxies": (("claim-02-one-proxy-per-role", 0),),
    "start-names-the-worker": (("claim-02-one-proxy-per-role", 2),),
    "receipt-is-the-outcome": (
        ("claim-03-atomic-proxy-outcome", 0),
        ("claim-03-atomic-proxy-outcome", 1),
        ("claim-04-ready-only-after-report", 0),
        ("claim-04-ready-only-after-report", 3),
    ),
    "birth-is-a-start": (("claim-04-ready-only-after-report", 1),),
    "restart-hides-the-stop": (("claim-04-ready-only-after-report", 2),),
    "stop-need-not-be-known": (
        ("claim-03-atomic-proxy-outcome", 2),
        ("claim-04-ready-only-after-report", 0),
        ("claim-04-ready-only-after-report", 1),
        ("claim-04-ready-only-after-report", 3),
    ),
    "limit-is-forgotten": (("claim-05-activation-bound", 0),),
    "replacement-leaves-twice": (
        ("claim-05-activation-bound", 1),
        ("claim-05-activation-bound", 2),
    ),
    "ticket-stays": (
        ("claim-05-activation-bound", 2),
        ("claim-08-late-facts-harmless", 2),
    ),
    "admits-the-trigger-alone": (
        ("claim-06-one-snapshot-admission", 0),
        ("claim-06-one-snapshot-admission", 1),
    ),
    "budget-has-no-end": (("claim-06-one-snapshot-admission", 3),),
    "chosen-twice": (
        ("claim-06-one-snapshot-admission", 4),
        ("claim-08-late-facts-harmless", 3),
    ),
    "refusal-fails-the-peers": (("claim-06-one-snapshot-admission", 2),),
    "first-worker-need-not-be-there": (("claim-07-three-prerequisites", 1),),
    "free-place-is-not-used": (("claim-07-three-prerequisites", 2),),
    "timer-is-not-waited-for": (("claim-07-three-prerequisites", 0),),
    "late-stop-ends-the-role": (
        ("claim-08-late-facts-harmless", 0),
        ("claim-08-late-facts-harmless", 1),
    ),
    "stop-closes-nothing": (
        ("claim-03-atomic-proxy-outcome", 2),
        ("claim-08-late-facts-harmless", 5),
    ),
    "timer-charges-again": (
        ("claim-06-one-snapshot-admission", 1),
        ("claim-06-one-snapshot-admission", 3),
        ("claim-08-late-facts-harmless", 4),
    ),
    "empty-looks-ready": (
        ("claim-04-ready-only-after-report", 3),
        ("claim-09-query-is-read-only", 2),
        ("claim-09-query-is-read-only", 3),
    ),
    "query-counts": (("claim-09-query-is-read-only", 1),),
    "query-is-not-answered": (
        ("claim-09-query-is-read-only", 0),
        ("claim-11-one-state-one-product", 1),
        ("claim-11-one-state-one-product", 3),
    ),
    "late-workers-are-asked-again": (("claim-10-exact-drain", 0),),
    "shutdown-asks-again": (("claim-10-exact-drain", 1),),
    "shutdown-ends-strangers": (("claim-10-exact-drain", 1),),
    "shutdown-forgets-starts": (
        ("claim-10-exact-drain", 2),
        ("claim-10-exact-drain", 3),
    ),
    "denied-stop-vanishes": (("claim-11-one-state-one-product", 7),),
    "forced-end-is-silent": (
        ("claim-10-exact-drain", 4),
        ("claim-11-one-state-one-product", 6),
    ),
    "rejects-in-silence": (
        ("claim-08-late-facts-harmless", 1),
        ("claim-11-one-state-one-product", 1),
    ),
    "unused-workers-vanish": (
        ("claim-06-one-snapshot-admission", 5),
        ("claim-11-one-state-one-product", 5),
        ("claim-11-one-state-one-product", 6),
        ("claim-11-one-state-one-product", 7),
    ),
    "forged-ticket-counts": (
        ("claim-08-late-facts-harmless", 0),
        ("claim-08-late-facts-harmless", 1),
    ),
    "disowned-operation-counts": (
        ("claim-08-late-facts-harmless", 0),
        ("claim-08-late-facts-harmless", 1),
    ),
    "untried-delivery-counts": (
        ("claim-11-one-state-one-product", 1),
        ("claim-11-one-state-one-product", 9),
    ),
    "untried-is-tried-again": (("claim-05-activation-bound", 2),),
    "half-a-source-will-do": (("claim-06-one-snapshot-admission", 0),),
    "unknown-role-is-the-first": (("claim-09-query-is-read-only", 3),),
    "never-made-is-never-told": (("claim-11-one-state-one-product", 8),),
    "forced-end-hands-nothing-over": (
        ("claim-10-exact-drain", 4),
        ("claim-11-one-state-one-product", 5),
        ("claim-11-one-state-one-product", 6),
    ),
    "refused-delivery-vanishes": (
        ("claim-11-one-state-one-product", 1),
        ("claim-11-one-state-one-product", 9),
    ),
    "refused-diagnostic-is-sent-again": (("claim-11-one-state-one-product", 9),),
    "settled-twice": (
        ("claim-08-late-facts-harmless", 1),
        ("claim-11-one-state-one-product", 1),
    ),
    "prepared-prefix-vanishes": (("claim-11-one-state-one-product", 8),),
    "undeliverable-is-not-named": (("claim-11-one-state-one-product", 9),),
    "unexpected-is-not-whole": (("claim-08-late-facts-harmless", 1),),
}
"""By inversion: the clauses of its own claims that it violates in some shipped supervisor."""

_WHY = "no inversion of the law breaks it; a recording that was changed in one place does"
_UNBROKEN: Mapping[str, tuple[int, ...]] = {
    "claim-01-unique-ordered-roster": (
        0,
        2,
    ),
    "claim-07-three-prerequisites": (3,),
    "claim-11-one-state-one-product": (
        0,
        2,
        4,
    ),
    "matrix-of-modes-and-members": (3,),
}
EXPLAINED: Mapping[Clause, str] = {(template, at): _WHY for template, places in _UNBROKEN.items() for at in places}
"""The clauses that no inversion violates, with the reason."""
