"""Workers that give up on their way, clocks that go too far or back, and numbers of workers that cannot be had."""

from __future__ import annotations

from harness.models.pools.definition import Definition
from harness.run.pools.piloting import Pilot
from harness.run.pools.shapes.registry import (
    Shapes,
    first_replacement,
    first_workers,
    need_budget,
    need_delay,
    need_recovery,
    need_roles,
)

TROUBLES = Shapes()

#: The shapes of numbers that cannot be had on the way to a worker, and for its activation.
NO_WORKER = (
    "worker numbers that run out",
    "a worker number that is taken",
    "recovery numbers that run out",
    "a recovery number that is taken",
    "restart timers that have no number",
    "a restart timer whose number is taken",
)
NO_TICKET = ("activation numbers that run out", "an activation number that is taken")

AFTER_WINDOW = "a stop after the window of all restarts"
WINDOW_END = "a stop at the last tick of the window of all restarts"
BACK_IN_TIME = "a stop that is told with a time before the last restart"
LAST_TIME = "a restart at the last time that there is"
#: The shapes of stops that are told with other times than the first one.
TIMES = (AFTER_WINDOW, WINDOW_END, BACK_IN_TIME, LAST_TIME)


# -- starts and sources that give up -------------------------------------------------------------------------------


@TROUBLES("a worker that stops as the answer to its start")
def _quits(p: Pilot, _: Definition) -> None:
    role = p.roles[0]
    p.begin()
    p.advance(role, "initializing")
    p.send(f"quit {role}", f"advance {role}", f"stop {role}", f"quit {role}")


@TROUBLES("a worker that has stopped before its start is answered so")
def _stops_then_quits(p: Pilot, _: Definition) -> None:
    role = p.roles[0]
    p.begin()
    p.advance(role, "initializing")
    p.send(f"stop {role}", f"quit {role}", f"quit {role}")


@TROUBLES("a worker source that gives up at a role")
def _gives_up(p: Pilot, d: Definition) -> None:
    need_recovery(d)
    role = p.roles[0]
    p.warm()
    p.send(f"partial {role}", f"stop {role}", f"partial {role}")
    p.submit()


# -- time ----------------------------------------------------------------------------------------------------------


def _spent(p: Pilot, d: Definition, role: str, *beside: str) -> None:
    """The restart budget is used up, and the role's worker is ready again; `beside` is told while it is away last."""
    need_budget(d)
    p.warm()
    for left in reversed(range(0 if d.recovery is None else d.recovery.budget.restarts)):
        p.send(f"stop {role}", *(() if left else beside))
        p.advance(role, "idle")


@TROUBLES(AFTER_WINDOW)
def _window_is_left(p: Pilot, d: Definition) -> None:
    role = p.roles[0]
    _spent(p, d, role)
    p.send(f"stop-later {role}")
    p.advance(role, "idle")
    p.submit()


@TROUBLES(WINDOW_END)
def _window_ends(p: Pilot, d: Definition) -> None:
    role = p.roles[0]
    # A stop of a worker that is gone is told a tick too late: it charges nothing, and the clock has moved on.
    _spent(p, d, role, f"stop-later {role}")
    p.send(f"stop-earlier {role}", f"advance {role}")
    p.submit()


@TROUBLES(BACK_IN_TIME)
def _clock_goes_back(p: Pilot, d: Definition) -> None:
    need_budget(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop-later {role}")
    p.advance(role, "idle")
    p.send(f"stop-earlier {role}", f"advance {role}")
    p.submit()


@TROUBLES(LAST_TIME)
def _last_time(p: Pilot, d: Definition) -> None:
    need_budget(d)
    role = p.roles[0]
    p.warm()
    p.send(f"stop-at-end {role}", f"advance {role}")
    p.submit()


# -- numbers that cannot be had ------------------------------------------------------------------------------------


def _unreplaced(p: Pilot, d: Definition) -> None:
    """The first role's worker stops, and the source has another."""
    need_budget(d)
    p.warm()
    p.send(f"stop {p.roles[0]}", f"advance {p.roles[0]}", "submit")


@TROUBLES("worker numbers that run out", birth=first_workers)
def _no_birth_number(p: Pilot, d: Definition) -> None:
    _unreplaced(p, d)


@TROUBLES("a worker number that is taken", taken={"birth": first_replacement})
def _taken_birth_number(p: Pilot, d: Definition) -> None:
    _unreplaced(p, d)
    _next_one(p)


@TROUBLES("a recovery number that is taken", taken={"recovery": 1})
def _taken_recovery_number(p: Pilot, d: Definition) -> None:
    _unreplaced(p, d)
    _next_one(p)


@TROUBLES("restart timers that have no number", timer=0)
def _no_timer_number(p: Pilot, d: Definition) -> None:
    need_delay(d)
    _unreplaced(p, d)


@TROUBLES("a restart timer whose number is taken", taken={"timer": 1})
def _taken_timer_number(p: Pilot, d: Definition) -> None:
    need_delay(d)
    _unreplaced(p, d)
    _next_one(p)


def _next_one(p: Pilot) -> None:
    """Where the pool is open the next role's worker stops too, and its number is there to have."""
    if len(p.roles) > 1 and p.view.mode == "operating":
        p.send(f"stop {p.roles[1]}")
        p.advance(p.roles[1], "idle", "busy-awaiting-both")


@TROUBLES("an activation number that is taken", taken={"ticket": 1})
def _taken_ticket(p: Pilot, _: Definition) -> None:
    need_roles(p, 2)
    p.begin()
    for role in p.roles[:2]:
        p.send(*(f"advance {role}",) * 4)
    p.submit()
