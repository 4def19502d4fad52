"""Answers of every kind: operations forged or damaged, proxies never made, half a recovery, deliveries that end."""

from __future__ import annotations

from harness.run.pools.piloting import NotConstructibleError
from harness.run.pools.supervisor.piloting import SupervisorPilot, need_room, restarts_of, shows

_RECEIPT = "recovery-needs-receipt"


def need_events(p: SupervisorPilot) -> None:
    """A supervisor that tells observers of what happens."""
    if p.definition.lifecycle is None:
        raise NotConstructibleError("no lifecycle events of this supervisor are published")


def need_diagnostics(p: SupervisorPilot) -> None:
    """A supervisor whose diagnostics are delivered."""
    if p.definition.diagnostics is None:
        raise NotConstructibleError("diagnostics of this supervisor go into custody and end it")


# -- operations ----------------------------------------------------------------------------------------------------


@shows("a first operation that comes back damaged")
def _damaged(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", f"damage {p.first}", "status")


@shows("a first operation that was never tried")
def _withheld(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", f"withhold {p.first}", "status")


@shows("a replacement that comes back damaged")
def _replacement_damaged(p: SupervisorPilot) -> None:
    need_room(p)
    p.replacing(p.first, _RECEIPT)
    p.send(f"damage {p.first}", "status")


@shows("a replacement that was never tried")
def _replacement_withheld(p: SupervisorPilot) -> None:
    need_room(p)
    p.replacing(p.first, _RECEIPT)
    p.send(f"withhold {p.first}", "status")


@shows("shutdown, and a first operation that comes back damaged")
def _damaged_in_drain(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", "shutdown", f"damage {p.first}")


@shows("shutdown, and a first operation that was never tried")
def _withheld_in_drain(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", "shutdown", f"withhold {p.first}")


@shows("a receipt under a forged ticket")
def _forged(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", f"forge {p.first}", "status")
    if p.is_open:
        p.good(p.first, 2)


@shows("an operation that comes back under a forged ticket")
def _disowned(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", f"disown {p.first}", "status")
    if p.is_open:
        p.good(p.first, 2)


@shows("forged tickets of a replacement")
def _replacement_forged(p: SupervisorPilot) -> None:
    need_room(p)
    p.replacing(p.first, _RECEIPT)
    p.send(f"forge {p.first}")
    if p.is_open:
        p.send(f"disown {p.first}")
        p.complete()


@shows("forged tickets while the supervisor ends")
def _forged_in_drain(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"advance {p.first}", "shutdown", f"forge {p.first}")
    if p.view.mode == "draining":
        p.send(f"disown {p.first}")
        p.finish()


# -- proxies and workers -------------------------------------------------------------------------------------------


@shows("a proxy that is never made")
def _never_made(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"abort {p.first}", "status", f"capability {p.first}", f"abort {p.first}")


@shows("an exit before the birth is answered, and a proxy that is never made")
def _exit_never_made(p: SupervisorPilot) -> None:
    p.begin()
    p.send(f"exit {p.first}", f"abort {p.first}")


@shows("shutdown, and proxies that are never made")
def _never_made_in_drain(p: SupervisorPilot) -> None:
    p.begin()
    p.send("shutdown", *(f"abort {role}" for role in p.roles))


@shows("a source that gives up at the second worker")
def _cut(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", "cut recovery", "status")


@shows("a source that makes nothing")
def _denied(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", "deny recovery", "status")


@shows("a peer that stops while workers are prepared, and a source that gives up at the second")
def _cut_reopened(p: SupervisorPilot) -> None:
    need_room(p)
    peer = p.peer()
    p.warm()
    p.send(f"stop {p.first}", f"stop {peer}", "cut recovery", "status")


@shows("shutdown while workers are prepared, and a source that gives up at the second")
def _cut_in_drain(p: SupervisorPilot) -> None:
    restarts_of(p)
    p.warm()
    p.send(f"stop {p.first}", "shutdown", "cut recovery")
    p.finish()


@shows("queries about a role that there is not")
def _unknown(p: SupervisorPilot) -> None:
    p.begin()
    p.send("unknown")
    for role in p.roles:
        p.grow(role, "online")
    p.send("unknown", "shutdown", "unknown")


# -- deliveries ----------------------------------------------------------------------------------------------------


@shows("replies that arrive, and their arrival told again")
def _reply_arrives(p: SupervisorPilot) -> None:
    p.begin()
    p.send("status", "deliver reply", "status", "deliver reply", "deliver reply")


@shows("replies that come back in every way")
def _replies_come_back(p: SupervisorPilot) -> None:
    p.begin()
    p.send("status", "bounce reply", "status", "mangle reply", f"capability {p.first}", "drop reply", "drop reply")


@shows("an event that arrives, and its arrival told again")
def _event_arrives(p: SupervisorPilot) -> None:
    need_events(p)
    p.warm()
    p.send("deliver event", "deliver event")


@shows("events that come back in every way")
def _events_come_back(p: SupervisorPilot) -> None:
    need_events(p)
    p.warm()
    p.send("bounce event", f"call {p.first}", "mangle event", f"call {p.first}", "drop event", "status", "bounce event")


@shows("a diagnostic that arrives, and its arrival told again")
def _diagnostic_arrives(p: SupervisorPilot) -> None:
    need_diagnostics(p)
    p.warm()
    p.send(f"advance {p.first}", "deliver diagnostic", f"advance {p.first}", "deliver diagnostic", "status")


@shows("a diagnostic that is refused")
def _diagnostic_refused(p: SupervisorPilot) -> None:
    need_diagnostics(p)
    p.warm()
    p.send(f"advance {p.first}", "bounce diagnostic", "status")


@shows("a diagnostic that is damaged")
def _diagnostic_damaged(p: SupervisorPilot) -> None:
    need_diagnostics(p)
    p.begin()
    p.send(f"advance {p.first}", f"refuse {p.first}", "mangle diagnostic", "status")


@shows("a diagnostic that was never tried")
def _diagnostic_dropped(p: SupervisorPilot) -> None:
    need_diagnostics(p)
    p.warm()
    p.send(f"cross {p.first}", "drop diagnostic", "status")


@shows("shutdown, and deliveries that arrive or come back")
def _in_drain(p: SupervisorPilot) -> None:
    p.warm()
    p.send("status", "shutdown", "bounce reply", "status", "deliver reply")
    if p.definition.lifecycle is not None:
        p.send("deliver event", f"call {p.first}", "drop event")
    p.finish()
    p.send("deliver reply")


@shows("shutdown, and a diagnostic that is refused")
def _diagnostic_in_drain(p: SupervisorPilot) -> None:
    need_diagnostics(p)
    p.warm()
    p.send("shutdown", f"stop {p.first}", "bounce diagnostic", "status")
