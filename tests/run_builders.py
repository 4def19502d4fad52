"""Finished runs to test with: adoptions whose scenarios got the verdicts that a test wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness import workspace
from harness.base.finding import Finding, Severity
from harness.base.position import Position
from harness.base.verdict import Status, Verdict, scenario_status
from harness.expansion.scenario import Scenario
from harness.kits.jobs import KIT
from harness.run.execution import derive_facts, record_worlds
from harness.run.facts import Facts
from harness.run.plan import Plan
from harness.run.recording import Recording
from harness.run.sending import send_world
from harness.run.system import ModelSystem
from harness.runner import AdoptionRunner
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.judging import Judged, failed_scenario
from harness.verdict.parts import declared
from harness.writers.report import RunReport
from harness.writers.run_document import AdoptionRun
from harness.writers.run_files import ScenarioResult
from tests.expansion.builders import contract

ROOT = Path(__file__).resolve().parent.parent
BAKERY = ROOT / "adoptions" / "bakery-oven" / "bakery-oven.adoption.yaml"
JOB_ADOPTIONS = workspace.adoption_files(KIT.contract)
MURAL = ROOT / "adoptions" / "street-mural" / "street-mural.adoption.yaml"

ROW = {"log": "oven-report-log", "seq": 7}
MISSING = {"log": "oven-state-trace", "absent": "a move", "rows": 3}
DECLARED = {"adoption": "/answers/output-full"}
EVIDENCE = (ROW, MISSING, DECLARED)


def recorded_by_model(scenario_id: str, facts: Facts, plan: Plan) -> Recording:
    """What the sound lifecycle leaves of a plan that no scenario asked for."""
    system = ModelSystem(facts.model)
    worlds = [send_world(scenario_id, each, system) for each in plan.worlds]
    return record_worlds(scenario_id, worlds, system.observes, derive_facts(facts))


def clause(index: int, word: str, reason: str | None = None, evidence: Sequence[Mapping[str, Any]] = ()) -> Any:
    """A clause as it stands in run.json; without a reason one is made up where one is needed."""
    said = reason or (None if word == "holds" else f"why it is {word}")
    return {"index": index, "text": f"sentence {index}", "verdict": word, "reason": said, "evidence": list(evidence)}


def result(scenario_id: str, *clauses: Any, status: str | None = None, **entry: Any) -> ScenarioResult:
    """A finished scenario with these clauses (words stand for plain ones)."""
    built = [each if isinstance(each, dict) else clause(at, each) for at, each in enumerate(clauses)]
    said = status or str(scenario_status([Verdict(each["verdict"]) for each in built]))
    template, _, row = scenario_id.partition("/")[2].partition("[")
    given = {
        "id": scenario_id,
        "template": template,
        "row": row.removesuffix("]") or None,
        "status": said,
        "clauses": built,
        "runs": [],
        "logs": {},
        "supporting": {},
        **entry,
    }
    return ScenarioResult(scenario_id, said, given, {})


def adoption_run(*results: ScenarioResult, instance: str | None = "oven", **given: Any) -> AdoptionRun:
    """An adoption with these scenarios, all of those that were chosen."""
    fields: dict[str, Any] = {
        "path": f"{instance}.yaml",
        "digest": "sha256:" + "1" * 64,
        "findings": (),
        "selected": len(results),
        "excluded": 2,
        "unaccounted": 0,
        **given,
    }
    return AdoptionRun(instance=instance, results=results, **fields)


def finding(message: str = "it does not fit", severity: Severity = Severity.ERROR) -> Finding:
    """A finding at line 3, column 5 of oven.yaml."""
    return Finding("wrong-form", severity, message, Position("oven.yaml", 3, 5), hint="mend it")


ONE_OF_EACH = (
    result("oven/passes", "holds", "nothing-to-check"),
    result("oven/fails[a]", "holds", clause(1, "violated", "it burns", EVIDENCE), "unreached"),
    result("oven/breaks", "error"),
    result("oven/is-far", "unreached", "holds"),
    result("oven/is-dark", "blind"),
    result("oven/has-nothing", "nothing-to-check"),
    result("oven/is-known", clause(0, "violated", "it smokes"), "holds", status="known"),
)
"""A scenario of every status."""

REPORT = RunReport(contract(), (adoption_run(*ONE_OF_EACH),), {"oven/is-known": "the chimney is old (bug 7)"})


def report(*runs: AdoptionRun) -> RunReport:
    """A report of these adoptions."""
    return RunReport(contract(), runs)


Choose = Callable[[Scenario, int], str]


def give_verdicts(monkeypatch: pytest.MonkeyPatch, choose: Choose) -> None:
    """Let every scenario that is run in this process get the words that `choose` gives its clauses, without a run."""

    def judge(self: AdoptionRunner, scenario: Scenario) -> Judged:
        plain = failed_scenario(scenario, Verdict.HOLDS, "")
        clauses = tuple(_verdict(each, choose(scenario, each.index)) for each in plain.clauses)
        return Judged(scenario, plain.plan, plain.recording, clauses)

    monkeypatch.setattr(AdoptionRunner, "judge", judge)


def _verdict(plain: ClauseVerdict, word: str) -> ClauseVerdict:
    reason = None if word == "holds" else f"made {word}"
    shown = (declared("/job"),) if word in ("holds", "violated") else ()
    return ClauseVerdict(plain.index, plain.text, Verdict(word), reason, shown)


def words_of(entries: Sequence[Mapping[str, Any]]) -> list[Status]:
    """The status of each scenario's entry."""
    return [Status(each["status"]) for each in entries]
