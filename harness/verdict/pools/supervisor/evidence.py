"""The evidence of a supervisor: the one of pools with accounts of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from harness.models.pools.supervisor.definition import Definition
from harness.run.pools.supervisor.binding import definition_of
from harness.run.recording import LogRow
from harness.verdict.pools.book import Book
from harness.verdict.pools.evidence import PoolEvidence, Step
from harness.verdict.pools.standing import Standing
from harness.verdict.pools.supervisor.book import BOOK_LOGS, SupervisorBook, operations
from harness.verdict.pools.supervisor.standing import STATE_LOGS, SupervisorStanding


@dataclass(frozen=True)
class SupervisorEvidence(PoolEvidence):
    """What the judgments of one scenario see."""

    def opening(self) -> tuple[Standing, Book]:
        """A supervisor that has not begun."""
        return SupervisorStanding(), SupervisorBook()


def declared(e: PoolEvidence) -> Definition:
    """What the adoption declares."""
    return definition_of(e.adoption)


def moments(e: PoolEvidence, *inputs: str) -> Iterator[Moment]:
    """Every event that was taken in, over all worlds in order; with names, only those inputs."""
    for step in e.steps(*inputs):
        yield moment_of(step)


def moment_of(step: Step) -> Moment:
    """A step with the accounts of a supervisor."""
    return Moment(step.world, step.place, step.sent)


@dataclass(frozen=True)
class Moment(Step):
    """One event of a supervisor."""

    @property
    def before(self) -> SupervisorStanding:
        """What the state logs said before."""
        self.world.evidence.touch(*STATE_LOGS)
        return cast(SupervisorStanding, self._fold.standings[self.place])

    @property
    def after(self) -> SupervisorStanding:
        """What they say now."""
        self.world.evidence.touch(*STATE_LOGS)
        return cast(SupervisorStanding, self._fold.standings[self.place + 1])

    @property
    def book(self) -> SupervisorBook:
        """What was open before the fact."""
        self.world.evidence.touch(*BOOK_LOGS)
        return cast(SupervisorBook, self._fold.books[self.place])

    @property
    def told(self) -> SupervisorBook:
        """What was open once the fact was in and before anything left."""
        self.world.evidence.touch(*BOOK_LOGS)
        return cast(SupervisorBook, self._fold.told[self.place])

    @property
    def book_after(self) -> SupervisorBook:
        """What is open now."""
        self.world.evidence.touch(*BOOK_LOGS)
        return cast(SupervisorBook, self._fold.books[self.place + 1])

    def leaving(self) -> Iterator[tuple[LogRow, SupervisorBook]]:
        """The rows of what left, in order, each with what was open just before it; do not keep the book."""
        book = self.told.copy()
        fact = self.input
        for row in operations(self.rows):
            yield row, book
            book.take(row, fact)

    @cached_property
    def role(self) -> str | None:
        """The role that the fact is about by its proxy or its reservation, before it came in."""
        proxy, reservation = self.input["proxy"], self.input["reservation"]
        found = self.book.role_of(proxy) or self.book.births.get(reservation)
        return found or self.before.role_of(proxy, reservation)
