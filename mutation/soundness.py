"""The shipped adoptions as a test: on the sound model no clause is violated, crashes or goes unreached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mutation.children import Said

if TYPE_CHECKING:
    from harness.expansion.scenario import Scenario
    from harness.run.plan import Plan
    from harness.run.recording import Recording
    from harness.runner import AdoptionRunner


class ShippedRun(NamedTuple):
    """One scenario of a shipped adoption with what the model left; nothing is judged yet."""

    runner: AdoptionRunner
    scenario: Scenario
    plan: Plan
    recording: Recording


def shipped_runs() -> Iterator[ShippedRun]:
    """Every scenario of every shipped adoption, planned and run."""
    from harness import workspace
    from harness.expansion.selection import Selection
    from harness.intake import validate_files
    from harness.runner import AdoptionRunner

    for path in sorted(workspace.data_folder("adoptions").glob("*/*.yaml")):
        runner = AdoptionRunner(validate_files([str(path)])[0])
        system = runner.bound.system()
        for scenario in runner.scenarios(Selection()):
            plan = runner.plan(scenario)
            yield ShippedRun(runner, scenario, plan, runner.bound.record(scenario.id, plan, system))


def unsound(runs: Iterator[ShippedRun] | tuple[ShippedRun, ...]) -> Said:
    """Whether a clause does not come out as it must; says the first."""
    from harness.base.verdict import Verdict

    fine = (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)
    for run in runs:
        judged = run.runner.bound.judge(run.scenario, run.plan, run.recording)
        for clause in judged.clauses:
            if clause.verdict not in fine:
                where = f"{run.runner.intake.path.split('/')[-2]} {run.scenario.id} clause {clause.index}"
                return "killed", f"{where}: {clause.verdict}"
    return "survived", ""
