"""Who may be given a job, and that a free worker and a waiting job never stay beside each other."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, holds, violated
from harness.verdict.pools.evidence import PoolEvidence, Step


def not_while_busy(e: PoolEvidence) -> Iterator[Part]:
    """A worker that gets a job has none."""
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "assignment-trace" or row["change"] != "dispatched":
                continue
            running = book.running_on(row["worker"])
            if running is not None:
                yield violated(row, f"{row['role']} still has job {running['job']}", running.dispatched)
            elif book.assignments:
                yield holds(row)


def only_ready(e: PoolEvidence) -> Iterator[Part]:
    """A worker that gets a job is the role's own, is there, and was told to be ready."""
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "assignment-trace" or row["change"] != "dispatched":
                continue
            worker, current = book.workers.get(row["worker"]), book.worker_of(row["role"])
            if worker is None or worker is not current:
                yield violated(row, f"job {row['job']} goes to a worker that is not the one of {row['role']}")
            elif not worker.is_ready:
                why = "has stopped" if worker.stop is not None else "is not ready"
                yield violated(row, f"job {row['job']} goes to the worker of {row['role']}, which {why}")
            else:
                yield holds(row, worker.steps[-1])


def counts_show_none_waiting(e: PoolEvidence) -> Iterator[Part]:
    """The counts never have an idle member beside a queued job."""
    for row in e.rows("count-trace"):
        if row["queued"] and row["idle"]:
            yield violated(row, f"{row['queued']} jobs wait beside {row['idle']} idle workers")
        elif row["queued"] or row["idle"]:
            yield holds(row)


def traces_show_none_waiting(e: PoolEvidence) -> Iterator[Part]:
    """Nor do state trace and queue trace."""
    for step in e.steps():
        idle, queue = sorted(step.after.idle()), step.after.queue
        if idle and queue:
            yield violated(step.input, f"job {queue[0].job} waits and {idle[0]} is idle after this event")
        elif idle or queue:
            yield holds(step.input)


def next_job_at_once(e: PoolEvidence) -> Iterator[Part]:
    """Whoever becomes free beside a queue is busy again in the same event."""
    for step in e.steps():
        role = _freed(step)
        if role is None or not step.before.queue_of(role) or step.before.mode != "operating":
            continue
        shown_idle = step.of("state-trace", role=role, to="idle")
        given = step.dispatches(role=role)
        if shown_idle and step.after.queue_of(role):
            job = step.after.queue_of(role)[0].job
            yield violated(shown_idle[0], f"{role} is free and job {job} waits on", step.input)
        elif given and shown_idle:
            yield violated(shown_idle[0], f"{role} is given a job and is shown as idle", given[0])
        elif given:
            yield holds(step.input, given[0])


def _freed(step: Step) -> str | None:
    """The role whose worker becomes ready, or finishes a job and goes on."""
    if step.kind == "worker-ready":
        took = step.is_expected and step.before.phase(step.input["role"]) == "activating"
        return str(step.input["role"]) if took else None
    for row in step.outcomes(outcome="completed"):
        worker = step.told.worker_of(row["role"])
        if worker is not None and worker.stop is None:
            return str(row["role"])
    return None


def back_to_an_idle_one(e: PoolEvidence) -> Iterator[Part]:
    """A job that comes back while somebody is idle is dispatched in that event."""
    for step in e.steps("worker-stopped", "delivery-accepted", "delivery-rejected"):
        job, idle = came_back(step), step.before.idle()
        if job is None or not idle or step.after.mode != "operating":
            continue
        given = step.dispatches(job=job)
        if given:
            yield holds(step.input, given[0])
        elif not step.outcomes(job=job):
            yield violated(step.input, f"job {job} comes back, {sorted(idle)[0]} is idle, and nobody gets the job")


def came_back(step: Step) -> int | None:
    """The job that its role loses by this fact without an end: its worker is gone, or never had it."""
    before, after = step.book.waiting(), step.told.waiting()
    return next((job for job in after if job not in before), None)
