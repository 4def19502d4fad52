"""A cast for tests: worker N of role N, with the facts it tells."""

from __future__ import annotations

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import Allocator, BirthId, DispatchId, GenerationId
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.state import Operating
from harness.models.pools.values import AssignedJob, Authority, Evidence, Stop, Worker
from tests.models.pools.keyed import _keyed as p

KEPT = Binding("a1", GenerationId(1), "a")
KEPT_B = Binding("b1", GenerationId(2), "b")


def worker(role: int) -> Worker:
    return Worker(BirthId(role + 1), BirthId(role + 1))


def idle(role: int) -> m.Idle:
    return m.Idle(role, worker(role))


def busy(role: int, number: int, join: m.Join | None = None) -> m.Busy:
    owed = p.owed(number, "abc"[role])
    job = AssignedJob(owed, DispatchId(number), DispatchId(number), worker(role), role)
    return m.Busy(role, worker(role), job, join or m.Delivered())


def stopped(role: int, at: int = 10, abnormal: bool = True) -> f.WorkerStopped:
    return f.WorkerStopped(role, Stop(worker(role), abnormal, at))


def completed(role: int, number: int) -> f.WorkerCompleted:
    authority = Authority(DispatchId(number), worker(role).evidence)
    return f.WorkerCompleted(worker(role).child, Evidence(DispatchId(number), authority, "done"))


def refused(role: int, number: int) -> f.DeliveryRejected:
    authority = Authority(DispatchId(number), worker(role).evidence)
    return f.DeliveryRejected(role, worker(role).child, DispatchId(number), authority, "refused")


def exhausted(state: Operating, **kinds: type) -> Operating:
    """The same pool with nothing left to issue of these kinds."""
    spent = {kind: Allocator(issued(9), 8) for kind, issued in kinds.items()}
    return state._replace(allocators=state.allocators._replace(**spent))


def sought(role: int) -> m.Recovering:
    return m.Recovering(role, worker(role), Stop(worker(role), True, 10), m.Preparing())


def prepared(role: int) -> f.SourcePrepared:
    return f.SourcePrepared(role, worker(role), "replacement")
