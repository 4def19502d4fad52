"""Both accounts side by side: one input in, both records and what the outside sees of each out."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.pools import facts as f
from harness.models.pools.correlations import Allocator, Allocators
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.inputs import Input, Rebalance, Submit, Unbind
from harness.models.pools.keyed_oracle import counter, workshop
from harness.models.pools.keyed_oracle.closing import Closing
from harness.models.pools.keyed_oracle.counter import Ledgers, Told
from harness.models.pools.keyed_oracle.hands import Counter
from harness.models.pools.keyed_oracle.workshop import Floor

ENDS = ("empty", "forced")
"""What the workshop is in the end."""


class Records(NamedTuple):
    """What both accounts remember."""

    counter: Ledgers
    workshop: Floor


class Predicted(NamedTuple):
    """What the accounts make of one input."""

    records: Records
    told: tuple[Told, ...]


def opening(rules: KeyedDefinition, marks: Allocators, stamps: Allocator, plans: tuple[str, ...]) -> Records:
    """The records of a pool that has not begun.

    `marks` are its counters before anything was made ready, `plans` the first worker of each role.
    """
    return Records(counter.opened(rules, marks, stamps), workshop.opened(rules, marks, plans))


def predict(rules: KeyedDefinition, records: Records, fact: Input) -> Predicted:
    """What the outside will see when a pool with these records takes an input in."""
    if records.workshop.state in ENDS:
        return Predicted(records, ())
    front, back = Counter(rules, records.counter), Closing(rules, records.workshop)
    front.back, back.front = back, front
    _take(front, back, fact)
    back.settle()
    return Predicted(Records(front.ledgers(), back.floor()), (*front.told, *back.told))


def _take(front: Counter, back: Closing, fact: Any) -> None:
    if isinstance(fact, Submit):
        front.serve_customer(fact)
    elif isinstance(fact, Rebalance | Unbind):
        front.serve_manager(fact)
    elif isinstance(fact, f.Shutdown):
        if back.state != "closing":
            back.close()
    elif isinstance(fact, f.DeadlineAccepted | f.DeadlineRejected | f.DeadlineElapsed):
        back.hear_bell(fact)
    elif isinstance(fact, f.Initialize):
        back.open_door() if back.state == "shut-door" else back.odd()
    elif back.state == "shut-door":
        back.odd()
    elif back.state == "closing":
        _take_closing(back, fact)
    elif isinstance(fact, f.WorkerCompleted):
        front.hear_done(fact)
    elif isinstance(fact, f.WorkerStopped):
        if not front.hear_left(fact.role, fact.stop):
            back.hear_exit(fact)
    elif not isinstance(fact, f.DeliveryAccepted | f.DeliveryRejected):
        back.hear(fact)
    elif not front.hear_hand_over(fact):
        back.odd()


def _take_closing(back: Closing, fact: Any) -> None:
    if isinstance(fact, f.WorkerCompleted):
        back.odd("stale")
    elif isinstance(fact, f.WorkerStopped):
        back.hear_closing_exit(fact)
    else:
        back.hear_closing(fact)
