"""Carrying a run onward without a search: at each step the event that takes away what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.models.lifecycle import events as e
from harness.models.lifecycle.requests import BLOCKED, PAUSED
from harness.models.lifecycle.state import (
    DELIVERED,
    FINISH_GATE,
    FINISHED,
    INPUTS_AT_FINISH,
    INPUTS_UNAVAILABLE,
    OUTPUT_FULL,
    REQUESTED,
    STOPPED,
    UNABLE,
    WAITING,
    WORKING,
    Run,
    is_open,
)
from harness.run.pilot import NotConstructible, Pilot

Reached = Callable[[Run], bool]

STEPS_MAX = 200
IDLE_MAX = 4


def is_started(run: Run) -> bool:
    """The run has crossed its start boundary."""
    return not run.ended and run.state not in (REQUESTED, WAITING)


def is_past_work(run: Run) -> bool:
    """The run has met its finish gate: it finished, or stopped there."""
    return run.state in (FINISHED, DELIVERED) or run.point == FINISH_GATE


def is_finished(run: Run) -> bool:
    """The run is finished, whatever became of its output."""
    return run.state in (FINISHED, DELIVERED)


def is_in(*states: str) -> Reached:
    """The run is in one of these states."""
    return lambda run: run.state in states


def drive(p: Pilot, run: str, reached: Reached) -> str:
    """Events that carry the run on until it is where it should be; NotConstructible where it gets no further."""
    idle = 0
    for _ in range(STEPS_MAX):
        found = p.run(run)
        if reached(found):
            return run
        if not is_open(found):
            break
        before = p.state
        _help(p, found)
        idle = idle + 1 if p.state == before else 0
        if idle >= IDLE_MAX:
            break
    raise NotConstructible(f"the run {run} stays {p.run(run).state}")


def drive_once(p: Pilot, run: str) -> None:
    """One event that carries the run on."""
    _help(p, p.run(run))


def _help(p: Pilot, run: Run, seen: frozenset[str] = frozenset()) -> None:
    """One thing that lets the run move, be it for another run that stands in its way."""
    if run.id in seen or not is_open(run):
        return
    seen |= {run.id}
    if run.pending == PAUSED:
        p.send(e.Admit(run.id))
    elif run.pending == BLOCKED:
        _unblock(p, run, seen)
    elif run.state == WAITING:
        _let_start(p, run, seen)
    elif run.state == WORKING:
        p.tick()
    elif run.state == STOPPED:
        _let_resume(p, run, seen)
    elif run.state == FINISHED:
        _let_deliver(p, run)


def _unblock(p: Pilot, run: Run, seen: frozenset[str]) -> None:
    before = p.state
    all_room(p)
    for row in p.config.readmissions[:1]:
        p.send(e.Tick() if row.polled else e.Readmit(row.id))
    if p.state == before:
        for other in _others(p, run, seen):
            if other.reserved:
                _help(p, other, seen)
                return


def _let_start(p: Pilot, run: Run, seen: frozenset[str]) -> None:
    if INPUTS_UNAVAILABLE in run.reasons:
        p.supply_for(run.id)
    unmet = [bound for _, bound in run.needs if (found := p.state.run(bound)) is not None and is_open(found)]
    if unmet:
        _help(p, p.run(unmet[0]), seen)
    elif p.state.outages:
        workers_back(p)
    else:
        _clear_way(p, run, seen)


def _clear_way(p: Pilot, run: Run, seen: frozenset[str]) -> None:
    """Whoever holds a slot there, or stands before it, moves on."""
    for other in _others(p, run, seen):
        in_line = other.state == WAITING or (other.state == STOPPED and not other.causes)
        if (other.pool, other.place) == (run.pool, run.place) and (other.working_slot is not None or in_line):
            _help(p, other, seen)
            return


def _let_resume(p: Pilot, run: Run, seen: frozenset[str]) -> None:
    for cause in run.causes:
        if cause in (UNABLE, INPUTS_AT_FINISH):
            p.supply_for(run.id)
        elif cause == OUTPUT_FULL:
            all_room(p)
        else:
            p.send(e.Clear(run.id, cause))
        return
    if p.state.outages:
        workers_back(p)
        return
    before = p.state
    _clear_way(p, run, seen)
    if p.state == before:
        p.supply_for(run.id)


def _let_deliver(p: Pilot, run: Run) -> None:
    if run.id in p.state.accepted:
        for row in p.config.collections[:1]:
            p.send(e.Tick() if row.polled else e.Collect(row.id, run.id))
        return
    all_room(p)
    for row in p.config.redeliveries[:1]:
        p.send(e.Tick() if row.polled else e.Redeliver(row.id))


def _others(p: Pilot, run: Run, seen: frozenset[str]) -> Iterator[Run]:
    return (other for other in p.state.runs if other.id != run.id and other.id not in seen and is_open(other))


def stop(p: Pilot, run: str, cause: str) -> None:
    """Give a working or stopped run the cause; NotConstructible where it finishes before it lacks anything."""
    if cause != UNABLE:
        p.stop(run, cause)
        return
    for _ in range(STEPS_MAX):
        if p.run(run).state != WORKING:
            break
        p.drain(run)
        p.tick()
    if UNABLE not in p.run(run).causes:
        raise NotConstructible(f"the run {run} is never unable to advance")


# -- the world ----------------------------------------------------------------------------------------------------


def all_room(p: Pilot) -> None:
    """As much free room everywhere as outputs that lie there and reservations leave."""
    for name, free in zip(p.state.room_names, p.state.free, strict=True):
        capacity = p.config.capacity(name) or 0
        for wanted in range(capacity, free, -1):
            event = e.Room(name, wanted)
            if p.model.step(p.state, event).refused is None:
                p.send(event)
                break


def no_room(p: Pilot) -> None:
    """No room is free anywhere."""
    for name, free in zip(p.state.room_names, p.state.free, strict=True):
        if free:
            p.send(e.Room(name, 0))


def workers_back(p: Pilot) -> None:
    """Every worker that was stopped is ready again."""
    for away in p.state.outages:
        p.send(e.WorkerReady(away.pool, away.slot, away.place))
