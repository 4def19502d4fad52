"""Jobs on their way: admission, dispatch, and the three facts about an assignment in every order."""

from __future__ import annotations

from harness.models.pools.definition import Definition
from harness.run.pools.piloting import Pilot
from harness.run.pools.shapes.registry import Shapes, need_backlog, need_budget, need_roles

WORK = Shapes()


def _given(p: Pilot) -> str:
    """Every worker is ready, and the first has a job whose delivery is open."""
    p.warm()
    p.submit()
    return p.roles[0]


def _one_done(p: Pilot) -> None:
    """A job is over, and every worker is ready."""
    role = _given(p)
    p.advance(role, "busy-delivered")
    p.send(f"complete {role}")


@WORK("a job from admission to completion")
def _one_job(p: Pilot, _: Definition) -> None:
    _one_done(p)


@WORK("waiting jobs that follow each other")
def _queue(p: Pilot, d: Definition) -> None:
    p.occupied()
    p.submit(d.backlog)
    for role in (*p.roles, *p.roles):
        if p.is_in(role, "busy-awaiting-both", "busy-delivered"):
            p.advance(role, "busy-delivered")
            p.send(f"complete {role}")


@WORK("one submission more than there is room for")
def _full(p: Pilot, d: Definition) -> None:
    p.occupied()
    p.submit(d.backlog + 1)


@WORK("jobs wait before any worker is ready")
def _before_ready(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    p.begin()
    p.submit(d.backlog + 1)
    for role in p.roles:
        p.advance(role, "idle", "busy-awaiting-both")
    for role in p.roles:
        if p.is_in(role, "busy-awaiting-both"):
            p.advance(role, "busy-delivered")
            p.send(f"complete {role}")


@WORK("jobs one after the other around the ring")
def _ring(p: Pilot, _: Definition) -> None:
    p.warm()
    for role in (*p.roles, p.roles[0]):
        p.submit()
        if p.is_in(role, "busy-awaiting-both"):
            p.advance(role, "busy-delivered")
            p.send(f"complete {role}")


@WORK("a worker that is started beside a ready one, and jobs for both")
def _started_beside(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    first, second = p.roles[:2]
    p.begin()
    p.advance(first, "idle")
    p.submit()
    p.advance(second, "initializing")
    p.submit(d.backlog)
    p.send(f"advance {second}")
    p.submit()
    p.advance(first, "busy-delivered")


@WORK("a completion before the delivery's answer")
def _completion_first(p: Pilot, d: Definition) -> None:
    role = _given(p)
    p.submit(len(p.roles) - 1 + d.backlog)
    p.send(f"complete {role}", f"advance {role}")


@WORK("a completion and then a stop before the delivery's answer")
def _completion_then_stop(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.send(f"complete {role}", f"stop {role}", f"stop {role}", f"advance {role}", f"stop {role}")


@WORK("a stop before the delivery's answer")
def _stop_first(p: Pilot, d: Definition) -> None:
    role = _given(p)
    p.submit(len(p.roles) - 1 + d.backlog)
    p.send(f"stop {role}", f"stop {role}", f"advance {role}", f"stop {role}")


@WORK("a stop and then a completion before the delivery's answer")
def _stop_then_completion(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.send(f"stop {role}", f"complete {role}", f"complete {role}", f"advance {role}")


@WORK("a refused delivery")
def _refused(p: Pilot, d: Definition) -> None:
    role = _given(p)
    p.send(f"refuse {role}")
    p.settle(role)


@WORK("a refused delivery beside an idle worker")
def _refused_beside_idle(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    role = _given(p)
    p.send(f"refuse {role}")
    p.advance(p.roles[1], "busy-delivered")
    p.send(f"complete {p.roles[1]}")


@WORK("a stop and then a refused delivery")
def _stop_then_refused(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.send(f"stop {role}", f"refuse {role}")


@WORK("a completion and then a refused delivery")
def _completion_then_refused(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.submit(len(p.roles) - 1)
    p.send(f"complete {role}", f"refuse {role}")


@WORK("a stop, a completion and then a refused delivery")
def _both_then_refused(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.send(f"stop {role}", f"complete {role}", f"refuse {role}")


@WORK("a refused delivery with an authority that does not fit")
def _forged(p: Pilot, d: Definition) -> None:
    role = _given(p)
    p.send(f"forge {role}")
    p.settle(role)
    p.submit()


@WORK("a stop and then an authority that does not fit")
def _stop_then_forged(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.send(f"stop {role}", f"forge {role}")


@WORK("a stop under a running job")
def _interrupted(p: Pilot, d: Definition) -> None:
    p.occupied()
    p.submit(d.backlog)
    role = p.roles[0]
    p.send(f"stop {role}", f"stop {role}", f"complete {role}", "submit")


@WORK("a stop under a running job beside an idle worker")
def _interrupted_beside_idle(p: Pilot, _: Definition) -> None:
    need_roles(p, 2)
    role = _given(p)
    p.advance(role, "busy-delivered")
    p.send(f"stop {role}")
    p.send(f"advance {p.roles[1]}", f"complete {p.roles[1]}")


@WORK("a normal exit under a running job")
def _left(p: Pilot, _: Definition) -> None:
    role = _given(p)
    p.advance(role, "busy-delivered")
    p.send(f"leave {role}")


@WORK("jobs interrupted in the opposite order of their admission")
def _interrupted_backwards(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    p.occupied()
    p.submit(d.backlog)
    for role in p.roles:
        p.send(f"stop {role}")


@WORK("deliveries refused in the order of admission")
def _refused_in_order(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    p.warm()
    p.submit(len(p.roles))
    for role in p.roles:
        p.send(f"refuse {role}")


@WORK("a job that comes back before others that wait")
def _back_before_others(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    need_backlog(d, 1)
    p.warm()
    p.submit(len(p.roles) + d.backlog)
    for role in p.roles[1:]:
        p.advance(role, "busy-delivered")
    p.send(f"refuse {p.roles[0]}", f"complete {p.roles[1]}")
    p.advance(p.roles[1], "busy-delivered")
    p.send(f"complete {p.roles[1]}")


@WORK("a retried job that runs on a replacement")
def _retried(p: Pilot, d: Definition) -> None:
    need_budget(d)
    p.occupied()
    role = p.roles[0]
    p.send(f"stop {role}")
    p.advance(role, "idle", "busy-awaiting-both")
    if p.is_in(role, "busy-awaiting-both"):
        p.advance(role, "busy-delivered")
        p.send(f"repeat {role}", f"complete {role}")


@WORK("completions that do not fit")
def _unfit(p: Pilot, d: Definition) -> None:
    p.occupied()
    p.submit(d.backlog)
    role, other = p.roles[0], p.roles[-1]
    if other != role:
        p.send(f"cross {role}")
    p.send(f"complete {role}")
    if d.backlog == 0:
        p.submit()
    p.advance(role, "busy-delivered")
    p.send(f"repeat {role}")
    if other != role:
        p.send(f"cross {role}", f"repeat {other}")
    p.send(f"complete {role}", f"complete {role}")


@WORK("dispatch numbers that run out", dispatch=1)
def _no_dispatch_number(p: Pilot, d: Definition) -> None:
    p.warm()
    p.submit()
    p.advance(p.roles[0], "busy-delivered")
    p.send(f"complete {p.roles[0]}", "submit")


@WORK("dispatch numbers that run out beside waiting jobs", dispatch=1)
def _no_dispatch_for_waiting(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    p.begin()
    p.submit(d.backlog)
    for role in p.roles:
        p.advance(role, "idle", "busy-awaiting-both")
    if d.backlog < 2:
        p.submit()


@WORK("dispatch numbers that run out for a refused delivery", dispatch=1)
def _no_dispatch_for_retried(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    _given(p)
    p.send(f"refuse {p.roles[0]}")


@WORK("job numbers that run out", job=1)
def _no_job_number(p: Pilot, _: Definition) -> None:
    _one_done(p)
    p.submit()


@WORK("a dispatch number that is taken", taken={"dispatch": 2})
def _taken_dispatch_number(p: Pilot, _: Definition) -> None:
    _one_done(p)
    p.submit(2)


@WORK("a dispatch number that is taken for a refused delivery", taken={"dispatch": 2})
def _taken_dispatch_for_retried(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    _given(p)
    p.send(f"refuse {p.roles[0]}")
    p.submit()


@WORK("a job number that is taken", taken={"job": 2})
def _taken_job_number(p: Pilot, _: Definition) -> None:
    _one_done(p)
    p.submit(2)
