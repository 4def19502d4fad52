"""Expected failures: clauses that are known to be violated, each with a reason and a link.

A listed clause that is violated makes its scenario `known` instead of `fail`. One that no longer fails is said, so
that the list shrinks with the work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.base.position import Position
from harness.base.verdict import Status, Verdict, scenario_status


@dataclass(frozen=True, slots=True)
class ExpectedFailure:
    """One line of the list: a clause of a scenario, why it fails, where that is followed, where the line stands."""

    scenario: str
    clause: int
    reason: str
    link: str | None
    position: Position


def known_status(clauses: Sequence[Mapping[str, Any]], known: Collection[int]) -> Status:
    """The status of a scenario whose clauses (as in run.json) are violated as listed, and only as listed, or not."""
    left = [Verdict(each["verdict"]) for each in clauses if each["index"] not in known]
    violated = any(each["verdict"] == Verdict.VIOLATED for each in clauses if each["index"] in known)
    status = scenario_status(left)
    if violated and status in (Status.PASS, Status.NOTHING_TO_CHECK):
        return Status.KNOWN
    return status


@dataclass(frozen=True, slots=True)
class Expectations:
    """The whole list."""

    failures: tuple[ExpectedFailure, ...] = ()

    def known(self, scenario: str, clauses: Iterable[Mapping[str, Any]]) -> tuple[int, ...]:
        """The listed clauses of a scenario that are violated as expected."""
        violated = {each["index"] for each in clauses if each["verdict"] == Verdict.VIOLATED}
        return tuple(each.clause for each in self.failures if each.scenario == scenario and each.clause in violated)

    def reason(self, scenario: str) -> str | None:
        """The reasons listed for a scenario, with their links."""
        said = [
            each.reason + (f" ({each.link})" if each.link else "")
            for each in self.failures
            if each.scenario == scenario
        ]
        return "; ".join(dict.fromkeys(said)) or None

    def outlived(
        self, entries: Mapping[str, Mapping[str, Any]], instances: Collection[str], scenarios: Collection[str]
    ) -> tuple[tuple[ExpectedFailure, str], ...]:
        """The lines that no longer say what is so, with why.

        `entries` are the finished scenarios by id, `instances` and `scenarios` all that this run could have chosen:
        a line about another adoption, or about a scenario that was not chosen, is left alone.
        """
        found = []
        for each in self.failures:
            why = self._outlived(each, entries, instances, scenarios)
            if why is not None:
                found.append((each, why))
        return tuple(found)

    def _outlived(
        self,
        listed: ExpectedFailure,
        entries: Mapping[str, Mapping[str, Any]],
        instances: Collection[str],
        scenarios: Collection[str],
    ) -> str | None:
        if listed.scenario.split("/")[0] not in instances:
            return None
        if listed.scenario not in scenarios:
            return "there is no such scenario"
        entry = entries.get(listed.scenario)
        if entry is None:
            return None
        clause = next((each for each in entry["clauses"] if each["index"] == listed.clause), None)
        if clause is None:
            return f"the scenario has no clause {listed.clause}"
        return None if clause["verdict"] == Verdict.VIOLATED else f"the clause is {clause['verdict']} now"
