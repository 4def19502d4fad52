"""The verdict words, and how clause verdicts make a scenario's status (interface: Verdict words)."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Verdict(StrEnum):
    """What a judgment says about one clause."""

    HOLDS = "holds"
    VIOLATED = "violated"
    NOTHING_TO_CHECK = "nothing-to-check"
    UNREACHED = "unreached"
    BLIND = "blind"
    ERROR = "error"


class Status(StrEnum):
    """What the clauses of one scenario amount to."""

    FAIL = "fail"
    ERROR = "error"
    UNREACHED = "unreached"
    BLIND = "blind"
    PASS = "pass"
    NOTHING_TO_CHECK = "nothing-to-check"
    KNOWN = "known"


# The first of these that any clause has decides the scenario.
_PRECEDENCE = (
    (Verdict.VIOLATED, Status.FAIL),
    (Verdict.ERROR, Status.ERROR),
    (Verdict.UNREACHED, Status.UNREACHED),
    (Verdict.BLIND, Status.BLIND),
    (Verdict.HOLDS, Status.PASS),
)


def scenario_status(verdicts: Collection[Verdict]) -> Status:
    """The status of a scenario with these clause verdicts; without any that counts, nothing was checked."""
    for verdict, status in _PRECEDENCE:
        if verdict in verdicts:
            return status
    return Status.NOTHING_TO_CHECK
