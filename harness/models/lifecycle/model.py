"""The job lifecycle as a pure model: `initial`, `step`, and the values they take and return.

A `Lifecycle` belongs to one configuration and holds no state: `step` maps a state and an event to the next state
and the rows that the settling left. A refused event returns the very same state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.lifecycle.config import Config
from harness.models.lifecycle.events import Event
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import State
from harness.models.lifecycle.turn import Draft, Tables
from harness.models.pools.port import Slots
from harness.models.pools.slots import PlainSlots


class World(NamedTuple):
    """What is there before the first event: units (item, amount, source), free room by destination, conditions.

    A finite destination that `room` does not name is empty; `eligible` are (row, place, value).
    """

    stock: tuple[tuple[str, int, str], ...] = ()
    room: tuple[tuple[str, int], ...] = ()
    eligible: tuple[tuple[str, str | None, bool], ...] = ()


class Transition(NamedTuple):
    """What one event did: the next state, the refusal where there is one, and the rows in settlement order."""

    state: State
    refused: str | None
    rows: tuple[Draft, ...]


class Lifecycle:
    """The model of one system; `turn` is the class that settles events (an inversion gives another)."""

    def __init__(
        self, config: Config, slots: Slots[Any] | None = None, turn: type[Handlers] = Handlers, full: bool = True
    ) -> None:
        self.config = config
        self.tables = Tables(config)
        self.slots: Slots[Any] = slots if slots is not None else PlainSlots()
        self.turn = turn
        self.full = full

    def initial(self, world: World) -> State:
        """The world before the first event; no pool is open in it."""
        amounts: dict[tuple[str, str], int] = dict.fromkeys(self.tables.stock_keys(), 0)
        for item, amount, source in world.stock:
            amounts[item, source] = amounts.get((item, source), 0) + amount
        keys = tuple(sorted(amounts))
        given = dict(world.room)
        finite = {each.name: each.capacity for each in self.config.destinations if each.capacity is not None}
        names = tuple(sorted(finite))
        return State(
            keys=keys,
            stock=tuple(amounts[key] for key in keys),
            room_names=names,
            free=tuple(given.get(name, finite[name]) for name in names),
            runs=(),
            line=(),
            admitted=(),
            finished=(),
            accepted=(),
            pools=(),
            conditions=tuple(sorted(((row, place) for row, place, value in world.eligible if value), key=str)),
            displaced=(),
            outages=(),
            requests_seen=(),
            made=0,
        )

    def step(self, state: State, event: Event) -> Transition:
        """One event settles."""
        turn = self.turn(self.tables, self.slots, state, self.full)
        refused = turn.settle_event(event)
        if refused is not None:
            return Transition(state, refused, ())
        return Transition(turn.state(), None, tuple(turn.rows))
