"""Building a run by goal: events are sent, searches go on from where the run stands.

A shape's script needs a running world to steer by; the pilot gives it the model. What it leaves is a list of events,
and only those are kept: the run that is judged is made by sending them to the system under test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from harness.models.explorer import Bounds, shortest
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet, Form
from harness.models.lifecycle.config import Config, at_place
from harness.models.lifecycle.model import Transition, World
from harness.models.lifecycle.state import RECOVERY, TERMINAL, UNABLE, Run, State
from harness.models.lifecycle.turn import Draft
from harness.run.facts import Facts
from harness.run.goals import Goal, Seen, both, either, in_state, reported

__all__ = [
    "Limits",
    "NotConstructible",
    "NotFound",
    "Pilot",
    "Shape",
    "both",
    "either",
    "in_state",
    "reported",
]

# The kinds that most goals need; a search that fails with them is repeated with every kind.
USUAL = ("tick", "request", "admit", "clear", "readmit", "redeliver", "collect", "supply", "room")
RUNS_MAX = 12
JUMP_MAX = 64
# Where the pool's rule chooses the place, requests go elsewhere too before one place is full.
FILL_MAX = 16
SEARCH = Bounds(depth=8, states=3000)


class NotConstructible(Exception):  # noqa: N818  # an outcome that is handled, named as what it says
    """An event that the shape needs was refused."""


class NotFound(Exception):  # noqa: N818  # as above
    """A search ended without its goal. `limit` is the bound that it met, None where it exhausted its space."""

    def __init__(self, message: str, limit: str | None) -> None:
        super().__init__(message)
        self.limit = limit


class Shape(NamedTuple):
    """One run that a template's `given` speaks of, and how to build it.

    `world` None is a world of plenty; `clauses` None means that every clause of the template rests on it.
    """

    name: str
    build: Callable[[Pilot], None]
    world: World | None = None
    clauses: tuple[int, ...] | None = None
    open_pools: bool = True


class Limits(NamedTuple):
    """Bounds of a search: inputs in a sequence, distinct states, and runs that it may make."""

    depth: int
    states: int
    runs: int


DEFAULT_LIMITS = Limits(SEARCH.depth, SEARCH.states, RUNS_MAX)


class Pilot:
    """A world on the model that a script steers; `events` are what was sent so far."""

    def __init__(
        self,
        facts: Facts,
        world: World | None = None,
        open_pools: bool = True,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.facts = facts
        self.config: Config = facts.config
        self.world = world if world is not None else facts.world()
        self.model = facts.search_model
        self.state: State = self.model.initial(self.world)
        self.events: list[e.Event] = []
        self._limits = limits
        self._alphabet = Alphabet(self.config, facts.forms, limits.runs)
        if open_pools:
            for pool in self.config.pools:
                self.send(e.OpenPool(pool.id))

    # -- single events --------------------------------------------------------------------------------------------

    def run(self, run_id: str) -> Run:
        """The run now; NotConstructible where there is none."""
        found = self.state.run(run_id)
        if found is None:
            raise NotConstructible(f"there is no run {run_id}")
        return found

    def offer(self, event: e.Event) -> Transition:
        """Send an event that may be refused."""
        transition = self.model.step(self.state, event)
        self.state = transition.state
        self.events.append(event)
        return transition

    def send(self, event: e.Event) -> Transition:
        """Send an event that must be taken; NotConstructible where it is refused."""
        transition = self.offer(event)
        if transition.refused is not None:
            self.events.pop()
            raise NotConstructible(f"{event.kind} was refused: {transition.refused}")
        return transition

    def open(self, pool: str) -> Transition:
        """Open a pool."""
        return self.send(e.OpenPool(pool))

    def request(
        self,
        job: str | None = None,
        pool: str | None = None,
        place: str | None = None,
        fields: dict[str, int | str] | None = None,
        phase: str | None = None,
        pause: bool = False,
        must: bool = True,
    ) -> str:
        """Request a job in the form that the adoption's own rules accept; returns the run's name."""
        wanted = job if job is not None or pool is not None else self.config.job
        form = self.facts.form_for(wanted, pool, place, phase) or self._form_by_rule(wanted, pool, phase)
        if form is None:
            raise NotConstructible(f"no request leads to {job or 'a job'} in {pool or 'any pool'}")
        name = self._alphabet.next_name(self.state)
        given = tuple(sorted({**dict(form.fields), **(fields or {})}.items()))
        event = e.Request(name, form.job, form.place, form.phase, given, pause)
        if must:
            self.send(event)
        else:
            self.offer(event)
        return name

    def _form_by_rule(self, job: str | None, pool: str | None, phase: str | None) -> Form | None:
        """Where the pool's rule chooses the place, a request cannot name it."""
        found = self.facts.tables.pools.get(pool or "")
        if found is None or found.assignment in (None, "requested"):
            return None
        return self.facts.form_for(job, pool, None, phase)

    def tick(self, times: int = 1) -> Transition:
        """Let time pass."""
        for _ in range(times - 1):
            self.send(e.Tick())
        return self.send(e.Tick())

    def advance(self, run: str) -> Transition:
        """Ticks until the run's next report."""
        return self._jump(lambda seen: bool(seen.reports(run=run)))

    def _jump(self, goal: Goal) -> Transition:
        for _ in range(JUMP_MAX):
            before = self.state
            transition = self.send(e.Tick())
            if goal(Seen(before, e.Tick(), transition.state, transition.rows)):
                return transition
        raise NotFound(f"{JUMP_MAX} ticks brought nothing", "ticks")

    # -- searches -------------------------------------------------------------------------------------------------

    def until(
        self,
        goal: Goal,
        using: tuple[str, ...] | None = None,
        depth: int = SEARCH.depth,
        states: int = SEARCH.states,
    ) -> Transition:
        """The shortest events from here to the goal are sent; NotFound where the bounds hold none.

        A search may also jump: ticks up to the next report count as one input, so that long work costs one step.
        """
        if goal(Seen(self.state, None, self.state, ())):
            return Transition(self.state, None, ())
        depth, states = min(depth, self._limits.depth), min(states, self._limits.states)
        bounds = Bounds(depth, states)
        if using is None:
            try:
                return self._search(goal, USUAL, Bounds(depth, min(states, 600)))
            except NotFound:
                return self._search(goal, self._alphabet.kinds, bounds)
        return self._search(goal, using, bounds)

    def _search(self, goal: Goal, kinds: tuple[str, ...], bounds: Bounds) -> Transition:
        def enabled(state: State) -> Iterator[tuple[e.Event, ...]]:
            for event in self._alphabet.enabled(state, kinds):
                yield (event,)
                if isinstance(event, e.Tick):
                    jump = self._ticks_to_report(state)
                    if len(jump) > 1:
                        yield jump

        def step(state: State, events: tuple[e.Event, ...]) -> Transition:
            rows: list[Draft] = []
            for event in events:
                transition = self.model.step(state, event)
                if transition.refused is not None:
                    return Transition(state, transition.refused, ())
                state = transition.state
                rows.extend(transition.rows)
            return Transition(state, None, tuple(rows))

        def reached(before: State, events: tuple[e.Event, ...], transition: Transition) -> bool:
            return goal(Seen(before, events[-1], transition.state, transition.rows))

        found = shortest(self.state, enabled, step, reached, bounds)
        if found.inputs is None or found.transition is None:
            met = f"met its limit of {found.limit}" if found.limit else "exhausted its space"
            raise NotFound(f"a search over {found.states} states {met}", found.limit)
        for events in found.inputs:
            for event in events:
                self.send(event)
        return found.transition

    def _ticks_to_report(self, state: State) -> tuple[e.Event, ...]:
        for count in range(1, JUMP_MAX + 1):
            transition = self.model.step(state, e.Tick())
            if transition.rows:
                return (e.Tick(),) * count
            if transition.state == state:
                return ()
            state = transition.state
        return ()

    def walk(self, seed: str, length: int) -> None:
        """Seeded random events, `length` of them: the Mersenne Twister on the seed text, uniform over the enabled.

        A kind is drawn first, then an event of that kind, so that kinds with many events don't crowd the others out.
        """
        draw = Random()
        draw.seed(seed, version=2)
        sent = 0
        while sent < length:
            by_kind: dict[str, list[e.Event]] = {}
            for event in self._alphabet.enabled(self.state, self._alphabet.kinds):
                by_kind.setdefault(event.kind, []).append(event)
            kinds = sorted(by_kind)
            # A tick is half of all draws: a life needs time to pass.
            kind = "tick" if draw.getrandbits(1) else kinds[draw.getrandbits(32) % len(kinds)]
            choices = by_kind[kind]
            self.offer(choices[draw.getrandbits(32) % len(choices)])
            sent += 1

    # -- goals that many shapes share -----------------------------------------------------------------------------

    def stop(self, run: str, cause: str) -> Transition:
        """Give a working or stopped run the cause: the row's instruction, or its inputs taken away."""
        if cause == UNABLE:
            self.drain(run)
            return self._jump(lambda seen: bool(seen.reports("job-stopped", run)))
        row = next(each for each in self.config.interruptions if each.id == cause)
        return self.send(e.Instruct(run, row.instructions[0]))

    def clear(self, run: str, cause: str) -> Transition:
        """Take a cause away: a declared one by its event, a world cause by what it waits for."""
        if cause == UNABLE:
            return self.supply_for(run)
        return self.send(e.Clear(run, cause))

    def fail(self, run: str, row: str) -> Transition:
        """Trigger a failure."""
        return self.send(e.Fail(run, row))

    def cancel(self, run: str, row: str) -> Transition:
        """Trigger a cancellation."""
        return self.send(e.Cancel(run, row))

    def _sources(self, run_or_job: str) -> tuple[tuple[str, int, str], ...]:
        run = self.state.run(run_or_job)
        job, place = (run.job, run.place) if run is not None else (run_or_job, None)
        needs, sources = self.facts.tables.jobs[job].needs, self.facts.tables.sources(job, place)
        return tuple((item, need.amount, source) for need, (item, source) in zip(needs, sources, strict=True))

    def supply_for(self, run_or_job: str, times: int = 1) -> Transition:
        """Units for `times` more runs of that job arrive."""
        transition = Transition(self.state, None, ())
        for item, amount, source in self._sources(run_or_job):
            if amount:
                transition = self.send(e.Supply(item, amount * times, source))
        return transition

    def drain(self, run_or_job: str) -> None:
        """Another rule uses every usable unit that the job takes."""
        usable = dict(zip(self.state.keys, self.state.stock, strict=True))
        for item, _, source in self._sources(run_or_job):
            amount = usable[item, source]
            if amount:
                self.send(e.Use(item, amount, source))

    def destination(self, run: str) -> str:
        """The run's normal destination."""
        found = self.run(run)
        return at_place(self.facts.tables.jobs[found.job].destination or "", found.place)

    def room(self, run: str, free: int) -> Transition:
        """Set the free room of the run's normal destination."""
        return self.send(e.Room(self.destination(run), free))

    def fill_room(self, run: str) -> Transition:
        """No room is left at the run's normal destination."""
        return self.room(run, 0)

    def make_room(self, run: str) -> Transition:
        """Room for one output of the run at its normal destination."""
        return self.room(run, self.facts.tables.jobs[self.run(run).job].size)

    def free_slots(self, pool: str, place: str | None = None) -> int:
        """Working slots that are free now."""
        for name, where, slots in self.state.pools:
            if (name, where) == (pool, place):
                return self.model.slots.free(slots)
        raise NotConstructible(f"the pool {pool} is not open")

    def fill(self, pool: str, place: str | None = None, job: str | None = None) -> tuple[str, ...]:
        """Requests until no working slot is free; returns the runs that took one."""
        made: list[str] = []
        while (free := self.free_slots(pool, place)) > 0:
            made.append(self.request(job, pool, place))
            if self.free_slots(pool, place) >= free and (place is None or len(made) > FILL_MAX):
                raise NotConstructible(f"a request does not keep a working slot of {pool}")
        return tuple(made)

    def fill_waiting(self, pool: str, place: str | None = None) -> tuple[str, ...]:
        """Requests until the pool's waiting limit is reached; NotConstructible where it has none."""
        limit = self.facts.tables.pools[pool].waiting
        if limit is None:
            raise NotConstructible(f"the pool {pool} has no waiting limit")
        made: list[str] = []
        while self._waiting(pool, place) < limit:
            waiting = self._waiting(pool, place)
            made.append(self.request(None, pool, place))
            if self._waiting(pool, place) == waiting:
                raise NotConstructible(f"a request does not wait in {pool}")
        return tuple(made)

    def _waiting(self, pool: str, place: str | None) -> int:
        return sum(1 for run in self.state.runs if run.waiting_slot and (run.pool, run.place) == (pool, place))

    def finish(self, run: str) -> Transition:
        """Until the run is delivered."""
        return self.until(in_state(run, "delivered"))

    def end(self, run: str) -> Transition:
        """Until the run has ended, whichever way is shortest."""
        return self.until(in_state(run, *TERMINAL))

    def recover(self, run: str) -> Transition:
        """Clear the recovery cause of a failed run."""
        return self.send(e.Clear(run, RECOVERY))
