"""Runs that finish: every job, after a stop, after a shut gate, and through an instruction that nobody declared."""

from __future__ import annotations

from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.state import DELIVERED, FINISHED, STOPPED, UNABLE, WORKING
from harness.run.facts import Facts
from harness.run.goals import in_state, reported
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission_ways import plenty
from harness.run.shapes.failures import Found, softly
from harness.run.shapes.failures_ways import ask_for, leading, one_each
from harness.run.shapes.registry import shapes

NEVER_STARTS = "no job of this adoption can start: no pool that covers one has a working slot"
#: An instruction that no interruptions row declares; a system must pass over it.
UNDECLARED = "undeclared-instruction"


@shapes("finish-spends-and-establishes-one-output")
def finishes(facts: Facts, row: Row | None) -> Found:
    """Each job finishes with every gate satisfied; the first also after a stop and after its gate was shut."""
    forms = one_each(facts)
    if not forms:
        yield Impossible(NEVER_STARTS)
    for form in forms:
        yield Shape(f"{form.job} finishes", partial(finish_once, form=form), plenty(facts))
    causes = [cause for cause in facts.ordinary_stops if cause != UNABLE] or list(facts.ordinary_stops)
    if forms and causes:
        build = partial(_finish_after_stop, form=forms[0], cause=causes[0])
        yield Shape(f"{forms[0].job} finishes after a stop by {causes[0]}", build, plenty(facts))
    if forms and facts.can_stop_at_finish_gate:
        for way in list(leading(facts, STOPPED, _at_gate))[:1]:
            yield Shape(f"finishes once stopped {way.name}", partial(_pass_gate, go=way.go), way.world)


def _at_gate(p: Pilot, run: str) -> bool:
    return p.run(run).point == "finish-gate"


def finish_once(p: Pilot, form: Form) -> None:
    """A run up to its finish, and to its delivery where events bring that."""
    run = ask_for(p, form)
    softly(partial(p.until, in_state(run, WORKING), ("tick",)))
    if p.run(run).state == WORKING:
        p.offer(e.Instruct(run, UNDECLARED))
    to_the_end(p, run)


def to_the_end(p: Pilot, run: str) -> None:
    """The finish, which must come, and the delivery, which may."""
    p.until(in_state(run, FINISHED, DELIVERED))
    softly(partial(p.until, in_state(run, DELIVERED)))


def _finish_after_stop(p: Pilot, form: Form, cause: str) -> None:
    run = ask_for(p, form)
    p.until(in_state(run, WORKING))
    softly(p.tick)
    p.stop(run, cause)
    p.clear(run, cause)
    p.until(reported("job-resumed", run))
    to_the_end(p, run)


def _pass_gate(p: Pilot, go: object) -> None:
    run = go(p)  # type: ignore[operator] # a way's script
    p.tick()
    to_the_end(p, run)
