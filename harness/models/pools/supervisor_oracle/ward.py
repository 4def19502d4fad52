"""The oracle's work on cells: proxies come and go, permits are given and come back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.models.pools.correlations import Allocator, Correlation
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.values import Proxy, WorkerStop
from harness.models.pools.supervisor_oracle.book import Book, Cell, Permit
from harness.models.pools.supervisor_oracle.residue import Item, Left, things_of

Told = tuple[Any, ...]


class Ward:
    """One day's work on the book: `told` is what the outside sees of it."""

    def __init__(self, rules: Definition, book: Book) -> None:
        self.rules = rules
        self.cells = list(book.cells)
        self.teams = {each.number: each for each in book.teams}
        self.errands = {each.number: each for each in book.errands}
        self.tally = list(book.tally)
        self.spent, self.marks = book.spent, book.marks
        self.open, self.bell = book.open, book.bell
        self.stale, self.owed = book.stale, book.owed
        self.verdict, self.plans = book.verdict, book.plans
        self.letters, self.mail = book.letters, dict(book.mail)
        self.hushed = False
        self.left: Left = {}
        self.told: list[Told] = []

    def book(self) -> Book:
        """The book at the end of the day."""
        alive = {each.team for each in self.cells}
        return Book(
            tuple(self.cells),
            tuple(self.teams[each] for each in sorted(self.teams) if each in alive),
            tuple(self.errands[each] for each in sorted(self.errands)),
            tuple(self.tally),
            self.spent,
            self.marks,
            self.open,
            self.bell,
            self.stale,
            self.owed,
            self.verdict,
            self.plans,
            self.letters,
            tuple(sorted(self.mail.items())),
        )

    # -- small moves -----------------------------------------------------------------------------------------------

    def tell(self, *what: Any) -> None:
        """The outside sees something."""
        self.told.append(what)

    def event(self, *what: Any) -> None:
        """Observers hear something, if there are any."""
        if self.rules.lifecycle is not None:
            self.tell("event", *what)

    def complain(self, kind: str, number: int | None, *more: Any) -> None:
        """The operator hears of something; without one it was the last thing to hear."""
        self.tell("diag", kind, None if number is None else self.rules.roles[number], *more)
        self.hushed = self.hushed or self.rules.diagnostics is None

    def leave(self, number: int | None, items: Iterable[Item]) -> None:
        """Others have something from now on; of nothing they hear nothing."""
        things = list(items)
        if things:
            self.left.setdefault(None if number is None else self.rules.roles[number], []).extend(things)

    def leave_cell(self, number: int) -> None:
        """Others have a cell as it is, with its proxy or its birth."""
        self.leave(number, things_of(self.cells[number], True))

    def shed(self, number: int) -> None:
        """What a cell can't use any more goes to others; an end that is told, with its team, is not left as well."""
        cell = self.cells[number]
        told = cell.team is not None and self.rules.lifecycle is not None
        bare = cell._replace(permit=None, gone=None if told else cell.gone)
        self.leave(number, things_of(bare, False))

    def late(self) -> None:
        """Nobody waits for this fact."""
        self.complain("unexpected-input", None)

    def draw(self, kind: str) -> Correlation | None:
        """The next number of a kind. A taken one is skipped for good; beyond the last there is none."""
        mark = dict(zip(self.marks._fields, self.marks, strict=True))[kind]
        number = mark.next
        if mark.last is not None and number > mark.last:
            return None
        more = Allocator(type(number)(number + 1), mark.last, mark.clashes)
        self.marks = self.marks._replace(**{kind: more})
        return None if number in mark.clashes else number

    def change(self, number: int, **fields: Any) -> Cell:
        """A cell has something else from now on."""
        self.cells[number] = self.cells[number]._replace(**fields)
        return self.cells[number]

    def whose(self, proxy: Proxy) -> int | None:
        """The cell of exactly this proxy."""
        return next((number for number, cell in enumerate(self.cells) if cell.proxy == proxy), None)

    def hatching(self, egg: Any) -> int | None:
        """The cell that waits for exactly this birth."""
        return next((number for number, cell in enumerate(self.cells) if cell.egg == egg), None)

    def close(self, number: int) -> None:
        """A cell is over; while the others go on, observers hear of it."""
        self.cells[number] = Cell(closed=True)
        if self.open and not self.hushed:
            self.event("member-retired", self.rules.roles[number])

    def fall(self, number: int, proxy: Proxy | None) -> None:
        """A cell can't go on; what it had was taken from it."""
        if not self.open:
            return
        self.cells[number] = Cell(proxy=proxy, closed=proxy is None)
        if self.hushed:
            return
        if self.rules.failure == "stop-supervisor":
            self.close_up()
        elif proxy is None:
            self.close(number)
        else:
            self.ask_to_go(number)

    def ask_to_go(self, number: int) -> None:
        """A proxy is in debt of its exit."""
        self.change(number, debt="asked")
        self.tell("go", self.cells[number].proxy)

    def close_up(self) -> None:
        """Everything ends."""
        raise NotImplementedError

    # -- permits ---------------------------------------------------------------------------------------------------

    def grant(self) -> None:
        """Free permits go to the first cells that lack nothing else."""
        for number, cell in enumerate(self.cells):
            free = self.rules.activation_limit - sum(each.permit is not None for each in self.cells)
            if free < 1 or cell.proxy is None or cell.debt:
                continue
            if cell.slip is not None:
                ticket, text = cell.slip
                self.change(number, slip=None, permit=Permit(ticket, None))
                self.tell("given", cell.proxy, ticket, None, None, text)
            elif cell.kit is not None and cell.worker is not None and self.gate_is_open(cell):
                ticket, text = cell.kit
                self.change(number, kit=None, permit=Permit(ticket, cell.worker))
                self.tell("given", cell.proxy, ticket, cell.team, cell.worker, text)

    def gate_is_open(self, cell: Cell) -> bool:
        """Whether a cell's team may go."""
        return cell.team is not None and self.teams[cell.team].gate[0] == "open"

    # -- proxies ---------------------------------------------------------------------------------------------------

    def hear_birth(self, fact: f.BirthAnswer) -> bool:
        """A proxy hatches, or does not; a shell tells that it is dead already."""
        number = self.hatching(fact.reservation)
        if number is None or (isinstance(fact, f.ProxyCommitted) and fact.proxy.birth != fact.reservation):
            return False
        if isinstance(fact, f.ProxyCommitted) and not self.cells[number].shell:
            self.change(number, egg=None, proxy=fact.proxy)
            if not self.open:
                self.ask_to_go(number)
            return True
        kind = "proxy-died" if isinstance(fact, f.ProxyCommitted) else "proxy-creation-rejected"
        self.leave(number, things_of(self.cells[number], False))
        if not self.open:
            self.close(number)
        self.complain(kind, number)
        self.fall(number, None)
        return True

    def hear_early_exit(self, fact: f.ExitBeforeBirth) -> bool:
        """An egg is found empty, once."""
        number = self.hatching(fact.reservation)
        if number is None or self.cells[number].shell:
            return False
        self.change(number, shell=True)
        return True

    def hear_exit(self, fact: f.ExitAfterBirth) -> bool:
        """A proxy is gone: its debt is paid, or its cell falls."""
        number = self.whose(fact.proxy)
        if number is None or self.cells[number].left:
            return False
        cell = self.cells[number]
        if cell.debt == "asked" and self.open:
            self.change(number, left=True)
        elif cell.debt:
            self.leave_rest(number)
            self.close(number)
        else:
            if cell.permit is not None or cell.news is not None:
                self.leave(number, [("proxy", int(fact.proxy.birth))])
            if cell.permit is not None:
                self.leave(number, [("given", int(cell.permit.ticket))])
            self.shed(number)
            self.tell_end(number)
            self.complain("proxy-died", number)
            self.fall(number, None)
        return True

    def leave_rest(self, number: int) -> None:
        """A proxy that was asked to go is gone: what it was given, and was to be given, is others'."""
        cell = self.cells[number]
        if any((cell.slip, cell.kit, cell.permit, cell.news, cell.gone)):
            self.left.setdefault(self.rules.roles[number], []).extend(things_of(cell, False))

    def tell_end(self, number: int) -> None:
        """A stop that a team had taken up is told."""
        cell = self.cells[number]
        if self.open and cell.team is not None and isinstance(cell.gone, WorkerStop):
            self.event("worker-stopped", self.rules.roles[number], cell.gone.abnormal, cell.gone.at, cell.team)

    def hear_debtor(self, fact: f.ShutdownAnswer) -> bool:
        """A proxy answers to being asked to go."""
        number = self.whose(fact.proxy)
        if number is None or self.cells[number].debt != "asked":
            return False
        if self.cells[number].left:
            self.close(number)
        else:
            self.change(number, debt="knows" if isinstance(fact, f.ShutdownAccepted) else "deaf")
        if isinstance(fact, f.ShutdownRejected):
            self.complain("proxy-shutdown-rejected", number)
        return True

    def hear_call(self, fact: f.Unavailable) -> bool:
        """A command that nobody served is passed on."""
        number = self.whose(fact.proxy)
        if number is None or self.cells[number].left:
            return False
        if self.rules.lifecycle is None:
            self.complain("proxy-unavailable", number)
        self.event("unavailable", self.rules.roles[number], fact.sender, fact.phase, fact.command)
        return True

    # -- permits come back -----------------------------------------------------------------------------------------

    def hear_receipt(self, fact: f.InputAccepted | f.InputRejected) -> bool:
        """A permit is used, or it comes back and its cell falls."""
        number = self.whose(fact.proxy)
        permit = None if number is None else self.cells[number].permit
        if number is None or permit is None or permit.taken:
            return False
        if isinstance(fact, f.InputAccepted):
            if permit.ticket != fact.ticket:
                return False
            self.change(number, permit=permit._replace(taken=True))
            return True
        kind: Any = fact.operation.kind
        mine = (permit.ticket, permit.over, self.cells[number].team if permit.over is not None else None)
        if mine != (fact.operation.ticket, getattr(kind, "replaces", None), getattr(kind, "recovery", None)):
            return False
        self.tell_end(number)
        if self.open:
            self.shed(number)
        self.change(number, permit=None, gone=None)
        self.complain("proxy-input-rejected", number)
        self.fall(number, fact.proxy)
        return True

    def hear_first(self, fact: f.InitialOutcome) -> bool:
        """The one report on a first worker."""
        number = self.whose(fact.proxy)
        permit = None if number is None else self.cells[number].permit
        if number is None or permit is None or not permit.taken or permit.over is not None:
            return False
        self.change(number, permit=None)
        if isinstance(fact, f.InitialFailed):
            if self.open:
                self.shed(number)
            self.complain("proxy-outcome-failed", number)
            self.fall(number, fact.proxy)
        elif self.open:
            self.change(number, worker=fact.worker)
            self.event("started", self.rules.roles[number], fact.proxy)
        return True
