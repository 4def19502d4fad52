"""Carrying one run towards a state with the events that its own state asks for, where a search would be too long."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import NamedEvent, at_place
from harness.models.lifecycle.requests import BLOCKED, PAUSED
from harness.models.lifecycle.state import (
    DEPENDENCY_UNMET,
    FINISHED,
    INPUTS_AT_FINISH,
    INPUTS_UNAVAILABLE,
    OUTPUT_FULL,
    REQUESTED,
    STOPPED,
    TERMINAL,
    UNABLE,
    WAITING,
    WORKING,
    Run,
)
from harness.run.pilot import NotFound, Pilot

#: Events after which a run that is carried has come as far as its own adoption lets it.
PUSHES_MAX = 60

_OF_THE_WORLD = frozenset({OUTPUT_FULL, INPUTS_AT_FINISH, UNABLE})


def carry(p: Pilot, run: str, *states: str) -> None:
    """Events until the run is in one of the states; NotFound where it ends elsewhere or gets no further."""
    for _ in range(PUSHES_MAX):
        found = p.run(run)
        if found.state in states:
            return
        if found.ended or found.state in TERMINAL:
            break
        _push(p, found)
    found = p.run(run)
    if found.state not in states:
        rests = f"the run {run} is carried no further than {found.state}"
        raise NotFound(f"{rests} on the way to {' or '.join(states)}", f"{PUSHES_MAX} events")


def carry_on(p: Pilot, run: str, *states: str) -> bool:
    """As `carry`, for what a run may reach and need not; whether it did."""
    try:
        carry(p, run, *states)
    except NotFound:
        return False
    return True


def _push(p: Pilot, run: Run) -> None:
    """The first event that the run's state asks for and that changes anything; else time passes."""
    for event in (*_asked_for(p, run), *_for_others(p, run)):
        transition = p.model.step(p.state, event)
        if transition.refused is None and transition.state != p.state:
            p.send(event)
            return
    p.tick()


def help_others(p: Pilot, run: Run) -> None:
    """Whatever frees a slot or a need for the run, but nothing that its own state asks for; else time passes."""
    for event in _for_others(p, run):
        transition = p.model.step(p.state, event)
        if transition.refused is None and transition.state != p.state:
            p.send(event)
            return
    p.tick()


def _asked_for(p: Pilot, run: Run) -> Iterator[e.Event]:
    if run.state == REQUESTED and run.pending == PAUSED:
        yield e.Admit(run.id)
    elif run.state == REQUESTED and run.pending == BLOCKED:
        yield from _room(p, run)
        yield from (e.Readmit(row) for row in _sent(p.config.readmissions))
    elif run.state == WAITING and INPUTS_UNAVAILABLE in run.reasons:
        yield from _supplies(p, run)
    elif run.state == WORKING:
        if p.facts.can_be_unable:
            yield from _supplies(p, run)
        yield e.Tick()
    elif run.state == STOPPED:
        yield from _for_causes(p, run)
    elif run.state == FINISHED:
        yield from _for_output(p, run)


def _for_causes(p: Pilot, run: Run) -> Iterator[e.Event]:
    for cause in run.causes:
        if cause == OUTPUT_FULL:
            yield from _room(p, run)
        elif cause in _OF_THE_WORLD:
            yield from _supplies(p, run)
        else:
            yield e.Clear(run.id, cause)
    if not run.causes:
        yield from _supplies(p, run)


def _for_output(p: Pilot, run: Run) -> Iterator[e.Event]:
    if run.id in p.state.accepted:
        yield from (e.Collect(row, run.id) for row in _sent(p.config.collections))
        return
    yield from _room(p, run)
    yield from (e.Redeliver(row) for row in _sent(p.config.redeliveries))


def _for_others(p: Pilot, run: Run) -> Iterator[e.Event]:
    """What keeps a slot, a need or a worker from the run: only then are the others helped on."""
    if run.state not in (WAITING, STOPPED, REQUESTED):
        return
    yield from (e.WorkerReady(away.pool, away.slot, away.place) for away in p.state.outages)
    needed = {bound for _, bound in run.needs} if DEPENDENCY_UNMET in run.reasons else set()
    for other in p.state.runs:
        in_the_way = (other.pool, other.place) == (run.pool, run.place) and other.working_slot is not None
        in_the_way = in_the_way or (other.destination is not None and other.destination == _normal(p, run))
        ahead = other.state in (STOPPED, FINISHED) or (other.id in needed and other.state == REQUESTED)
        if other.id != run.id and not other.ended and ahead and (in_the_way or other.id in needed):
            yield from _asked_for(p, other)


def _sent(rows: tuple[NamedEvent, ...]) -> tuple[str, ...]:
    return tuple(row.id for row in rows if not row.polled)


def _room(p: Pilot, run: Run) -> Iterator[e.Event]:
    """Room for the run's output at its normal destination: what it needs, or what else lies there lets it have."""
    rule, name = p.facts.tables.jobs[run.job], _normal(p, run)
    if name is None:
        return
    free = dict(zip(p.state.room_names, p.state.free, strict=True)).get(name)
    if free is not None and free < rule.size:
        yield e.Room(name, rule.size)


def _normal(p: Pilot, run: Run) -> str | None:
    name = p.facts.tables.jobs[run.job].destination
    return at_place(name, run.place) if name is not None else None


def _supplies(p: Pilot, run: Run) -> Iterator[e.Event]:
    """Units that the run's job takes and that are not usable in full."""
    usable = dict(zip(p.state.keys, p.state.stock, strict=True))
    rule = p.facts.tables.jobs[run.job]
    for need, (item, source), held in zip(
        rule.needs, p.facts.tables.sources(run.job, run.place), run.held, strict=True
    ):
        if usable.get((item, source), 0) < need.amount - held:
            yield e.Supply(item, need.amount, source)
