"""Runs that are canceled: wherever that is legal, with claims, and with jobs that wait behind them or need them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.config import PLACE, Dependents
from harness.models.lifecycle.state import (
    DELIVERED,
    FINISHED,
    REQUESTED,
    STOPPED,
    TERMINAL,
    WAITING,
    WORKING,
)
from harness.run.facts import Facts
from harness.run.pilot import NotConstructible, NotFound, Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.admission_ways import wait, waiting_forms
from harness.run.shapes.failures import Found, firing_ways, softly, undeclared_shapes
from harness.run.shapes.failures_ways import NEVER_STARTS, Way, always, ask_for, leading, leads, one_each, world_of
from harness.run.shapes.outputs_carry import carry, carry_on
from harness.run.shapes.registry import shapes

LEGAL = (REQUESTED, WAITING, WORKING, STOPPED)
#: Requests after which a pool whose working slots are walked is full, and one waits.
FOLLOWERS_MAX = 6
#: Units that last for all the runs of a script, where its world was chosen to hold few.
SUPPLY = 50


def holds_units(p: Pilot, run: str) -> bool:
    """Whether the run's claim holds anything."""
    return any(p.run(run).held)


# -- declared-cancellation-settles-one-job -----------------------------------------------------------------------------


@shapes("declared-cancellation-settles-one-job")
def cancellations(facts: Facts, row: Row | None) -> Found:
    """The cancellation in each state where it is legal, after a loss, and where it comes too late."""
    if row is None:
        return
    for way in _one_way_each(facts):
        name = f"canceled while {way.state}, {way.name}"
        yield Shape(name, partial(_cancel, way=way, row=row.id), way.world)
    yield from _behind(facts, row.id)
    yield from _after_a_loss(facts, row.id)
    if one_each(facts):
        name = f"{row.id} comes once the run is delivered"
        yield Shape(name, partial(_too_late, row=row.id), world_of(facts), (2,))
    held = next(leading(facts, FINISHED), None)
    if held is not None:
        name = f"{row.id} comes while the run is finished, {held.name}"
        yield Shape(name, partial(_cancel_refused, way=held, row=row.id), held.world, (2,))


def _one_way_each(facts: Facts) -> Iterator[Way]:
    """One way to each legal state, with a claim where a run can hold one; from stopped one for each kind of stop."""
    for state in LEGAL:
        found: dict[str, Way] = {}
        for ready in (holds_units, always):
            for way in leading(facts, state, ready):
                found.setdefault(way.name if state == STOPPED else state, way)
                if state != STOPPED:
                    break
        yield from found.values()


def _cancel(p: Pilot, way: Way, row: str) -> None:
    """Canceled once; a second time, and the end of what stopped it, change nothing any more."""
    run = way.go(p)
    causes = p.run(run).causes
    if way.state == WAITING:
        _let_others_work(p)
    p.cancel(run, row)
    p.offer(e.Cancel(run, row))
    for cause in causes:
        if any(each.id == cause for each in p.config.interruptions):
            p.offer(e.Clear(run, cause))
    softly(p.tick)


def _behind(facts: Facts, row: str) -> Found:
    """A waiting run with others behind it, and a working one that others wait behind; else one that was requested."""
    found = [next(leading(facts, state, _is_followed), None) for state in (WAITING, WORKING)]
    if not any(found):
        found = [next(leading(facts, REQUESTED, _is_followed), None)]
    for way in found:
        if way is not None:
            build = partial(_cancel_followed, way=way, row=row)
            yield Shape(f"canceled while {way.state} and others wait behind it", build, way.world)
    waiting, working = found if len(found) == 2 else (None, None)
    if waiting is not None and working is not None and not leads(facts, waiting, _is_beside_work):
        build = partial(_cancel_follower, way=working, row=row)
        yield Shape("canceled while waiting for the slot of one that works", build, working.world)
    if not any(found):
        yield Impossible("no request of this adoption can be admitted into waiting", (3,))


def _is_followed(p: Pilot, run: str) -> bool:
    return bool(_follow(p, run))


def _is_beside_work(p: Pilot, run: str) -> bool:
    """Whether somebody works where the run waits; its slots may be without their workers instead."""
    here = (p.run(run).pool, p.run(run).place)
    return any(each.state == WORKING and (each.pool, each.place) == here for each in p.state.runs)


def _follow(p: Pilot, run: str) -> list[str]:
    """Requests like the run's own until two of them wait behind it; else one that is kept from starting."""
    found = p.run(run)
    waiting: list[str] = []
    for _ in range(FOLLOWERS_MAX) if found.state != REQUESTED else ():
        name = p.request(found.job, found.pool, found.place, dict(found.fields), must=False)
        made = p.state.run(name)
        if made is None or made.ended or made.state == REQUESTED:
            break
        if made.state == WAITING:
            waiting.append(name)
        if len(waiting) == 2:
            break
    if not waiting:
        waiting.extend(_kept_waiting(p))
    return waiting


def _kept_waiting(p: Pilot) -> Iterator[str]:
    for form in waiting_forms(p.facts):
        try:
            yield wait(p, form)
            return
        except (NotConstructible, NotFound):
            continue


def _cancel_followed(p: Pilot, way: Way, row: str) -> None:
    run = way.go(p)
    _follow(p, run)
    _let_others_work(p)
    p.cancel(run, row)
    softly(p.tick)


def _cancel_follower(p: Pilot, way: Way, row: str) -> None:
    """The first that waits behind a working run is canceled, not the one that works."""
    run = way.go(p)
    first = next(iter(_follow(p, run)), None)
    if first is None:
        raise NotConstructible(f"nobody waits behind {run}")
    _let_others_work(p)
    p.cancel(first, row)
    softly(p.tick)


def _let_others_work(p: Pilot) -> None:
    """A tick that ends nobody's work, so that there is work which the cancellation must leave alone."""
    working = [each for each in p.state.runs if each.state == WORKING]
    if working and all(each.work + each.per_tick < each.required for each in working):
        softly(p.tick)


def _after_a_loss(facts: Facts, row: str) -> Found:
    for failure in facts.config.failures:
        if failure.ruined or not failure.loses:
            continue
        for way in firing_ways(facts, failure)[:1]:
            build = partial(_lose_then_cancel, way=way, failure=failure.id, row=row)
            yield Shape(f"canceled after {failure.id} lost some of its claim", build, way.world)


def _lose_then_cancel(p: Pilot, way: Way, failure: str, row: str) -> None:
    run = way.go(p)
    p.fail(run, failure)
    p.cancel(run, row)


def _too_late(p: Pilot, row: str) -> None:
    run = ask_for(p, one_each(p.facts)[0])
    carry(p, run, FINISHED, DELIVERED)
    carry_on(p, run, DELIVERED)
    p.offer(e.Cancel(run, row))


def _cancel_refused(p: Pilot, way: Way, row: str) -> None:
    run = way.go(p)
    p.offer(e.Cancel(run, row))
    softly(p.tick)


# -- return rules ------------------------------------------------------------------------------------------------------


@shapes("cancel-return-rule-pairs-with-rule-sized-return")
def return_rules(facts: Facts, row: Row | None) -> Found:
    """Cancellations that consult the rule, of runs whose claim holds something."""
    if row is None or facts.config.cancel_return != "return-by-rule":
        yield Impossible("no cancellation consults the rule: the return is not chosen by a rule", (1,))
        return
    consulting = [each for each in facts.config.cancellations if _rule_of(facts, each) == row.id]
    if not consulting:
        yield Impossible(f"an earlier rule is used for every cancellation, so {row.id} is never consulted", (1,))
        return
    found = [way for state in LEGAL for way in _holding(facts, state)]
    for way in found:
        for cancellation in consulting:
            name = f"{cancellation} while {way.state}, {way.name}"
            yield Shape(name, partial(_cancel, way=way, row=cancellation), way.world, (1,))
    if not found:
        yield Impossible("no run that can be canceled holds a claim", (1,))


def _rule_of(facts: Facts, cancellation: str) -> str | None:
    for rule in facts.config.cancel_returns:
        if rule.cancellations is None or cancellation in rule.cancellations:
            return rule.id
    return None


def _holding(facts: Facts, state: str) -> tuple[Way, ...]:
    """The way to the state that leaves the largest claim."""
    found = tuple(leading(facts, state, holds_units))

    def claim(way: Way) -> int:
        p = Pilot(facts, way.world)
        return sum(p.run(way.go(p)).held)

    return (max(found, key=claim),) if found else ()


@shapes("rule-sized-return-needs-a-return-rule")
def needs_a_rule(facts: Facts, row: Row | None) -> Found:
    """The declaration alone decides."""
    yield from ()


@shapes("no-cancellation-without-a-cancellation-row")
def no_cancellation(facts: Facts, row: Row | None) -> Found:
    """Lives through every state that the adoption knows, with cancellations offered that nobody declared."""
    if facts.config.cancellations:
        yield Impossible("the adoption has a cancellations row")
    else:
        yield from undeclared_shapes(facts, "cancel")


# -- dependents --------------------------------------------------------------------------------------------------------


@shapes("dependent-cancellation-follows-answer")
def dependents(facts: Facts, row: Row | None) -> Found:
    """A needed run is canceled while others wait for it: a whole chain, and after a chain that was completed."""
    if row is None:
        return
    declared = next(each for each in facts.config.dependents if each.id == row.id)
    roots = _roots(facts, declared)
    if not roots:
        yield Impossible(f"the link of {row.id} connects no jobs that can be requested")
        return
    root = next((each for each in roots if _leaves_one(facts, declared, each)), None)
    if root is None:
        yield Impossible("no dependent job can wait: no pool that covers one has a waiting slot")
        return
    build = partial(_lose_the_need, row=declared, root=root)
    yield Shape("a needed run is canceled before it finishes", build, world_of(facts))
    if _completable(facts, declared, root):
        build = partial(_done_then_lose, row=declared, root=root)
        yield Shape("a needed run is canceled after others were completed", build, world_of(facts), (1,))
    else:
        yield Impossible(NEVER_STARTS, (1,))
    if not facts.config.end_dependents:
        build = partial(_lose_then_cancel_dependents, row=declared, root=root)
        yield Shape("a dependent that was left is canceled itself", build, world_of(facts), (0,))


def _completable(facts: Facts, row: Dependents, root: str) -> tuple[Form, ...]:
    """The needed job and the first that needs it, as far as they can start; else whatever job can."""
    chain = (root, *reach(row, root)[:1])
    forms = {form.job: form for form in one_each(facts)}
    return tuple(forms[job] for job in chain if job in forms) or one_each(facts)[:1]


def reach(row: Dependents, job: str) -> tuple[str, ...]:
    """The jobs whose chain of needs reaches `job`, nearest first."""
    found: list[str] = []
    pending = [job]
    while pending:
        wanted = pending.pop(0)
        for link in row.links:
            if wanted in link.needs and link.job not in found:
                found.append(link.job)
                pending.append(link.job)
    return tuple(found)


def _roots(facts: Facts, row: Dependents) -> list[str]:
    """Needed jobs that can be requested, those with the longest chain behind them first."""
    needed = dict.fromkeys(need for link in row.links for need in link.needs)
    known = [job for job in needed if facts.form_for(job) is not None]
    chained = [job for job in known if any(facts.form_for(each) is not None for each in reach(row, job))]
    return sorted(chained, key=lambda job: -len(reach(row, job)))


def _leaves_one(facts: Facts, row: Dependents, root: str) -> bool:
    def go(p: Pilot) -> str:
        needed, waiting = _wait_for(p, row, root)
        return next((run for run in waiting if _needs_only(p, run, needed)), "")

    return leads(facts, Way("for its need", WAITING, go, world_of(facts)))


def _needs_only(p: Pilot, run: str, needed: str) -> bool:
    """Whether a need of the run is bound so that nothing but the needed run can still meet it."""
    known = [each.id for each in p.state.runs]
    for job, bound in p.run(run).needs:
        later = [each for each in p.state.runs[known.index(bound) :] if each.job == job and not each.ended]
        if [each.id for each in later if each.state not in TERMINAL or each.state == DELIVERED] == [needed]:
            return True
    return False


def _wait_for(p: Pilot, row: Dependents, root: str) -> tuple[str, list[str]]:
    """The needed run, open, and the runs that wait for it along every chain, two of each job where they fit."""
    needed = _open(p, root)
    waiting: list[str] = []
    for _ in range(2):
        for job in reach(row, root):
            if p.facts.form_for(job) is None:
                continue
            name = p.request(job, must=False)
            made = p.state.run(name)
            if made is not None and made.state == WAITING and not made.ended and made.needs:
                waiting.append(name)
    return needed, waiting


def _open(p: Pilot, job: str) -> str:
    """A run of the job that is open and not finished: a plain request where that leaves one, else a paused one."""
    state, sent = p.state, len(p.events)
    name = p.request(job, must=False)
    made = p.state.run(name)
    if made is not None and not made.ended and made.state not in (FINISHED, *TERMINAL):
        return name
    p.state = state
    del p.events[sent:]
    return p.request(job, pause=True)


def _lose_the_need(p: Pilot, row: Dependents, root: str) -> None:
    needed, waiting = _wait_for(p, row, root)
    p.cancel(needed, row.cancellation)
    softly(p.tick)
    if not p.config.end_dependents and waiting:
        again = p.request(root, must=False)
        carry_on(p, again, FINISHED, DELIVERED)
        carry_on(p, waiting[0], WORKING, STOPPED, FINISHED, DELIVERED)


def _done_then_lose(p: Pilot, row: Dependents, root: str) -> None:
    """A chain that is complete, as far as it can be completed, stays so when a later one loses its beginning."""
    first, *others = _completable(p.facts, row, root)
    _complete(p, first)
    for form in others:
        softly(partial(_complete, p, form))
    needed, _ = _wait_for(p, row, root)
    p.cancel(needed, row.cancellation)
    softly(p.tick)


def _complete(p: Pilot, form: Form) -> None:
    for item, source in p.state.keys:
        if PLACE not in source and p.config.standing_orders:
            p.send(e.Supply(item, SUPPLY, source))
    done = ask_for(p, form)
    carry(p, done, FINISHED, DELIVERED)
    carry_on(p, done, DELIVERED)


def _lose_then_cancel_dependents(p: Pilot, row: Dependents, root: str) -> None:
    needed, waiting = _wait_for(p, row, root)
    p.cancel(needed, row.cancellation)
    softly(p.tick)
    for run in waiting[:1]:
        softly(partial(p.cancel, run, row.cancellation))
