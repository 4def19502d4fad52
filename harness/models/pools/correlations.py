"""Correlations: numbers that name one thing once, and the allocators that issue them.

A correlation is no identity of an actor. Every kind is a type of its own, so that one can't be passed for another and
a walk can rename the numbers of a state without knowing what they name.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple


class Correlation(int):
    """A number that is issued once and never again; its kind is its class."""

    __slots__ = ()
    word: ClassVar[str] = "correlation"

    def __repr__(self) -> str:
        return f"{self.word}-{int(self)}"


class BirthId(Correlation):
    """One attempt to create a worker; the nonce of the child and the evidence of its birth are such numbers too."""

    __slots__ = ()
    word = "birth"


class JobId(Correlation):
    """One accepted job, as its customer knows it."""

    __slots__ = ()
    word = "job"


class Ordinal(Correlation):
    """The private order of admission; it is issued together with the job."""

    __slots__ = ()
    word = "ordinal"


class DispatchId(Correlation):
    """One attempt to have a job done: its assignment and the pair of completion halves."""

    __slots__ = ()
    word = "dispatch"


class RecoveryId(Correlation):
    """One recovery of one role."""

    __slots__ = ()
    word = "recovery"


class TimerId(Correlation):
    """One timer, for a restart or for the drain. As none is issued twice, its number is its generation too."""

    __slots__ = ()
    word = "timer"


class TicketId(Correlation):
    """One occupied place among the activations that may run at once."""

    __slots__ = ()
    word = "ticket"


class GenerationId(Correlation):
    """One binding of a key to a role, from its making to its end; a pool without keys issues none."""

    __slots__ = ()
    word = "generation"


class RequestId(Correlation):
    """The caller's own number of a submission (and of its payload); a pool only echoes it."""

    __slots__ = ()
    word = "request"


class Allocator(NamedTuple):
    """Issues the numbers of one kind: `next` comes next, `last` is the final one, `clashes` are those already taken."""

    next: Correlation
    last: int | None = None
    clashes: tuple[int, ...] = ()


class Reservation(NamedTuple):
    """What a reservation gave: a number, or why not (`exhausted`, `collision`)."""

    number: Correlation | None
    failure: str | None


def reserve(allocator: Allocator) -> tuple[Reservation, Allocator]:
    """Take the next number. A number that clashes is retired with the refusal: nothing wraps, nothing comes twice."""
    number, last, clashes = allocator
    if last is not None and number > last:
        return Reservation(None, "exhausted"), allocator
    following = Allocator(type(number)(number + 1), last, clashes)
    if number in clashes:
        return Reservation(None, "collision"), following
    return Reservation(number, None), following


class Allocators(NamedTuple):
    """One allocator for each kind of correlation that a pool issues."""

    birth: Allocator = Allocator(BirthId(1))
    job: Allocator = Allocator(JobId(1))
    dispatch: Allocator = Allocator(DispatchId(1))
    recovery: Allocator = Allocator(RecoveryId(1))
    timer: Allocator = Allocator(TimerId(1))
    ticket: Allocator = Allocator(TicketId(1))
