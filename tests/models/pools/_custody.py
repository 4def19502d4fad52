"""Whose a job is, told without a pool: a parcel that a customer hands in and gets back exactly once.

The parcel is on its `way` to a worker, in the worker's `hands`, on the `shelf`, or `back` with its customer. What is
heard while it is on its way is noted, and the first of it counts once the parcel has arrived.
"""

from __future__ import annotations

from typing import NamedTuple

FACTS = ("delivery", "completion", "exit", "shutdown")
WAY, HANDS, SHELF, BACK = "way", "hands", "shelf", "back"

DONE = "completed"
LEFT = "returned-assigned/worker-stopped"
CLOSED_ASSIGNED = "returned-assigned/pool-shutdown"
CLOSED_WAITING = "returned-queued/pool-shutdown"


class Custody(NamedTuple):
    """Where the parcel is, what was heard of it first while it was on its way, and all that its customer was told."""

    where: str = WAY
    first: str | None = None
    told: tuple[str, ...] = ()


def after(custody: Custody, fact: str, is_tried_again: bool) -> Custody:
    """What a fact makes of it; a parcel that a worker let fall goes on the shelf, or back where none tries again."""
    if custody.where in (BACK, SHELF):
        return _closed(custody) if fact == "shutdown" else custody
    if fact == "shutdown":
        return _closed(custody)
    if fact == "delivery":
        arrived = custody._replace(where=HANDS, first=None)
        return arrived if custody.first is None else _over(arrived, custody.first, is_tried_again)
    if custody.where == WAY:
        return custody._replace(first=custody.first or fact)
    return _over(custody, fact, is_tried_again)


def _over(custody: Custody, end: str, is_tried_again: bool) -> Custody:
    """The worker is done with the parcel, or is gone."""
    if end == "completion":
        return _given_back(custody, DONE)
    return custody._replace(where=SHELF) if is_tried_again else _given_back(custody, LEFT)


def _closed(custody: Custody) -> Custody:
    """Nobody works on: what is not back goes back."""
    if custody.where == BACK:
        return custody
    return _given_back(custody, CLOSED_WAITING if custody.where == SHELF else CLOSED_ASSIGNED)


def _given_back(custody: Custody, word: str) -> Custody:
    return custody._replace(where=BACK, told=(*custody.told, word))
