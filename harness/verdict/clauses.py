"""One judgment for each clause: where judgments register, and how their parts become a verdict.

A judgment is a function from evidence to parts. It is named after what it demands, registered with the `clause` of its
contract's `Judgments`, and reads only the evidence it is given.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario
from harness.run.plan import Plan
from harness.run.recording import Recording
from harness.verdict.blindness import GREEN, behind, blind_reason, unseen_reason
from harness.verdict.evidence import Evidence
from harness.verdict.known import Known
from harness.verdict.parts import Exhibit, Holds, Nothing, Part, Violated, exhibit_json

NO_JUDGMENT = "no judgment yet"
SILENT = "the runs show nothing this clause speaks of"
NOTHING_KNOWN = Known()


class Looked(Protocol):
    """What a verdict needs of the evidence that judgments look at, whatever contract they are for."""

    @property
    def scenario(self) -> Scenario:
        """The scenario that is judged."""

    @property
    def recording(self) -> Recording:
        """What was observed for it."""

    @property
    def touched(self) -> set[str]:
        """The logs looked at so far."""

    @property
    def blind(self) -> tuple[str, ...]:
        """The touched logs that the system does not supply, in alphabetical order."""

    @property
    def skipped(self) -> tuple[str, ...]:
        """What the system did not try, each with its reason."""

    def renewed(self: Seen) -> Seen:
        """The same evidence with nothing touched yet."""


Seen = TypeVar("Seen", bound=Looked)
Judgment: TypeAlias = Callable[[Evidence], Iterable[Part]]


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


class Judgments(Generic[Seen]):
    """The judgments of one contract, by template and index; `package` holds them, one module for some templates each.

    The package is imported when the first judgment is asked for, so that its modules have registered.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.registry: dict[tuple[str, int], Callable[[Seen], Iterable[Part]]] = {}
        self._is_loaded = False

    def clause(
        self, template: str, *indexes: int
    ) -> Callable[[Callable[[Seen], Iterable[Part]]], Callable[[Seen], Iterable[Part]]]:
        """Registers a judgment for the clauses of a template; the one `holds` of a general template has index 0."""

        def register(judgment: Callable[[Seen], Iterable[Part]]) -> Callable[[Seen], Iterable[Part]]:
            for index in indexes:
                if (template, index) in self.registry:
                    raise ValueError(f"two judgments for clause {index} of {template}")
                self.registry[template, index] = judgment
            return judgment

        return register

    def judgment_for(self, template: str, index: int) -> Callable[[Seen], Iterable[Part]] | None:
        """The judgment of that clause; None where there is none yet."""
        self._load()
        return self.registry.get((template, index))

    def registered(self) -> tuple[tuple[str, int], ...]:
        """Every clause that has a judgment, in alphabetical order."""
        self._load()
        return tuple(sorted(self.registry))

    def _load(self) -> None:
        if self._is_loaded or importlib.util.find_spec(self.package) is None:
            return
        package = importlib.import_module(self.package)
        for module in sorted(each.name for each in pkgutil.walk_packages(package.__path__, f"{self.package}.")):
            importlib.import_module(module)
        self._is_loaded = True

    def judge(
        self, evidence: Seen, template: str, index: int, plan: Plan, known: Known = NOTHING_KNOWN
    ) -> ClauseVerdict:
        """Judges one clause on one recording; the clause's text comes with the evidence.

        The first of these decides: a violated part; an unsupplied log that was asked for; a crash of the judgment,
        which is a violation where a row of the system is not as its log's rows are, else an error, never a pass; an
        unreached shape; a part that holds; else there is nothing to check. What could then be broken unseen is blind.
        """
        text = evidence.scenario.clauses[index]
        judgment = self.judgment_for(template, index)
        if judgment is None:
            return ClauseVerdict(index, text, Verdict.UNREACHED, NO_JUDGMENT)
        seen = evidence.renewed()
        parts, crash = _parts(judgment, seen)
        if crash is not None and not seen.blind and (found := known.misfit(seen.recording, seen.touched)) is not None:
            row, why = found
            parts.append(Violated((row,), why))
        verdict, reason, shown = _decide(parts, crash, seen, index, plan)
        if known.spots is not None and seen.touched and (verdict in GREEN or verdict is Verdict.BLIND):
            observes = seen.recording.observes
            further = known.spots.lacking(template, index, observes | behind(seen.blind))
            if further and verdict is Verdict.BLIND:
                reason = blind_reason(seen.blind, observes, further)
            elif further:
                verdict, reason, shown = Verdict.BLIND, unseen_reason(further), ()
        return ClauseVerdict(index, text, verdict, reason, shown)


#: The judgments of jobs, and the decorator that their modules register with.
JOBS: Judgments[Evidence] = Judgments("harness.verdict.judgments")
clause = JOBS.clause


def _parts(judgment: Callable[[Seen], Iterable[Part]], evidence: Seen) -> tuple[list[Part], str | None]:
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
    parts: Sequence[Part], crash: str | None, evidence: Looked, index: int, plan: Plan
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


def _why_nothing(parts: Sequence[Part], evidence: Looked, index: int, plan: Plan) -> str:
    """What the system skipped, with the judgment's own reasons; else the plan's, else that the runs are silent.

    A judgment that looked at no log read its reasons from the adoption alone: nothing skipped bears on them.
    """
    reasons = [each.reason for each in parts if isinstance(each, Nothing)]
    if evidence.touched:
        reasons = [*evidence.skipped, *reasons]
    reasons = reasons or [each.reason for each in plan.impossible_for(index)]
    return "; ".join(dict.fromkeys(reasons)) or SILENT
