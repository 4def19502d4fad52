"""Two small decisions that every pool shares: how an assignment's three facts join, and whether authority reunites.

Both are pure tables over values; what a decision means for the member, the queue and the customer is the pool's.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.members import AwaitingBoth, CompletionFirst, Delivered, Join, StopFirst
from harness.models.pools.values import AssignedJob, Authority, Evidence, Stop


class Decision(NamedTuple):
    """What a fact does to a join.

    `word` is `keep` (the join goes on as `join`), `complete`, `interrupt`, `return` (the delivery was refused),
    `contradict` or `reject`. `completion` and `stop` are what the join had kept, or the fact itself.
    """

    word: str
    join: Join | None = None
    completion: Evidence | None = None
    stop: Stop | None = None


REJECT = Decision("reject")


def on_delivery_accepted(join: Join) -> Decision:
    """The worker has the assignment: what was kept is decided now."""
    if isinstance(join, AwaitingBoth):
        return Decision("keep", Delivered())
    if isinstance(join, CompletionFirst):
        return Decision("complete", None, join.completion, join.later_stop)
    if isinstance(join, StopFirst):
        return Decision("interrupt", None, join.later_completion, join.stop)
    return REJECT


def on_delivery_rejected(join: Join) -> Decision:
    """The worker never had the assignment: a kept completion contradicts that."""
    if isinstance(join, AwaitingBoth):
        return Decision("return")
    if isinstance(join, CompletionFirst):
        return Decision("contradict", None, join.completion, join.later_stop)
    if isinstance(join, StopFirst):
        word = "return" if join.later_completion is None else "contradict"
        return Decision(word, None, join.later_completion, join.stop)
    return REJECT


def on_completion(join: Join, completion: Evidence) -> Decision:
    """A matching completion; one that comes after a stop is kept, and the stop stays the winner."""
    if isinstance(join, AwaitingBoth):
        return Decision("keep", CompletionFirst(completion))
    if isinstance(join, Delivered):
        return Decision("complete", None, completion)
    if isinstance(join, StopFirst) and join.later_completion is None:
        return Decision("keep", StopFirst(join.stop, completion))
    return REJECT


def on_stop(join: Join, stop: Stop) -> Decision:
    """The exact worker's stop; a second one is never taken."""
    if isinstance(join, AwaitingBoth):
        return Decision("keep", StopFirst(stop))
    if isinstance(join, Delivered):
        return Decision("interrupt", None, None, stop)
    if isinstance(join, CompletionFirst) and join.later_stop is None:
        return Decision("keep", CompletionFirst(join.completion, stop))
    return REJECT


def matches(job: AssignedJob, completion: Evidence) -> bool:
    """Whether a completion belongs to an assignment: its number, its authority, and the birth the authority names."""
    return completion.assignment == job.assignment and reunites(job, completion.authority)


def reunites(job: AssignedJob, authority: Authority) -> bool:
    """Whether an authority is the other half of what the pool kept for this job and this worker."""
    return authority.token == job.token and authority.birth == job.worker.evidence
