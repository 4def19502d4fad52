"""The lives of workers, which the pool itself brings about."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, nothing, violated
from harness.verdict.pools.book import empty_first
from harness.verdict.pools.evidence import PoolEvidence, Step

READY_STEPS = ("init-ready", "begin-accepted", "worker-ready")
_HELD = ("activation-dispatched", "activating")


def births_answer_creations(e: PoolEvidence) -> Iterator[Part]:
    """Creations are observed as they leave, and no worker comes of anything else."""
    for step in e.steps():
        for row in step.lane("worker-creations"):
            if step.lane("worker-creation-observations", reservation=row["reservation"]):
                yield holds(row)
            else:
                gone = absent("action-lanes", f"the observation of creation {row['reservation']}", near=row)
                yield violated(gone, "a creation left that the pool does not observe", row)
        if step.kind == "birth-committed" and not step.is_expected:
            for row in step.of("state-trace", role=step.input["role"]):
                yield violated(row, "a birth that answers no creation changed the member", step.input)


def ready_before_jobs(e: PoolEvidence) -> Iterator[Part]:
    """Start, activation, readiness, and only then a job."""
    for step in e.steps():
        for row in step.dispatches():
            worker = step.told.workers.get(row["worker"])
            if worker is None or not worker.passed(*READY_STEPS):
                steps = () if worker is None else worker.steps
                told = ", ".join(str(each["input"]) for each in steps) or "nothing"
                yield violated(row, f"the worker has a job after {told} was told of it", *steps)
            else:
                yield holds(row, *worker.steps)


def activations_in_order(e: PoolEvidence) -> Iterator[Part]:
    """Declared order, the limit, and no waiting beside a free place."""
    for step in e.steps():
        begun = step.lane("activation-begins")
        strange = next((row for row in begun if row["role"] not in e.pool.roles), None)
        if strange is not None:
            yield violated(strange, f"an activation begins for {strange['role']}, which is no declared role")
            continue
        places = [e.pool.roles.index(row["role"]) for row in begun]
        if places != sorted(places):
            yield violated(begun[0], "activations begin out of the declared order", *begun[1:])
        if step.after.mode != "operating":
            continue
        phases = step.after.phases()
        held = [role for role in e.pool.roles if phases.get(role) in _HELD]
        waiting = [role for role in e.pool.roles if phases.get(role) == "waiting-authorization"]
        exhibit = step.after.counts or step.input
        if len(held) > e.pool.activation_limit:
            yield violated(exhibit, f"{len(held)} activations run and the limit is {e.pool.activation_limit}")
        elif waiting and len(held) < e.pool.activation_limit:
            yield violated(exhibit, f"{waiting[0]} waits while an activation could begin")
        elif begun and waiting and e.pool.roles.index(waiting[0]) < max(places):
            yield violated(begun[-1], f"{waiting[0]} was declared earlier and waits on")
        elif begun:
            yield holds(*begun)


def replacements_follow_stops(e: PoolEvidence) -> Iterator[Part]:
    """A stop, the question for a replacement, its answer, and only then a creation."""
    if not e.pool.replaces:
        yield nothing("workers of this pool are never replaced")
        return
    for step in e.steps():
        for row in step.lane("worker-preparations"):
            worker = step.told.workers.get(row["worker"])
            if worker is None or worker.stop is None:
                yield violated(row, f"a replacement is asked for, and the worker of {row['role']} has not stopped")
            else:
                yield holds(row, worker.stop)
        for row in step.lane("worker-creations"):
            if step.kind not in ("initialize", "source-prepared", "timer-elapsed") or not step.is_expected:
                yield violated(row, f"a worker of {row['role']} is made that nobody had prepared", step.input)


def stops_when_all_ended(e: PoolEvidence) -> Iterator[Part]:
    """A stopped pool has neither workers nor open creations."""
    for step in e.steps():
        for row in step.of("state-trace", role=None, to="stopped"):
            left = _left(step)
            if left is None:
                yield holds(row)
            else:
                yield violated(row, f"the pool stopped, and {left}")


def _left(step: Step) -> str | None:
    book = step.book_after
    if book.making:
        first = min(book.making, key=empty_first)
        return f"the creation {first} of {book.making[first]} was not answered"
    alive = next((each for each in book.workers.values() if each.stop is None), None)
    return None if alive is None else f"the worker of {alive.role} has not ended"


def ends_only_when_ended(e: PoolEvidence) -> Iterator[Part]:
    """As `stops_when_all_ended`; only a declared deadline cuts a drain short, and then everybody is handed over."""
    yield from stops_when_all_ended(e)
    for step in e.steps():
        for row in step.of("state-trace", role=None, to="forced-retirement"):
            unresolved = {role for role, phase in step.before.phases().items() if phase != "drained"}
            handed = {each["role"] for each in step.lane("forced-drain-transfers")}
            if e.pool.deadline is None:
                yield violated(row, "the drain was cut short, and no deadline is declared")
            elif step.before.mode == "draining" and handed != unresolved:
                left = ", ".join(map(str, sorted(unresolved ^ handed, key=empty_first)))
                yield violated(row, f"the drain was cut short, and not everybody was handed over: {left}")
            else:
                yield holds(row)
