"""Jobs inside their role: where they are, in which order, and that none waits beside the free worker of its role."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.bindings import role_of
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.keyed import clause

_KEEPS = "claim-06-job-keeps-role"
_ROLE = "invariant-job-role-fixed"
_QUEUES = "invariant-queue-order-and-bound"
_IDLE = "invariant-no-idle-with-own-queue"


@clause(_KEEPS, 0)
@clause(_ROLE, 0)
def stays_at_its_role(e: PoolEvidence) -> Iterator[Part]:
    """The ledger, the dispatches and the outcomes name the role of the acceptance."""
    for step in e.steps():
        for row in (*step.of("ownership-ledger", change="takes"), *step.dispatches(), *step.outcomes()):
            role = role_of(step, row["job"])
            if role is None or role == row["role"]:
                yield holds(row)
            else:
                yield violated(row, f"job {row['job']} was admitted to {role} and is with {row['role']}")


@clause(_ROLE, 1)
def accepted_where_told(e: PoolEvidence) -> Iterator[Part]:
    """An accepted job is held at the declared role that its customer was told."""
    for step in e.steps("submit"):
        for row in step.of("admission-outcomes", outcome="accepted"):
            taken = step.of("ownership-ledger", change="takes", job=row["job"], role=row["role"])
            if row["role"] not in e.pool.roles:
                yield violated(row, f"the acceptance tells {row['role']}, which is no declared role")
            elif not taken:
                gone = absent("ownership-ledger", f"job {row['job']} at {row['role']}", near=row)
                yield violated(gone, f"job {row['job']} was accepted for {row['role']} and is not there", row)
            else:
                yield holds(row, *taken)


@clause(_KEEPS, 1)
def queues_in_admission_order(e: PoolEvidence) -> Iterator[Part]:
    """Each queue is sorted by the order of the acceptances."""
    for step in e.steps():
        order = list(step.book_after.jobs)
        for row in step.of("queue-trace"):
            places = [order.index(job) for job in row["jobs"] if job in order]
            if places != sorted(places):
                yield violated(row, f"the queue stands as {row['jobs']}, against the order of admission")
            elif len(places) > 1:
                yield holds(row)


@clause(_KEEPS, 2)
def first_of_the_role(e: PoolEvidence) -> Iterator[Part]:
    """The dispatched job is the first admitted one of all that wait for its role then."""
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "assignment-trace" or row["change"] != "dispatched":
                continue
            role = role_of(step, row["job"])
            waiting = [job for job in book.waiting() if role_of(step, job) == role]
            if waiting[:1] == [row["job"]]:
                yield holds(row)
            else:
                first = waiting[0] if waiting else "no job"
                yield violated(row, f"job {row['job']} is given out, and {first} is the first that waits for {role}")


@clause("claim-09-no-idle-beside-own-queue", 0)
@clause(_IDLE, 0)
def no_idle_beside_own_queue(e: PoolEvidence) -> Iterator[Part]:
    """An idle member has an empty queue."""
    for step in e.steps():
        shown = False
        for role in step.after.idle():
            queue = step.after.queue_of(role)
            shown = True
            if queue:
                yield violated(step.input, f"{role} is idle and job {queue[0].job} waits for it after this event")
        if shown or step.after.queue:
            yield holds(step.input)


@clause(_IDLE, 1)
def idle_are_counted(e: PoolEvidence) -> Iterator[Part]:
    """State trace and counts agree about who is idle."""
    for step in e.steps():
        for row in step.of("count-trace"):
            idle = step.after.idle()
            if row["idle"] != len(idle):
                yield violated(row, f"the counts have {row['idle']} idle members, the state trace {len(idle)}")
            elif idle:
                yield holds(row)


@clause(_QUEUES, 0)
def ordinals_rise(e: PoolEvidence) -> Iterator[Part]:
    """Along each queue every ordinal is higher than the one before."""
    for row in e.rows("queue-trace"):
        ordinals = row["ordinals"]
        if ordinals != sorted(set(ordinals)):
            yield violated(row, f"the ordinals of the queue of {row['role']} are {ordinals}")
        elif ordinals:
            yield holds(row)


@clause(_QUEUES, 1)
def queues_are_bounded(e: PoolEvidence) -> Iterator[Part]:
    """Backlog and one are the end of a queue."""
    most = e.pool.backlog + 1
    for row in e.rows("queue-trace"):
        if len(row["jobs"]) > most:
            yield violated(row, f"{len(row['jobs'])} jobs wait for {row['role']}, and {most} is the most")
        elif row["jobs"]:
            yield holds(row)
