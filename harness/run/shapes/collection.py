"""How delivery on collection is constructed: an accepted output, time that passes, and the event."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import NamedEvent, Pool
from harness.run.facts import Facts
from harness.run.goals import Goal, Seen, reported
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.pools_common import Spot, attempt, can_finish, finds_room, reach, require, shape_in
from harness.run.shapes.pools_slots import admitted_run
from harness.run.shapes.registry import shapes

NO_OUTPUT = "no job can ever finish with an output that finds room at a destination"
NOT_ASKED = "delivery-trigger does not answer on-collection"
TICKS_WAITED = 2


def accepted_job(facts: Facts) -> str | None:
    """A job whose output some destination on its route can accept; the main job where it can."""
    for form in facts.forms:
        job = facts.tables.jobs[form.job]
        pool = facts.config.pool(form.pool) if form.pool is not None else None
        if finds_room(facts, job, form.place) and (pool is None or _starts(facts, pool, form.place, form.job)):
            return form.job
    return None


def _starts(facts: Facts, pool: Pool, place: str | None, job: str) -> bool:
    return can_finish(facts, Spot(pool, place, job))


@shapes("collection-event-pairs-with-collection-delivery")
def pairing(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """The row's event, with an accepted output and without one."""
    assert row is not None
    if not facts.config.on_collection:
        yield Impossible(NOT_ASKED, (1,))
        return
    job = accepted_job(facts)
    if job is None:
        yield Impossible(NO_OUTPUT, (1,))
        return
    rule = next(each for each in facts.config.collections if each.id == row.id)
    yield shape_in(facts, "an accepted output and the event", partial(_collect, job=job, rule=rule), (1,))


def _collect(p: Pilot, job: str, rule: NamedEvent) -> None:
    if not rule.polled:
        # With nothing to take the event must change nothing.
        p.offer(e.Collect(rule.id))
    run = admitted_run(p, job)
    polled = [each for each in p.config.collections if each.polled]
    if polled:
        attempt(p, partial(_until_taken, run=run, rule=rule), partial(_after_others, job=job, rule=rule))
        return
    reach(p, accepted(run))
    others = [partial(_take_both, form=form, first=run, rule=rule) for form in p.facts.forms]
    attempt(p, *others, partial(_take, rule=rule))


def _take(p: Pilot, rule: NamedEvent, run: str | None = None) -> None:
    p.send(e.Collect(rule.id, run))


def _take_both(p: Pilot, form: Form, first: str, rule: NamedEvent) -> None:
    """With a second output there the event takes the one that was accepted first, then the one it names."""
    second = p.request(form.job, form.pool, form.place)
    p.until(accepted(second), using=("tick",))
    require(first in p.state.accepted, f"the output of {first} is there no longer")
    _take(p, rule)
    _take(p, rule, second)


def _until_taken(p: Pilot, run: str, rule: NamedEvent) -> None:
    p.until(reported("job-delivered", run, cause=rule.id))


def _after_others(p: Pilot, job: str, rule: NamedEvent) -> None:
    """Polled rows before this one take an output each in every tick: more must lie there."""
    for _ in p.config.collections:
        p.request(job)
    p.until(reported("job-delivered", cause=rule.id))


def accepted(run: str) -> Goal:
    """The run's output lies accepted at its destination."""

    def goal(seen: Seen) -> bool:
        return run in seen.state.accepted

    return goal


@shapes("collection-needs-a-collection-event")
def declared_event(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Nothing is run: the declarations decide."""
    if not facts.config.on_collection:
        yield Impossible(NOT_ASKED)


@shapes("collection-delivery-waits-for-event")
def waits_for_event(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """An accepted output lies there while time passes; then the event takes it, where one is declared."""
    if not facts.config.on_collection:
        yield Impossible(NOT_ASKED)
        return
    job = accepted_job(facts)
    if job is None:
        yield Impossible(NO_OUTPUT)
        return
    yield shape_in(facts, "an accepted output that waits", partial(_wait_and_collect, job=job))


def _wait_and_collect(p: Pilot, job: str) -> None:
    run = admitted_run(p, job)
    sendable = [each for each in p.config.collections if not each.polled]
    if len(sendable) < len(p.config.collections):
        p.until(reported("job-delivered", run))
        return
    reach(p, accepted(run))
    p.tick(TICKS_WAITED)
    if sendable:
        p.send(e.Collect(sendable[0].id, run))
