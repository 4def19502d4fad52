"""Runs in which a declared failure is offered: from its own state, where it resolves, and from every other state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.state import (
    DELIVERED,
    FINISHED,
    REQUESTED,
    STOPPED,
    UNABLE,
    WAITING,
    WORKING,
)
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.failures_ways import WHY_NOT, Way, ask_for, can_fail, leading, one_each, world_of
from harness.run.shapes.outputs_carry import carry_on
from harness.run.shapes.registry import shapes

Found = Iterator[Shape | Impossible]


def softly(*steps: Callable[[], object]) -> bool:
    """As many of these steps as this run allows; whether all of them were."""
    try:
        for step in steps:
            step()
    except (NotConstructible, NotFound):
        return False
    return True


# -- where the failure fires -------------------------------------------------------------------------------------------


def firing_ways(facts: Facts, failure: Failure) -> tuple[Way, ...]:
    """One way for each resume point at which the failure fires from its state; none where it never can."""
    found: dict[str, Way] = {}
    for way in leading(facts, failure.from_state, partial(can_fail, row=failure.id)):
        found.setdefault(_point(facts, way), way)
    return tuple(found.values())


def _point(facts: Facts, way: Way) -> str:
    """The resume point that a stopped run has recorded; the same for all other states."""
    p = Pilot(facts, way.world)
    return p.run(way.go(p)).point


def why_never(facts: Facts, failure: Failure) -> str:
    """Why no run is offered the failure so that it fires."""
    state = failure.from_state
    if not failure.ruined and state == FINISHED:
        return "a recoverable failure from finished is invalid, and the lifecycle refuses it"
    if next(leading(facts, state), None) is None:
        return WHY_NOT[state]
    return f"the losses of {failure.id} are a strict subset of no claim that a run holds in {state}"


def _fire(p: Pilot, way: Way, failure: Failure) -> None:
    """The failure fires; what it leaves is seen to stay, or to go on once it is cleared."""
    run = way.go(p)
    p.fail(run, failure.id)
    if p.run(run).state == STOPPED:
        softly(p.tick)
        carry_on(p, run, WAITING, WORKING, FINISHED, DELIVERED)
    else:
        p.offer(e.Fail(run, failure.id))
        softly(p.tick, partial(p.supply_for, run))


def _fires(facts: Facts, failure: Failure, clauses: tuple[int, ...] | None = None) -> Found:
    """A shape for each way in which the failure fires, or why there is none."""
    found = firing_ways(facts, failure)
    for way in found:
        name = f"{failure.id} fires from {way.state}, {way.name}"
        yield Shape(name, partial(_fire, way=way, failure=failure), way.world, clauses)
    if not found:
        yield Impossible(why_never(facts, failure), clauses)


# -- where it must not -------------------------------------------------------------------------------------------------


def _refused_losses(facts: Facts, failure: Failure) -> Found:
    """The right state with a claim that the named losses don't leave a part of."""

    def cannot(p: Pilot, run: str) -> bool:
        return not can_fail(p, run, failure.id)

    if failure.ruined or failure.from_state == FINISHED:
        return
    way = next(leading(facts, failure.from_state, cannot), None)
    if way is not None:
        name = f"{failure.id} is offered in {way.state} with too small a claim"
        yield Shape(name, partial(_offer_there, way=way, failure=failure), way.world, (0,))


def _offer_there(p: Pilot, way: Way, failure: Failure) -> None:
    run = way.go(p)
    p.offer(e.Fail(run, failure.id))
    softly(p.tick)


def _elsewhere(facts: Facts, failure: Failure) -> Found:
    """The failure offered in every state but its own: along one life, and to a waiting run."""
    name = f"{failure.id} is offered in other states"
    yield Shape(name, partial(_along_a_life, failure=failure), world_of(facts), (0,))
    way = next(leading(facts, WAITING), None)
    if way is not None and failure.from_state != WAITING:
        name = f"{failure.id} is offered while waiting"
        yield Shape(name, partial(_offer_there, way=way, failure=failure), way.world, (0,))
    held = next(leading(facts, FINISHED), None)
    if held is not None and failure.from_state != FINISHED:
        name = f"{failure.id} is offered once finished"
        yield Shape(name, partial(_offer_there, way=held, failure=failure), held.world, (0,))


def _along_a_life(p: Pilot, failure: Failure) -> None:
    forms = one_each(p.facts) or p.facts.forms
    if not forms:
        raise NotConstructible("no job of this adoption can be requested")
    run = ask_for(p, forms[0], pause=True)

    def offer(*states: str) -> None:
        now = p.run(run).state
        if now in states and now != failure.from_state:
            p.offer(e.Fail(run, failure.id))

    offer(REQUESTED)
    p.send(e.Admit(run))
    carry_on(p, run, WORKING, STOPPED, FINISHED, DELIVERED)
    offer(WORKING)
    causes = [cause for cause in p.facts.ordinary_stops if cause != UNABLE]
    if causes and p.run(run).state == WORKING and softly(partial(p.stop, run, causes[0])):
        offer(STOPPED)
    carry_on(p, run, DELIVERED)
    offer(DELIVERED)


@shapes("failure-row-fires-from-its-state")
def fires_from_its_state(facts: Facts, row: Row | None) -> Found:
    """The failure in its own state, and in each other state that the adoption reaches."""
    if row is None:
        return
    failure = facts.failure(row.id)
    found = firing_ways(facts, failure)
    if found:
        yield from _fires(facts, failure)
    else:
        yield Impossible(why_never(facts, failure), (2,))
    yield from _refused_losses(facts, failure)
    yield from _elsewhere(facts, failure)


@shapes("failure-row-result-recoverable")
def recoverable_result(facts: Facts, row: Row | None) -> Found:
    """The failure resolving from its state, once for each resume point."""
    if row is not None:
        yield from _fires(facts, facts.failure(row.id))
        yield from _refused_losses(facts, facts.failure(row.id))


@shapes("failure-row-result-ruined")
def ruined_result(facts: Facts, row: Row | None) -> Found:
    """The failure ending its job, from each kind of stop where it fires from stopped."""
    if row is not None:
        yield from _fires(facts, facts.failure(row.id))


# -- progress claims ---------------------------------------------------------------------------------------------------


@shapes("progress-failure-adjusts-claim-after-loss")
def progress_losses(facts: Facts, row: Row | None) -> Found:
    """The failure where it takes units or work, at the smallest and at the largest claim that it fires on."""
    if row is None:
        return
    failure = facts.failure(row.id)
    if failure.ruined:
        yield Impossible(f"the result of {failure.id} is a ruined job")
    elif not _names_a_loss(failure):
        yield Impossible(f"the rule of {failure.id} names neither an input loss nor a loss of work")
    else:
        yield from _losing(facts, failure)


def _names_a_loss(failure: Failure) -> bool:
    return bool(failure.loses or failure.loses_work or failure.loses_work_share)


def _losing(facts: Facts, failure: Failure) -> Found:
    def takes(p: Pilot, run: str) -> bool:
        works = bool(failure.loses_work or failure.loses_work_share) and p.run(run).work > 0
        return can_fail(p, run, failure.id) and (bool(failure.loses) or works)

    found = tuple(leading(facts, failure.from_state, takes))
    chosen = dict.fromkeys((*found[:1], *found[-1:], *_latest(facts, found)))
    for at, way in enumerate(chosen):
        name = f"{failure.id} takes its losses from {way.state}, {way.name} ({at + 1})"
        yield Shape(name, partial(_fire, way=way, failure=failure), way.world)
    if not found and firing_ways(facts, failure):
        yield Impossible(f"no run in {failure.from_state} has work or units that {failure.id} could take")
    elif not found:
        yield Impossible(why_never(facts, failure))


def _latest(facts: Facts, found: tuple[Way, ...]) -> tuple[Way, ...]:
    """The way with the most recorded work: there a claim has most to give up."""

    def recorded(way: Way) -> Fraction:
        p = Pilot(facts, way.world)
        return Fraction(p.run(way.go(p)).work)

    return (max(found, key=recorded),) if found else ()


# -- no failure declared -----------------------------------------------------------------------------------------------


@shapes("no-failure-without-a-failure-row")
def no_failure(facts: Facts, row: Row | None) -> Found:
    """A life through every state that the adoption knows, with failures offered that nobody declared."""
    if facts.config.failures:
        yield Impossible("the adoption has a failures row")
        return
    yield from undeclared_shapes(facts, "fail")


def undeclared(p: Pilot, kind: str) -> None:
    """One run to its end; an invented failure or cancellation is offered where it works and where it has finished."""
    forms = one_each(p.facts) or p.facts.forms
    if not forms:
        raise NotConstructible("no job of this adoption can be requested")
    run = ask_for(p, forms[0])
    carry_on(p, run, WORKING, FINISHED, DELIVERED)
    _invented(p, run, kind)
    carry_on(p, run, FINISHED, DELIVERED)
    _invented(p, run, kind)


def _offer_undeclared(p: Pilot, way: Way, kind: str) -> None:
    run = way.go(p)
    _invented(p, run, kind)
    softly(p.tick)


def _invented(p: Pilot, run: str, kind: str) -> None:
    p.offer(e.Fail(run, "undeclared-failure") if kind == "fail" else e.Cancel(run, "undeclared-cancellation"))


def undeclared_shapes(facts: Facts, kind: str) -> Found:
    """The same lives for an adoption without a declared failure or cancellation."""
    yield Shape("a life to its end", partial(undeclared, kind=kind), world_of(facts))
    for state in (REQUESTED, WAITING, STOPPED):
        way = next(leading(facts, state), None)
        if way is not None:
            build = partial(_offer_undeclared, way=way, kind=kind)
            yield Shape(f"{way.state}, {way.name}", build, way.world)
