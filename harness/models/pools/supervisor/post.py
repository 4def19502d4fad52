"""What became of the deliveries of a supervisor: the interpreter numbers each one, and tells the end of it once.

A supervisor remembers nothing that it sent, since a query or an unexpected fact has to leave it as it was. So the
tickets are the interpreter's: it gives them out in the order in which operations leave, and a settlement speaks of the
operation only while its ticket is open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.values import DeliveryId

LANES: Mapping[str, str] = {
    "event": "lifecycle-events",
    "reply": "management-replies",
    "diagnostic": "diagnostic-deliveries",
}
"""What letters call a delivery, and the lane that it leaves on."""

ANSWERS: Mapping[str, str] = {
    "deliver": "accepted",
    "bounce": "rejected",
    "mangle": "corrupt",
    "drop": "not-attempted",
}
"""The letters that tell what became of a delivery, and the word of each."""


class Sent(NamedTuple):
    """A delivery: its lane, its ticket, what was sent, and whether nobody has told what became of it."""

    lane: str
    ticket: DeliveryId
    operation: a.Delivery
    is_open: bool = True


class Post(NamedTuple):
    """The number of the last delivery that left, and the latest one of each lane, in the order of the lanes."""

    number: int = 0
    latest: tuple[Sent, ...] = ()


EMPTY = Post()


def settlement(post: Post, word: str, name: str) -> f.DeliverySettled:
    """What a letter tells of the latest delivery of a kind; of one that is settled or never left, the ticket alone."""
    sent = next((each for each in post.latest if each.lane == LANES[name]), None)
    reason = "" if word == "deliver" else "closed"
    if sent is None:
        return f.DeliverySettled(None, ANSWERS[word], reason, DeliveryId(0))
    return f.DeliverySettled(sent.operation if sent.is_open else None, ANSWERS[word], reason, sent.ticket)


def after(post: Post, fact: f.Fact, actions: a.Actions) -> Post:
    """The post once a fact was told and the actions were taken in."""
    latest = {each.lane: each for each in post.latest}
    if isinstance(fact, f.DeliverySettled):
        latest = {
            lane: each._replace(is_open=each.is_open and each.ticket != fact.ticket) for lane, each in latest.items()
        }
    number = post.number
    for operation in actions.deliveries():
        number += 1
        latest[operation.lane] = Sent(operation.lane, DeliveryId(number), operation)
    return Post(number, tuple(latest[lane] for lane in LANES.values() if lane in latest))


def outline(post: Post) -> tuple[str, ...]:
    """All of a post that what comes next depends on: the lanes whose latest delivery is open."""
    return tuple(each.lane for each in post.latest if each.is_open)
