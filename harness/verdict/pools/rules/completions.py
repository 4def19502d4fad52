"""Which reports complete a job, and what becomes of all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.entries import Assignment
from harness.verdict.pools.evidence import PoolEvidence, Step

CONTRADICTORY = "contradictory-assignment-settlement"
EVIDENCE = ("assignment", "authority", "authority-birth", "result")


def only_exact_reports(e: PoolEvidence) -> Iterator[Part]:
    """Behind each completed outcome stands a report that fits in every number."""
    for step in e.steps():
        for row in step.outcomes(outcome="completed"):
            assignment = step.told.latest_of(row["job"])
            if assignment is None or assignment.completion is None:
                yield violated(row, f"job {row['job']} is completed, and no report fits it", step.input)
            else:
                yield holds(row, assignment.completion)


def reports_complete(e: PoolEvidence) -> Iterator[Part]:
    """A fitting report on a delivered assignment completes its job at once."""
    for step in e.steps("worker-completed"):
        found = step.book.completed(step.input.data)
        if found is None or not found.is_accepted or step.before.mode != "operating":
            continue
        ends = step.outcomes(job=found["job"])
        phase = step.after.phase(found["role"])
        if len(ends) != 1 or ends[0]["outcome"] != "completed":
            yield violated(step.input, f"the report on job {found['job']} led to {len(ends)} outcomes", *ends)
        elif (ends[0]["result"], ends[0]["role"]) != (step.input["result"], found["role"]):
            yield violated(ends[0], f"job {found['job']} ended with another result or role", step.input)
        elif phase != "idle" and not step.dispatches(role=found["role"]):
            yield violated(ends[0], f"{found['role']} has finished and is {phase}", step.input)
        else:
            yield holds(step.input, ends[0])


def others_are_kept(e: PoolEvidence) -> Iterator[Part]:
    """A report that does not fit completes nothing and stands in the diagnostics with its result."""
    for step in e.steps("worker-completed"):
        if step.is_expected:
            continue
        ends = step.outcomes(outcome="completed")
        told = [row for row in step.of("diagnostics") if any(_same(step, fact) for fact in row["facts"])]
        if ends:
            yield violated(ends[0], f"job {ends[0]['job']} was completed by a report that fits nothing", step.input)
        elif len(told) != 1:
            gone = absent("diagnostics", "the report with its result", near=step.input)
            yield violated(gone, f"a report that fits nothing is told {len(told)} times", step.input)
        else:
            yield holds(step.input, told[0])


def _same(step: Step, fact: Mapping[str, Any]) -> bool:
    return all(fact.get(name) == step.input[name] for name in EVIDENCE)


def foreign_authority_returns(e: PoolEvidence) -> Iterator[Part]:
    """A refused delivery without the other half returns its job, which is over then."""
    for step in e.steps("delivery-rejected"):
        found = refused_delivery(step)
        if found is None or fits(step, found):
            continue
        job, ends = found["job"], step.outcomes(job=found["job"])
        if len(ends) != 1 or ends[0]["reason"] != CONTRADICTORY:
            told = ends[0]["reason"] if ends else "it did not end"
            yield violated(step.input, f"job {job} came back with a foreign authority, and {told}", *ends)
        elif any(each.job == job for each in step.after.holdings):
            yield violated(ends[0], f"job {job} came back with a foreign authority and is still held", step.input)
        else:
            yield holds(step.input, ends[0])


def refused_delivery(step: Step) -> Assignment | None:
    """The assignment that this refusal is about, while its job is owed and the pool is open."""
    found = step.book.delivery(step.input.data)
    return found if found is not None and not found.closed and step.before.mode == "operating" else None


def fits(step: Step, assignment: Assignment) -> bool:
    """Whether a refusal brings back the authority that was sent."""
    return all(step.input[name] == assignment[name] for name in ("authority", "authority-birth"))
