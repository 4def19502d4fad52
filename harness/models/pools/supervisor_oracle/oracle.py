"""The oracle's front: one fact in, the book and what the outside sees of it out; and the same view of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.models.pools.correlations import BirthId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.values import Denial, Replacement
from harness.models.pools.supervisor_oracle.book import Book, Cell
from harness.models.pools.supervisor_oracle.crew import Crew
from harness.models.pools.supervisor_oracle.residue import seen_left, told_of
from harness.models.pools.supervisor_oracle.ward import Told
from harness.models.pools.timing import CLOCK_MAX

DIFFERENCES = {"unexpected-input": "late-fact-differs", "event": "event-differs", "reply": "projection-differs"}
"""What a difference of the two accounts is called, by what only one of them says."""


class Predicted(NamedTuple):
    """What the oracle makes of one fact."""

    book: Book
    told: tuple[Told, ...]


class Oracle(Crew):
    """The whole account of a supervisor, from its opening to its end."""

    def open_up(self) -> None:
        """An egg for every cell."""
        self.verdict, self.open = "", True
        self.tally = [0] * len(self.plans)
        for number, text in enumerate(self.plans):
            egg = self.draw("birth")
            if not isinstance(egg, BirthId):
                raise ValueError("a supervisor that was built has a birth for every role")
            self.cells.append(Cell(egg=egg, slip=(self.ticket(), text)))
            self.tell("made", self.rules.roles[number], egg)
        self.plans = ()

    # -- closing ---------------------------------------------------------------------------------------------------

    def close_up(self) -> None:
        """Every proxy is in debt of its exit, asked once; what is on its way is waited for."""
        self.open = False
        for number, cell in enumerate(self.cells):
            if cell.left:
                self.close(number)
            elif cell.proxy is not None and not cell.debt:
                self.ask_to_go(number)
        alive = {each.team for each in self.cells}
        shut = [team for team in self.teams.values() if team.gate[0] != "open" and team.number in alive]
        self.stale = tuple((each.gate[0], each.number, *each.gate[1:]) for each in shut)
        self.owed = tuple(self.errands.values())
        self.errands = {}
        if self.rules.deadline is None or self.is_empty():
            return
        timer = self.draw("timer")
        if timer is None:
            self.cut_short("deadline-correlation-unavailable")
            return
        known = self.spent[-1][0] if self.spent else 0
        self.bell = ("asked", timer, min(known + self.rules.deadline, CLOCK_MAX))
        self.tell("bell", timer, self.rules.deadline)

    def hear_bell(self, fact: f.DeadlineFact) -> bool:
        """The drain's timer."""
        if not self.bell or self.bell[1] != fact.timer:
            return False
        rings = isinstance(fact, f.DeadlineElapsed)
        if self.bell[0] != ("running" if rings else "asked"):
            return False
        if isinstance(fact, f.DeadlineElapsed) and fact.at < self.bell[2]:
            return False
        if isinstance(fact, f.DeadlineAccepted):
            self.bell = ("running", *self.bell[1:])
        else:
            self.cut_short("deadline-elapsed" if rings else "deadline-not-scheduled")
        return True

    def cut_short(self, why: str) -> None:
        """Whoever is still there is left to others."""
        self.verdict = "forced-retirement"
        for number, cell in enumerate(self.cells):
            if not cell.closed:
                self.leave_cell(number)
                word = "resolving-proxy-birth" if cell.egg is not None else "draining-proxy"
                self.complain("forced-retirement", number, (word, why))

    def is_empty(self) -> bool:
        """Whether nothing is waited for any more."""
        return all(cell.closed for cell in self.cells)

    # -- questions -------------------------------------------------------------------------------------------------

    def looks(self, cell: Cell) -> str:
        """What others may know of a cell."""
        if cell.closed:
            return "retired"
        if not self.open or cell.debt:
            return "stopping"
        if cell.egg is not None:
            return "creating-proxy"
        if cell.team is not None:
            return "recovering"
        if cell.slip is not None:
            return "waiting-for-activation-authorization"
        if cell.permit is not None:
            return "awaiting-proxy-outcome"
        return "ready" if cell.worker is not None and cell.gone is None else "empty"

    def answer(self, fact: f.QueryStatus | f.QueryCapability) -> None:
        """One reply; nothing else happens."""
        lines = [(self.rules.roles[number], self.looks(cell), cell.proxy) for number, cell in enumerate(self.cells)]
        seen_ = [(role, word, proxy if word == "ready" else None) for role, word, proxy in lines]
        if isinstance(fact, f.QueryStatus):
            return self.tell("reply", fact.reply_to, tuple(seen_))
        line = next((each for each in seen_ if each[0] == fact.role), (fact.role, "unknown-role", None))
        return self.tell("reply", fact.reply_to, line)

    def hear_delivery(self, fact: f.DeliverySettled) -> bool:
        """Something that was sent arrived, or comes back: the one thing that its number stands for, once."""
        kind = self.mail.pop(int(fact.ticket), None)
        if kind is None:
            return False
        if fact.word == "accepted":
            return True
        if kind == "diag":
            self.complain("undeliverable", None)
            self.hushed = True
        else:
            self.tell("returned")
        return True

    # -- one fact --------------------------------------------------------------------------------------------------

    def work(self, fact: Any) -> None:
        """One fact, whatever it is."""
        if isinstance(fact, f.QueryStatus | f.QueryCapability):
            self.answer(fact)
        elif isinstance(fact, f.Shutdown):
            if self.open:
                self.close_up()
        elif fact.kind not in HEARS or not HEARS[fact.kind](self, fact):
            self.late()
        if self.open and not self.hushed:
            self.grant()
        self.end()

    def post(self, told: tuple[Told, ...]) -> None:
        """Number what is sent, in the order in which it leaves; a complaint without an operator is not."""
        for each in told:
            if each[0] in ("event", "reply") or (each[0] == "diag" and self.is_sent(each[1])):
                self.letters += 1
                self.mail[self.letters] = each[0]

    def is_sent(self, kind: str) -> bool:
        """Whether the operator hears of something; what could not be sent to him is not sent again."""
        return self.rules.diagnostics is not None and kind != "undeliverable"

    def end(self) -> None:
        """See whether this was the last fact."""
        if not self.verdict and not self.open and self.is_empty():
            self.verdict = "stopped"
        elif not self.verdict and self.hushed:
            self.verdict = "terminated"
            for number, cell in enumerate(self.cells):
                if not cell.closed:
                    self.leave_cell(number)
        if self.verdict in ("terminated", "forced-retirement"):
            left = tuple(number for number, cell in enumerate(self.cells) if not cell.closed)
            self.tell("custody", self.verdict, left)


HEARS: Mapping[str, Callable[[Oracle, Any], bool]] = {
    **dict.fromkeys(("proxy-committed", "proxy-fold-rejected", "proxy-host-rejected"), Oracle.hear_birth),
    "exit-before-birth": Oracle.hear_early_exit,
    "exit-after-birth": Oracle.hear_exit,
    **dict.fromkeys(("input-accepted", "input-rejected"), Oracle.hear_receipt),
    **dict.fromkeys(("initial-ready", "initial-failed"), Oracle.hear_first),
    **dict.fromkeys(("replacement-ready", "replacement-failed"), Oracle.hear_successor),
    **dict.fromkeys(("worker-stopped", "stop-report-refused"), Oracle.hear_end),
    "unavailable": Oracle.hear_call,
    **dict.fromkeys(("shutdown-accepted", "shutdown-rejected"), Oracle.hear_debtor),
    **dict.fromkeys(("workers-prepared", "workers-partial", "source-rejected"), Oracle.hear_source),
    **dict.fromkeys(("schedule-accepted", "schedule-rejected", "timer-elapsed"), Oracle.hear_gate),
    **dict.fromkeys(("deadline-accepted", "deadline-rejected", "deadline-elapsed"), Oracle.hear_bell),
    "delivery-settled": Oracle.hear_delivery,
}
"""Who hears which fact; False means that nobody waited for it."""


def predict(rules: Definition, book: Book, fact: f.Fact) -> Predicted:
    """What the outside will see when a supervisor with this book takes a fact in."""
    oracle = Oracle(rules, book)
    if book.verdict == "unopened":
        if isinstance(fact, f.Initialize):
            oracle.open_up()
    elif not book.verdict:
        oracle.work(fact)
    told = tuple(sorted((*oracle.told, *told_of(oracle.left, rules.roles)), key=_lane))
    oracle.post(told)
    return Predicted(oracle.book(), told)


# -- the model's side ----------------------------------------------------------------------------------------------


def seen(actions: a.Actions, mode: str, left: tuple[int, ...], roles: tuple[str, ...]) -> tuple[Told, ...]:
    """What the outside sees of the model's step, in the oracle's words.

    `left` are the roles that the host has now, `roles` the declared names.
    """
    told: list[Told] = [("made", each.role, each.reservation) for each in actions.proxy_creations]
    told += [("sought", each.preparation, each.roles) for each in actions.worker_preparations]
    told += [_given(each) for each in actions.inputs()]
    told += [("go", each.proxy) for each in actions.proxy_shutdowns]
    told += [("gate", each.recovery, each.timer, each.due) for each in actions.restart_schedules]
    told += [("bell", each.timer, each.after) for each in actions.deadline_schedules]
    told += [_event(each) for each in actions.events()]
    told += [("reply", each.route, _answer(each.answer)) for each in actions.management_replies]
    told += [_diagnostic(each) for each in actions.diagnostics()]
    told += [("returned",) for _ in actions.delivery_rejections]
    told += seen_left(actions, roles)
    if mode in ("terminated", "forced-retirement"):
        told.append(("custody", mode, left))
    return tuple(sorted(told, key=_lane))


def difference(expected: tuple[Told, ...], observed: tuple[Told, ...]) -> str | None:
    """The name of the first difference between the two accounts, None where they agree."""
    for mine, theirs in zip((*expected, ()), (*observed, ()), strict=False):
        if mine != theirs:
            said = mine or theirs
            word = said[1] if said[0] == "diag" else said[0]
            return DIFFERENCES.get(str(word), "product-differs")
    return None


_LANES = ("made", "sought", "given", "go", "gate", "bell", "event", "reply", "diag", "returned", "left", "custody")


def _lane(told: Told) -> int:
    """The order of what is seen follows the lanes; first workers are given before replacements."""
    place = 2 * _LANES.index(told[0])
    return place + 1 if told[0] == "given" and told[3] is not None else place


def _given(each: a.InstallInput | a.ReplaceInput) -> Told:
    ticket, kind, text = each.operation
    pair = (kind.recovery, kind.replaces) if isinstance(kind, Replacement) else (None, None)
    return ("given", each.proxy, ticket, *pair, text)


def _event(event: Any) -> Told:
    return ("event", event.kind, *event[:-1])


def _answer(answer: a.Status | a.Capability) -> Any:
    if isinstance(answer, a.Status):
        return tuple((each.role, each.status, each.proxy) for each in answer.members)
    word = answer.status if answer.word == "unavailable" else answer.word
    return (answer.role, word, answer.proxy)


def _diagnostic(diagnostic: a.Diagnostic) -> Told:
    kind, facts = diagnostic
    if kind in ("unexpected-input", "undeliverable"):
        return ("diag", kind, None)
    if kind == "forced-retirement":
        return ("diag", kind, facts[0], facts[1:])
    denial = facts[-1]
    more = ((denial.reason, denial.numbers, denial.detail),) if isinstance(denial, Denial) else ()
    return ("diag", kind, facts[0], *more)
