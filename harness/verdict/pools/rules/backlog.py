"""What the backlog limits, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence


def refused_when_full(e: PoolEvidence) -> Iterator[Part]:
    """backlog-full means that nobody is idle and that all places for waiting jobs are taken."""
    for step in e.steps("submit"):
        for row in step.of("admission-outcomes", reason="backlog-full"):
            idle, waiting = step.before.idle(), len(step.before.queue)
            if idle:
                yield violated(row, f"refused for a full backlog, and {sorted(idle)[0]} is idle")
            elif waiting < e.pool.backlog:
                yield violated(row, f"refused for a full backlog, and {waiting} of {e.pool.backlog} wait")
            else:
                yield holds(row)


def joins_within(e: PoolEvidence) -> Iterator[Part]:
    """A new job that waits found room."""
    for step in e.steps("submit"):
        for row in step.of("admission-outcomes", outcome="accepted"):
            for taken in step.of("ownership-ledger", change="takes", job=row["job"], holder="queue"):
                waiting = len(step.before.queue)
                if waiting < e.pool.backlog:
                    yield holds(row, taken)
                else:
                    yield violated(row, f"a new job waits, and {waiting} of {e.pool.backlog} waited before", taken)


def straight_to_idle(e: PoolEvidence) -> Iterator[Part]:
    """Beside an idle worker nothing waits, whatever the backlog."""
    for step in e.steps("submit"):
        idle = sorted(step.before.idle())
        if not idle or step.before.mode != "operating":
            continue
        for row in step.of("admission-outcomes"):
            if row["outcome"] == "accepted" and not step.dispatches(job=row["job"]):
                gone = absent("assignment-trace", f"the dispatch of job {row['job']}", near=row)
                yield violated(gone, f"job {row['job']} was accepted, {idle[0]} is idle, and nobody has the job", row)
            elif row["reason"] in ("backlog-full", "no-recoverable-workers"):
                yield violated(row, f"refused for {row['reason']}, and {idle[0]} is idle")
            else:
                yield holds(row, *step.dispatches())


def new_jobs_run_or_wait(e: PoolEvidence) -> Iterator[Part]:
    """An accepted job waits, or is on a worker in the same event."""
    for step in e.steps("submit"):
        for row in step.of("admission-outcomes", outcome="accepted"):
            waits = any(each.job == row["job"] for each in step.after.queue)
            given = step.dispatches(job=row["job"])
            if bool(given) != waits:
                yield holds(row, *given)
            else:
                both = "waits and runs" if waits else "neither waits nor runs"
                yield violated(row, f"job {row['job']} was accepted and {both}", *given)


def queue_is_bounded(e: PoolEvidence) -> Iterator[Part]:
    """Backlog and roles together are the end of the queue."""
    most = e.pool.backlog + len(e.pool.roles)
    for row in e.rows("queue-trace"):
        if len(row["jobs"]) > most:
            yield violated(row, f"{len(row['jobs'])} jobs wait, and {most} is the most there may be")
        elif any(row["priors"]):
            yield holds(row)


def counts_are_bounded(e: PoolEvidence) -> Iterator[Part]:
    """So say the counts."""
    most = e.pool.backlog + len(e.pool.roles)
    for row in e.rows("count-trace"):
        if row["queued"] > most:
            yield violated(row, f"{row['queued']} jobs wait, and {most} is the most there may be")
        elif row["queued"]:
            yield holds(row)


def counts_match_queue(e: PoolEvidence) -> Iterator[Part]:
    """Queue trace and counts are of one length."""
    for step in e.steps():
        for row in step.of("count-trace"):
            if row["queued"] != len(step.after.queue):
                yield violated(row, f"the counts say {row['queued']}, the queue trace {len(step.after.queue)}")
            elif row["queued"]:
                yield holds(row)
