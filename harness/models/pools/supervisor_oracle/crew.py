"""The oracle's work on recoveries: errands to the source, teams and their gates, two reports for each replacement."""

from __future__ import annotations

from harness.models.pools.correlations import RecoveryId
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.definition import Restarts
from harness.models.pools.supervisor.values import OperationId, PreparationId, WorkerStop
from harness.models.pools.supervisor_oracle.book import Cell, Errand, Team
from harness.models.pools.supervisor_oracle.residue import end_of
from harness.models.pools.supervisor_oracle.ward import Ward
from harness.models.pools.timing import CLOCK_MAX

END_OF_COUNT = 2**63 - 1
Why = tuple[str, tuple[int, ...], str]


class Crew(Ward):
    """Facts about workers, errands and gates."""

    @property
    def habits(self) -> Restarts:
        """How cells come back."""
        if self.rules.recovery is None or self.rules.recovery.restarts is None:
            raise ValueError("nobody comes back here")
        return self.rules.recovery.restarts

    # -- workers end -----------------------------------------------------------------------------------------------

    def hear_end(self, fact: f.WorkerStopped | f.StopReportRefused) -> bool:
        """The worker of a cell is gone. A lost report counts only where a replacement waits for it."""
        number = self.whose(fact.proxy)
        if number is None:
            return False
        cell = self.cells[number]
        waits = cell.news is not None or (cell.permit is not None and cell.permit.over is not None)
        is_lost = isinstance(fact, f.StopReportRefused)
        if cell.worker != fact.stop.worker or cell.gone is not None or not (waits or (self.open and not is_lost)):
            return False
        cell = self.change(number, gone="lost" if is_lost else fact.stop)
        if is_lost:
            self.tell("returned")
        if cell.news is not None:
            self.settle(number, cell)
        elif self.open and cell.team is None and not self.is_on_errand(number):
            self.consider(number)
        return True

    def hear_successor(self, fact: f.ReplacementOutcome) -> bool:
        """The one report on a replacement; the permit is free whatever it says."""
        number = self.whose(fact.proxy)
        permit = None if number is None else self.cells[number].permit
        if number is None or permit is None or not permit.taken or permit.over != fact.replaces:
            return False
        if isinstance(fact, f.ReplacementReady) and fact.worker == permit.over:
            return False
        cell = self.change(number, permit=None, news=fact)
        if not self.open and isinstance(fact, f.ReplacementFailed):
            self.complain("proxy-outcome-failed", number)
        if cell.gone is not None:
            self.settle(number, cell)
        return True

    def settle(self, number: int, cell: Cell) -> None:
        """Both reports are in."""
        if not self.open:
            self.change(number, news=None, gone=None, worker=None)
            return
        self.tell_end(number)
        if isinstance(cell.news, f.ReplacementFailed):
            if self.rules.lifecycle is None:
                self.leave(number, end_of(cell))
            self.complain("proxy-outcome-failed", number)
            self.fall(number, cell.proxy)
        else:
            self.cells[number] = Cell(proxy=cell.proxy, worker=cell.news.worker)
            self.event("restarted", self.rules.roles[number], cell.proxy, cell.team)

    # -- errands ---------------------------------------------------------------------------------------------------

    def is_on_errand(self, number: int, besides: PreparationId | None = None) -> bool:
        """Whether the source was asked for a cell."""
        return any(number in each.cells for each in self.errands.values() if each.number != besides)

    def consider(self, number: int) -> None:
        """A worker is gone: see who comes back, and send for all of them."""
        cell = self.cells[number]
        kind = self.rules.recovery.eligibility if self.rules.recovery else "temporary"
        if kind == "temporary" or (kind == "transient" and not cell.gone.abnormal):
            self.change(number, worker=None, gone=None)
            self.event("worker-stopped", self.rules.roles[number], cell.gone.abnormal, cell.gone.at, None)
            return None
        wanted = {"one-for-one": [number], "rest-for-one": list(range(number, len(self.cells)))}
        names = wanted.get(self.habits.strategy, list(range(len(self.cells))))
        cells = tuple(each for each in names if each == number or not _is_done(self.cells[each]))
        unfit = self.first_unfit(cells, None)
        if unfit is not None:
            return self.deny(number, (), ("role-not-restartable", (), unfit))
        errand = self.draw("preparation")
        if not isinstance(errand, PreparationId):
            raise ValueError("there always is a number for an errand")
        self.errands[errand] = Errand(errand, number, cells)
        return self.tell("sought", errand, tuple(self.rules.roles[each] for each in cells))

    def first_unfit(self, cells: tuple[int, ...], errand: PreparationId | None) -> str | None:
        """The first cell that has no worker, none on its way, or belongs to others."""
        for number in cells:
            cell = self.cells[number]
            has = cell.worker or cell.permit or cell.slip
            if not has or cell.proxy is None or cell.team is not None or self.is_on_errand(number, errand):
                return self.rules.roles[number]
        return None

    def hear_source(self, fact: f.SourceAnswer) -> bool:
        """An errand is over; a closed book has no use for what it brings."""
        errands = self.errands if self.open else {each.number: each for each in self.owed}
        errand = errands.get(fact.preparation)
        if errand is None or not self.is_its_answer(fact, [self.rules.roles[each] for each in errand.cells]):
            return False
        if not self.open:
            self.owed = tuple(each for each in self.owed if each != errand)
            self.leave(None, [("errand", int(errand.number))])
        elif isinstance(fact, f.WorkersPrepared):
            why = self.assemble(errand, [each.definition for each in fact.submissions])
            if why is not None:
                del self.errands[fact.preparation]
                for number, each in zip(errand.cells, fact.submissions, strict=True):
                    self.leave(number, [("made", each.definition)])
                self.deny(errand.lead, errand.cells, why)
        else:
            del self.errands[fact.preparation]
            self.complain("worker-preparation-failed", errand.lead)
            self.leave(errand.lead, end_of(self.cells[errand.lead]))
            self.drop(errand.lead, errand.cells)
        return True

    @staticmethod
    def is_its_answer(fact: f.SourceAnswer, names: list[str]) -> bool:
        """Whether an answer goes through the cells of an errand, one by one."""
        if isinstance(fact, f.WorkersPrepared):
            return [each.role for each in fact.submissions] == names
        if isinstance(fact, f.WorkersPartial):
            return [*(each.role for each in fact.prefix), fact.refused, *fact.remaining] == names
        return True

    def deny(self, lead: int, cells: tuple[int, ...], why: Why) -> None:
        """Nobody comes back; whoever set it off falls."""
        self.complain("recovery-denied", lead, why)
        self.drop(lead, cells)

    def drop(self, lead: int, cells: tuple[int, ...]) -> None:
        """Whoever set it off falls; others whose worker is gone are considered by themselves."""
        cell = self.cells[lead]
        if cell.proxy is not None and not cell.debt:
            self.fall(lead, cell.proxy)
        self.consider_all(cells)

    def consider_all(self, cells: tuple[int, ...]) -> None:
        """Every cell left with the end of its worker."""
        for number in cells:
            cell = self.cells[number]
            free = cell.team is None and not self.is_on_errand(number)
            if self.open and not self.hushed and free and isinstance(cell.gone, WorkerStop):
                self.consider(number)

    # -- teams -----------------------------------------------------------------------------------------------------

    def assemble(self, errand: Errand, texts: list[str]) -> Why | None:
        """Everybody comes back together: count, charge and time it; the reason where that can't be."""
        unfit = self.first_unfit(errand.cells, errand.number)
        if unfit is not None:
            return ("role-not-restartable", (), unfit)
        at = self.cells[errand.lead].gone.at
        number = self.draw("recovery")
        if not isinstance(number, RecoveryId):
            return ("recovery-tickets-exhausted", (), "")
        timed = self.habits.timing.kind != "immediate"
        timer = self.draw("timer") if timed else None
        if timed and timer is None:
            return ("restart-timers-exhausted", (), "")
        recent, why = self.recent(at, len(errand.cells))
        if why is not None:
            return why
        turn = self.tally[errand.lead]
        if turn >= END_OF_COUNT:
            return ("recovery-count-exhausted", (turn,), "")
        wait = self.wait(turn + 1)
        if wait > CLOCK_MAX:
            return ("release-calculation-failed", (), "delay-overflow")
        if timed and at + wait > CLOCK_MAX:
            return ("release-calculation-failed", (), "deadline-overflow")
        self.spent = (*recent, (at, len(errand.cells)))
        self.tally[errand.lead] += 1
        del self.errands[errand.number]
        self.teams[number] = Team(number, errand.lead, ("asked", timer, at + wait) if timed else ("open",))
        if timed:
            self.tell("gate", number, timer, at + wait)
        for each, text in zip(errand.cells, texts, strict=True):
            self.change(each, team=number, kit=(self.ticket(), text))
        return None

    def ticket(self) -> OperationId:
        """The next ticket; there always is one."""
        number = OperationId(self.marks.operation.next)
        self.marks = self.marks._replace(operation=self.marks.operation._replace(next=OperationId(number + 1)))
        return number

    def recent(self, at: int, many: int) -> tuple[tuple[tuple[int, int], ...], Why | None]:
        """What was spent within the window, and the reason why no more can be."""
        most, window = self.habits.budget
        if self.spent and self.spent[-1][0] > at:
            return (), ("clock-regressed", (self.spent[-1][0], at), "")
        recent = tuple(each for each in self.spent if each[0] + window >= at)
        before = sum(count for _, count in recent)
        return recent, ("restart-limit-reached", (before, many, most), "") if before + many > most else None

    def wait(self, turn: int) -> int:
        """How long a gate stays shut the given time."""
        kind, base = self.habits.timing
        if kind == "immediate":
            return 0
        if kind == "exponential":
            return base << min(turn - 1, 64)
        return base * turn if kind == "linear" else base

    def hear_gate(self, fact: f.RestartFact) -> bool:
        """The timer of a gate."""
        words = {"schedule-accepted": "asked", "schedule-rejected": "asked", "timer-elapsed": "running"}
        team = self.teams.get(fact.recovery)
        if not self.open or team is None:
            return not self.open and self.hear_stale(fact, words[fact.kind])
        if len(team.gate) < 3 or team.gate[:2] != (words[fact.kind], fact.timer):
            return False
        if isinstance(fact, f.TimerElapsed):
            if fact.at < team.gate[2] or (self.spent and fact.at < self.spent[-1][0]):
                return False
            self.teams[team.number] = team._replace(gate=("open",))
        elif isinstance(fact, f.ScheduleAccepted):
            self.teams[team.number] = team._replace(gate=("running", *team.gate[1:]))
        else:
            self.disband(team)
        return True

    def hear_stale(self, fact: f.RestartFact, word: str) -> bool:
        """A timer that nobody waits for any more."""
        found = [each for each in self.stale if each[:3] == (word, fact.recovery, fact.timer)]
        known = self.spent[-1][0] if self.spent else 0
        if not found or (isinstance(fact, f.TimerElapsed) and fact.at < max(found[0][3], known)):
            return False
        left = [each for each in self.stale if each != found[0]]
        if isinstance(fact, f.ScheduleAccepted):
            left.append(("running", *found[0][1:]))
        self.stale = tuple(left)
        return True

    def disband(self, team: Team) -> None:
        """The gate stays shut for good: all are as before, and who set it off falls."""
        cells = tuple(number for number, cell in enumerate(self.cells) if cell.team == team.number)
        lead = self.cells[team.lead]
        if team.lead in cells:
            self.tell_end(team.lead)
            if self.rules.lifecycle is None:
                self.leave(team.lead, end_of(lead))
        for number in cells:
            kit = self.cells[number].kit
            self.leave(number, [] if kit is None else [("slip", int(kit[0]), kit[1])])
            self.change(number, team=None, kit=None)
        self.complain("restart-schedule-rejected", team.lead)
        if team.lead in cells:
            self.fall(team.lead, lead.proxy)
        self.consider_all(cells)


def _is_done(cell: Cell) -> bool:
    """Whether a cell has nothing that could come back: it is closed, in debt, or bare."""
    return cell.egg is None and (bool(cell.debt) or not (cell.worker or cell.permit or cell.slip))
