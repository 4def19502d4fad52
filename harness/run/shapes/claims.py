"""Shapes of claims-keep-their-source: every way in which a claim is made, released, spent and lost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import Failure
from harness.models.lifecycle.state import UNABLE, WORKING
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission_drive import drive, is_past_work, is_started, stop, workers_back
from harness.run.shapes.admission_orders import possible
from harness.run.shapes.admission_ways import Build, as_far, plenty, start_now, starting_forms, stop_causes
from harness.run.shapes.claims_ways import TICKS_MAX, holding, holding_forms, taking_forms, try_to_use
from harness.run.shapes.registry import shapes


@shapes("claims-keep-their-source")
def claims(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A claim that another rule reaches for and that is spent; then each way of releasing and of losing it."""
    if not taking_forms(facts):
        yield Impossible("no job takes a unit, so no run holds a claim")
        return
    found = [each for shape in _shapes(facts) for each in possible(facts, shape)]
    yield from found
    changes = _changes(facts, [each for each in found if isinstance(each, Shape)])
    if "claim" not in changes:
        yield Impossible("no request that takes units can start, and none claims before it does")
    if "release" not in changes:
        yield Impossible("nothing in this adoption gives a claimed unit back", (1,))
    if not changes & {"spend", "lose"}:
        yield Impossible("nothing in this adoption spends or loses a claimed unit: no run starts", (2,))


def _shapes(facts: Facts) -> Iterator[Shape]:
    world = plenty(facts)
    starting = next((form for form in taking_forms(facts) if form in starting_forms(facts)), None)
    if starting is not None:
        yield Shape("claimed and spent", partial(_claim_and_spend, form=starting), world)
    holder = next(holding_forms(facts), None)
    if holder is not None:
        yield Shape("claimed and reached for", partial(_claim_and_try, form=holder), world)
        for name, build in _endings(facts, holder):
            yield Shape(name, as_far(build), world)


def _changes(facts: Facts, shapes: list[Shape]) -> set[str]:
    """Every change of a claim that these runs show on the model."""
    changes: set[str] = set()
    for shape in shapes:
        p = Pilot(facts, shape.world)
        try:
            shape.build(p)
        except (NotConstructible, NotFound):
            continue
        state = facts.model.initial(p.world)
        for event in p.events:
            step = facts.model.step(state, event)
            state = step.state
            changes.update(row.data["change"] for row in step.rows if row.log == "claim-ledger")
    return changes


def _claim_and_spend(p: Pilot, form: Form) -> None:
    run = start_now(p, form)
    drive(p, run, is_past_work)


def _claim_and_try(p: Pilot, form: Form) -> None:
    run = holding(p, form)
    try_to_use(p, run)
    as_far(lambda pilot: _to_gate(pilot, run))(p)


def _to_gate(p: Pilot, run: str) -> None:
    workers_back(p)
    drive(p, run, is_started)
    drive(p, run, is_past_work)


def _endings(facts: Facts, form: Form) -> Iterator[tuple[str, Build]]:
    for row in facts.config.cancellations:
        yield f"canceled by {row}", partial(_cancel, form=form, row=row)
    for cause in stop_causes(facts, form) if form in starting_forms(facts) else ():
        yield f"stopped by {cause}", partial(_stop, form=form, cause=cause, ticks=1)
        if facts.config.timing == "with-progress" and cause != UNABLE:
            yield f"stopped by {cause} at once", partial(_stop, form=form, cause=cause, ticks=0)
    for failure in facts.config.failures:
        if failure.loses or failure.loses_all or failure.releases or facts.config.timing == "with-progress":
            yield f"failed by {failure.id}", partial(_fail, form=form, failure=failure)


def _cancel(p: Pilot, form: Form, row: str) -> None:
    run = holding(p, form)
    p.cancel(run, row)


def _stop(p: Pilot, form: Form, cause: str, ticks: int) -> None:
    run = start_now(p, form)
    for _ in range(ticks if cause != UNABLE else 0):
        p.tick()
    stop(p, run, cause)
    p.tick(2)
    p.clear(run, cause)
    drive(p, run, is_past_work)


def _fail(p: Pilot, form: Form, failure: Failure) -> None:
    early = failure.from_state == "waiting" or not p.facts.has_work
    run = holding(p, form) if early else start_now(p, form)
    if failure.from_state == "stopped" and p.run(run).state == WORKING:
        p.tick()
        for cause in stop_causes(p.facts, form)[:1]:
            stop(p, run, cause)
    fail_when_possible(p, run, failure)
    if not failure.ruined:
        p.recover(run)
        drive(p, run, is_past_work)


def fail_when_possible(p: Pilot, run: str, failure: Failure) -> None:
    """Trigger the failure at the first tick at which the claim lets it fire."""
    for _ in range(TICKS_MAX):
        event = e.Fail(run, failure.id)
        if p.model.step(p.state, event).refused is None:
            p.send(event)
            return
        if p.run(run).state != WORKING:
            break
        p.tick()
    raise NotConstructible(f"{failure.id} never fires")
