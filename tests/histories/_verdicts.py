"""Whether a verdict is the one that a history asks for."""

from __future__ import annotations

from harness.run.recording import Draft, LogRow
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.parts import Exhibit
from tests.histories._edits import selector
from tests.histories._load import History, logs


def disagreement(history: History, found: ClauseVerdict) -> str:
    """What is wrong with a verdict: its word, its reason, or the rows that its evidence begins with; else nothing."""
    if found.verdict != history.verdict:
        return f"the verdict is {found.verdict}: {found.reason}"
    if history.says not in (found.reason or ""):
        return f"the reason is {found.reason!r}"
    if len(found.evidence) < len(history.at):
        return f"there are only {len(found.evidence)} exhibits"
    wrong = [shown for wanted, shown in zip(history.at, found.evidence, strict=False) if not _is_row(shown, wanted)]
    return f"the evidence has {wrong[0]}" if wrong else ""


def _is_row(shown: Exhibit, wanted: str) -> bool:
    if not isinstance(shown, LogRow):
        return False
    picks, _, _ = selector(logs(), wanted)
    return bool(picks(Draft(shown.log, shown.run, shown.data, shown.batch, shown.settle, shown.moment)))
