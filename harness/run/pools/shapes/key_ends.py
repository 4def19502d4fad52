"""Roles with bindings and waiting jobs: stops, losses, and the end of the pool."""

from __future__ import annotations

from harness.models.pools.definition import Definition
from harness.run.pools.piloting import NotConstructibleError, Pilot
from harness.run.pools.shapes.keys import key_of
from harness.run.pools.shapes.registry import (
    Shapes,
    need_backlog,
    need_budget,
    need_deadline,
    need_delay,
    need_recovery,
    need_roles,
    replaces,
)
from harness.run.pools.shapes.workers import lose

KEY_ENDS = Shapes()


@KEY_ENDS("jobs of one role that come back in order")
def _back_in_order(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 1))
    p.advance(role, "busy-delivered")
    p.send(f"stop {role}", f"submit {key}")
    if d.recovery is not None and replaces(d) and d.recovery.budget.restarts:
        p.advance(role, "idle", "busy-awaiting-both")


@KEY_ENDS("a refused delivery before jobs that wait")
def _refused_before_others(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 1), f"refuse {role}", f"submit {key}")
    p.settle(role)


@KEY_ENDS("a refused job beside a worker that gets ready")
def _refused_beside_ready(p: Pilot, _: Definition) -> None:
    need_roles(p, 2)
    first, second = p.roles[:2]
    p.begin()
    p.advance(first, "idle")
    p.send(f"submit {key_of(p, first)}", f"refuse {first}")
    p.advance(second, "idle")


@KEY_ENDS("jobs for a role whose worker is being replaced")
def _while_recovering(p: Pilot, d: Definition) -> None:
    need_budget(d)
    need_backlog(d, 1)
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}")
    p.advance(role, "busy-delivered")
    p.send(f"complete {role}", f"stop {role}", f"submit {key}", f"rebalance {key} {role}", f"submit {key}")
    p.advance(role, "busy-awaiting-both")


@KEY_ENDS("two workers that are to be replaced at once")
def _one_source(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    need_roles(p, 2)
    p.warm()
    p.send(*(f"stop {role}" for role in reversed(p.roles)))
    for role in reversed(p.roles):
        if p.view.mode == "operating":
            p.send(f"advance {role}")


@KEY_ENDS("a role with bindings and waiting jobs that is lost")
def _lost(p: Pilot, d: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 1), f"rebalance {key} {role}")
    lose(p, role)
    p.send(f"submit {key}", f"rebalance {key} {role}")


@KEY_ENDS("a role with bindings and waiting jobs that is lost by a normal exit")
def _left(p: Pilot, d: Definition) -> None:
    if d.recovery is not None and d.recovery.eligibility == "permanent":
        raise NotConstructibleError("a worker of this pool that exits is replaced")
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(*(f"submit {key}",) * (d.backlog + 1))
    p.advance(role, "busy-delivered")
    p.send(f"leave {role}", f"submit {key}", f"rebalance {key} {role}", f"unbind {key}")


@KEY_ENDS("a role that is lost before its worker was born, with jobs that wait")
def _unborn(p: Pilot, d: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.begin()
    p.send(*(f"submit {key}",) * d.backlog, f"rebalance {key} {role}", f"refuse {role}", f"submit {key}")


@KEY_ENDS("dispatch numbers that run out for jobs that wait", dispatch=1)
def _no_dispatch(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}", f"submit {key}")
    p.advance(role, "busy-delivered")
    p.send(f"complete {role}", f"submit {key}")


@KEY_ENDS("dispatch numbers that run out for a retried job", dispatch=1)
def _no_dispatch_retried(p: Pilot, d: Definition) -> None:
    need_budget(d)
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}")
    p.advance(role, "busy-delivered")
    p.send(f"stop {role}")
    p.advance(role, "idle")


@KEY_ENDS("a start that is not needed any more")
def _unused_start(p: Pilot, _: Definition) -> None:
    role = p.roles[0]
    p.begin()
    p.advance(role, "initializing")
    p.send("shutdown", f"advance {role}", f"advance {role}")
    p.end()


# -- the end -------------------------------------------------------------------------------------------------------


@KEY_ENDS("shutdown before the pool begins")
def _shut_unbegun(p: Pilot, d: Definition) -> None:
    key = key_of(p, p.roles[0])
    p.send(f"submit {key}", f"rebalance {key} {p.roles[0]}", "shutdown", f"submit {key}")


@KEY_ENDS("shutdown with bindings and jobs of every role")
def _shut_bound(p: Pilot, d: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.occupied()
    p.send("submit", "submit", "shutdown", f"rebalance {key} {role}", f"unbind {key}", f"submit {key}", "shutdown")
    p.end()


@KEY_ENDS("shutdown with one running job")
def _shut_one(p: Pilot, _: Definition) -> None:
    key, role = key_of(p, p.roles[0]), p.roles[0]
    p.warm()
    p.send(f"submit {key}")
    p.advance(role, "busy-delivered")
    p.send("shutdown", f"complete {role}", f"unbind {key}")
    p.end()


@KEY_ENDS("shutdown while a replacement waits for its timer")
def _shut_candidate(p: Pilot, d: Definition) -> None:
    need_delay(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}", *(f"advance {role}",) * 2, "shutdown")
    p.end()


@KEY_ENDS("shutdown while a worker waits for its activation")
def _shut_plan(p: Pilot, d: Definition) -> None:
    need_roles(p, d.activation_limit + 1)
    p.begin()
    for role in p.roles:
        p.send(f"advance {role}", f"advance {role}")
    p.send("shutdown")
    p.end()


@KEY_ENDS("a worker that stops while it waits for its activation")
def _stop_plan(p: Pilot, d: Definition) -> None:
    need_roles(p, d.activation_limit + 1)
    p.begin()
    for role in p.roles:
        p.send(f"advance {role}", f"advance {role}")
    p.send(f"stop {p.roles[-1]}")


@KEY_ENDS("a drain with bindings that is cut short")
def _cut_short(p: Pilot, d: Definition) -> None:
    need_deadline(d)
    p.occupied()
    p.send("shutdown", "advance deadline", "advance deadline", "submit")
