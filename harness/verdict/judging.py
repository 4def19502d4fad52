"""The verdict of a whole scenario: its clauses, its status, and the other logs that its evidence rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.base.verdict import Status, Verdict, scenario_status
from harness.expansion.scenario import Scenario
from harness.run.facts import Facts
from harness.run.plan import Plan
from harness.run.planning import scenario_row
from harness.run.recording import LogRow, Recording
from harness.verdict.clauses import JOBS, NOTHING_KNOWN, ClauseVerdict, Judgments, Seen
from harness.verdict.evidence import Evidence
from harness.verdict.known import Known


@dataclass(frozen=True, slots=True)
class Judged:
    """A scenario with its plan, its recording and a verdict for each clause.

    `driver_failed` says that its errors are the driver's: it crashed, hung or broke the protocol. `explained` is what
    else there is to say about a failure, as JSON values by name.
    """

    scenario: Scenario
    plan: Plan
    recording: Recording
    clauses: tuple[ClauseVerdict, ...]
    driver_failed: bool = False
    explained: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """What the clauses amount to."""
        return scenario_status([each.verdict for each in self.clauses])

    @property
    def supporting(self) -> tuple[str, ...]:
        """Bare names of the logs, besides the scenario's own, that some evidence points into, sorted."""
        named = {each.log for clause in self.clauses for each in clause.evidence if isinstance(each, LogRow)}
        return tuple(sorted(named - set(self.scenario.logs)))


def judge_scenario(
    facts: Facts, scenario: Scenario, plan: Plan, recording: Recording, known: Known = NOTHING_KNOWN
) -> Judged:
    """Judge every clause of a scenario of jobs, from the logs, the events and the adoption.

    `known` says what rows must look like, and what cannot be seen where the system does not write all logs.
    """
    return judged_on(evidence_of(facts, scenario, recording), JOBS, plan, known)


def evidence_of(facts: Facts, scenario: Scenario, recording: Recording) -> Evidence:
    """What the judgments of a scenario of jobs look at."""
    return Evidence(scenario, facts.adoption, facts.config, scenario_row(facts, scenario), recording)


def judged_on(evidence: Seen, judgments: Judgments[Seen], plan: Plan, known: Known = NOTHING_KNOWN) -> Judged:
    """Judge every clause of the scenario that the evidence is about."""
    scenario = evidence.scenario
    clauses = (judgments.judge(evidence, scenario.template, at, plan, known) for at in range(len(scenario.clauses)))
    return Judged(scenario, plan, evidence.recording, tuple(clauses))


def failed_scenario(scenario: Scenario, verdict: Verdict, reason: str, driver_failed: bool = False) -> Judged:
    """A scenario that could not be run or judged: every clause has this verdict, and no run was recorded."""
    clauses = tuple(ClauseVerdict(index, text, verdict, reason) for index, text in enumerate(scenario.clauses))
    return Judged(scenario, Plan(), Recording(scenario.id, (), (), frozenset()), clauses, driver_failed)
