"""Roles that are lost for good, and the jobs that wait for them."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, holds, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.standing import Standing

NOBODY = "no-recoverable-workers"


def last_loss_returns(e: PoolEvidence) -> Iterator[Part]:
    """With the last role the queue goes, in its order."""
    for step in e.steps():
        if step.before.mode != "operating" or step.after.mode != "operating" or not all_lost(e, step.after):
            continue
        if step.after.queue:
            job = step.after.queue[0].job
            yield violated(step.input, f"job {job} waits, and no role can have a worker any more")
        elif not all_lost(e, step.before):
            ends = step.outcomes()
            told = [row["job"] for row in ends if (row["outcome"], row["reason"]) == ("returned-queued", NOBODY)]
            other = {row["job"] for row in ends} - set(told)
            waited = [job for job in step.told.waiting() if job not in other]
            if told != waited:
                yield violated(step.input, f"{len(waited)} jobs waited, and {len(told)} went back for {NOBODY}", *ends)
            elif told:
                yield holds(step.input, *ends)


def refused_afterwards(e: PoolEvidence) -> Iterator[Part]:
    """A pool without roles takes nothing, and says why."""
    for step in e.steps("submit"):
        if step.before.mode != "operating" or not all_lost(e, step.before):
            continue
        for row in step.of("admission-outcomes"):
            if row["reason"] == NOBODY and row["job"] is None:
                yield holds(row)
            else:
                told = row["reason"] or "accepted"
                yield violated(row, f"no role can have a worker any more, and the answer is {told}")


def survivors_keep_the_queue(e: PoolEvidence) -> Iterator[Part]:
    """One role's loss is not the loss of all."""
    for step in e.steps():
        if step.after.mode != "operating" or step.before.mode != "operating" or all_lost(e, step.after):
            continue
        lost = [role for role in e.pool.roles if step.after.is_lost(role) and not step.before.is_lost(role)]
        if not lost:
            continue
        ends = step.outcomes(reason=NOBODY)
        if ends:
            yield violated(ends[0], f"{lost[0]} is lost, others are left, and job {ends[0]['job']} goes back")
        elif step.before.queue:
            yield holds(step.input)


def all_lost(e: PoolEvidence, standing: Standing) -> bool:
    """Whether no role can ever have a ready worker again."""
    return all(standing.is_lost(role) for role in e.pool.roles)
