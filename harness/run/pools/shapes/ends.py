"""How a pool ends: lost roles, shutdown from everywhere, the drain and its limit."""

from __future__ import annotations

from harness.models.pools.definition import Definition
from harness.run.pools.piloting import NotConstructibleError, Pilot
from harness.run.pools.shapes.registry import (
    Shapes,
    need_backlog,
    need_budget,
    need_deadline,
    need_delay,
    need_lone_retirement,
    need_recovery,
    need_roles,
)
from harness.run.pools.shapes.workers import lose

ENDS = Shapes()

#: The shapes of drains that get no number for their timer.
NO_DEADLINE = ("drain timers that have no number", "a drain timer whose number is taken")


@ENDS("every role is lost while jobs wait")
def _all_lost(p: Pilot, d: Definition) -> None:
    need_lone_retirement(d)
    p.occupied()
    p.submit(d.backlog)
    for role in p.roles:
        lose(p, role)
    p.submit()


@ENDS("every role is lost by normal exits while jobs wait")
def _all_left(p: Pilot, d: Definition) -> None:
    need_lone_retirement_by_exit(d)
    p.occupied()
    p.submit(d.backlog)
    p.send(*(f"leave {role}" for role in p.roles))
    p.submit()


def need_lone_retirement_by_exit(definition: Definition) -> None:
    """A role that retires by a normal exit."""
    if definition.recovery is not None and definition.recovery.eligibility == "permanent":
        need_lone_retirement(definition)


@ENDS("births refused while a job waits")
def _unborn(p: Pilot, d: Definition) -> None:
    need_backlog(d, 1)
    p.begin()
    p.submit(d.backlog)
    for role in p.roles:
        p.send(f"refuse {role}")
    p.submit()


@ENDS("shutdown with running and waiting jobs")
def _shutdown_full(p: Pilot, d: Definition) -> None:
    p.occupied()
    p.submit(d.backlog)
    p.send("shutdown", "submit", "shutdown")
    p.send(*(f"complete {role}" for role in p.roles))
    p.end()
    p.send("submit", "shutdown", f"advance {p.roles[0]}")


@ENDS("shutdown with deliveries whose answers are open")
def _shutdown_open(p: Pilot, _: Definition) -> None:
    p.warm()
    p.submit(len(p.roles))
    p.send("shutdown")
    p.send(*(f"advance {role}" for role in p.roles), *(f"advance {role}" for role in p.roles))
    p.end()


@ENDS("shutdown with a completion and a stop that are kept")
def _shutdown_kept(p: Pilot, _: Definition) -> None:
    p.warm()
    p.submit(len(p.roles))
    p.send(f"complete {p.roles[0]}", f"stop {p.roles[-1]}", "shutdown")
    p.end()


@ENDS("shutdown before any worker is born")
def _shutdown_unborn(p: Pilot, _: Definition) -> None:
    p.begin()
    p.send("shutdown", *(f"advance {role}" for role in p.roles))
    p.end()


@ENDS("shutdown with one ready worker and others being born")
def _shutdown_half_born(p: Pilot, d: Definition) -> None:
    p.begin()
    p.advance(p.roles[0], "idle")
    p.send("shutdown", f"stop {p.roles[0]}")
    if p.view.mode == "draining":
        p.send(*(f"advance {role}" for role in p.roles[1:]))
    p.end()


@ENDS("shutdown, and a birth that is refused")
def _shutdown_birth_refused(p: Pilot, _: Definition) -> None:
    p.begin()
    p.send("shutdown", *(f"refuse {role}" for role in p.roles))


@ENDS("shutdown, and a stop before the birth is known")
def _shutdown_early_stop(p: Pilot, _: Definition) -> None:
    p.begin()
    p.send("shutdown", *(f"stop {role}" for role in p.roles), *(f"advance {role}" for role in p.roles))


@ENDS("shutdown in the midst of starts and activations")
def _shutdown_starting(p: Pilot, _: Definition) -> None:
    p.begin()
    for place, role in enumerate(p.roles):
        p.send(*(f"advance {role}",) * (3 if place == 0 else 2))
    p.send("shutdown", *(f"advance {role}" for role in p.roles))
    p.end()


@ENDS("shutdown while a replacement is asked for")
def _shutdown_preparing(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    p.warm()
    p.send(f"stop {p.roles[0]}", "shutdown", f"advance {p.roles[0]}")
    p.end()


@ENDS("shutdown while a restart timer is asked for")
def _shutdown_scheduling(p: Pilot, d: Definition) -> None:
    need_delay(d)
    p.warm()
    p.send(f"stop {p.roles[0]}", f"advance {p.roles[0]}", "shutdown", f"advance {p.roles[0]}")
    p.end()


@ENDS("shutdown while a restart timer runs")
def _shutdown_timer(p: Pilot, d: Definition) -> None:
    need_delay(d)
    p.warm()
    p.send(f"stop {p.roles[0]}", *(f"advance {p.roles[0]}",) * 2, "shutdown", f"advance {p.roles[0]}")
    p.end()


@ENDS("shutdown while a worker is in quarantine")
def _shutdown_quarantine(p: Pilot, _: Definition) -> None:
    p.warm()
    p.submit()
    p.send(f"refuse {p.roles[0]}", "shutdown")
    p.end()


@ENDS("shutdown while a replacement is being born")
def _shutdown_replacement(p: Pilot, d: Definition) -> None:
    need_budget(d)
    p.warm()
    p.send(f"stop {p.roles[0]}")
    p.advance(p.roles[0], "creating")
    p.send("shutdown", f"advance {p.roles[0]}")
    p.end()


@ENDS("a lost role that ends the pool")
def _ends_pool(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    if d.recovery is not None and d.recovery.failure != "stop-pool":
        raise NotConstructibleError("in this pool a lost role retires alone")
    p.occupied()
    p.submit(d.backlog)
    lose(p, p.roles[0])
    p.end()


@ENDS("a waiting retry at shutdown")
def _shutdown_retry(p: Pilot, d: Definition) -> None:
    need_roles(p, 1)
    p.occupied()
    p.send(*(f"stop {role}" for role in p.roles), "shutdown")


@ENDS("a drain whose deadline comes")
def _deadline(p: Pilot, d: Definition) -> None:
    need_deadline(d)
    p.occupied()
    p.send("shutdown", "advance deadline", f"leave {p.roles[0]}", "advance deadline", "submit", f"leave {p.roles[-1]}")


@ENDS("a drain that is over before its deadline")
def _before_deadline(p: Pilot, d: Definition) -> None:
    need_deadline(d)
    p.warm()
    p.send("shutdown", "advance deadline")
    p.end()
    p.send("advance deadline")


@ENDS("a drain timer that is refused")
def _deadline_refused(p: Pilot, d: Definition) -> None:
    need_deadline(d)
    p.warm()
    p.send("shutdown", "refuse deadline", "submit")


@ENDS("drain timers that have no number", timer=0)
def _no_deadline_number(p: Pilot, d: Definition) -> None:
    need_deadline(d)
    p.warm()
    p.send("shutdown", "submit")


@ENDS("a drain timer whose number is taken", taken={"timer": 1})
def _taken_deadline_number(p: Pilot, d: Definition) -> None:
    need_deadline(d)
    p.warm()
    p.send("shutdown", "submit")


@ENDS("shutdown, and a worker that stops as the answer to its start")
def _shutdown_quits(p: Pilot, _: Definition) -> None:
    p.begin()
    for role in p.roles:
        p.advance(role, "initializing")
    p.send("shutdown", *(f"quit {role}" for role in p.roles))
    p.end()


@ENDS("shutdown, and a worker source that gives up")
def _shutdown_gives_up(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    p.warm()
    p.send(f"stop {p.roles[0]}", "shutdown", f"partial {p.roles[0]}")
    p.end()


@ENDS("facts that nobody awaits")
def _unawaited(p: Pilot, d: Definition) -> None:
    p.warm()
    for role in p.roles:
        p.send(f"advance {role}", f"refuse {role}", f"complete {role}", f"forge {role}")
        p.send(f"quit {role}", f"partial {role}")
    if d.deadline is not None:
        p.send("advance deadline", "refuse deadline")
    p.send("shutdown", "submit", f"complete {p.roles[0]}")
