"""Runs that finish: every job, after a stop, after a shut gate, and through an instruction that nobody declared."""

from __future__ import annotations

from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.state import DELIVERED, FINISH_GATE, FINISHED, STOPPED, WORK_POINT, WORKING
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.failures import Found, softly
from harness.run.shapes.failures_ways import NEVER_STARTS, Go, ask_for, finishing, leading, world_of
from harness.run.shapes.outputs_carry import carry, carry_on
from harness.run.shapes.registry import shapes

#: An instruction that no interruptions row declares; a system must pass over it.
UNDECLARED = "undeclared-instruction"


@shapes("finish-spends-and-establishes-one-output")
def finishes(facts: Facts, row: Row | None) -> Found:
    """Each job finishes with every gate satisfied; the first also twice, after a stop, and after its gate was shut."""
    forms = finishing(facts)
    if not forms:
        yield Impossible(NEVER_STARTS)
    for form in forms:
        yield Shape(f"{form.job} finishes", partial(finish_once, form=form), world_of(facts, form=form))
    for form in forms[:1]:
        build = partial(_one_after_another, form=form)
        yield Shape(f"{form.job} finishes, and once more", build, world_of(facts, form=form))
    for point in (WORK_POINT, FINISH_GATE):
        way = next(leading(facts, STOPPED, partial(_stands_at, point=point)), None)
        if way is not None:
            yield Shape(f"finishes once stopped {way.name}", partial(_go_on, go=way.go), way.world)


def _stands_at(p: Pilot, run: str, point: str) -> bool:
    return p.run(run).point == point


def finish_once(p: Pilot, form: Form) -> None:
    """A run up to its finish, and to its delivery where events bring that."""
    run = ask_for(p, form)
    carry_on(p, run, WORKING, FINISHED, DELIVERED)
    if p.run(run).state == WORKING:
        p.offer(e.Instruct(run, UNDECLARED))
    to_the_end(p, run)


def _one_after_another(p: Pilot, form: Form) -> None:
    """A second output follows where the first has gone, which it must leave alone."""
    finish_once(p, form)
    softly(partial(p.supply_for, form.job), partial(finish_once, p, form))


def to_the_end(p: Pilot, run: str) -> None:
    """The finish, which must come, and the delivery, which may."""
    carry(p, run, FINISHED, DELIVERED)
    carry_on(p, run, DELIVERED)


def _go_on(p: Pilot, go: Go) -> None:
    run = go(p)
    p.tick()
    to_the_end(p, run)
