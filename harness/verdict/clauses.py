"""One judgment for each clause: where judgments register, and how their parts become a verdict.

A judgment is a function from evidence to parts. It is named after what it demands, registered with `@clause`, and
reads only the evidence it is given.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from harness.base.verdict import Verdict
from harness.run.plan import Plan
from harness.verdict.blindness import blind_reason
from harness.verdict.evidence import Evidence
from harness.verdict.parts import Exhibit, Holds, Nothing, Part, Violated, exhibit_json

Judgment: TypeAlias = Callable[[Evidence], Iterable[Part]]

#: The package that holds the judgments, one module for each group of templates.
JUDGMENTS = "harness.verdict.judgments"

NO_JUDGMENT = "no judgment yet"
SILENT = "the runs show nothing this clause speaks of"

_REGISTRY: dict[tuple[str, int], Judgment] = {}


@dataclass(frozen=True, slots=True)
class ClauseVerdict:
    """What is said about one clause: `text` is the clause, `evidence` shows it, `reason` is None where it holds."""

    index: int
    text: str
    verdict: Verdict
    reason: str | None
    evidence: tuple[Exhibit, ...] = ()

    def to_json(self, instance: str) -> dict[str, Any]:
        """The verdict as it stands under `clauses` in run.json."""
        return {
            "index": self.index,
            "text": self.text,
            "verdict": str(self.verdict),
            "reason": self.reason,
            "evidence": [exhibit_json(each, instance) for each in self.evidence],
        }


def clause(template: str, *indexes: int) -> Callable[[Judgment], Judgment]:
    """Registers a judgment for the clauses of a template; the one `holds` of a general template has index 0."""

    def register(judgment: Judgment) -> Judgment:
        for index in indexes:
            if (template, index) in _REGISTRY:
                raise ValueError(f"two judgments for clause {index} of {template}")
            _REGISTRY[template, index] = judgment
        return judgment

    return register


@cache
def _load() -> None:
    """Imports every module below the judgments' package, once, so that they have registered."""
    if importlib.util.find_spec(JUDGMENTS) is None:
        return
    package = importlib.import_module(JUDGMENTS)
    for module in sorted(each.name for each in pkgutil.walk_packages(package.__path__, f"{JUDGMENTS}.")):
        importlib.import_module(module)


def judgment_for(template: str, index: int) -> Judgment | None:
    """The judgment of that clause; None where there is none yet."""
    _load()
    return _REGISTRY.get((template, index))


def registered() -> tuple[tuple[str, int], ...]:
    """Every clause that has a judgment, in alphabetical order."""
    _load()
    return tuple(sorted(_REGISTRY))


def judge_clause(evidence: Evidence, template: str, index: int, plan_notes: Plan) -> ClauseVerdict:
    """Judges one clause on one recording; `template` is a template's id, the clause's text comes with the evidence.

    A judgment that crashes makes an error, never a pass. The first of these decides: a violated part, a crash, an
    unsupplied log that was asked for, an unreached shape, a part that holds; else there is nothing to check.
    """
    text = evidence.scenario.clauses[index]
    judgment = judgment_for(template, index)
    if judgment is None:
        return ClauseVerdict(index, text, Verdict.UNREACHED, NO_JUDGMENT)
    seen = evidence.renewed()
    parts, crash = _parts(judgment, seen)
    verdict, reason, shown = _decide(parts, crash, seen, index, plan_notes)
    return ClauseVerdict(index, text, verdict, reason, shown)


def _parts(judgment: Judgment, evidence: Evidence) -> tuple[list[Part], str | None]:
    """The judgment's parts, and the message of its crash; a breach told only after a blind look is not known."""
    parts: list[Part] = []
    try:
        for each in judgment(evidence):
            if not (isinstance(each, Violated) and evidence.blind):
                parts.append(each)
    except Exception as crash:
        return parts, f"the judgment crashed: {type(crash).__name__}: {crash}"
    return parts, None


def _decide(
    parts: Sequence[Part], crash: str | None, evidence: Evidence, index: int, plan: Plan
) -> tuple[Verdict, str | None, tuple[Exhibit, ...]]:
    breaches = [each for each in parts if isinstance(each, Violated)]
    if breaches:
        first = min(breaches, key=lambda each: each.pos)
        return Verdict.VIOLATED, first.because, first.evidence
    if not evidence.recording.worlds and plan.impossible_for(index) and not _shown(parts):
        return Verdict.NOTHING_TO_CHECK, _why_nothing(parts, evidence, index, plan), ()
    if evidence.blind:
        return Verdict.BLIND, blind_reason(evidence.blind, evidence.recording.observes), ()
    if crash is not None:
        return Verdict.ERROR, crash, ()
    if notes := plan.unreached_for(index):
        return Verdict.UNREACHED, "; ".join(f"{each.shape}: {each.reason}" for each in notes), ()
    if shown := _shown(parts):
        return Verdict.HOLDS, None, shown
    return Verdict.NOTHING_TO_CHECK, _why_nothing(parts, evidence, index, plan), ()


def _shown(parts: Sequence[Part]) -> tuple[Exhibit, ...]:
    """The evidence of every part that holds, each exhibit once, in the order given."""
    return tuple(dict.fromkeys(exhibit for each in parts if isinstance(each, Holds) for exhibit in each.evidence))


def _why_nothing(parts: Sequence[Part], evidence: Evidence, index: int, plan: Plan) -> str:
    """What the system skipped, with the judgment's own reasons; else the plan's, else that the runs are silent.

    A judgment that looked at no log read its reasons from the adoption alone: nothing skipped bears on them.
    """
    reasons = [each.reason for each in parts if isinstance(each, Nothing)]
    if evidence.touched:
        reasons = [*evidence.skipped, *reasons]
    reasons = reasons or [each.reason for each in plan.impossible_for(index)]
    return "; ".join(dict.fromkeys(reasons)) or SILENT
