"""Expected failures: clauses that are known to be violated, each with a reason and a link.

A listed clause that is violated makes its scenario `known` instead of `fail`. One that no longer fails is said, so
that the list shrinks with the work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.base.position import Position
from harness.base.verdict import Status, Verdict, scenario_status
from harness.contract.fitting import nearest


@dataclass(frozen=True, slots=True)
class ExpectedFailure:
    """One line of the list: a clause of a scenario, why it fails, where that is followed, where the line stands."""

    scenario: str
    clause: int
    reason: str
    link: str | None
    position: Position


class Choosable(NamedTuple):
    """What a run could have chosen: the instances of its adoptions, the ids of their scenarios, and why others of
    their ids are no scenarios."""

    instances: frozenset[str]
    scenarios: frozenset[str]
    excluded: Mapping[str, str]


def known_status(clauses: Sequence[Mapping[str, Any]], known: Collection[int]) -> Status:
    """The status of a scenario with these clauses (as in run.json), of which those in `known` fail as expected.

    Whatever else is wrong with the scenario outweighs a known failure.
    """
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
        listed = {each.clause for each in self.failures if each.scenario == scenario}
        if not listed:
            return ()
        violated = {each["index"] for each in clauses if each["verdict"] == Verdict.VIOLATED}
        return tuple(sorted(listed & violated))

    def reason(self, scenario: str) -> str | None:
        """The reasons listed for a scenario, with their links."""
        said = [
            each.reason + (f" ({each.link})" if each.link else "")
            for each in self.failures
            if each.scenario == scenario
        ]
        return "; ".join(dict.fromkeys(said)) or None

    def outlived(
        self, entries: Mapping[str, Mapping[str, Any]], choosable: Choosable
    ) -> tuple[tuple[ExpectedFailure, str], ...]:
        """The lines that no longer say what is so, each with why.

        `entries` are the finished scenarios by id. A line about an adoption that is not part of the run, about a
        scenario that was not chosen, or about a clause that could not be decided is left alone.
        """
        checked = ((each, _outlived(each, entries, choosable)) for each in self.failures)
        return tuple((each, why) for each, why in checked if why is not None)


def _outlived(listed: ExpectedFailure, entries: Mapping[str, Mapping[str, Any]], choosable: Choosable) -> str | None:
    instance = listed.scenario.partition("/")[0]
    if instance not in choosable.instances:
        meant = nearest(instance, choosable.instances, likeness=0.8)
        return None if meant is None else f"no adoption here is called {instance}; did you mean {meant}?"
    if listed.scenario in choosable.excluded:
        return f"the scenario is excluded: {choosable.excluded[listed.scenario]}"
    if listed.scenario not in choosable.scenarios:
        meant = nearest(listed.scenario, choosable.scenarios, likeness=0.75)
        return "there is no such scenario" + (f"; did you mean {meant}?" if meant else "")
    entry = entries.get(listed.scenario)
    return None if entry is None else _outlived_clause(listed, entry)


def _outlived_clause(listed: ExpectedFailure, entry: Mapping[str, Any]) -> str | None:
    clause = next((each for each in entry["clauses"] if each["index"] == listed.clause), None)
    if clause is None:
        return f"the scenario has no clause {listed.clause}, its last is {len(entry['clauses']) - 1}"
    decided = clause["verdict"] in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)
    return f"the clause no longer fails, it is {clause['verdict']}" if decided else None
