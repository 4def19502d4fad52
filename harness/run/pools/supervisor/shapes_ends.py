"""How a supervisor ends: shutdown from everywhere, the drain and its limit."""

from __future__ import annotations

from harness.run.pools.supervisor.piloting import (
    SupervisorPilot,
    need_deadline,
    need_delay,
    need_room,
    restarts_of,
    shows,
)


@shows("shutdown with every role online")
def _online(p: SupervisorPilot) -> None:
    p.warm()
    p.send("shutdown", "status", f"capability {p.first}", "shutdown")
    p.good(p.first)
    p.send(f"call {p.first}")
    p.finish()
    p.send("status", "shutdown", f"exit {p.first}")


@shows("shutdown before any proxy is there")
def _unborn(p: SupervisorPilot) -> None:
    p.begin()
    p.send("shutdown", "status")
    p.finish()


@shows("shutdown, and births that are refused")
def _unborn_refused(p: SupervisorPilot) -> None:
    p.begin()
    p.send("shutdown", *(f"refuse {role}" for role in p.roles))


@shows("shutdown after an exit whose birth is not answered")
def _early_exit(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"exit {p.first}", "shutdown", f"advance {p.first}")


@shows("shutdown, an exit before the birth is answered, and its refusal")
def _exit_in_drain(p: SupervisorPilot) -> None:
    p.begin()
    p.send("shutdown", f"exit {p.first}", f"refuse {p.first}")


@shows("shutdown in the midst of starts")
def _starting(p: SupervisorPilot) -> None:
    p.begin()
    for role in p.roles:
        p.send(f"advance {role}")
    p.send("shutdown", "status")
    p.good(p.first, 2)
    p.finish()


@shows("shutdown, and a first operation that is refused")
def _start_refused(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", "shutdown", f"refuse {p.first}")


@shows("shutdown, and a first worker that fails")
def _start_failed(p: SupervisorPilot) -> None:
    p.begin()
    p.send(*(f"advance {p.first}",) * 2, "shutdown", f"refuse {p.first}")


@shows("shutdown, and a request to end that is refused")
def _told_refused(p: SupervisorPilot) -> None:
    p.warm()
    p.send("shutdown", f"refuse {p.first}", "status", f"exit {p.first}")


@shows("shutdown with an empty role")
def _empty(p: SupervisorPilot) -> None:
    p.warm()
    p.send(f"leave {p.first}", "shutdown", f"stop {p.first}")
    if p.view.mode == "draining":
        p.finish()


@shows("shutdown with a role that ends already")
def _stopping(p: SupervisorPilot) -> None:
    p.begin()
    p.send(*(f"advance {p.first}",) * 2, f"refuse {p.first}", "shutdown")
    if p.view.mode == "draining":
        p.finish()


@shows("shutdown while workers are prepared")
def _preparing(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", "shutdown", "advance recovery")
    p.finish()


@shows("shutdown while workers are prepared, and a source that refuses")
def _preparing_refused(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", "shutdown", "refuse recovery")


@shows("shutdown while a restart timer is asked for")
def _scheduling(p: SupervisorPilot) -> None:
    need_delay(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.send("shutdown", "advance recovery", "advance recovery", "advance recovery")


@shows("shutdown while a restart timer runs")
def _timed(p: SupervisorPilot) -> None:
    need_delay(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.send("advance recovery", "shutdown", "advance recovery", "status")
    p.finish()


@shows("shutdown with replacements on their way")
def _replacing(p: SupervisorPilot) -> None:
    need_room(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.release()
    p.send("shutdown")
    p.good(p.first, 1)
    p.send("status")
    p.finish()


@shows("shutdown between the receipt of a replacement and its outcome")
def _accepted(p: SupervisorPilot) -> None:
    need_room(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.release()
    p.good(p.first)
    p.send("shutdown")
    p.good(p.first, 1)
    p.finish()


@shows("shutdown before a stop that a replacement needs")
def _needs_stop(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, "recovery-needs-receipt-and-stop")
    p.send("shutdown", f"stop {peer}")
    p.finish()


@shows("shutdown with an outcome whose stop is missing")
def _outcome_held(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, "recovery-needs-stop-and-outcome")
    p.send(f"advance {peer}", "shutdown", f"lose {peer}")
    p.finish()


@shows("shutdown with a first start in a recovery")
def _initial(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.begin()
    p.grow(p.first, "online")
    for role in p.roles[1:]:
        p.send(f"advance {role}")
    p.stop_and_prepare(p.first)
    p.send("shutdown", f"exit {peer}")
    p.finish()


@shows("a drain whose deadline comes")
def _deadline(p: SupervisorPilot) -> None:
    need_deadline(p)
    p.warm()
    p.send("shutdown", "advance deadline", "status", f"exit {p.first}", "advance deadline", "status")


@shows("a drain whose deadline comes with everything open")
def _deadline_open(p: SupervisorPilot) -> None:
    need_deadline(p)
    p.begin()
    p.send(f"advance {p.first}", "shutdown", "advance deadline", "advance deadline")


@shows("a drain timer that is refused")
def _deadline_refused(p: SupervisorPilot) -> None:
    need_deadline(p)
    p.warm()
    p.send("shutdown", "refuse deadline")


@shows("drain timers that have no number", timer=0)
def _no_timer(p: SupervisorPilot) -> None:
    need_deadline(p)
    p.warm()
    p.send("shutdown")
