"""Runs for the rounding rules: every start, work point and resume of a job that the rule is for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle.alphabet import Form
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape, in_state
from harness.run.plan import Impossible
from harness.run.shapes.registry import shapes
from harness.run.shapes.stops_facts import NOBODY_WORKS, ordinary_causes, starting_forms
from harness.run.shapes.stops_steps import resume, start, stopped_with_work, wait


@shapes("progress-rounding-rule-pairs-with-progress")
def rounding_rules(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A run from its start to its finish, and one that stops and resumes between."""
    if row is None or facts.answers.get("input-claim-timing") != "with-progress" or not facts.has_work:
        return
    jobs = _jobs_of(facts, row.id)
    if not jobs:
        return
    forms = [form for form in starting_forms(facts) if form.job in jobs]
    if not forms:
        yield Impossible(NOBODY_WORKS, (1,))
        return
    if not any(need.amount for need in facts.tables.jobs[forms[0].job].needs):
        yield Impossible("the jobs of this rule take no units, so there is no share to round", (1,))
        return
    yield Shape("worked from start to finish", partial(_work_through, form=forms[0]), clauses=(1,))
    for cause in ordinary_causes(facts, forms[0])[:1]:
        yield Shape(f"stopped by {cause} and resumed", partial(_stop_between, form=forms[0], cause=cause), clauses=(1,))


def _jobs_of(facts: Facts, rule: str) -> tuple[str, ...]:
    """The jobs whose first rounding rule is this one."""
    chosen = []
    for job in facts.config.jobs:
        first = next((each for each in facts.config.roundings if each.jobs is None or job.id in each.jobs), None)
        if first is not None and first.id == rule:
            chosen.append(job.id)
    return tuple(chosen)


def _work_through(p: Pilot, form: Form) -> None:
    run = start(p, form)
    wait(p, in_state(run, "finished", "delivered", "stopped"))


def _stop_between(p: Pilot, form: Form, cause: str) -> None:
    run = stopped_with_work(p, form, cause)
    resume(p, run, cause)
    wait(p, in_state(run, "finished", "delivered", "stopped"))


@shapes("progress-needs-a-rounding-rule")
def needed_rounding_rules(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """The adoption alone decides."""
    yield from ()
