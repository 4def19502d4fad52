"""The end of a pool: jobs go back once, nothing begins any more, workers are asked to end."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence, Step

CLOSED = "pool-shutdown"
OPEN = ("constructed", "operating")
ASSIGNMENTS = ("worker-assignments", "role-assignments")
BEGINS = (*ASSIGNMENTS, "worker-preparations", "worker-creations", "restart-schedules", "activation-begins")


def closings(e: PoolEvidence) -> Iterator[Step]:
    """The events in which an open pool closes."""
    for step in e.steps():
        if step.before.mode in OPEN and step.after.mode not in OPEN:
            yield step


def returns_everything(e: PoolEvidence) -> Iterator[Part]:
    """Waiting jobs in their order, then running ones in the order of roles; nothing is kept."""
    for step in closings(e):
        kept = step.book_after.owed()
        if kept:
            yield violated(step.input, f"the pool is closed and job {kept[0]} went back to nobody")
        if step.kind != "shutdown":
            continue
        queues = (step.before.queues.get(role, ()) for role in (None, *e.pool.roles))
        queued = [each.job for queue in queues for each in queue]
        by_role = {each.role: each.job for each in step.before.holdings if each.holder == "worker"}
        assigned = [by_role[role] for role in e.pool.roles if role in by_role]
        wanted = [("returned-queued", job) for job in queued] + [("returned-assigned", job) for job in assigned]
        ends = step.outcomes()
        if [(row["outcome"], row["job"]) for row in ends] != wanted or any(row["reason"] != CLOSED for row in ends):
            told = ", ".join(str(row["job"]) for row in ends) or "none"
            due = ", ".join(str(job) for _, job in wanted) or "none"
            yield violated(
                ends[0] if ends else step.input, f"the jobs {due} were to go back, and {told} did", *ends[1:]
            )
        elif ends:
            yield holds(step.input, *ends)


def refuses_when_closed(e: PoolEvidence) -> Iterator[Part]:
    """A submission to a closed pool goes straight back."""
    for step in e.steps("submit"):
        if step.before.mode != "draining":
            continue
        for row in step.of("admission-outcomes"):
            given_back = row["payload"] == step.input["payload"]
            if (row["outcome"], row["reason"]) == ("rejected", "shutting-down") and given_back:
                yield holds(step.input, row)
            else:
                yield violated(row, "the pool is closed, and the submission is not simply given back", step.input)


def begins_nothing(e: PoolEvidence) -> Iterator[Part]:
    """Nothing is dispatched, retried, recovered or made once the pool has closed."""
    for step in e.steps():
        if step.after.mode in ("constructed", "operating"):
            continue
        lanes = BEGINS if step.before.mode == "draining" else (*ASSIGNMENTS, "restart-schedules")
        begun = [row for row in step.of("action-lanes") if row["lane"] in lanes]
        again = step.of("ownership-ledger", change="takes")
        for row in (*begun, *again):
            yield violated(row, "the pool is closed and begins something", step.input)
        if not begun and not again and step.before.mode == "draining":
            yield holds(step.input)


def asks_once(e: PoolEvidence) -> Iterator[Part]:
    """Each worker that is there is asked once, at the closing or as soon as it is there."""
    asked: dict[tuple[int, int], LogRow] = {}
    for step in e.steps():
        requests = step.lane("worker-shutdowns")
        for row in requests:
            first = asked.setdefault((row.world, row["worker"]), row)
            if first is not row:
                yield violated(row, f"the worker of {row['role']} is asked to end a second time", first)
        due = _due(step)
        for role, child in due:
            mine = [row for row in requests if row["worker"] == child]
            if mine:
                yield holds(step.input, mine[0])
            else:
                gone = absent("action-lanes", f"the request to the worker of {role} to end", near=step.input)
                yield violated(gone, f"the pool is closed and the worker of {role} is not asked to end", step.input)


def _due(step: Step) -> list[tuple[str, int]]:
    """The workers that this event has to ask: all at the closing, one that is born into a closed pool."""
    closing = step.before.mode == "operating" and step.after.mode != "operating"
    born = step.before.mode == "draining" and step.kind == "birth-committed" and step.is_expected
    found = step.told.workers.values()
    if born:
        found = [each for each in found if each.child == step.input["worker"]]  # type: ignore[assignment]  # some of them
    elif not closing:
        return []
    return [(each.role, each.child) for each in found if each.stop is None and not each.asked]
