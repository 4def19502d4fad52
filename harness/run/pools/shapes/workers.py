"""Births, starts, activations, stops and replacements, without regard to jobs."""

from __future__ import annotations

from harness.models.pools.definition import Definition
from harness.run.pools.piloting import NotConstructibleError, NotReachedError, Pilot
from harness.run.pools.shapes.registry import (
    Shapes,
    need_budget,
    need_delay,
    need_recovery,
    need_roles,
)

WORKERS = Shapes()


@WORKERS("every worker becomes ready")
def _ready(p: Pilot, _: Definition) -> None:
    p.warm()


@WORKERS("starts that are all ready before any activation ends")
def _starts(p: Pilot, d: Definition) -> None:
    p.begin()
    for role in reversed(p.roles):
        p.advance(role, "initializing")
    for role in reversed(p.roles):
        p.send(f"advance {role}")
    for _ in range(len(p.roles)):
        for role in p.roles:
            if p.is_in(role, "activation-dispatched", "activating"):
                p.advance(role, "idle")


@WORKERS("a birth that is refused")
def _birth_refused(p: Pilot, _: Definition) -> None:
    p.begin()
    p.send(f"refuse {p.roles[0]}")


@WORKERS("a start that is refused")
def _start_refused(p: Pilot, _: Definition) -> None:
    p.begin()
    p.advance(p.roles[0], "initializing")
    p.send(f"refuse {p.roles[0]}")
    p.settle(p.roles[0])


@WORKERS("an activation that is refused")
def _activation_refused(p: Pilot, _: Definition) -> None:
    p.begin()
    p.advance(p.roles[0], "activation-dispatched")
    for role in p.roles[1:]:
        p.send(f"advance {role}", f"advance {role}")
    p.send(f"refuse {p.roles[0]}")
    p.settle(p.roles[0])


@WORKERS("a stop before the birth is known, then the birth")
def _early_stop(p: Pilot, _: Definition) -> None:
    role = p.roles[0]
    p.begin()
    p.send(f"stop {role}", f"stop {role}", f"advance {role}", f"advance {role}")


@WORKERS("a stop before the birth is known, then its refusal")
def _never_born(p: Pilot, _: Definition) -> None:
    role = p.roles[0]
    p.begin()
    p.send(f"stop {role}", f"refuse {role}")


@WORKERS("a stop on the way to readiness")
def _stops_on_the_way(p: Pilot, _: Definition) -> None:
    role = p.roles[0]
    p.begin()
    p.advance(role, "activating")
    p.send(f"stop {role}", f"advance {role}")


@WORKERS("an idle worker that stops and is replaced")
def _replaced(p: Pilot, d: Definition) -> None:
    need_budget(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}", f"stop {role}")
    p.advance(role, "creating")
    p.send(f"stop {role}")
    p.send(f"advance {role}", f"advance {role}")


@WORKERS("a replacement that becomes ready and works")
def _replacement_works(p: Pilot, d: Definition) -> None:
    need_budget(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}")
    p.advance(role, "idle")
    p.submit(len(p.roles))
    p.advance(role, "busy-delivered")
    p.send(f"complete {role}", f"repeat {role}")


@WORKERS("normal exits of every worker")
def _normal_exits(p: Pilot, _: Definition) -> None:
    p.warm()
    p.send(*(f"leave {role}" for role in p.roles), "submit")


@WORKERS("a source that gives no replacement")
def _no_source(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}", f"refuse {role}")
    p.submit()


@WORKERS("a replacement whose birth is refused")
def _replacement_refused(p: Pilot, d: Definition) -> None:
    need_budget(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}")
    p.advance(role, "creating")
    p.send(f"refuse {role}")


@WORKERS("more stops than the restart budget has")
def _budget(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    role = p.roles[0]
    p.warm()
    for _ in range((d.recovery.budget.restarts if d.recovery is not None else 0) + 1):
        if not p.is_in(role, "idle"):
            break
        p.send(f"stop {role}")
        p.send(f"advance {role}")
        if p.is_in(role, "retired") or p.view.mode != "operating":
            return
        p.advance(role, "idle")
    raise NotReachedError("the restart budget was not used up")


@WORKERS("a restart timer that is refused")
def _schedule_refused(p: Pilot, d: Definition) -> None:
    need_delay(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}", f"advance {role}", f"refuse {role}")


@WORKERS("a restart timer that is taken and goes off")
def _timer(p: Pilot, d: Definition) -> None:
    need_delay(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop {role}", f"advance {role}", f"advance {role}", f"stop {role}", f"advance {role}")


@WORKERS("one role lost while another works on")
def _one_lost(p: Pilot, d: Definition) -> None:
    need_roles(p, 2)
    p.occupied()
    p.submit(d.backlog)
    lose(p, p.roles[0])
    if p.view.mode != "operating":
        return
    p.send(f"complete {p.roles[1]}", "submit", f"advance {p.roles[1]}", f"complete {p.roles[1]}", "submit")
    p.send("shutdown")


@WORKERS("activation numbers that run out", ticket=1)
def _no_ticket(p: Pilot, _: Definition) -> None:
    need_roles(p, 2)
    p.begin()
    for role in p.roles[:2]:
        p.send(*(f"advance {role}",) * 4)
    p.submit()


@WORKERS("recovery numbers that run out", recovery=0)
def _no_recovery_number(p: Pilot, d: Definition) -> None:
    need_budget(d)
    p.warm()
    p.send(f"stop {p.roles[0]}", f"advance {p.roles[0]}", "submit")


def lose(p: Pilot, role: str) -> None:
    """A role retires, or takes the pool along, by its worker's stop; NotConstructibleError where it always recovers."""
    if p.is_in(role, "busy-awaiting-both", "busy-completion-first"):
        p.advance(role, "busy-delivered", "idle")
    p.send(f"stop {role}")
    for _ in range(6):
        if p.is_in(role, "retired") or p.view.mode != "operating":
            return
        p.send(f"refuse {role}" if p.is_in(role, "recovering-preparing") else f"advance {role}")
    raise NotConstructibleError(f"{role} could not be lost")
