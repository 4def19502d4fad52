"""The first account: the counter. It keeps leases of keys, a bin of slips for each service cell, and work in hand.

A cell is `away` (its worker is being made or found), `at-hand`, `serving`, `barred` (its worker isn't trusted) or
`shut`. The counter hears of workers from the workshop only, and tells it who left, who isn't trusted, and when all is
over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from harness.models.pools.correlations import Allocator, Allocators, Correlation, DispatchId, GenerationId, JobId
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.inputs import Rebalance, Submit, Unbind
from harness.models.pools.values import Evidence, Stop, Worker

Told = tuple[Any, ...]


class Lease(NamedTuple):
    """A key that belongs to a cell, under a stamp."""

    key: str
    stamp: GenerationId
    cell: int


class Slip(NamedTuple):
    """One job on paper, with the stamp of the lease it came in on; `again`: somebody has worked on it before."""

    number: JobId
    route: str
    load: Correlation
    stamp: GenerationId
    again: bool = False


class Work(NamedTuple):
    """A slip in somebody's hands: was it handed over, is it done, has the worker left, and which of the two first."""

    slip: Slip
    pair: DispatchId
    who: Worker
    handed: bool = False
    done: Evidence | None = None
    left: Stop | None = None
    left_first: bool = False


class ServiceCell(NamedTuple):
    """The place of one role at the counter."""

    stands: str
    who: Worker | None = None
    bin: tuple[Slip, ...] = ()
    work: Work | None = None


class Ledgers(NamedTuple):
    """All that the counter remembers."""

    cells: tuple[ServiceCell, ...]
    leases: tuple[Lease, ...]
    stamps: Allocator
    numbers: Allocator
    pairs: Allocator
    is_open: bool = True


class Back(Protocol):
    """What the counter can say to, and ask, the workshop behind it."""

    def vacated(self, cell: int, stop: Stop) -> None:
        """The worker left and nothing of its work is open."""

    def distrusted(self, cell: int) -> None:
        """The worker did not take what it was given."""

    def emptied(self, cell: int) -> None:
        """The worker left, and nothing follows."""

    def close(self) -> None:
        """It is all over."""

    def idler(self, child: Correlation) -> Worker | None:
        """The worker of that name who has, or had, nothing in hand."""


def opened(rules: KeyedDefinition, marks: Allocators, stamps: Allocator) -> Ledgers:
    """The counter of a pool whose workers are not sent for yet."""
    return Ledgers(tuple(ServiceCell("away") for _ in rules.roles), (), stamps, marks.job, marks.dispatch)


class Desk:
    """One step at the counter as customers and managers see it; `told` is what the outside sees of it, in order."""

    back: Back

    def __init__(self, rules: KeyedDefinition, before: Ledgers) -> None:
        self.rules = rules
        self.cells = list(before.cells)
        self.leases = {each.key: each for each in before.leases}
        self.marks = {"stamp": before.stamps, "number": before.numbers, "pair": before.pairs}
        self.is_open = before.is_open
        self.told: list[Told] = []

    def ledgers(self) -> Ledgers:
        """What the counter remembers after the step."""
        leases = tuple(self.leases[key] for key in sorted(self.leases))
        stamp, number, pair = self.marks.values()
        return Ledgers(tuple(self.cells), leases, stamp, number, pair, self.is_open)

    def tell(self, *what: Any) -> None:
        """The outside sees something."""
        self.told.append(what)

    def draw(self, kind: str) -> Any:
        """The next number of a kind; one that is taken is skipped for good, and None is all that follows the last."""
        mark = self.marks[kind]
        if mark.last is not None and mark.last < mark.next:
            return None
        self.marks[kind] = mark._replace(next=type(mark.next)(mark.next + 1))
        return None if mark.next in mark.clashes else mark.next

    def set(self, cell: int, **changes: Any) -> None:
        """A cell changes."""
        self.cells[cell] = self.cells[cell]._replace(**changes)

    def takes(self, cell: int) -> bool:
        """Whether new slips and leases may go to a cell."""
        return self.cells[cell].stands not in ("barred", "shut")

    # -- customers -------------------------------------------------------------------------------------------------

    def serve_customer(self, asked: Submit) -> None:
        """Send away, hand on at once, or drop into the cell's bin; a new lease comes with the slip or not at all."""
        outcome = self.find_place(asked)
        if isinstance(outcome, str):
            return self.tell("rejected", asked.customer, *asked[:4], outcome)
        lease, number, pair = outcome
        self.leases[lease.key] = lease
        self.tell("accepted", asked.customer, asked.request, number, lease.stamp, self.rules.roles[lease.cell])
        slip, cell = Slip(number, asked.customer, asked.payload, lease.stamp), self.cells[lease.cell]
        if pair is not None:
            return self.hand_out(lease.cell, slip, pair)
        return self.set(lease.cell, bin=(*cell.bin, slip))

    def find_place(self, asked: Submit) -> str | tuple[Lease, JobId, DispatchId | None]:
        """The lease, the number and, for a worker at hand, the pair; or why there is no place."""
        if not self.is_open:
            return "shutting-down"
        if all(each.stands == "shut" for each in self.cells):
            return "no-recoverable-workers"
        lease = self.leases.get(asked.key) or self.new_lease(asked.key)
        if isinstance(lease, str):
            return lease
        cell = self.cells[lease.cell]
        if not self.takes(lease.cell):
            return "role-unavailable"
        if cell.stands != "at-hand" and len(cell.bin) >= self.rules.workers.backlog:
            return "role-backlog-full"
        number = self.draw("number")
        if number is None:
            return "job-correlation-unavailable"
        pair = self.draw("pair") if cell.stands == "at-hand" else None
        if pair is None and cell.stands == "at-hand":
            return "assignment-correlation-unavailable"
        return lease, number, pair

    def new_lease(self, key: str) -> Lease | str:
        """A lease as the selector has it, under a stamp of its own."""
        role = self.rules.selector(key) if self.rules.selector else ""
        if role not in self.rules.roles:
            return "unknown-selected-role"
        if len(self.leases) == self.rules.binding_capacity:
            return "binding-capacity-reached"
        stamp = self.draw("stamp")
        return "binding-generation-unavailable" if stamp is None else Lease(key, stamp, self.rules.roles.index(role))

    # -- managers --------------------------------------------------------------------------------------------------

    def serve_manager(self, asked: Rebalance | Unbind) -> None:
        """One answer to one command."""
        lease = self.leases.get(asked.key)
        if not self.is_open:
            return self.say(asked, "rejected", asked, "shutting-down", None)
        if asked.expected != (lease.stamp if lease else None):
            return self.say(asked, "rejected", asked, "stale-expectation", lease.stamp if lease else None)
        if isinstance(asked, Rebalance):
            return self.move_lease(asked, lease)
        if lease is None:
            return self.say(asked, "already-unbound", asked)
        del self.leases[asked.key]
        return self.say(asked, "unbound", lease.key, *self.shown(lease))

    def move_lease(self, asked: Rebalance, lease: Lease | None) -> None:
        """A lease is made, stays, or goes to another cell under a new stamp."""
        if asked.target not in self.rules.roles:
            return self.say(asked, "rejected", asked, "unknown-target", None)
        cell = self.rules.roles.index(asked.target)
        if not self.takes(cell):
            return self.say(asked, "rejected", asked, "target-unavailable", None)
        if lease is not None and lease.cell == cell:
            return self.say(asked, "rebalance-unchanged", *self.shown(lease))
        if lease is None and len(self.leases) == self.rules.binding_capacity:
            return self.say(asked, "rejected", asked, "binding-capacity-exhausted", None)
        stamp = self.draw("stamp")
        if stamp is None:
            return self.say(asked, "rejected", asked, "generation-reservation-rejected", None)
        moved = self.leases[asked.key] = Lease(asked.key, stamp, cell)
        if lease is None:
            return self.say(asked, "bound-absent", *self.shown(moved))
        return self.say(asked, "rebalanced", *self.shown(lease), *self.shown(moved))

    def say(self, asked: Rebalance | Unbind, *what: Any) -> None:
        """An answer, by the route of the command."""
        self.tell("managed", asked.reply, asked.request, *what)

    def shown(self, lease: Lease) -> tuple[GenerationId, str]:
        """What the outside sees of a lease."""
        return lease.stamp, self.rules.roles[lease.cell]

    def end_leases(self, ends: Callable[[Lease], bool]) -> None:
        """Leases end, each told whole."""
        for key in sorted(self.leases):
            if ends(self.leases[key]):
                self.tell("lease-ended", key, *self.shown(self.leases.pop(key)))

    # -- slips -----------------------------------------------------------------------------------------------------

    def hand_out(self, cell: int, slip: Slip, pair: DispatchId) -> None:
        """The worker at hand gets a slip."""
        who = self.worker(cell)
        self.set(cell, stands="serving", work=Work(slip, pair, who))
        self.tell("given", cell, who.child, pair, slip.number, slip.load)

    def empty_bin(self, cell: int) -> None:
        """A worker at hand takes the first slip of the cell's own bin; what can't be handed out goes back."""
        while self.cells[cell].stands == "at-hand" and self.cells[cell].bin:
            slip, *rest = self.cells[cell].bin
            self.set(cell, bin=tuple(rest))
            pair = self.draw("pair")
            if pair is not None:
                self.hand_out(cell, slip, pair)
            elif slip.again:
                self.hand_back("returned-assigned", cell, slip, "retry-preparation-rejected")
            else:
                self.hand_back("returned-queued", cell, slip, "dispatch-correlation-unavailable")

    def hand_back(self, kind: str, cell: int, slip: Slip, why: str) -> None:
        """A slip goes back to its customer."""
        self.tell("returned", slip.route, kind, slip.number, slip.stamp, self.rules.roles[cell], slip.load, why)

    def put_back(self, cell: int, slip: Slip) -> None:
        """A slip goes back into its cell's bin, before all that were taken later."""
        slips = sorted((*self.cells[cell].bin, slip), key=lambda each: each.number)
        self.set(cell, bin=tuple(slips))

    def clear_bin(self, cell: int, why: str) -> None:
        """All slips of a bin go back."""
        for slip in self.cells[cell].bin:
            self.hand_back("returned-queued", cell, slip, why)
        self.set(cell, bin=())

    def worker(self, cell: int) -> Worker:
        """The worker at hand."""
        who = self.cells[cell].who
        if who is None:
            raise ValueError("a cell at hand has a worker")
        return who
