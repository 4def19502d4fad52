"""How judgments of pools register: what holds is shown once for each world, since it holds after every event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from harness.run.recording import LogRow
from harness.verdict.clauses import Judgments
from harness.verdict.parts import Absence, Holds, Part
from harness.verdict.pools.evidence import PoolEvidence

Rule = Callable[[PoolEvidence], Iterable[Part]]


def clauses_of(judgments: Judgments[PoolEvidence]) -> Callable[..., Callable[[Rule], Rule]]:
    """A decorator `(template, *indexes)` like `Judgments.clause`, which also keeps evidence short."""

    def clause(template: str, *indexes: int) -> Callable[[Rule], Rule]:
        def register(rule: Rule) -> Rule:
            judgments.clause(template, *indexes)(briefly(rule))
            return rule

        return register

    return clause


def briefly(rule: Rule) -> Rule:
    """The rule with the first part that holds in each world, and all parts that don't."""

    @wraps(rule)
    def judged(evidence: PoolEvidence) -> Iterator[Part]:
        shown: set[int | None] = set()
        for part in rule(evidence):
            if isinstance(part, Holds):
                world = _world(part)
                if world in shown:
                    continue
                shown.add(world)
            yield part

    return judged


def _world(part: Holds) -> int | None:
    for each in part.evidence:
        if isinstance(each, LogRow):
            return each.world
        if isinstance(each, Absence) and each.near is not None:
            return each.near.world
    return None
