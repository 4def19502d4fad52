"""Jobs: who holds them, that they are owed once, and that nothing of them is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Exhibit, Part, absent, holds, violated
from harness.verdict.pools.book import empty_first
from harness.verdict.pools.evidence import PoolEvidence, Step


def held_from_acceptance(e: PoolEvidence) -> Iterator[Part]:
    """Nobody holds a job before its acceptance has left."""
    for step in e.steps():
        for row in step.of("ownership-ledger", change="takes"):
            job = step.book_after.jobs.get(row["job"])
            if job is None:
                gone = absent("admission-outcomes", f"the acceptance of job {row['job']}", near=row)
                yield violated(gone, f"job {row['job']} is held and nobody was told that it is", row)
            else:
                yield holds(job.accepted, row)


def held_once(e: PoolEvidence) -> Iterator[Part]:
    """A job that is owed is held once, and no other is held."""
    for step in e.steps():
        held = Counter(each.job for each in step.after.holdings)
        owed = set(step.book_after.owed())
        for job in sorted(held.keys() | owed, key=empty_first):
            wanted = 1 if job in owed else 0
            if held[job] != wanted:
                told = "is owed to its customer" if wanted else "is owed to nobody"
                yield violated(_about(step, job), f"job {job} {told} and is held {held[job]} times")
        if owed and all(held[job] == 1 for job in owed):
            yield holds(*_ledger(step, owed))


def same_jobs(e: PoolEvidence) -> Iterator[Part]:
    """The jobs that are owed are the jobs that are held."""
    for step in e.steps():
        held, owed = {each.job for each in step.after.holdings}, set(step.book_after.owed())
        if held != owed:
            wrong = min(held ^ owed, key=empty_first)
            yield violated(_about(step, wrong), f"job {wrong} is {'held, not owed' if wrong in held else 'lost'}")
        elif owed:
            yield holds(*_ledger(step, owed))


def counts_add_up(e: PoolEvidence) -> Iterator[Part]:
    """Accepted jobs without an outcome are as many as the queued and the assigned."""
    for step in e.steps():
        for row in step.of("count-trace"):
            owed = len(step.book_after.owed())
            if row["queued"] + row["assigned"] != owed:
                yield violated(row, f"{owed} jobs are owed, {row['queued']} wait and {row['assigned']} run")
            elif owed:
                yield holds(row)


def one_outcome(e: PoolEvidence) -> Iterator[Part]:
    """No job has two terminal outcomes, and each goes to the customer of the job."""
    seen: dict[tuple[int, int], LogRow] = {}
    for step in e.steps():
        for row in step.outcomes():
            first = seen.setdefault((row.world, row["job"]), row)
            job = step.book_after.jobs.get(row["job"])
            if first is not row:
                yield violated(row, f"job {row['job']} ends a second time", first)
            elif job is not None and job.customer != row["route"]:
                yield violated(row, f"job {row['job']} is of {job.customer}, and {row['route']} is told", job.accepted)
            else:
                yield holds(row)


def outcomes_of_accepted(e: PoolEvidence) -> Iterator[Part]:
    """Only a job that was accepted ends."""
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "terminal-outcomes":
                continue
            job = book.jobs.get(row["job"])
            if job is None:
                yield violated(row, f"job {row['job']} ends and was never accepted")
            else:
                yield holds(job.accepted, row)


def payloads_stay(e: PoolEvidence) -> Iterator[Part]:
    """A payload that leaves again is the one that was handed in."""
    for step in e.steps():
        for row in (*step.outcomes(), *step.dispatches()):
            job = step.book_after.jobs.get(row["job"])
            if row["payload"] is None or job is None:
                continue
            if row["payload"] == job.payload:
                yield holds(row)
            else:
                yield violated(row, f"job {row['job']} was handed in with payload {job.payload}", job.accepted)
        for row in step.of("admission-outcomes", outcome="rejected"):
            if row["payload"] == step.input["payload"]:
                yield holds(row)
            else:
                yield violated(row, "the payload that goes back is not the one that was handed in", step.input)


def one_job_per_role(e: PoolEvidence) -> Iterator[Part]:
    """No role holds two jobs."""
    for step in e.steps():
        roles = Counter(each.role for each in step.after.holdings if each.holder == "worker")
        doubled = sorted(str(role) for role, count in roles.items() if count > 1)
        if doubled:
            row = next(iter(reversed(step.of("ownership-ledger", role=doubled[0]))), step.input)
            yield violated(row, f"{doubled[0]} has {roles[doubled[0]]} jobs")
        elif roles:
            yield holds(*_ledger(step, {each.job for each in step.after.holdings}))


def busy_are_assigned(e: PoolEvidence) -> Iterator[Part]:
    """As many members are busy as jobs are assigned."""
    for step in e.steps():
        for row in step.of("count-trace"):
            busy = [role for role, phase in step.after.phases().items() if phase.startswith("busy")]
            if len(busy) != row["assigned"]:
                yield violated(row, f"{row['assigned']} jobs are assigned and {len(busy)} members are busy")
            elif busy:
                yield holds(row)


def _about(step: Step, job: int) -> Exhibit:
    """The row of this event that is about a job, else the event itself."""
    return next((row for row in reversed(step.rows) if row.get("job") == job), step.input)


def _ledger(step: Step, jobs: set[int]) -> tuple[LogRow, ...]:
    """The rows of the ledger about these jobs in this event, else the event's counts."""
    rows = tuple(row for row in step.of("ownership-ledger") if row["job"] in jobs)
    return rows or ((step.after.counts or step.input),)
