"""First starts, exits, stops that lead to nothing, queries, and facts that nobody awaits."""

from __future__ import annotations

from harness.run.pools.piloting import NotConstructibleError
from harness.run.pools.supervisor.piloting import SupervisorPilot, need_two, restarts_of, shows


@shows("every role comes up")
def _up(p: SupervisorPilot) -> None:
    p.begin()
    p.send("status")
    for role in p.roles:
        p.grow(role, "online")
        p.send("status", f"capability {role}")


@shows("births in the opposite order, and starts within the limit")
def _starts(p: SupervisorPilot) -> None:
    p.begin()
    for role in reversed(p.roles):
        p.send(f"advance {role}", "status", f"capability {role}")
    for _ in range(2 * len(p.roles)):
        for role in p.roles:
            p.good(role)


@shows("a birth that is refused")
def _birth_refused(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"refuse {p.first}", "status", f"capability {p.first}", f"exit {p.first}")


@shows("an exit before the birth is answered, then the birth")
def _early_exit(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"exit {p.first}", "status", f"advance {p.first}", "status")


@shows("an exit before the birth is answered, then its refusal")
def _early_exit_refused(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"exit {p.first}", f"exit {p.first}", f"refuse {p.first}")


@shows("a first operation that is refused")
def _input_refused(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}")
    for role in p.roles[1:]:
        p.send(f"advance {role}")
    p.send(f"refuse {p.first}", "status")
    p.good(p.first)
    p.send(f"exit {p.first}", "status")


@shows("a first worker that fails, and an exit before the answer to the request")
def _initial_failed(p: SupervisorPilot) -> None:
    p.begin()
    p.send(*(f"advance {p.first}",) * 2, f"refuse {p.first}", f"exit {p.first}", "status")
    p.good(p.first)
    p.send("status")


@shows("a request to end that is refused")
def _told_refused(p: SupervisorPilot) -> None:
    p.begin()
    p.send(*(f"advance {p.first}",) * 2, f"refuse {p.first}")
    if p.asks(p.first):
        p.send(f"refuse {p.first}", "status", f"exit {p.first}")


@shows("a proxy that ends while it starts")
def _exit_starting(p: SupervisorPilot) -> None:
    p.begin()
    for role in p.roles:
        p.send(f"advance {role}")
    p.send(f"exit {p.first}", "status")


@shows("a proxy that ends while it is online")
def _exit_online(p: SupervisorPilot) -> None:
    p.warm()
    p.send(f"exit {p.first}", "status", f"capability {p.first}", f"exit {p.first}")


@shows("a role that retires beside one that goes on")
def _retires(p: SupervisorPilot) -> None:
    need_two(p)
    p.warm()
    p.send(f"exit {p.first}", "status", f"stop {p.roles[1]}", "status", "shutdown")


@shows("a stop that is not covered")
def _left(p: SupervisorPilot) -> None:
    recovery = p.definition.recovery
    if recovery is not None and recovery.eligibility == "permanent":
        raise NotConstructibleError("this supervisor replaces workers after every stop")
    p.warm()
    for role in p.roles:
        p.send(f"leave {role}", "status", f"capability {role}")
    p.send(f"leave {p.first}", f"exit {p.first}")


@shows("a stop that is told again")
def _stop_again(p: SupervisorPilot) -> None:
    p.warm()
    p.send(f"stop {p.first}", "status", f"capability {p.first}", f"stop {p.first}")


@shows("a stop that is told again while workers are prepared")
def _stop_again_prepared(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", f"stop {p.first}", "advance recovery")


@shows("commands that nobody serves")
def _calls(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", f"call {p.first}")
    for role in p.roles:
        if p.is_open:
            p.good(role, 3)
    p.send(f"call {p.first}", f"stop {p.first}", f"call {p.first}")


@shows("facts that nobody awaits")
def _unawaited(p: SupervisorPilot) -> None:
    p.warm()
    p.send("initialize")
    for role in p.roles:
        p.send(f"advance {role}", f"refuse {role}", f"lose {role}", f"cross {role}")
    p.send("advance recovery", "refuse recovery", "advance deadline", "refuse deadline")


@shows("an answer from another proxy")
def _crossed(p: SupervisorPilot) -> None:
    need_two(p)
    p.begin()
    p.send(f"advance {p.roles[1]}", f"cross {p.roles[1]}")
    p.good(p.roles[1])
    p.send(f"cross {p.roles[1]}")
