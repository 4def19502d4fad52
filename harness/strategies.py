"""Hypothesis strategies over adoptions, worlds and events, for property tests of job systems and of this harness.

Everything shrinks toward the plain: an adoption toward a job without inputs, work, pool or rows, a world toward an
empty one, a sequence toward fewer events. Needs Hypothesis (`pip install 'job-resolution-harness[strategies]'`).

    from hypothesis import given
    from harness.strategies import adoptions, runs
    from harness.run.facts import Facts

    @given(adoptions().map(Facts).flatmap(runs))
    def test_my_system_never_crashes(run): ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from harness.assembly import CHOICES, assemble
from harness.contract.documents import parse_document
from harness.contract.reading import build_adoption
from harness.contract.shapes import Adoption
from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet
from harness.models.lifecycle.config import Config, Fields
from harness.models.lifecycle.handlers import WORKER_STOPPED
from harness.models.lifecycle.model import World
from harness.models.lifecycle.state import RECOVERY, State
from harness.run.facts import Facts

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError as missing:
    raise ImportError(
        "harness.strategies needs Hypothesis; install it with: pip install 'job-resolution-harness[strategies]'"
    ) from missing

__all__ = [
    "Run",
    "adoption_documents",
    "adoptions",
    "choices",
    "event_sequences",
    "events",
    "runs",
    "typed_adoption",
    "worlds",
]

EVENTS_MAX = 20
RUNS_MAX = 5
UNITS_MAX = 3
NOWHERE = "nowhere"
"""A name that no adoption here declares: arbitrary events name what does not exist, too."""


class Run(NamedTuple):
    """A world and the events to send into it, in order."""

    world: World
    events: tuple[e.Event, ...]


# -- adoptions ------------------------------------------------------------------------------------------------------


def choices() -> SearchStrategy[dict[str, str]]:
    """Full sets of choices for `harness.assembly.assemble`, in any combination; shrinks to the first options."""
    # A dictionary would be drawn in a shuffled order, which means nothing here and costs twice as many draws.
    return st.tuples(*map(st.sampled_from, CHOICES.values())).map(lambda drawn: dict(zip(CHOICES, drawn, strict=True)))


def adoption_documents(instance: str = "made-up") -> SearchStrategy[dict[str, Any]]:
    """Valid adoption documents as plain data, ready to be written as JSON or YAML."""
    return choices().map(lambda chosen: assemble(chosen, instance))


def adoptions(instance: str = "made-up") -> SearchStrategy[Adoption]:
    """Valid adoptions in their typed form. Their path is `<instance>.json`, which need not exist."""
    return adoption_documents(instance).map(typed_adoption)


def typed_adoption(document: dict[str, Any]) -> Adoption:
    """The typed form of an adoption document, as reading it from a file would give it; nothing is checked."""
    parsed, findings = parse_document(f"{document['instance']}.json", json.dumps(document).encode())
    assert parsed is not None, findings  # a document of ours is always JSON
    return build_adoption(parsed)


# -- worlds ---------------------------------------------------------------------------------------------------------


def worlds(facts: Facts) -> SearchStrategy[World]:
    """Worlds of an adoption: units for up to three runs at each source, any free room, any named conditions."""
    config, tables = facts.config, facts.tables
    needed = {key: most_needed(config, key[0]) for key in tables.stock_keys()}
    stock = st.tuples(*(_units(key, amount) for key, amount in sorted(needed.items())))
    finite = [(each.name, each.capacity) for each in config.destinations if each.capacity is not None]
    room = st.tuples(*(st.tuples(st.just(name), st.integers(0, capacity)) for name, capacity in sorted(finite)))
    eligible = st.tuples(*(st.tuples(st.just(row), st.just(place), st.booleans()) for row, place in conditions(facts)))
    return st.builds(World, stock, room, eligible)


def _units(key: tuple[str, str], needed: int) -> SearchStrategy[tuple[str, int, str]]:
    item, source = key
    return st.tuples(st.just(item), st.integers(0, UNITS_MAX * needed), st.just(source))


def most_needed(config: Config, item: str) -> int:
    """The most units of an item that one run takes, at least 1."""
    return max([1, *(need.amount for job in config.jobs for need in job.needs if need.item == item)])


def conditions(facts: Facts) -> Iterator[tuple[str, str | None]]:
    """The (standing order, place) pairs whose named condition a world can set."""
    for row in facts.config.standing_orders:
        pool = facts.config.pool(row.pool)
        if row.eligible.conditions and pool is not None:
            yield from ((row.id, place) for place in facts.places(pool))


# -- events ---------------------------------------------------------------------------------------------------------


class _Pick(NamedTuple):
    """One of the events that may be legal where the sequence stands: which kind, and which among that kind."""

    kind_at: int
    event_at: int


def event_sequences(
    facts: Facts, world: World | None = None, max_size: int = EVENTS_MAX, legal: bool = True
) -> SearchStrategy[tuple[e.Event, ...]]:
    """Sequences for a world (None: a world of plenty): the openings of all pools, then at most `max_size` events.

    With `legal`, each of them may be legal where it stands; few are refused. Without, half of them are any well-formed
    event, and the openings may be missing.
    """
    start = facts.world() if world is None else world
    enabled = st.builds(_Pick, st.integers(0, 255), st.integers(0, 255))
    step: SearchStrategy[_Pick | e.Event] = enabled
    if not legal:
        anything = events(facts)
        # Drawn in two steps: as alternatives, each kind of event would weigh as much as all that is enabled.
        step = st.booleans().flatmap(lambda strange: anything if strange else enabled)
    # The length is drawn first: lists left to themselves stay short, and a life needs its time.
    steps = st.integers(0, max_size).flatmap(lambda size: st.lists(step, min_size=size, max_size=size))
    opened = st.just(True) if legal else st.booleans().map(lambda closed: not closed)
    return st.builds(lambda opens, drawn: _sequence(facts, start, opens, drawn), opened, steps)


def _sequence(facts: Facts, world: World, opens: bool, steps: list[_Pick | e.Event]) -> tuple[e.Event, ...]:
    """The events that the steps stand for, each where it stands."""
    alphabet = Alphabet(facts.config, facts.forms, RUNS_MAX)
    sent: list[e.Event] = [e.OpenPool(pool.id) for pool in facts.config.pools] if opens else []
    state = facts.search_model.initial(world)
    for event in sent:
        state = facts.search_model.step(state, event).state
    for step in steps:
        event = _enabled(alphabet, state, step) if isinstance(step, _Pick) else step
        state = facts.search_model.step(state, event).state
        sent.append(event)
    return tuple(sent)


def _enabled(alphabet: Alphabet, state: State, pick: _Pick) -> e.Event:
    """One of the events that may be legal now: a kind first, so that kinds with many events don't crowd others out."""
    by_kind: dict[str, list[e.Event]] = {}
    for event in alphabet.enabled(state, alphabet.kinds):
        by_kind.setdefault(event.kind, []).append(event)
    # A third of the numbers are a tick: a life needs time to pass.
    kinds = list(by_kind)
    options = by_kind["tick" if pick.kind_at % 3 == 1 else kinds[pick.kind_at // 3 % len(kinds)]]
    return options[pick.event_at % len(options)]


def runs(facts: Facts, max_size: int = EVENTS_MAX, legal: bool = True) -> SearchStrategy[Run]:
    """A world with a sequence of events for it."""
    return worlds(facts).flatmap(
        lambda world: event_sequences(facts, world, max_size, legal).map(lambda sent: Run(world, sent))
    )


def events(facts: Facts) -> SearchStrategy[e.Event]:
    """Any well-formed event: names of the adoption and names that nothing has, legal or not."""
    return st.one_of(*(strategy for _, strategy in sorted(_by_kind(facts).items())))


def _by_kind(facts: Facts) -> dict[str, SearchStrategy[e.Event]]:
    """A strategy for each kind of event, by its kind."""
    names = _Names(facts)
    run, place, pool = names.run, names.place, names.pool
    slot = st.integers(1, 3)
    return {
        "admit": _made(e.Admit, run),
        "cancel": _made(e.Cancel, run, names.rows("cancellations")),
        "clear": _made(e.Clear, run, names.cause),
        "collect": _made(e.Collect, names.rows("collection-events"), st.none() | run),
        "eligible": _made(e.Eligible, names.rows("standing-orders"), st.booleans(), place),
        "fail": _made(e.Fail, run, names.rows("failures")),
        "instruct": _made(e.Instruct, run, names.instruction, st.none() | run),
        "open-pool": _made(e.OpenPool, pool),
        "readmit": _made(e.Readmit, names.rows("readmission-events")),
        "redeliver": _made(e.Redeliver, names.rows("redelivery-events")),
        "request": _made(e.Request, run, names.job, place, names.phase, names.fields, st.booleans()),
        "room": _made(e.Room, names.destination, st.integers(0, 4)),
        "set-fields": _made(e.SetFields, run, names.fields),
        "supply": _made(e.Supply, names.item, st.integers(1, 6), names.source),
        "tick": st.just(e.Tick()),
        "use": _made(e.Use, names.item, st.integers(1, 6), names.source),
        "worker-ready": _made(e.WorkerReady, pool, slot, place),
        "worker-stop": _made(e.WorkerStop, pool, slot, place),
    }


def _made(kind: type[e.Event], *values: SearchStrategy[Any]) -> SearchStrategy[e.Event]:
    return st.tuples(*values).map(lambda given: kind(*given))


class _Names:
    """The names that events can hold: those of the adoption, and one that nothing has."""

    def __init__(self, facts: Facts) -> None:
        config, tables = facts.config, facts.tables
        self._facts = facts
        self.run = st.sampled_from([*"ABCD", "S1", "S2"])
        self.job = _named(job.id for job in config.jobs)
        self.place = st.none() | _named(tables.places())
        self.pool = _named(pool.id for pool in config.pools)
        self.phase = st.none() | _named(phase.id for phase in config.phases)
        self.destination = _named(each.name for each in config.destinations)
        self.item = _named(item for item, _ in tables.stock_keys())
        self.source = _named(source for _, source in tables.stock_keys())
        self.cause = _named([row.id for row in config.interruptions] + [RECOVERY])
        self.instruction = _named(
            [each for row in config.interruptions for each in row.instructions] + [WORKER_STOPPED]
        )
        self.fields = self._fields(config)

    def rows(self, collection: str) -> SearchStrategy[str]:
        """The ids of a collection's rows."""
        return _named(row.id for row in self._facts.adoption.rows(collection))

    @staticmethod
    def _fields(config: Config) -> SearchStrategy[Fields]:
        """Fields that some rule reads, with small numbers, the values that coverage asks for, or text."""
        asked = {name: value for pool in config.pools for name, value in pool.covers.fields}
        asked.update({key.field: 1 for pool in config.pools for key in pool.order if key.field != "admission"})
        for phase in config.phases:
            asked.update({each: 2 for each in (phase.work, phase.per_tick) if isinstance(each, str)})
        optional = {name: _field(value) for name, value in sorted(asked.items())}
        return st.fixed_dictionaries({}, optional=optional).map(e.sorted_fields)


def _field(usual: int | str) -> SearchStrategy[int | str]:
    return st.one_of(st.just(usual), st.integers(0, 3), st.just("text"))


def _named(names: Iterable[str]) -> SearchStrategy[str]:
    """One of the names, or one that nothing has."""
    return st.sampled_from([*dict.fromkeys(names), NOWHERE])
