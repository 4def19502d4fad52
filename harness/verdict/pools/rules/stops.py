"""What a stop does: to the job, then to the role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.entries import Assignment
from harness.verdict.pools.evidence import PoolEvidence, Step

#: Why a job that was interrupted may end at once where it would wait again.
_ENDS_OF_RETRIES = (
    "no-recoverable-workers",
    "retry-preparation-rejected",
    "pool-shutdown",
    "role-permanently-unavailable",
)


class Interruption(NamedTuple):
    """An event in which a job loses its worker: its assignment and the stop."""

    step: Step
    assignment: Assignment
    stop: LogRow


def interruptions(e: PoolEvidence) -> Iterator[Interruption]:
    """Every event that settles a delivered job whose worker stopped without having reported it."""
    for step in e.steps("worker-stopped", "delivery-accepted"):
        if step.before.mode != "operating" or not step.is_expected:
            continue
        if step.kind == "worker-stopped":
            found = step.book.running_on(step.input["worker"])
            if found is not None and found.is_accepted and found.completion is None:
                yield Interruption(step, found, step.input)
        else:
            found = step.book.delivery(step.input.data)
            if found is not None and found.stop is not None and not _completed_first(found):
                yield Interruption(step, found, found.stop)


def _completed_first(assignment: Assignment) -> bool:
    completion, stop = assignment.completion, assignment.stop
    return completion is not None and (stop is None or completion.pos < stop.pos)


def settles_once(e: PoolEvidence) -> Iterator[Part]:
    """`fail` returns the job, `retry` lets it wait or run again; either once."""
    for step, assignment, stop in interruptions(e):
        job, ends = assignment["job"], step.outcomes(job=assignment["job"])
        held = [each for each in step.after.holdings if each.job == job]
        if len(ends) + len(held) != 1:
            yield violated(step.input, f"job {job} ended {len(ends)} times and is held {len(held)} times", *ends)
        elif held and e.pool.interruption == "fail":
            yield violated(step.input, f"job {job} lost its worker and is still held")
        elif ends and ends[0]["reason"] not in _reasons(e):
            yield violated(ends[0], f"job {job} lost its worker and went back for {ends[0]['reason']}", stop)
        else:
            back = step.dispatches(job=job) or step.of("ownership-ledger", job=job, change="takes")
            yield holds(step.input, *ends, *back)


def _reasons(e: PoolEvidence) -> tuple[str, ...]:
    return ("worker-stopped",) if e.pool.interruption == "fail" else _ENDS_OF_RETRIES


def recovers_once(e: PoolEvidence) -> Iterator[Part]:
    """A replacement is asked for once for each worker, which has stopped and whose job is settled."""
    asked: dict[tuple[int, int], LogRow] = {}
    for step in e.steps():
        for row in step.lane("worker-preparations"):
            worker = step.told.workers.get(row["worker"])
            running = step.told.running_on(row["worker"])
            first = asked.setdefault((row.world, row["worker"]), row)
            if first is not row:
                yield violated(row, f"a second replacement is asked for the worker of {row['role']}", first)
            elif worker is None or worker.stop is None:
                yield violated(row, f"a replacement is asked for, and the worker of {row['role']} has not stopped")
            elif running is not None:
                yield violated(row, f"a replacement is asked for before job {running['job']} is settled", worker.stop)
            else:
                yield holds(row, worker.stop)
    if not e.pool.replaces:
        yield nothing("workers of this pool are never replaced")


_AT_ONCE = ("idle", "busy-delivered", "waiting-authorization", "activating")


def comes_back_as_declared(e: PoolEvidence) -> Iterator[Part]:
    """The declared stops lead to recovery, all others retire the role."""
    for step in e.steps("worker-stopped", "delivery-accepted"):
        stop = settled_stop(step)
        if stop is None:
            continue
        role, eligible = stop["role"], e.pool.covers(bool(stop["abnormal"]))
        asked, retired = step.lane("worker-preparations", role=role), step.of("state-trace", role=role, to="retired")
        how = "abnormal stop" if stop["abnormal"] else "normal exit"
        if eligible and not asked:
            yield violated(step.input, f"the {how} of {role} leads to no recovery", stop)
        elif not eligible and (asked or (not retired and step.after.mode == "operating")):
            yield violated(step.input, f"the {how} of {role} does not retire the role", *asked)
        else:
            yield holds(step.input, *asked, *retired)


def settled_stop(step: Step) -> LogRow | None:
    """The stop that this event settles with nothing of its worker left open."""
    if step.before.mode != "operating" or not step.is_expected:
        return None
    if step.kind == "worker-stopped":
        return step.input if step.before.phase(step.input["role"]) in _AT_ONCE else None
    found = step.book.delivery(step.input.data)
    return None if found is None else found.stop


def back_in_order(e: PoolEvidence) -> Iterator[Part]:
    """A queue with jobs that came back stands in the order of admission."""
    for step in e.steps():
        order = list(step.book_after.jobs)
        for row in step.of("queue-trace"):
            if not any(row["priors"]):
                continue
            places = [order.index(job) for job in row["jobs"] if job in order]
            if places != sorted(places):
                yield violated(row, f"the queue stands as {_listed(row['jobs'])}, against the order of admission")
            elif len(places) > 1:
                yield holds(row)


def _listed(jobs: list[int]) -> str:
    return ", ".join(map(str, jobs))
