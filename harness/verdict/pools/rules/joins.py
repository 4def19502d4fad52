"""Delivery, completion and stop: three facts in any order."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.entries import Assignment
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.rules.completions import CONTRADICTORY, EVIDENCE, fits, refused_delivery


def nothing_before_the_answer(e: PoolEvidence) -> Iterator[Part]:
    """While a delivery is open its job neither ends nor comes back, and its worker is not replaced."""
    for step in e.steps():
        if step.before.mode != "operating" or step.after.mode != "operating":
            continue
        open_ = [each for each in step.told.assignments if each.runs and each.answer is None]
        for each in open_:
            job, kept = each["job"], [row for row in (each.completion, each.stop) if row is not None]
            early = [
                *step.outcomes(job=job),
                *step.of("ownership-ledger", job=job, holder="queue", change="takes"),
                *step.dispatches(job=job),
                *step.lane("worker-preparations", worker=each["worker"]),
            ]
            if early:
                yield violated(early[0], f"the delivery of job {job} has no answer yet", each.dispatched, *kept)
            elif step.input in kept:
                yield holds(step.input, each.dispatched)


def completion_first_completes(e: PoolEvidence) -> Iterator[Part]:
    """Accepted, and reported as done before: one outcome, with that result."""
    for step in e.steps("delivery-accepted"):
        found = step.book.delivery(step.input.data)
        if found is None or found.closed or not _completed_first(found) or found.completion is None:
            continue
        ends = step.outcomes(job=found["job"])
        right = len(ends) == 1 and ends[0]["outcome"] == "completed"
        if right and ends[0]["result"] == found.completion["result"]:
            yield holds(found.completion, step.input, ends[0])
        else:
            yield violated(step.input, f"job {found['job']} was reported as done and has {len(ends)} outcomes", *ends)


def _completed_first(found: Assignment) -> bool:
    return found.completion is not None and (found.stop is None or found.completion.pos < found.stop.pos)


def stop_first_wins(e: PoolEvidence) -> Iterator[Part]:
    """Accepted, stopped and then reported: interrupted, and the report told as stale."""
    for step in e.steps("delivery-accepted"):
        found = step.book.delivery(step.input.data)
        if found is None or found.closed or found.stop is None or _completed_first(found):
            continue
        completed = step.outcomes(job=found["job"], outcome="completed")
        if completed:
            yield violated(completed[0], f"the worker of job {found['job']} stopped before it reported", found.stop)
        elif found.completion is None:
            yield holds(found.stop, step.input)
        else:
            late = found.completion
            told = [row for row in step.of("diagnostics", diagnostic="stale-completion") if _tells(row["facts"], late)]
            if told:
                yield holds(found.stop, late, told[0])
            else:
                gone = absent("diagnostics", f"the late report on job {found['job']}", near=step.input)
                yield violated(gone, "a completion after the stop was kept and is told nowhere", late)


def _tells(facts: object, completion: object) -> bool:
    return isinstance(facts, list) and any(
        all(fact.get(name) == completion[name] for name in EVIDENCE)  # type: ignore[index]  # a row of input-log
        for fact in facts
    )


def refused_deliveries_settle(e: PoolEvidence) -> Iterator[Part]:
    """Never delivered: the job waits or runs again, unless somebody reported it or the authority is another."""
    for step in e.steps("delivery-rejected"):
        found = refused_delivery(step)
        if found is None:
            continue
        job, ends = found["job"], step.outcomes(job=found["job"])
        contradicts = found.completion is not None or not fits(step, found)
        held = [each for each in step.after.holdings if each.job == job]
        if contradicts and (len(ends) != 1 or ends[0]["reason"] != CONTRADICTORY or held):
            yield violated(step.input, f"the refused delivery of job {job} contradicts itself, and the job goes on")
        elif not contradicts and any(row["reason"] in (CONTRADICTORY, "worker-stopped") for row in ends):
            yield violated(ends[0], f"job {job} was never delivered, and is told as {ends[0]['reason']}", step.input)
        elif not contradicts and len(ends) + len(held) != 1:
            yield violated(step.input, f"job {job} ended {len(ends)} times and is held {len(held)} times", *ends)
        else:
            yield holds(step.input, *ends)
