"""Clauses that a driver's logs cannot decide: which logs they lack, and which one more would help most.

A driver may leave logs out. What cannot be seen then must not come out green, and what is still seen must stay a
breach. Three rules make a clause `blind`, and none of them can make a violated clause anything else:

1. **Looked at.** Every look of a judgment at a log is noted. A judgment that looked at a log which is not supplied does
   not know what it found there, so it neither holds nor has nothing to check, and a breach that it told after that look
   is not known. A breach that it told before stays one: what it had looked at was all there.
2. **Unseen without** (the table). Some judgments look at a log only where it is supplied, and some read the rows of a
   settle as they come: with the log gone they look at less, and say nothing of it. The replay of the inversions finds
   these: without one of these sets of logs an inversion that violates the clause left it green. So whoever lacks such
   a set whole may break the clause unseen, and the clause is blind.
3. **Seen with** (the table). No inversion that violates the clause is still seen to violate it unless one of these sets
   is supplied whole. Where none is, a clause that holds was not put to any test, and is blind.

Rule 1 goes by the run that is judged, and covers every adoption. Rules 2 and 3 go by the shipped adoptions together
(`harness/blind_spots.py`): without a log is without it everywhere, and seen with is seen with anywhere, since rule 1
still guards each run. Rules 2 and 3 only ever turn what holds, or had nothing to check in the logs, into blind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from harness.base.verdict import Verdict
from harness.run.derive import DERIVED

#: The log that every driver writes.
OWED = "report-log"
#: What a clause that was broken unseen looks like.
GREEN = (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)

_SAYS = "the system does not supply "
_UNSEEN = "; a breach could go unseen without"

Logs: TypeAlias = frozenset[str]


class Sight(NamedTuple):
    """Of one clause, the smallest sets of logs of rules 2 and 3; the report-log is never among them."""

    seen_with: tuple[Logs, ...]
    unseen_without: tuple[Logs, ...]

    def lacking(self, observes: Logs) -> Logs:
        """The fewest logs that would have to be supplied too; none where the clause can be told."""
        lacking = min((each - observes for each in self.seen_with), key=_fewest, default=frozenset[str]())
        for each in self.unseen_without:
            if each.isdisjoint(observes | lacking):
                lacking |= {min(each)}
        return lacking


class BlindSpots:
    """The table: which clauses cannot be told without which logs."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._sights = {
            (each["template"], each["index"]): Sight(_sets(each["seen-with"]), _sets(each["unseen-without"]))
            for each in document["clauses"]
        }

    def lacking(self, template: str, index: int, observes: Logs) -> Logs:
        """What a system that supplies these logs lacks for a clause; none for one that no inversion violates."""
        sight = self._sights.get((template, index))
        return frozenset() if sight is None else sight.lacking(observes)


def _sets(family: Iterable[Mapping[str, Any]]) -> tuple[Logs, ...]:
    return tuple(frozenset(each["logs"]) for each in family)


def _fewest(logs: Logs) -> tuple[int, list[str]]:
    return len(logs), sorted(logs)


def behind(touched: Iterable[str]) -> Logs:
    """The logs that a system has to write for these to be there: derived ones are told from others."""
    return frozenset(need for log in touched for need in DERIVED.get(log, frozenset((log,))) or (log,))


def blind_reason(touched: Iterable[str], observes: Logs, further: Logs = frozenset()) -> str:
    """Why a clause whose judgment looked at these logs is blind: the logs that the system would have to write itself.

    `further` are logs that it would need besides.
    """
    return f"{_SAYS}{', '.join(sorted((behind(touched) - observes) | further))}"


def unseen_reason(lacking: Logs) -> str:
    """Why a clause is blind that looked at nothing which is not supplied."""
    return f"{_SAYS}{', '.join(sorted(lacking))}{_UNSEEN} {'it' if len(lacking) == 1 else 'them'}"


def lacked_by(clause: Mapping[str, Any]) -> Logs:
    """The logs that a blind clause of `run.json` lacks; none for any other clause."""
    before, says, logs = str(clause["reason"]).partition(_SAYS)
    is_blind = clause["verdict"] == Verdict.BLIND and says and not before
    return frozenset(logs.partition(_UNSEEN)[0].split(", ")) if is_blind else frozenset()


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
