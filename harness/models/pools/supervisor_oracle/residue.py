"""What is left to others when it can't be used any more: flat words, in which both accounts are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools.correlations import BirthId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.values import OperationId, Proxy, Submission, WorkerStop
from harness.models.pools.supervisor_oracle.book import Cell

Item = tuple[Any, ...]
Left = dict[str | None, list[Item]]


def told_of(left: Left, roles: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """One word for each role that leaves something, in order; what belongs to no role comes last."""
    for role in (*roles, None):
        if role in left:
            yield ("left", role, tuple(sorted(left[role])))


def things_of(cell: Cell, with_seat: bool) -> Iterator[Item]:
    """All that a cell has; `with_seat` adds the proxy, or the birth that it waits for."""
    if with_seat and cell.egg is not None:
        yield ("egg", int(cell.egg))
    elif with_seat and cell.proxy is not None:
        yield ("proxy", int(cell.proxy.birth))
    for slip in (cell.slip, cell.kit):
        if slip is not None:
            yield ("slip", int(slip[0]), slip[1])
    if cell.permit is not None:
        yield ("given", int(cell.permit.ticket))
    yield from end_of(cell)


def end_of(cell: Cell) -> Iterator[Item]:
    """The end of a cell's worker, where it was reported; a lost report is left to others already."""
    if isinstance(cell.gone, WorkerStop):
        yield ("end", *cell.gone)


# -- the model's side ----------------------------------------------------------------------------------------------


def seen_left(actions: a.Actions, roles: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """What the model leaves to the host, in the oracle's words."""
    left: Left = {}
    for each in actions.residual_transfers:
        left.setdefault(each.role, []).extend(_things(each.residual))
    for role, items in left.items():
        seats = {each for each in items if each[0] in ("egg", "proxy")}
        left[role] = [*seats, *(each for each in items if each[0] not in ("egg", "proxy"))]
    yield from told_of(left, roles)


def _things(value: Any) -> Iterator[Item]:
    """The things inside: a proxy that several values name is one."""
    if isinstance(value, f.SourceAnswer):
        yield ("errand", int(value.preparation))
    elif isinstance(value, Submission):
        yield ("made", value.definition)
    elif hasattr(value, "definition"):
        yield ("slip", int(value.ticket), value.definition)
    elif isinstance(value, WorkerStop):
        yield ("end", *value)
    elif isinstance(value, Proxy):
        yield ("proxy", int(value.birth))
    elif isinstance(value, BirthId):
        yield ("egg", int(value))
    elif isinstance(value, OperationId):
        yield ("given", int(value))
    elif isinstance(value, tuple):
        for each in value:
            yield from _things(each)
