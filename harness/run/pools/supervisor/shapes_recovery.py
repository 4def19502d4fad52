"""Recoveries: who is chosen, what denies them, their release, and the join of a replacement in every order."""

from __future__ import annotations

from harness.run.pools.piloting import NotConstructibleError, NotReachedError
from harness.run.pools.supervisor.piloting import (
    SupervisorPilot,
    need_delay,
    need_room,
    need_two,
    restarts_of,
    shows,
)

_AND_STOP = "recovery-needs-receipt-and-stop"
_STOP_AND_OUTCOME = "recovery-needs-stop-and-outcome"
_OUTCOME = "recovery-needs-outcome"
_RECEIPT = "recovery-needs-receipt"
_WAITING = "recovery-waiting"


@shows("a recovery from its stop to its last replacement")
def _whole(p: SupervisorPilot) -> None:
    need_room(p)
    p.warm()
    p.recover()
    p.send("status")


@shows("a status at every step of a recovery")
def _watched(p: SupervisorPilot) -> None:
    need_room(p)
    p.warm()
    p.send(f"stop {p.first}", "status", "advance recovery", "status")
    p.release()
    p.send("status")
    p.good(p.first)
    p.send("status", f"capability {p.first}")
    p.complete()


@shows("a stop before the receipt of the replacement")
def _stop_first(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, _AND_STOP)
    p.send(f"stop {peer}", f"stop {peer}")
    if p.is_open:
        p.complete()


@shows("a stop between receipt and outcome")
def _stop_between(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, _STOP_AND_OUTCOME)
    p.send(f"stop {peer}")
    p.complete()


@shows("an outcome and then the stop")
def _outcome_first(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, _STOP_AND_OUTCOME)
    p.send(f"advance {peer}", "status", f"stop {peer}", "status")
    p.complete()


@shows("an outcome and then a stop whose report is refused")
def _outcome_then_lost(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, _STOP_AND_OUTCOME)
    p.send(f"advance {peer}", f"lose {peer}", "status")


@shows("a stop whose report is refused, and then the outcome")
def _lost_first(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, _AND_STOP)
    p.send(f"lose {peer}")
    p.complete()


@shows("a failed replacement and then the stop")
def _failed_then_stop(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.replacing(peer, _STOP_AND_OUTCOME)
    p.send(f"refuse {peer}", f"stop {peer}", "status")


@shows("a replacement that fails behind a known stop")
def _failed(p: SupervisorPilot) -> None:
    need_room(p)
    p.replacing(p.first, _OUTCOME)
    p.send(f"refuse {p.first}", "status")


@shows("a replacement that is refused")
def _input_refused(p: SupervisorPilot) -> None:
    need_room(p)
    p.replacing(p.first, _RECEIPT)
    p.send(f"refuse {p.first}", "status")


@shows("a proxy that ends with a replacement on its way")
def _exit_replacing(p: SupervisorPilot) -> None:
    need_room(p)
    p.replacing(p.first, _RECEIPT)
    p.send(f"exit {p.first}", "status")


@shows("a proxy that ends while its replacement waits")
def _exit_waiting(p: SupervisorPilot) -> None:
    need_delay(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.send(f"exit {p.roles[-1]}", "status")


@shows("a peer that stops while its replacement waits")
def _peer_stops(p: SupervisorPilot) -> None:
    need_delay(p)
    peer = p.peer()
    p.warm()
    p.stop_and_prepare(p.first)
    p.send(f"stop {peer}")
    p.release()
    p.complete()


@shows("a peer that stops while workers are prepared")
def _peer_stops_early(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.warm()
    p.send(f"stop {p.first}", f"stop {peer}", "advance recovery")
    p.release()
    p.complete()


@shows("a peer that stops while workers are prepared, and a source that refuses")
def _reopened(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.warm()
    p.send(f"stop {p.first}", f"stop {peer}", "refuse recovery", "status")


@shows("a role on its first start that is chosen")
def _initial_joins(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.begin()
    p.grow(p.first, "online")
    for role in p.roles[1:]:
        p.send(f"advance {role}")
    p.stop_and_prepare(p.first)
    p.release()
    p.send("status")
    for _ in range(6):
        if p.is_in(peer, _WAITING, _AND_STOP):
            break
        for role in p.roles:
            p.good(role)
    p.complete()


@shows("a first start that fails in a recovery")
def _initial_fails(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.begin()
    p.grow(p.first, "online")
    p.send(f"advance {peer}", f"advance {peer}")
    for role in p.roles[2:]:
        p.send(f"advance {role}")
    p.stop_and_prepare(p.first)
    p.send(f"refuse {peer}", "status")


@shows("a role whose proxy is being created is needed")
def _unborn_needed(p: SupervisorPilot) -> None:
    need_room(p)
    p.peer()
    p.begin()
    p.grow(p.first, "online")
    p.send(f"stop {p.first}", "status")


@shows("a source that refuses")
def _no_source(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", "refuse recovery", "status")


@shows("recoveries beyond the budget")
def _budget(p: SupervisorPilot) -> None:
    limit = restarts_of(p).budget.restarts
    p.warm()
    for count in range(1, limit + 2):
        p.stop_and_prepare(p.first)
        p.release()
        if not p.phase(p.first).startswith("recovery-"):
            p.send("status")
            return
        p.complete()
        if len(p.rest.charges) < count:
            raise NotConstructibleError("charges leave the window of this supervisor before the budget is used up")
    raise NotReachedError("the restart budget was not used up")


@shows("two stops that want the same role")
def _overlap(p: SupervisorPilot) -> None:
    restarts_of(p)
    need_two(p)
    p.warm()
    p.send(f"stop {p.roles[-1]}", f"stop {p.first}", "status")
    if p.is_open:
        p.send("advance recovery")


@shows("a stop before the timer of another recovery has gone off")
def _two_recoveries(p: SupervisorPilot) -> None:
    need_delay(p)
    need_two(p)
    p.warm()
    p.stop_and_prepare(p.roles[-1])
    p.send(f"stop {p.first}", "status")


@shows("a restart timer that is refused")
def _schedule_refused(p: SupervisorPilot) -> None:
    need_delay(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.send("refuse recovery", "status")


@shows("a restart timer that is refused, with a peer that has stopped")
def _schedule_refused_stop(p: SupervisorPilot) -> None:
    need_delay(p)
    peer = p.peer()
    p.warm()
    p.stop_and_prepare(p.first)
    p.send(f"stop {peer}", "refuse recovery", "status")


@shows("a restart timer that goes off twice")
def _timer_twice(p: SupervisorPilot) -> None:
    need_delay(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.release()
    p.send("advance recovery", "refuse recovery")


@shows("recovery numbers that run out", recovery=0)
def _no_recovery_number(p: SupervisorPilot) -> None:
    need_room(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.send("status")


@shows("restart timers that have no number", timer=0)
def _no_timer_number(p: SupervisorPilot) -> None:
    need_delay(p)
    p.warm()
    p.stop_and_prepare(p.first)
    p.send("status")


@shows("a second recovery of the same role")
def _second(p: SupervisorPilot) -> None:
    need_room(p)
    if restarts_of(p).budget.restarts < 2 * len(p.chosen(p.roles[-1])):
        raise NotConstructibleError("the restart budget of this supervisor is too small for two recoveries")
    p.warm()
    for _ in range(2):
        p.stop_and_prepare(p.roles[-1])
        p.release()
        p.complete()
