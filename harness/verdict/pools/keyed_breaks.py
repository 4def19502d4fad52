"""Which clauses of the keyed-pool contract each inversion of the law violates, and which clauses none of them does.

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
        ("claim-10-exact-completion", 2),
    ),
    "replacement-reuses-birth": (
        ("claim-02-fresh-workers", 0),
        ("claim-02-fresh-workers", 1),
    ),
    "selector-asked-by-managers": (("claim-03-key-apart-selector-once", 1),),
    "selector-asked-for-bound-key": (("claim-03-key-apart-selector-once", 0),),
    "binding-before-the-job": (
        ("claim-04-binding-with-job", 1),
        ("claim-04-binding-with-job", 2),
    ),
    "job-without-binding": (("claim-04-binding-with-job", 0),),
    "backlog-has-no-end": (("claim-05-two-bounds", 2),),
    "bounds-are-one": (("claim-05-two-bounds", 1),),
    "table-has-no-end": (("claim-05-two-bounds", 0),),
    "accepted-work-retargeting": (("claim-06-job-keeps-role", 0),),
    "cross-role-consumption": (
        ("claim-06-job-keeps-role", 0),
        ("claim-07-roles-do-not-borrow", 0),
        ("claim-07-roles-do-not-borrow", 2),
    ),
    "retry-at-the-end": (
        ("claim-06-job-keeps-role", 1),
        ("claim-06-job-keeps-role", 2),
    ),
    "roles-share-room": (
        ("claim-05-two-bounds", 4),
        ("claim-07-roles-do-not-borrow", 1),
    ),
    "quarantine-is-open": (("claim-08-total-eligibility", 2),),
    "recovery-closes-the-role": (("claim-08-total-eligibility", 1),),
    "completion-does-not-fill": (
        ("claim-09-no-idle-beside-own-queue", 0),
        ("claim-09-no-idle-beside-own-queue", 1),
    ),
    "any-authority-reunites": (("claim-10-exact-completion", 7),),
    "any-completion-counts": (
        ("claim-10-exact-completion", 1),
        ("claim-10-exact-completion", 3),
        ("claim-10-exact-completion", 4),
    ),
    "completion-needs-no-delivery": (("claim-10-exact-completion", 6),),
    "duplicate-terminal": (
        ("claim-11-management-is-future-only", 2),
        ("claim-13-retirement-is-one-step", 5),
        ("claim-14-full-shutdown", 6),
    ),
    "retry-also-returns": (
        ("claim-06-job-keeps-role", 2),
        ("claim-11-management-is-future-only", 2),
        ("claim-11-management-is-future-only", 3),
    ),
    "stale-mutation": (
        ("claim-11-management-is-future-only", 1),
        ("claim-12-fresh-generation", 1),
    ),
    "unbind-returns-jobs": (("claim-11-management-is-future-only", 0),),
    "generation-reuse": (("claim-12-fresh-generation", 0),),
    "outcome-of-another-generation": (("claim-12-fresh-generation", 3),),
    "same-role-changes-generation": (
        ("claim-11-management-is-future-only", 5),
        ("claim-12-fresh-generation", 2),
    ),
    "bindings-vanish": (
        ("claim-13-retirement-is-one-step", 2),
        ("claim-15-late-facts-harmless", 4),
    ),
    "recovers-at-once": (
        ("claim-10-exact-completion", 6),
        ("claim-13-retirement-is-one-step", 3),
    ),
    "recovery-drops-bindings": (("claim-13-retirement-is-one-step", 4),),
    "retirement-keeps-bindings": (("claim-13-retirement-is-one-step", 1),),
    "retirement-keeps-queue": (("claim-13-retirement-is-one-step", 0),),
    "source-serves-all": (("claim-13-retirement-is-one-step", 3),),
    "candidate-loss": (("claim-14-full-shutdown", 5),),
    "plan-vanishes": (("claim-14-full-shutdown", 5),),
    "restart-after-shutdown": (
        ("claim-14-full-shutdown", 2),
        ("claim-14-full-shutdown", 4),
    ),
    "shutdown-forgets-births": (
        ("claim-14-full-shutdown", 3),
        ("claim-14-full-shutdown", 4),
    ),
    "shutdown-keeps-assigned": (("claim-14-full-shutdown", 0),),
    "late-stop-retires": (
        ("claim-15-late-facts-harmless", 0),
        ("claim-15-late-facts-harmless", 1),
    ),
    "repeats-are-foreign": (("claim-15-late-facts-harmless", 3),),
    "accepts-in-silence": (
        ("claim-11-management-is-future-only", 3),
        ("claim-16-one-state-one-product", 3),
    ),
    "rejects-in-silence": (("claim-16-one-state-one-product", 1),),
}
"""By inversion: the clauses of its own claims that it violates in some shipped pool."""

_WHY = "no inversion of the law breaks it; a recording that was changed in one place does"

_UNBROKEN: Mapping[str, tuple[int, ...]] = {
    "claim-01-unique-ordered-roster": (0,),
    "claim-03-key-apart-selector-once": (2, 3),
    "claim-05-two-bounds": (3,),
    "claim-08-total-eligibility": (0,),
    "claim-10-exact-completion": (0, 5),
    "claim-11-management-is-future-only": (4,),
    "claim-14-full-shutdown": (1,),
    "claim-15-late-facts-harmless": (2,),
    "claim-16-one-state-one-product": (0, 2, 4),
    "invariant-binding-bound": (1,),
    "invariant-one-generation-one-role": (1,),
    "invariant-job-role-fixed": (1,),
    "invariant-one-assignment-per-role": (0, 1),
    "invariant-queue-order-and-bound": (2,),
    "matrix-of-modes-and-members": (3,),
    "table-of-commands": (0, 1, 2),
}

EXPLAINED: Mapping[Clause, str] = {(template, at): _WHY for template, places in _UNBROKEN.items() for at in places}
"""The clauses that no inversion violates, with the reason."""
