"""Two limits: how many keys are bound, and how many jobs wait for a role. What each role is good for."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, nothing, violated
from harness.verdict.pools import bindings as b
from harness.verdict.pools.bindings import key_steps, open_steps
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.keyed import clause

_BOUNDS = "claim-05-two-bounds"
_APART = "claim-07-roles-do-not-borrow"
_TOTAL = "claim-08-total-eligibility"

#: Refusals that come before the role's phase is looked at.
_EARLIER = (
    "unknown-selected-role",
    "binding-capacity-reached",
    "binding-generation-unavailable",
    "no-recoverable-workers",
)
#: Refusals of a job that its role would have taken.
_NUMBERS = ("job-correlation-unavailable", "assignment-correlation-unavailable")


@clause(_BOUNDS, 0)
def table_is_bounded(e: PoolEvidence) -> Iterator[Part]:
    """No more keys than the capacity."""
    most = e.pool.binding_capacity or 0
    for each in key_steps(e):
        rows = each.changes
        if len(each.after) > most:
            exhibit = rows[-1] if rows else each.step.input
            yield violated(exhibit, f"{len(each.after)} keys are bound, and {most} is the most there may be")
        elif rows:
            yield holds(*rows)


@clause(_BOUNDS, 1)
def refused_when_full(e: PoolEvidence) -> Iterator[Part]:
    """binding-capacity-reached means a full table and a key that isn't in it."""
    most = e.pool.binding_capacity or 0
    for each in open_steps(e, "submit"):
        for row in each.step.of("admission-outcomes", reason="binding-capacity-reached"):
            if each.bound is not None:
                yield violated(row, f"{each.key} is bound already", each.bound)
            elif len(each.before) < most:
                yield violated(row, f"{len(each.before)} of {most} keys are bound, and there is no room for one")
            else:
                yield holds(row)


@clause(_BOUNDS, 2)
def joins_within(e: PoolEvidence) -> Iterator[Part]:
    """A new job that waits found room at its role."""
    for step in e.steps("submit"):
        for row in step.of("admission-outcomes", outcome="accepted"):
            for taken in step.of("ownership-ledger", change="takes", job=row["job"], holder="queue"):
                waiting = len(step.before.queue_of(taken["role"]))
                if waiting < e.pool.backlog:
                    yield holds(row, taken)
                else:
                    yield violated(row, f"a new job waits, and {waiting} of {e.pool.backlog} waited before", taken)


@clause(_BOUNDS, 3)
@clause(_TOTAL, 0)
def straight_to_idle(e: PoolEvidence) -> Iterator[Part]:
    """Beside an idle worker of its own role nothing waits, whatever the backlog."""
    for each in open_steps(e, "submit"):
        step, role = each.step, each.role
        if role is None or b.eligibility(step.before, role) != b.IDLE:
            continue
        for row in step.of("admission-outcomes"):
            if row["outcome"] == "accepted" and not step.dispatches(job=row["job"], role=role):
                gone = absent("assignment-trace", f"the dispatch of job {row['job']}", near=row)
                yield violated(gone, f"job {row['job']} was accepted, {role} is idle and does not get it", row)
            elif row["reason"] is not None and row["reason"] not in (*_EARLIER, *_NUMBERS):
                yield violated(row, f"refused for {row['reason']}, and {role} is idle")
            else:
                yield holds(row, *step.dispatches())


@clause(_TOTAL, 1)
def others_let_wait(e: PoolEvidence) -> Iterator[Part]:
    """A role that has or will have a worker takes jobs into its queue while there is room."""
    for each in open_steps(e, "submit"):
        step, role = each.step, each.role
        if role not in e.pool.roles or b.eligibility(step.before, str(role)) != b.WAITS:
            continue
        full = len(step.before.queue_of(role)) >= e.pool.backlog
        phase = step.before.phase(role) or step.before.mode
        for row in step.of("admission-outcomes"):
            told = row["reason"] or "accepted"
            if told in (*_EARLIER, *_NUMBERS):
                continue
            if told == ("role-backlog-full" if full else "accepted"):
                yield holds(row)
            else:
                room = "has no" if full else "has"
                yield violated(row, f"{role} is {phase} and {room} room, and the answer is {told}")


@clause(_TOTAL, 2)
def unavailable_refuse(e: PoolEvidence) -> Iterator[Part]:
    """A role that nothing can be given to says so."""
    for each in open_steps(e, "submit"):
        step, role = each.step, each.role
        if role not in e.pool.roles or b.eligibility(step.before, str(role)) != b.UNAVAILABLE:
            continue
        for row in step.of("admission-outcomes"):
            told = row["reason"] or "accepted"
            if told == "role-unavailable" or told in _EARLIER:
                yield holds(row)
            else:
                yield violated(row, f"{role} is {step.before.phase(role)}, and the answer is {told}")


@clause(_TOTAL, 3)
def bindable(e: PoolEvidence) -> Iterator[Part]:
    """A key can be bound to every role but an unavailable one."""
    for each in open_steps(e, "rebalance"):
        step, target = each.step, each.step.input["target"]
        if not each.is_met or target not in e.pool.roles:
            continue
        closed = b.eligibility(step.before, target) == b.UNAVAILABLE
        for row in step.of("management-outcomes"):
            if (row["reason"] == "target-unavailable") == closed:
                yield holds(step.input, row)
            else:
                phase = step.before.phase(target) or step.before.mode
                yield violated(row, f"{target} is {phase}, and the answer is {row['reason'] or row['outcome']}")


@clause(_APART, 0)
def own_jobs_only(e: PoolEvidence) -> Iterator[Part]:
    """The role of a dispatch is the role of the job."""
    for step in e.steps():
        for row in step.dispatches():
            role = b.role_of(step, row["job"])
            if role == row["role"]:
                yield holds(row)
            else:
                yield violated(row, f"job {row['job']} is of {role}, and {row['role']} gets it")


@clause(_BOUNDS, 4)
@clause(_APART, 1)
def own_room_only(e: PoolEvidence) -> Iterator[Part]:
    """role-backlog-full is about one queue."""
    for each in open_steps(e, "submit"):
        step, role = each.step, each.role
        for row in step.of("admission-outcomes", reason="role-backlog-full"):
            waiting = len(step.before.queue_of(role))
            if waiting < e.pool.backlog:
                yield violated(row, f"{waiting} of {e.pool.backlog} jobs wait for {role}, and there is no room for one")
            elif step.before.phase(role) == "idle":
                yield violated(row, f"{role} is idle, and its queue is called full")
            else:
                yield holds(row)


@clause(_APART, 2)
def other_queues_stay(e: PoolEvidence) -> Iterator[Part]:
    """What happens to one role moves no job of another."""
    if len(e.pool.roles) == 1:
        yield nothing("this pool has one role")
    for each in key_steps(e):
        step = each.step
        role = _about(each)
        if role is None or step.before.mode not in b.OPEN or step.after.mode not in b.OPEN:
            continue
        for row in step.of("queue-trace"):
            if row["role"] == role:
                yield holds(step.input, row)
            else:
                yield violated(row, f"{step.kind} is about {role}, and the queue of {row['role']} changes", step.input)


def _about(each: b.KeyStep) -> str | None:
    step = each.step
    if step.kind == "submit":
        return each.role
    if step.input["role"] is not None:
        return str(step.input["role"])
    worker = step.book.workers.get(step.input["worker"])
    return None if worker is None else worker.role
