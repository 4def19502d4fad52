"""What there is to choose: the answers, the options of rows, and the forms of the rules that rows cite."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Every choice with its options; the first option is the plainest.
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # the job and what it takes
        "inputs": ("none", "taken-at-request", "taken-at-start", "taken-at-finish", "with-progress"),
        "amounts": ("three-and-two", "one-unit", "two-and-none"),
        "sources": ("by-place", "one"),
        "offer-check": ("none", "full", "some"),
        "rounding": ("up", "down", "nearest", "current", "initial", "by-job"),
        "jobs": ("one", "two"),
        # its output
        "output": ("new-thing", "in-place", "compound"),
        "size": ("one", "two"),
        "output-full": ("never-full", "wait-before-start", "wait-until-space", "hold-undelivered", "try-destinations"),
        "delivery": ("unanswered", "automatic", "on-collection"),
        "destination": ("unlimited", "one", "two"),
        "fallbacks": ("finite", "unlimited", "two-finite", "none"),
        "polled": ("no", "retries", "all"),
        "cases": ("none", "always", "short-and-enough"),
        # its work and what stops it
        "work": ("none", "three-ticks", "fractions", "field", "field-per-tick", "two-phases", "phase-by-job"),
        "partial-work": ("keep-with-job", "reset-at-stop", "reverse-while-stopped"),
        "reversal": ("slow", "at-once", "by-job"),
        "stopped-claims": ("hold", "release-and-reclaim"),
        "interruptions": ("none", "one", "two", "worker", "worker-in-list"),
        # how it ends early
        "failures": ("none", "working", "waiting", "stopped", "finished", "several"),
        "failure-result": ("recoverable", "ruined", "answered-recoverable", "answered-ruined"),
        "failure-rule": ("nothing", "inputs", "work", "work-share", "all", "releases", "damaged"),
        "cancellations": ("none", "one", "two"),
        "cancel-return": (
            "return-claimed",
            "return-nothing",
            "by-fraction",
            "by-amounts",
            "by-item",
            "by-cancellation",
        ),
        "dependents": ("none", "end-dependents", "leave-dependents"),
        "links": ("chain", "two-needs"),
        # its pools and what requests by itself
        "pool": ("none", "shared-one", "shared-two", "each-place", "two-pools", "closed"),
        "covers": ("all", "list", "field"),
        "waiting": ("unlimited", "none", "one", "two"),
        "order": ("request-order", "by-field", "newest-first", "by-two"),
        "assignment": ("requested", "first-free", "fewest-waiting", "round-robin"),
        "releases": ("unsaid", "finished", "delivered"),
        "standing": ("none", "condition", "below", "usable", "listed", "two-orders"),
        # how the rules are cited
        "citing": ("apart", "by-row"),
        "read-first": ("none", "external"),
    }
)


def plainest() -> dict[str, str]:
    """Every choice with its first option: a job without inputs, work, pool or any row."""
    return {name: options[0] for name, options in CHOICES.items()}
