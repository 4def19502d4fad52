"""Clauses that a driver's logs cannot decide: which logs they lack, and which one more would help most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from harness.base.verdict import Verdict
from harness.run.derive import DERIVED

_SAYS = "the system does not supply "


def blind_reason(touched: Iterable[str], observes: frozenset[str]) -> str:
    """Why a clause that rests on these logs is blind: the logs that the system would have to write itself."""
    lacking = {need for log in touched for need in DERIVED.get(log, frozenset((log,))) or (log,)} - observes
    return f"{_SAYS}{', '.join(sorted(lacking))}"


def lacked_by(clause: Mapping[str, Any]) -> frozenset[str]:
    """The logs that a blind clause of `run.json` lacks; none for any other clause."""
    before, says, logs = str(clause["reason"]).partition(_SAYS)
    is_blind = clause["verdict"] == Verdict.BLIND and says and not before
    return frozenset(logs.split(", ")) if is_blind else frozenset()


class Restoring(NamedTuple):
    """How many clauses are blind, and the log that would alone decide the most of them: `restored`, None for none."""

    blind: int
    log: str | None
    restored: int


def most_restoring(clauses: Iterable[Mapping[str, Any]]) -> Restoring | None:
    """What would help most; None where nothing is blind. Of logs that help as much, the first in the alphabet."""
    lacks = [lacked for each in clauses if (lacked := lacked_by(each))]
    if not lacks:
        return None
    alone = Counter(log for lacked in lacks if len(lacked) == 1 for log in lacked)
    best = min(alone, key=lambda log: (-alone[log], log), default=None)
    return Restoring(len(lacks), best, alone[best] if best is not None else 0)
