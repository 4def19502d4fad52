"""The oracle's work on workers: each awaited fact moves its cell on, anything else is late."""

from __future__ import annotations

from typing import Any

from harness.models.pools import facts as f
from harness.models.pools.fifo_oracle.book import Cell, Want, gone, wanted
from harness.models.pools.fifo_oracle.clerk import Clerk
from harness.models.pools.timing import CLOCK_MAX
from harness.models.pools.values import Evidence, Stop, Worker


class Foreman(Clerk):
    """Facts about workers while the pool is open."""

    # -- small moves -----------------------------------------------------------------------------------------------

    def set_cell(self, number: int, cell: Cell) -> None:
        """A cell is another from now on."""
        self.cells[number] = cell

    def bring(self, number: int, birth: Any, plan: str) -> None:
        """A worker is sent for."""
        self.set_cell(number, Cell("coming", None, (("born", birth), ("gone-child", birth))))
        self.tell("made", number, birth, plan)

    def warm_up(self) -> None:
        """Free warming places go to those who queue for one, first cell first."""
        for number, cell in enumerate(self.cells):
            busy = sum(each.stands == "warming" for each in self.cells)
            if cell.stands != "queuing" or cell.who is None or busy >= self.rules.activation_limit:
                continue
            place = self.draw("ticket")
            if place is None:
                self.send_away(number, cell.who, "end")
            else:
                self.set_cell(number, cell._replace(stands="warming", wants=_plus(cell, "place", cell.who, place)))
                self.tell("warming", number, place)
        self.serve()

    def send_away(self, number: int, who: Worker, then: str) -> None:
        """A worker is told to go."""
        self.set_cell(number, Cell("leaving", who, (("gone", who), ("told", who)), then=then, asked=True))
        self.tell("told", number, who)

    def after_leave(self, number: int) -> None:
        """Once nothing is awaited of a leaving worker, what was to follow does."""
        cell = self.cells[number]
        if cell.wants or not cell.news:
            return
        if cell.then == "renew":
            self.renew(number, cell.news[0])
        elif cell.then == "end":
            self.close_cell(number)
        else:
            self.set_cell(number, Cell("over", None, ()))
            self.close_up()

    def renew(self, number: int, exit_: Stop) -> None:
        """A worker is gone: a spare is asked for where the policy says so."""
        kind = self.rules.recovery.eligibility if self.rules.recovery else "temporary"
        if kind == "temporary" or (kind == "transient" and not exit_.abnormal):
            return self.close_cell(number)
        self.set_cell(number, Cell("gap", None, (("spare", exit_.worker),), news=(exit_,)))
        self.tell("sought", number, exit_.worker)
        return self.serve()

    def close_cell(self, number: int) -> None:
        """Nobody will stand here again."""
        self.set_cell(number, Cell("over", None, ()))
        self.serve()

    def give_up(self, number: int) -> None:
        """No spare is to be had: the cell closes, or everything does."""
        if self.rules.recovery is not None and self.rules.recovery.failure == "stop-pool":
            self.set_cell(number, Cell("over", None, ()))
            self.close_up()
        else:
            self.close_cell(number)

    def close_up(self) -> None:
        """The pool closes."""
        raise NotImplementedError

    # -- facts -----------------------------------------------------------------------------------------------------

    def hear(self, fact: Any) -> bool:
        """An awaited fact moves its cell on; False where nobody waits for it."""
        want = wanted(fact)
        number = self.who_wants(fact, want)
        if number is None:
            return False
        cell = self.cells[number]
        if want not in cell.wants:
            want = _other_form(cell, fact) or want
        if want not in cell.wants:
            return False
        cell = cell._replace(wants=tuple(each for each in cell.wants if each != want))
        self.set_cell(number, cell)
        getattr(self, "hear_" + want[0].replace("-", "_"))(number, cell, fact)
        return True

    def who_wants(self, fact: Any, want: Want) -> int | None:
        """The cell a fact speaks of: by its role, or by who reports."""
        if isinstance(fact, f.WorkerCompleted):
            return next((number for number, cell in enumerate(self.cells) if want in cell.wants), None)
        role: int = getattr(fact, "role", -1)
        return role if 0 <= role < len(self.cells) else None

    def hear_born(self, number: int, cell: Cell, fact: Any) -> None:
        """A worker is born, or was not."""
        if isinstance(fact, f.BirthRejected):
            return self.give_up(number)
        who = fact.worker
        begun: Want = ("begun", who, fact.attempt)
        early = cell.news[0] if cell.news and cell.news[0].worker == who else None
        if early is not None:
            return self.set_cell(number, Cell("leaving", who, (begun,), news=(early,), then="renew"))
        return self.set_cell(number, Cell("coming", who, (begun, ("gone", who))))

    def hear_gone_child(self, number: int, cell: Cell, fact: f.WorkerStopped) -> None:
        """Somebody left before it was known that he is born."""
        self.set_cell(number, cell._replace(news=(fact.stop,)))

    def hear_begun(self, number: int, cell: Cell, fact: Any) -> None:
        """The start is over."""
        if cell.stands == "leaving":
            return self.after_leave(number)
        if isinstance(fact, f.InitReady):
            self.set_cell(number, cell._replace(stands="queuing"))
            return self.warm_up()
        if isinstance(fact, f.InitRejected):
            return self.send_away(number, fact.worker, "renew")
        return self.set_cell(number, cell._replace(stands="leaving", then="renew"))

    def hear_place(self, number: int, cell: Cell, fact: Any) -> None:
        """The warming place is taken, or was refused; who leaves only loses a want."""
        if cell.stands == "leaving":
            return self.after_leave(number)
        if isinstance(fact, f.BeginAccepted):
            return self.set_cell(number, cell._replace(wants=_plus(cell, "fit", fact.worker, fact.ticket)))
        self.send_away(number, fact.worker, "renew")
        return self.warm_up()

    def hear_fit(self, number: int, cell: Cell, _: Any) -> None:
        """The worker can have slips."""
        self.set_cell(number, cell._replace(stands="free"))
        self.serve()
        self.warm_up()

    def hear_told(self, number: int, _: Cell, __: Any) -> None:
        """The worker knows, or could not be told."""
        self.after_leave(number)

    def hear_gone(self, number: int, cell: Cell, fact: f.WorkerStopped) -> None:
        """A worker left."""
        stop = fact.stop
        if cell.stands == "working":
            return self.left_at_work(number, cell, stop)
        if cell.stands == "leaving":
            self.set_cell(number, cell._replace(news=(stop,)))
            return self.after_leave(number)
        open_ = tuple(each for each in cell.wants if each[0] in ("begun", "place"))
        if open_:
            self.set_cell(number, Cell("leaving", cell.who, open_, news=(stop,), then="renew"))
        else:
            self.renew(number, stop)
        return self.warm_up()

    # -- a slip in hand: three facts in any order ------------------------------------------------------------------

    def hear_handed(self, number: int, cell: Cell, fact: Any) -> None:
        """It is known whether the slip was handed over; what waited for that is settled."""
        if isinstance(fact, f.DeliveryRejected):
            return self.not_handed(number, cell, fact)
        if not cell.news:
            return None
        first = cell.news[0]
        if isinstance(first, Evidence):
            later = cell.news[1] if len(cell.news) > 1 else None
            return self.finish(number, cell, first, later)
        return self.broken_off(number, cell, first)

    def hear_done(self, number: int, cell: Cell, fact: f.WorkerCompleted) -> None:
        """The slip is done; before the handing is known that is only news."""
        if _handing(cell):
            return self.set_cell(number, cell._replace(news=(*cell.news, fact.completion)))
        return self.finish(number, cell, fact.completion, None)

    def left_at_work(self, number: int, cell: Cell, stop: Stop) -> None:
        """The worker left with a slip; before the handing is known that is only news."""
        if _handing(cell):
            return self.set_cell(number, cell._replace(news=(*cell.news, stop)))
        return self.broken_off(number, cell, stop)

    def finish(self, number: int, cell: Cell, done: Evidence, left: Stop | None) -> None:
        """The customer gets the result, the cell is free, or empty if its worker has left since."""
        slip = cell.slip
        if slip is not None:
            self.tell("completed", slip.route, slip.job, self.rules.roles[number], done.result)
        if left is not None:
            return self.renew(number, left)
        self.set_cell(number, Cell("free", cell.who, (gone_of(cell),)))
        return self.serve()

    def broken_off(self, number: int, cell: Cell, stop: Stop) -> None:
        """Work broke off: the slip is settled by the rule, then the cell is looked after."""
        slip = cell.slip
        self.set_cell(number, Cell("gap", None, ()))
        if slip is not None and self.rules.interruption == "fail":
            self.give_back(slip, number, "worker-stopped")
        elif slip is not None:
            self.line_up(slip, number)
        self.renew(number, stop)

    def not_handed(self, number: int, cell: Cell, fact: f.DeliveryRejected) -> None:
        """The slip never arrived; a done one that never arrived makes no sense, and the pool closes over it."""
        slip, who = cell.slip, cell.who
        left = next((each for each in cell.news if isinstance(each, Stop)), None)
        if slip is None or who is None:
            raise ValueError("a working cell has a slip and a worker")
        if any(isinstance(each, Evidence) for each in cell.news):
            self.give_back(slip, number, "contradictory-assignment-settlement")
            free = Cell("free", who, (("gone", who),))
            self.set_cell(number, free if left is None else Cell("over", None, ()))
            return self.close_up()
        if fact.returned != (cell.given, who.evidence):
            self.give_back(slip, number, "contradictory-assignment-settlement")
            then = "close" if self.rules.recovery and self.rules.recovery.failure == "stop-pool" else "end"
            if left is not None:
                return self.give_up(number)
            self.send_away(number, who, then)
            return self.serve()
        self.line_up(slip, number)
        if left is not None:
            return self.renew(number, left)
        self.send_away(number, who, "renew")
        return self.serve()

    # -- spares ----------------------------------------------------------------------------------------------------

    def hear_spare(self, number: int, cell: Cell, fact: Any) -> None:
        """A spare is offered: count it, number it, and send for it now or later."""
        exit_, policy = cell.news[0], self.rules.recovery
        if policy is None or not isinstance(fact, f.SourcePrepared):
            return self.give_up(number)
        recent = [at for at in self.spent if exit_.at - policy.budget.window <= at]
        backwards = bool(self.spent) and exit_.at < max(self.spent)
        too_late = policy.delay is not None and exit_.at + policy.delay > CLOCK_MAX
        if backwards or len(recent) >= policy.budget.restarts or too_late:
            return self.give_up(number)
        recovery, birth = self.draw("recovery"), self.draw("birth")
        timer = self.draw("timer") if policy.delay is not None and None not in (recovery, birth) else None
        if recovery is None or birth is None or (policy.delay is not None and timer is None):
            return self.give_up(number)
        self.spent = (*recent, exit_.at)
        if policy.delay is None:
            return self.bring(number, birth, fact.definition)
        clock = (("clock", recovery, timer),)
        self.set_cell(number, cell._replace(wants=clock, spare=(birth, fact.definition)))
        return self.tell("clock", number, recovery, timer, exit_.at + policy.delay)

    def hear_clock(self, number: int, cell: Cell, fact: Any) -> None:
        """The clock runs, or was refused."""
        if isinstance(fact, f.ScheduleRejected):
            return self.give_up(number)
        return self.set_cell(number, cell._replace(wants=(("chime", fact.recovery, fact.timer),)))

    def hear_chime(self, number: int, cell: Cell, _: Any) -> None:
        """Time is up: the spare is sent for."""
        self.bring(number, *cell.spare)


def _plus(cell: Cell, *want: Any) -> tuple[Want, ...]:
    return (*cell.wants, want)


def gone_of(cell: Cell) -> Want:
    """The want of a cell's own worker's exit."""
    return ("gone", cell.who)


def _handing(cell: Cell) -> bool:
    return any(each[0] == "handed" for each in cell.wants)


def _other_form(cell: Cell, fact: Any) -> Want | None:
    """The same fact where it is awaited in another form: an exit before the birth, readiness of one who leaves."""
    if isinstance(fact, f.WorkerStopped) and cell.who is None and gone(fact.stop) not in cell.wants:
        return ("gone-child", fact.stop.worker.child)
    if isinstance(fact, f.WorkerReady) and cell.stands == "leaving":
        return ("place", fact.worker, fact.ticket)
    return None
