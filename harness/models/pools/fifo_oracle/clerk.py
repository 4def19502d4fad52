"""The oracle's work on jobs: who is taken in, who gets a worker, who goes back, and in which order."""

from __future__ import annotations

from itertools import chain
from typing import Any

from harness.models.pools.correlations import Allocator, Correlation, JobId
from harness.models.pools.definition import Definition
from harness.models.pools.facts import Submit
from harness.models.pools.fifo_oracle.book import Book, Cell, Slip
from harness.models.pools.values import Worker

Told = tuple[Any, ...]


class Clerk:
    """One day's work on the book: `told` is what the outside sees of it, in the order in which it happens."""

    def __init__(self, rules: Definition, book: Book) -> None:
        self.rules = rules
        self.cells = list(book.cells)
        self.line = list(book.line)
        self.hand = book.hand
        self.marks = book.marks
        self.spent = book.spent
        self.open = book.open
        self.bell = book.bell
        self.verdict = book.verdict
        self.plans = book.plans
        self.told: list[Told] = []

    def book(self) -> Book:
        """The book at the end of the day."""
        cells, line = tuple(self.cells), tuple(self.line)
        ends = (self.open, self.bell, self.verdict, self.plans)
        return Book(cells, line, self.hand, self.marks, self.spent, *ends)

    def tell(self, *what: Any) -> None:
        """The outside sees something."""
        self.told.append(what)

    def draw(self, kind: str) -> Correlation | None:
        """The next number of a kind. A taken one is skipped for good; beyond the last there is none."""
        mark = dict(zip(self.marks._fields, self.marks, strict=True))[kind]
        number = mark.next
        if mark.last is not None and number > mark.last:
            return None
        more = Allocator(type(number)(number + 1), mark.last, mark.clashes)
        self.marks = self.marks._replace(**{kind: more})
        return None if number in mark.clashes else number

    # -- jobs in ---------------------------------------------------------------------------------------------------

    def take_in(self, asked: Submit) -> None:
        """A customer comes: refuse, hand on, or put in line."""
        why = self.why_not()
        if why:
            return self.tell("rejected", asked.customer, asked.request, asked.payload, why)
        free = self.free_cell()
        number = self.draw("job")
        if number is None:
            return self.tell("rejected", asked.customer, asked.request, asked.payload, "job-correlation-unavailable")
        slip = Slip(JobId(number), asked.customer, asked.payload)
        if free is None:
            self.line.append(slip)
            return self.tell("accepted", asked.customer, asked.request, slip.job)
        pair = self.draw("dispatch")
        if pair is None:
            why = "dispatch-correlation-unavailable"
            return self.tell("rejected", asked.customer, asked.request, asked.payload, why)
        self.tell("accepted", asked.customer, asked.request, slip.job)
        return self.hand_out(slip, free, pair)

    def why_not(self) -> str:
        """The reason to send a customer away at the door, empty for none."""
        if not self.open:
            return "shutting-down"
        if not any(map(_has_a_future, self.cells)):
            return "no-recoverable-workers"
        full = len(self.line) >= self.rules.backlog
        return "backlog-full" if full and self.free_cell() is None else ""

    # -- jobs out --------------------------------------------------------------------------------------------------

    def free_cell(self) -> int | None:
        """Where the hand stops: the first free cell, going round once."""
        for number in chain(range(self.hand, len(self.cells)), range(self.hand)):
            if self.cells[number].stands == "free":
                return number
        return None

    def hand_out(self, slip: Slip, number: int, pair: Correlation) -> None:
        """A free cell gets a slip, and the hand moves past it."""
        who = _worker(self.cells[number])
        wants = (("gone", who), ("handed", who.child, pair), ("done", who.child, pair, pair, who.evidence))
        self.cells[number] = Cell("working", who, wants, slip, pair)
        self.hand = number + 1 if number + 1 < len(self.cells) else 0
        self.tell("given", number, who.child, pair, slip.job, slip.load)

    def serve(self) -> None:
        """The front of the line meets free cells until one of the two runs out; without a future nobody may wait."""
        while self.open and self.line and (number := self.free_cell()) is not None:
            slip = self.line.pop(0)
            pair = self.draw("dispatch")
            if pair is not None:
                self.hand_out(slip, number, pair)
            elif slip.had_by is None:
                self.tell("returned", slip.route, slip.job, None, slip.load, "dispatch-correlation-failed")
            else:
                role = self.rules.roles[slip.had_by]
                self.tell("returned", slip.route, slip.job, role, slip.load, "retry-preparation-rejected")
        if self.open and not any(map(_has_a_future, self.cells)):
            self.send_home("no-recoverable-workers")

    def send_home(self, why: str) -> None:
        """The whole line goes, front first."""
        for slip in self.line:
            self.tell("returned", slip.route, slip.job, None, slip.load, why)
        self.line.clear()

    def line_up(self, slip: Slip, number: int) -> None:
        """A slip that a cell had goes back among the waiting; who was taken in first stands first."""
        self.line.append(slip._replace(had_by=number))
        self.line.sort(key=lambda each: each.job)

    def give_back(self, slip: Slip, number: int, why: str) -> None:
        """A slip that a cell has goes back to its customer."""
        self.tell("returned", slip.route, slip.job, self.rules.roles[number], slip.load, why)


def _has_a_future(cell: Cell) -> bool:
    return cell.stands != "over" and cell.then not in ("end", "close")


def _worker(cell: Cell) -> Worker:
    if cell.who is None:
        raise ValueError("a free cell has a worker")
    return cell.who
