"""A small event sequence for an inversion, and the rows by which it differs from the sound model there."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.inversions.registry import inversion_named
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.model import Lifecycle, World

Row = tuple[str, str | None, dict[str, Any]]

PLENTY = (("flour", 12, "larder"), ("water", 4, "tap"))


class Case(NamedTuple):
    """`events` follow after every pool of `config` was opened.

    `adds` is a row (log, run, some of its columns) that the inversion leaves more often than the sound model does,
    `drops` one that it leaves less often. Where both are None the same rows stand in another order.
    """

    config: Config
    events: tuple[e.Event, ...]
    adds: Row | None = None
    drops: Row | None = None
    stock: tuple[tuple[str, int, str], ...] = PLENTY
    room: tuple[tuple[str, int], ...] = ()


def row(log: str, run: str | None, **columns: Any) -> Row:
    """Some columns of a row; `_` in names stands for `-`, and `batch` is a column too."""
    return log, run, {name.replace("_", "-"): value for name, value in columns.items()}


def left_by(turn: type[Handlers], case: Case) -> list[Row]:
    """The rows of all events of a case, in order; an event that is refused leaves none."""
    model = Lifecycle(case.config, turn=turn)
    state = model.initial(World(case.stock, case.room))
    rows: list[Row] = []
    for event in (*(e.OpenPool(pool.id) for pool in case.config.pools), *case.events):
        done = model.step(state, event)
        state = done.state
        rows += [(each.log, each.run, {**each.data, "batch": each.batch, "settle": each.settle}) for each in done.rows]
    return rows


def how_many(rows: list[Row], wanted: Row) -> int:
    """How many rows have the wanted columns."""
    log, run, columns = wanted
    return sum(
        each[:2] == (log, run) and all(each[2][name] == value for name, value in columns.items()) for each in rows
    )


def check(name: str, case: Case) -> None:
    """The inversion differs from the sound model in just the way that the case says."""
    found = inversion_named(name)
    assert found is not None, name
    sound, wrong = left_by(Handlers, case), left_by(found.turn, case)
    assert sound != wrong
    if case.adds is not None:
        assert how_many(wrong, case.adds) > how_many(sound, case.adds)
    if case.drops is not None:
        assert how_many(wrong, case.drops) < how_many(sound, case.drops)


def names_in(module: str) -> set[str]:
    """The names of all inversions of a module of `harness.models.inversions`."""
    from harness.models.inversions.registry import inversions

    return {each.name for each in inversions() if each.turn.__module__ == f"harness.models.inversions.{module}"}
