"""Which clauses of the fifo-pool contract each inversion of the law violates, and which clauses none of them does.

The law has an inversion for each claim, not for each clause. Every clause is also held to changed recordings.
"""

from __future__ import annotations

from collections.abc import Mapping

Clause = tuple[str, int]

BREAKS: Mapping[str, tuple[Clause, ...]] = {
    "retired-role-moves-back": (
        ("claim-01-unique-ordered-roster", 1),
        ("claim-01-unique-ordered-roster", 2),
    ),
    "dispatch-number-stays": (
        ("claim-02-fresh-workers", 2),
        ("claim-10-exact-completion", 1),
    ),
    "replacement-reuses-birth": (
        ("claim-02-fresh-workers", 0),
        ("claim-02-fresh-workers", 1),
    ),
    "customer-learns-the-worker": (("claim-03-one-public-face", 1),),
    "activation-left-to-the-worker": (
        ("claim-04-direct-ownership", 1),
        ("claim-07-one-job-per-worker", 1),
    ),
    "accepts-in-silence": (
        ("claim-05-one-obligation-per-job", 0),
        ("claim-05-one-obligation-per-job", 1),
        ("claim-16-one-state-one-product", 3),
    ),
    "retry-also-returns": (
        ("claim-05-one-obligation-per-job", 1),
        ("claim-05-one-obligation-per-job", 2),
    ),
    "backlog-counts-running": (("claim-06-backlog-counts-waiters", 0),),
    "backlog-has-no-end": (("claim-06-backlog-counts-waiters", 1),),
    "busy-worker-takes-more": (("claim-07-one-job-per-worker", 0),),
    "completion-does-not-fill": (
        ("claim-08-no-idle-beside-queue", 0),
        ("claim-08-no-idle-beside-queue", 1),
    ),
    "cursor-stays": (
        ("claim-09-fifo-and-ring", 2),
        ("claim-09-fifo-and-ring", 3),
    ),
    "newest-first": (("claim-09-fifo-and-ring", 0),),
    "retry-at-the-front": (
        ("claim-09-fifo-and-ring", 1),
        ("claim-11-stop-resolves-once", 3),
    ),
    "any-authority-reunites": (
        ("claim-10-exact-completion", 4),
        ("claim-12-order-free-join", 3),
    ),
    "any-completion-counts": (
        ("claim-10-exact-completion", 0),
        ("claim-10-exact-completion", 3),
    ),
    "recovers-at-once": (
        ("claim-11-stop-resolves-once", 1),
        ("claim-12-order-free-join", 0),
    ),
    "stop-counts-twice": (
        ("claim-11-stop-resolves-once", 1),
        ("claim-11-stop-resolves-once", 4),
        ("claim-15-late-facts-harmless", 0),
        ("claim-15-late-facts-harmless", 1),
    ),
    "completion-loses-to-stop": (
        ("claim-05-one-obligation-per-job", 2),
        ("claim-12-order-free-join", 1),
    ),
    "completion-needs-no-delivery": (("claim-12-order-free-join", 0),),
    "queue-outlives-the-roles": (("claim-13-no-stranded-work", 0),),
    "shutdown-forgets-births": (
        ("claim-04-direct-ownership", 4),
        ("claim-14-full-shutdown", 3),
        ("claim-14-full-shutdown", 4),
    ),
    "shutdown-keeps-assigned": (("claim-14-full-shutdown", 0),),
    "late-stop-retires": (
        ("claim-15-late-facts-harmless", 0),
        ("claim-15-late-facts-harmless", 1),
    ),
    "rejects-in-silence": (("claim-16-one-state-one-product", 1),),
}
"""By inversion: the clauses of its own claims that it violates in some shipped pool."""

_WHY = "no inversion of the law breaks it; a recording that was changed in one place does"

_UNBROKEN: Mapping[str, tuple[int, ...]] = {
    "claim-01-unique-ordered-roster": (0,),
    "claim-03-one-public-face": (0, 2),
    "claim-04-direct-ownership": (0, 2, 3),
    "claim-05-one-obligation-per-job": (3,),
    "claim-06-backlog-counts-waiters": (2, 3),
    "claim-07-one-job-per-worker": (2,),
    "claim-08-no-idle-beside-queue": (2,),
    "claim-12-order-free-join": (2,),
    "claim-13-no-stranded-work": (2,),
    "claim-14-full-shutdown": (1, 2),
    "claim-15-late-facts-harmless": (2,),
    "claim-16-one-state-one-product": (2, 4),
    "invariant-absolute-queue-bound": (0, 1),
    "invariant-new-admission-bound": (1,),
    "invariant-ordinal-order": (1,),
    "invariant-cursor-on-ring": (0, 1),
    "invariant-unique-active-completions": (1,),
    "invariant-no-reissue": (1,),
    "matrix-of-modes-and-members": (3,),
}

EXPLAINED: Mapping[Clause, str] = {(template, at): _WHY for template, places in _UNBROKEN.items() for at in places}
"""The clauses that no inversion violates, with the reason."""
