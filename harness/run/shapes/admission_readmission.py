"""Shapes of readmission events: a blocked request tries again, first in vain and then with room."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import NamedEvent
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission import can_be_blocked
from harness.run.shapes.admission_drive import all_room
from harness.run.shapes.admission_ways import plenty
from harness.run.shapes.registry import shapes


@shapes("readmission-event-pairs-with-reservation")
def readmission(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """A request that finds no room, the event without room, and the event with it."""
    if row is None or facts.config.output_full != "wait-before-start":
        return
    form = next((each for each in facts.forms if can_be_blocked(facts, each)), None)
    declared = next(each for each in facts.config.readmissions if each.id == row.id)
    if form is None:
        yield Impossible("every destination takes any output, so no request is ever blocked for room", (1,))
        return
    yield Shape("blocked and readmitted", partial(readmit, form=form, row=declared), plenty(facts, room="none"))


def readmit(p: Pilot, form: Form, row: NamedEvent) -> None:
    """A request that finds no room, the event while there is none, and the event with room."""
    p.request(form.job, form.pool, form.place, dict(form.fields))
    p.send(_event(row))
    all_room(p)
    p.send(_event(row))


def _event(row: NamedEvent) -> e.Event:
    """The event itself, or the tick in which it is polled."""
    return e.Tick() if row.polled else e.Readmit(row.id)


@shapes("reservation-needs-a-readmission-event")
def declared(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Nothing has to run: the declarations are looked at."""
    yield from ()
