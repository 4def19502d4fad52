"""Steps that many shapes of stops take: bring a run to work, stop it, let it wait, and let it go on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.model import Transition
from harness.models.lifecycle.requests import PAUSED
from harness.models.lifecycle.state import INPUTS_AT_FINISH, OUTPUT_FULL, STOPPED, UNABLE, Run, State
from harness.run.facts import Facts
from harness.run.goals import Goal
from harness.run.pilot import NotConstructible, NotFound, Pilot, Shape, in_state
from harness.run.shapes.stops_facts import (
    Point,
    fits,
    instruction_of,
    interruptions,
    lacking_points,
    stopped_share,
    work_points,
)

#: States of a run that left `stopped` by a resume.
GOING_ON = ("working", "finished", "delivered")

#: Ticks after which a fall of work that has not reached none is left.
FALL_TICKS = 24

#: In a form: whichever pool, where a row id could stand.
ANY = "any pool"

#: Supplies that leave enough for a run although others take theirs first.
SHARERS = 4

#: How often room or units are given before a run that others precede gets them.
TURNS = 6


#: What may pass while a run waits, from the most natural to everything; searches with few kinds are short.
_PASSING: tuple[tuple[tuple[str, ...], int], ...] = (
    (("tick",), 16),
    (("tick", "collect", "redeliver", "readmit", "room", "supply"), 6),
)


def wait(p: Pilot, goal: Goal) -> None:
    """Let time pass until the goal, and only where that does not bring it, whatever else may happen."""
    for kinds, depth in _PASSING:
        try:
            p.until(goal, using=kinds, depth=depth)
        except NotFound:
            continue
        return
    p.until(goal)


def attempt(p: Pilot, step: Callable[[], None]) -> bool:
    """Take a step that may not be possible; where it is not, its events are taken back."""
    state, sent = p.state, len(p.events)
    try:
        step()
    except (NotConstructible, NotFound):
        p.state = state
        del p.events[sent:]
        return False
    return True


def start(p: Pilot, form: Form) -> str:
    """A working run of the form: one that a standing order made, where it has the slots, else a new request."""
    found = _working_run(p.state, form)
    if found is not None and not _has_free_slot(p, form):
        return found
    run = p.request(job=form.job, pool=form.pool, place=form.place)
    if not p.run(run).ended and attempt(p, lambda: wait(p, in_state(run, "working"))):
        return run
    # Standing orders can keep a request out for ever; then a run of theirs works for the same job.
    anywhere = form._replace(pool=ANY)
    wait(p, lambda seen: _working_run(seen.state, anywhere) is not None)
    return _working_run(p.state, anywhere) or run


def _working_run(state: State, form: Form) -> str | None:
    """A run of the form that works and has no recorded work yet."""
    for run in state.runs:
        here = form.pool in (ANY, run.pool) and form.place in (None, run.place)
        if (run.job, run.state, run.work) == (form.job, "working", 0) and here:
            return run.id
    return None


def _has_free_slot(p: Pilot, form: Form) -> bool:
    pool = p.facts.tables.pools.get(form.pool or "")
    if pool is None:
        return True
    places = pool.places if form.place is None else (form.place,)
    return any(p.free_slots(pool.id, place) > 0 for place in places or (None,))


def start_at(p: Pilot, form: Form, work: Fraction) -> str:
    """A working run that has just this much recorded work."""
    run = start(p, form)
    wait(p, lambda seen: _is_at(seen.run(run), work))
    return run


def _is_at(run: Run | None, work: Fraction) -> bool:
    return run is not None and run.state == "working" and run.work == work


def record(p: Pilot, run: str) -> None:
    """Let a working run record some work."""
    wait(p, lambda seen: (found := seen.run(run)) is not None and found.state == "working" and found.work > 0)


def give(p: Pilot, run: str, cause: str) -> str:
    """Give a working or stopped run this ordinary cause; returns the run that it stopped."""
    if cause == UNABLE:
        return starve(p, run)
    name = instruction_of(p.facts, cause)
    if name is None:
        raise NotConstructible(f"no instruction gives {cause}")
    p.send(e.Instruct(run, name))
    return run


def starve(p: Pilot, run: str) -> str:
    """Use up what the run takes until it is unable to advance; where others save it again and again, one of them is."""
    if attempt(p, lambda: _starve(p, run, (run,))):
        return run
    _starve(p, run, tuple(each.id for each in p.state.runs if each.state == "working"))
    return next(each.id for each in p.state.runs if UNABLE in each.causes)


def _starve(p: Pilot, run: str, wanted: tuple[str, ...]) -> None:
    if wanted == (run,):
        p.drain(run)
        _take_others_away(p, run)
    while p.run(run).state == "working":
        p.drain(run)
        # What the stop itself gives back can be enough to resume at once, in the same batch.
        if _tells_of_stop(p.tick(), wanted):
            return
    raise NotConstructible(f"{run} went on without the units that were used")


def _take_others_away(p: Pilot, run: str) -> None:
    """Stop or cancel who works beside the run: they would give their units back just when it needs them."""
    for other in p.state.runs:
        if other.id != run and other.state == "working" and any(other.held):
            if interruptions(p.facts):
                give(p, other.id, interruptions(p.facts)[0])
            elif p.config.cancellations:
                p.cancel(other.id, p.config.cancellations[0])


def _tells_of_stop(transition: Transition, runs: tuple[str, ...]) -> bool:
    return any(row.run in runs and row.data.get("report") == "job-stopped" for row in transition.rows)


def stopped_with_work(p: Pilot, form: Form, cause: str, failing: Failure | None = None) -> str:
    """A run of the form that the cause stopped, with recorded work where there can be some.

    `failing`: a failure from stopped whose losses the claim of the stopped run should cover, where any can.
    """
    points = list(work_points(p.facts, form))
    if cause == UNABLE:
        lacking = lacking_points(p.facts, form)
        points = [point for point in points if point.work in lacking]

    def rank(point: Point) -> tuple[bool, bool]:
        held = {} if p.config.release_stopped_claims else stopped_share(p.facts, form, point)
        return failing is not None and not fits(failing, held), point.work == 0

    run = start_at(p, form, min(points, key=rank).work)
    return give(p, run, cause)


def clear(p: Pilot, run: str, cause: str) -> None:
    """Take a cause away: declared ones and recovery by their event, the others by what they wait for."""
    if cause == OUTPUT_FULL:
        make_room(p, run)
    elif cause in (UNABLE, INPUTS_AT_FINISH):
        p.supply_for(run)
    else:
        p.send(e.Clear(run, cause))


def lacks_something(p: Pilot, run: str) -> bool:
    """Whether the run is stopped without causes, and its start gate or its claim would fail now."""
    turn = p.model.turn(p.model.tables, p.model.slots, p.state, False)
    cell = turn.cells[run]
    if cell.state != STOPPED or cell.causes:
        return False
    return not (turn.resume_eligible(cell) and turn.available(cell, turn.resume_claim(cell)))


def make_room(p: Pilot, run: str) -> None:
    """Room for one output of the run; where others lie there, whatever takes them away."""
    try:
        p.make_room(run)
    except NotConstructible:
        wait(p, lambda seen: (found := seen.run(run)) is not None and OUTPUT_FULL not in found.causes)


def clear_gate(p: Pilot, run: str, cause: str) -> None:
    """Take away what a finish gate fails at, as often as others are served before this run."""
    for _ in range(TURNS):
        if p.run(run).state != STOPPED or cause not in p.run(run).causes:
            return
        clear(p, run, cause)
    raise NotConstructible(f"others take what {run} needs at its finish gate")


def go_on(p: Pilot, run: str) -> None:
    """Until the run has resumed; workers that went come back, and paused requests go on.

    A pool without any working slot never lets it go on; then it stays.
    """
    for away in p.state.outages:
        p.send(e.WorkerReady(away.pool, away.slot, away.place))
    for other in p.state.runs:
        if other.pending == PAUSED and not other.ended:
            p.send(e.Admit(other.id))
    pool = p.facts.tables.pools.get(p.run(run).pool or "")
    if pool is None or pool.working > 0:
        wait(p, in_state(run, *GOING_ON))


def resume(p: Pilot, run: str, *causes: str) -> None:
    """Clear the causes one at a time, then let the run go on."""
    for cause in causes:
        clear(p, run, cause)
    go_on(p, run)


def fail(p: Pilot, run: str, row: Failure) -> None:
    """Trigger a recoverable failure as soon as its losses fit the claim."""
    wait(p, lambda seen: _can_fail(p, seen.run(run), row))
    p.fail(run, row.id)


def _can_fail(p: Pilot, run: Run | None, row: Failure) -> bool:
    if run is None or run.state != row.from_state:
        return False
    needs = p.facts.tables.jobs[run.job].needs
    return fits(row, {need.item: amount for need, amount in zip(needs, run.held, strict=True)})


# -- the finish gate --------------------------------------------------------------------------------------------------


def stop_at_gate(p: Pilot, form: Form, *causes: str) -> str:
    """A run that exactly these causes stop at its finish gate; the world has room for no output or for all."""
    if p.facts.has_work:
        run = start(p, form)
        if INPUTS_AT_FINISH in causes:
            p.drain(run)
    else:
        run = p.request(job=form.job, pool=form.pool, place=form.place, pause=True)
        if INPUTS_AT_FINISH in causes:
            p.drain(run)
        p.send(e.Admit(run))
    wanted = frozenset(causes)
    wait(p, lambda seen: _stopped_by(seen.state, wanted) is not None)
    found = _stopped_by(p.state, wanted)
    if found is None:
        raise NotConstructible(f"{' and '.join(causes)} did not stop a run")
    return found


def _stopped_by(state: State, causes: frozenset[str]) -> str | None:
    return next((run.id for run in state.runs if run.state == STOPPED and frozenset(run.causes) == causes), None)


def is_constructible(facts: Facts, shape: Shape) -> bool:
    """Whether the shape can be built; for runs that show more of a clause than must be shown."""
    try:
        shape.build(Pilot(facts, shape.world, shape.open_pools))
    except (NotConstructible, NotFound):
        return False
    return True
