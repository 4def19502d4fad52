"""The oracle's front: one fact in, the book and what the outside sees of it out; and the same view of the model."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools.definition import Definition
from harness.models.pools.fifo_oracle.book import Book, Cell, Want, wanted
from harness.models.pools.fifo_oracle.clerk import Told
from harness.models.pools.fifo_oracle.foreman import Foreman, gone_of
from harness.models.pools.values import Stop

DIFFERENCES = {
    "accepted": "outcome-differs",
    "rejected": "outcome-differs",
    "completed": "outcome-differs",
    "returned": "outcome-differs",
    "given": "assignment-differs",
    "late": "late-fact-differs",
}
"""What a difference of the two accounts is called, by the first word that only one of them says."""


class Predicted(NamedTuple):
    """What the oracle makes of one fact."""

    book: Book
    told: tuple[Told, ...]


class Oracle(Foreman):
    """The whole account of a pool, from its opening to its end."""

    def open_up(self) -> None:
        """A worker is sent for in every cell."""
        self.verdict, self.open = "", True
        births = [self.draw("birth") for _ in self.rules.roles]
        self.cells = [Cell("over", None, ()) for _ in births]
        for number, (birth, plan) in enumerate(zip(births, self.plans, strict=True)):
            self.bring(number, birth, plan)
        self.plans = ()

    # -- closing ---------------------------------------------------------------------------------------------------

    def close_up(self) -> None:
        """All slips go back, everybody is told to go, and what is on its way is waited for."""
        self.send_home("pool-shutdown")
        for number, cell in enumerate(self.cells):
            if cell.slip is not None:
                self.give_back(cell.slip, number, "pool-shutdown")
        self.open = False
        for number, cell in enumerate(self.cells):
            self.set_cell(number, self.ending(number, cell))
        if self.rules.deadline is None or self.is_empty():
            return None
        timer = self.draw("timer")
        if timer is None:
            return self.cut_short()
        self.bell = ("bell-set", timer)
        return self.tell("bell", timer, self.rules.deadline)

    def ending(self, number: int, cell: Cell) -> Cell:
        """What is left to wait for in a cell when the pool closes."""
        left = any(isinstance(each, Stop) for each in cell.news)
        if cell.who is None:
            awaited = tuple(each for each in cell.wants if each[0] in ("born", "gone-child", "spare", "clock"))
            return Cell("ending" if awaited else "over", None, awaited, news=cell.news)
        if left:
            return Cell("over", None, ())
        awaited = tuple(each for each in cell.wants if each[0] not in ("done", "gone"))
        if not cell.asked:
            self.tell("told", number, cell.who)
            awaited = (*awaited, ("told", cell.who))
        return Cell("ending", cell.who, (*awaited, gone_of(cell)))

    def hear_at_the_end(self, fact: Any) -> bool:
        """A fact while the pool closes: only the exit, or what was still on its way, ends a cell."""
        number = self.who_wants(fact, wanted(fact))
        if number is None or isinstance(fact, f.WorkerCompleted):
            return False
        cell = self.cells[number]
        want = wanted(fact)
        if isinstance(fact, f.WorkerStopped) and cell.who is None:
            want = ("gone-child", fact.stop.worker.child)
        if want not in cell.wants or (isinstance(fact, f.BirthCommitted) and fact.worker.child != fact.reservation):
            return False
        self.set_cell(number, self.moved_on(number, cell, want, fact))
        return True

    def moved_on(self, number: int, cell: Cell, want: Want, fact: Any) -> Cell:
        """The cell after one awaited fact of the end."""
        if want[0] in ("gone", "spare", "clock") or isinstance(fact, f.BirthRejected):
            return Cell("over", None, ())
        wants = tuple(each for each in cell.wants if each != want)
        if want[0] == "gone-child":
            return cell._replace(wants=wants, news=(fact.stop,))
        if isinstance(fact, f.BirthCommitted):
            return self.born_at_the_end(number, cell, fact)
        if isinstance(fact, f.BeginAccepted):
            wants = (*wants, ("fit", fact.worker, fact.ticket))
        return cell._replace(wants=wants)

    def born_at_the_end(self, number: int, cell: Cell, fact: f.BirthCommitted) -> Cell:
        """Somebody is born into a closing pool and told to go at once."""
        who = fact.worker
        if cell.news and cell.news[0].worker == who:
            return Cell("over", None, ())
        self.tell("told", number, who)
        return Cell("ending", who, (("begun", who, fact.attempt), ("told", who), ("gone", who)))

    # -- the bell --------------------------------------------------------------------------------------------------

    def hear_bell(self, fact: Any) -> bool:
        """The drain's timer."""
        if not self.bell or self.bell != wanted(fact):
            return False
        if isinstance(fact, f.DeadlineAccepted):
            self.bell = ("bell-rung", fact.timer)
        else:
            self.cut_short()
        return True

    def cut_short(self) -> None:
        """Whoever is still there is left to others."""
        self.verdict = "forced"
        self.tell("forced", tuple(number for number, cell in enumerate(self.cells) if cell.stands != "over"))

    def is_empty(self) -> bool:
        """Whether nothing is waited for any more."""
        return all(cell.stands == "over" for cell in self.cells)

    # -- one fact --------------------------------------------------------------------------------------------------

    def work(self, fact: Any) -> None:
        """One fact, whatever it is."""
        if isinstance(fact, f.Submit):
            self.take_in(fact)
        elif isinstance(fact, f.Shutdown):
            if self.open:
                self.close_up()
        elif isinstance(fact, f.DeadlineAccepted | f.DeadlineRejected | f.DeadlineElapsed):
            self.late_unless(self.hear_bell(fact))
        elif isinstance(fact, f.BirthCommitted) and fact.worker.child != fact.reservation:
            self.tell("late")
        else:
            self.late_unless(self.hear(fact) if self.open else self.hear_at_the_end(fact))
        if not self.open and not self.verdict and self.is_empty():
            self.verdict = "empty"

    def late_unless(self, heard: bool) -> None:
        """A fact that nobody waited for."""
        if not heard:
            self.tell("late")


def predict(rules: Definition, book: Book, fact: f.Fact) -> Predicted:
    """What the outside will see when a pool with this book takes a fact in."""
    oracle = Oracle(rules, book)
    if book.verdict == "unopened":
        if isinstance(fact, f.Initialize):
            oracle.open_up()
    elif not book.verdict:
        oracle.work(fact)
    return Predicted(oracle.book(), tuple(sorted(oracle.told, key=_lane)))


# -- the model's side ----------------------------------------------------------------------------------------------


def seen(actions: a.Actions) -> tuple[Told, ...]:
    """What the outside sees of the model's actions, in the oracle's words."""
    told: list[Told] = [("made", each.role, each.reservation, each.definition) for each in actions.worker_creations]
    told += [("sought", each.role, each.replaces) for each in actions.worker_preparations]
    told += [("warming", each.role, each.ticket) for each in actions.activation_begins]
    told += [_admission(each) for each in actions.admission_deliveries]
    told += [_terminal(each) for each in actions.terminal_customer_deliveries]
    told += [
        ("given", each.role, each.child, each.assignment, each.job, each.command.payload)
        for each in actions.worker_assignments
    ]
    told += [("told", each.role, each.worker) for each in actions.worker_shutdowns]
    told += [("clock", each.role, each.recovery, each.timer, each.due) for each in actions.restart_schedules]
    told += [("bell", each.timer, each.after) for each in actions.deadline_schedules]
    told += [("late",) for each in actions.diagnostics() if _is_late(each)]
    residuals = tuple(each.residual.role for each in actions.forced_drain_transfers)
    return tuple(sorted([*told, ("forced", residuals)] if residuals else told, key=_lane))


def difference(expected: tuple[Told, ...], observed: tuple[Told, ...]) -> str | None:
    """The name of the first difference between the two accounts, None where they agree."""
    for mine, theirs in zip((*expected, ()), (*observed, ()), strict=False):
        if mine != theirs:
            said = mine or theirs
            return DIFFERENCES.get(str(said[0]), "product-differs")
    return None


_LANES = (
    "made",
    "sought",
    "warming",
    "accepted",
    "rejected",
    "returned",
    "completed",
    "given",
    "told",
    "clock",
    "bell",
)


def _lane(told: Told) -> int:
    """The order of what is seen follows the lanes, not the order of decisions; outcomes share a lane."""
    word = "returned" if told[0] == "completed" else told[0]
    return _LANES.index(word) if word in _LANES else len(_LANES)


def _admission(each: a.DeliverAdmission) -> Told:
    outcome = each.outcome
    if isinstance(outcome, a.Accepted):
        return ("accepted", each.route, outcome.request, outcome.job)
    return ("rejected", each.route, outcome.request, outcome.payload, outcome.reason)


def _terminal(each: a.DeliverTerminal) -> Told:
    outcome = each.outcome
    if isinstance(outcome, a.Completed):
        return ("completed", each.route, outcome.job, outcome.role, outcome.result)
    role = outcome.role if isinstance(outcome, a.ReturnedAssigned) else None
    return ("returned", each.route, outcome.job, role, outcome.payload, outcome.reason)


def _is_late(diagnostic: a.Diagnostic) -> bool:
    """Whether it tells that this step's own fact came too late; a completion that a join had kept is another one."""
    return diagnostic.kind == "rejected-fact" or (diagnostic.kind, diagnostic.reason) == ("stale-completion", "late")
